//! Big coefficients and their residues: two matrix products of 52-bit words by 50-bit constants, on blocks of up to
//! [`BLOCK`] coefficients whose words lie together: row k of a block is its word k.
//!
//! Both keep the sums of products unreduced, low and high halves apart, for as many vectors and outputs as registers hold:
//! four vectors by three outputs are 24 sums, fed by seven loads for 24 multiply-adds. Proofs: `docs/proofs/big.md`.

use std::arch::x86_64::*;

use super::arith::{Fraction, Reducer, load, store};
use crate::big::BLOCK;

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
    /// `2^50 mod q`.
    fold: u64,
    /// `-2^104` times the offset.
    offset: u64,
}

impl SplitPrime {
    /// For sums of `words` products and `offset`, a residue of the prime of `reducer`; `None` where they may be too large for
    /// the reduction.
    pub fn new(reducer: &Reducer, m: &ringjet_math::Modulus, offset: u64, words: usize) -> Option<Self> {
        let fold = m.reduce(1 << 50);
        // what lies above 2^102 in a sum below (words + 1) 2^52 q, times the fold, must stay below 2^51
        let most = ((words as u128 + 1) * u128::from(m.value()) >> 50) + 1;
        (words <= MOST && most * u128::from(fold) < 1 << 51).then(|| Self {
            reducer: *reducer,
            fold,
            offset: reducer.scaled(m, offset),
        })
    }
}

/// `rows[i][at..] = sum over k of words_k c_ik + offset_i mod p_i` for a block: `words` has rows of `len` words (a multiple of
/// 8, at most [`BLOCK`]), `c` as many [`Reducer::scaled`] constants for each prime.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn split(primes: &[SplitPrime], words: &[u64], len: usize, c: &[u64], rows: &mut [&mut [u64]], at: usize) {
    match len {
        32 => split_vectors::<4>(primes, words, c, rows, at),
        24 => split_vectors::<3>(primes, words, c, rows, at),
        16 => split_vectors::<2>(primes, words, c, rows, at),
        8 => split_vectors::<1>(primes, words, c, rows, at),
        _ => unreachable!("blocks of whole vectors, not {len}"),
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn split_vectors<const U: usize>(p: &[SplitPrime], words: &[u64], c: &[u64], rows: &mut [&mut [u64]], at: usize) {
    let w = words.len() / (8 * U);
    assert!(words.len() == 8 * U * w && c.len() == p.len() * w && rows.len() == p.len());
    assert!(rows.iter().all(|r| at + 8 * U <= r.len()));
    let mut i = 0;
    while i < p.len() {
        let (c, rows) = (&c[i * w..], &mut rows[i..]);
        // SAFETY: `words` has w rows of 8 U words; `c` has w words, `rows` a row with 8 U words from `at` on, for each prime.
        unsafe {
            match p.len() - i {
                1 => split_primes::<U, 1>(&p[i..], words, w, c, rows, at),
                2 => split_primes::<U, 2>(&p[i..], words, w, c, rows, at),
                _ => split_primes::<U, TOGETHER>(&p[i..], words, w, c, rows, at),
            }
        }
        i += TOGETHER;
    }
}

/// # Safety
/// `words` has w rows of 8 U words; there are J primes with w words of `c` each, and rows with 8 U words from `at` on.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn split_primes<const U: usize, const J: usize>(
    primes: &[SplitPrime],
    words: &[u64],
    w: usize,
    c: &[u64],
    rows: &mut [&mut [u64]],
    at: usize,
) {
    let zero = _mm512_setzero_si512();
    let mut lo = [[zero; U]; J];
    let mut hi = [[zero; U]; J];
    let (words, c) = (words.as_ptr(), c.as_ptr());
    for k in 0..w {
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
        let offset = _mm512_set1_epi64(primes[j].offset as i64);
        for u in 0..U {
            let lo = _mm512_add_epi64(lo[j][u], offset);
            let hi = _mm512_add_epi64(hi[j][u], _mm512_srli_epi64::<52>(lo));
            let hi = _mm512_madd52lo_epu64(_mm512_and_si512(hi, low), _mm512_srli_epi64::<50>(hi), fold);
            // SAFETY: the row has 8 U words from `at` on.
            unsafe { store(rows[j], at + 8 * u, lanes.reduce_words(lo, hi)) };
        }
    }
}

/// `out_k = word k of sum of y_i hat_i`, for words `first..first + count` of each, the lower ones left out: `y` has rows of `len`
/// words, `hat` rows of `stride` words, `out` `count` rows of `len`. The highest word has what lies beyond it cut off.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn join(y: &[u64], len: usize, hat: &[u64], stride: usize, first: usize, out: &mut [u64]) {
    match len {
        32 => join_vectors::<4>(y, hat, stride, first, out),
        24 => join_vectors::<3>(y, hat, stride, first, out),
        16 => join_vectors::<2>(y, hat, stride, first, out),
        8 => join_vectors::<1>(y, hat, stride, first, out),
        _ => unreachable!("blocks of whole vectors, not {len}"),
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn join_vectors<const U: usize>(y: &[u64], hat: &[u64], stride: usize, first: usize, out: &mut [u64]) {
    let (inputs, count) = (y.len() / (8 * U), out.len() / (8 * U));
    assert!(y.len() == 8 * U * inputs && out.len() == 8 * U * count && inputs <= MOST);
    assert!(hat.len() == inputs * stride && first + count <= stride);
    let mut carry = [_mm512_setzero_si512(); U];
    let mut k = 0;
    while k < count {
        // SAFETY: `y` has `inputs` rows of 8 U words, `hat` as many of `stride`, `out` has `count` rows.
        unsafe {
            match count - k {
                1 => join_words::<U, 1>(y, inputs, &hat[first + k..], stride, &mut carry, &mut out[8 * U * k..]),
                2 => join_words::<U, 2>(y, inputs, &hat[first + k..], stride, &mut carry, &mut out[8 * U * k..]),
                _ => join_words::<U, TOGETHER>(y, inputs, &hat[first + k..], stride, &mut carry, &mut out[8 * U * k..]),
            }
        }
        k += TOGETHER;
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
) {
    let zero = _mm512_setzero_si512();
    let mut lo = [[zero; U]; J];
    let mut hi = [[zero; U]; J];
    let (rows, hats) = (y.as_ptr(), hat.as_ptr());
    for i in 0..inputs {
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
            let sum = _mm512_add_epi64(lo[j][u], carry[u]);
            // SAFETY: row j has 8 U words.
            unsafe { store(out, 8 * (U * j + u), _mm512_and_si512(sum, mask)) };
            carry[u] = _mm512_add_epi64(hi[j][u], _mm512_srli_epi64::<52>(sum));
        }
    }
}

/// Takes a block of one row of residues to where [`join`] wants it, times w where given, and adds its fractions to `sum`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn gather(
    r: &Reducer,
    x: &[u64],
    w: Option<super::arith::Constant>,
    bits: u32,
    ratio: u64,
    y: &mut [u64],
    sum: &mut [u64],
) {
    assert!(x.len().is_multiple_of(8) && y.len() == x.len() && sum.len() == x.len() && x.len() <= 8 * VECTORS);
    let (lanes, fraction) = (r.lanes(), Fraction::new(bits, ratio));
    let w = match w {
        Some(w) => Some(super::arith::splat(w)),
        None => None,
    };
    for i in (0..x.len()).step_by(8) {
        // SAFETY: all slices have the length of `x`, a multiple of 8.
        unsafe {
            let x = load(x, i);
            let v = match w {
                Some(w) => lanes.mul(_mm512_setzero_si512(), x, w),
                None => x,
            };
            store(y, i, v);
            store(sum, i, fraction.add(load(sum, i), v));
        }
    }
}
