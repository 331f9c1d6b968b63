//! Conversions between big integers and residues, and polynomials with big coefficients.

use std::sync::Arc;

use ringjet_backend::plan::{CrtJoinPlan, CrtSplitPlan};
use ringjet_backend::{BigTerm, Buf, Coeff, View};
use ringjet_math::big::{WORD_BITS, top_mask, words};
use ringjet_math::embed::Coefficients;

use super::params::Context;
use crate::Result;
use crate::rlwe::cached;
use crate::rng::{PublicSeed, stream_id, uniform_words};

/// Bits of the stored coefficients of secrets and errors: one word each.
pub(super) const SMALL_BITS: u32 = 8;

/// `src` as a term with factor 1 of a linear combination.
pub(crate) fn plus(src: View<'_>, bits: u32) -> BigTerm<'_> {
    BigTerm { factor: 1, src, bits }
}

impl Context {
    /// Converts integers modulo `2^bits` to residues of `primes` primes. Made at the first call.
    pub fn split(&self, primes: usize, bits: u32) -> Arc<CrtSplitPlan> {
        let make = || CrtSplitPlan::new(&self.params().basis().prefix(primes), bits);
        cached(&self.params().0.splits, (primes, bits), make)
    }

    /// Converts residues of `primes` primes to integers modulo `2^bits`. Made at the first call.
    pub fn join(&self, primes: usize, bits: u32) -> Arc<CrtJoinPlan> {
        let make = || CrtJoinPlan::new(&self.params().basis().prefix(primes), bits);
        cached(&self.params().0.joins, (primes, bits), make)
    }

    /// Memory for `polys` polynomials of integers modulo `2^bits`; contents unspecified.
    pub(crate) fn alloc_big(&self, polys: usize, bits: u32) -> Result<Buf> {
        self.alloc(polys * words(bits))
    }

    /// A polynomial of integers modulo `2^`[`SMALL_BITS`]. The buffer is wiped when dropped.
    pub(super) fn small_poly(&self, coefficients: &[i8]) -> Result<Buf> {
        let mut buf = self.alloc(1)?.into_secret();
        let fill = |_: usize, _: usize, limb: &mut [u64]| {
            limb.iter_mut().zip(coefficients).for_each(|(o, &c)| *o = u64::from(c as u8));
        };
        self.upload_each(&mut buf, 0, 1, fill)?;
        Ok(buf)
    }

    /// A polynomial of integers modulo `2^bits`. The coefficients must fit into `bits` bits.
    pub(super) fn integer_poly(&self, coefficients: &Coefficients, bits: u32) -> Result<Buf> {
        match coefficients {
            Coefficients::I64(c) => self.words_poly(c, bits),
            Coefficients::I128(c) => self.words_poly(c, bits),
        }
    }

    /// As [`Self::integer_poly`], from a slice of one integer type.
    pub(super) fn words_poly<T: Copy + Into<i128> + Sync>(&self, coefficients: &[T], bits: u32) -> Result<Buf> {
        let mut buf = self.alloc_big(1, bits)?;
        let fill = |_: usize, k: usize, limb: &mut [u64]| {
            let mask = top_mask(if k + 1 == words(bits) { bits } else { WORD_BITS });
            let shift = (k as u32 * WORD_BITS).min(127);
            limb.iter_mut().zip(coefficients).for_each(|(o, &c)| *o = (c.into() >> shift) as u64 & mask);
        };
        self.upload_each(&mut buf, 0, words(bits), fill)?;
        Ok(buf)
    }

    /// Expands `seed` to a uniform polynomial modulo `2^bits`, in limbs `first..` of `buf`. It
    /// equals the polynomial for any larger power of two, reduced. Limbs are expanded in parallel.
    pub(crate) fn expand_into(&self, buf: &mut Buf, first: usize, seed: &PublicSeed, bits: u32) -> Result<()> {
        let (backend, count) = (self.backend(), words(bits));
        let fill = |_: usize, k: usize, limb: &mut [u64]| {
            let width = if k + 1 == count { top_mask(bits).count_ones() } else { WORD_BITS };
            backend.fill_uniform(&uniform_words(seed, stream_id(0, k as u32), width), limb);
        };
        self.upload_each(buf, first, count, fill)
    }

    /// `sum of factor * source` modulo `2^bits`.
    pub(crate) fn combine(&self, polys: usize, terms: &[BigTerm<'_>], bits: u32) -> Result<Buf> {
        let mut buf = self.alloc_big(polys, bits)?;
        self.backend().big_lincomb(buf.view_mut(polys), terms, bits, false)?;
        Ok(buf)
    }

    /// Integers modulo `2^bits` as residues modulo the first `primes` primes, in the evaluation
    /// domain. Residues of a secret are wiped when dropped.
    pub(crate) fn residues(&self, src: View<'_>, bits: u32, primes: usize) -> Result<Buf> {
        let (polys, split) = (src.polys(), self.split(primes, bits));
        let buf = self.alloc(polys * primes)?;
        let mut buf = if src.is_secret() { buf.into_secret() } else { buf };
        self.backend().crt_split(buf.view_mut(polys), src, &split)?;
        self.backend().ntt(buf.view_mut(polys), &split.crt.basis)?;
        Ok(buf)
    }

    /// `-public * secret + 2^shift * plus` modulo `2^bits`, for each polynomial of `public`, which
    /// is modulo `2^bits`. `secret` and `plus` have few bits and are residues in the evaluation
    /// domain. These are the steps of `Backend::big_mul`, but every buffer that depends on the
    /// secret is wiped.
    pub(super) fn masked(&self, public: View<'_>, bits: u32, secret: &Buf, plus: Option<(u32, &Buf)>) -> Result<Buf> {
        let (b, polys, primes) = (self.backend(), public.polys(), secret.limbs());
        let split = self.split(primes, bits);
        let basis = &split.crt.basis;
        let public = self.residues(public, bits, primes)?;
        let mut product = self.alloc(polys * primes)?.into_secret();
        b.mul(product.view_mut(polys), public.view(polys), secret.view(1), basis, false)?;
        let mut sum = self.alloc(polys * primes)?.into_secret();
        let powers = |shift: u32| basis.primes().iter().map(move |p| p.modulus().pow(2, u64::from(shift)));
        let powers: Option<Vec<u64>> = plus.map(|(shift, _)| powers(shift).collect());
        let mut terms = vec![(Coeff::MinusOne, product.view(polys))];
        if let (Some((_, plus)), Some(powers)) = (plus, &powers) {
            terms.push((Coeff::PerLimb(powers), plus.view(1)));
        }
        b.lincomb(sum.view_mut(polys), &terms, basis, false)?;
        b.intt(sum.view_mut(polys), basis)?;
        let mut out = self.alloc_big(polys, bits)?.into_secret();
        b.crt_join(out.view_mut(polys), sum.view(polys), &self.join(primes, bits))?;
        Ok(out)
    }
}
