//! Fractions and butterflies, of eight words at a time.

use std::arch::asm;
use std::arch::x86_64::*;
use std::array::from_fn;

use super::scheduled::Shared;
use super::tables::{PAIRS, Pair};
use crate::ifma::arith::{Constant, load, splat};

/// Constants in vectors, and what is computed with them. Bounds are of values; every product is below q. On processors where
/// multiplications are `SCARCE`, one of them gives way to two additions ([`Lanes::both`]), and levels are computed one after the other where
/// two at once would take more of them.
#[derive(Clone, Copy)]
pub(super) struct Lanes<const SCARCE: bool> {
    q: __m512i,
    two_q: __m512i,
    four_q: __m512i,
    two: __m512i,
    /// 2 in even lanes.
    two_even: __m512i,
    four: __m512i,
    pub(super) one: Factor,
    pub(super) shared: Shared,
}

/// A constant in vectors.
pub(super) type Factor = [__m512i; 2];

/// Vectors that go through the same steps.
type Four = [__m512i; 4];

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
    pub(super) fn both(&self, x: __m512i, u: __m512i) -> (__m512i, __m512i) {
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
    fn residue(&self, u: __m512i) -> __m512i {
        self.plus(_mm512_setzero_si512(), u)
    }

    /// `w y mod q`; y below 2^52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn mul(&self, y: __m512i, w: Factor) -> __m512i {
        self.residue(self.product(y, w))
    }

    /// From below `2 bound` to below `bound`, a multiple of q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn below(&self, x: __m512i, bound: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, bound))
    }

    /// From below 4q to below 2q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn below_2q(&self, x: __m512i) -> __m512i {
        self.below(x, self.two_q)
    }

    /// `(x + w y, x - w y)`, each at most x + q; y below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn butterfly(&self, x: __m512i, y: __m512i, w: Factor) -> (__m512i, __m512i) {
        self.both(x, self.product(y, w))
    }

    /// `(v x + w y, v x - w y)` below q, of each; x, y below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn scaled(&self, x: Four, y: Four, v: Factor, w: [Factor; 4]) -> (Four, Four) {
        let u = self.fractions([self.two; 4], x, [v; 4]);
        let t = self.fractions([_mm512_setzero_si512(); 4], y, w);
        let (sum, difference) =
            together(from_fn(|i| _mm512_add_epi64(u[i], t[i])), from_fn(|i| _mm512_sub_epi64(u[i], t[i])));
        (self.residues(sum), self.residues(difference))
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

    /// `offset + w y`, as fractions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn fractions(&self, offset: Four, y: Four, w: [Factor; 4]) -> Four {
        let (u, y) = together(from_fn(|i| _mm512_madd52hi_epu64(offset[i], y[i], w[i][0])), y);
        from_fn(|i| _mm512_madd52lo_epu64(u[i], y[i], w[i][1]))
    }

    /// [`Lanes::both`] of each.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn both_of(&self, x: Four, u: Four) -> (Four, Four) {
        if !SCARCE {
            let both: [_; 4] = from_fn(|i| self.both(x[i], u[i]));
            return (both.map(|b| b.0), both.map(|b| b.1));
        }
        let (x, u) = together(x, u);
        let (x, double) = together(x, from_fn(|i| _mm512_add_epi64(x[i], _mm512_add_epi64(x[i], self.q))));
        let (sum, double) = together(from_fn(|i| self.plus(x[i], u[i])), double);
        (sum, from_fn(|i| _mm512_sub_epi64(double[i], sum[i])))
    }

    /// The first two of three levels, results at most x + 2q. Where multiplications are scarce one level after the other: `v[2]` and `v[3]`
    /// below 3q then.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn forward8_top(&self, v: &mut [__m512i; 8], w: &[Factor; 5]) {
        if SCARCE {
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *v;
            let u = self.fractions([self.two; 4], [e, f, g, h], [w[0]; 4]);
            ([a, b, c, d], [e, f, g, h]) = self.both_of([a, b, c, d], u);
            let u = self.fractions([self.two; 4], [c, d, g, h], [w[1], w[1], w[3], w[3]]);
            ([a, b, e, f], [c, d, g, h]) = self.both_of([a, b, e, f], u);
            *v = [a, b, c, d, e, f, g, h];
        } else {
            [v[0], v[2], v[4], v[6]] = self.forward4([v[0], v[2], v[4], v[6]], w);
            [v[1], v[3], v[5], v[7]] = self.forward4([v[1], v[3], v[5], v[7]], w);
        }
    }

    /// The last of three levels, each at most x + q: below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn forward8_low(&self, v: &mut [__m512i; 8], w: [Factor; 4]) {
        let u = self.fractions([self.two; 4], [v[1], v[3], v[5], v[7]], w);
        ([v[0], v[2], v[4], v[6]], [v[1], v[3], v[5], v[7]]) = self.both_of([v[0], v[2], v[4], v[6]], u);
    }

    /// Three levels: below 4q, with `FIRST` below q, in and below 4q out.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA: a function with these features may not be one that is always inlined.
    #[inline(always)]
    pub(super) unsafe fn forward8<const FIRST: bool>(
        &self,
        v: &mut [__m512i; 8],
        top: &[Factor; 5],
        low: &[Factor; 4],
    ) {
        // SAFETY: by the caller's promise.
        unsafe {
            if !FIRST {
                v[0] = self.mul(v[0], self.one);
                v[1] = self.below_2q(v[1]);
                if SCARCE {
                    (v[2], v[3]) = (self.below_2q(v[2]), self.below_2q(v[3]));
                }
            }
            self.forward8_top(v, top);
            self.forward8_low(v, *low);
        }
    }

    /// Three levels: below 3q in and below q out.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA: a function with these features may not be one that is always inlined.
    #[inline(always)]
    pub(super) unsafe fn forward8_last(&self, v: &mut [__m512i; 8], top: &[Factor; 5], low: &[Factor; 4]) {
        // SAFETY: by the caller's promise.
        unsafe {
            v[0] = self.below_2q(v[0]);
            v[1] = self.below_2q(v[1]);
            self.forward8_top(v, top);
            let [a, b, c, d, e, f, g, h] = *v;
            ([v[0], v[2], v[4], v[6]], [v[1], v[3], v[5], v[7]]) =
                self.scaled([a, c, e, g], [b, d, f, h], self.one, *low);
        }
    }

    /// `theta^j` times the scale, which is that of j = 0, and its product with the constant of the node that all eight words belong to.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn theta(&self, scale: Factor, pairs: &[Pair; PAIRS], j: usize) -> [Factor; 2] {
        if j == 0 { [scale, pair(&pairs[0])] } else { [pair(&pairs[6 + j]), pair(&pairs[13 + j])] }
    }

    /// Three levels with a constant for each node, of theta times what is there, where `top` are theta and its product with the first
    /// node's constant and `w` are those of the others: below 4q in, below 3q out.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA: a function with these features may not be one that is always inlined.
    #[inline(always)]
    pub(super) unsafe fn forward8_levels(&self, v: &mut [__m512i; 8], top: [Factor; 2], w: &[Factor; 6]) {
        // SAFETY: by the caller's promise.
        unsafe {
            let [a, b, c, d, e, f, g, h] = *v;
            ([v[0], v[1], v[2], v[3]], [v[4], v[5], v[6], v[7]]) =
                self.scaled([a, b, c, d], [e, f, g, h], top[0], [top[1]; 4]);
            let u = self.fractions([self.two; 4], [v[2], v[3], v[6], v[7]], [w[0], w[0], w[1], w[1]]);
            ([v[0], v[1], v[4], v[5]], [v[2], v[3], v[6], v[7]]) = self.both_of([v[0], v[1], v[4], v[5]], u);
            self.forward8_low(v, [w[2], w[3], w[4], w[5]]);
        }
    }

    /// `x - y + bound` for y at most `bound`, a multiple of q.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn difference(&self, x: __m512i, y: __m512i, bound: __m512i) -> __m512i {
        _mm512_sub_epi64(_mm512_add_epi64(x, bound), y)
    }

    /// The residues of some fractions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn residues(&self, u: Four) -> Four {
        u.map(|u| self.residue(u))
    }

    /// The residues of `u[0] + u[1]`, `u[2] + u[3]` and of the differences, of fractions of which odd ones have no offset.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn sums_and_differences(&self, [a, b, c, d]: Four) -> Four {
        let (add, sub) = (|x, y| _mm512_add_epi64(x, y), |x, y| _mm512_sub_epi64(x, y));
        self.residues([add(a, b), add(c, d), sub(a, b), sub(c, d)])
    }

    /// The second of two levels, where the first one's sums s and r are below `bound` times q (2; where multiplications are ample 1 and 4 too)
    /// and its differences d and e, not yet multiplied, below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse_upper<O: Out>(
        &self,
        [s, r]: [__m512i; 2],
        [d, e]: [__m512i; 2],
        bound: u32,
        w: &[Factor; 8],
    ) -> [__m512i; 4] {
        let out = |u| if O::FRACTION { u } else { self.residue(u) };
        let multiple = if bound == 1 { self.q } else { self.two_q };
        let sum = || _mm512_add_epi64(s, r);
        let first = match bound {
            1 if O::REDUCED => self.below(sum(), self.q),
            2 if O::REDUCED && SCARCE => self.below(self.below_2q(sum()), self.q),
            1 | 2 => out(self.product(sum(), w[0])),
            _ => out(self.fraction(self.product(s, w[0]), r, w[0])),
        };
        let third = match bound {
            1 | 2 => self.product(self.difference(s, r, multiple), w[1]),
            _ => self.fraction(self.product(s, w[1]), r, w[2]),
        };
        let zero = _mm512_setzero_si512();
        let (second, fourth) = if SCARCE {
            let (u, t) = (self.product(d, w[3]), self.fraction(zero, e, w[4]));
            let difference = self.residue(_mm512_sub_epi64(u, t));
            (_mm512_add_epi64(u, t), self.product(difference, if O::SCALED { w[7] } else { w[1] }))
        } else {
            (self.fraction(self.product(d, w[3]), e, w[4]), self.fraction(self.product(d, w[5]), e, w[6]))
        };
        [first, out(second), out(third), out(fourth)]
    }

    /// Two levels: `x[0]`, `x[2]` below q, `x[1]`, `x[3]` fractions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse4<O: Out>(&self, x: [__m512i; 4], w: &[Factor; 8]) -> [__m512i; 4] {
        let (s, d) = self.both(x[0], x[1]);
        let (r, e) = self.both(x[2], x[3]);
        self.inverse_upper::<O>([s, r], [d, e], 2, w)
    }

    /// The products of the first of three levels: sums and differences are taken of them, two and two, so that odd ones have no offset.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse8_products(&self, v: &mut [__m512i; 8], sums: Four, differences: Four, low: &[Factor; 4]) {
        let zero = _mm512_setzero_si512();
        let u = self.fractions([self.two, zero, self.two, zero], differences, *low);
        *v = [sums[0], u[0], sums[1], u[1], sums[2], u[2], sums[3], u[3]];
    }

    /// The first of three levels: below q in; even ones below 2q and odd ones fractions out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_first(&self, v: &mut [__m512i; 8], low: &[Factor; 4]) {
        let sums = from_fn(|i| _mm512_add_epi64(v[2 * i], v[2 * i + 1]));
        let differences = from_fn(|i| self.difference(v[2 * i], v[2 * i + 1], self.q));
        self.inverse8_products(v, sums, differences, low);
    }

    /// The first of three levels: even ones below q and odd ones fractions in; even ones below 2q and odd ones fractions out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_low(&self, v: &mut [__m512i; 8], low: &[Factor; 4]) {
        let (sums, differences) = self.both_of([v[0], v[2], v[4], v[6]], [v[1], v[3], v[5], v[7]]);
        self.inverse8_products(v, sums, differences, low);
    }

    /// The first of three levels: fractions in, odd ones without an offset; even ones below q and odd ones fractions out.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_low_fractions(&self, v: &mut [__m512i; 8], low: &[Factor; 4]) {
        let [a, b, c, d] = self.sums_and_differences([v[0], v[1], v[2], v[3]]);
        let [e, f, g, h] = self.sums_and_differences([v[4], v[5], v[6], v[7]]);
        self.inverse8_products(v, [a, b, e, f], [c, d, g, h], low);
    }

    /// The other two of three levels: even ones below `bound` times q (1 or 2), odd ones fractions, every second without an offset. Where
    /// multiplications are scarce, the second one is [`Lanes::inverse_upper`] of two nodes that go through each step together.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_top<O: Out>(&self, v: &mut [__m512i; 8], bound: u32, w: &[Factor; 8]) {
        let (add, sub) = (|x, y| _mm512_add_epi64(x, y), |x, y| _mm512_sub_epi64(x, y));
        let [s, r, d, e] = self.sums_and_differences([v[1], v[3], v[5], v[7]]);
        let (sums, multiple) = ([add(v[0], v[2]), add(v[4], v[6])], if bound == 1 { self.q } else { self.two_q });
        let differences = [self.difference(v[0], v[2], multiple), self.difference(v[4], v[6], multiple)];
        if !SCARCE {
            [v[0], v[2], v[4], v[6]] = self.inverse_upper::<O>(sums, differences, 2 * bound, w);
            [v[1], v[3], v[5], v[7]] = self.inverse_upper::<O>([s, r], [d, e], 1, w);
            return;
        }
        let zero = _mm512_setzero_si512();
        let u = [differences[0], differences[1], d, e];
        let u = self.fractions([self.two, zero, self.two, zero], u, [w[3], w[4], w[3], w[4]]);
        let second = [add(u[0], u[1]), add(u[2], u[3])];
        let fourth = [self.residue(sub(u[0], u[1])), self.residue(sub(u[2], u[3]))];
        let (mut first, mut third) =
            (add(sums[0], sums[1]), self.difference(sums[0], sums[1], add(multiple, multiple)));
        if bound == 2 {
            (first, third) = (self.below(first, self.four_q), self.below(third, self.four_q));
        }
        let (first, third) = ([first, add(s, r)], [third, self.difference(s, r, self.q)]);
        let last = if O::SCALED { w[7] } else { w[1] };
        let u = self.fractions([self.two; 4], [third[0], third[1], fourth[0], fourth[1]], [w[1], w[1], last, last]);
        let first = if O::REDUCED {
            [self.below(self.below_2q(first[0]), self.q), self.below(first[1], self.q)]
        } else {
            let u = first.map(|x| self.product(x, w[0]));
            if O::FRACTION { u } else { u.map(|u| self.residue(u)) }
        };
        let (second, u) = if O::FRACTION { (second, u) } else { (second.map(|u| self.residue(u)), self.residues(u)) };
        *v = [first[0], first[1], second[0], second[1], u[0], u[1], u[2], u[3]];
    }

    /// Three levels with a constant for each node, times theta, where `top` are theta and its product with the last node's constant and
    /// `w` are those of the others: even ones below q and odd ones fractions in, fractions out, those in odd lanes without an offset.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_levels(&self, v: &mut [__m512i; 8], top: [Factor; 2], w: &[Factor; 6]) {
        self.inverse8_low(v, &[w[2], w[3], w[4], w[5]]);
        let [s, r, d, e] = self.sums_and_differences([v[1], v[3], v[5], v[7]]);
        let differences = [self.difference(v[0], v[2], self.two_q), self.difference(v[4], v[6], self.two_q), d, e];
        let u = self.residues(self.fractions([self.two; 4], differences, [w[0], w[1], w[0], w[1]]));
        let [a, b] = [(v[0], v[2]), (v[4], v[6])].map(|(x, y)| self.below_2q(_mm512_add_epi64(x, y)));
        let (x, y) = ([a, s, u[0], u[2]], [b, r, u[1], u[3]]);
        let sums = self.fractions([self.two_even; 4], from_fn(|i| _mm512_add_epi64(x[i], y[i])), [top[0]; 4]);
        let differences = from_fn(|i| self.difference(x[i], y[i], self.two_q));
        let differences = self.fractions([self.two_even; 4], differences, [top[1]; 4]);
        *v = [sums[0], sums[1], sums[2], sums[3], differences[0], differences[1], differences[2], differences[3]];
    }
}

/// What comes out of levels.
pub(super) trait Out {
    /// Fractions instead of residues below q.
    const FRACTION: bool;
    /// Times the constant of the root.
    const SCALED: bool;
    /// Residues below q, and none is multiplied by a constant of the root.
    const REDUCED: bool = !Self::FRACTION && !Self::SCALED;
}

/// Fractions.
pub(super) struct Fractions;
/// Residues below q.
pub(super) struct Residues;
/// Residues below q, times the constant of the root.
pub(super) struct Scaled;

impl Out for Fractions {
    const FRACTION: bool = true;
    const SCALED: bool = false;
}

impl Out for Residues {
    const FRACTION: bool = false;
    const SCALED: bool = false;
}

impl Out for Scaled {
    const FRACTION: bool = false;
    const SCALED: bool = true;
}

/// The same vectors, by no instruction: all that makes them comes before all that uses them. Four at a time go through each step, which keeps
/// the units of a Zen 4 busier than one after the other through all steps, the order that a compiler chooses.
#[inline]
#[target_feature(enable = "avx512f")]
fn together([mut a, mut b, mut c, mut d]: Four, [mut e, mut f, mut g, mut h]: Four) -> (Four, Four) {
    // SAFETY: nothing is done.
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
