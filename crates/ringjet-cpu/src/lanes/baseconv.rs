//! Base conversion, written once for every vector arithmetic: see [`ringjet_math::BaseConversion`] for the formulas and
//! [`super::eltwise`] for why this is a macro.
//!
//! With IFMA, for each vector of eight coefficients: digits 5 operations a source limb (2 when already scaled), each
//! output `2 (L + 1) + 6` for L source limbs.

/// Most source limbs of one call: with the quotient's term they are the twelve products of one reduction.
pub const LIMBS: usize = 11;

/// The kernels with `super::arith` and these processor features.
macro_rules! baseconv_kernels {
    ($features:literal) => {
        use std::arch::x86_64::*;

        use super::arith::{Constant, Fraction, Reducer, Sum, load, splat, store};
        use crate::lanes::baseconv::LIMBS;

        /// `y = x w mod d`, and `sum += floor(norm(y) ratio / 2^52)`, for a prime d of `bits` bits.
        #[target_feature(enable = $features)]
        pub fn digits(r: &Reducer, x: &[u64], w: Constant, bits: u32, ratio: u64, y: &mut [u64], sum: &mut [u64]) {
            assert!(x.len().is_multiple_of(8) && y.len() == x.len() && sum.len() == x.len());
            let lanes = r.lanes();
            let (w, fraction) = (splat(w), Fraction::new(bits, ratio));
            for i in (0..x.len()).step_by(8) {
                // SAFETY: all slices have the length of `x`, a multiple of 8.
                unsafe {
                    let v = lanes.mul(_mm512_setzero_si512(), load(x, i), w);
                    store(y, i, v);
                    store(sum, i, fraction.add(load(sum, i), v));
                }
            }
        }

        /// `sum += floor(norm(y) ratio / 2^52)`, for a prime of `bits` bits.
        #[target_feature(enable = $features)]
        pub fn fractions(y: &[u64], bits: u32, ratio: u64, sum: &mut [u64]) {
            assert!(y.len().is_multiple_of(8) && sum.len() == y.len());
            let fraction = Fraction::new(bits, ratio);
            for i in (0..y.len()).step_by(8) {
                // SAFETY: both slices have the length of `y`, a multiple of 8.
                unsafe {
                    store(sum, i, fraction.add(load(sum, i), load(y, i)));
                }
            }
        }

        /// `out = sum of y_i c_i + v c_L`, canonical: one output limb. `y` has at most [`LIMBS`] rows of `out.len()` words,
        /// `c` one constant more ([`Reducer::scaled`]). The words at `next` are prefetched: where the next calls read and write.
        #[target_feature(enable = $features)]
        pub fn output(r: &Reducer, y: &[&[u64]], v: &[u64], c: &[u64], out: &mut [u64], next: [*const u64; 2]) {
            match y.len() {
                1 => output_of::<1>(r, y.try_into().expect("the match"), v, c, out, next),
                2 => output_of::<2>(r, y.try_into().expect("the match"), v, c, out, next),
                3 => output_of::<3>(r, y.try_into().expect("the match"), v, c, out, next),
                4 => output_of::<4>(r, y.try_into().expect("the match"), v, c, out, next),
                5 => output_of::<5>(r, y.try_into().expect("the match"), v, c, out, next),
                6 => output_of::<6>(r, y.try_into().expect("the match"), v, c, out, next),
                7 => output_of::<7>(r, y.try_into().expect("the match"), v, c, out, next),
                8 => output_of::<8>(r, y.try_into().expect("the match"), v, c, out, next),
                9 => output_of::<9>(r, y.try_into().expect("the match"), v, c, out, next),
                10 => output_of::<10>(r, y.try_into().expect("the match"), v, c, out, next),
                11 => output_of::<11>(r, y.try_into().expect("the match"), v, c, out, next),
                _ => unreachable!("at most {LIMBS} limbs, not {}", y.len()),
            }
        }

        /// Vectors treated together.
        const UNROLL: usize = 4;

        #[target_feature(enable = $features)]
        fn output_of<const L: usize>(
            r: &Reducer,
            y: &[&[u64]; L],
            v: &[u64],
            c: &[u64],
            out: &mut [u64],
            next: [*const u64; 2],
        ) {
            let n = out.len();
            assert!(n.is_multiple_of(8) && v.len() == n && y.iter().all(|y| y.len() == n) && c.len() == L + 1);
            let mut i = 0;
            while i + 8 * UNROLL <= n {
                // SAFETY: all rows have `n` words, `c` has L + 1.
                unsafe { output_block::<L, UNROLL>(i, r, y, v, c, out, next) };
                i += 8 * UNROLL;
            }
            while i < n {
                // SAFETY: as above, and `n` and `i` are multiples of 8.
                unsafe { output_block::<L, 1>(i, r, y, v, c, out, next) };
                i += 8;
            }
        }

        /// # Safety
        /// `i + 8 U` is at most the length of every row, and `c` has L + 1 words.
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn output_block<const L: usize, const U: usize>(
            i: usize,
            r: &Reducer,
            y: &[&[u64]; L],
            v: &[u64],
            c: &[u64],
            out: &mut [u64],
            next: [*const u64; 2],
        ) {
            let lanes = r.lanes();
            for u in 0..U {
                // Any address may be prefetched: nothing is read architecturally.
                _mm_prefetch::<_MM_HINT_T0>(next[0].wrapping_add(i + 8 * u).cast());
                _mm_prefetch::<_MM_HINT_T0>(next[1].wrapping_add(i + 8 * u).cast());
            }
            let mut sums = [Sum::zero(); U];
            for (&c, row) in c.iter().zip(y.iter().copied().chain([v])) {
                let c = _mm512_set1_epi64(c as i64);
                for (u, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: `u < U`.
                    sum.add(c, unsafe { load(row, i + 8 * u) });
                }
            }
            for (u, sum) in sums.into_iter().enumerate() {
                // SAFETY: `u < U`.
                unsafe { store(out, i + 8 * u, lanes.reduce(sum)) };
            }
        }
    };
}
pub(crate) use baseconv_kernels;
