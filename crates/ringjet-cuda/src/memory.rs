//! Buffers of this backend, and views of them in the layout that kernels read.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use ringjet_backend::{BackendError, Buf, Result, Storage, View, ViewMut, Width, check, host};
use zeroize::Zeroizing;

use crate::constants::{Constant, Key};
use crate::device::{Address, Block, Grid};
use crate::launch::Limbs;
use crate::machine::CudaMachine;
use crate::packing::{limb_words, pack, unpack};

/// Words of a view in a list; must equal `VIEW_WORDS` in `kernels/device.cuh`.
pub const VIEW_WORDS: usize = 3;

/// Most threads of a block, for kernels whose blocks are runs of neighbouring coefficients.
const RUN: usize = 256;

/// A limb that is absent, in the tables of kernels (`NO_LIMB` in `kernels/keyswitch.cuh`).
pub const NO_LIMB: u64 = 0xffff_ffff;

/// Operands that a kernel does not read.
pub const NO_LIMBS: Limbs = Limbs { words: Address(0), chosen: Address(0), stride: 0, polys: 0, n: 0, unused: 0 };

/// Memory for a temporary, secret if an operand is.
pub fn temporary(m: &CudaMachine, limbs: usize, n: usize, secret: bool) -> Result<Buf> {
    let buf = m.alloc(limbs, n)?;
    Ok(if secret { buf.into_secret() } else { buf })
}

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
    fn is_secret(&self) -> bool {
        self.0.is_secret()
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
    /// Words of a limb in memory.
    limb_words: usize,
    life: PhantomData<&'a ()>,
}

impl Place<'_> {
    /// The view as words of a list.
    pub fn listed(&self) -> [u64; VIEW_WORDS] {
        let Limbs { words, chosen, stride, polys, .. } = self.limbs;
        [words.0, chosen.0, u64::from(stride) | u64::from(polys) << 32]
    }

    /// The view from polynomial `first` on.
    pub fn from(&self, first: usize) -> Limbs {
        let words = first * self.limbs.stride as usize * self.limb_words;
        Limbs { words: self.limbs.words.offset(words), ..self.limbs }
    }

    /// A grid with one thread for each word of all limbs.
    pub fn each_word(&self) -> Grid {
        let threads = (self.limbs.n as usize).clamp(1, RUN) as u32;
        Grid {
            blocks: [self.limbs.n.div_ceil(threads), self.count as u32, self.limbs.polys],
            threads: [threads, 1],
            shared: 0,
        }
    }

    /// A grid with one thread for each two neighbouring words of all limbs.
    pub fn each_pair(&self) -> Grid {
        let threads = (self.limbs.n as usize / 2).clamp(1, RUN) as u32;
        Grid {
            blocks: [self.limbs.n.div_ceil(2 * threads), self.count as u32, self.limbs.polys],
            threads: [threads, 1],
            shared: 0,
        }
    }

    /// A grid with one thread for each four words of all limbs, for n of at least four.
    pub fn each_four(&self) -> Grid {
        let threads = (self.limbs.n as usize / 4).clamp(1, RUN) as u32;
        Grid {
            blocks: [self.limbs.n.div_ceil(4 * threads), self.count as u32, self.limbs.polys],
            threads: [threads, 1],
            shared: 0,
        }
    }

    /// A grid with one thread for each word of as many limbs, `times` times.
    pub fn each_word_times(&self, times: usize) -> Grid {
        let grid = self.each_word();
        Grid { blocks: [grid.blocks[0], grid.blocks[1], times as u32], ..grid }
    }

    /// A grid with one thread for each coefficient of each polynomial.
    pub fn each_coefficient(&self) -> Grid {
        let grid = self.each_word();
        let [x, _, z] = grid.blocks;
        Grid { blocks: [x, (self.count > 0).into(), z], ..grid }
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

impl CudaMachine {
    /// A buffer; its contents are unspecified.
    pub fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        let words = limbs.saturating_mul(limb_words(self.width(), n));
        let block = self.with_room(|| Block::new(&self.device, words))?;
        Ok(Buf::new(Box::new(Memory(block)), self.id.clone(), limbs, n))
    }

    /// Copies `data` to the limbs of `dst` from `first_limb` on, with `threads` threads of the host.
    pub fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64], threads: usize) -> Result<()> {
        check::range("upload", dst, first_limb, data.len())?;
        check::owner("upload", &self.id, dst)?;
        let Some(Memory(block)) = dst.storage().as_any().downcast_ref() else { return Ok(()) };
        let (width, n) = (self.width(), dst.n());
        let first = first_limb * limb_words(width, n);
        if width == Width::Eight {
            return block.upload(first, data).map_err(|e| self.error(e));
        }
        self.need_bits(u64::BITS - data.iter().fold(0, |all, word| all | word).leading_zeros())?;
        let mut packed = Zeroizing::new(host::zeros(data.len() / n.max(1) * limb_words(width, n))?);
        pack(width, n, data, &mut packed, threads);
        block.upload(first, &packed).map_err(|e| self.error(e))
    }

    /// Copies the limbs of `src` from `first_limb` on to `out`, with `threads` threads of the host.
    pub fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64], threads: usize) -> Result<()> {
        check::range("download", src, first_limb, out.len())?;
        let (width, n) = (self.width(), src.n());
        let first = first_limb * limb_words(width, n);
        let from = self.source("download", src.view(1))?.limbs.words.offset(first);
        if width == Width::Eight {
            return self.device.download(from, out).map_err(|e| self.error(e));
        }
        let mut packed = Zeroizing::new(host::zeros(out.len() / n.max(1) * limb_words(width, n))?);
        self.device.download(from, &mut packed).map_err(|e| self.error(e))?;
        unpack(width, n, &packed, out, threads);
        Ok(())
    }

    /// The place of a view that is read. Fails for a buffer of another backend.
    pub fn source<'a>(&self, op: &'static str, view: View<'a>) -> Result<Place<'a>> {
        check::owner(op, &self.id, view.buf())?;
        let chosen = view.chosen().map(|chosen| self.chosen(chosen)).transpose()?;
        let last = view.chosen().map_or(view.limbs(), |c| c.iter().map(|&c| c + 1).max().unwrap_or(0));
        let memory = view.buf().storage().as_any().downcast_ref::<Memory>();
        let geometry =
            Geometry { place: view.offset_and_stride(), polys: view.polys(), limbs: view.limbs(), n: view.n() };
        self.place(op, memory, &geometry, last, chosen)
    }

    /// A list of chosen limbs, on the device.
    fn chosen(&self, chosen: &[usize]) -> Result<Arc<Constant>> {
        self.words(Key::Chosen(chosen.to_vec()), || {
            let half = |i: usize| chosen.get(i).map_or(0, |&c| c as u64);
            (0..chosen.len().div_ceil(2)).map(|i| half(2 * i) | half(2 * i + 1) << 32).collect()
        })
    }

    /// The place of the limbs `limbs` of a view that is read. Fails for a buffer of another backend.
    pub fn gathered<'a>(&self, op: &'static str, view: View<'a>, limbs: &[usize]) -> Result<Place<'a>> {
        check::owner(op, &self.id, view.buf())?;
        let memory = view.buf().storage().as_any().downcast_ref::<Memory>();
        let limbs: Vec<usize> = limbs.iter().map(|&i| view.chosen().map_or(i, |chosen| chosen[i])).collect();
        let geometry =
            Geometry { place: view.offset_and_stride(), polys: view.polys(), limbs: limbs.len(), n: view.n() };
        let last = limbs.iter().max().map_or(0, |&i| i + 1);
        self.place(op, memory, &geometry, last, Some(self.chosen(&limbs)?))
    }

    /// The place of chosen limbs of a view that is written, as one polynomial for each `group`
    /// polynomials of the view. Limbs are pairs of a polynomial of the group and its limb.
    /// Fails for a buffer of another backend.
    pub fn scattered<'a>(
        &self,
        op: &'static str,
        view: &ViewMut<'a>,
        group: usize,
        limbs: &[(usize, usize)],
    ) -> Result<Place<'a>> {
        check::owner(op, &self.id, view.buf())?;
        let memory = view.buf().storage().as_any().downcast_ref::<Memory>();
        let (offset, stride) = view.offset_and_stride();
        let chosen: Vec<usize> = limbs.iter().map(|&(p, i)| p * stride + i).collect();
        let polys = view.polys().checked_div(group).unwrap_or(0);
        let geometry = Geometry { place: (offset, group * stride), polys, limbs: chosen.len(), n: view.n() };
        let last = chosen.iter().max().map_or(0, |&i| i + 1);
        self.place(op, memory, &geometry, last, Some(self.chosen(&chosen)?))
    }

    /// The place of a view that is written. Fails for a buffer of another backend.
    pub fn target<'a>(&self, op: &'static str, view: &ViewMut<'a>) -> Result<Place<'a>> {
        check::owner(op, &self.id, view.buf())?;
        let memory = view.buf().storage().as_any().downcast_ref::<Memory>();
        let geometry =
            Geometry { place: view.offset_and_stride(), polys: view.polys(), limbs: view.limbs(), n: view.n() };
        self.place(op, memory, &geometry, view.limbs(), None)
    }

    fn place<'a>(
        &self,
        op: &'static str,
        memory: Option<&Memory>,
        g: &Geometry,
        last: usize,
        chosen: Option<Arc<Constant>>,
    ) -> Result<Place<'a>> {
        let (offset, stride) = g.place;
        let (at, words) = memory.map_or((Address(0), 0), |m| (m.0.at(), m.0.words()));
        let end = if g.polys == 0 { 0 } else { offset + (g.polys - 1) * stride + last };
        let limb_words = limb_words(self.width(), g.n);
        assert!(
            end * limb_words <= words,
            "{op}: the view ends after {end} limbs of {} words, its buffer after {words} words",
            limb_words
        );
        let limbs = Limbs {
            words: at.offset(offset * limb_words),
            chosen: Address(0),
            stride: number(op, "limbs between polynomials", stride)?,
            polys: number(op, "number of polynomials", g.polys)?,
            n: number(op, "words of a limb", g.n)?,
            unused: 0,
        };
        let place = Place { limbs, count: g.limbs, chosen, limb_words, life: PhantomData };
        Ok(Place { limbs: Limbs { chosen: place.chosen(), ..limbs }, ..place })
    }
}

/// Converts a size to the kernels' 32-bit numbers, or fails.
pub fn number(op: &'static str, what: &'static str, x: usize) -> Result<u32> {
    u32::try_from(x).map_err(|_| BackendError::Shape { op, what, expected: u32::MAX as usize, found: x })
}
