//! Big coefficients and their residues: two matrix products of 52-bit words by 50-bit constants, on blocks of up to
//! [`BLOCK`] coefficients whose words lie together: row k of a block is its word k.
//!
//! Both keep the sums of products unreduced, low and high halves apart, for as many vectors and outputs as registers hold:
//! four vectors by three outputs are 24 sums, fed by seven loads for 24 multiply-adds. Proofs: `docs/proofs/big.md`.

use std::arch::x86_64::*;

use ringjet_math::Modulus;

use super::arith::{Constant, Fraction, Reducer, Sum, TERMS, load, splat, store};
use crate::big::BLOCK;
use crate::memory::{Fetch, Rows};

/// Outputs made together.
const TOGETHER: usize = 3;
/// Vectors of a block.
const VECTORS: usize = BLOCK / 8;
/// Most words or primes: sums of so many halves below 2^52 and a carry stay below 2^63.
pub const MOST: usize = 1 << 10;

/// Constants of one prime for [`split`].
#[derive(Debug, Clone, Copy)]
pub struct SplitPrime {
    reducer: Reducer,
    /// `2^50 mod q`, where sums are to be reduced to canonical residues.
    fold: u64,
    /// The offset, with the factor that the constants have.
    offset: u64,
}

impl SplitPrime {
    /// For sums of `words` products and `offset`, a residue of the prime of `reducer`; `None` where they may be too large for
    /// the reduction.
    pub fn new(reducer: &Reducer, m: &Modulus, offset: u64, words: usize) -> Option<Self> {
        let fold = m.reduce(1 << 50);
        // what lies above 2^102 in a sum below (words + 1) 2^52 q, times the fold, must stay below 2^51
        let most = (((words as u128 + 1) * u128::from(m.value())) >> 50) + 1;
        (words <= MOST && most * u128::from(fold) < 1 << 51).then(|| Self {
            reducer: *reducer,
            fold,
            offset: reducer.scaled(m, offset),
        })
    }

    /// For [`lazy_constant`]s.
    pub fn lazy(reducer: &Reducer, m: &Modulus, offset: u64) -> Self {
        Self { reducer: *reducer, fold: 0, offset: lazy_constant(m, offset) }
    }
}

/// `2^52 c mod q`: lazy reductions divide by that.
pub fn lazy_constant(m: &Modulus, c: u64) -> u64 {
    m.mul(c, m.reduce(1 << 52))
}

/// A number by which the powers `1, 2^52, ...`, so many of them, are to be multiplied so that their constants are below 3q together: the lazy
/// reduction does then. For some words the first or second number is one, for many none is found.
pub fn lazy_multiple(m: &Modulus, words: usize) -> Option<u64> {
    let word = m.reduce(1 << 52);
    let constants = |multiple: u64| std::iter::successors(Some(m.mul(multiple, word)), move |&c| Some(m.mul(c, word)));
    let sum = |multiple: u64| constants(multiple).take(words).map(u128::from).sum::<u128>();
    (1..=64).find(|&multiple| sum(m.reduce(multiple)) < 3 * u128::from(m.value()))
}

/// `rows[i][at..] = sum over k of words_k c_ik + offset_i mod p_i` for a block: `words` has rows of `len` words (a multiple of
/// 8, at most [`BLOCK`]), `c` as many constants for each prime: [`Reducer::scaled`] ones.
/// Where `LAZY`, they are [`lazy_constant`]s, those of a prime below 3q together, and the results below 4q.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn split<const LAZY: bool>(
    primes: &[SplitPrime],
    words: &[u64],
    len: usize,
    c: &[u64],
    rows: &mut [&mut [u64]],
    at: usize,
    fetch: &mut Fetch<'_>,
) {
    match len {
        32 => split_vectors::<4, LAZY>(primes, words, c, rows, at, fetch),
        24 => split_vectors::<3, LAZY>(primes, words, c, rows, at, fetch),
        16 => split_vectors::<2, LAZY>(primes, words, c, rows, at, fetch),
        8 => split_vectors::<1, LAZY>(primes, words, c, rows, at, fetch),
        _ => unreachable!("blocks of whole vectors, not {len}"),
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn split_vectors<const U: usize, const LAZY: bool>(
    p: &[SplitPrime],
    words: &[u64],
    c: &[u64],
    rows: &mut [&mut [u64]],
    at: usize,
    fetch: &mut Fetch<'_>,
) {
    let w = words.len() / (8 * U);
    assert!(words.len() == 8 * U * w && c.len() == p.len() * w && rows.len() == p.len());
    assert!(rows.iter().all(|r| at + 8 * U <= r.len()));
    let mut i = 0;
    while i < p.len() {
        let (c, rows) = (&c[i * w..], &mut rows[i..]);
        // SAFETY: `words` has w rows of 8 U words; `c` has w words, `rows` a row with 8 U words from `at` on, for each prime.
        unsafe {
            match p.len() - i {
                1 => split_primes::<U, 1, LAZY>(&p[i..], words, w, c, rows, at, fetch),
                2 => split_primes::<U, 2, LAZY>(&p[i..], words, w, c, rows, at, fetch),
                _ => split_primes::<U, TOGETHER, LAZY>(&p[i..], words, w, c, rows, at, fetch),
            }
        }
        i += TOGETHER;
    }
}

/// # Safety
/// `words` has w rows of 8 U words; there are J primes with w words of `c` each, and rows with 8 U words from `at` on.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn split_primes<const U: usize, const J: usize, const LAZY: bool>(
    primes: &[SplitPrime],
    words: &[u64],
    w: usize,
    c: &[u64],
    rows: &mut [&mut [u64]],
    at: usize,
    fetch: &mut Fetch<'_>,
) {
    let zero = _mm512_setzero_si512();
    let mut lo = [[zero; U]; J];
    let mut hi = [[zero; U]; J];
    for j in 0..J {
        lo[j] = [_mm512_set1_epi64(primes[j].offset as i64); U];
        if LAZY {
            hi[j] = [primes[j].reducer.lanes().q; U];
        }
    }
    let (words, c) = (words.as_ptr(), c.as_ptr());
    for k in 0..w {
        fetch.line();
        let mut x = [zero; U];
        for (u, x) in x.iter_mut().enumerate() {
            // SAFETY: row k has 8 U words.
            *x = unsafe { _mm512_loadu_si512(words.add(8 * (U * k + u)).cast()) };
        }
        for j in 0..J {
            // SAFETY: j < J and k < w.
            let c = _mm512_set1_epi64(unsafe { *c.add(j * w + k) } as i64);
            for u in 0..U {
                lo[j][u] = _mm512_madd52lo_epu64(lo[j][u], x[u], c);
                hi[j][u] = _mm512_madd52hi_epu64(hi[j][u], x[u], c);
            }
        }
    }
    let low = _mm512_set1_epi64((1 << 50) - 1);
    for j in 0..J {
        let lanes = primes[j].reducer.lanes();
        let fold = _mm512_set1_epi64(primes[j].fold as i64);
        for u in 0..U {
            let (lo, hi) = (lo[j][u], _mm512_add_epi64(hi[j][u], _mm512_srli_epi64::<52>(lo[j][u])));
            let residue = if LAZY {
                lanes.reduce_half(lo, hi)
            } else {
                let hi = _mm512_madd52lo_epu64(_mm512_and_si512(hi, low), _mm512_srli_epi64::<50>(hi), fold);
                lanes.reduce_words(lo, hi)
            };
            // SAFETY: the row has 8 U words from `at` on.
            unsafe { store(rows[j], at + 8 * u, residue) };
            // Where the next block goes. Any address may be prefetched: nothing is read architecturally.
            _mm_prefetch::<_MM_HINT_ET0>(rows[j].as_ptr().wrapping_add(at + 8 * (U + u)).cast());
        }
    }
}

/// `out_k = old out_k + word k of sum of y_i hat_i`, for these `words`, the lower ones left out: `y` has rows of `len`
/// words, `hat` rows of `stride` words, `out` a row of `len` at least for each word, through which the carry goes on. The highest word has
/// what lies beyond it cut off.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn join(
    y: &[u64],
    len: usize,
    hat: &[u64],
    stride: usize,
    words: std::ops::Range<usize>,
    out: &mut [u64],
    fetch: &mut Fetch<'_>,
) {
    match len {
        32 => join_vectors::<4>(y, hat, stride, words, out, fetch),
        24 => join_vectors::<3>(y, hat, stride, words, out, fetch),
        16 => join_vectors::<2>(y, hat, stride, words, out, fetch),
        8 => join_vectors::<1>(y, hat, stride, words, out, fetch),
        _ => unreachable!("blocks of whole vectors, not {len}"),
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn join_vectors<const U: usize>(
    y: &[u64],
    hat: &[u64],
    stride: usize,
    words: std::ops::Range<usize>,
    out: &mut [u64],
    fetch: &mut Fetch<'_>,
) {
    let (inputs, first, count, rows) = (y.len() / (8 * U), words.start, words.len(), out.len() / (8 * U));
    assert!(y.len() == 8 * U * inputs && out.len() == 8 * U * rows && count <= rows && inputs <= MOST);
    assert!(hat.len() == inputs * stride && words.end <= stride);
    let mut carry = [_mm512_setzero_si512(); U];
    let mut k = 0;
    while k < count {
        let (hat, out) = (&hat[first + k..], &mut out[8 * U * k..]);
        // SAFETY: `y` has `inputs` rows of 8 U words, `hat` as many of `stride`, `out` has `count` rows.
        unsafe {
            match count - k {
                1 => join_words::<U, 1>(y, inputs, hat, stride, &mut carry, out, fetch),
                2 => join_words::<U, 2>(y, inputs, hat, stride, &mut carry, out, fetch),
                _ => join_words::<U, TOGETHER>(y, inputs, hat, stride, &mut carry, out, fetch),
            }
        }
        k += TOGETHER;
    }
    let mask = _mm512_set1_epi64((1 << 52) - 1);
    for row in count..rows {
        for (u, carry) in carry.iter_mut().enumerate() {
            // SAFETY: `row` is one of the rows of `out`.
            unsafe {
                let sum = _mm512_add_epi64(load(out, 8 * (U * row + u)), *carry);
                store(out, 8 * (U * row + u), _mm512_and_si512(sum, mask));
                *carry = _mm512_srli_epi64::<52>(sum);
            }
        }
    }
}

/// # Safety
/// `y` has `inputs` rows of 8 U words, `hat` J words at every multiple of `stride` below `inputs * stride`, `out` has J rows of
/// 8 U words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn join_words<const U: usize, const J: usize>(
    y: &[u64],
    inputs: usize,
    hat: &[u64],
    stride: usize,
    carry: &mut [__m512i; U],
    out: &mut [u64],
    fetch: &mut Fetch<'_>,
) {
    let zero = _mm512_setzero_si512();
    let mut lo = [[zero; U]; J];
    let mut hi = [[zero; U]; J];
    let (rows, hats) = (y.as_ptr(), hat.as_ptr());
    for i in 0..inputs {
        if i % 2 == 0 {
            fetch.line();
        }
        let mut x = [zero; U];
        for (u, x) in x.iter_mut().enumerate() {
            // SAFETY: row i has 8 U words.
            *x = unsafe { _mm512_loadu_si512(rows.add(8 * (U * i + u)).cast()) };
        }
        for j in 0..J {
            // SAFETY: there are J words at i * stride.
            let c = _mm512_set1_epi64(unsafe { *hats.add(i * stride + j) } as i64);
            for u in 0..U {
                lo[j][u] = _mm512_madd52lo_epu64(lo[j][u], x[u], c);
                hi[j][u] = _mm512_madd52hi_epu64(hi[j][u], x[u], c);
            }
        }
    }
    let mask = _mm512_set1_epi64((1 << 52) - 1);
    for j in 0..J {
        for u in 0..U {
            // SAFETY: row j has 8 U words.
            let old = unsafe { load(out, 8 * (U * j + u)) };
            let sum = _mm512_add_epi64(_mm512_add_epi64(lo[j][u], old), carry[u]);
            // SAFETY: as above.
            unsafe { store(out, 8 * (U * j + u), _mm512_and_si512(sum, mask)) };
            carry[u] = _mm512_add_epi64(hi[j][u], _mm512_srli_epi64::<52>(sum));
        }
    }
}

/// Constants of one prime for [`gather`].
#[derive(Debug, Clone, Copy)]
pub struct JoinPrime {
    reducer: Reducer,
    /// What [`gather`] multiplies residues by.
    scale: Constant,
    bits: u32,
    /// See [`Fraction`].
    ratio: u64,
}

impl JoinPrime {
    /// For residues that are multiplied by `scale`, and fractions with the factor `ratio`.
    pub fn new(reducer: &Reducer, m: &Modulus, scale: u64, ratio: u64) -> Self {
        Self { reducer: *reducer, scale: reducer.constant(m, scale), bits: m.bits(), ratio }
    }
}

/// Takes residues of prime number `i` of `count` to where [`join`] wants them: in blocks of `len` words, of each block those of all
/// primes behind each other, scaled, and behind them, with the quotient v of `ringjet_math::big::CrtJoin`,
/// `count + 1 - v`. Primes come one after the other.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn gather(p: &JoinPrime, i: usize, count: usize, row: &[u64], len: usize, y: &mut [u64]) {
    let size = (count + 1) * len;
    assert!(i < count && len.is_multiple_of(8) && row.len().is_multiple_of(len) && y.len() == row.len() / len * size);
    let half = _mm512_set1_epi64(1 << (ringjet_math::rns::FRACTION_BITS - 1));
    let most = _mm512_set1_epi64(count as i64 + 1);
    let (lanes, fraction, last) = (p.reducer.lanes(), Fraction::new(p.bits, p.ratio), i + 1 == count);
    for (y, row) in y.chunks_exact_mut(size).zip(row.chunks_exact(len)) {
        for k in (0..len).step_by(8) {
            // SAFETY: word k is in the row; a block of `y` has `count + 1` rows of `len` words.
            unsafe {
                let v = lanes.mul(_mm512_setzero_si512(), load(row, k), splat(p.scale));
                store(y, i * len + k, v);
                let sum = if i == 0 { half } else { load(y, count * len + k) };
                let sum = fraction.add(sum, v);
                let quotient = _mm512_srli_epi64::<{ ringjet_math::rns::FRACTION_BITS }>(sum);
                let result = if last { _mm512_sub_epi64(most, quotient) } else { sum };
                store(y, count * len + k, result);
            }
        }
    }
}

/// What [`gather`] leaves behind a block's residues, of residues that are there already.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn quotients(primes: &[JoinPrime], len: usize, y: &mut [u64], fetch: &mut Fetch<'_>) {
    let count = primes.len();
    assert!(len.is_multiple_of(8) && len <= BLOCK && y.len() == (count + 1) * len);
    let vectors = len / 8;
    let mut sums = [_mm512_set1_epi64(1 << (ringjet_math::rns::FRACTION_BITS - 1)); VECTORS];
    for (i, p) in primes.iter().enumerate() {
        let fraction = Fraction::new(p.bits, p.ratio);
        fetch.line();
        for (u, sum) in sums.iter_mut().enumerate().take(vectors) {
            // SAFETY: row i has `len` words.
            *sum = fraction.add(*sum, unsafe { load(y, i * len + 8 * u) });
        }
    }
    let most = _mm512_set1_epi64(count as i64 + 1);
    for (u, sum) in sums.into_iter().enumerate().take(vectors) {
        let quotient = _mm512_srli_epi64::<{ ringjet_math::rns::FRACTION_BITS }>(sum);
        // SAFETY: behind the rows there is one more.
        unsafe { store(y, count * len + 8 * u, _mm512_sub_epi64(most, quotient)) };
    }
}

/// `out_s = -2^-104 sum over (i, j) in sums_s of x_i x_j mod q`: all factors x come in as many blocks of [`BLOCK`] words, and `out` has as
/// many words for each sum, one behind the other. All sums of a block are made together, so that factors are read in order.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn products(r: &Reducer, factors: &[Rows<'_>], sums: &[Vec<[usize; 2]>], out: &mut [u64]) {
    let n = out.len() / sums.len();
    let blocks = n / BLOCK;
    assert!(out.len() == n * sums.len() && n.is_multiple_of(BLOCK));
    assert!(factors.iter().all(|x| x.count() == blocks && x.words() == BLOCK));
    assert!(sums.iter().flatten().flatten().all(|&i| i < factors.len()));
    let lanes = r.lanes();
    let places: Vec<(*const u64, usize)> = factors.iter().map(|x| x.place()).collect();
    let mut now: Vec<*const u64> = places.iter().map(|x| x.0).collect();
    for block in 0..blocks {
        for (s, sum) in sums.iter().enumerate() {
            let mut result = [_mm512_setzero_si512(); VECTORS];
            for (chunk, terms) in sum.chunks(TERMS).enumerate() {
                let mut acc = [Sum::zero(); VECTORS];
                for &[i, j] in terms {
                    // SAFETY: i and j are below the number of factors, whose blocks have 8 VECTORS words.
                    unsafe {
                        let (x, y) = (*now.get_unchecked(i), *now.get_unchecked(j));
                        for (u, acc) in acc.iter_mut().enumerate() {
                            acc.add(_mm512_loadu_si512(x.add(8 * u).cast()), _mm512_loadu_si512(y.add(8 * u).cast()));
                        }
                    }
                }
                for (result, acc) in result.iter_mut().zip(acc) {
                    let reduced = lanes.reduce(acc);
                    *result = if chunk == 0 { reduced } else { lanes.correct(_mm512_add_epi64(*result, reduced)) };
                }
            }
            for (u, result) in result.into_iter().enumerate() {
                // SAFETY: `s n + (block + 1) BLOCK <= out.len()`.
                unsafe { store(out, s * n + block * BLOCK + 8 * u, result) };
            }
        }
        for (now, place) in now.iter_mut().zip(&places) {
            *now = now.wrapping_add(place.1);
        }
    }
}
