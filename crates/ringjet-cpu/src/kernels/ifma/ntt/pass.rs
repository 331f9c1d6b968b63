//! Passes over a block: one, two or three levels, in which vectors hold neighbouring words.

use std::arch::x86_64::*;

use super::inverse_levels::Out;
use super::lanes::{Factor, Lanes, splats};
use super::scheduled::{self, InPlace};
use super::tables::{Eight, Forward4, Inverse4};
use crate::kernels::ifma::arith::{Constant, load, splat, store};

/// The rows of words that a pass combines: words with the same position in all rows.
#[derive(Clone, Copy)]
pub struct RawRows {
    start: *mut u64,
    /// Number of words from one row to the next.
    stride: usize,
}

impl RawRows {
    /// Rows `stride` words apart, the first at `start`.
    pub fn new(start: *mut u64, stride: usize) -> Self {
        Self { start, stride }
    }

    /// The first `words` words of row `i`.
    ///
    /// # Safety
    /// The row has these words, and nobody else uses them.
    pub(super) unsafe fn row<'a>(self, i: usize, words: usize) -> &'a mut [u64] {
        // SAFETY: by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(i * self.stride), words) }
    }

    /// The rows `first`, `first + step` and so on.
    pub(super) fn every(self, first: usize, step: usize) -> Self {
        Self { start: self.start.wrapping_add(first * self.stride), stride: step * self.stride }
    }

    /// Divides `x` into `rows` rows.
    pub(super) fn of(x: &mut [u64], rows: usize) -> Self {
        Self::new(x.as_mut_ptr(), x.len() / rows)
    }
}

/// The rows that a pass reads and the rows that it writes, which may be the same. The pass takes
/// words `0..words` of each row, a multiple of 8.
#[derive(Clone, Copy)]
pub(super) struct Pass {
    from: RawRows,
    to: RawRows,
    words: usize,
    /// The number of words that are written consecutively, and the distance to the next such words.
    piece: [usize; 2],
    /// Rows that are prefetched meanwhile, with as many words.
    next: Option<RawRows>,
    /// Whether the pass writes by streaming stores. Then the rows of `to` are aligned to vectors.
    stream: bool,
}

impl Pass {
    /// A pass from rows to other rows.
    pub(super) fn new(from: RawRows, to: RawRows, words: usize) -> Self {
        Self { from, to, words, piece: [words; 2], next: None, stream: false }
    }

    /// The same pass with other destinations: the words go to rows of `to`, one row after another,
    /// with `columns` words in each.
    pub(super) fn into_rows(self, to: RawRows, columns: usize) -> Self {
        assert!(self.words.is_multiple_of(columns) && columns.is_multiple_of(8));
        Self { to: to.every(0, self.words / columns), piece: [columns, to.stride], ..self }
    }

    pub(super) fn fetching(self, next: Option<RawRows>) -> Self {
        Self { next, ..self }
    }

    pub(super) fn stream(self) -> Self {
        Self { stream: true, ..self }
    }

    /// The rows, if the pass works in place, prefetches nothing, and its rows are long enough for
    /// [`scheduled`]; otherwise `None`.
    fn in_place(&self) -> Option<InPlace> {
        let RawRows { start, stride } = self.from;
        let moved = start != self.to.start || stride != self.to.stride || self.piece != [self.words; 2];
        let rows = InPlace { start, stride, words: self.words };
        let long = self.words >= scheduled::LEAST && self.words.is_multiple_of(scheduled::LEAST);
        (long && !moved && !self.stream && self.next.is_none()).then_some(rows)
    }

    /// A pass in place, which reads and writes the same rows.
    #[inline]
    pub(super) fn of(x: &mut [u64], rows: usize) -> Self {
        let words = x.len() / rows;
        let x = RawRows::of(x, rows);
        Self::new(x, x, words)
    }

    /// Calls `f` for each vector position with the vectors of all rows.
    ///
    /// # Safety
    /// All R rows have the words that are read and written, and nobody else uses the words that are
    /// written.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn each<const R: usize>(self, f: impl Fn([__m512i; R]) -> [__m512i; R]) {
        // SAFETY: by the caller's promise, with i + 8 <= words.
        unsafe {
            let [piece, distance] = self.piece;
            for p in 0..self.words / piece {
                let (from, to) = (self.from.start.add(p * piece), self.to.start.add(p * distance));
                for i in (0..piece).step_by(8) {
                    let mut v = [_mm512_setzero_si512(); R];
                    for (r, v) in v.iter_mut().enumerate() {
                        *v = _mm512_loadu_si512(from.add(r * self.from.stride + i).cast());
                        if let Some(next) = self.next {
                            // Any address may be prefetched: nothing is read architecturally.
                            let line = next.start.wrapping_add(r * next.stride + p * piece + i);
                            _mm_prefetch::<_MM_HINT_T0>(line.cast());
                        }
                    }
                    for (r, v) in f(v).into_iter().enumerate() {
                        let to = to.add(r * self.to.stride + i).cast();
                        if self.stream { _mm512_stream_si512(to, v) } else { _mm512_storeu_si512(to.cast(), v) }
                    }
                }
            }
        }
    }
}

/// A forward pass over two rows. With `FIRST`, in all forward passes, inputs are residues below q.
///
/// # Safety
/// As for [`Pass::each`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn forward_pass2<const FIRST: bool, const HALF_RATE: bool>(
    k: &Lanes<HALF_RATE>,
    x: Pass,
    w: Constant,
) {
    let w = splat(w);
    // SAFETY: by the caller's promise.
    unsafe { x.each(|[a, b]| k.butterfly(if FIRST { a } else { k.below_2q(a) }, b, w).into()) }
}

/// A forward pass over four rows.
///
/// # Safety
/// As for [`Pass::each`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn forward_pass4<const FIRST: bool, const HALF_RATE: bool>(
    k: &Lanes<HALF_RATE>,
    x: Pass,
    w: &Forward4,
) {
    if HALF_RATE && let Some(rows) = x.in_place() {
        let pass = if FIRST { scheduled::forward4_first } else { scheduled::forward4 };
        // SAFETY: by the caller's promise.
        return unsafe { pass(rows, &k.shared, w, &[]) };
    }
    let w = splats(w);
    // SAFETY: by the caller's promise.
    unsafe {
        x.each(|[a, b, c, d]| k.forward4([if FIRST { a } else { k.below_2q(a) }, b, c, d], &w));
    }
}

/// A forward pass over eight rows.
///
/// # Safety
/// As for [`Pass::each`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn forward_pass8<const FIRST: bool, const HALF_RATE: bool>(
    k: &Lanes<HALF_RATE>,
    x: Pass,
    w: &Eight<5>,
) {
    if HALF_RATE && let Some(rows) = x.in_place() {
        let pass = if FIRST { scheduled::forward8_first } else { scheduled::forward8 };
        // SAFETY: by the caller's promise.
        return unsafe { pass(rows, &k.shared, &w.top, &w.low) };
    }
    let (top, low) = (splats(&w.top), splats(&w.low));
    // SAFETY: by the caller's promise.
    unsafe {
        x.each(|mut v| {
            k.forward8::<FIRST>(&mut v, &top, &low);
            v
        });
    }
}

/// An inverse pass over two rows.
///
/// # Safety
/// As for [`Pass::each`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn inverse_pass2<const HALF_RATE: bool>(k: &Lanes<HALF_RATE>, x: Pass, w: [Factor; 2]) {
    // SAFETY: by the caller's promise.
    unsafe {
        x.each(|[a, b]| {
            let (a, b) = k.both(a, b);
            [k.mul(a, w[0]), k.mul(b, w[1])]
        });
    }
}

/// An inverse pass over four rows.
///
/// # Safety
/// As for [`Pass::each`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn inverse_pass4<O: Out, const HALF_RATE: bool>(k: &Lanes<HALF_RATE>, x: Pass, w: &Inverse4) {
    if HALF_RATE && let Some(rows) = x.in_place() {
        let pass = match (O::FRACTION, O::SCALED) {
            (true, _) => scheduled::inverse4_fractions,
            (_, true) => scheduled::inverse4_scaled,
            _ => scheduled::inverse4_residues,
        };
        // SAFETY: by the caller's promise.
        return unsafe { pass(rows, &k.shared, w, &[]) };
    }
    let w = splats(w);
    // SAFETY: by the caller's promise.
    unsafe { x.each(|v| k.inverse4::<O>(v, &w)) }
}

/// An inverse pass over eight rows.
///
/// # Safety
/// As for [`Pass::each`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn inverse_pass8<O: Out, const HALF_RATE: bool>(
    k: &Lanes<HALF_RATE>,
    x: Pass,
    top: &Inverse4,
    low: &[Constant; 4],
) {
    if HALF_RATE && let Some(rows) = x.in_place() {
        let pass = match (O::FRACTION, O::SCALED) {
            (true, _) => scheduled::inverse8_fractions,
            (_, true) => scheduled::inverse8_scaled,
            _ => scheduled::inverse8_residues,
        };
        // SAFETY: by the caller's promise.
        return unsafe { pass(rows, &k.shared, top, low) };
    }
    let (top, low) = (splats(top), splats(low));
    // SAFETY: by the caller's promise.
    unsafe {
        x.each(|mut v| {
            k.inverse8_low(&mut v, &low);
            k.inverse8_top::<O>(&mut v, 2, &top);
            v
        });
    }
}

/// # Safety
/// `i + (R - 1) * stride + 8 <= x.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn gather<const R: usize>(x: &[u64], i: usize, stride: usize) -> [__m512i; R] {
    let mut v = [_mm512_setzero_si512(); R];
    for (k, v) in v.iter_mut().enumerate() {
        // SAFETY: by the caller's promise.
        *v = unsafe { load(x, i + k * stride) };
    }
    v
}

/// # Safety
/// `i + (R - 1) * stride + 8 <= x.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn scatter<const R: usize>(x: &mut [u64], i: usize, stride: usize, v: &[__m512i; R]) {
    for (k, v) in v.iter().enumerate() {
        // SAFETY: by the caller's promise.
        unsafe { store(x, i + k * stride, *v) };
    }
}
