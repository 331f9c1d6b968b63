//! Arithmetic of residues and fractions of q on vectors of eight words.

use std::arch::asm;
use std::arch::x86_64::*;
use std::array::from_fn;

use super::scheduled::Shared;
use super::tables::{PAIRS, Pair};
use crate::kernels::ifma::arith::{Constant, load, splat};

/// The constants of a prime q in vectors, and arithmetic with them. Bounds are stated for values;
/// every product is below q. `HALF_RATE` is for processors that issue half as many IFMA
/// multiply-adds as additions: there a multiplication is replaced by two additions
/// ([`Lanes::both`]), and two levels are computed one after the other if both at once take more
/// multiplications.
#[derive(Clone, Copy)]
pub(super) struct Lanes<const HALF_RATE: bool> {
    pub(super) q: __m512i,
    pub(super) two_q: __m512i,
    pub(super) four_q: __m512i,
    pub(super) two: __m512i,
    /// The number 2 in even lanes, 0 in odd lanes.
    pub(super) two_even: __m512i,
    pub(super) four: __m512i,
    pub(super) one: Factor,
    pub(super) shared: Shared,
}

/// A constant in vectors.
pub(super) type Factor = [__m512i; 2];

/// Four vectors that go through the same steps.
pub(super) type Four = [__m512i; 4];

/// [`Lanes`] for either rate of IFMA.
#[derive(Clone, Copy)]
pub(super) enum ByRate {
    Half(Lanes<true>),
    Full(Lanes<false>),
}

/// Evaluates `$body` with `$k` bound to the [`Lanes`] that the [`ByRate`] `$k` holds.
macro_rules! by_rate {
    ($k:ident => $body:expr) => {
        match $k {
            ByRate::Half($k) => $body,
            ByRate::Full($k) => $body,
        }
    };
}
pub(super) use by_rate;

impl<const HALF_RATE: bool> Lanes<HALF_RATE> {
    /// The constants of the prime `q`; `one` is the constant 1 in the form of fractions.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(q: u64, one: Constant) -> Self {
        let all = |x: u64| _mm512_set1_epi64(x as i64);
        let shared = [q, 2 * q, 4 * q, 2, one.0[0], one.0[1]];
        let q = all(q);
        let two_q = _mm512_add_epi64(q, q);
        let two_even = _mm512_maskz_set1_epi64(0b0101_0101, 2);
        Self {
            q,
            two_q,
            four_q: _mm512_add_epi64(two_q, two_q),
            two: all(2),
            two_even,
            four: all(4),
            one: splat(one),
            shared,
        }
    }

    /// `u + w * y` as a fraction; y must be below 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn fraction(&self, u: __m512i, y: __m512i, w: Factor) -> __m512i {
        _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(u, y, w[0]), y, w[1])
    }

    /// `w * y` as a fraction with the offset that one or two products need.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn product(&self, y: __m512i, w: Factor) -> __m512i {
        self.fraction(self.two, y, w)
    }

    /// `x + t`, where t is the residue of the fraction u.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus(&self, x: __m512i, u: __m512i) -> __m512i {
        _mm512_madd52hi_epu64(x, u, self.q)
    }

    /// `(x + t, x - t)` modulo q, where t is the residue of the fraction u; each is at most
    /// `x + q`. It takes two multiplications and a subtraction, or, by
    /// `x - t + q = (2 * x + q) - (x + t)`, one multiplication and three additions, of which two do
    /// not depend on the multiplication.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn both(&self, x: __m512i, u: __m512i) -> (__m512i, __m512i) {
        if HALF_RATE {
            let sum = self.plus(x, u);
            (sum, _mm512_sub_epi64(_mm512_add_epi64(x, _mm512_add_epi64(x, self.q)), sum))
        } else {
            (self.plus(x, u), _mm512_madd52hi_epu64(x, _mm512_sub_epi64(self.four, u), self.q))
        }
    }

    /// The residue of the fraction u.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn residue(&self, u: __m512i) -> __m512i {
        self.plus(_mm512_setzero_si512(), u)
    }

    /// `w * y mod q`; y must be below 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn mul(&self, y: __m512i, w: Factor) -> __m512i {
        self.residue(self.product(y, w))
    }

    /// Reduces a number below `2 * bound` to one below `bound`, which must be a multiple of q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn below(&self, x: __m512i, bound: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, bound))
    }

    /// Reduces a number below 4q to one below 2q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn below_2q(&self, x: __m512i) -> __m512i {
        self.below(x, self.two_q)
    }

    /// `(x + w * y, x - w * y)` modulo q, each at most x + q; y must be below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn butterfly(&self, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
        self.both(x, self.product(y, w))
    }

    /// `(v * x + w * y, v * x - w * y)` modulo q for each of four x and y, below q; x and y must be
    /// below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn scaled(&self, x: Four, y: Four, v: Factor, w: [Factor; 4]) -> (Four, Four) {
        let u = self.fractions([self.two; 4], x, [v; 4]);
        let t = self.fractions([_mm512_setzero_si512(); 4], y, w);
        let (sum, difference) =
            keep_order(from_fn(|i| _mm512_add_epi64(u[i], t[i])), from_fn(|i| _mm512_sub_epi64(u[i], t[i])));
        (self.residues(sum), self.residues(difference))
    }

    /// `offset + w * y` as fractions, for each of four.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn fractions(&self, offset: Four, y: Four, w: [Factor; 4]) -> Four {
        let (u, y) = keep_order(from_fn(|i| _mm512_madd52hi_epu64(offset[i], y[i], w[i][0])), y);
        from_fn(|i| _mm512_madd52lo_epu64(u[i], y[i], w[i][1]))
    }

    /// [`Lanes::both`] for each of four.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn both_of(&self, x: Four, u: Four) -> (Four, Four) {
        if !HALF_RATE {
            let both: [_; 4] = from_fn(|i| self.both(x[i], u[i]));
            return (both.map(|b| b.0), both.map(|b| b.1));
        }
        let (x, u) = keep_order(x, u);
        let (x, double) = keep_order(x, from_fn(|i| _mm512_add_epi64(x[i], _mm512_add_epi64(x[i], self.q))));
        let (sum, double) = keep_order(from_fn(|i| self.plus(x[i], u[i])), double);
        (sum, from_fn(|i| _mm512_sub_epi64(double[i], sum[i])))
    }

    /// The pair of `theta^j` times the scale (for j = 0 the scale alone), and its product with the
    /// constant of the node to which all eight words belong.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn theta(&self, scale: Factor, pairs: &[Pair; PAIRS], j: usize) -> [Factor; 2] {
        if j == 0 { [scale, pair(&pairs[0])] } else { [pair(&pairs[6 + j]), pair(&pairs[13 + j])] }
    }

    /// `x - y + bound` for y of at most `bound`, which is a multiple of q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn difference(&self, x: __m512i, y: __m512i, bound: __m512i) -> __m512i {
        _mm512_sub_epi64(_mm512_add_epi64(x, bound), y)
    }

    /// The residues of four fractions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn residues(&self, u: Four) -> Four {
        u.map(|u| self.residue(u))
    }

    /// The residues of `u[0] + u[1]`, `u[2] + u[3]`, `u[0] - u[1]` and `u[2] - u[3]`, where `u[1]`
    /// and `u[3]` are fractions without an offset.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn sums_and_differences(&self, [a, b, c, d]: Four) -> Four {
        let (add, sub) = (|x, y| _mm512_add_epi64(x, y), |x, y| _mm512_sub_epi64(x, y));
        self.residues([add(a, b), add(c, d), sub(a, b), sub(c, d)])
    }
}

/// Returns the same vectors and emits no instruction. It restricts the order that the compiler
/// chooses: all instructions that compute the vectors come before all that use them. So four
/// vectors go through each step together. On a Zen 4 this is faster than the compiler's own order,
/// in which one vector after another goes through all steps.
#[inline]
#[target_feature(enable = "avx512f")]
fn keep_order([mut a, mut b, mut c, mut d]: Four, [mut e, mut f, mut g, mut h]: Four) -> (Four, Four) {
    // SAFETY: the assembly is a comment.
    unsafe {
        asm!(
            "/* {0} {1} {2} {3} {4} {5} {6} {7} */",
            inout(zmm_reg) a, inout(zmm_reg) b, inout(zmm_reg) c, inout(zmm_reg) d,
            inout(zmm_reg) e, inout(zmm_reg) f, inout(zmm_reg) g, inout(zmm_reg) h,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    ([a, b, c, d], [e, f, g, h])
}

#[inline]
#[target_feature(enable = "avx512f")]
fn pair(p: &Pair) -> Factor {
    // SAFETY: eight words each.
    unsafe { [load(&p.0[0], 0), load(&p.0[1], 0)] }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn vectors<const K: usize>(p: &[Pair]) -> [Factor; K] {
    let mut w = [[_mm512_setzero_si512(); 2]; K];
    for (w, p) in w.iter_mut().zip(p) {
        *w = pair(p);
    }
    w
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn splats<const K: usize>(c: &[Constant; K]) -> [Factor; K] {
    let mut w = [[_mm512_setzero_si512(); 2]; K];
    for (w, c) in w.iter_mut().zip(c) {
        *w = splat(*c);
    }
    w
}
