//! Asking for memory ahead of its use.
#![cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "nothing is fetched"))]

#[cfg(target_arch = "x86_64")]
use std::arch::{asm, x86_64::*};

#[cfg(target_arch = "x86_64")]
use crate::memory::{Fetch, ask_for_key};
use crate::processor::Processor;

/// Lines to fetch while something else is computed: words `from..from + TILE` of some rows, most of them keys', as [`crate::memory::ask_for_key`] does, and
/// the tile that is transformed next into the first-level cache. A memory answers so many lines in a time and no more, and
/// of those that are asked for faster many do not come, so they are spread over the work that is done meanwhile.
#[derive(Debug)]
pub struct Ahead<'a> {
    /// Rows that were not yet begun.
    rows: &'a [*const u64],
    from: usize,
    /// The next line of a row, and what lies behind the last one.
    line: *const u64,
    end: *const u64,
    /// Whether keys come into the first-level cache.
    near: bool,
    /// Words from what is read of a key in a product to what is then asked for, [`Ahead::distance`].
    distance: usize,
    /// Lines for each unit of work, and those that are due, in fractions of [`ONE`].
    rate: usize,
    due: usize,
    /// The next tile, and its lines fetched so far.
    next: (*const u64, usize),
}

/// Words of a tile.
const TILE: usize = crate::keyswitch::NTT_TILE;
/// Cache lines of a tile of one row.
const LINES: usize = TILE / 8;
/// Steps of a tile's transform.
const STEPS: usize = 24;
/// Lines of the next tile of each step.
#[cfg(target_arch = "x86_64")]
const NEXT: usize = LINES.div_ceil(STEPS);
/// A line that is due.
const ONE: usize = 1 << 16;

/// Work of a step. Of the ratios that were tried with [`PRODUCTS`] and [`MOVED`], eight hoisted rotations are fastest with these on a Zen 5.
const STEP: usize = 3;
/// Work of the products of a term of [`crate::kernel::mul_acc_pair_scaled`], of some vectors.
const PRODUCTS: usize = 2;
/// Vectors of those.
pub const VECTORS: usize = 4;
/// Work of so many vectors of [`crate::kernel::permute_past`].
const MOVED: usize = 4;

/// How far ahead, in words, is asked for keys that are read from one end to the other, and for results that are written so.
pub const AHEAD: usize = 256;

/// What is done with a tile while lines are fetched: transforms, terms of products, and automorphisms.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    pub tiles: usize,
    pub terms: usize,
    pub moved: usize,
}

impl Default for Ahead<'_> {
    /// No lines.
    fn default() -> Self {
        Self::new(&[], 0, Work::default())
    }
}

impl<'a> Ahead<'a> {
    /// Lines from word `from` on of `rows`, which are named by their first words, all of them during `work`, and only during its transforms
    /// where keys do not come into the first-level cache.
    pub fn new(rows: &'a [*const u64], from: usize, work: Work) -> Self {
        let near = Processor::this().zen_5;
        let (terms, moved) = if near { (work.terms, work.moved) } else { (0, 0) };
        let units = work.tiles * STEPS * STEP + terms * LINES / VECTORS * PRODUCTS + moved * LINES / VECTORS * MOVED;
        let rate = (rows.len() * LINES * ONE).div_ceil(units.max(1));
        let distance = if near && !rows.is_empty() { 8 * VECTORS } else { AHEAD };
        let line = std::ptr::null();
        Self { rows, from, line, end: line, near, distance, rate, due: 0, next: (line, LINES) }
    }

    /// How far ahead, in words, a product asks for the key that it reads: far where nothing else asks for it in time, near where it was asked for into the first-level
    /// cache, which may have lost it to the second.
    pub fn distance(&self) -> usize {
        self.distance
    }

    /// During the next transform of a tile, the tile that starts at `next` is fetched too.
    pub fn then(&mut self, next: *const u64) -> &mut Self {
        self.next = (next, 0);
        self
    }

    /// The lines of a term's products, of [`VECTORS`] vectors.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn products<const NEAR: bool>(&mut self) {
        self.lines::<NEAR>(PRODUCTS);
    }

    /// The lines of [`VECTORS`] vectors whose words change places.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn moved(&mut self) {
        if self.near {
            self.lines::<true>(MOVED);
        }
    }

    /// The lines of so much work.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn lines<const NEAR: bool>(&mut self, work: usize) {
        self.due += work * self.rate;
        let mut zero = 0;
        while self.due >= ONE {
            if self.line == self.end {
                let Some((row, rows)) = self.rows.split_first() else {
                    (self.rate, self.due) = (0, 0);
                    return;
                };
                self.rows = rows;
                self.line = row.wrapping_add(self.from);
                self.end = self.line.wrapping_add(TILE);
            }
            ask_for_key(NEAR, self.line);
            zero = later::<NEAR>(zero);
            self.line = self.line.wrapping_add(8 + zero);
            self.due -= ONE;
        }
    }
}

/// 0, where keys come into the first-level cache six cycles after `zero`, which is 0: what it is added to for one line after the other is asked for
/// hardly faster than memory answers. Measured on a Zen 5: eight hoisted rotations take 0.96 of the time that they take without, or with three cycles.
#[cfg(target_arch = "x86_64")]
#[inline]
fn later<const NEAR: bool>(zero: usize) -> usize {
    let mut later = zero;
    if NEAR {
        // SAFETY: two multiplications by 1.
        unsafe { asm!("imul {0}, {0}, 1", "imul {0}, {0}, 1", inout(reg) later, options(pure, nomem, nostack)) };
    }
    later
}

/// Something that is fetched step by step.
#[cfg(target_arch = "x86_64")]
pub trait Step {
    /// As much as belongs to one step.
    fn step(&mut self);

    /// Whether nothing is fetched.
    fn is_idle(&self) -> bool;
}

#[cfg(target_arch = "x86_64")]
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

#[cfg(target_arch = "x86_64")]
impl Step for Ahead<'_> {
    #[inline]
    fn step(&mut self) {
        if self.near {
            self.lines::<true>(STEP)
        } else {
            self.lines::<false>(STEP)
        }
        let (next, done) = self.next;
        for line in done..(done + NEXT).min(LINES) {
            // SAFETY: any address may be prefetched: nothing is read architecturally.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(8 * line).cast()) };
        }
        self.next.1 = done + NEXT;
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.rate == 0 && self.next.1 >= LINES
    }
}

/// Fetches lines after `start` into the nearest cache. Any address may be named: nothing is read architecturally.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub fn fetch_lines(start: *const u64, lines: std::ops::Range<usize>) {
    for line in lines {
        _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(8 * line).cast());
    }
}
