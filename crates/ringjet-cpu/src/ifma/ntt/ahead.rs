//! Asking for memory ahead of its use.

use std::arch::x86_64::*;

use super::TILE;
use crate::memory::{Fetch, ask_for_key};
use crate::processor::Processor;

/// Lines to fetch while something else is computed: words `from..from + TILE` of some rows, of which most are keys', and the tile that is transformed
/// next, into the first-level cache.
pub struct Ahead<'a> {
    rows: &'a [*const u64],
    from: usize,
    /// Whether into the first-level cache.
    near: bool,
    /// Lines fetched so far, row after row.
    done: usize,
    /// Lines of each step.
    pace: usize,
    /// The next tile, and its lines fetched so far.
    next: (*const u64, usize),
}

/// Steps of a tile.
pub(super) const STEPS: usize = 24;
/// Cache lines of a tile of one row.
const LINES: usize = TILE / 8;
/// Lines of the next tile of each step.
const NEXT: usize = LINES.div_ceil(STEPS);

impl<'a> Ahead<'a> {
    /// Tile starting at word `from` of `rows`, which are named by their first words, all within `tiles` transforms of a tile.
    pub fn new(rows: &'a [*const u64], from: usize, tiles: usize) -> Self {
        let pace = (rows.len() * LINES).div_ceil(STEPS * tiles.max(1));
        Self { rows, from, near: Processor::this().zen_5, done: 0, pace, next: (std::ptr::null(), LINES) }
    }

    /// During the next transform of a tile, the tile that starts at `next` is fetched too.
    pub fn then(&mut self, next: *const u64) -> &mut Self {
        self.next = (next, 0);
        self
    }
}

/// Something that is fetched step by step.
pub trait Step {
    /// As much as belongs to one step.
    fn step(&mut self);

    /// Lines that belong to one step.
    fn pace(&self) -> usize;

    /// Where the `lines` lines of a step begin, a power of two, for the caller to fetch; none if nothing is left.
    fn lines(&mut self, lines: usize) -> Option<*const u64>;

    /// The tile that is fetched into the nearest cache by the caller, if there is one.
    fn next(&mut self) -> Option<*const u64>;
}

impl Step for Fetch<'_> {
    #[inline]
    fn step(&mut self) {
        for _ in 0..self.pace() {
            self.line();
        }
    }

    fn pace(&self) -> usize {
        Self::pace(self)
    }

    fn lines(&mut self, lines: usize) -> Option<*const u64> {
        Self::lines(self, lines)
    }

    fn next(&mut self) -> Option<*const u64> {
        None
    }
}

impl Step for Ahead<'_> {
    #[inline]
    fn step(&mut self) {
        for line in self.done..self.done + self.pace {
            if let Some(row) = self.rows.get(line / LINES) {
                ask_for_key(self.near, row.wrapping_add(self.from + line % LINES * 8));
            }
        }
        self.done += self.pace;
        let (next, done) = self.next;
        for line in done..(done + NEXT).min(LINES) {
            // SAFETY: any address may be prefetched: nothing is read architecturally.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(8 * line).cast()) };
        }
        self.next.1 = done + NEXT;
    }

    fn pace(&self) -> usize {
        self.pace
    }

    fn lines(&mut self, lines: usize) -> Option<*const u64> {
        let row = self.rows.get(self.done / LINES)?;
        let start = row.wrapping_add(self.from + self.done % LINES * 8);
        self.done += lines;
        Some(start)
    }

    fn next(&mut self) -> Option<*const u64> {
        let (next, done) = std::mem::replace(&mut self.next, (std::ptr::null(), LINES));
        (done == 0).then_some(next)
    }
}

/// Fetches lines after `start` into the nearest cache. Any address may be named: nothing is read architecturally.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn fetch_lines(start: *const u64, lines: std::ops::Range<usize>) {
    for line in lines {
        _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(8 * line).cast());
    }
}
