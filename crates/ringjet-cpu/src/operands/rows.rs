//! Rows of words at equal distances in memory.

use std::marker::PhantomData;
use std::ops::Range;

/// Rows of equal length at a constant distance, the stride, to be read.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    start: *const u64,
    stride: usize,
    rows: usize,
    words: usize,
    life: PhantomData<&'a [u64]>,
}

impl Default for Rows<'_> {
    /// No rows.
    fn default() -> Self {
        Self { start: std::ptr::null(), stride: 0, rows: 0, words: 0, life: PhantomData }
    }
}

impl<'a> Rows<'a> {
    /// `rows` rows of `words` words, `stride` words apart, the first at `start`.
    ///
    /// # Safety
    /// The words are initialised, and nobody writes to them during `'a`.
    pub unsafe fn new(start: *const u64, stride: usize, rows: usize, words: usize) -> Self {
        Self { start, stride, rows, words, life: PhantomData }
    }

    /// The rows of `words` words that make up `x`.
    pub fn of(x: &'a [u64], words: usize) -> Self {
        assert!(x.len().is_multiple_of(words));
        Self { start: x.as_ptr(), stride: words, rows: x.len() / words, words, life: PhantomData }
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.rows
    }

    /// Words of each row.
    pub fn words(&self) -> usize {
        self.words
    }

    /// A pointer to the first word of the first row, and the number of words from one row to the
    /// next.
    pub fn place(&self) -> (*const u64, usize) {
        (self.start, self.stride)
    }

    /// Cuts each row into `pieces` pieces and takes the words `words` of each piece. The rows must
    /// be directly consecutive.
    pub fn cut(self, pieces: usize, words: Range<usize>) -> Self {
        assert!(self.stride == self.words && words.end <= self.words / pieces);
        let start = self.start.wrapping_add(words.start);
        Self { start, stride: self.stride / pieces, rows: self.rows * pieces, words: words.len(), ..self }
    }

    /// Row number `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &'a [u64] {
        assert!(i < self.rows);
        // SAFETY: the caller of `new` promised that the rows exist and are borrowed for 'a.
        unsafe { std::slice::from_raw_parts(self.start.add(i * self.stride), self.words) }
    }
}

/// [`Rows`] to be written by several threads, each of which takes other words.
#[derive(Clone, Copy, Debug)]
pub struct RowsMut<'a> {
    start: *mut u64,
    stride: usize,
    rows: usize,
    words: usize,
    life: PhantomData<&'a mut [u64]>,
}

// SAFETY: stands for a unique borrow of plain words; what touches them is unsafe and leaves it to
// the caller that none overlap.
unsafe impl Send for RowsMut<'_> {}
// SAFETY: as above.
unsafe impl Sync for RowsMut<'_> {}

impl<'a> RowsMut<'a> {
    /// `rows` rows of `words` words, `stride` words apart, the first at `start`.
    ///
    /// # Safety
    /// The words are initialised, and during `'a` nobody uses them except through this value and
    /// its copies.
    pub unsafe fn new(start: *mut u64, stride: usize, rows: usize, words: usize) -> Self {
        Self { start, stride, rows, words, life: PhantomData }
    }

    /// Rows of `words` words in `x`, `stride` words apart.
    pub fn of(x: &'a mut [u64], stride: usize, words: usize) -> Self {
        let rows = if x.len() < words { 0 } else { (x.len() - words) / stride + 1 };
        Self { start: x.as_mut_ptr(), stride, rows, words, life: PhantomData }
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.rows
    }

    /// Words of each row.
    pub fn words(&self) -> usize {
        self.words
    }

    /// A pointer to the first word of the first row, and the number of words from one row to the
    /// next.
    pub fn place(&self) -> (*mut u64, usize) {
        (self.start, self.stride)
    }

    /// Words `from..to` of row number `i`.
    ///
    /// # Safety
    /// No other slice that overlaps this one may be alive.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "stands for a unique borrow that several threads share")]
    pub unsafe fn part(&self, i: usize, from: usize, to: usize) -> &'a mut [u64] {
        assert!(i < self.rows && from <= to && to <= self.words);
        // SAFETY: the caller of `new` promised that the rows exist and are borrowed uniquely for
        // 'a.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(i * self.stride + from), to - from) }
    }
}
