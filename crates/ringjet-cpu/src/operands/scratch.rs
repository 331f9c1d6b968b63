//! Scratch memory that threads share.

use std::iter::StepBy;
use std::marker::PhantomData;
use std::ops::Range;

use super::rows::{Rows, RowsMut};
use crate::system::pool::Block;

/// Scratch memory with a separate range of words for each worker.
#[derive(Debug)]
pub struct WorkerScratch {
    block: Block,
    words: usize,
    count: usize,
}

impl WorkerScratch {
    /// Number of unused words between the ranges of two workers. The hardware prefetchers read
    /// beyond the last row of a loop over strided rows. With a smaller gap they take lines from the
    /// other worker, which slows it down.
    const GAP: usize = 96 << 10;

    /// Ranges of fewer words than this have no gap between them.
    const SMALL: usize = 1 << 12;

    /// Number of words from the first word of a worker to that of the next worker.
    fn stride(words: usize) -> usize {
        if words < Self::SMALL { words } else { words.saturating_add(Self::GAP) }
    }

    /// Number of words of a block for `count` workers with `words` words each.
    pub fn block(words: usize, count: usize) -> usize {
        Self::stride(words).saturating_mul(count.saturating_sub(1)).saturating_add(words)
    }

    /// Divides a block of [`WorkerScratch::block`] words among `count` workers.
    pub fn new(block: Block, words: usize, count: usize) -> Self {
        assert!(count > 0 && block.len() == Self::block(words, count));
        Self { block, words, count }
    }

    /// The words of worker `worker`.
    ///
    /// # Safety
    /// No other slice of these words may be alive.
    #[allow(clippy::mut_from_ref, reason = "several threads share what is divided among them")]
    pub unsafe fn of(&self, worker: usize) -> &mut [u64] {
        assert!(worker < self.count);
        // SAFETY: inside the block, as `new` has checked, initialised and owned; those of different
        // workers do not overlap, and the caller takes each at most once at a time.
        unsafe {
            std::slice::from_raw_parts_mut(self.block.as_ptr().add(worker * Self::stride(self.words)), self.words)
        }
    }
}

/// Scratch memory cut into equal rows.
#[derive(Clone, Copy, Debug)]
pub struct Scratch<'a> {
    start: *mut u64,
    row: usize,
    count: usize,
    life: PhantomData<&'a mut [u64]>,
}

// SAFETY: stands for a unique borrow of plain words; `row` leaves it to the caller that none
// overlap.
unsafe impl Send for Scratch<'_> {}
// SAFETY: as above.
unsafe impl Sync for Scratch<'_> {}

impl<'a> Scratch<'a> {
    /// Divides `block` into rows of `row` words.
    pub fn new(block: &'a mut Block, row: usize) -> Self {
        let count = block.len().checked_div(row).unwrap_or(0);
        Self { start: block.as_ptr(), row, count, life: PhantomData }
    }

    /// Row number `i`, to be read.
    ///
    /// # Safety
    /// No slice from [`Scratch::row`] of this row may be alive.
    pub unsafe fn read(&self, i: usize) -> &'a [u64] {
        assert!(i < self.count);
        // SAFETY: as in `row`, and nobody writes while the slice lives.
        unsafe { std::slice::from_raw_parts(self.start.add(i * self.row), self.row) }
    }

    /// Row number `i`.
    ///
    /// # Safety
    /// No other slice of this row may be alive.
    #[allow(clippy::mut_from_ref, reason = "stands for a unique borrow that several threads share")]
    pub unsafe fn row(&self, i: usize) -> &'a mut [u64] {
        assert!(i < self.count);
        // SAFETY: `(i + 1) * row <= block.len()`, initialised memory, borrowed uniquely for 'a by
        // `new`; rows do not overlap, and the caller takes each at most once at a time.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(i * self.row), self.row) }
    }

    /// Words `from..to` of row number `i`.
    ///
    /// # Safety
    /// No other slice of these words may be alive.
    #[allow(clippy::mut_from_ref, reason = "as for `row`")]
    pub unsafe fn part(&self, i: usize, from: usize, to: usize) -> &'a mut [u64] {
        assert!(i < self.count && from <= to && to <= self.row);
        // SAFETY: as in `row`.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(i * self.row + from), to - from) }
    }

    /// Words `words` of the rows with the numbers `rows`, to be read.
    ///
    /// # Safety
    /// No slice of these rows may be written to.
    pub unsafe fn read_rows(&self, rows: StepBy<Range<usize>>, words: Range<usize>) -> Rows<'a> {
        let (start, stride, rows) = self.place(rows, &words);
        // SAFETY: the rows are inside the block, which is borrowed for 'a; by the caller's promise
        // nobody writes to them.
        unsafe { Rows::new(start, stride, rows, words.len()) }
    }

    /// `pieces` pieces of `words` words each, to be read. Piece k starts with row
    /// `first + k * step` and may extend into the rows after it.
    ///
    /// # Safety
    /// No slice of these rows may be written to.
    pub unsafe fn read_pieces(&self, first: usize, step: usize, pieces: usize, words: usize) -> Rows<'a> {
        assert!(pieces > 0 && (first + (pieces - 1) * step) * self.row + words <= self.count * self.row);
        // SAFETY: the words are there, as in `row`, and by the caller's promise nobody writes to
        // them.
        unsafe { Rows::new(self.start.add(first * self.row), step * self.row, pieces, words) }
    }

    /// [`Scratch::read_rows`], to be written.
    pub fn rows(&self, rows: StepBy<Range<usize>>, words: Range<usize>) -> RowsMut<'a> {
        let (start, stride, rows) = self.place(rows, &words);
        // SAFETY: the rows are inside the block, which this borrows uniquely for 'a.
        unsafe { RowsMut::new(start, stride, rows, words.len()) }
    }

    /// Pointer to the first word, stride and number of the rows `rows`.
    fn place(&self, mut rows: StepBy<Range<usize>>, words: &Range<usize>) -> (*mut u64, usize, usize) {
        let (count, first) = (rows.len(), rows.next().expect("a row"));
        let second = rows.next().unwrap_or(first);
        assert!(
            first + (count - 1) * (second - first) < self.count && words.start <= words.end && words.end <= self.row
        );
        // SAFETY: the rows and words are inside the block, as in `row`.
        (unsafe { self.start.add(first * self.row + words.start) }, (second - first) * self.row, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::pool::Pool;

    #[test]
    fn workers_have_words_of_their_own() {
        let pool = Pool::new(0);
        for (words, count) in [(0, 3), (1, 1), (512, 3), (WorkerScratch::SMALL, 2), (WorkerScratch::SMALL + 8, 4)] {
            let block = pool.take(WorkerScratch::block(words, count)).unwrap();
            let range = block.as_ptr() as usize..block.as_ptr() as usize + 8 * block.len();
            let workers = WorkerScratch::new(block, words, count);
            let mut end = range.start;
            for worker in 0..count {
                // SAFETY: the slices are used one after the other.
                let own = unsafe { workers.of(worker) };
                own.fill(worker as u64);
                let place = own.as_ptr() as usize;
                assert!(own.len() == words && place >= end && place + 8 * words <= range.end);
                assert!(worker == 0 || words < WorkerScratch::SMALL || place - end == 8 * WorkerScratch::GAP);
                end = place + 8 * words;
            }
            for worker in 0..count {
                // SAFETY: as above.
                assert!(unsafe { workers.of(worker) }.iter().all(|&x| x == worker as u64));
            }
        }
    }
}
