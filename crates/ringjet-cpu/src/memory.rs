//! Buffers as words: what lies behind a [`Buf`] of this backend, and views as limbs of plain memory.

use std::any::Any;
use std::iter::StepBy;
use std::marker::PhantomData;
use std::ops::Range;

use ringjet_backend::{BackendId, Buf, Result, Storage, View, ViewMut, check};

use crate::pool::Block;

/// Whether what is written one after the other, so many words, goes past the caches: before it is read again so much of it, and of what
/// comes with it, passes that no cache keeps it, and lines that are written whole need not be read first.
pub fn past_caches(words: usize) -> bool {
    words >= 1 << 20
}

/// Asks for a line of a key, some time before it is read: into the first-level cache, or the second, [`crate::processor::Processor::zen_5`]. Any address may be
/// named: nothing is read architecturally.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn ask_for_key(near: bool, line: *const u64) {
    use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
    // SAFETY: every processor of this kind has the instruction.
    unsafe { if near { _mm_prefetch::<_MM_HINT_T0>(line.cast()) } else { _mm_prefetch::<_MM_HINT_T1>(line.cast()) } }
}

/// Before another thread is told that words were written past the caches.
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this kind has it.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// The same words of rows that lie at the same distance from each other, to read.
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
    /// `x` in rows of so many words.
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

    /// The first word of the first row, and words from a row to the next.
    pub fn place(&self) -> (*const u64, usize) {
        (self.start, self.stride)
    }

    /// Rows that go on one behind the other, each cut into `pieces`, of each piece these words.
    pub fn cut(self, pieces: usize, words: Range<usize>) -> Self {
        assert!(self.stride == self.words && words.end <= self.words / pieces);
        let start = self.start.wrapping_add(words.start);
        Self { start, stride: self.stride / pieces, rows: self.rows * pieces, words: words.len(), ..self }
    }

    /// Row number `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &'a [u64] {
        assert!(i < self.rows);
        // SAFETY: the rows are there, borrowed for 'a, by the promise of what made this.
        unsafe { std::slice::from_raw_parts(self.start.add(i * self.stride), self.words) }
    }
}

/// Rows that are fetched into the second cache line by line while something else is computed.
#[derive(Debug, Default)]
pub struct Fetch<'a> {
    rows: Rows<'a>,
    /// Row and word that come next.
    next: [usize; 2],
    /// Rows that come behind those.
    then: Rows<'a>,
    pace: usize,
}

impl<'a> Fetch<'a> {
    /// These rows; none where `rows` has none.
    pub fn new(rows: Rows<'a>) -> Self {
        Self { rows, ..Self::default() }
    }

    /// These rows and then others, in so many steps.
    pub fn in_steps(rows: Rows<'a>, then: Rows<'a>, steps: usize) -> Self {
        let lines = [rows, then].map(|r| r.rows * r.words.div_ceil(8));
        Self { rows, then, pace: lines.iter().sum::<usize>().div_ceil(steps), ..Self::default() }
    }

    /// Lines of a step.
    #[cfg(target_arch = "x86_64")]
    pub fn pace(&self) -> usize {
        self.pace
    }

    /// Fetches the next line, if there is one left.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn line(&mut self) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let [row, word] = self.next;
        if row < self.rows.rows {
            let line = self.rows.start.wrapping_add(row * self.rows.stride + word);
            // SAFETY: nothing is read architecturally, and every processor of this kind has the instruction.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(line.cast()) };
            self.next = if word + 8 < self.rows.words { [row, word + 8] } else { [row + 1, 0] };
        } else if self.then.rows > 0 {
            (self.rows, self.next) = (std::mem::take(&mut self.then), [0; 2]);
        }
    }
}

/// [`Rows`] to write, from several threads that each take other words.
#[derive(Clone, Copy, Debug)]
pub struct RowsMut<'a> {
    start: *mut u64,
    stride: usize,
    rows: usize,
    words: usize,
    life: PhantomData<&'a mut [u64]>,
}

// SAFETY: stands for a unique borrow of plain words; what touches them is unsafe and leaves it to the caller that none overlap.
unsafe impl Send for RowsMut<'_> {}
// SAFETY: as above.
unsafe impl Sync for RowsMut<'_> {}

impl<'a> RowsMut<'a> {
    /// Rows of `words` words in `x`, `stride` apart.
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

    /// The first word of the first row, and words from a row to the next.
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
        // SAFETY: the rows are there, borrowed uniquely for 'a, by the promise of what made this.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(i * self.stride + from), to - from) }
    }
}

/// Storage of a [`Buf`].
#[derive(Debug)]
pub struct Memory(pub Block);

impl Storage for Memory {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn mark_secret(&mut self) {
        self.0.mark_secret();
    }
    fn is_secret(&self) -> bool {
        self.0.is_secret()
    }
}

/// Start, length and secrecy of a buffer's memory.
fn memory(op: &'static str, id: &BackendId, buf: &Buf) -> Result<(*mut u64, usize, bool)> {
    check::owner(op, id, buf)?;
    let memory = buf.storage().as_any().downcast_ref::<Memory>();
    Ok(memory
        .map_or((std::ptr::NonNull::dangling().as_ptr(), 0, false), |m| (m.0.as_ptr(), m.0.len(), m.0.is_secret())))
}

/// Where the limbs of a view lie: limb `i` of polynomial `p` starts at word `(offset + p stride + i) n`, with
/// `chosen[i]` for i where only some limbs are chosen.
#[derive(Clone, Copy, Debug)]
struct Geometry<'a> {
    offset: usize,
    stride: usize,
    polys: usize,
    limbs: usize,
    n: usize,
    /// Words of the buffer.
    len: usize,
    chosen: Option<&'a [usize]>,
}

macro_rules! geometry {
    ($view:expr, $len:expr, $chosen:expr) => {{
        let (offset, stride) = $view.offset_and_stride();
        Geometry {
            offset,
            stride,
            polys: $view.polys(),
            limbs: $view.limbs(),
            n: $view.n(),
            len: $len,
            chosen: $chosen,
        }
    }};
}

impl Geometry<'_> {
    /// First word of a limb; the limb lies inside the buffer.
    #[inline]
    fn start(&self, p: usize, i: usize) -> usize {
        assert!(p < self.polys && i < self.limbs, "limb {i} of polynomial {p} of {} x {}", self.polys, self.limbs);
        let i = self.chosen.map_or(i, |c| c[i]);
        let start = (self.offset + p * self.stride + i) * self.n;
        assert!(start + self.n <= self.len, "a view beyond its buffer");
        start
    }
}

/// A view to read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    start: *const u64,
    geometry: Geometry<'a>,
    secret: bool,
    life: PhantomData<&'a [u64]>,
}

// SAFETY: a `Source` stands for a shared borrow of plain words.
unsafe impl Send for Source<'_> {}
// SAFETY: as above.
unsafe impl Sync for Source<'_> {}

impl<'a> Source<'a> {
    /// The view's words; refuses other owners.
    pub fn new(op: &'static str, id: &BackendId, view: View<'a>) -> Result<Self> {
        let (start, len, secret) = memory(op, id, view.buf())?;
        Ok(Self { start, geometry: geometry!(view, len, view.chosen()), secret, life: PhantomData })
    }

    /// Limb `i` of polynomial `p`, or of the only polynomial.
    #[inline]
    pub fn limb(&self, p: usize, i: usize) -> &'a [u64] {
        let g = &self.geometry;
        let start = g.start(if g.polys == 1 { 0 } else { p }, i);
        // SAFETY: `start + n <= len` (checked by `start`), the memory is initialised, and the view borrows the
        // buffer for 'a, so nobody writes to it.
        unsafe { std::slice::from_raw_parts(self.start.add(start), g.n) }
    }

    /// These limbs of polynomial `p`, of a view that has all of its limbs.
    pub fn rows(&self, p: usize, limbs: Range<usize>) -> Rows<'a> {
        let g = &self.geometry;
        assert!(g.chosen.is_none(), "limbs at different distances");
        let p = if g.polys == 1 { 0 } else { p };
        let first = if limbs.is_empty() { 0 } else { g.start(p, limbs.end - 1) - (limbs.len() - 1) * g.n };
        // SAFETY: the last of the limbs is inside the buffer, and so are those before it, as in `limb`.
        Rows { start: unsafe { self.start.add(first) }, stride: g.n, rows: limbs.len(), words: g.n, life: PhantomData }
    }

    /// Rows of `words` words, `stride` apart, from word `first` on of all limbs of the only polynomial of a view that has all its limbs.
    pub fn pieces(&self, first: usize, stride: usize, rows: usize, words: usize) -> Rows<'a> {
        let g = &self.geometry;
        assert!(g.chosen.is_none() && g.polys == 1 && rows > 0, "limbs one behind the other");
        assert!(first + (rows - 1) * stride + words <= g.limbs * g.n && (g.offset + g.limbs) * g.n <= g.len);
        // SAFETY: the words are inside the buffer.
        let start = unsafe { self.start.add(g.offset * g.n + first) };
        Rows { start, stride, rows, words, life: PhantomData }
    }

    /// Number of polynomials.
    pub fn polys(&self) -> usize {
        self.geometry.polys
    }

    /// Whether the buffer is marked secret: copies in scratch memory must be overwritten.
    pub fn is_secret(&self) -> bool {
        self.secret
    }
}

/// A view to write, from several threads that each take other limbs (or other parts of limbs).
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    start: *mut u64,
    geometry: Geometry<'a>,
    secret: bool,
    life: PhantomData<&'a mut [u64]>,
}

// SAFETY: a `Target` stands for a unique borrow of plain words; its methods that touch them are unsafe and leave it
// to the caller that no two overlap.
unsafe impl Send for Target<'_> {}
// SAFETY: as above.
unsafe impl Sync for Target<'_> {}

impl<'a> Target<'a> {
    /// The view's words; refuses other owners.
    pub fn new(op: &'static str, id: &BackendId, view: ViewMut<'a>) -> Result<Self> {
        let (start, len, secret) = memory(op, id, view.buf())?;
        Ok(Self { start, geometry: geometry!(view, len, None), secret, life: PhantomData })
    }

    /// Limb `i` of polynomial `p`.
    ///
    /// # Safety
    /// No other slice of this limb may be alive.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "stands for a unique borrow that several threads share")]
    pub unsafe fn limb(&self, p: usize, i: usize) -> &'a mut [u64] {
        let start = self.geometry.start(p, i);
        // SAFETY: `start + n <= len`, initialised memory, borrowed uniquely for 'a by the view this came from;
        // different limbs do not overlap (a view's stride is at least its number of limbs), and the caller takes
        // each at most once at a time.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(start), self.geometry.n) }
    }

    /// All limbs of polynomial `p`.
    pub fn rows(&self, p: usize) -> RowsMut<'a> {
        let g = &self.geometry;
        let first = if g.limbs == 0 { 0 } else { g.start(p, g.limbs - 1) - (g.limbs - 1) * g.n };
        // SAFETY: the last of the limbs is inside the buffer, and so are those before it, as in `limb`.
        let start = unsafe { self.start.add(first) };
        RowsMut { start, stride: g.n, rows: g.limbs, words: g.n, life: PhantomData }
    }

    /// Words `from..to` of limb `i` of polynomial `p`.
    ///
    /// # Safety
    /// No other slice that overlaps this one may be alive.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "stands for a unique borrow that several threads share")]
    pub unsafe fn part(&self, p: usize, i: usize, from: usize, to: usize) -> &'a mut [u64] {
        let start = self.geometry.start(p, i);
        assert!(from <= to && to <= self.geometry.n);
        // SAFETY: as for `limb`: `start + to <= start + n <= len`.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(start + from), to - from) }
    }

    /// Number of polynomials.
    pub fn polys(&self) -> usize {
        self.geometry.polys
    }

    /// Limbs of each polynomial.
    pub fn limbs(&self) -> usize {
        self.geometry.limbs
    }

    /// Words of each limb.
    pub fn n(&self) -> usize {
        self.geometry.n
    }

    /// Words of all limbs.
    pub fn words(&self) -> usize {
        self.polys() * self.limbs() * self.n()
    }

    /// Whether the buffer is marked secret.
    pub fn is_secret(&self) -> bool {
        self.secret
    }
}

/// Scratch memory for each worker.
#[derive(Debug)]
pub struct Workers {
    block: Block,
    words: usize,
    count: usize,
}

impl Workers {
    /// Words between those of two workers. Processors fetch more than a loop over strided rows asks for, behind its last one too:
    /// closer together, one of two threads took half as much time again.
    const APART: usize = 96 << 10;

    /// Fewer words are not worth the distance.
    const FEW: usize = 1 << 12;

    /// From the words of a worker to those of the next.
    fn distance(words: usize) -> usize {
        if words < Self::FEW { words } else { words.saturating_add(Self::APART) }
    }

    /// Words of a block for `count` workers with `words` each.
    pub fn block(words: usize, count: usize) -> usize {
        Self::distance(words).saturating_mul(count.saturating_sub(1)).saturating_add(words)
    }

    /// In a block of so many words.
    pub fn new(block: Block, words: usize, count: usize) -> Self {
        assert!(count > 0 && block.len() == Self::block(words, count));
        Self { block, words, count }
    }

    /// The words of a worker.
    ///
    /// # Safety
    /// No other slice of them may be alive.
    #[allow(clippy::mut_from_ref, reason = "several threads share what is divided among them")]
    pub unsafe fn of(&self, worker: usize) -> &mut [u64] {
        assert!(worker < self.count);
        // SAFETY: inside the block, as `new` has checked, initialised and owned; those of different workers do not overlap, and the
        // caller takes each at most once at a time.
        unsafe {
            std::slice::from_raw_parts_mut(self.block.as_ptr().add(worker * Self::distance(self.words)), self.words)
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

// SAFETY: stands for a unique borrow of plain words; `row` leaves it to the caller that none overlap.
unsafe impl Send for Scratch<'_> {}
// SAFETY: as above.
unsafe impl Sync for Scratch<'_> {}

impl<'a> Scratch<'a> {
    /// Rows of `row` words.
    pub fn new(block: &'a mut Block, row: usize) -> Self {
        let count = block.len().checked_div(row).unwrap_or(0);
        Self { start: block.as_ptr(), row, count, life: PhantomData }
    }

    /// Row number `i`, to read.
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
        // SAFETY: `(i + 1) row <= block.len()`, initialised memory, borrowed uniquely for 'a by `new`; rows do not
        // overlap, and the caller takes each at most once at a time.
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

    /// Words `words` of the rows with these numbers, to read.
    ///
    /// # Safety
    /// No slice of these rows may be written to.
    pub unsafe fn read_rows(&self, rows: StepBy<Range<usize>>, words: Range<usize>) -> Rows<'a> {
        let (start, stride, rows) = self.place(rows, &words);
        Rows { start, stride, rows, words: words.len(), life: PhantomData }
    }

    /// `words` words from row `first`, `first + step` and so on, which go on in the rows behind them, to read.
    ///
    /// # Safety
    /// No slice of these rows may be written to.
    pub unsafe fn read_pieces(&self, first: usize, step: usize, pieces: usize, words: usize) -> Rows<'a> {
        assert!(pieces > 0 && (first + (pieces - 1) * step) * self.row + words <= self.count * self.row);
        // SAFETY: the words are there, as in `row`.
        let start = unsafe { self.start.add(first * self.row) };
        Rows { start, stride: step * self.row, rows: pieces, words, life: PhantomData }
    }

    /// The same as [`Scratch::read_rows`], to write.
    pub fn rows(&self, rows: StepBy<Range<usize>>, words: Range<usize>) -> RowsMut<'a> {
        let (start, stride, rows) = self.place(rows, &words);
        RowsMut { start, stride, rows, words: words.len(), life: PhantomData }
    }

    /// First word, distance and number of rows.
    fn place(&self, mut rows: StepBy<Range<usize>>, words: &Range<usize>) -> (*mut u64, usize, usize) {
        let (count, first) = (rows.len(), rows.next().expect("a row"));
        let second = rows.next().unwrap_or(first);
        assert!(
            first + (count - 1) * (second - first) < self.count && words.start <= words.end && words.end <= self.row
        );
        // SAFETY: rows and words are there, as in `row`.
        (unsafe { self.start.add(first * self.row + words.start) }, (second - first) * self.row, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::Pool;

    #[test]
    fn workers_have_words_of_their_own() {
        let pool = Pool::new(0);
        for (words, count) in [(0, 3), (1, 1), (512, 3), (Workers::FEW, 2), (Workers::FEW + 8, 4)] {
            let block = pool.take(Workers::block(words, count)).unwrap();
            let range = block.as_ptr() as usize..block.as_ptr() as usize + 8 * block.len();
            let workers = Workers::new(block, words, count);
            let mut end = range.start;
            for worker in 0..count {
                // SAFETY: one after the other.
                let own = unsafe { workers.of(worker) };
                own.fill(worker as u64);
                let place = own.as_ptr() as usize;
                assert!(own.len() == words && place >= end && place + 8 * words <= range.end);
                assert!(worker == 0 || words < Workers::FEW || place - end == 8 * Workers::APART);
                end = place + 8 * words;
            }
            for worker in 0..count {
                // SAFETY: as above.
                assert!(unsafe { workers.of(worker) }.iter().all(|&x| x == worker as u64));
            }
        }
    }
}
