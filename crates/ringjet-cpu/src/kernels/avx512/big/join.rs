//! Conversion of residues to big coefficients, with AVX-512 without IFMA.

use std::arch::x86_64::*;

use ringjet_backend::big::digits::WORD_BITS;
use ringjet_math::Modulus;

use super::sums::{Form, Sums, VECTORS, form, store_pieces, sums, vectors};
use crate::kernels::avx512::arith::{Fraction, Reducer, factor, load, store};

/// Constants of one prime for [`gather`].
#[derive(Debug, Clone, Copy)]
pub struct JoinPrime {
    reducer: Reducer,
    /// The factor of residues and its Shoup companion; unused if residues are already scaled.
    scale: [u64; 2],
    bits: u32,
    /// The factor of fractions, see [`Fraction`].
    ratio: u64,
}

impl JoinPrime {
    /// The constants for residues that are multiplied by `scale`, and fractions with the factor
    /// `ratio`.
    pub fn new(reducer: &Reducer, m: &Modulus, scale: u64, ratio: u64) -> Self {
        Self { reducer: *reducer, scale: [scale, m.shoup(scale)], bits: m.bits(), ratio }
    }
}

/// Writes the residues of prime number `i` of `count`, multiplied by the factor of the prime if
/// `scale`, as pieces to blocks of `len` words as [`join`] takes them. A block has the pieces of
/// prime 0, then those of prime 1 and so on, and at the end the pieces of `count + 1 - v`, with the
/// quotient v of `ringjet_math::big::CrtJoin`. The function must be called for the primes in order.
#[target_feature(enable = "avx512f,avx512dq")]
#[expect(clippy::too_many_arguments, reason = "one prime of several")]
pub fn gather(form: Form, p: &JoinPrime, i: usize, count: usize, row: &[u64], len: usize, scale: bool, y: &mut [u64]) {
    let size = form.pieces() * (count + 1) * len;
    assert!(i < count && len.is_multiple_of(8) && row.len().is_multiple_of(len) && y.len() == row.len() / len * size);
    for (y, row) in y.chunks_exact_mut(size).zip(row.chunks_exact(len)) {
        vectors!(form, len, gather_vectors(p, i, count, row, scale, y));
    }
}

/// [`gather`] for some vectors of one block. Before the last prime, the place of the quotient's
/// pieces holds the sums of fractions.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn gather_vectors<const U: usize, const WIDE: bool>(
    from: usize,
    p: &JoinPrime,
    i: usize,
    count: usize,
    row: &[u64],
    scale: bool,
    y: &mut [u64],
) {
    let form = form(WIDE);
    let (pieces, bit) = (form.pieces(), form.residue_at());
    let (x, y) = (&row[from..][..8 * U], &mut y[from * pieces * (count + 1)..][..8 * U * pieces * (count + 1)]);
    let (lanes, w, fraction) = (p.reducer.lanes(), factor(p.scale[0], p.scale[1]), Fraction::new(p.bits, p.ratio));
    let half = _mm512_set1_epi64(1 << (ringjet_math::rns::FRACTION_BITS - 1));
    for u in 0..U {
        let last = 8 * (U * pieces * count + u);
        // SAFETY: `x` has 8 * U words, `y` the pieces of 8 * U words for each prime and once more.
        unsafe {
            let mut v = load(x, 8 * u);
            if scale {
                v = lanes.mul_shoup(v, w);
            }
            store_pieces::<U>(form, v, bit, y, 8 * (U * pieces * i + u));
            let sum = fraction.add(if i == 0 { half } else { load(y, last) }, v);
            if i + 1 < count {
                store(y, last, sum);
            } else {
                let quotient = _mm512_srli_epi64::<{ ringjet_math::rns::FRACTION_BITS }>(sum);
                let quotient = _mm512_sub_epi64(_mm512_set1_epi64(count as i64 + 1), quotient);
                store_pieces::<U>(form, quotient, bit, y, last);
            }
        }
    }
}

/// `out_k = old out_k + word k of sum of y_i * hat_i`, for each row of `hat`. `y` has the pieces of
/// `inputs` residues for each coefficient ([`gather`]), a row of `hat` the pieces of as many
/// constants, and `out` rows of `len` words. The carry propagates through further rows of `out`,
/// and is dropped after the last one.
#[target_feature(enable = "avx512f")]
pub fn join(form: Form, y: &[u64], inputs: usize, len: usize, hat: &[u32], out: &mut [u64]) {
    let size = inputs * form.pieces();
    assert!(y.len() == len * size && out.len().is_multiple_of(len) && hat.len().is_multiple_of(size));
    assert!(hat.len() / size * len <= out.len());
    vectors!(form, len, join_vectors(y, inputs, len, hat, out));
}

#[target_feature(enable = "avx512f")]
fn join_vectors<const U: usize, const WIDE: bool>(
    from: usize,
    y: &[u64],
    inputs: usize,
    len: usize,
    hat: &[u32],
    out: &mut [u64],
) {
    let (size, outputs) = (inputs * form(WIDE).pieces(), if WIDE { 3 } else { 4 });
    let y = y[from * size..][..8 * U * size].as_ptr();
    let (count, rows) = (hat.len() / size, out.len() / len);
    let mut carry = [[_mm512_setzero_si512(); 2]; U];
    for k in (0..count).step_by(outputs) {
        let (c, out) = (hat[k * size..].as_ptr(), &mut out[k * len + from..]);
        // SAFETY: `y` has the pieces of `inputs` rows of 8 * U words, `hat` as many for each of
        // `count` words, `out` has as many rows, and 8 * U words in each.
        unsafe {
            match (count - k).min(outputs) {
                1 => join_words::<U, 1, WIDE>(y, inputs, c, &mut carry, out, len),
                2 => join_words::<U, 2, WIDE>(y, inputs, c, &mut carry, out, len),
                3 => join_words::<U, 3, WIDE>(y, inputs, c, &mut carry, out, len),
                _ => join_words::<U, 4, WIDE>(y, inputs, c, &mut carry, out, len),
            }
        }
    }
    for row in count..rows {
        for (u, carry) in carry.iter_mut().enumerate() {
            let zero = _mm512_setzero_si512();
            // SAFETY: `out` has this row, and 8 * U words in it from `from` on.
            unsafe { word::<WIDE>([zero; 4], carry, out, row * len + from + 8 * u) };
        }
    }
}

/// # Safety
/// `y` has the pieces of `inputs` rows of 8 * U words, `c` those of as many constants for each of J
/// words, `out` has 8 * U words at every multiple of `len` below `J * len`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn join_words<const U: usize, const J: usize, const WIDE: bool>(
    y: *const u64,
    inputs: usize,
    c: *const u32,
    carry: &mut [[__m512i; 2]; U],
    out: &mut [u64],
    len: usize,
) {
    // SAFETY: by the caller's promise.
    let [ll, lh, hl, hh] = unsafe { sums::<U, J, WIDE>(y, inputs, c) };
    for j in 0..J {
        for (u, carry) in carry.iter_mut().enumerate() {
            // SAFETY: by the caller's promise.
            unsafe { word::<WIDE>([ll[j][u], lh[j][u], hl[j][u], hh[j][u]], carry, out, j * len + 8 * u) };
        }
    }
}

/// Adds unreduced sums and a carry to eight words of `out`.
///
/// # Safety
/// `at + 8 <= out.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn word<const WIDE: bool>(
    [ll, lh, hl, hh]: Sums<__m512i>,
    carry: &mut [__m512i; 2],
    out: &mut [u64],
    at: usize,
) {
    // SAFETY: by the caller's promise.
    let ll = _mm512_add_epi64(_mm512_add_epi64(ll, unsafe { load(out, at) }), carry[0]);
    let word;
    if WIDE {
        // The carry is carry[0] + 2^6 * carry[1], which may not fit one word. Residues are cut at
        // bit 31, words at bit 26.
        let low = _mm512_slli_epi64::<6>(_mm512_and_si512(carry[1], _mm512_set1_epi64((1 << 20) - 1)));
        let ll = _mm512_add_epi64(ll, low);
        let lh = _mm512_add_epi64(lh, _mm512_srli_epi64::<20>(carry[1]));
        let above = _mm512_add_epi64(_mm512_srli_epi64::<26>(ll), lh);
        let above = _mm512_add_epi64(_mm512_srli_epi64::<5>(above), hl);
        *carry = [_mm512_srli_epi64::<20>(above), hh];
        let middle = _mm512_add_epi64(_mm512_slli_epi64::<26>(lh), _mm512_slli_epi64::<31>(hl));
        word = _mm512_add_epi64(ll, middle);
    } else {
        let above = _mm512_add_epi64(_mm512_srli_epi64::<26>(ll), lh);
        carry[0] = _mm512_add_epi64(_mm512_srli_epi64::<25>(above), _mm512_add_epi64(hh, hh));
        word = _mm512_add_epi64(ll, _mm512_slli_epi64::<26>(lh));
    }
    // SAFETY: by the caller's promise.
    unsafe { store(out, at, _mm512_and_si512(word, _mm512_set1_epi64((1 << WORD_BITS) - 1))) };
}
