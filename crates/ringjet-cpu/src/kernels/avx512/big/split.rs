//! Conversion of big coefficients to residues, with AVX-512 without IFMA.

use std::arch::x86_64::*;

use ringjet_math::Modulus;

use super::sums::{Form, VECTORS, form, store_pieces, sums, vectors};
use crate::kernels::avx512::arith::{Reducer, load, store};

/// Constants of one prime for [`split`].
#[derive(Debug, Clone, Copy)]
pub struct SplitPrime {
    reducer: Reducer,
    /// `2^62` times the offset, modulo the prime.
    offset: u64,
}

impl SplitPrime {
    /// The constants for the prime of `reducer`, and the residue `offset`, which is added to each
    /// sum.
    pub fn new(reducer: &Reducer, m: &Modulus, offset: u64) -> Self {
        Self { reducer: *reducer, offset: reducer.scaled(m, offset) }
    }
}

/// Cuts words in rows of `len` into pieces, as [`split`] takes them.
#[target_feature(enable = "avx512f")]
pub fn cut(form: Form, words: &[u64], len: usize, y: &mut [u64]) {
    vectors!(form, len, cut_vectors(words, len, y));
}

#[target_feature(enable = "avx512f")]
fn cut_vectors<const U: usize, const WIDE: bool>(from: usize, words: &[u64], len: usize, y: &mut [u64]) {
    let (pieces, rows) = (form(WIDE).pieces(), words.len() / len);
    let y = &mut y[from * pieces * rows..][..8 * U * pieces * rows];
    for (k, row) in words.chunks_exact(len).enumerate() {
        let x = &row[from..][..8 * U];
        for u in 0..U {
            // SAFETY: `x` has 8 * U words, and `y` the pieces of 8 * U words for each row.
            unsafe { store_pieces::<U>(form(WIDE), load(x, 8 * u), 26, y, 8 * (U * pieces * k + u)) };
        }
    }
}

/// `rows[i][at..] = sum over k of words_k * c_ik + offset_i mod p_i` for a block of `len` words, a
/// multiple of 8. `y` has the pieces of the words ([`cut`]). `c` has for each prime the pieces of
/// as many constants [`Reducer::scaled`].
#[target_feature(enable = "avx512f,avx512dq")]
pub fn split(form: Form, primes: &[SplitPrime], y: &[u64], len: usize, c: &[u32], rows: &mut [&mut [u64]], at: usize) {
    let w = y.len() / (len * form.pieces());
    assert!(y.len() == w * len * form.pieces() && c.len() == primes.len() * w * form.pieces());
    assert!(rows.len() == primes.len() && rows.iter().all(|r| at + len <= r.len()));
    vectors!(form, len, split_vectors(primes, y, w, c, rows, at));
}

#[target_feature(enable = "avx512f,avx512dq")]
fn split_vectors<const U: usize, const WIDE: bool>(
    from: usize,
    p: &[SplitPrime],
    y: &[u64],
    w: usize,
    c: &[u32],
    rows: &mut [&mut [u64]],
    at: usize,
) {
    let (pieces, outputs) = (form(WIDE).pieces(), if WIDE { 3 } else { 4 });
    let y = y[from * pieces * w..][..8 * U * pieces * w].as_ptr();
    for i in (0..p.len()).step_by(outputs) {
        let (c, rows) = (c[i * w * pieces..].as_ptr(), &mut rows[i..]);
        let p = &p[i..];
        // SAFETY: `y` has the pieces of w rows of 8 * U words, `c` those of w constants for each
        // prime; each of `rows` has 8 * U words from `at + from` on.
        unsafe {
            match p.len().min(outputs) {
                1 => split_primes::<U, 1, WIDE>(p, y, w, c, rows, at + from),
                2 => split_primes::<U, 2, WIDE>(p, y, w, c, rows, at + from),
                3 => split_primes::<U, 3, WIDE>(p, y, w, c, rows, at + from),
                _ => split_primes::<U, 4, WIDE>(p, y, w, c, rows, at + from),
            }
        }
    }
}

/// # Safety
/// `y` has the pieces of w rows of 8 * U words, `c` those of w constants for each of J primes; J of
/// `rows` have 8 * U words from `at` on.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn split_primes<const U: usize, const J: usize, const WIDE: bool>(
    primes: &[SplitPrime],
    y: *const u64,
    w: usize,
    c: *const u32,
    rows: &mut [&mut [u64]],
    at: usize,
) {
    // SAFETY: by the caller's promise.
    let [ll, lh, hl, hh] = unsafe { sums::<U, J, WIDE>(y, w, c) };
    for j in 0..J {
        let lanes = primes[j].reducer.lanes();
        let offset = _mm512_set1_epi64(primes[j].offset as i64);
        for u in 0..U {
            let (ll, hh) = (_mm512_add_epi64(ll[j][u], offset), hh[j][u]);
            let (low, high) = if WIDE { wide(ll, lh[j][u], hl[j][u], hh) } else { narrow(ll, lh[j][u], hh) };
            // SAFETY: by the caller's promise.
            unsafe { store(rows[j], at + 8 * u, lanes.reduce_words(low, high)) };
            // The next block of the result is prefetched. Any address may be prefetched: nothing is
            // read architecturally.
            _mm_prefetch::<_MM_HINT_ET0>(rows[j].as_ptr().wrapping_add(at + 8 * (2 * VECTORS + u)).cast());
        }
    }
}

/// Splits `hh * 2^52 + mid * 2^26 + ll` into its lowest 62 bits (with possible garbage above them)
/// and its bits above those 62.
#[inline]
#[target_feature(enable = "avx512f")]
fn narrow(ll: __m512i, mid: __m512i, hh: __m512i) -> (__m512i, __m512i) {
    let low = _mm512_add_epi64(ll, _mm512_slli_epi64::<26>(mid));
    let low = _mm512_add_epi64(low, _mm512_slli_epi64::<52>(hh));
    let above = _mm512_add_epi64(_mm512_srli_epi64::<26>(ll), mid);
    let above = _mm512_add_epi64(_mm512_srli_epi64::<26>(above), hh);
    (low, _mm512_srli_epi64::<10>(above))
}

/// [`narrow`] for `hh * 2^57 + lh * 2^31 + hl * 2^26 + ll`.
#[inline]
#[target_feature(enable = "avx512f")]
fn wide(ll: __m512i, lh: __m512i, hl: __m512i, hh: __m512i) -> (__m512i, __m512i) {
    let low = _mm512_add_epi64(ll, _mm512_slli_epi64::<26>(hl));
    let high = _mm512_add_epi64(_mm512_slli_epi64::<31>(lh), _mm512_slli_epi64::<57>(hh));
    let above = _mm512_add_epi64(_mm512_srli_epi64::<26>(ll), hl);
    let above = _mm512_add_epi64(_mm512_srli_epi64::<5>(above), lh);
    let above = _mm512_add_epi64(_mm512_srli_epi64::<26>(above), hh);
    (_mm512_add_epi64(low, high), _mm512_srli_epi64::<5>(above))
}
