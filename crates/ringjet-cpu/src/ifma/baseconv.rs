//! Base conversion between primes below 2^50: see [`ringjet_math::BaseConversion`] for the formulas.
//!
//! Counts for each vector of eight coefficients: digits 5 operations a source limb (2 when already scaled); each
//! output `2 (L + 1) + 6` for L source limbs.

use std::arch::x86_64::*;

use super::arith::{Constant, Reducer, Sum, load, splat, store};

/// Most source limbs of one call: with the quotient's term they are the twelve products of one reduction.
pub const LIMBS: usize = 11;

/// `y = x w mod d` (`y = x` without `w`), and `sum += floor((y << shift) ratio / 2^52)`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn digits(r: &Reducer, x: &[u64], w: Option<Constant>, shift: u32, ratio: u64, y: &mut [u64], sum: &mut [u64]) {
    assert!(x.len().is_multiple_of(8) && y.len() == x.len() && sum.len() == x.len());
    let lanes = r.lanes();
    let ratio = _mm512_set1_epi64(ratio as i64);
    let shift = _mm_cvtsi64_si128(i64::from(shift));
    let scale = w.map(|w| splat(w));
    for i in (0..x.len()).step_by(8) {
        // SAFETY: all slices have the length of `x`, a multiple of 8.
        unsafe {
            let mut v = load(x, i);
            if let Some(w) = scale {
                v = lanes.mul(_mm512_setzero_si512(), v, w);
            }
            store(y, i, v);
            store(sum, i, _mm512_madd52hi_epu64(load(sum, i), _mm512_sll_epi64(v, shift), ratio));
        }
    }
}

/// `sum += floor((y << shift) ratio / 2^52)`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn fractions(y: &[u64], shift: u32, ratio: u64, sum: &mut [u64]) {
    assert!(y.len().is_multiple_of(8) && sum.len() == y.len());
    let ratio = _mm512_set1_epi64(ratio as i64);
    let shift = _mm_cvtsi64_si128(i64::from(shift));
    for i in (0..y.len()).step_by(8) {
        // SAFETY: both slices have the length of `y`, a multiple of 8.
        unsafe {
            store(sum, i, _mm512_madd52hi_epu64(load(sum, i), _mm512_sll_epi64(load(y, i), shift), ratio));
        }
    }
}

/// `out = sum of y_i c_i + v c_L`, canonical: one output limb. `y` has at most [`LIMBS`] rows of `out.len()` words,
/// `c` one constant more ([`Reducer::scaled`]). The words at `next` are prefetched: where the next calls read and write.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn output(r: &Reducer, y: &[&[u64]], v: &[u64], c: &[u64], out: &mut [u64], next: [*const u64; 2]) {
    macro_rules! dispatch {
        ($($l:literal)*) => {
            match y.len() {
                $($l => output_of::<$l>(r, y.try_into().expect("the match"), v, c, out, next),)*
                _ => unreachable!("at most {LIMBS} limbs, not {}", y.len()),
            }
        };
    }
    dispatch!(1 2 3 4 5 6 7 8 9 10 11)
}

/// Vectors treated together.
const UNROLL: usize = 4;

#[target_feature(enable = "avx512f,avx512ifma")]
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
#[target_feature(enable = "avx512f,avx512ifma")]
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
    for l in 0..=L {
        let row = if l < L { y[l] } else { v };
        // SAFETY: `l <= L`.
        let c = _mm512_set1_epi64(unsafe { *c.get_unchecked(l) } as i64);
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
