//! Asking for memory ahead of its use.

use std::arch::asm;
use std::arch::x86_64::*;

use super::TILE;
use crate::memory::{Fetch, ask_for_key};
use crate::processor::Processor;

/// Lines to fetch while something else is computed: words `from..from + TILE` of some rows, most of them keys', as [`ask_for_key`] does, and the tile that
/// is transformed next into the first-level cache.
pub struct Ahead<'a> {
    rows: &'a [*const u64],
    from: usize,
    /// Whether keys come into the first-level cache.
    near: bool,
    /// Lines fetched so far, row after row.
    done: usize,
    /// Lines of each step.
    pace: usize,
    /// The next tile, and its lines fetched so far.
    next: (*const u64, usize),
}

/// Steps of a tile.
const STEPS: usize = 24;
/// Cache lines of a tile of one row.
const LINES: usize = TILE / 8;
/// Lines that a step asks for at once.
const MANY: usize = 8;
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

    /// Whether nothing is fetched.
    fn is_idle(&self) -> bool;
}

impl Step for Fetch<'_> {
    #[inline]
    fn step(&mut self) {
        for _ in 0..self.pace() {
            self.line();
        }
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.pace() == 0
    }
}

impl Step for Ahead<'_> {
    #[inline]
    fn step(&mut self) {
        let mut zero = 0;
        for line in self.done..self.done + self.pace {
            if let Some(row) = self.rows.get(line / LINES) {
                if self.near && self.pace > MANY {
                    zero = later(zero);
                }
                ask_for_key(self.near, row.wrapping_add(self.from + line % LINES * 8 + zero));
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

    #[inline]
    fn is_idle(&self) -> bool {
        self.pace == 0 && self.next.1 >= LINES
    }
}

/// `zero`, which is 0, three cycles later: what it is added to for one line after the other is not asked for all at once. Measured on a Zen 5: of the 13 lines
/// of a step of hoisted rotations more are there when they are read; for the 6 of one rotation it takes longer than it saves.
#[inline]
fn later(zero: usize) -> usize {
    let mut later = zero;
    // SAFETY: a multiplication by 1.
    unsafe { asm!("imul {0}, {0}, 1", inout(reg) later, options(pure, nomem, nostack)) };
    later
}

/// Fetches lines after `start` into the nearest cache. Any address may be named: nothing is read architecturally.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn fetch_lines(start: *const u64, lines: std::ops::Range<usize>) {
    for line in lines {
        _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(8 * line).cast());
    }
}
