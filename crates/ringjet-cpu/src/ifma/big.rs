//! Big coefficients and their residues: two matrix products of 51-bit words by 50-bit constants, on blocks of up to
//! [`BLOCK`] coefficients whose words lie together: row k of a block is its word k.
//!
//! Both keep the sums of products unreduced, low and high halves apart, for as many vectors and outputs as registers hold.
//! One by one, four vectors by three outputs are 24 sums, fed by seven loads for 24 multiply-adds. In pairs, where multiplications are
//! scarce, they are Winograd's inner products (IEEE Trans. Comput. C-17, 1968),
//!
//! ```text
//! x0 c0 + x1 c1 = (x0 + c1)(x1 + c0) - x0 x1 - c0 c1,
//! ```
//!
//! where the sum of the `x0 x1` serves all outputs and that of the `c0 c1` is a constant of each: half as many multiply-adds, and as many
//! additions. Words have 51 bits so that the factors are below 2^52. Proofs: `docs/proofs/big.md`.

use std::arch::x86_64::*;

use ringjet_backend::big::digits::WORD_BITS;
use ringjet_math::Modulus;

use super::arith::{Constant, Fraction, Reducer, Sum, TERMS, load, splat, store};
use crate::big::BLOCK;
use crate::memory::{Fetch, Rows};

/// Outputs made together where products are made one by one.
const TOGETHER: usize = 3;
/// The same in pairs.
const PAIRED: usize = 2;
/// Vectors of a block.
const VECTORS: usize = BLOCK / 8;
/// Most words or primes: sums of so many halves below 2^52, what is borrowed, and a carry stay below 2^63.
pub const MOST: usize = 1 << 10;

/// Numbers that an output's constants take: theirs, and the two words that its sum begins with.
pub const fn row(inputs: usize) -> usize {
    inputs + 2
}

/// Appends the constants `c` of an output to `to`, and behind them the words that its sum begins with, where it is to begin with
/// `hi 2^52 + lo`. In `pairs`, that is less the sum of the products `c0 c1`, with so much borrowed from the high word that the low one
/// stays positive when the products `x0 x1` are taken off too: as much as all of these could be.
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

/// Sums of products by J outputs, low and high words.
type Sums<const U: usize, const J: usize> = [[[__m512i; U]; J]; 2];

/// Low and high words of the products `x0 x1` of `x`, two by two, where these are to be taken off.
///
/// # Safety
/// `x` has `inputs` rows of 8 U words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn pairs<const U: usize>(x: *const u64, inputs: usize) -> [[__m512i; U]; 2] {
    let [mut lo, mut hi] = [[_mm512_setzero_si512(); U]; 2];
    for i in (0..inputs & !1).step_by(2) {
        for u in 0..U {
            // SAFETY: rows i and i + 1 have 8 U words.
            let [x, y] = unsafe { [vector::<U>(x, i, u), vector::<U>(x, i + 1, u)] };
            lo[u] = _mm512_madd52lo_epu64(lo[u], x, y);
            hi[u] = _mm512_madd52hi_epu64(hi[u], x, y);
        }
    }
    [lo, hi]
}

/// Vector u of row i.
///
/// # Safety
/// It is there.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn vector<const U: usize>(x: *const u64, i: usize, u: usize) -> __m512i {
    // SAFETY: by the caller's promise.
    unsafe { _mm512_loadu_si512(x.add(8 * (U * i + u)).cast()) }
}

/// Sums of products of the rows of `x` and the [`constants`] of J outputs, `hi 2^52 + lo`, of which only `lo` is sure to be positive: in
/// pairs where `common` has what [`pairs`] makes. Meanwhile so many lines are fetched for every two rows.
/// [`split`] and [`join`] want different numbers, and so have a function each: one that both called would not be inlined, and the sums
/// would go through memory.
///
/// # Safety
/// `x` has `inputs` rows of 8 U words, `c` J rows of [`row`] words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn sums<const U: usize, const J: usize, const PAIRS: bool, const LINES: usize>(
    x: *const u64,
    inputs: usize,
    c: *const u64,
    common: &[[__m512i; U]; 2],
    fetch: &mut Fetch<'_>,
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
        (0..LINES).for_each(|_| fetch.line());
        let mut rows = [[_mm512_setzero_si512(); U]; 2];
        for (k, row) in rows.iter_mut().enumerate() {
            for (u, x_u) in row.iter_mut().enumerate() {
                // SAFETY: there are rows i and i + 1.
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
            (0..LINES).for_each(|_| fetch.line());
        }
        let mut row = [_mm512_setzero_si512(); U];
        for (u, x_u) in row.iter_mut().enumerate() {
            // SAFETY: there is row i.
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

/// Constants of one prime for [`split`].
#[derive(Debug, Clone, Copy)]
pub struct SplitPrime {
    reducer: Reducer,
    /// `2^50 mod q`, where sums are to be reduced to canonical residues.
    fold: u64,
}

impl SplitPrime {
    /// For sums of `words` products and a residue of the prime of `reducer`; `None` where they may be too large for the reduction.
    pub fn new(reducer: &Reducer, m: &Modulus, words: usize) -> Option<Self> {
        let fold = m.reduce(1 << 50);
        // what lies above 2^102 in a sum below (words + 1) 2^51 q, times the fold, must stay below 2^51
        let most = (((words as u128 + 1) * u128::from(m.value())) >> 51) + 1;
        (words <= MOST && most * u128::from(fold) < 1 << 51).then_some(Self { reducer: *reducer, fold })
    }

    /// For a reduction by half, of integers of a digit's words.
    pub fn lazy(reducer: &Reducer) -> Self {
        Self { reducer: *reducer, fold: 0 }
    }
}

/// `2^52 c mod q`: reductions by half divide by that.
pub fn lazy_constant(m: &Modulus, c: u64) -> u64 {
    m.mul(c, m.reduce(1 << 52))
}

/// How [`split`] and [`join`] make a matrix product.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// Products in pairs.
    pub pairs: bool,
    /// Residues reduced by half.
    pub lazy: bool,
}

/// `rows[i][at..] = sum over k of words_k c_ik + offset_i mod p_i` for a block: `words` has rows of `len` words (a multiple of
/// 8, at most [`BLOCK`]), `c` [`constants`] for each prime: [`Reducer::scaled`] ones, and the sum begins with such an offset.
/// Where `lazy`, they are [`lazy_constant`]s, the sum begins with `q 2^52` more, and the results are below 4q.
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
    fetch: &mut Fetch<'_>,
) {
    vectors!(len, way.pairs, split_vectors(way.lazy, primes, words, c, rows, at, fetch));
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn split_vectors<const U: usize, const PAIRS: bool>(
    lazy: bool,
    p: &[SplitPrime],
    words: &[u64],
    c: &[u64],
    rows: &mut [&mut [u64]],
    at: usize,
    fetch: &mut Fetch<'_>,
) {
    let w = words.len() / (8 * U);
    assert!(words.len() == 8 * U * w && c.len() == p.len() * row(w) && rows.len() == p.len());
    assert!(rows.iter().all(|r| at + 8 * U <= r.len()));
    // SAFETY: `words` has w rows of 8 U words.
    let common = unsafe { pairs::<U>(words.as_ptr(), if PAIRS { w } else { 0 }) };
    let mut i = 0;
    while i < p.len() {
        let (c, rows) = (&c[i * row(w)..], &mut rows[i..]);
        let together = (p.len() - i).min(if PAIRS { PAIRED } else { TOGETHER });
        // SAFETY: as above; there are constants, and a row with 8 U words from `at` on, for each prime.
        unsafe {
            match together {
                1 => split_primes::<U, 1, PAIRS>(lazy, &p[i..], words, w, c, &common, rows, at, fetch),
                2 => split_primes::<U, 2, PAIRS>(lazy, &p[i..], words, w, c, &common, rows, at, fetch),
                _ => split_primes::<U, 3, PAIRS>(lazy, &p[i..], words, w, c, &common, rows, at, fetch),
            }
        }
        i += together;
    }
}

/// # Safety
/// `words` has w rows of 8 U words; there are J primes with [`constants`] each, and rows with 8 U words from `at` on.
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
    fetch: &mut Fetch<'_>,
) {
    // SAFETY: by the caller's promise.
    let [lo, hi] = unsafe { sums::<U, J, PAIRS, 2>(words.as_ptr(), w, c.as_ptr(), common, fetch) };
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
            // SAFETY: the row has 8 U words from `at` on.
            unsafe { store(rows[j], at + 8 * u, residue) };
            // Where the next block goes. Any address may be prefetched: nothing is read architecturally.
            _mm_prefetch::<_MM_HINT_ET0>(rows[j].as_ptr().wrapping_add(at + 8 * (U + u)).cast());
        }
    }
}

/// `out_k = old out_k + word k of sum of y_i hat_i`, for as many words as `hat` has rows of [`constants`], for sums that begin with 0: lower
/// words are left out. `y` has `inputs` rows of `len` words, `out` a row of `len` at least for each word, through which the carry goes
/// on. The highest word has what lies beyond it cut off.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn join(in_pairs: bool, y: &[u64], inputs: usize, len: usize, hat: &[u64], out: &mut [u64], fetch: &mut Fetch<'_>) {
    vectors!(len, in_pairs, join_vectors(y, inputs, hat, out, fetch));
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn join_vectors<const U: usize, const PAIRS: bool>(
    y: &[u64],
    inputs: usize,
    hat: &[u64],
    out: &mut [u64],
    fetch: &mut Fetch<'_>,
) {
    let (count, rows) = (hat.len() / row(inputs), out.len() / (8 * U));
    assert!(y.len() == 8 * U * inputs && out.len() == 8 * U * rows && count <= rows && inputs <= MOST);
    assert!(hat.len() == count * row(inputs));
    // SAFETY: `y` has `inputs` rows of 8 U words.
    let common = unsafe { pairs::<U>(y.as_ptr(), if PAIRS { inputs } else { 0 }) };
    let mut carry = [_mm512_setzero_si512(); U];
    let mut k = 0;
    while k < count {
        let (hat, out) = (&hat[k * row(inputs)..], &mut out[8 * U * k..]);
        let together = (count - k).min(if PAIRS { PAIRED } else { TOGETHER });
        // SAFETY: as above; `hat` has constants, and `out` a row, for each word.
        unsafe {
            match together {
                1 => join_words::<U, 1, PAIRS>(y, inputs, hat, &common, &mut carry, out, fetch),
                2 => join_words::<U, 2, PAIRS>(y, inputs, hat, &common, &mut carry, out, fetch),
                _ => join_words::<U, 3, PAIRS>(y, inputs, hat, &common, &mut carry, out, fetch),
            }
        }
        k += together;
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
/// `y` has `inputs` rows of 8 U words, `hat` [`constants`] of J words, `out` has J rows of 8 U words.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn join_words<const U: usize, const J: usize, const PAIRS: bool>(
    y: &[u64],
    inputs: usize,
    hat: &[u64],
    common: &[[__m512i; U]; 2],
    carry: &mut [__m512i; U],
    out: &mut [u64],
    fetch: &mut Fetch<'_>,
) {
    // SAFETY: by the caller's promise.
    let [lo, hi] = unsafe { sums::<U, J, PAIRS, 1>(y.as_ptr(), inputs, hat.as_ptr(), common, fetch) };
    let mask = _mm512_set1_epi64((1 << WORD_BITS) - 1);
    for j in 0..J {
        for u in 0..U {
            // SAFETY: row j has 8 U words.
            let old = unsafe { load(out, 8 * (U * j + u)) };
            let sum = _mm512_add_epi64(_mm512_add_epi64(lo[j][u], old), carry[u]);
            // SAFETY: as above.
            unsafe { store(out, 8 * (U * j + u), _mm512_and_si512(sum, mask)) };
            // a high word counts 2^52, twice the next word
            let high = _mm512_slli_epi64::<{ 52 - WORD_BITS }>(hi[j][u]);
            carry[u] = _mm512_add_epi64(high, _mm512_srli_epi64::<WORD_BITS>(sum));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::Path;
    use crate::scalar;

    /// A number below `2^bits`: 0, the largest, or any.
    fn number(kind: u64, at: u64, bits: u32) -> u64 {
        match (kind + at % 2) % 4 {
            0 => 0,
            1 => (1 << bits) - 1,
            _ => (at + kind).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) & ((1 << bits) - 1),
        }
    }

    /// Of any factors in range, as many as there may be, one by one and in pairs, for every shape of a block.
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
                    // SAFETY: the path says that AVX-512 F and IFMA are there.
                    unsafe { join(pairs, &y, inputs, len, &rows, &mut found, &mut Fetch::default()) };
                    assert!(found == expected, "{inputs} to {count} words of {len}, {kinds}, in pairs: {pairs}");
                }
            }
        }
    }
}
