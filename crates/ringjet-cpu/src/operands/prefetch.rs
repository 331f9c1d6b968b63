//! Software prefetching: lines of operands that the hardware would not fetch in time.
//!
//! A prefetch names any address; nothing is read architecturally. Memory answers only so many lines
//! in a time, and prefetches above that rate are dropped. So a kernel that runs while lines are
//! fetched takes a [`Prefetch`] and calls [`Prefetch::step`] at equal distances, which issues a few
//! lines each time:
//!
//! * [`TilePrefetch`]: the next tile of some rows, most of them key rows, spread over all work on
//!   the present tile.
//! * [`RowPrefetch`]: rows at equal distances into the second-level cache, a fixed number of lines
//!   a step.

#[cfg(target_arch = "x86_64")]
use std::arch::{asm, x86_64::*};

use ringjet_math::ntt::LOG_TILE;

use super::rows::Rows;
use crate::system::processor::Processor;

/// Words of a cache line.
const LINE: usize = 8;
/// Words of a tile.
const TILE: usize = 1 << LOG_TILE;
/// Cache lines of a tile of one row.
const LINES: usize = TILE / LINE;
/// Steps of one tile's transform.
const STEPS: usize = 24;
/// Lines of the tile to transform next that each step fetches.
#[cfg(target_arch = "x86_64")]
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
/// Vectors that inner products treat at once.
pub const VECTORS: usize = 4;

/// How many words before their use kernels prefetch key rows that they read, and results that they
/// write, in order.
pub const KEY_DISTANCE: usize = 256;

/// Lines of operands that are fetched step by step while something else is computed.
#[cfg(target_arch = "x86_64")]
pub trait Prefetch {
    /// Fetches the lines of one step.
    fn step(&mut self);

    /// Whether no line is left to fetch.
    fn is_idle(&self) -> bool;
}

/// The work on one tile during which a [`TilePrefetch`] issues its lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct TileWork {
    /// Transforms of the tile, forward or inverse.
    pub transforms: usize,
    /// Terms of inner products.
    pub terms: usize,
    /// Automorphisms.
    pub permutations: usize,
}

/// Prefetches words `from..from + TILE` of some rows, most of them key rows, and the tile that is
/// transformed next. Its lines are spread evenly over the [`TileWork`].
#[derive(Debug)]
pub struct TilePrefetch<'a> {
    /// Rows of which no line has been fetched.
    rows: &'a [*const u64],
    from: usize,
    /// The next line of the present row, and the end of that row's tile.
    line: *const u64,
    end: *const u64,
    /// Whether lines go into the first-level cache.
    first_level: bool,
    /// [`TilePrefetch::distance`].
    distance: usize,
    /// Lines for each unit of weight, and lines that are due, both in units of [`ONE_LINE`].
    rate: usize,
    due: usize,
    /// The tile that is transformed next, and how many of its lines have been fetched.
    next_tile: (*const u64, usize),
}

impl Default for TilePrefetch<'_> {
    /// No lines.
    fn default() -> Self {
        Self::new(&[], 0, TileWork::default())
    }
}

impl<'a> TilePrefetch<'a> {
    /// The lines from word `from` on of the rows with these first words, during all of `work`.
    /// Where lines go into the second-level cache they are fetched during transforms only.
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

    /// How many words before their use an inner product itself prefetches key rows. Short where
    /// this fetches them into the first-level cache before, which may have lost them to the second
    /// level; long otherwise.
    pub fn distance(&self) -> usize {
        self.distance
    }

    /// Also fetches the tile at `next` during the next transform of a tile.
    pub fn and_tile(&mut self, next: *const u64) -> &mut Self {
        self.next_tile = (next, 0);
        self
    }

    /// The lines due for one term of an inner product of [`VECTORS`] vectors.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn term<const FIRST_LEVEL: bool>(&mut self) {
        self.lines::<FIRST_LEVEL>(TERM_WEIGHT);
    }

    /// The lines due for the automorphism of [`VECTORS`] vectors.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn permutation(&mut self) {
        if self.first_level {
            self.lines::<true>(PERMUTATION_WEIGHT);
        }
    }

    /// The lines due for work of this weight.
    #[cfg(target_arch = "x86_64")]
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
#[cfg(target_arch = "x86_64")]
#[inline]
fn delayed<const FIRST_LEVEL: bool>(zero: usize) -> usize {
    let mut delayed = zero;
    if FIRST_LEVEL {
        // SAFETY: two multiplications by 1.
        unsafe { asm!("imul {0}, {0}, 1", "imul {0}, {0}, 1", inout(reg) delayed, options(pure, nomem, nostack)) };
    }
    delayed
}

#[cfg(target_arch = "x86_64")]
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
            // SAFETY: any address may be prefetched: nothing is read architecturally.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(LINE * line).cast()) };
        }
        self.next_tile.1 = done + NEXT_TILE_LINES;
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.rate == 0 && self.next_tile.1 >= LINES
    }
}

/// Prefetches [`Rows`] into the second-level cache.
#[derive(Debug, Default)]
pub struct RowPrefetch<'a> {
    rows: Rows<'a>,
    /// Row and word of the next line.
    next: [usize; 2],
    /// Rows to fetch after these.
    then: Rows<'a>,
    lines_per_step: usize,
}

impl<'a> RowPrefetch<'a> {
    /// Fetches `rows` by single calls of [`RowPrefetch::line`]; its steps fetch nothing.
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

/// Prefetches one line of a key into the first-level cache or the second, as
/// [`crate::system::processor::Processor::zen_5`] has it.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn prefetch_key(first_level: bool, line: *const u64) {
    // SAFETY: any address may be prefetched: nothing is read architecturally.
    unsafe {
        if first_level { _mm_prefetch::<_MM_HINT_T0>(line.cast()) } else { _mm_prefetch::<_MM_HINT_T1>(line.cast()) }
    }
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
