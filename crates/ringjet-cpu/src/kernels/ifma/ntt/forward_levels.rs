//! Butterflies of the forward transform, several levels at once.

use std::arch::x86_64::*;

use super::lanes::{Factor, Lanes};

impl<const HALF_RATE: bool> Lanes<HALF_RATE> {
    /// Two levels. `x[1..]` are below 4q; results are at most `x[0] + 2q`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn forward4(&self, x: [__m512i; 4], w: &[Factor; 5]) -> [__m512i; 4] {
        let (a, b) = self.butterfly(x[0], x[2], w[0]);
        let s = self.fraction(self.product(x[1], w[1]), x[3], w[2]);
        let e = self.fraction(self.product(x[1], w[3]), x[3], w[4]);
        let ((a, c), (b, d)) = (self.both(a, s), self.both(b, e));
        [a, c, b, d]
    }

    /// The first two of three levels; results are at most x + 2q. With `HALF_RATE` the levels are
    /// computed one after the other; then `v[2]` and `v[3]` must be below 3q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn forward8_top(&self, v: &mut [__m512i; 8], w: &[Factor; 5]) {
        if HALF_RATE {
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

    /// The last of three levels. Each result is at most x + q, so below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn forward8_low(&self, v: &mut [__m512i; 8], w: [Factor; 4]) {
        let u = self.fractions([self.two; 4], [v[1], v[3], v[5], v[7]], w);
        ([v[0], v[2], v[4], v[6]], [v[1], v[3], v[5], v[7]]) = self.both_of([v[0], v[2], v[4], v[6]], u);
    }

    /// Three levels. Inputs are below 4q, with `FIRST` below q; outputs are below 4q.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA: a function with these features may not be one that is
    /// always inlined.
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
                if HALF_RATE {
                    (v[2], v[3]) = (self.below_2q(v[2]), self.below_2q(v[3]));
                }
            }
            self.forward8_top(v, top);
            self.forward8_low(v, *low);
        }
    }

    /// Three levels. Inputs are below 3q, outputs below q.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA: a function with these features may not be one that is
    /// always inlined.
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

    /// Three levels with a constant for each node, applied to theta times the inputs. `top` are
    /// theta and its product with the constant of the first node; `w` are the constants of the
    /// other nodes. Inputs are below 4q, outputs below 3q.
    ///
    /// # Safety
    /// The processor has AVX-512 F and IFMA: a function with these features may not be one that is
    /// always inlined.
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
}
