//! Software prefetching of operands that the hardware prefetchers would load too late.
//!
//! A prefetch may name any address: nothing is read architecturally. Memory delivers a limited
//! number of lines per time, and prefetches above that rate are dropped. So a kernel during which
//! lines are prefetched takes a [`Prefetch`] and calls [`Prefetch::step`] at equal distances. Each
//! step issues a few lines:
//!
//! * [`TilePrefetch`]: the next tile of some rows, most of them key rows, spread over all work on
//!   the current tile.
//! * [`RowPrefetch`]: rows at equal distances into the second-level cache, the same number of lines
//!   in each step.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::arch::asm;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use ringjet_math::ntt::LOG_TILE;

use super::rows::Rows;
use crate::system::processor::Processor;

/// Words of a cache line.
pub const LINE: usize = 8;
/// Words of a tile.
const TILE: usize = 1 << LOG_TILE;
/// Cache lines of a tile of one row.
const LINES: usize = TILE / LINE;
/// Number of prefetch steps of the transform of one tile.
pub const STEPS: usize = 24;
/// Number of lines of the tile to transform next that each step prefetches.
const NEXT_TILE_LINES: usize = LINES.div_ceil(STEPS);
/// One line, in the unit of [`TilePrefetch::rate`].
const ONE_LINE: usize = 1 << 16;

/// Prefetch weight of one transform step. This weight, [`TERM_WEIGHT`] and [`PERMUTATION_WEIGHT`]
/// are tuned on a Zen 5 for eight hoisted rotations.
const STEP_WEIGHT: usize = 3;
/// Prefetch weight of one term of an inner product, for [`VECTORS`] vectors.
const TERM_WEIGHT: usize = 2;
/// Prefetch weight of the automorphism of [`VECTORS`] vectors.
const PERMUTATION_WEIGHT: usize = 4;
/// Number of vectors that inner products compute at once.
pub const VECTORS: usize = 4;

/// The distance, in words, at which kernels prefetch key rows that they read in order, and results
/// that they write in order.
pub const KEY_DISTANCE: usize = 256;

/// Lines of operands that are prefetched step by step while other work runs.
pub trait Prefetch {
    /// Issues the lines of one step.
    fn step(&mut self);

    /// Whether no line is left to fetch.
    #[cfg(target_arch = "x86_64")]
    fn is_idle(&self) -> bool;
}

/// The work on one tile during which a [`TilePrefetch`] issues its lines. All fields are counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct TileWork {
    /// Forward and inverse transforms of the tile.
    pub transforms: usize,
    /// Terms of inner products.
    pub terms: usize,
    /// Automorphisms of the tile.
    pub permutations: usize,
}

/// Prefetches words `from..from + TILE` of some rows, most of them key rows, and the tile that is
/// transformed next. Its lines are spread evenly over the [`TileWork`].
#[derive(Debug)]
pub struct TilePrefetch<'a> {
    /// The rows of which no line has been fetched yet.
    rows: &'a [*const u64],
    from: usize,
    /// The next line of the current row, and the end of that row's tile.
    line: *const u64,
    end: *const u64,
    /// Whether lines go into the first-level cache.
    first_level: bool,
    /// The result of [`TilePrefetch::distance`].
    distance: usize,
    /// The number of lines for each unit of weight, and the number of lines that are due, both in
    /// units of [`ONE_LINE`].
    rate: usize,
    due: usize,
    /// The tile that is transformed next, and how many of its lines have been fetched.
    next_tile: (*const u64, usize),
}

impl Default for TilePrefetch<'_> {
    /// A prefetch without lines.
    fn default() -> Self {
        Self::new(&[], 0, TileWork::default())
    }
}

impl<'a> TilePrefetch<'a> {
    /// Prefetches the tiles at word `from` of the rows that begin at the pointers `rows`, during
    /// all of `work`. On processors where lines go into the second-level cache, they are fetched
    /// during transforms only.
    pub fn new(rows: &'a [*const u64], from: usize, work: TileWork) -> Self {
        let first_level = Processor::this().zen_5;
        let (terms, permutations) = if first_level { (work.terms, work.permutations) } else { (0, 0) };
        let weight = work.transforms * STEPS * STEP_WEIGHT
            + terms * LINES / VECTORS * TERM_WEIGHT
            + permutations * LINES / VECTORS * PERMUTATION_WEIGHT;
        let rate = (rows.len() * LINES * ONE_LINE).div_ceil(weight.max(1));
        let distance = if first_level && !rows.is_empty() { LINE * VECTORS } else { KEY_DISTANCE };
        let line = std::ptr::null();
        Self { rows, from, line, end: line, first_level, distance, rate, due: 0, next_tile: (line, LINES) }
    }

    /// The distance, in words, at which an inner product itself prefetches key rows. It is short if
    /// this prefetch has fetched them into the first-level cache before, from which they may have
    /// been displaced to the second level; otherwise it is long.
    pub fn distance(&self) -> usize {
        self.distance
    }

    /// Also fetches the tile at `next` during the next transform of a tile.
    pub fn and_tile(&mut self, next: *const u64) -> &mut Self {
        self.next_tile = (next, 0);
        self
    }

    /// Issues the lines due for one term of an inner product of [`VECTORS`] vectors.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn term<const FIRST_LEVEL: bool>(&mut self) {
        self.lines::<FIRST_LEVEL>(TERM_WEIGHT);
    }

    /// Issues the lines due for the automorphism of [`VECTORS`] vectors.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn permutation(&mut self) {
        if self.first_level {
            self.lines::<true>(PERMUTATION_WEIGHT);
        }
    }

    /// Issues the lines due for work of weight `weight`.
    #[inline]
    fn lines<const FIRST_LEVEL: bool>(&mut self, weight: usize) {
        self.due += weight * self.rate;
        let mut zero = 0;
        while self.due >= ONE_LINE {
            if self.line == self.end {
                let Some((row, rows)) = self.rows.split_first() else {
                    (self.rate, self.due) = (0, 0);
                    return;
                };
                self.rows = rows;
                self.line = row.wrapping_add(self.from);
                self.end = self.line.wrapping_add(TILE);
            }
            prefetch_key(FIRST_LEVEL, self.line);
            zero = delayed::<FIRST_LEVEL>(zero);
            self.line = self.line.wrapping_add(LINE + zero);
            self.due -= ONE_LINE;
        }
    }
}

/// Returns 0 from the argument 0, with `FIRST_LEVEL` through a 6-cycle dependency chain: adding it
/// to an address spaces prefetches. Measurements on a Zen 5: `docs/tuning/key-switching.md`.
#[inline]
fn delayed<const FIRST_LEVEL: bool>(zero: usize) -> usize {
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "only this architecture delays"))]
    let mut delayed = zero;
    #[cfg(target_arch = "x86_64")]
    if FIRST_LEVEL {
        // SAFETY: two multiplications by 1.
        unsafe { asm!("imul {0}, {0}, 1", "imul {0}, {0}, 1", inout(reg) delayed, options(pure, nomem, nostack)) };
    }
    delayed
}

impl Prefetch for () {
    #[inline]
    fn step(&mut self) {}

    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn is_idle(&self) -> bool {
        true
    }
}

impl Prefetch for TilePrefetch<'_> {
    #[inline]
    fn step(&mut self) {
        if self.first_level {
            self.lines::<true>(STEP_WEIGHT)
        } else {
            self.lines::<false>(STEP_WEIGHT)
        }
        let (next, done) = self.next_tile;
        for line in done..(done + NEXT_TILE_LINES).min(LINES) {
            prefetch_key(true, next.wrapping_add(LINE * line));
        }
        self.next_tile.1 = done + NEXT_TILE_LINES;
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn is_idle(&self) -> bool {
        self.rate == 0 && self.next_tile.1 >= LINES
    }
}

/// Prefetches [`Rows`] into the second-level cache.
#[derive(Debug, Default)]
pub struct RowPrefetch<'a> {
    rows: Rows<'a>,
    /// The row and the word of the next line.
    next: [usize; 2],
    /// The rows to fetch after `rows`.
    then: Rows<'a>,
    lines_per_step: usize,
}

impl<'a> RowPrefetch<'a> {
    /// Fetches `rows` by calls of [`RowPrefetch::line`]; the steps of this prefetch fetch nothing.
    pub fn new(rows: Rows<'a>) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Fetches `rows` and then `then` in `steps` steps.
    pub fn in_steps(rows: Rows<'a>, then: Rows<'a>, steps: usize) -> Self {
        let lines = [rows, then].map(|r| r.count() * r.words().div_ceil(LINE));
        Self { rows, then, lines_per_step: lines.iter().sum::<usize>().div_ceil(steps), ..Self::default() }
    }

    /// Fetches the next line, if one is left.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn line(&mut self) {
        let [row, word] = self.next;
        if row < self.rows.count() {
            let (start, stride) = self.rows.place();
            let line = start.wrapping_add(row * stride + word);
            // SAFETY: any address may be prefetched: nothing is read architecturally.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(line.cast()) };
            self.next = if word + LINE < self.rows.words() { [row, word + LINE] } else { [row + 1, 0] };
        } else if self.then.count() > 0 {
            (self.rows, self.next) = (std::mem::take(&mut self.then), [0; 2]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Prefetch for RowPrefetch<'_> {
    #[inline]
    fn step(&mut self) {
        for _ in 0..self.lines_per_step {
            self.line();
        }
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.lines_per_step == 0
    }
}

/// Prefetches one line of a key into the first-level or the second-level cache. Which one is better
/// depends on [`crate::system::processor::Processor::zen_5`].
#[inline]
pub fn prefetch_key(first_level: bool, line: *const u64) {
    // SAFETY: any address may be prefetched: nothing is read architecturally.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        if first_level { _mm_prefetch::<_MM_HINT_T0>(line.cast()) } else { _mm_prefetch::<_MM_HINT_T1>(line.cast()) }
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        if first_level {
            asm!("prfm pldl1keep, [{0}]", in(reg) line, options(readonly, nostack, preserves_flags));
        } else {
            asm!("prfm pldl2keep, [{0}]", in(reg) line, options(readonly, nostack, preserves_flags));
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = (first_level, line);
}

/// Prefetches lines after `start` into the first-level cache.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn prefetch_lines(start: *const u64, lines: std::ops::Range<usize>) {
    for line in lines {
        _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(LINE * line).cast());
    }
}

/// Prefetches words `at..at + len` of a row into the first-level cache.
#[inline]
pub fn prefetch_words(row: &[u64], at: usize, len: usize) {
    #[cfg(target_arch = "x86_64")]
    for at in (at..at + len).step_by(LINE) {
        // SAFETY: any address may be prefetched: nothing is read architecturally.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().wrapping_add(at).cast()) };
    }
}
