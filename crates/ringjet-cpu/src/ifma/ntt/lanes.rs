//! Fractions and butterflies, of eight words at a time.

use std::arch::x86_64::*;

use super::tables::{PAIRS, Pair};
use crate::ifma::arith::{Constant, load, splat};

/// Constants in vectors, and what is computed with them. Bounds are of values; every product is below q. On processors where
/// multiplications are `SCARCE`, one of them gives way to two additions ([`Lanes::both`]).
#[derive(Clone, Copy)]
pub(super) struct Lanes<const SCARCE: bool> {
    q: __m512i,
    two_q: __m512i,
    two: __m512i,
    four: __m512i,
    one: [__m512i; 2],
}

/// A constant in vectors.
pub(super) type Factor = [__m512i; 2];

/// [`Lanes`] of one balance or the other.
#[derive(Clone, Copy)]
pub(super) enum Balanced {
    Scarce(Lanes<true>),
    Ample(Lanes<false>),
}

/// `$body` with the [`Lanes`] that `$k` holds, under the same name.
macro_rules! balanced {
    ($k:ident => $body:expr) => {
        match $k {
            Balanced::Scarce($k) => $body,
            Balanced::Ample($k) => $body,
        }
    };
}
pub(super) use balanced;

impl<const SCARCE: bool> Lanes<SCARCE> {
    /// Of the prime `q`, with the constant 1 of its fractions.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(q: __m512i, one: Constant) -> Self {
        let all = |x: u64| _mm512_set1_epi64(x as i64);
        Self { q, two_q: _mm512_add_epi64(q, q), two: all(2), four: all(4), one: splat(one) }
    }

    /// `u + w y` as a fraction: y below 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn fraction(&self, u: __m512i, y: __m512i, w: Factor) -> __m512i {
        _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(u, y, w[0]), y, w[1])
    }

    /// `w y` as a fraction with the offset that one or two products need.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn product(&self, y: __m512i, w: Factor) -> __m512i {
        self.fraction(self.two, y, w)
    }

    /// `x + t`, t the residue of the fraction u.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus(&self, x: __m512i, u: __m512i) -> __m512i {
        _mm512_madd52hi_epu64(x, u, self.q)
    }

    /// `(x + t, x - t)` modulo q, t the residue of the fraction u, each at most `x + q`: two multiplications and a subtraction, or
    /// one multiplication and three additions, of which two need not wait for it: `x - t + q = (2 x + q) - (x + t)`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn both(&self, x: __m512i, u: __m512i) -> (__m512i, __m512i) {
        if SCARCE {
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

    /// `w y mod q`; y below 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn mul(&self, y: __m512i, w: Factor) -> __m512i {
        self.residue(self.product(y, w))
    }

    /// From below 4q to below 2q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn below_2q(&self, x: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.two_q))
    }

    /// `(x + w y, x - w y)`, each at most x + q; y below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn butterfly(&self, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
        self.both(x, self.product(y, w))
    }

    /// `(v x + w y, v x - w y)` below q; x, y below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn butterfly_scaled(&self, x: __m512i, y: __m512i, [v, w]: [Factor; 2]) -> (__m512i, __m512i) {
        let u = self.product(x, v);
        let t = self.fraction(_mm512_setzero_si512(), y, w);
        (self.residue(_mm512_add_epi64(u, t)), self.residue(_mm512_sub_epi64(u, t)))
    }

    /// Two levels, results at most x + 2q: `x[1..]` below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn forward4(&self, x: [__m512i; 4], w: &[Factor; 5]) -> [__m512i; 4] {
        let (a, b) = self.butterfly(x[0], x[2], w[0]);
        let s = self.fraction(self.product(x[1], w[1]), x[3], w[2]);
        let e = self.fraction(self.product(x[1], w[3]), x[3], w[4]);
        let ((a, c), (b, d)) = (self.both(a, s), self.both(b, e));
        [a, c, b, d]
    }

    /// The first two of three levels.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn forward8_top(&self, v: &mut [__m512i; 8], w: &[Factor; 5]) {
        [v[0], v[2], v[4], v[6]] = self.forward4([v[0], v[2], v[4], v[6]], w);
        [v[1], v[3], v[5], v[7]] = self.forward4([v[1], v[3], v[5], v[7]], w);
    }

    /// Three levels: below 4q in and out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn forward8(&self, v: &mut [__m512i; 8], top: &[Factor; 5], low: &[Factor; 4]) {
        v[0] = self.mul(v[0], self.one);
        v[1] = self.below_2q(v[1]);
        self.forward8_top(v, top);
        for i in 0..4 {
            (v[2 * i], v[2 * i + 1]) = self.butterfly(v[2 * i], v[2 * i + 1], low[i]);
        }
    }

    /// Three levels: below 4q in and below q out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn forward8_last(&self, v: &mut [__m512i; 8], top: &[Factor; 5], low: &[Factor; 4]) {
        v[0] = self.below_2q(v[0]);
        v[1] = self.below_2q(v[1]);
        self.forward8_top(v, top);
        for i in 0..4 {
            (v[2 * i], v[2 * i + 1]) = self.butterfly_scaled(v[2 * i], v[2 * i + 1], [self.one, low[i]]);
        }
    }

    /// `theta^j` and its product with the constant of the node that all eight words belong to.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn theta(&self, pairs: &[Pair; PAIRS], j: usize) -> [Factor; 2] {
        if j == 0 { [self.one, pair(&pairs[0])] } else { [pair(&pairs[6 + j]), pair(&pairs[13 + j])] }
    }

    /// Three levels with a constant for each node, of theta times what is there, where `top` are theta and its product with the first
    /// node's constant and `w` are those of the others: below 4q in, below 3q out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn forward8_levels(&self, v: &mut [__m512i; 8], top: [Factor; 2], w: &[Factor; 6]) {
        for i in 0..4 {
            (v[i], v[i + 4]) = self.butterfly_scaled(v[i], v[i + 4], top);
        }
        for (i, w) in [(0, w[0]), (1, w[0]), (4, w[1]), (5, w[1])] {
            (v[i], v[i + 2]) = self.butterfly(v[i], v[i + 2], w);
        }
        for i in 0..4 {
            (v[2 * i], v[2 * i + 1]) = self.butterfly(v[2 * i], v[2 * i + 1], w[2 + i]);
        }
    }

    /// `x - y + bound` for y at most `bound`, a multiple of q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn difference(&self, x: __m512i, y: __m512i, bound: __m512i) -> __m512i {
        _mm512_sub_epi64(_mm512_add_epi64(x, bound), y)
    }

    /// `(x + y, w (x - y))` for y at most `bound`; the second as a fraction.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse_butterfly(&self, x: __m512i, y: __m512i, bound: __m512i, w: Factor) -> (__m512i, __m512i) {
        (_mm512_add_epi64(x, y), self.product(self.difference(x, y, bound), w))
    }

    /// `(x + t, w (x - t))` for the residue t of the fraction u, the first below x + q; the second as a fraction.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse_butterfly_fraction(&self, x: __m512i, u: __m512i, w: Factor) -> (__m512i, __m512i) {
        let (sum, difference) = self.both(x, u);
        (sum, self.product(difference, w))
    }

    /// The fraction u as it is wanted.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn out<const FRACTION: bool>(&self, u: __m512i) -> __m512i {
        if FRACTION { u } else { self.residue(u) }
    }

    /// Two levels: `x[0]`, `x[2]` below q, `x[1]`, `x[3]` fractions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse4<const FRACTION: bool>(&self, x: [__m512i; 4], w: &[Factor; 7]) -> [__m512i; 4] {
        let (s, d) = self.both(x[0], x[1]);
        let (r, e) = self.both(x[2], x[3]);
        [
            self.out::<FRACTION>(self.product(_mm512_add_epi64(s, r), w[0])),
            self.out::<FRACTION>(self.fraction(self.product(d, w[3]), e, w[4])),
            self.out::<FRACTION>(self.product(self.difference(s, r, self.two_q), w[1])),
            self.out::<FRACTION>(self.fraction(self.product(d, w[5]), e, w[6])),
        ]
    }

    /// Two levels: x below 2q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse4_sums<const FRACTION: bool>(&self, x: [__m512i; 4], w: &[Factor; 7]) -> [__m512i; 4] {
        let (s, r) = (_mm512_add_epi64(x[0], x[1]), _mm512_add_epi64(x[2], x[3]));
        let (d, e) = (self.difference(x[0], x[1], self.two_q), self.difference(x[2], x[3], self.two_q));
        [
            self.out::<FRACTION>(self.fraction(self.product(s, w[0]), r, w[0])),
            self.out::<FRACTION>(self.fraction(self.product(d, w[3]), e, w[4])),
            self.out::<FRACTION>(self.fraction(self.product(s, w[1]), r, w[2])),
            self.out::<FRACTION>(self.fraction(self.product(d, w[5]), e, w[6])),
        ]
    }

    /// The first of three levels: below q in; even ones below 2q and odd ones fractions out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_first(&self, v: &mut [__m512i; 8], low: &[Factor; 4]) {
        for i in 0..4 {
            (v[2 * i], v[2 * i + 1]) = self.inverse_butterfly(v[2 * i], v[2 * i + 1], self.q, low[i]);
        }
    }

    /// The first of three levels: even ones below q and odd ones fractions in; even ones below 2q and odd ones fractions out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_low(&self, v: &mut [__m512i; 8], low: &[Factor; 4]) {
        for i in 0..4 {
            (v[2 * i], v[2 * i + 1]) = self.inverse_butterfly_fraction(v[2 * i], v[2 * i + 1], low[i]);
        }
    }

    /// The other two of three levels.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_top<const FRACTION: bool>(&self, v: &mut [__m512i; 8], top: &[Factor; 7]) {
        [v[0], v[2], v[4], v[6]] = self.inverse4_sums::<FRACTION>([v[0], v[2], v[4], v[6]], top);
        let (a, b) = (self.residue(v[1]), self.residue(v[5]));
        [v[1], v[3], v[5], v[7]] = self.inverse4::<FRACTION>([a, v[3], b, v[7]], top);
    }

    /// Three levels with a constant for each node, times theta, where `top` are theta and its product with the last node's constant and
    /// `w` are those of the others: even ones below q and odd ones fractions in, fractions out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_levels(&self, v: &mut [__m512i; 8], top: [Factor; 2], w: &[Factor; 6]) {
        self.inverse8_low(v, &[w[2], w[3], w[4], w[5]]);
        for (i, w) in [(0, w[0]), (4, w[1])] {
            (v[i], v[i + 2]) = self.inverse_butterfly(v[i], v[i + 2], self.two_q, w);
            (v[i + 1], v[i + 3]) = self.inverse_butterfly_fraction(self.residue(v[i + 1]), v[i + 3], w);
            v[i] = self.below_2q(v[i]);
            v[i + 2] = self.residue(v[i + 2]);
            v[i + 3] = self.residue(v[i + 3]);
        }
        for i in 0..4 {
            let (x, y) = (v[i], v[i + 4]);
            v[i] = self.product(_mm512_add_epi64(x, y), top[0]);
            v[i + 4] = self.product(self.difference(x, y, self.two_q), top[1]);
        }
    }
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
