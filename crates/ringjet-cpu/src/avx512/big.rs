//! Big coefficients and their residues without IFMA: two matrix products of 51-bit words by constants below 2^61, from products
//! of 32-bit halves, on blocks of two vectors of coefficients. Proofs: `docs/proofs/big.md`.
//!
//! Factors are cut in two: `x = x1 2^a + x0`, `c = c1 2^b + c0`. The sums of partial products stay apart, unreduced, until all are
//! there, so that a term costs its products and as many additions:
//!
//! * [`Form::Narrow`], primes below 2^57: a = b = 26, and `x1 c0 + x0 c1 = x0 c0 + x1 c1 + (x0 - x1)(c1 - c0)` (Karatsuba's): three
//!   products and three additions. Its two additions that are left are made once, for the whole sum.
//! * [`Form::Wide`], primes below 2^61: words are cut at 26, residues at 31, as three products of larger halves would have to
//!   be carried every fourth time: four products and four additions.
//!
//! Two vectors by four outputs (narrow) or three (wide) are 24 sums, fed by 18 (10) loads for 48 operations: all but the 24
//! additions and 24 products of a step is hidden behind them. At the end a residue costs 30 or 32 operations more (exact
//! reduction included), a word 12 or 17.
//!
//! What is reduced at the end of [`split`] spans 113 bits. Montgomery's method takes the 62 lower ones off at once and leaves a
//! remainder in (-q, q), which takes one correction: those 30 operations. Shoup's method would take a companion for what lies above
//! 2^52 and one for the rest, and three corrections: 41. Where one residue meets one constant ([`gather`]), nothing has to be
//! assembled, the lowest partial product of the quotient may be left out (not so in Montgomery's, where a carry decides), and
//! Shoup's takes 19 operations instead of 31.

use std::arch::x86_64::*;
use std::sync::Arc;

use ringjet_backend::big::digits::WORD_BITS;
use ringjet_math::Modulus;

use super::arith::{Fraction, Reducer, factor, load, store};
use crate::field::Field;
use crate::path::Path;

/// Vectors of a block.
const VECTORS: usize = 2;
/// Sums of partial products: low by low, low by high, high by low, high by high. (Narrow: the second is that of differences, and
/// there is no third.)
type Sums<T> = [T; 4];

/// How factors are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Three products a term.
    Narrow,
    /// Four.
    Wide,
}

impl Form {
    /// The cheapest for sums of `terms` products of residues of primes of at most `bits` bits and words; `None` where none can
    /// hold them.
    pub fn new(bits: u32, terms: usize) -> Option<Self> {
        let larger = bits.saturating_sub(26).max(26);
        if bits <= 57 && (terms as u128) << (26 + larger) <= 1 << 62 {
            return Some(Self::Narrow);
        }
        (bits <= 61 && terms <= 111).then_some(Self::Wide)
    }

    /// That for all of these primes, where all may be taken with AVX-512.
    pub fn of(fields: &[Arc<Field>], terms: usize) -> Option<Self> {
        let all = fields.iter().all(|f| f.path != Path::Scalar);
        fields.iter().map(|f| f.modulus.bits()).max().filter(|_| all).and_then(|bits| Self::new(bits, terms))
    }

    /// Pieces of a factor.
    pub fn pieces(self) -> usize {
        match self {
            Self::Narrow => 3,
            Self::Wide => 2,
        }
    }

    /// Appends the pieces of a word to `to`.
    pub fn cut_word(self, x: u64, to: &mut Vec<u32>) {
        self.cut(x, 26, to);
    }

    /// The same of a residue.
    pub fn cut_residue(self, x: u64, to: &mut Vec<u32>) {
        self.cut(x, self.residue_at(), to);
    }

    fn residue_at(self) -> u32 {
        if self == Self::Narrow { 26 } else { 31 }
    }

    fn cut(self, x: u64, at: u32, to: &mut Vec<u32>) {
        let (low, high) = ((x & ((1 << at) - 1)) as u32, (x >> at) as u32);
        to.extend([low, high]);
        if self == Self::Narrow {
            to.push(high.wrapping_sub(low));
        }
    }
}

/// Stores the pieces of 8 words one row of `8 U` words after the other; those of constants have the other sign in the third.
///
/// # Safety
/// `to` has so many rows from `at` on.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store_pieces<const U: usize>(form: Form, x: __m512i, bit: u32, to: &mut [u64], at: usize) {
    let low = _mm512_and_si512(x, _mm512_set1_epi64((1 << bit) - 1));
    let high = _mm512_srl_epi64(x, _mm_cvtsi32_si128(bit as i32));
    // SAFETY: by the caller's promise.
    unsafe {
        store(to, at, low);
        store(to, at + 8 * U, high);
        if form == Form::Narrow {
            store(to, at + 16 * U, _mm512_sub_epi64(low, high));
        }
    }
}

/// Calls `$f::<vectors, WIDE>(first word, ...)` for the blocks of `$len` words.
macro_rules! vectors {
    ($form:expr, $len:expr, $f:ident($($arg:expr),*)) => {{
        let len = $len;
        assert!(len > 0 && len.is_multiple_of(8), "blocks of whole vectors, not {len}");
        for from in (0..len).step_by(8 * VECTORS) {
            match ($form, len - from) {
                (Form::Narrow, 8) => $f::<1, false>(from, $($arg),*),
                (Form::Narrow, _) => $f::<VECTORS, false>(from, $($arg),*),
                (Form::Wide, 8) => $f::<1, true>(from, $($arg),*),
                (Form::Wide, _) => $f::<VECTORS, true>(from, $($arg),*),
            }
        }
    }};
}

const fn form(wide: bool) -> Form {
    if wide { Form::Wide } else { Form::Narrow }
}

/// Sums of products of `inputs` rows, in pieces, and the pieces of J rows of constants, `inputs` in each.
///
/// # Safety
/// `x` has `inputs` times the pieces of 8 U words, `c` as many pieces in each of J rows.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn sums<const U: usize, const J: usize, const WIDE: bool>(
    x: *const u64,
    inputs: usize,
    c: *const u32,
) -> Sums<[[__m512i; U]; J]> {
    let pieces = form(WIDE).pieces();
    let zero = [[_mm512_setzero_si512(); U]; J];
    let [mut ll, mut lh, mut hl, mut hh] = [zero; 4];
    let (mut x, mut c, stride) = (x, c, inputs * pieces);
    for _ in 0..inputs {
        // SAFETY: the pieces of `inputs` rows, and as many constants of each row of constants, are there; the last step makes pointers to
        // the end at most.
        unsafe {
            let (low, high) = (row::<U>(x), row::<U>(x.add(8 * U)));
            if WIDE {
                add(&mut ll, &low, c, stride);
                add(&mut lh, &low, c.add(1), stride);
                add(&mut hl, &high, c, stride);
                add(&mut hh, &high, c.add(1), stride);
            } else {
                add(&mut ll, &low, c, stride);
                add(&mut hh, &high, c.add(1), stride);
                add(&mut lh, &row::<U>(x.add(16 * U)), c.add(2), stride);
            }
            (x, c) = (x.add(8 * U * pieces), c.add(pieces));
        }
    }
    if !WIDE {
        // the products low by high and high by low together
        for j in 0..J {
            for u in 0..U {
                lh[j][u] = _mm512_add_epi64(lh[j][u], _mm512_add_epi64(ll[j][u], hh[j][u]));
            }
        }
    }
    [ll, lh, hl, hh]
}

/// # Safety
/// `x` has 8 U words.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn row<const U: usize>(x: *const u64) -> [__m512i; U] {
    let mut row = [_mm512_setzero_si512(); U];
    for (u, row) in row.iter_mut().enumerate() {
        // SAFETY: by the caller's promise.
        *row = unsafe { _mm512_loadu_si512(x.add(8 * u).cast()) };
    }
    row
}

/// Adds the products of `x` and the J constants at the multiples of `stride`, of the lowest 32 bits, with their signs.
///
/// # Safety
/// `c` has such words.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn add<const U: usize, const J: usize>(
    sums: &mut [[__m512i; U]; J],
    x: &[__m512i; U],
    c: *const u32,
    stride: usize,
) {
    for (j, sums) in sums.iter_mut().enumerate() {
        // SAFETY: by the caller's promise.
        let c = _mm512_set1_epi32(unsafe { *c.add(j * stride) } as i32);
        for (sum, &x) in sums.iter_mut().zip(x) {
            *sum = _mm512_add_epi64(*sum, _mm512_mul_epi32(x, c));
        }
    }
}

/// Constants of one prime for [`split`].
#[derive(Debug, Clone, Copy)]
pub struct SplitPrime {
    reducer: Reducer,
    /// `2^62` times the offset, modulo the prime.
    offset: u64,
}

impl SplitPrime {
    /// For the prime of `reducer`, and a residue that is added to each sum.
    pub fn new(reducer: &Reducer, m: &Modulus, offset: u64) -> Self {
        Self { reducer: *reducer, offset: reducer.scaled(m, offset) }
    }
}

/// Pieces of words in rows of `len` to where [`split`] wants them.
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
            // SAFETY: `x` has 8 U words, and `y` the pieces of 8 U words for each row.
            unsafe { store_pieces::<U>(form(WIDE), load(x, 8 * u), 26, y, 8 * (U * pieces * k + u)) };
        }
    }
}

/// `rows[i][at..] = sum over k of words_k c_ik + offset_i mod p_i` for a block of `len` words, a multiple of 8: `y` has the pieces
/// of the words ([`cut`]), `c` those of constants [`Reducer::scaled`], as many for each prime.
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
    let (pieces, together) = (form(WIDE).pieces(), if WIDE { 3 } else { 4 });
    let y = y[from * pieces * w..][..8 * U * pieces * w].as_ptr();
    for i in (0..p.len()).step_by(together) {
        let (c, rows) = (c[i * w * pieces..].as_ptr(), &mut rows[i..]);
        let p = &p[i..];
        // SAFETY: `y` has the pieces of w rows of 8 U words, `c` those of w constants for each prime; each of `rows` has 8 U words
        // from `at + from` on.
        unsafe {
            match p.len().min(together) {
                1 => split_primes::<U, 1, WIDE>(p, y, w, c, rows, at + from),
                2 => split_primes::<U, 2, WIDE>(p, y, w, c, rows, at + from),
                3 => split_primes::<U, 3, WIDE>(p, y, w, c, rows, at + from),
                _ => split_primes::<U, 4, WIDE>(p, y, w, c, rows, at + from),
            }
        }
    }
}

/// # Safety
/// `y` has the pieces of w rows of 8 U words, `c` those of w constants for each of J primes; J of `rows` have 8 U words from `at` on.
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
            // Where the next block goes. Any address may be prefetched: nothing is read architecturally.
            _mm_prefetch::<_MM_HINT_ET0>(rows[j].as_ptr().wrapping_add(at + 8 * (2 * VECTORS + u)).cast());
        }
    }
}

/// The lowest 62 bits of `hh 2^52 + mid 2^26 + ll`, with something above them, and what is above them.
#[inline]
#[target_feature(enable = "avx512f")]
fn narrow(ll: __m512i, mid: __m512i, hh: __m512i) -> (__m512i, __m512i) {
    let low = _mm512_add_epi64(ll, _mm512_slli_epi64::<26>(mid));
    let low = _mm512_add_epi64(low, _mm512_slli_epi64::<52>(hh));
    let above = _mm512_add_epi64(_mm512_srli_epi64::<26>(ll), mid);
    let above = _mm512_add_epi64(_mm512_srli_epi64::<26>(above), hh);
    (low, _mm512_srli_epi64::<10>(above))
}

/// The same of `hh 2^57 + lh 2^31 + hl 2^26 + ll`.
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

/// Constants of one prime for [`gather`].
#[derive(Debug, Clone, Copy)]
pub struct JoinPrime {
    reducer: Reducer,
    /// What residues are multiplied by, and its companion; unused where they are as they should be.
    scale: [u64; 2],
    bits: u32,
    /// See [`Fraction`].
    ratio: u64,
}

impl JoinPrime {
    /// For residues that are multiplied by `scale`, and fractions with the factor `ratio`.
    pub fn new(reducer: &Reducer, m: &Modulus, scale: u64, ratio: u64) -> Self {
        Self { reducer: *reducer, scale: [scale, m.shoup(scale)], bits: m.bits(), ratio }
    }
}

/// Takes the pieces of residues of prime number `i` of `count` to where [`join`] wants them: in blocks of `len` words, of each block those
/// of all primes behind each other, scaled where `scale`, and behind them, with the quotient v of `ringjet_math::big::CrtJoin`, those
/// of `count + 1 - v`. Primes come one after the other.
#[target_feature(enable = "avx512f,avx512dq")]
#[expect(clippy::too_many_arguments, reason = "one prime of several")]
pub fn gather(form: Form, p: &JoinPrime, i: usize, count: usize, row: &[u64], len: usize, scale: bool, y: &mut [u64]) {
    let size = form.pieces() * (count + 1) * len;
    assert!(i < count && len.is_multiple_of(8) && row.len().is_multiple_of(len) && y.len() == row.len() / len * size);
    for (y, row) in y.chunks_exact_mut(size).zip(row.chunks_exact(len)) {
        vectors!(form, len, gather_vectors(p, i, count, row, scale, y));
    }
}

/// Residues of row number `i` of `count`. Where the pieces of the quotient will be, there are the sums of fractions until the last.
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
        // SAFETY: `x` has 8 U words, `y` the pieces of 8 U words for each prime and once more.
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

/// `out_k = old out_k + word k of sum of y_i hat_i`, lower ones left out: `y` has the pieces of residues ([`gather`]),
/// `inputs` of them for each coefficient, `hat` a row for each word, with the pieces of as many, `out` rows of `len` words, through
/// which the carry goes on. What lies beyond the highest is cut off.
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
    let (size, together) = (inputs * form(WIDE).pieces(), if WIDE { 3 } else { 4 });
    let y = y[from * size..][..8 * U * size].as_ptr();
    let (count, rows) = (hat.len() / size, out.len() / len);
    let mut carry = [[_mm512_setzero_si512(); 2]; U];
    for k in (0..count).step_by(together) {
        let (c, out) = (hat[k * size..].as_ptr(), &mut out[k * len + from..]);
        // SAFETY: `y` has the pieces of `inputs` rows of 8 U words, `hat` as many for each of `count` words, `out` has as many rows,
        // and 8 U words in each.
        unsafe {
            match (count - k).min(together) {
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
            // SAFETY: `out` has this row, and 8 U words in it from `from` on.
            unsafe { word::<WIDE>([zero; 4], carry, out, row * len + from + 8 * u) };
        }
    }
}

/// # Safety
/// `y` has the pieces of `inputs` rows of 8 U words, `c` as many for each of J words, `out` has 8 U words at every multiple of `len`
/// below `J len`.
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

/// Adds sums and a carry to eight words of `out`.
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
        // What was above is carry[0] + 2^6 carry[1], too much for one word. Residues are cut at 31, words at 26.
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
