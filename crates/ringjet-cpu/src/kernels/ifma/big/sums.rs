//! Unreduced sums of products of words and constants.

use std::arch::x86_64::*;

use crate::operands::prefetch::RowPrefetch;
use crate::operands::strip::BLOCK;

/// Number of outputs computed at once if products are computed one by one.
pub(super) const OUTPUTS: usize = 3;
/// Number of outputs computed at once if products are computed in pairs.
pub(super) const PAIRED_OUTPUTS: usize = 2;
/// Number of vectors of a block.
pub(super) const VECTORS: usize = BLOCK / 8;
/// Largest number of words or primes in a sum. With this many terms the sums of halves below 2^52,
/// the borrowed words and a carry stay below 2^63.
pub const MOST: usize = 1 << 10;

/// Number of words of the constants of an output: one for each input, and two words for the start
/// of its sum.
pub const fn row(inputs: usize) -> usize {
    inputs + 2
}

/// Appends the constants `c` of an output to `to`, followed by the two words of the start of its
/// sum, `hi * 2^52 + lo`. With `pairs` the sum of the products `c0 * c1` is subtracted from the
/// start. Then so much is also moved from the high word to the low word that the low word stays
/// positive when the products `x0 * x1` are subtracted.
pub fn constants(c: impl IntoIterator<Item = u64>, [mut lo, mut hi]: [u64; 2], pairs: bool, to: &mut Vec<u64>) {
    let from = to.len();
    to.extend(c);
    if pairs {
        for k in (from + 1..to.len()).step_by(2) {
            let product = u128::from(to[k - 1]) * u128::from(to[k]);
            lo += (2 << 52) - (product as u64 & ((1 << 52) - 1));
            hi = hi.wrapping_sub(2 + (product >> 52) as u64);
        }
    }
    to.extend([lo, hi]);
}

/// The low and the high words of sums of products, for J outputs and U vectors.
pub(super) type Sums<const U: usize, const J: usize> = [[[__m512i; U]; J]; 2];

/// The low and the high words of the sum of the products `x0 * x1` of rows 0 and 1, 2 and 3, and so
/// on of `x`, which sums in pairs subtract.
///
/// # Safety
/// `x` has `inputs` rows of 8 * U words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn pairs<const U: usize>(x: *const u64, inputs: usize) -> [[__m512i; U]; 2] {
    let [mut lo, mut hi] = [[_mm512_setzero_si512(); U]; 2];
    for i in (0..inputs & !1).step_by(2) {
        for u in 0..U {
            // SAFETY: rows i and i + 1 have 8 * U words.
            let [x, y] = unsafe { [vector::<U>(x, i, u), vector::<U>(x, i + 1, u)] };
            lo[u] = _mm512_madd52lo_epu64(lo[u], x, y);
            hi[u] = _mm512_madd52hi_epu64(hi[u], x, y);
        }
    }
    [lo, hi]
}

/// Vector `u` of row `i` of `x`.
///
/// # Safety
/// `x` has this vector.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn vector<const U: usize>(x: *const u64, i: usize, u: usize) -> __m512i {
    // SAFETY: by the caller's promise.
    unsafe { _mm512_loadu_si512(x.add(8 * (U * i + u)).cast()) }
}

/// Sums `hi * 2^52 + lo` of products of the rows of `x` and the [`constants`] of J outputs; `hi`
/// may be negative. With `PAIRS`, `common` is the result of [`pairs`]. `LINES` lines of `prefetch`
/// are issued for every two rows. `split` and `join` use different values of `LINES`, so this
/// function is inlined into both; if they called one function, the sums would go through memory.
///
/// # Safety
/// `x` has `inputs` rows of 8 * U words, `c` J rows of [`row`] words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn sums<const U: usize, const J: usize, const PAIRS: bool, const LINES: usize>(
    x: *const u64,
    inputs: usize,
    c: *const u64,
    common: &[[__m512i; U]; 2],
    prefetch: &mut RowPrefetch<'_>,
) -> Sums<U, J> {
    // SAFETY: j < J, and i is at most `inputs` + 1.
    let constant = |j: usize, i: usize| _mm512_set1_epi64(unsafe { *c.add(j * row(inputs) + i) } as i64);
    let mut sums = [[[_mm512_setzero_si512(); U]; J]; 2];
    for (half, sums) in sums.iter_mut().enumerate() {
        for (j, sums) in sums.iter_mut().enumerate() {
            let start = constant(j, inputs + half);
            for (sum, &taken) in sums.iter_mut().zip(&common[half]) {
                *sum = if PAIRS { _mm512_sub_epi64(start, taken) } else { start };
            }
        }
    }
    let [mut lo, mut hi] = sums;
    let mut i = 0;
    while PAIRS && i + 1 < inputs {
        (0..LINES).for_each(|_| prefetch.line());
        let mut rows = [[_mm512_setzero_si512(); U]; 2];
        for (k, row) in rows.iter_mut().enumerate() {
            for (u, x_u) in row.iter_mut().enumerate() {
                // SAFETY: `x` has rows i and i + 1.
                *x_u = unsafe { vector::<U>(x, i + k, u) };
            }
        }
        for j in 0..J {
            let (c, d) = (constant(j, i), constant(j, i + 1));
            for u in 0..U {
                let (x, y) = (_mm512_add_epi64(rows[0][u], d), _mm512_add_epi64(rows[1][u], c));
                lo[j][u] = _mm512_madd52lo_epu64(lo[j][u], x, y);
                hi[j][u] = _mm512_madd52hi_epu64(hi[j][u], x, y);
            }
        }
        i += 2;
    }
    while i < inputs {
        if i % 2 == 0 {
            (0..LINES).for_each(|_| prefetch.line());
        }
        let mut row = [_mm512_setzero_si512(); U];
        for (u, x_u) in row.iter_mut().enumerate() {
            // SAFETY: `x` has row i.
            *x_u = unsafe { vector::<U>(x, i, u) };
        }
        for j in 0..J {
            let c = constant(j, i);
            for u in 0..U {
                lo[j][u] = _mm512_madd52lo_epu64(lo[j][u], row[u], c);
                hi[j][u] = _mm512_madd52hi_epu64(hi[j][u], row[u], c);
            }
        }
        i += 1;
    }
    [lo, hi]
}

/// Calls `$f::<vectors, PAIRS>(...)` for a block of `$len` words.
macro_rules! vectors {
    ($len:expr, $pairs:expr, $f:ident($($arg:expr),* $(,)?)) => {
        match ($len, $pairs) {
            (32, true) => $f::<4, true>($($arg),*),
            (24, true) => $f::<3, true>($($arg),*),
            (16, true) => $f::<2, true>($($arg),*),
            (8, true) => $f::<1, true>($($arg),*),
            (32, false) => $f::<4, false>($($arg),*),
            (24, false) => $f::<3, false>($($arg),*),
            (16, false) => $f::<2, false>($($arg),*),
            (8, false) => $f::<1, false>($($arg),*),
            (len, _) => unreachable!("blocks of whole vectors, not {len}"),
        }
    };
}
pub(super) use vectors;
