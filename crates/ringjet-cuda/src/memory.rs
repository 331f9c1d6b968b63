//! Buffers of this backend, and views of them in the layout that kernels read.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use ringjet_backend::{Result, Storage, View, ViewMut, check};

use crate::backend::CudaBackend;
use crate::constants::{Constant, Key};
use crate::device::{Address, Block};
use crate::launch::Limbs;

/// Words of a term of `lincomb`; must equal `TERM_WORDS` in `kernels/elementwise.cuh`.
pub const TERM_WORDS: usize = 4;

/// The storage of a buffer.
#[derive(Debug)]
pub struct Memory(pub Block);

impl Storage for Memory {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn mark_secret(&mut self) {
        self.0.mark_secret();
    }
}

/// A view in the kernels' layout. It keeps alive what the kernels need until they are queued.
#[derive(Debug)]
pub struct Place<'a> {
    /// The view as an argument of a kernel.
    pub limbs: Limbs,
    /// Number of limbs.
    pub count: usize,
    chosen: Option<Arc<Constant>>,
    life: PhantomData<&'a ()>,
}

impl Place<'_> {
    /// The words of a term of `lincomb` with this view as its source.
    pub fn term(&self, factor: u64) -> [u64; TERM_WORDS] {
        let Limbs { words, chosen, stride, polys, .. } = self.limbs;
        [words.0, chosen.0, u64::from(stride) | u64::from(polys) << 32, factor]
    }

    /// Address of the list of chosen limbs, or 0 for all limbs.
    fn chosen(&self) -> Address {
        self.chosen.as_ref().map_or(Address(0), |c| c.at())
    }
}

/// Sizes of a view.
struct Geometry {
    place: (usize, usize),
    polys: usize,
    limbs: usize,
    n: usize,
}

impl CudaBackend {
    /// The place of a view that is read. Fails for a buffer of another backend.
    pub(crate) fn source<'a>(&self, op: &'static str, view: View<'a>) -> Result<Place<'a>> {
        check::owner(op, self.identity(), view.buf())?;
        let chosen = match view.chosen() {
            None => None,
            Some(chosen) => Some(self.constant(Key::Chosen(chosen.to_vec()), || {
                let half = |i: usize| chosen.get(i).map_or(0, |&c| c as u64);
                Ok(((0..chosen.len().div_ceil(2)).map(|i| half(2 * i) | half(2 * i + 1) << 32).collect(), vec![]))
            })?),
        };
        let last = view.chosen().map_or(view.limbs(), |c| c.iter().map(|&c| c + 1).max().unwrap_or(0));
        let memory = view.buf().storage().as_any().downcast_ref::<Memory>();
        let geometry =
            Geometry { place: view.offset_and_stride(), polys: view.polys(), limbs: view.limbs(), n: view.n() };
        Self::place(op, memory, &geometry, last, chosen)
    }

    /// The place of a view that is written. Fails for a buffer of another backend.
    pub(crate) fn target<'a>(&self, op: &'static str, view: &ViewMut<'a>) -> Result<Place<'a>> {
        check::owner(op, self.identity(), view.buf())?;
        let memory = view.buf().storage().as_any().downcast_ref::<Memory>();
        let geometry =
            Geometry { place: view.offset_and_stride(), polys: view.polys(), limbs: view.limbs(), n: view.n() };
        Self::place(op, memory, &geometry, view.limbs(), None)
    }

    fn place<'a>(
        op: &'static str,
        memory: Option<&Memory>,
        g: &Geometry,
        last: usize,
        chosen: Option<Arc<Constant>>,
    ) -> Result<Place<'a>> {
        let (offset, stride) = g.place;
        let (at, words) = memory.map_or((Address(0), 0), |m| (m.0.at(), m.0.words()));
        let end = if g.polys == 0 { 0 } else { offset + (g.polys - 1) * stride + last };
        assert!(
            end * g.n <= words,
            "{op}: the view ends after {end} limbs of {} words, its buffer after {words} words",
            g.n
        );
        let limbs = Limbs {
            words: at.offset(offset * g.n),
            chosen: Address(0),
            stride: number(op, "limbs between polynomials", stride)?,
            polys: number(op, "number of polynomials", g.polys)?,
            n: number(op, "words of a limb", g.n)?,
            unused: 0,
        };
        let place = Place { limbs, count: g.limbs, chosen, life: PhantomData };
        Ok(Place { limbs: Limbs { chosen: place.chosen(), ..limbs }, ..place })
    }
}

/// Converts a size to the kernels' 32-bit numbers, or fails.
pub fn number(op: &'static str, what: &'static str, x: usize) -> Result<u32> {
    u32::try_from(x).map_err(|_| ringjet_backend::BackendError::Shape {
        op,
        what,
        expected: u32::MAX as usize,
        found: x,
    })
}
