//! Exact products modulo q < 2^50 with 52-bit multiply-adds (IFMA): one 104-bit Montgomery step
//! whose result is canonical.
//!
//! Proofs of the ranges: `docs/proofs/cpu-kernels.md`. In short, for `V < 2^104 - 2^52 * q` and
//! `c = V * q^-1 mod 2^104 = c1 * 2^52 + c0`, the number `floor((c1 + 1) * q / 2^52)` is exactly
//! `-V * 2^-104 mod q`, in `[0, q)`. Constants are multiplied by -2^104 beforehand. So a whole
//! scalar product costs two multiply-adds for each term and six operations, and a product with one
//! constant costs three operations. If no factor of a sum includes -2^104, each of the two words of
//! the sum is multiplied by a constant: seven operations.

use std::arch::x86_64::*;

use ringjet_math::Modulus;

pub use crate::kernels::lanes::vectors::{load, store, write};

/// Number of products of two residues that may be summed before one reduction: 12 * (2^50)^2 + 2^52
/// * 2^50 = 2^104.
pub const TERMS: usize = 12;

const LOW: u128 = (1 << 52) - 1;

/// Constants of one prime below 2^50.
#[derive(Debug, Clone, Copy)]
pub struct Reducer {
    q: u64,
    /// `q^-1 mod 2^104`, in words of 52 bits.
    inverse: [u64; 2],
    /// The constant 1 in the form of factors of sums.
    back: Multiple,
    /// `-2^104 mod q`.
    factor: u64,
}

/// A constant w prepared for [`Lanes::mul`]: `(w * (-2^104) mod q) * q^-1 mod 2^104`, low word
/// first.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct Constant(pub [u64; 2]);

/// A constant w prepared for [`Lanes::reduce_times`]: w and `2^52 * w`, for the two words of a sum.
#[derive(Debug, Clone, Copy)]
pub struct Multiple([Constant; 2]);

fn words(x: u128) -> [u64; 2] {
    [(x & LOW) as u64, ((x >> 52) & LOW) as u64]
}

/// `q^-1 mod 2^104` of an odd q, by Newton's iteration.
fn inverse(q: u64) -> u128 {
    let q = u128::from(q);
    let mut x = q; // correct in the lowest 3 bits; each step doubles their number
    for _ in 0..6 {
        x = x.wrapping_mul(2u128.wrapping_sub(q.wrapping_mul(x)));
    }
    x & (LOW << 52 | LOW)
}

impl Reducer {
    /// The constants of `m`, whose prime must be below 2^50.
    pub fn new(m: &Modulus) -> Self {
        assert!(m.value() < 1 << 50);
        let q = m.value();
        let factor = m.neg(m.reduce_u128(1 << 104));
        let inverse = inverse(q);
        let constant = |w| Constant(words(u128::from(m.mul(w, factor)).wrapping_mul(inverse)));
        Self { q, inverse: words(inverse), back: Multiple([1, m.reduce(1 << 52)].map(constant)), factor }
    }

    /// The prime q.
    pub fn q(&self) -> u64 {
        self.q
    }

    /// Prepares the constant `w` for [`Lanes::mul`].
    pub fn constant(&self, m: &Modulus, w: u64) -> Constant {
        let inverse = u128::from(self.inverse[1]) << 52 | u128::from(self.inverse[0]);
        Constant(words(u128::from(self.scaled(m, w)).wrapping_mul(inverse)))
    }

    /// Prepares the constant `w` for [`Lanes::reduce_times`].
    pub fn multiple(&self, m: &Modulus, w: u64) -> Multiple {
        Multiple([w, m.mul(w, m.reduce(1 << 52))].map(|w| self.constant(m, w)))
    }

    /// `-2^104 * w mod q`: the constant w as a factor of a scalar product.
    pub fn scaled(&self, m: &Modulus, w: u64) -> u64 {
        m.mul(w, self.factor)
    }

    /// The same constants in vectors.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn lanes(&self) -> Lanes {
        let all = |x: u64| _mm512_set1_epi64(x as i64);
        Lanes {
            q: all(self.q),
            inverse: [all(self.inverse[0]), all(self.inverse[1])],
            back: splat_multiple(self.back),
            one: all(1),
            two: all(2),
        }
    }
}

/// The constants of a [`Reducer`] in vectors.
#[derive(Clone, Copy)]
pub struct Lanes {
    /// The prime q in all lanes.
    pub q: __m512i,
    inverse: [__m512i; 2],
    back: [[__m512i; 2]; 2],
    one: __m512i,
    two: __m512i,
}

/// An unreduced sum `hi * 2^52 + lo` in each lane.
#[derive(Clone, Copy)]
pub struct Sum {
    lo: __m512i,
    hi: __m512i,
}

impl Sum {
    /// The sum 0.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn zero() -> Self {
        Self { lo: _mm512_setzero_si512(), hi: _mm512_setzero_si512() }
    }

    /// The sum with these words, low word first.
    #[inline]
    pub fn of([lo, hi]: [__m512i; 2]) -> Self {
        Self { lo, hi }
    }

    /// The words of the sum, low word first.
    #[inline]
    pub fn words(self) -> [__m512i; 2] {
        [self.lo, self.hi]
    }

    /// Adds `a * b`, in two operations. Both factors must be below 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn add(&mut self, a: __m512i, b: __m512i) {
        self.lo = _mm512_madd52lo_epu64(self.lo, a, b);
        self.hi = _mm512_madd52hi_epu64(self.hi, a, b);
    }
}

impl Lanes {
    /// `-V * 2^-104 mod q`, canonical, where V is a sum of at most [`TERMS`] products of residues:
    /// six operations.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn reduce(&self, v: Sum) -> __m512i {
        self.reduce_words(v.lo, _mm512_add_epi64(v.hi, _mm512_srli_epi64::<52>(v.lo)))
    }

    /// `-V * 2^-104 mod q`, canonical, where V has the words `lo` (of which the lowest 52 bits
    /// count) and `hi`, and lies below `2^104 - 2^52 * q`: four operations.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn reduce_words(&self, lo: __m512i, hi: __m512i) -> __m512i {
        let c = _mm512_madd52hi_epu64(self.one, lo, self.inverse[0]);
        let d = _mm512_madd52lo_epu64(c, lo, self.inverse[1]);
        let c = _mm512_madd52lo_epu64(d, hi, self.inverse[0]);
        _mm512_madd52hi_epu64(_mm512_setzero_si512(), c, self.q)
    }

    /// A number congruent to `V * 2^-52` modulo q, where V has the words `lo` (of which the lowest
    /// 52 bits count) and `hi`. The result is above `hi - q` and at most `hi`. Three operations.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn reduce_half(&self, lo: __m512i, hi: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let multiple = _mm512_madd52lo_epu64(zero, lo, self.inverse[0]);
        _mm512_sub_epi64(hi, _mm512_madd52hi_epu64(zero, multiple, self.q))
    }

    /// `plus + (V mod q)`, below `plus + q`, where V is a sum of at most [`TERMS`] products of
    /// residues: seven operations.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn reduce_back(&self, plus: __m512i, v: Sum) -> __m512i {
        self.reduce_times(plus, v, self.back)
    }

    /// `plus + (V * w mod q)` for a constant w prepared as a [`Multiple`], otherwise as
    /// [`Lanes::reduce_back`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn reduce_times(&self, plus: __m512i, v: Sum, w: [[__m512i; 2]; 2]) -> __m512i {
        let hi = _mm512_add_epi64(v.hi, _mm512_srli_epi64::<52>(v.lo));
        let u = _mm512_madd52hi_epu64(self.two, v.lo, w[0][0]);
        let u = _mm512_madd52lo_epu64(u, v.lo, w[0][1]);
        let u = _mm512_madd52hi_epu64(u, hi, w[1][0]);
        let u = _mm512_madd52lo_epu64(u, hi, w[1][1]);
        _mm512_madd52hi_epu64(plus, u, self.q)
    }

    /// `plus + (x * w mod q)` for the constant w, below `plus + q`. `x` must be below 2^52. Three
    /// operations.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn mul(&self, plus: __m512i, x: __m512i, w: [__m512i; 2]) -> __m512i {
        let u = _mm512_madd52hi_epu64(self.one, x, w[0]);
        let u = _mm512_madd52lo_epu64(u, x, w[1]);
        _mm512_madd52hi_epu64(plus, u, self.q)
    }

    /// `x mod q` for x below 2q: two operations.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn correct(&self, x: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.q))
    }
}

/// Adds the fractions of a base conversion.
#[derive(Clone, Copy)]
pub struct Fraction {
    ratio: __m512i,
    shift: __m128i,
}

impl Fraction {
    /// For the residues of a prime of `bits` bits, at most 52.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn new(bits: u32, ratio: u64) -> Self {
        Self { ratio: _mm512_set1_epi64(ratio as i64), shift: _mm_cvtsi64_si128(i64::from(52 - bits)) }
    }

    /// `sum + floor(norm(y) * ratio / 2^52)`: two operations.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub fn add(&self, sum: __m512i, y: __m512i) -> __m512i {
        _mm512_madd52hi_epu64(sum, _mm512_sll_epi64(y, self.shift), self.ratio)
    }
}

/// A prepared constant in vectors.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn splat(w: Constant) -> [__m512i; 2] {
    [_mm512_set1_epi64(w.0[0] as i64), _mm512_set1_epi64(w.0[1] as i64)]
}

/// A constant factor of sums in vectors.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn splat_multiple(w: Multiple) -> [[__m512i; 2]; 2] {
    [splat(w.0[0]), splat(w.0[1])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::path::Path;
    use ringjet_math::prime::ntt_primes;

    #[target_feature(enable = "avx512f,avx512ifma")]
    fn sum(r: &Reducer, a: u64, b: u64, terms: usize) -> u64 {
        let mut v = Sum::zero();
        for _ in 0..terms {
            v.add(_mm512_set1_epi64(a as i64), _mm512_set1_epi64(b as i64));
        }
        let mut out = [0; 8];
        // SAFETY: eight words.
        unsafe { store(&mut out, 0, r.lanes().reduce_back(_mm512_setzero_si512(), v)) };
        out[0]
    }

    /// Checks that the bound of `docs/proofs/cpu-kernels.md` is reached.
    #[test]
    fn twelve_of_the_largest_products_are_reduced_exactly() {
        if Path::best() != Path::Ifma {
            return;
        }
        for bits in [14, 20, 30, 40, 49, 50] {
            for q in ntt_primes(8, bits, 3, &[]).unwrap() {
                let m = Modulus::new(q).unwrap();
                let r = Reducer::new(&m);
                for (a, b) in [((1 << 50) - 1, q - 1), (q - 1, q - 1), (0, 0), (1, 1), (q, q - 1), ((1 << 50) - 1, 1)] {
                    for terms in [1, 2, 11, TERMS] {
                        let want = m.reduce_u128(terms as u128 * u128::from(a) * u128::from(b));
                        // SAFETY: this path exists only where the processor has IFMA.
                        assert_eq!(unsafe { sum(&r, a, b, terms) }, want, "{q}: {terms} {a} {b}");
                    }
                }
            }
        }
    }
}
