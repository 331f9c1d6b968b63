//! Conversion of big coefficients to residues, with IFMA.

use std::arch::x86_64::*;

use ringjet_math::Modulus;

use super::sums::{MOST, OUTPUTS, PAIRED_OUTPUTS, pairs, row, sums, vectors};
use crate::kernels::ifma::arith::{Reducer, store};
use crate::operands::prefetch::RowPrefetch;

/// Constants of one prime for [`split`].
#[derive(Debug, Clone, Copy)]
pub struct SplitPrime {
    reducer: Reducer,
    /// `2^50 mod q`, if sums are reduced to canonical residues.
    fold: u64,
}

impl SplitPrime {
    /// The constants for sums of `words` products and a residue, modulo the prime of `reducer`.
    /// `None` if such sums may be too large for the reduction.
    pub fn new(reducer: &Reducer, m: &Modulus, words: usize) -> Option<Self> {
        let fold = m.reduce(1 << 50);
        // the bits above 2^102 of a sum below (words + 1) * 2^51 * q, times `fold`, must stay below
        // 2^51
        let most = (((words as u128 + 1) * u128::from(m.value())) >> 51) + 1;
        (words <= MOST && most * u128::from(fold) < 1 << 51).then_some(Self { reducer: *reducer, fold })
    }

    /// The constants for a lazy reduction, which only divides by 2^52. It is possible for integers
    /// of at most the words of a digit.
    pub fn lazy(reducer: &Reducer) -> Self {
        Self { reducer: *reducer, fold: 0 }
    }
}

/// `2^52 * c mod q`, because lazy reductions divide by 2^52.
pub fn lazy_constant(m: &Modulus, c: u64) -> u64 {
    m.mul(c, m.reduce(1 << 52))
}

/// How [`split`] and [`join`](super::join()) compute a matrix product.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// Whether products are computed in pairs.
    pub pairs: bool,
    /// Whether sums are reduced lazily, to residues below 4q.
    pub lazy: bool,
}

/// `rows[i][at..] = sum over k of words_k * c_ik + offset_i mod p_i` for a block. `words` has rows
/// of `len` words (a multiple of 8, at most [`BLOCK`](crate::operands::strip::BLOCK)). `c` has the
/// [`constants`](super::constants) of each prime, each of them [`Reducer::scaled`], with the scaled
/// offset as the start of the sum. With `lazy` they are [`lazy_constant`]s instead, the sum starts
/// from `q * 2^52` more, and the results are below 4q.
#[target_feature(enable = "avx512f,avx512ifma")]
#[expect(clippy::too_many_arguments, reason = "a matrix product and its shape")]
pub fn split(
    way: Way,
    primes: &[SplitPrime],
    words: &[u64],
    len: usize,
    c: &[u64],
    rows: &mut [&mut [u64]],
    at: usize,
    prefetch: &mut RowPrefetch<'_>,
) {
    vectors!(len, way.pairs, split_vectors(way.lazy, primes, words, c, rows, at, prefetch));
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn split_vectors<const U: usize, const PAIRS: bool>(
    lazy: bool,
    p: &[SplitPrime],
    words: &[u64],
    c: &[u64],
    rows: &mut [&mut [u64]],
    at: usize,
    prefetch: &mut RowPrefetch<'_>,
) {
    let w = words.len() / (8 * U);
    assert!(words.len() == 8 * U * w && c.len() == p.len() * row(w) && rows.len() == p.len());
    assert!(rows.iter().all(|r| at + 8 * U <= r.len()));
    // SAFETY: `words` has w rows of 8 * U words.
    let common = unsafe { pairs::<U>(words.as_ptr(), if PAIRS { w } else { 0 }) };
    let mut i = 0;
    while i < p.len() {
        let (c, rows) = (&c[i * row(w)..], &mut rows[i..]);
        let outputs = (p.len() - i).min(if PAIRS { PAIRED_OUTPUTS } else { OUTPUTS });
        // SAFETY: as above; there are constants, and a row with 8 * U words from `at` on, for each
        // prime.
        unsafe {
            match outputs {
                1 => split_primes::<U, 1, PAIRS>(lazy, &p[i..], words, w, c, &common, rows, at, prefetch),
                2 => split_primes::<U, 2, PAIRS>(lazy, &p[i..], words, w, c, &common, rows, at, prefetch),
                _ => split_primes::<U, 3, PAIRS>(lazy, &p[i..], words, w, c, &common, rows, at, prefetch),
            }
        }
        i += outputs;
    }
}

/// # Safety
/// `words` has w rows of 8 * U words; there are J primes with [`constants`](super::constants) each,
/// and rows with 8 * U words from `at` on.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
#[expect(clippy::too_many_arguments, reason = "a matrix product and its shape")]
unsafe fn split_primes<const U: usize, const J: usize, const PAIRS: bool>(
    lazy: bool,
    primes: &[SplitPrime],
    words: &[u64],
    w: usize,
    c: &[u64],
    common: &[[__m512i; U]; 2],
    rows: &mut [&mut [u64]],
    at: usize,
    prefetch: &mut RowPrefetch<'_>,
) {
    // SAFETY: by the caller's promise.
    let [lo, hi] = unsafe { sums::<U, J, PAIRS, 2>(words.as_ptr(), w, c.as_ptr(), common, prefetch) };
    let low = _mm512_set1_epi64((1 << 50) - 1);
    for j in 0..J {
        let lanes = primes[j].reducer.lanes();
        let fold = _mm512_set1_epi64(primes[j].fold as i64);
        for u in 0..U {
            let (lo, hi) = (lo[j][u], _mm512_add_epi64(hi[j][u], _mm512_srli_epi64::<52>(lo[j][u])));
            let residue = if lazy {
                lanes.reduce_half(lo, hi)
            } else {
                let hi = _mm512_madd52lo_epu64(_mm512_and_si512(hi, low), _mm512_srli_epi64::<50>(hi), fold);
                lanes.reduce_words(lo, hi)
            };
            // SAFETY: the row has 8 * U words from `at` on.
            unsafe { store(rows[j], at + 8 * u, residue) };
            // The next block of the result is prefetched. Any address may be prefetched: nothing is
            // read architecturally.
            _mm_prefetch::<_MM_HINT_ET0>(rows[j].as_ptr().wrapping_add(at + 8 * (U + u)).cast());
        }
    }
}
