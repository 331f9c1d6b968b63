//! Conversion of residues to big coefficients, with IFMA.

use std::arch::x86_64::*;

use ringjet_backend::big::digits::WORD_BITS;
use ringjet_math::Modulus;

use super::sums::{MOST, OUTPUTS, PAIRED_OUTPUTS, VECTORS, pairs, row, sums, vectors};
use crate::kernels::ifma::arith::{Constant, Fraction, Reducer, load, splat, store};
use crate::operands::prefetch::RowPrefetch;
use crate::operands::strip::BLOCK;

/// `out_k = old out_k + word k of sum of y_i * hat_i`, for each row of `hat`, which has the
/// [`super::constants`] of sums that start from 0. `y` has `inputs` rows of `len` words. `out` has
/// a row of `len` words at least for each word; the carry propagates through further rows, and is
/// dropped after the last one.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn join(
    in_pairs: bool,
    y: &[u64],
    inputs: usize,
    len: usize,
    hat: &[u64],
    out: &mut [u64],
    prefetch: &mut RowPrefetch<'_>,
) {
    vectors!(len, in_pairs, join_vectors(y, inputs, hat, out, prefetch));
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn join_vectors<const U: usize, const PAIRS: bool>(
    y: &[u64],
    inputs: usize,
    hat: &[u64],
    out: &mut [u64],
    prefetch: &mut RowPrefetch<'_>,
) {
    let (count, rows) = (hat.len() / row(inputs), out.len() / (8 * U));
    assert!(y.len() == 8 * U * inputs && out.len() == 8 * U * rows && count <= rows && inputs <= MOST);
    assert!(hat.len() == count * row(inputs));
    // SAFETY: `y` has `inputs` rows of 8 * U words.
    let common = unsafe { pairs::<U>(y.as_ptr(), if PAIRS { inputs } else { 0 }) };
    let mut carry = [_mm512_setzero_si512(); U];
    let mut k = 0;
    while k < count {
        let (hat, out) = (&hat[k * row(inputs)..], &mut out[8 * U * k..]);
        let outputs = (count - k).min(if PAIRS { PAIRED_OUTPUTS } else { OUTPUTS });
        // SAFETY: as above; `hat` has constants, and `out` a row, for each word.
        unsafe {
            match outputs {
                1 => join_words::<U, 1, PAIRS>(y, inputs, hat, &common, &mut carry, out, prefetch),
                2 => join_words::<U, 2, PAIRS>(y, inputs, hat, &common, &mut carry, out, prefetch),
                _ => join_words::<U, 3, PAIRS>(y, inputs, hat, &common, &mut carry, out, prefetch),
            }
        }
        k += outputs;
    }
    let mask = _mm512_set1_epi64((1 << WORD_BITS) - 1);
    for row in count..rows {
        for (u, carry) in carry.iter_mut().enumerate() {
            // SAFETY: `row` is one of the rows of `out`.
            unsafe {
                let sum = _mm512_add_epi64(load(out, 8 * (U * row + u)), *carry);
                store(out, 8 * (U * row + u), _mm512_and_si512(sum, mask));
                *carry = _mm512_srli_epi64::<WORD_BITS>(sum);
            }
        }
    }
}

/// # Safety
/// `y` has `inputs` rows of 8 * U words, `hat` [`constants`](super::constants) of J words, `out`
/// has J rows of 8 * U words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn join_words<const U: usize, const J: usize, const PAIRS: bool>(
    y: &[u64],
    inputs: usize,
    hat: &[u64],
    common: &[[__m512i; U]; 2],
    carry: &mut [__m512i; U],
    out: &mut [u64],
    prefetch: &mut RowPrefetch<'_>,
) {
    // SAFETY: by the caller's promise.
    let [lo, hi] = unsafe { sums::<U, J, PAIRS, 1>(y.as_ptr(), inputs, hat.as_ptr(), common, prefetch) };
    let mask = _mm512_set1_epi64((1 << WORD_BITS) - 1);
    for j in 0..J {
        for u in 0..U {
            // SAFETY: row j has 8 * U words.
            let old = unsafe { load(out, 8 * (U * j + u)) };
            let sum = _mm512_add_epi64(_mm512_add_epi64(lo[j][u], old), carry[u]);
            // SAFETY: as above.
            unsafe { store(out, 8 * (U * j + u), _mm512_and_si512(sum, mask)) };
            // a high word counts 2^52, that is 2 in the next word
            let high = _mm512_slli_epi64::<{ 52 - WORD_BITS }>(hi[j][u]);
            carry[u] = _mm512_add_epi64(high, _mm512_srli_epi64::<WORD_BITS>(sum));
        }
    }
}

/// Constants of one prime for [`gather`].
#[derive(Debug, Clone, Copy)]
pub struct JoinPrime {
    reducer: Reducer,
    /// The constant by which [`gather`] multiplies residues.
    scale: Constant,
    bits: u32,
    /// The factor of fractions, see [`Fraction`].
    ratio: u64,
}

impl JoinPrime {
    /// The constants for residues that are multiplied by `scale`, and fractions with the factor
    /// `ratio`.
    pub fn new(reducer: &Reducer, m: &Modulus, scale: u64, ratio: u64) -> Self {
        Self { reducer: *reducer, scale: reducer.constant(m, scale), bits: m.bits(), ratio }
    }
}

/// Scales the residues of prime number `i` of `count` and writes them to blocks of `len` words as
/// [`join`] takes them. A block has a row for each prime, followed by a row of `count + 1 - v`,
/// with the quotient v of `ringjet_math::big::CrtJoin`. The function must be called for the primes
/// in order.
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

/// Computes the last row of a block as in [`gather`], from the scaled residues in the rows before
/// it.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn quotients(primes: &[JoinPrime], len: usize, y: &mut [u64], prefetch: &mut RowPrefetch<'_>) {
    let count = primes.len();
    assert!(len.is_multiple_of(8) && len <= BLOCK && y.len() == (count + 1) * len);
    let vectors = len / 8;
    let mut sums = [_mm512_set1_epi64(1 << (ringjet_math::rns::FRACTION_BITS - 1)); VECTORS];
    for (i, p) in primes.iter().enumerate() {
        let fraction = Fraction::new(p.bits, p.ratio);
        prefetch.line();
        for (u, sum) in sums.iter_mut().enumerate().take(vectors) {
            // SAFETY: row i has `len` words.
            *sum = fraction.add(*sum, unsafe { load(y, i * len + 8 * u) });
        }
    }
    let most = _mm512_set1_epi64(count as i64 + 1);
    for (u, sum) in sums.into_iter().enumerate().take(vectors) {
        let quotient = _mm512_srli_epi64::<{ ringjet_math::rns::FRACTION_BITS }>(sum);
        // SAFETY: these rows are followed by one more.
        unsafe { store(y, count * len + 8 * u, _mm512_sub_epi64(most, quotient)) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::constants;
    use super::*;
    use crate::kernels::scalar;
    use crate::system::path::Path;

    /// A number below `2^bits`: 0, the largest, or any number.
    fn number(kind: u64, at: u64, bits: u32) -> u64 {
        match (kind + at % 2) % 4 {
            0 => 0,
            1 => (1 << bits) - 1,
            _ => (at + kind).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) & ((1 << bits) - 1),
        }
    }

    /// Compares sums of factors of any size in range, of as many terms as there may be, one by one
    /// and in pairs, for every shape of a block.
    #[test]
    fn joined_words_are_those_of_the_sum() {
        if Path::best() != Path::Ifma {
            println!("no IFMA here: nothing tested");
            return;
        }
        for inputs in [1, 2, 3, 4, 13, 14, 15, 74, 101, MOST - 1, MOST] {
            for (len, count) in [(8, 1), (16, 2), (24, 3), (32, 4), (32, 5), (16, 13)] {
                for (kinds, pairs) in (0..16).flat_map(|kinds| [(kinds, false), (kinds, true)]) {
                    let y: Vec<u64> = (0..(inputs * len) as u64).map(|at| number(kinds % 4, at, 50)).collect();
                    let hat: Vec<u64> =
                        (0..(inputs * count) as u64).map(|at| number(kinds / 4, at, WORD_BITS)).collect();
                    let mut rows = vec![];
                    hat.chunks_exact(inputs).for_each(|c| constants(c.iter().copied(), [0; 2], pairs, &mut rows));
                    let out: Vec<u64> = (0..((count + 2) * len) as u64).map(|at| number(1, at, WORD_BITS)).collect();
                    let (mut found, mut expected) = (out.clone(), out);
                    scalar::big::join(&y, len, &hat, &mut expected);
                    // SAFETY: this path exists only where the processor has AVX-512 F and IFMA.
                    unsafe { join(pairs, &y, inputs, len, &rows, &mut found, &mut RowPrefetch::default()) };
                    assert!(found == expected, "{inputs} to {count} words of {len}, {kinds}, in pairs: {pairs}");
                }
            }
        }
    }
}
