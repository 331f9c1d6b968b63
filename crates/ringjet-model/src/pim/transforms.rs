//! Cycles of transforms, from `dpu/transform.h`, `dpu/resident.h` and `dpu/order.h` in
//! `ringjet-pim`.

use super::kernels::{
    BARRIER_INSTRUCTIONS, CHUNK_INSTRUCTIONS, Kernels, LAUNCH_CYCLES, SCALAR_LOOP_INSTRUCTIONS, chunks, get_word,
    set_word,
};
use super::work::Work;

/// The largest polynomial that stays in working memory.
const SHARED_WORDS: u64 = 16 * 512;
/// Words that a tasklet moves at a time between both memories.
const TILE_WORDS: u64 = 512;
/// Factors that are read at a time in a transform in working memory.
const STAGE_FACTORS: u64 = 32;
/// Words that are moved to or from their positions at a time, and instructions for each.
const POSITION_WORDS: u64 = 192;
const POSITION_INSTRUCTIONS: f64 = 9.0;
/// Instructions that move the words of a tile of 512 to their positions: 512 indices, 168 cycles of
/// three words.
const ORDER_INSTRUCTIONS: f64 = 512.0 * 10.0 + 168.0 * 9.0;

const GROUP_INSTRUCTIONS: f64 = 12.0;
const BUTTERFLY_LOOP_INSTRUCTIONS: f64 = 7.0;

impl Kernels {
    /// Transforms of `count` polynomials. With `positions`, evaluations are in ringjet's order.
    pub(super) fn transforms(&self, n: u64, count: u64, inverse: bool, positions: bool) -> f64 {
        if self.program.resident() && n <= SHARED_WORDS {
            return count as f64 * self.resident(n, inverse, positions) + LAUNCH_CYCLES;
        }
        // each tasklet transforms polynomials of its own
        let work = self.transform(n, inverse);
        let (rounds, left) = (count / self.tasklets, count % self.tasklets);
        let all = self.all(work) * rounds as f64;
        let last = if left == 0 { 0.0 } else { work.together(left as f64) };
        all + last + LAUNCH_CYCLES + if positions { self.order(n, count) } else { 0.0 }
    }

    /// Moves the words of `count` polynomials to their positions, or back: tasklets share the
    /// tiles.
    fn order(&self, n: u64, count: u64) -> f64 {
        let tiles = (count * n / TILE_WORDS).div_ceil(self.tasklets);
        let bytes = 4.0 * TILE_WORDS as f64;
        self.all((Work::read(bytes) + Work::write(bytes) + Work::instructions(ORDER_INSTRUCTIONS)) * tiles as f64)
    }

    fn factor_bytes(&self, factors: u64) -> f64 {
        // transfers have whole pairs of words
        if self.program.companions() { 8.0 * factors as f64 } else { 8.0 * factors.div_ceil(2) as f64 }
    }

    fn butterflies(&self, count: u64) -> Work {
        Work::instructions(count as f64 * (BUTTERFLY_LOOP_INSTRUCTIONS + self.arithmetic.butterfly))
    }

    /// Half of the words of a buffer that hold coefficients; the others hold factors.
    fn half_buffer(&self) -> u64 {
        match (self.program.scrambled(), self.program.companions()) {
            (false, _) => 96,
            (_, true) => 32,
            _ => 64,
        }
    }

    /// A transform by one tasklet: the polynomial passes through the buffer in each stage.
    fn transform(&self, n: u64, inverse: bool) -> Work {
        let mut work = if inverse { self.scalar(n) } else { Work::default() };
        let mut half = 1;
        while half < n {
            let groups = n / (2 * half);
            work += self.butterflies(n / 2) + Work::instructions(groups as f64 * GROUP_INSTRUCTIONS);
            let together = self.program.scrambled() && half <= self.half_buffer();
            work += if together { self.groups_together(n, half) } else { self.group(half) * groups as f64 };
            half *= 2;
        }
        work
    }

    /// The transfers of a stage whose groups fit the buffer, several at a time.
    fn groups_together(&self, n: u64, half: u64) -> Work {
        let size = (2 * self.half_buffer()).min(n);
        let bytes = 4.0 * size as f64;
        let one = Work::instructions(CHUNK_INSTRUCTIONS)
            + Work::read(self.factor_bytes(size / (2 * half)))
            + Work::read(bytes)
            + Work::write(bytes);
        one * (n / size) as f64
    }

    /// The transfers of a group by itself, with its factor.
    fn group(&self, half: u64) -> Work {
        let words = if !self.program.buffered() {
            (get_word() + set_word()) * (2.0 * half as f64)
        } else if half == 1 {
            Work::read(8.0) + Work::write(8.0)
        } else {
            chunks(half, self.half_buffer(), |bytes, _| (Work::read(bytes) + Work::write(bytes)) * 2.0)
        };
        get_word() + words
    }

    /// A transform by all tasklets of a polynomial in working memory.
    fn resident(&self, n: u64, inverse: bool, positions: bool) -> f64 {
        let words = self.share(n);
        let barrier = BARRIER_INSTRUCTIONS * self.tasklets as f64;
        let read = chunks(words, TILE_WORDS, |bytes, _| Work::read(bytes));
        let write = chunks(words, TILE_WORDS, |bytes, _| Work::write(bytes));
        let mut cycles = self.started(read, read) + self.started(write, write) + barrier;
        if positions {
            let moved = chunks(words, POSITION_WORDS, |_, words| Work::instructions(words * POSITION_INSTRUCTIONS));
            cycles += self.all(moved) + barrier;
        }
        if inverse {
            cycles += self.all(Work::instructions(words as f64 * (SCALAR_LOOP_INSTRUCTIONS + self.arithmetic.factor)));
        }
        let mut half = 1;
        while half < n {
            let groups = (words / 2 / half).max(1);
            let first = Work::read(self.factor_bytes(groups.min(STAGE_FACTORS)));
            let work = chunks(groups, STAGE_FACTORS, |_, factors| Work::read(self.factor_bytes(factors as u64)))
                + self.butterflies(words / 2)
                + Work::instructions(groups as f64 * GROUP_INSTRUCTIONS);
            cycles += self.started(work, first) + barrier;
            half *= 2;
        }
        cycles
    }

    /// Cycles until all tasklets have done this work, which begins with `first`, from a barrier on.
    fn started(&self, work: Work, first: Work) -> f64 {
        self.all(work) + first.latency
    }
}
