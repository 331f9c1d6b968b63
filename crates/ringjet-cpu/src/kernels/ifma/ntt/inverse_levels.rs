//! Butterflies of the inverse transform, several levels at once.

use std::arch::x86_64::*;
use std::array::from_fn;

use super::lanes::{Factor, Four, Lanes};

/// The form of the results of some levels.
pub(super) trait Out {
    /// Whether results are fractions instead of residues below q.
    const FRACTION: bool;
    /// Whether results are multiplied by the constant of the root.
    const SCALED: bool;
    /// Whether results are residues below q, not multiplied by a constant of the root.
    const REDUCED: bool = !Self::FRACTION && !Self::SCALED;
}

/// Results are fractions.
pub(super) struct Fractions;
/// Results are residues below q.
pub(super) struct Residues;
/// Results are residues below q, multiplied by the constant of the root.
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
impl<const HALF_RATE: bool> Lanes<HALF_RATE> {
    /// The second of two levels. s and r are the sums of the first level, below `bound * q`, where
    /// `bound` is 2, or without `HALF_RATE` also 1 or 4. d and e are its differences before their
    /// multiplication, below 4q.
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
            2 if O::REDUCED && HALF_RATE => self.below(self.below_2q(sum()), self.q),
            1 | 2 => out(self.product(sum(), w[0])),
            _ => out(self.fraction(self.product(s, w[0]), r, w[0])),
        };
        let third = match bound {
            1 | 2 => self.product(self.difference(s, r, multiple), w[1]),
            _ => self.fraction(self.product(s, w[1]), r, w[2]),
        };
        let zero = _mm512_setzero_si512();
        let (second, fourth) = if HALF_RATE {
            let (u, t) = (self.product(d, w[3]), self.fraction(zero, e, w[4]));
            let difference = self.residue(_mm512_sub_epi64(u, t));
            (_mm512_add_epi64(u, t), self.product(difference, if O::SCALED { w[7] } else { w[1] }))
        } else {
            (self.fraction(self.product(d, w[3]), e, w[4]), self.fraction(self.product(d, w[5]), e, w[6]))
        };
        [first, out(second), out(third), out(fourth)]
    }

    /// Two levels. `x[0]` and `x[2]` are residues below q, `x[1]` and `x[3]` fractions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse4<O: Out>(&self, x: [__m512i; 4], w: &[Factor; 8]) -> [__m512i; 4] {
        let (s, d) = self.both(x[0], x[1]);
        let (r, e) = self.both(x[2], x[3]);
        self.inverse_upper::<O>([s, r], [d, e], 2, w)
    }

    /// The products of the first of three levels. The next level adds and subtracts these in pairs,
    /// so those with odd numbers in `u` have no offset.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn inverse8_products(&self, v: &mut [__m512i; 8], sums: Four, differences: Four, low: &[Factor; 4]) {
        let zero = _mm512_setzero_si512();
        let u = self.fractions([self.two, zero, self.two, zero], differences, *low);
        *v = [sums[0], u[0], sums[1], u[1], sums[2], u[2], sums[3], u[3]];
    }

    /// The first of three levels. Inputs are below q; even outputs are below 2q, and odd ones
    /// fractions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_first(&self, v: &mut [__m512i; 8], low: &[Factor; 4]) {
        let sums = from_fn(|i| _mm512_add_epi64(v[2 * i], v[2 * i + 1]));
        let differences = from_fn(|i| self.difference(v[2 * i], v[2 * i + 1], self.q));
        self.inverse8_products(v, sums, differences, low);
    }

    /// The first of three levels. Even inputs are below q, and odd ones fractions; even outputs are
    /// below 2q, and odd ones fractions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_low(&self, v: &mut [__m512i; 8], low: &[Factor; 4]) {
        let (sums, differences) = self.both_of([v[0], v[2], v[4], v[6]], [v[1], v[3], v[5], v[7]]);
        self.inverse8_products(v, sums, differences, low);
    }

    /// The first of three levels. Inputs are fractions, odd ones without an offset; even outputs
    /// are below q, and odd ones fractions.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_low_fractions(&self, v: &mut [__m512i; 8], low: &[Factor; 4]) {
        let [a, b, c, d] = self.sums_and_differences([v[0], v[1], v[2], v[3]]);
        let [e, f, g, h] = self.sums_and_differences([v[4], v[5], v[6], v[7]]);
        self.inverse8_products(v, [a, b, e, f], [c, d, g, h], low);
    }

    /// The second and the third of three levels. Even inputs are below `bound * q`, where `bound`
    /// is 1 or 2; odd ones are fractions, every second one without an offset. With `HALF_RATE` the
    /// code is that of [`Lanes::inverse_upper`] for two nodes, computed together step by step.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn inverse8_top<O: Out>(&self, v: &mut [__m512i; 8], bound: u32, w: &[Factor; 8]) {
        let (add, sub) = (|x, y| _mm512_add_epi64(x, y), |x, y| _mm512_sub_epi64(x, y));
        let [s, r, d, e] = self.sums_and_differences([v[1], v[3], v[5], v[7]]);
        let (sums, multiple) = ([add(v[0], v[2]), add(v[4], v[6])], if bound == 1 { self.q } else { self.two_q });
        let differences = [self.difference(v[0], v[2], multiple), self.difference(v[4], v[6], multiple)];
        if !HALF_RATE {
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

    /// Three levels with a constant for each node, followed by a multiplication by theta. `top` are
    /// theta and its product with the constant of the last node; `w` are the constants of the other
    /// nodes. Even inputs are below q, and odd ones fractions. Outputs are fractions, those in odd
    /// lanes without an offset.
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
