//! Big coefficients: the formulas of [`ringjet_math::big`] on rows of words. There is a row for
//! each word of the integers, with one word for each coefficient.

use ringjet_backend::big::digits;
use ringjet_math::Modulus;
use ringjet_math::big::{WORD_BITS, top_mask, words};

use crate::operands::rows::Rows;
use crate::operands::strip::BLOCK;

const LOW: u64 = (1 << WORD_BITS) - 1;
/// The mask of the bits of a kernel's word.
const KERNEL_LOW: u64 = (1 << digits::WORD_BITS) - 1;

/// Cuts integers into words of [`digits::WORD_BITS`] bits, from bit `from` on. `rows` has the
/// integers in words of [`WORD_BITS`] bits; coefficients `at..at + len` are taken. `to` receives a
/// row of `len` for each word. In its last row the bits `top` are inverted. Bits beyond the rows
/// are 0.
pub fn realign(rows: Rows<'_>, from: u32, at: usize, len: usize, top: u64, to: &mut [u64]) {
    let last = to.len() / len - 1;
    for (k, to) in to.chunks_exact_mut(len).enumerate() {
        let bit = from + k as u32 * digits::WORD_BITS;
        let (i, shift) = ((bit / WORD_BITS) as usize, bit % WORD_BITS);
        for (c, to) in to.iter_mut().enumerate() {
            let above = if i + 1 < rows.count() { rows.row(i + 1)[at + c] } else { 0 };
            *to = (rows.row(i)[at + c] >> shift | above << (WORD_BITS - shift)) & KERNEL_LOW;
            *to ^= if k == last { top } else { 0 };
        }
    }
}

/// `out = sum of row_k * c_k + offset mod m`. `words` has rows as long as `out`, with words below
/// 2^51.
pub fn split(m: &Modulus, words: &[u64], c: &[u64], offset: u64, out: &mut [u64]) {
    let len = out.len();
    for (i, o) in out.iter_mut().enumerate() {
        // Products are below 2^112, so thousands of them and a residue fit.
        let products = words.chunks_exact(len).zip(c).map(|(row, &c)| u128::from(row[i]) * u128::from(c));
        *o = m.reduce_u128(products.sum::<u128>() + u128::from(offset));
    }
}

/// `out_k = old out_k + word k of sum of y_i * hat_i`, in words of [`digits::WORD_BITS`] bits. `y`
/// and `out` have rows of `len` words. `hat` has a row for each word that is computed, with one
/// word for each row of `y`. The carry propagates through further rows of `out`, and is dropped
/// after the last one.
pub fn join(y: &[u64], len: usize, hat: &[u64], out: &mut [u64]) {
    let inputs = y.len() / len;
    for c in 0..len {
        let mut sum = 0u128;
        for (k, out) in out.chunks_exact_mut(len).enumerate() {
            sum += u128::from(out[c]);
            if let Some(hat) = hat.get(k * inputs..(k + 1) * inputs) {
                // Products are below 2^112, so thousands of them and a carry fit.
                let products = y.chunks_exact(len).zip(hat).map(|(y, &hat)| u128::from(y[c]) * u128::from(hat));
                sum += products.sum::<u128>();
            }
            out[c] = sum as u64 & KERNEL_LOW;
            sum >>= digits::WORD_BITS;
        }
    }
}

/// `out = floor((x + 2^(shift-1)) / 2^shift)` modulo `2^bits`. If `add`, the old `out` is added.
/// `whole` has a row of `len` for each word of [`digits::WORD_BITS`] bits of x, and a row of zeros
/// at the end. `out` has a row of `len` for each word of [`WORD_BITS`] bits.
pub fn shift_add(whole: &[u64], len: usize, shift: u32, bits: u32, add: bool, out: &mut [u64]) {
    let last = words(bits) - 1;
    let row = |k: u32| &whole[k as usize * len..][..len];
    let mut carry = [0u64; BLOCK];
    if let Some(s) = shift.checked_sub(1) {
        let half = row(s / digits::WORD_BITS).iter().map(|w| w >> (s % digits::WORD_BITS) & 1);
        carry.iter_mut().zip(half).for_each(|(c, h)| *c = h);
    }
    for (k, out) in out.chunks_exact_mut(len).enumerate() {
        let mask = if k == last { top_mask(bits) } else { LOW };
        let bit = shift + k as u32 * WORD_BITS;
        let (i, by) = (bit / digits::WORD_BITS, bit % digits::WORD_BITS);
        let (low, high) = (row(i), row(i + 1));
        for (c, o) in out.iter_mut().enumerate() {
            let shifted = (low[c] >> by | high[c] << (digits::WORD_BITS - by)) & LOW;
            let sum = shifted + carry[c] + if add { *o } else { 0 };
            *o = sum & mask;
            carry[c] = sum >> WORD_BITS;
        }
    }
}

/// `out = floor((x + 2^(shift-1)) / 2^shift)` modulo `2^(bits-shift)`. The rows hold the integers x
/// modulo `2^bits`.
pub fn shift_round(rows: &[&[u64]], bits: u32, shift: u32, out: &mut [&mut [u64]]) {
    let (skip, by) = ((shift / WORD_BITS) as usize, shift % WORD_BITS);
    let last = out.len() - 1;
    for c in 0..out[0].len() {
        let word = |k: usize| rows.get(k).map_or(0, |row| row[c]);
        let half = shift.checked_sub(1).map(|s| word((s / WORD_BITS) as usize) >> (s % WORD_BITS) & 1);
        let mut carry = half.unwrap_or(0);
        for (k, out) in out.iter_mut().enumerate() {
            let shifted = (word(skip + k) >> by | word(skip + k + 1) << (WORD_BITS - by)) & LOW;
            let sum = shifted + carry;
            out[c] = sum & if k == last { top_mask(bits - shift) } else { LOW };
            carry = sum >> WORD_BITS;
        }
    }
}

/// A term of [`lincomb`]: the factor, the rows of integers modulo `2^bits`, and `bits`.
pub type Term<'a> = (i64, &'a [&'a [u64]], u32);

/// `out = sum of factor * x` modulo `2^bits`. If `accumulate`, the old `out` is added. Factors are
/// below 2^51 in size. Each x is centred.
pub fn lincomb(terms: &[Term<'_>], bits: u32, accumulate: bool, out: &mut [&mut [u64]]) {
    let last = out.len() - 1;
    for c in 0..out[0].len() {
        let mut sum = 0i128;
        for (k, out) in out.iter_mut().enumerate() {
            // Products are below 2^103, so millions of them and a carry fit.
            sum += i128::from(if accumulate { out[c] } else { 0 });
            for &(factor, rows, bits) in terms {
                sum += i128::from(factor) * i128::from(extended(rows, bits, k, c));
            }
            out[c] = sum as u64 & if k == last { top_mask(bits) } else { LOW };
            sum >>= WORD_BITS;
        }
    }
}

/// Word k of coefficient c, a centred integer, in its representation modulo a larger power of two.
fn extended(rows: &[&[u64]], bits: u32, k: usize, c: usize) -> u64 {
    let top = rows.len() - 1;
    if k < top {
        return rows[k][c];
    }
    let (mask, high) = (top_mask(bits), rows[top][c]);
    let negative = high & (mask ^ mask >> 1) != 0;
    match (k == top, negative) {
        (true, true) => high | (LOW ^ mask),
        (true, false) => high,
        (false, true) => LOW,
        (false, false) => 0,
    }
}

/// `out[i] = src[map[i] mod N]` modulo `2^bits`, negated where bit `log_n` of `map[i]` is set.
/// `out` has the places from `from` on of the result, `src` has whole rows.
pub fn permute(src: &[&[u64]], map: &[u32], bits: u32, from: usize, out: &mut [&mut [u64]]) {
    let (n, last) = (map.len(), out.len() - 1);
    for c in 0..out[0].len() {
        let at = map[from + c] as usize;
        let (at, negate) = (at & (n - 1), at >= n);
        let mut carry = u64::from(negate);
        for (k, out) in out.iter_mut().enumerate() {
            let sum = if negate { (src[k][at] ^ LOW) + carry } else { src[k][at] };
            out[c] = sum & if k == last { top_mask(bits) } else { LOW };
            carry = sum >> WORD_BITS;
        }
    }
}
