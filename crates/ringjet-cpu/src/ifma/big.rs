//! Big coefficients and their residues: two matrix products of 52-bit words by 50-bit constants, on blocks of up to
//! [`BLOCK`] coefficients whose words lie together: row k of a block is its word k.
//!
//! Both keep the sums of products unreduced, low and high halves apart, for as many vectors and outputs as registers hold:
//! four vectors by three outputs are 24 sums, fed by seven loads for 24 multiply-adds. Proofs: `docs/proofs/big.md`.

use std::arch::x86_64::*;

use super::arith::{Constant, Fraction, Reducer, Sum, TERMS, load, splat, store};
use crate::big::BLOCK;

/// Outputs made together.
const TOGETHER: usize = 3;
/// Vectors of a block.
const VECTORS: usize = BLOCK / 8;
/// Most words or primes: sums of so many halves below 2^52 and a carry stay below 2^63.
pub const MOST: usize = 1 << 10;

/// Copies a block's rows line by line while something else is computed: sources are asked for some lines before they are needed,
/// since rows a power of two apart share a few places of the caches, where many of them would not wait for long.
#[derive(Debug)]
pub struct Mover<'a> {
    from: &'a [*const u64],
    to: &'a [*mut u64],
    /// Words before the block in the rows of each.
    at: [usize; 2],
    /// Lines of each row, and of all rows that are copied.
    lines: [usize; 2],
    past: bool,
}

/// Lines between asking for a line and copying it.
const AHEAD: usize = 24;

impl<'a> Mover<'a> {
    /// Nothing to copy.
    pub const NOTHING: Mover<'static> = Mover { from: &[], to: &[], at: [0; 2], lines: [1, 0], past: false };

    /// `words` words (a multiple of 8) from `at[0]` on of each row of `from` to `at[1]` on of the same row of `to`; `past` the caches
    /// where what is written will only be read much later.
    ///
    /// # Safety
    /// Until the value is dropped, all rows have these words, nobody else touches those of `to`, and nobody writes to `from`.
    pub unsafe fn new(from: &'a [*const u64], to: &'a [*mut u64], at: [usize; 2], words: usize, past: bool) -> Self {
        assert!(from.len() == to.len() && words.is_multiple_of(8) && words > 0);
        let past = past && to.iter().all(|to| (to.wrapping_add(at[1]) as usize).is_multiple_of(64));
        Self { from, to, at, lines: [words / 8, words / 8 * from.len()], past }
    }

    /// Line number `done`, if there is one.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn copy(&self, done: usize) -> bool {
        if done >= self.lines[1] {
            return false;
        }
        let place = |line: usize| (line / self.lines[0], line % self.lines[0] * 8);
        if !self.past {
            let (row, word) = place(done + AHEAD);
            if let Some(row) = self.from.get(row) {
                // Any address may be prefetched: nothing is read architecturally.
                _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add(self.at[0] + word).cast());
            }
        }
        let (row, word) = place(done);
        // SAFETY: the line is one of the rows', by the promise of `new`.
        unsafe {
            let from = self.from.get_unchecked(row).add(self.at[0] + word);
            let to = self.to.get_unchecked(row).add(self.at[1] + word);
            let line = _mm512_loadu_si512(from.cast());
            if self.past { _mm512_stream_si512(to.cast(), line) } else { _mm512_storeu_si512(to.cast(), line) }
        }
        true
    }
}

/// What is copied beside a computation, one after the other.
#[derive(Debug)]
pub struct Movers<'a> {
    movers: [Mover<'a>; 2],
    now: usize,
    done: usize,
}

impl<'a> Movers<'a> {
    /// These.
    pub fn new(movers: [Mover<'a>; 2]) -> Self {
        Self { movers, now: 0, done: 0 }
    }

    /// The next line, if there is one left.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn step(&mut self) {
        let Some(mover) = self.movers.get(self.now) else { return };
        if mover.copy(self.done) {
            self.done += 1;
        } else {
            (self.now, self.done) = (self.now + 1, 0);
        }
    }

    /// All that is left.
    #[target_feature(enable = "avx512f")]
    pub fn finish(mut self) {
        while self.now < self.movers.len() {
            self.step();
        }
        if self.movers.iter().any(|m| m.past) {
            _mm_sfence(); // before another thread is told
        }
    }
}

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
        let most = (((words as u128 + 1) * u128::from(m.value())) >> 50) + 1;
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
pub fn split(
    primes: &[SplitPrime],
    words: &[u64],
    len: usize,
    c: &[u64],
    rows: &mut [&mut [u64]],
    at: usize,
    movers: &mut Movers<'_>,
) {
    match len {
        32 => split_vectors::<4>(primes, words, c, rows, at, movers),
        24 => split_vectors::<3>(primes, words, c, rows, at, movers),
        16 => split_vectors::<2>(primes, words, c, rows, at, movers),
        8 => split_vectors::<1>(primes, words, c, rows, at, movers),
        _ => unreachable!("blocks of whole vectors, not {len}"),
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn split_vectors<const U: usize>(
    p: &[SplitPrime],
    words: &[u64],
    c: &[u64],
    rows: &mut [&mut [u64]],
    at: usize,
    movers: &mut Movers<'_>,
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
                1 => split_primes::<U, 1>(&p[i..], words, w, c, rows, at, movers),
                2 => split_primes::<U, 2>(&p[i..], words, w, c, rows, at, movers),
                _ => split_primes::<U, TOGETHER>(&p[i..], words, w, c, rows, at, movers),
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
    movers: &mut Movers<'_>,
) {
    let zero = _mm512_setzero_si512();
    let mut lo = [[zero; U]; J];
    let mut hi = [[zero; U]; J];
    let (words, c) = (words.as_ptr(), c.as_ptr());
    for k in 0..w {
        movers.step();
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
            // Where the next block goes. Any address may be prefetched: nothing is read architecturally.
            _mm_prefetch::<_MM_HINT_ET0>(rows[j].as_ptr().wrapping_add(at + 8 * (U + u)).cast());
        }
    }
}

/// `out_k = old out_k + word k of sum of y_i hat_i`, for `count` words from `first` on, the lower ones left out: `y` has rows of `len`
/// words, `hat` rows of `stride` words, `out` at least `count` rows of `len`, through which the carry goes on. The highest word has
/// what lies beyond it cut off.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn join(
    y: &[u64],
    len: usize,
    hat: &[u64],
    stride: usize,
    words: std::ops::Range<usize>,
    out: &mut [u64],
    movers: &mut Movers<'_>,
) {
    match len {
        32 => join_vectors::<4>(y, hat, stride, words, out, movers),
        24 => join_vectors::<3>(y, hat, stride, words, out, movers),
        16 => join_vectors::<2>(y, hat, stride, words, out, movers),
        8 => join_vectors::<1>(y, hat, stride, words, out, movers),
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
    movers: &mut Movers<'_>,
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
                1 => join_words::<U, 1>(y, inputs, hat, stride, &mut carry, out, movers),
                2 => join_words::<U, 2>(y, inputs, hat, stride, &mut carry, out, movers),
                _ => join_words::<U, TOGETHER>(y, inputs, hat, stride, &mut carry, out, movers),
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
    movers: &mut Movers<'_>,
) {
    let zero = _mm512_setzero_si512();
    let mut lo = [[zero; U]; J];
    let mut hi = [[zero; U]; J];
    let (rows, hats) = (y.as_ptr(), hat.as_ptr());
    for i in 0..inputs {
        movers.step();
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
    /// What residues are multiplied by; unused where they are as they should be.
    scale: Constant,
    bits: u32,
    /// See [`Fraction`].
    ratio: u64,
}

impl JoinPrime {
    /// For residues that are multiplied by `scale`, and fractions with the factor `ratio`.
    pub fn new(reducer: &Reducer, m: &ringjet_math::Modulus, scale: u64, ratio: u64) -> Self {
        Self { reducer: *reducer, scale: reducer.constant(m, scale), bits: m.bits(), ratio }
    }
}

/// Takes rows of residues to where [`join`] wants them: in blocks of `len` words of each, behind each other, scaled where `scale`, and
/// behind them, for L rows with the quotient v of `ringjet_math::big::CrtJoin`, `L + 1 - v`.
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn gather(primes: &[JoinPrime], rows: &[&[u64]], len: usize, scale: bool, y: &mut [u64]) {
    let (words, count) = (rows[0].len(), rows.len());
    let size = (count + 1) * len;
    assert!(count == primes.len() && len.is_multiple_of(8) && words.is_multiple_of(len));
    assert!(rows.iter().all(|row| row.len() == words) && y.len() == words / len * size);
    let half = _mm512_set1_epi64(1 << (ringjet_math::rns::FRACTION_BITS - 1));
    let most = _mm512_set1_epi64(count as i64 + 1);
    for (i, (p, row)) in primes.iter().zip(rows).enumerate() {
        let (lanes, fraction, last) = (p.reducer.lanes(), Fraction::new(p.bits, p.ratio), i + 1 == count);
        let next = rows.get(i + 1).map_or(std::ptr::null(), |row| row.as_ptr());
        for line in 0..STARTED.min(words / 8) {
            // The processor finds out by itself how a row goes on. Any address may be prefetched: nothing is read
            // architecturally.
            _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(8 * line).cast());
        }
        for (y, row) in y.chunks_exact_mut(size).zip(row.chunks_exact(len)) {
            for k in (0..len).step_by(8) {
                // SAFETY: word k is in the row; a block of `y` has `count + 1` rows of `len` words.
                unsafe {
                    let mut v = load(row, k);
                    if scale {
                        v = lanes.mul(_mm512_setzero_si512(), v, splat(p.scale));
                    }
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
}

/// Lines of a row that are fetched while the row before it is read.
const STARTED: usize = 16;

/// `out_s = -2^-104 sum over (i, j) in sums_s of rows_i rows_j mod q`, where all rows, and `out` for each sum, have as many
/// words, a multiple of [`BLOCK`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub fn products(r: &Reducer, rows: &[&[u64]], sums: &[Vec<[usize; 2]>], out: &mut [u64]) {
    let len = out.len() / sums.len();
    assert!(out.len() == len * sums.len() && len.is_multiple_of(BLOCK));
    assert!(rows.iter().all(|row| row.len() == len));
    let lanes = r.lanes();
    for (sum, out) in sums.iter().zip(out.chunks_exact_mut(len)) {
        for at in (0..len).step_by(BLOCK) {
            let mut result = [_mm512_setzero_si512(); VECTORS];
            for terms in sum.chunks(TERMS) {
                let mut acc = [Sum::zero(); VECTORS];
                for &[i, j] in terms {
                    let (x, y) = (rows[i], rows[j]);
                    for (u, acc) in acc.iter_mut().enumerate() {
                        let k = at + 8 * u;
                        // SAFETY: `k + 8 <= len`, the length of every row.
                        acc.add(unsafe { load(x, k) }, unsafe { load(y, k) });
                    }
                }
                for (result, acc) in result.iter_mut().zip(acc) {
                    *result = lanes.correct(_mm512_add_epi64(*result, lanes.reduce(acc)));
                }
            }
            for (u, result) in result.into_iter().enumerate() {
                // SAFETY: `at + 32 <= len`, the length of `out`.
                unsafe { store(out, at + 8 * u, result) };
            }
        }
    }
}
