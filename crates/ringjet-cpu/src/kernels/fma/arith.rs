//! Residues modulo primes below 2^50 in double precision: the formulas of `F64` on the GPU
//! (`crates/ringjet-cuda/kernels/modarith_f64.cuh`), with the same ranges; their proofs are in
//! `docs/proofs/gpu-arithmetic.md`. Two fused multiply-adds give a product and its rounding error; a
//! product with 1/q or w/q gives the quotient. Rounding is to nearest.

use ringjet_math::Modulus;

use super::lanes::Lanes;

const TWO52: f64 = 4503599627370496.0;
/// Added and subtracted it rounds numbers up to 2^51 in size to integers.
const ROUND: f64 = 1.5 * TWO52;
/// The same for numbers up to 2^52 in size and even integers.
const ROUND2: f64 = 2.0 * ROUND;
/// 3 * 2^101: the same for multiples of 2^50.
const SUM: f64 = ROUND * (TWO52 / 4.0);
/// 3 * 2^103: the same for multiples of 2^52.
const WHOLE: f64 = ROUND * TWO52;

/// Most products of a [`Sum`] before [`Field::fold`].
pub const TERMS: usize = 8;

/// Most lazy products in a sum that [`Field::settle`] takes.
pub const LAZY: usize = 7;

/// Constants of a prime.
#[derive(Debug, Clone, Copy)]
pub struct Prime {
    q: f64,
    inverse: f64,
}

/// A factor w, in [-q/2, q/2], with w / q.
#[derive(Debug, Clone, Copy, Default)]
pub struct Constant {
    pub w: f64,
    pub ratio: f64,
}

impl Prime {
    pub fn new(m: &Modulus) -> Self {
        let q = m.value() as f64;
        Self { q, inverse: 1.0 / q }
    }

    /// A power of two up to 2^25, which need not be below q.
    pub fn power(&self, w: u64) -> Constant {
        Constant { w: w as f64, ratio: w as f64 / self.q }
    }

    pub fn constant(&self, m: &Modulus, w: u64) -> Constant {
        let w = m.center(w) as f64;
        Constant { w, ratio: w / self.q }
    }
}

/// A [`Prime`] in vectors.
#[derive(Clone, Copy)]
pub struct Field<V> {
    q: V,
    inverse: V,
}

/// A [`Constant`] in vectors.
#[derive(Clone, Copy)]
pub struct Factor<V> {
    pub w: V,
    pub ratio: V,
}

/// A sum of products: SUM plus a multiple of 2^50, and the rest.
#[derive(Clone, Copy)]
pub struct Sum<V> {
    high: V,
    low: V,
}

impl<V: Lanes> Factor<V> {
    #[inline(always)]
    pub fn splat(c: Constant) -> Self {
        Self { w: V::splat(c.w), ratio: V::splat(c.ratio) }
    }
}

impl<V: Lanes> Sum<V> {
    #[inline(always)]
    pub fn zero() -> Self {
        Self { high: V::splat(SUM), low: V::splat(0.0) }
    }

    /// Adds y w, for |y| <= 2^49 and w in [-q/2, q/2].
    #[inline(always)]
    pub fn add(&mut self, y: V, w: V) {
        let high = y.mul_add(w, self.high);
        self.low = self.low.add(y.mul_add(w, self.high.sub(high)));
        self.high = high;
    }
}

/// A sum of `floor(x * ratio / 2^52)`, for 0 <= x * ratio <= 2^103: as an integer.
#[derive(Clone, Copy)]
pub struct Floors<V>(V);

impl<V: Lanes> Floors<V> {
    #[inline(always)]
    pub fn zero() -> Self {
        Self(V::splat(0.0))
    }

    #[inline(always)]
    pub fn add(&mut self, x: V, ratio: V) {
        let near = x.mul_add(ratio, V::splat(WHOLE));
        let below = x.mul_sub(ratio, near.sub(V::splat(WHOLE))).negative();
        self.0 = self.0.add_bits(near).add_bits(below);
    }

    /// The sum of `terms` floors, divided by `2^BITS` and rounded to the nearest integer.
    #[inline(always)]
    pub fn rounded<const BITS: i32>(self, terms: usize) -> V {
        let offset = (1u64 << (BITS - 1)).wrapping_sub(WHOLE.to_bits().wrapping_mul(terms as u64));
        self.0.add_bits(V::splat(f64::from_bits(offset))).shift_right::<BITS>()
    }
}

/// The number of an integer of at most 2^51 in size.
#[inline(always)]
pub fn of_integer<V: Lanes>(x: V) -> V {
    x.add_bits(V::splat(ROUND)).sub(V::splat(ROUND))
}

/// The number of a word below 2^52.
#[inline(always)]
pub fn encode<V: Lanes>(word: V) -> V {
    word.or(V::splat(TWO52)).sub(V::splat(TWO52))
}

/// The word of an integer from 0 to 2^52.
#[inline(always)]
pub fn decode<V: Lanes>(x: V) -> V {
    x.add(V::splat(TWO52)).and(V::splat(f64::from_bits((1 << 52) - 1)))
}

impl<V: Lanes> Field<V> {
    #[inline(always)]
    pub fn new(p: &Prime) -> Self {
        Self { q: V::splat(p.q), inverse: V::splat(p.inverse) }
    }

    /// |x| <= 2^53. Result at most q/2 + 1 in size.
    #[inline(always)]
    pub fn settle(&self, x: V) -> V {
        let round = V::splat(ROUND);
        x.mul_add(self.inverse, round).sub(round).neg_mul_add(self.q, x)
    }

    /// Maps (-q, q) to [0, q).
    #[inline(always)]
    pub fn unsign(&self, x: V) -> V {
        x.add(x.negative().and(self.q))
    }

    /// |x| <= 2^53. Result in [0, q).
    #[inline(always)]
    pub fn canonical(&self, x: V) -> V {
        self.unsign(self.settle(x))
    }

    /// All bits set where x, in [0, q), is above q/2, none elsewhere: as an integer -1 or 0.
    #[inline(always)]
    pub fn above_half(&self, x: V) -> V {
        self.q.sub(x.add(x)).negative()
    }

    /// Maps [0, q) to [-q/2, q/2].
    #[inline(always)]
    pub fn centre(&self, x: V) -> V {
        x.sub(self.above_half(x).and(self.q))
    }

    /// |a|, |b| <= q. Result at most 25/32 q in size.
    #[inline(always)]
    pub fn mul(&self, a: V, b: V) -> V {
        let round = V::splat(ROUND);
        let high = a.mul(b);
        let low = a.mul_sub(b, high);
        high.mul_add(self.inverse, round).sub(round).neg_mul_add(self.q, high).add(low)
    }

    /// |x| < 2^52. Result at most 5/8 q in size.
    #[inline(always)]
    pub fn mul_const(&self, x: V, w: Factor<V>) -> V {
        let round = V::splat(ROUND);
        let quotient = x.mul_add(w.ratio, round).sub(round);
        let high = x.mul(w.w);
        let low = x.mul_sub(w.w, high);
        quotient.neg_mul_add(self.q, high).add(low)
    }

    /// x w, for |x| <= 2^53 and a power of two w of at most 2^25 with w <= 8 sqrt q. Result at most
    /// q/2 + 2^25 in size: the quotient is wrong by at most |x w / q| 2^-53 before it is rounded.
    #[inline(always)]
    pub fn mul_power(&self, x: V, w: Factor<V>) -> V {
        let round = V::splat(ROUND);
        x.mul_add(w.ratio, round).sub(round).neg_mul_add(self.q, x.mul(w.w))
    }

    /// After at most [`TERMS`] products: the sum, at most q/2 + 1 in size.
    #[inline(always)]
    pub fn total(&self, s: Sum<V>) -> V {
        let round = V::splat(ROUND2);
        let high = s.high.sub(V::splat(SUM));
        let quotient = high.mul_add(self.inverse, round).sub(round);
        self.settle(quotient.neg_mul_add(self.q, high).add(s.low))
    }

    /// Makes room for [`TERMS`] further products.
    #[inline(always)]
    pub fn fold(&self, s: &mut Sum<V>) {
        *s = Sum { low: self.total(*s), ..Sum::zero() };
    }
}
