//! Exact products modulo q < 2^61 with 32-bit multiplications: Montgomery's method with R = 2^62 on
//! words of 31 bits.
//!
//! A factor below 2^61 (or 2^62) is split into two words of 31 bits. The partial sums of four
//! products then fit 64 bits. Proofs of the ranges: `docs/proofs/cpu-kernels.md`. Constants are
//! multiplied by 2^62 beforehand.

use std::arch::x86_64::*;

use ringjet_math::Modulus;

/// Number of products that may be summed before one reduction: 12 * (2^61 * q) / 2^62 = 6 * q.
pub const TERMS: usize = 12;

const LOW: i64 = (1 << 31) - 1;

/// Constants of one prime q.
#[derive(Debug, Clone, Copy)]
pub struct Reducer {
    q: u64,
    /// `q^-1 mod 2^62`.
    inverse: u64,
    /// `2^124 mod q`, which cancels the factor 2^-62 of a reduction.
    back: u64,
    /// `2^62 mod q`.
    factor: u64,
}

/// `w * 2^62 mod q`: a constant w prepared for [`Lanes::mul`].
#[derive(Debug, Clone, Copy)]
pub struct Constant(u64);

/// A constant prepared for [`Lanes::reduce_times`].
pub type Multiple = Constant;

impl Reducer {
    /// The constants of `m`.
    pub fn new(m: &Modulus) -> Self {
        let q = m.value();
        let mut inverse = q; // correct in the lowest 3 bits; each step doubles their number
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(q.wrapping_mul(inverse)));
        }
        Self { q, inverse: inverse & (u64::MAX >> 2), back: m.reduce_u128(1 << 124), factor: m.reduce_u128(1 << 62) }
    }

    /// Prepares the constant `w` for [`Lanes::mul`].
    pub fn constant(&self, m: &Modulus, w: u64) -> Constant {
        Constant(self.scaled(m, w))
    }

    /// Prepares the constant `w` for [`Lanes::reduce_times`].
    pub fn multiple(&self, m: &Modulus, w: u64) -> Multiple {
        self.constant(m, self.scaled(m, w))
    }

    /// `2^62 * w mod q`: the constant w as a factor of a scalar product.
    pub fn scaled(&self, m: &Modulus, w: u64) -> u64 {
        m.mul(w, self.factor)
    }

    /// The same constants in vectors.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn lanes(&self) -> Lanes {
        let all = |x: u64| _mm512_set1_epi64(x as i64);
        Lanes { q: all(self.q), inverse: all(self.inverse), back: all(self.back) }
    }
}

/// The constants of a [`Reducer`] in vectors.
#[derive(Clone, Copy)]
pub struct Lanes {
    /// The prime q in all lanes.
    pub q: __m512i,
    inverse: __m512i,
    back: __m512i,
}

/// The two words of 31 bits of a number: low word, high word.
#[inline]
#[target_feature(enable = "avx512f")]
fn split(x: __m512i) -> (__m512i, __m512i) {
    (_mm512_and_si512(x, _mm512_set1_epi64(LOW)), _mm512_srli_epi64::<31>(x))
}

/// A constant w < q, `floor(w * 2^64 / q)`, and the upper half of that, in vectors.
pub type Factor = [__m512i; 3];

/// Prepares the constant `w`, whose Shoup companion is `companion`, for [`shoup`].
#[inline]
#[target_feature(enable = "avx512f")]
pub fn factor(w: u64, companion: u64) -> Factor {
    [w, companion, companion >> 32].map(|x| _mm512_set1_epi64(x as i64))
}

/// A number in [0, 4q) congruent to `w * x` modulo q, for any x, by Shoup's method without the
/// lowest partial product of the quotient (Jung et al., "HEAAN Demystified", Section V-B): 15
/// operations, where a 64-bit product counts as three.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub fn shoup(q: __m512i, x: __m512i, [w, companion, upper]: Factor) -> __m512i {
    let x1 = _mm512_srli_epi64::<32>(x);
    let middle = _mm512_srli_epi64::<32>(_mm512_mul_epu32(x1, companion));
    let other = _mm512_srli_epi64::<32>(_mm512_mul_epu32(x, upper));
    let quotient = _mm512_add_epi64(_mm512_mul_epu32(x1, upper), _mm512_add_epi64(middle, other));
    _mm512_sub_epi64(_mm512_mullo_epi64(x, w), _mm512_mullo_epi64(quotient, q))
}

/// An unreduced sum `hh * 2^62 + mid * 2^31 + ll` in each lane.
#[derive(Clone, Copy)]
pub struct Sum {
    ll: __m512i,
    mid: __m512i,
    hh: __m512i,
    /// Number of products since the last carry.
    products: u32,
}

impl Sum {
    /// The sum 0.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn zero() -> Self {
        let zero = _mm512_setzero_si512();
        Self { ll: zero, mid: zero, hh: zero, products: 0 }
    }

    /// Adds `a * b`; both factors must be below 2^61.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn add(&mut self, a: __m512i, b: __m512i) {
        if self.products == 4 {
            self.carry();
        }
        self.products += 1;
        let ((a0, a1), (b0, b1)) = (split(a), split(b));
        self.ll = _mm512_add_epi64(self.ll, _mm512_mul_epu32(a0, b0));
        self.mid = _mm512_add_epi64(self.mid, _mm512_mul_epu32(a0, b1));
        self.mid = _mm512_add_epi64(self.mid, _mm512_mul_epu32(a1, b0));
        self.hh = _mm512_add_epi64(self.hh, _mm512_mul_epu32(a1, b1));
    }

    /// Reduces `ll` and `mid` below 2^31 by carries.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn carry(&mut self) {
        let (ll, up) = split(self.ll);
        let (mid, over) = split(_mm512_add_epi64(self.mid, up));
        *self = Self { ll, mid, hh: _mm512_add_epi64(self.hh, over), products: 0 };
    }
}

impl Lanes {
    /// `V * 2^-62 mod q`, canonical, where V is a sum of at most [`TERMS`] products of a number
    /// below 2^61 and a residue.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn reduce(&self, mut v: Sum) -> __m512i {
        v.carry();
        let low = _mm512_or_si512(_mm512_slli_epi64::<31>(v.mid), v.ll);
        // m = V * q^-1 mod 2^62; V - m * q is a multiple of 2^62, and V and m * q have the same
        // lowest 62 bits
        let m = _mm512_and_si512(_mm512_mullo_epi64(low, self.inverse), _mm512_set1_epi64(i64::MAX >> 1));
        let mut product = Sum::zero();
        product.add(m, self.q);
        product.carry();
        // the result is in (0, 7q], below 2^64
        let r = _mm512_sub_epi64(_mm512_add_epi64(v.hh, self.q), product.hh);
        let r = less(r, _mm512_slli_epi64::<2>(self.q));
        let r = less(r, _mm512_slli_epi64::<1>(self.q));
        less(r, self.q)
    }

    /// `V * 2^-62 mod q`, canonical. `low` has the lowest 62 bits of V (bits above them do not
    /// matter), and `high = floor(V / 2^62)` is at most q. 18 operations.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn reduce_words(&self, low: __m512i, high: __m512i) -> __m512i {
        let m = _mm512_and_si512(_mm512_mullo_epi64(low, self.inverse), _mm512_set1_epi64(i64::MAX >> 1));
        let ((m0, m1), (q0, q1)) = (split(m), split(self.q));
        let up = _mm512_srli_epi64::<31>(_mm512_mul_epu32(m0, q0));
        let mid = _mm512_add_epi64(_mm512_mul_epu32(m0, q1), _mm512_mul_epu32(m1, q0));
        let mid = _mm512_srli_epi64::<31>(_mm512_add_epi64(mid, up));
        let product = _mm512_add_epi64(_mm512_mul_epu32(m1, q1), mid);
        // above -q and below q, as V - m * q is a multiple of 2^62 and V / 2^62 < q + 1
        let r = _mm512_sub_epi64(high, product);
        _mm512_min_epu64(r, _mm512_add_epi64(r, self.q))
    }

    /// `w * x mod q`, canonical, for any x: 19 operations.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn mul_shoup(&self, x: __m512i, w: Factor) -> __m512i {
        less(less(shoup(self.q, x, w), _mm512_slli_epi64::<1>(self.q)), self.q)
    }

    /// `plus + (V mod q)`, below `plus + q`, where V is a sum of at most [`TERMS`] products of
    /// residues.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn reduce_back(&self, plus: __m512i, v: Sum) -> __m512i {
        self.reduce_times(plus, v, self.back)
    }

    /// `plus + (V * w mod q)` for a constant w prepared as a [`Multiple`], otherwise as
    /// [`Lanes::reduce_back`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn reduce_times(&self, plus: __m512i, v: Sum, w: __m512i) -> __m512i {
        self.mul(plus, self.reduce(v), w)
    }

    /// `plus + (x * w mod q)` for the constant w, below `plus + q`. `x` must be below 2^61.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub fn mul(&self, plus: __m512i, x: __m512i, w: __m512i) -> __m512i {
        let mut product = Sum::zero();
        product.add(x, w);
        _mm512_add_epi64(plus, self.reduce(product))
    }

    /// `x mod q` for x below 2q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn correct(&self, x: __m512i) -> __m512i {
        less(x, self.q)
    }
}

/// `x - y` if that is not negative, otherwise `x`.
#[inline]
#[target_feature(enable = "avx512f")]
fn less(x: __m512i, y: __m512i) -> __m512i {
    _mm512_min_epu64(x, _mm512_sub_epi64(x, y))
}

/// Adds the fractions of a base conversion.
#[derive(Clone, Copy)]
pub struct Fraction {
    ratio: [__m512i; 2],
    left: __m128i,
    right: __m128i,
}

impl Fraction {
    /// For the residues of a prime of `bits` bits.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn new(bits: u32, ratio: u64) -> Self {
        let shift = |by: u32| _mm_cvtsi64_si128(i64::from(by));
        let low = (1 << 26) - 1;
        let ratio = [_mm512_set1_epi64((ratio & low) as i64), _mm512_set1_epi64((ratio >> 26) as i64)];
        Self { ratio, left: shift(52u32.saturating_sub(bits)), right: shift(bits.saturating_sub(52)) }
    }

    /// `sum + floor(norm(y) * ratio / 2^52)`, computed on words of 26 bits.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn add(&self, sum: __m512i, y: __m512i) -> __m512i {
        let norm = _mm512_srl_epi64(_mm512_sll_epi64(y, self.left), self.right);
        let (n0, n1) = (_mm512_and_si512(norm, _mm512_set1_epi64((1 << 26) - 1)), _mm512_srli_epi64::<26>(norm));
        let [r0, r1] = self.ratio;
        let low = _mm512_srli_epi64::<26>(_mm512_mul_epu32(n0, r0));
        let mid = _mm512_add_epi64(_mm512_mul_epu32(n0, r1), _mm512_mul_epu32(n1, r0));
        let mid = _mm512_srli_epi64::<26>(_mm512_add_epi64(mid, low));
        _mm512_add_epi64(sum, _mm512_add_epi64(mid, _mm512_mul_epu32(n1, r1)))
    }
}

/// A prepared constant in vectors.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn splat(w: Constant) -> __m512i {
    _mm512_set1_epi64(w.0 as i64)
}

pub use splat as splat_multiple;

pub use crate::kernels::lanes::vectors::{load, store, write};
