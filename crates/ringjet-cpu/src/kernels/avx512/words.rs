//! Shifts, linear combinations and automorphisms of big coefficients: additions and carries, with
//! AVX-512 F. Memory bandwidth limits them. So they process a tile of one row after another and
//! keep the carries of the tile's coefficients in the first-level cache. Then only a few streams
//! are read and written at a time. The lines of the next row are prefetched. Proofs of the ranges:
//! `docs/proofs/big.md`.

use std::arch::x86_64::*;

use ringjet_backend::big::digits;
use ringjet_math::big::top_mask;

use super::arith::{load, store};
use crate::kernels::scalar::big::Term;
use crate::operands::rows::{Rows, RowsMut};

const LOW: i64 = (1 << 52) - 1;

/// Prefetches a line of a row that will be read. Any address may be prefetched: nothing is read
/// architecturally.
#[inline]
#[target_feature(enable = "avx512f")]
fn prefetch(row: Option<&&[u64]>, at: usize) {
    if let Some(row) = row {
        _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().wrapping_add(at).cast());
    }
}

/// Prefetches a line of a row that will be written.
#[inline]
#[target_feature(enable = "avx512f")]
fn fetch_to_write(rows: &[&mut [u64]], k: usize, at: usize) {
    if let Some(row) = rows.get(k) {
        _mm_prefetch::<_MM_HINT_ET0>(row.as_ptr().wrapping_add(at).cast());
    }
}

/// The mask of the bits that word k of integers modulo `2^bits`, of `count` words, may have.
fn mask(k: usize, count: usize, bits: u32) -> i64 {
    if k + 1 == count { top_mask(bits) as i64 } else { LOW }
}

/// [`crate::kernels::scalar::big::shift_round`] for whole vectors. `carry` has a word for each
/// coefficient.
#[target_feature(enable = "avx512f")]
pub fn shift_round(rows: &[&[u64]], bits: u32, shift: u32, carry: &mut [u64], out: &mut [&mut [u64]]) {
    let (skip, len, count) = ((shift / 52) as usize, carry.len(), out.len());
    assert!(len.is_multiple_of(8) && skip + count <= rows.len());
    assert!(rows.iter().all(|row| row.len() == len) && out.iter().all(|row| row.len() == len));
    match shift.checked_sub(1) {
        Some(half) => {
            let (row, by) = (rows[(half / 52) as usize], _mm512_set1_epi64(i64::from(half % 52)));
            for i in (0..len).step_by(8) {
                // SAFETY: all rows have `len` words, a multiple of 8.
                unsafe {
                    let bit = _mm512_srlv_epi64(load(row, i), by);
                    store(carry, i, _mm512_and_si512(bit, _mm512_set1_epi64(1)));
                }
            }
        }
        None => carry.fill(0),
    }
    let by = i64::from(shift % 52);
    let (right, left) = (_mm512_set1_epi64(by), _mm512_set1_epi64(52 - by));
    for k in 0..count {
        let mask = _mm512_set1_epi64(mask(k, count, bits - shift));
        // If there is no higher word, the same word replaces it: its bits are masked off, because
        // the result does not have them.
        let (low, high) = (rows[skip + k], rows[(skip + k + 1).min(rows.len() - 1)]);
        for i in (0..len).step_by(8) {
            prefetch(rows.get(skip + k + 2), i);
            fetch_to_write(out, k + 1, i);
            // SAFETY: as above.
            unsafe {
                let low = _mm512_srlv_epi64(load(low, i), right);
                let shifted = _mm512_or_si512(low, _mm512_sllv_epi64(load(high, i), left));
                let shifted = _mm512_and_si512(shifted, _mm512_set1_epi64(LOW));
                let sum = _mm512_add_epi64(shifted, load(carry, i));
                store(out[k], i, _mm512_and_si512(sum, mask));
                store(carry, i, _mm512_srli_epi64::<52>(sum));
            }
        }
    }
}

/// Whether [`lincomb`] can hold the sums of these terms.
pub fn fits(terms: &[Term<'_>]) -> bool {
    terms.iter().try_fold(0u64, |sum, t| sum.checked_add(t.0.unsigned_abs())).is_some_and(|sum| sum < 1 << 10)
}

/// Word k of a term, and, in its highest word, the sign bit.
struct Word<'a> {
    factor: i64,
    row: &'a [u64],
    next: Option<&'a &'a [u64]>,
    sign: i64,
}

/// Writes word k of each term that has such a word to `found`.
fn words<'a>(terms: &[Term<'a>], k: usize, found: &mut Vec<Word<'a>>) {
    found.clear();
    found.extend(terms.iter().filter(|(_, rows, _)| k < rows.len()).map(|&(factor, rows, bits)| Word {
        factor,
        row: rows[k],
        next: rows.get(k + 1),
        sign: if k + 1 == rows.len() { (top_mask(bits) ^ top_mask(bits) >> 1) as i64 } else { 0 },
    }));
}

/// [`crate::kernels::scalar::big::lincomb`] for whole vectors, for terms that fit ([`fits`]).
/// `carry` has a word for each coefficient.
#[target_feature(enable = "avx512f,avx512dq")]
pub fn lincomb(terms: &[Term<'_>], bits: u32, accumulate: bool, carry: &mut [u64], out: &mut [&mut [u64]]) {
    let (len, count) = (carry.len(), out.len());
    assert!(len.is_multiple_of(8) && out.iter().all(|row| row.len() == len));
    assert!(fits(terms) && terms.iter().all(|(_, rows, _)| rows.iter().all(|row| row.len() == len)));
    carry.fill(0);
    let mut found = Vec::with_capacity(terms.len());
    for k in 0..count {
        words(terms, k, &mut found);
        let mask = _mm512_set1_epi64(mask(k, count, bits));
        for i in (0..len).step_by(8) {
            fetch_to_write(out, k + 1, i);
            // SAFETY: all rows have `len` words, a multiple of 8.
            let mut sum = unsafe { load(carry, i) };
            if accumulate {
                // SAFETY: as above.
                sum = _mm512_add_epi64(sum, unsafe { load(out[k], i) });
            }
            for w in &found {
                prefetch(w.next, i);
                let sign = _mm512_set1_epi64(w.sign);
                // SAFETY: as above.
                let x = unsafe { load(w.row, i) };
                let x = _mm512_sub_epi64(_mm512_xor_si512(x, sign), sign);
                sum = match w.factor {
                    1 => _mm512_add_epi64(sum, x),
                    -1 => _mm512_sub_epi64(sum, x),
                    factor => _mm512_add_epi64(sum, _mm512_mullo_epi64(x, _mm512_set1_epi64(factor))),
                };
            }
            // SAFETY: as above.
            unsafe {
                store(out[k], i, _mm512_and_si512(sum, mask));
                store(carry, i, _mm512_srai_epi64::<52>(sum));
            }
        }
    }
}

/// [`lincomb`] for any factors, with at most 2^10 terms, by 52-bit products.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn lincomb_ifma(terms: &[Term<'_>], bits: u32, accumulate: bool, carry: &mut [u64], out: &mut [&mut [u64]]) {
    let (len, count) = (carry.len(), out.len());
    assert!(len.is_multiple_of(8) && out.iter().all(|row| row.len() == len));
    assert!(terms.len() <= 1 << 10 && terms.iter().all(|(_, rows, _)| rows.iter().all(|row| row.len() == len)));
    carry.fill(0);
    let mut found = Vec::with_capacity(terms.len());
    for k in 0..count {
        words(terms, k, &mut found);
        let mask = _mm512_set1_epi64(mask(k, count, bits));
        for i in (0..len).step_by(8) {
            fetch_to_write(out, k + 1, i);
            // SAFETY: all rows have `len` words, a multiple of 8.
            let mut sum = unsafe { load(carry, i) };
            if accumulate {
                // SAFETY: as above.
                sum = _mm512_add_epi64(sum, unsafe { load(out[k], i) });
            }
            let mut high = _mm512_setzero_si512();
            for w in &found {
                prefetch(w.next, i);
                // SAFETY: as above.
                let x = unsafe { load(w.row, i) };
                let factor = _mm512_set1_epi64(w.factor.abs());
                // if x is negative the multiply-adds read its lowest 52 bits, that is x + 2^52, so
                // the factor is subtracted from the high half
                let sign = _mm512_set1_epi64(w.sign);
                let negative = _mm512_test_epi64_mask(x, sign);
                let x = _mm512_sub_epi64(_mm512_xor_si512(x, sign), sign);
                let (zero, sub) = (_mm512_setzero_si512(), _mm512_maskz_mov_epi64(negative, factor));
                let lo = _mm512_madd52lo_epu64(zero, x, factor);
                let hi = _mm512_sub_epi64(_mm512_madd52hi_epu64(zero, x, factor), sub);
                if w.factor < 0 {
                    (sum, high) = (_mm512_sub_epi64(sum, lo), _mm512_sub_epi64(high, hi));
                } else {
                    (sum, high) = (_mm512_add_epi64(sum, lo), _mm512_add_epi64(high, hi));
                }
            }
            // SAFETY: as above.
            unsafe {
                store(out[k], i, _mm512_and_si512(sum, mask));
                store(carry, i, _mm512_add_epi64(high, _mm512_srai_epi64::<52>(sum)));
            }
        }
    }
}

/// [`crate::kernels::scalar::big::permute`] for whole vectors. `carry` has a bit for each
/// coefficient of the result. While the words of a row are gathered, as many words of the next row,
/// from `from` on, are prefetched in order.
#[target_feature(enable = "avx512f")]
pub fn permute(src: &[&[u64]], map: &[u32], bits: u32, from: usize, carry: &mut [u64], out: &mut [&mut [u64]]) {
    let (n, len, count) = (map.len(), out[0].len(), out.len());
    let map = &map[from..from + len];
    assert!(n.is_power_of_two() && (8..=1 << 30).contains(&n) && len.is_multiple_of(8));
    assert!(src.len() == count && src.iter().all(|row| row.len() == n) && out.iter().all(|row| row.len() == len));
    assert!(carry.len() == len.div_ceil(64));
    let (inner, beyond) = (_mm256_set1_epi32(n as i32 - 1), _mm512_set1_epi64(n as i64));
    let (low, one) = (_mm512_set1_epi64(LOW), _mm512_set1_epi64(1));
    carry.fill(u64::MAX);
    for k in 0..count {
        let mask = _mm512_set1_epi64(mask(k, count, bits));
        for (block, carries) in carry.iter_mut().enumerate() {
            let before = std::mem::take(carries);
            for i in (64 * block..len.min(64 * (block + 1))).step_by(8) {
                if let Some(row) = src.get(k + 1) {
                    // Any address may be prefetched: nothing is read architecturally.
                    _mm_prefetch::<_MM_HINT_T1>(row.as_ptr().wrapping_add(from + i).cast());
                }
                fetch_to_write(out, k + 1, i);
                // SAFETY: `map` has `len` words, a multiple of 8; an unaligned load.
                let index = unsafe { _mm256_loadu_si256(map.as_ptr().add(i).cast()) };
                // SAFETY: indices are below n, the length of the row.
                let x = unsafe { _mm512_i32gather_epi64::<8>(_mm256_and_si256(index, inner), src[k].as_ptr().cast()) };
                let negate = _mm512_test_epi64_mask(_mm512_cvtepu32_epi64(index), beyond);
                let add = negate & (before >> (i % 64)) as u8;
                let x = _mm512_mask_xor_epi64(x, negate, x, low);
                let x = _mm512_mask_add_epi64(x, add, x, one);
                *carries |= u64::from(_mm512_cmpgt_epi64_mask(x, low)) << (i % 64);
                // SAFETY: `out` has rows of `len` words.
                unsafe { store(out[k], i, _mm512_and_si512(x, mask)) };
            }
        }
    }
}

/// Fills row k of `to`, of `len` words, with `words[k]`.
#[target_feature(enable = "avx512f")]
pub fn fill(words: &[u64], len: usize, to: &mut [u64]) {
    assert!(len.is_multiple_of(8) && to.len() == words.len() * len);
    for (row, &word) in to.chunks_exact_mut(len).zip(words) {
        for u in (0..len).step_by(8) {
            // SAFETY: a row has `len` words, a multiple of 8.
            unsafe { store(row, u, _mm512_set1_epi64(word as i64)) };
        }
    }
}

/// [`crate::kernels::scalar::big::realign`] for whole vectors.
#[target_feature(enable = "avx512f")]
pub fn realign(rows: Rows<'_>, from: u32, at: usize, len: usize, top: u64, to: &mut [u64]) {
    assert!(len.is_multiple_of(8) && to.len().is_multiple_of(len) && at + len <= rows.words());
    let (mask, last) = (_mm512_set1_epi64((1 << digits::WORD_BITS) - 1), to.len() / len - 1);
    for (k, to) in to.chunks_exact_mut(len).enumerate() {
        let invert = _mm512_set1_epi64(if k == last { top as i64 } else { 0 });
        let bit = from + k as u32 * digits::WORD_BITS;
        let (i, shift) = ((bit / 52) as usize, (bit % 52) as i32);
        // if there is no higher word, all of its bits are shifted out
        let (above, left) = if i + 1 < rows.count() { (i + 1, 52 - shift) } else { (i, 64) };
        let (low, above) = (&rows.row(i)[at..at + len], &rows.row(above)[at..at + len]);
        let (right, left) = (_mm_cvtsi32_si128(shift), _mm_cvtsi32_si128(left));
        for u in (0..len).step_by(8) {
            // SAFETY: all have `len` words, a multiple of 8.
            unsafe {
                let word = _mm512_srl_epi64(load(low, u), right);
                let word = _mm512_or_si512(word, _mm512_sll_epi64(load(above, u), left));
                store(to, u, _mm512_xor_si512(_mm512_and_si512(word, mask), invert));
            }
        }
    }
}

/// [`crate::kernels::scalar::big::shift_add`] for whole vectors, from rows to rows. Words
/// `at..at + len` of the rows of `add` are added, and those of `out` are written by streaming
/// stores.
///
/// # Safety
/// Nobody else uses the words that are written, and the caller calls
/// [`crate::system::streaming::fence`] before anyone reads them.
#[target_feature(enable = "avx512f")]
pub unsafe fn shift_add(
    whole: &[u64],
    len: usize,
    shift: u32,
    bits: u32,
    add: Option<Rows<'_>>,
    out: RowsMut<'_>,
    at: usize,
) {
    const WIDTH: u32 = digits::WORD_BITS;
    let (count, words) = (ringjet_math::big::words(bits), whole.len() / len);
    assert!(len.is_multiple_of(8) && digits::words(shift + bits) < words && bits > 0);
    assert!(count == out.count() && at + len <= out.words());
    assert!(add.is_none_or(|add| add.count() == count && at + len <= add.words()));
    let ((to, stride), from) = (out.place(), add.map(|add| add.place()));
    let aligned = to.addr().is_multiple_of(64) && stride.is_multiple_of(8) && at.is_multiple_of(8);
    let low = _mm512_set1_epi64((1 << 52) - 1);
    let top = _mm512_set1_epi64(ringjet_math::big::top_mask(bits) as i64);
    for u in (0..len).step_by(8) {
        let mut carry = _mm512_setzero_si512();
        if let Some(half) = shift.checked_sub(1) {
            // SAFETY: the bit before the shift is in the words.
            let word = unsafe { load(whole, (half / WIDTH) as usize * len + u) };
            let bit = _mm512_srl_epi64(word, _mm_cvtsi32_si128((half % WIDTH) as i32));
            carry = _mm512_and_si512(bit, _mm512_set1_epi64(1));
        }
        let (mut i, mut by) = ((shift / WIDTH) as usize, shift % WIDTH);
        for k in 0..count {
            // SAFETY: bit `shift + 52 * k`, the first of this word, is below `shift + bits`, so it
            // lies in one of the words, and there is one more.
            let [word, next_word] = unsafe { [load(whole, i * len + u), load(whole, (i + 1) * len + u)] };
            let (right, left) = (_mm_cvtsi32_si128(by as i32), _mm_cvtsi32_si128((WIDTH - by) as i32));
            let shifted = _mm512_or_si512(_mm512_srl_epi64(word, right), _mm512_sll_epi64(next_word, left));
            // the next word is 52 bits further
            (i, by) = if by + 1 < WIDTH { (i + 1, by + 1) } else { (i + 2, 0) };
            let mut sum = _mm512_add_epi64(carry, _mm512_and_si512(shifted, low));
            if let Some((from, stride)) = from {
                // SAFETY: `add` has `count` rows with words up to `at + len`.
                sum = _mm512_add_epi64(sum, unsafe { _mm512_loadu_si512(from.add(k * stride + at + u).cast()) });
            }
            let sum_low = _mm512_and_si512(sum, if k + 1 == count { top } else { low });
            // SAFETY: `out` has the same rows, which nobody else uses.
            unsafe {
                let to = to.add(k * stride + at + u);
                if aligned { _mm512_stream_si512(to.cast(), sum_low) } else { _mm512_storeu_si512(to.cast(), sum_low) }
            }
            carry = _mm512_srli_epi64::<52>(sum);
        }
    }
}
