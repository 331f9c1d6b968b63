//! Base conversion, written once for every vector arithmetic: see [`ringjet_math::BaseConversion`]
//! for the formulas and [`super::eltwise`] for why this is a macro.
//!
//! With IFMA, the numbers of operations for each vector of eight coefficients are, for L source
//! limbs: for each source limb 3 to scale it and 2 for the quotient, and `2 * (L + 1) + 6` for each
//! output limb.

/// Most source limbs of one call. With the term of the quotient these are the twelve products that
/// one reduction takes.
pub const LIMBS: usize = 11;

/// Calls `$f::<L>($r, $y, ...)`, where L is the number of the rows `$y`, at most [`LIMBS`]. `$f`
/// takes the rows as an array.
macro_rules! of_limbs {
    ($f:ident($r:expr, $y:expr, $($rest:expr),*)) => {
        of_limbs!($f $r, $y, ($($rest),*) 1 2 3 4 5 6 7 8 9 10 11)
    };
    ($f:ident $r:expr, $y:expr, $rest:tt $($limbs:literal)*) => {
        match $y.len() {
            $($limbs => of_limbs!($limbs $f $r, $y, $rest),)*
            limbs => unreachable!("at most {LIMBS} limbs, not {limbs}"),
        }
    };
    ($limbs:literal $f:ident $r:expr, $y:expr, ($($rest:expr),*)) => {
        $f::<$limbs>($r, $y.try_into().expect("the match"), $($rest),*)
    };
}
pub(crate) use of_limbs;

/// Defines the kernels on `super::arith` for the processor features `$features`.
macro_rules! baseconv_kernels {
    ($features:literal) => {
        use std::arch::x86_64::*;

        use ringjet_math::rns::FRACTION_BITS;

        use super::arith::{Constant, Fraction, Reducer, Sum, load, splat, store, write};
        use crate::kernels::lanes::baseconv::{LIMBS, of_limbs};

        /// `y = x * w mod d`.
        #[target_feature(enable = $features)]
        pub fn scale(r: &Reducer, x: &[u64], w: Constant, y: &mut [u64]) {
            assert!(x.len().is_multiple_of(8) && y.len() == x.len());
            let (lanes, w) = (r.lanes(), splat(w));
            for i in (0..x.len()).step_by(8) {
                // SAFETY: both slices have the length of `x`, a multiple of 8.
                unsafe { store(y, i, lanes.mul(_mm512_setzero_si512(), load(x, i), w)) };
            }
        }

        /// `v` = the sum of `floor(norm(y) * ratio / 2^52)` over all rows, divided by
        /// `2^FRACTION_BITS` and rounded to the nearest integer. Row i belongs to a prime of
        /// `primes[i].0` bits with the ratio `primes[i].1`.
        #[target_feature(enable = $features)]
        pub fn quotients(y: &[&[u64]], primes: &[(u32, u64)], v: &mut [u64]) {
            let n = v.len();
            assert!(n.is_multiple_of(8) && y.len() == primes.len() && y.iter().all(|y| y.len() == n));
            let mut i = 0;
            while i + 8 * UNROLL <= n {
                // SAFETY: all rows have `n` words.
                unsafe { quotients_block::<UNROLL>(i, y, primes, v) };
                i += 8 * UNROLL;
            }
            while i < n {
                // SAFETY: as above, and `n` and `i` are multiples of 8.
                unsafe { quotients_block::<1>(i, y, primes, v) };
                i += 8;
            }
        }

        /// # Safety
        /// `i + 8 * U` is at most the length of every row and of `v`.
        #[inline]
        #[target_feature(enable = $features)]
        unsafe fn quotients_block<const U: usize>(i: usize, y: &[&[u64]], primes: &[(u32, u64)], v: &mut [u64]) {
            let mut sums = [_mm512_set1_epi64(1 << (FRACTION_BITS - 1)); U];
            for (row, &(bits, ratio)) in y.iter().zip(primes) {
                let fraction = Fraction::new(bits, ratio);
                for (u, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: `u < U`.
                    *sum = fraction.add(*sum, unsafe { load(row, i + 8 * u) });
                }
            }
            for (u, sum) in sums.into_iter().enumerate() {
                // SAFETY: `u < U`.
                unsafe { store(v, i + 8 * u, _mm512_srli_epi64::<FRACTION_BITS>(sum)) };
            }
        }

        /// `out = sum of y_i * c_i + v * c_L`, canonical: one output limb. `y` has at most
        /// [`LIMBS`] rows of `out.len()` words, `c` one constant more ([`Reducer::scaled`]). The
        /// words at `next`, which the next calls read and write, are prefetched. With `stream`,
        /// `out` starts at a cache line and is written by streaming stores.
        #[target_feature(enable = $features)]
        pub fn output(
            r: &Reducer,
            y: &[&[u64]],
            v: &[u64],
            c: &[u64],
            out: &mut [u64],
            next: [*const u64; 2],
            stream: bool,
        ) {
            assert!(!stream || out.as_ptr().addr().is_multiple_of(64));
            of_limbs!(output_of(r, y, v, c, out, next, stream));
        }

        /// Number of vectors computed at once.
        const UNROLL: usize = 4;

        #[target_feature(enable = $features)]
        fn output_of<const L: usize>(
            r: &Reducer,
            y: &[&[u64]; L],
            v: &[u64],
            c: &[u64],
            out: &mut [u64],
            next: [*const u64; 2],
            stream: bool,
        ) {
            let n = out.len();
            assert!(n.is_multiple_of(8) && v.len() == n && y.iter().all(|y| y.len() == n) && c.len() == L + 1);
            let mut i = 0;
            while i + 8 * UNROLL <= n {
                // SAFETY: all rows have `n` words, `c` has L + 1.
                unsafe { output_block::<L, UNROLL>(i, r, y, v, c, out, next, stream) };
                i += 8 * UNROLL;
            }
            while i < n {
                // SAFETY: as above, and `n` and `i` are multiples of 8.
                unsafe { output_block::<L, 1>(i, r, y, v, c, out, next, stream) };
                i += 8;
            }
        }

        /// # Safety
        /// `i + 8 * U` is at most the length of every row, and `c` has L + 1 words. With `stream`
        /// the output starts at a cache line.
        #[inline]
        #[target_feature(enable = $features)]
        #[expect(clippy::too_many_arguments, reason = "the block of one loop")]
        unsafe fn output_block<const L: usize, const U: usize>(
            i: usize,
            r: &Reducer,
            y: &[&[u64]; L],
            v: &[u64],
            c: &[u64],
            out: &mut [u64],
            next: [*const u64; 2],
            stream: bool,
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
                // SAFETY: `u < U`, and the alignment is the caller's promise.
                unsafe { write(out, i + 8 * u, lanes.reduce(sum), stream) };
            }
        }
    };
}
pub(crate) use baseconv_kernels;
