//! Views of buffers as limbs of plain memory, and the storage of a [`Buf`] of this backend.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::Range;

use ringjet_backend::{BackendId, Buf, Result, Storage, View, ViewMut, check};

use super::rows::{Rows, RowsMut};
use crate::system::instrument::{Counted, Counting};
use crate::system::pool::Block;

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

/// Start, length and secrecy of the memory of a buffer. Refuses buffers of other backends.
fn memory(op: &'static str, id: &BackendId, buf: &Buf) -> Result<(*mut u64, usize, bool)> {
    check::owner(op, id, buf)?;
    let memory = buf.storage().as_any().downcast_ref::<Memory>();
    Ok(memory
        .map_or((std::ptr::NonNull::dangling().as_ptr(), 0, false), |m| (m.0.as_ptr(), m.0.len(), m.0.is_secret())))
}

/// The positions of the limbs of a view: limb `i` of polynomial `p` starts at word
/// `(offset + p * stride + i) * n`. If the view has only chosen limbs, `chosen[i]` replaces i.
#[derive(Clone, Copy, Debug)]
struct Geometry<'a> {
    offset: usize,
    stride: usize,
    polys: usize,
    limbs: usize,
    n: usize,
    /// Number of words of the buffer.
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
    /// The first word of limb `i` of polynomial `p`. Panics unless the limb lies inside the buffer.
    #[inline]
    fn start(&self, p: usize, i: usize) -> usize {
        assert!(p < self.polys && i < self.limbs, "limb {i} of polynomial {p} of {} x {}", self.polys, self.limbs);
        let i = self.chosen.map_or(i, |c| c[i]);
        let start = (self.offset + p * self.stride + i) * self.n;
        assert!(start + self.n <= self.len, "a view beyond its buffer");
        start
    }
}

/// A view to be read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    start: *const u64,
    geometry: Geometry<'a>,
    secret: bool,
    counting: Counting<'a>,
    /// The kind under which its words are counted.
    counted: Counted,
    life: PhantomData<&'a [u64]>,
}

// SAFETY: a `Source` stands for a shared borrow of plain words.
unsafe impl Send for Source<'_> {}
// SAFETY: as above.
unsafe impl Sync for Source<'_> {}

impl<'a> Source<'a> {
    /// The words of `view`. Refuses buffers of other backends.
    pub fn new(op: &'static str, id: &BackendId, view: View<'a>, counting: Counting<'a>) -> Result<Self> {
        let (start, len, secret) = memory(op, id, view.buf())?;
        let geometry = geometry!(view, len, view.chosen());
        Ok(Self { start, geometry, secret, counting, counted: Counted::Read, life: PhantomData })
    }

    /// The same words, counted as another kind than [`Counted::Read`].
    pub fn counted_as(self, counted: Counted) -> Self {
        Self { counted, ..self }
    }

    /// Counts `words` words of polynomial `p` as read. If the view has one polynomial, which is
    /// used for all p, only the words for polynomial 0 count.
    #[inline(always)]
    pub fn count(&self, p: usize, words: usize) {
        self.counting.count(self.counted, || if self.geometry.polys == 1 && p > 0 { 0 } else { words });
    }

    /// Limb `i` of polynomial `p`, or of the only polynomial. Its words count as read.
    #[inline]
    pub fn limb(&self, p: usize, i: usize) -> &'a [u64] {
        self.count(p, self.geometry.n);
        self.peek(p, i)
    }

    /// The words `words` of [`Source::limb`]. They count as read.
    #[inline]
    pub fn part(&self, p: usize, i: usize, words: Range<usize>) -> &'a [u64] {
        self.count(p, words.len());
        &self.peek(p, i)[words]
    }

    /// [`Source::limb`] without counting: for prefetching, and for callers that count themselves.
    #[inline]
    pub fn peek(&self, p: usize, i: usize) -> &'a [u64] {
        let g = &self.geometry;
        let start = g.start(if g.polys == 1 { 0 } else { p }, i);
        // SAFETY: `start + n <= len` (checked by `start`), the memory is initialised, and the view
        // borrows the buffer for 'a, so nobody writes to it.
        unsafe { std::slice::from_raw_parts(self.start.add(start), g.n) }
    }

    /// The limbs `limbs` of polynomial `p` as rows, without counting. The view must not have chosen
    /// limbs.
    pub fn rows(&self, p: usize, limbs: Range<usize>) -> Rows<'a> {
        let g = &self.geometry;
        assert!(g.chosen.is_none(), "limbs at different distances");
        let p = if g.polys == 1 { 0 } else { p };
        let first = if limbs.is_empty() { 0 } else { g.start(p, limbs.end - 1) - (limbs.len() - 1) * g.n };
        // SAFETY: the last of the limbs is inside the buffer, and so are those before it, as in
        // `limb`.
        unsafe { Rows::new(self.start.add(first), g.n, limbs.len(), g.n) }
    }

    /// Rows of `words` words at the distance `stride`, the first at word `first` of the only
    /// polynomial, without counting. The view must not have chosen limbs.
    pub fn pieces(&self, first: usize, stride: usize, rows: usize, words: usize) -> Rows<'a> {
        let g = &self.geometry;
        assert!(g.chosen.is_none() && g.polys == 1 && rows > 0, "limbs one behind the other");
        assert!(first + (rows - 1) * stride + words <= g.limbs * g.n && (g.offset + g.limbs) * g.n <= g.len);
        // SAFETY: the words are inside the buffer, which is borrowed for 'a.
        unsafe { Rows::new(self.start.add(g.offset * g.n + first), stride, rows, words) }
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

/// A view to be written by several threads, each of which takes other limbs or other parts of
/// limbs.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    start: *mut u64,
    geometry: Geometry<'a>,
    secret: bool,
    counting: Counting<'a>,
    /// Whether the old values are read, too.
    updated: bool,
    life: PhantomData<&'a mut [u64]>,
}

// SAFETY: a `Target` stands for a unique borrow of plain words; its methods that touch them are
// unsafe and leave it to the caller that no two overlap.
unsafe impl Send for Target<'_> {}
// SAFETY: as above.
unsafe impl Sync for Target<'_> {}

impl<'a> Target<'a> {
    /// The words of `view`. Refuses buffers of other backends.
    pub fn new(op: &'static str, id: &BackendId, view: ViewMut<'a>, counting: Counting<'a>) -> Result<Self> {
        let (start, len, secret) = memory(op, id, view.buf())?;
        let geometry = geometry!(view, len, None);
        Ok(Self { start, geometry, secret, counting, updated: false, life: PhantomData })
    }

    /// The same words. If `updated`, they count as read too, because the old values are used.
    pub fn updated(self, updated: bool) -> Self {
        Self { updated, ..self }
    }

    /// Counts `words` words as written.
    #[inline(always)]
    pub fn count(&self, words: usize) {
        self.counting.count(Counted::Written, || words);
        if self.updated {
            self.counting.count(Counted::Read, || words);
        }
    }

    /// Limb `i` of polynomial `p`. Its words count as written.
    ///
    /// # Safety
    /// No other slice of this limb may be alive.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "stands for a unique borrow that several threads share")]
    pub unsafe fn limb(&self, p: usize, i: usize) -> &'a mut [u64] {
        // SAFETY: by the caller's promise.
        unsafe { self.part(p, i, 0, self.geometry.n) }
    }

    /// Words `from..to` of limb `i` of polynomial `p`. They count as written.
    ///
    /// # Safety
    /// No other slice that overlaps this one may be alive.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "stands for a unique borrow that several threads share")]
    pub unsafe fn part(&self, p: usize, i: usize, from: usize, to: usize) -> &'a mut [u64] {
        self.count(to - from);
        // SAFETY: by the caller's promise.
        unsafe { self.draft(p, i, from, to) }
    }

    /// All limbs of polynomial `p` as rows, without counting.
    pub fn rows(&self, p: usize) -> RowsMut<'a> {
        let g = &self.geometry;
        let first = if g.limbs == 0 { 0 } else { g.start(p, g.limbs - 1) - (g.limbs - 1) * g.n };
        // SAFETY: the last of the limbs is inside the buffer, and so are those before it, as in
        // `limb`.
        unsafe { RowsMut::new(self.start.add(first), g.n, g.limbs, g.n) }
    }

    /// [`Target::part`] without counting: for words that a later step of the operation finishes,
    /// for prefetching, and for callers that count themselves.
    ///
    /// # Safety
    /// As for [`Target::part`].
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "stands for a unique borrow that several threads share")]
    pub unsafe fn draft(&self, p: usize, i: usize, from: usize, to: usize) -> &'a mut [u64] {
        let start = self.geometry.start(p, i);
        assert!(from <= to && to <= self.geometry.n);
        // SAFETY: `start + to <= start + n <= len`, initialised memory, borrowed uniquely for 'a by
        // the view this came from; different limbs do not overlap (a view's stride is at least its
        // number of limbs), and the caller takes each word at most once at a time.
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
