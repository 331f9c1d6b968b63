//! Keys that lead from an ephemeral secret to the main one and multiply by a matrix on the way
//! (ePrint 2025/1403).

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};
use ringjet_math::Basis;

use super::{KeyAt, KeyMemory};
use crate::Result;
use crate::rlwe::{ChainParameters, Context, SchemeParameters};
use crate::rng::PublicSeed;

/// The keys of one matrix that acts on the slots. With t the ephemeral and s the main secret, p_0
/// the first special prime, and g the Galois element of the rotation of diagonal D_d, key d is
/// `(b_d, a_d)` with `b_d = -a_d * s(X^(1/g)) + e_d + p_0 * D_d(X^(1/g)) * t`, over p_0 and the
/// primes of the highest level. For a small polynomial c, `c * (b_d, a_d)` with X replaced by X^g
/// decrypts to `p_0 * D_d * (c * t)(X^g)`: the rotated product, times the diagonal.
#[derive(Clone)]
pub(crate) struct MatrixKeys<P> {
    ctx: Context<P>,
    memory: KeyMemory,
    pub(crate) seed: PublicSeed,
    count: usize,
    /// b_0, a_0, b_1, a_1, ... expanded; b_0, b_1, ... compressed.
    buf: Arc<Buf>,
}

impl<P: SchemeParameters> MatrixKeys<P> {
    pub(crate) fn new(ctx: &Context<P>, count: usize, seed: PublicSeed, buf: Buf) -> Self {
        Self { ctx: ctx.clone(), memory: ctx.key_memory(), seed, count, buf: Arc::new(buf) }
    }

    /// The number of diagonals, each with a key.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether the keys are expanded or compressed in memory.
    pub(crate) fn memory(&self) -> KeyMemory {
        self.memory
    }

    fn view(&self) -> View<'_> {
        self.buf.view(self.memory.polys() * self.count)
    }

    /// The polynomial b_d.
    pub(crate) fn b(&self, d: usize) -> View<'_> {
        self.view().poly(self.memory.polys() * d)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.buf.limbs() * self.ctx.params().ring().n() * 8
    }
}

impl<P: ChainParameters> MatrixKeys<P> {
    /// Keys without values.
    pub(crate) fn uncomputed(ctx: &Context<P>, basis: &Basis, count: usize) -> Result<Self> {
        let buf = ctx.alloc(ctx.key_memory().polys() * count * basis.len())?;
        Ok(Self::new(ctx, count, PublicSeed::from_bytes([0; 32]), buf))
    }

    /// Key d for use. A compressed key stays expanded while the returned value lives.
    pub(crate) fn at(&self, d: usize) -> Result<KeyAt<'_>> {
        Ok(match self.memory {
            KeyMemory::Expanded => {
                KeyAt::Kept { view: self.view().slice(2 * d, 2), limbs: self.b(d).limbs(), chosen: None }
            }
            KeyMemory::Compressed => {
                let mut buf = self.ctx.alloc(2 * self.b(d).limbs())?;
                self.expand_into(&mut buf, 0, d)?;
                KeyAt::Made(buf, 2)
            }
        })
    }

    /// Writes (b_d, a_d) into limbs `first..` of `buf`.
    fn expand_into(&self, buf: &mut Buf, first: usize, d: usize) -> Result<()> {
        let (limbs, polys) = (self.b(d).limbs(), buf.limbs() / self.b(d).limbs());
        self.ctx.backend().copy(buf.view_mut(polys).poly(first / limbs), self.b(d))?;
        self.ctx.expand_into(buf, first + limbs, &self.seed, d as u32, &self.ctx.params().matrix_basis())
    }

    pub(crate) fn in_memory_form(&self, memory: KeyMemory) -> Result<Self> {
        if memory == self.memory || self.count == 0 {
            return Ok(Self { memory, ..self.clone() });
        }
        let limbs = self.b(0).limbs();
        let mut buf = self.ctx.alloc(memory.polys() * self.count * limbs)?;
        for d in 0..self.count {
            match memory {
                KeyMemory::Expanded => self.expand_into(&mut buf, 2 * d * limbs, d)?,
                KeyMemory::Compressed => self.ctx.backend().copy(buf.view_mut(self.count).poly(d), self.b(d))?,
            }
        }
        Ok(Self { memory, buf: Arc::new(buf), ..self.clone() })
    }
}

impl<P: SchemeParameters> fmt::Debug for MatrixKeys<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}MatrixKeys({} diagonals, {:?})", P::PREFIX, self.count, self.memory)
    }
}
