//! Cycles of the commands of the DPU program, from the loops of `dpu/` in `ringjet-pim`.
//!
//! Constants that are named there have the same names here.

use super::arithmetic::{Arithmetic, Multiplier, Program};
use super::work::Work;

/// Tasklets of a DPU.
pub const TASKLETS: u64 = 16;
/// The largest polynomial that stays in working memory.
const SHARED_WORDS: u64 = 16 * 512;

const CHUNK_INSTRUCTIONS: f64 = 12.0;
const GROUP_INSTRUCTIONS: f64 = 12.0;
const GET_WORD_INSTRUCTIONS: f64 = 7.0;
const BUTTERFLY_LOOP_INSTRUCTIONS: f64 = 7.0;
const POINTWISE_LOOP_INSTRUCTIONS: f64 = 6.0;
const SCALAR_LOOP_INSTRUCTIONS: f64 = 4.0;
const TERM_INSTRUCTIONS: f64 = 14.0;
const CLEAR_INSTRUCTIONS: f64 = 3.0;
const REDUCE_LOOP_INSTRUCTIONS: f64 = 5.0;
const CHECK_TERM_INSTRUCTIONS: f64 = 8.0;
/// Instructions for a word of one term, of eight, and of eight with weights (`dpu/collect.h`).
const COLLECT_ONE: f64 = 8.0;
const COLLECT_EIGHT: f64 = 29.0;
const COLLECT_WEIGHTED: f64 = 89.0;
const BARRIER_INSTRUCTIONS: f64 = 20.0;
/// Words of a buffer in element-wise commands of one and of two operands.
const ONE_OPERAND: u64 = 192;
const TWO_OPERANDS: u64 = 96;
/// Terms of a sum that are added at a time, and words of each.
const TERMS: u64 = 8;
const PART_WORDS: u64 = 64;
/// Words that a tasklet moves at a time between both memories.
const TILE_WORDS: u64 = 512;

/// Cycles of a launch before the first command and after the last: headers, commands, barriers.
const LAUNCH_CYCLES: f64 = 1500.0;
/// Transfers of all tasklets for which an element-wise command leaves the pipeline idle. Buffers are
/// filled one after the other when it begins, so tasklets begin, and end, one after the other. The
/// number is what the emulator's cycles show.
const IDLE_ROUNDS: f64 = 4.0;

/// A command of the program, done on many polynomials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// `FWD_NTT_BATCH`.
    Forward,
    /// `INV_NTT_BATCH`.
    Inverse,
    /// `ADD`, repeated.
    Add,
    /// `MUL_POINTWISE`, repeated.
    Mul,
    /// `MUL_SCALAR`, repeated.
    MulScalar,
    /// `SUM` of so many polynomials, with the weight 1.
    Sum,
    /// `SUM` with other weights below 256.
    WeightedSum,
}

/// What the commands of a program take on a DPU.
#[derive(Debug, Clone, Copy)]
pub struct Kernels {
    program: Program,
    arithmetic: Arithmetic,
}

impl Kernels {
    /// A program on DPUs with a multiplier.
    pub fn new(program: Program, multiplier: Multiplier) -> Self {
        Self { program, arithmetic: Arithmetic::new(program, multiplier) }
    }

    /// Cycles of a command on `count` polynomials of `n` words.
    pub fn cycles(&self, command: Command, n: u64, count: u64) -> f64 {
        match command {
            Command::Forward => self.transforms(n, count, false),
            Command::Inverse => self.transforms(n, count, true),
            Command::Add => self.binary(n, count, self.arithmetic.sum),
            Command::Mul => self.binary(n, count, self.arithmetic.product),
            Command::MulScalar => repeated(self.scalar(n / TASKLETS), count, n, ONE_OPERAND),
            Command::Sum => self.sum(n, count, false),
            Command::WeightedSum => self.sum(n, count, true),
        }
    }

    /// An element-wise command with two operands.
    fn binary(&self, n: u64, count: u64, arithmetic: f64) -> f64 {
        let each = POINTWISE_LOOP_INSTRUCTIONS + arithmetic;
        let work = chunks(n / TASKLETS, TWO_OPERANDS, |bytes, words| {
            Work::read(bytes) + Work::read(bytes) + Work::write(bytes) + Work::instructions(words * each)
        });
        repeated(work, count, n, TWO_OPERANDS)
    }

    fn scalar(&self, words: u64) -> Work {
        let each = SCALAR_LOOP_INSTRUCTIONS + self.arithmetic.factor;
        chunks(words, ONE_OPERAND, |bytes, words| {
            Work::read(bytes) + Work::write(bytes) + Work::instructions(words * each)
        })
    }

    /// One sum of `terms` polynomials: eight at a time are read, and collected in 64 bits.
    fn sum(&self, n: u64, terms: u64, weighted: bool) -> f64 {
        let (groups, rest) = (terms / TERMS, terms % TERMS);
        let constants = Work::read(8.0 * TERMS as f64) + Work::instructions(CHUNK_INSTRUCTIONS);
        let check =
            constants * (groups + rest.min(1)) as f64 + Work::instructions(CHECK_TERM_INSTRUCTIONS * terms as f64);
        // terms that are not there have the weight 0
        let collected = if weighted {
            COLLECT_WEIGHTED * (groups + rest.min(1)) as f64
        } else {
            COLLECT_EIGHT * groups as f64 + COLLECT_ONE * rest as f64
        };
        let each = CLEAR_INSTRUCTIONS + collected + REDUCE_LOOP_INSTRUCTIONS + self.arithmetic.reduction;
        let work = chunks(n / TASKLETS, PART_WORDS, |bytes, words| {
            let term = Work::read(bytes) + Work::instructions(TERM_INSTRUCTIONS);
            constants * (groups + rest.min(1)) as f64
                + term * terms as f64
                + Work::instructions(words * each)
                + Work::write(bytes)
        });
        // the last tasklet begins when all others have read their first terms, and ends as late
        let first = Work::read(4.0 * PART_WORDS.min(n / TASKLETS) as f64).engine * TERMS.min(terms) as f64;
        (check + work).together(TASKLETS as f64) + 2.0 * TASKLETS as f64 * first + LAUNCH_CYCLES
    }

    fn transforms(&self, n: u64, count: u64, inverse: bool) -> f64 {
        if matches!(self.program, Program::Resident | Program::Nine) && n <= SHARED_WORDS {
            return count as f64 * self.resident(n, inverse) + LAUNCH_CYCLES;
        }
        // each tasklet transforms polynomials of its own
        let work = self.transform(n, inverse);
        let (rounds, left) = (count / TASKLETS, count % TASKLETS);
        let all = work.together(TASKLETS as f64) * rounds as f64;
        let last = if left == 0 { 0.0 } else { work.together(left as f64) };
        all + last + LAUNCH_CYCLES
    }

    fn factor_bytes(&self, factors: u64) -> f64 {
        // transfers have whole pairs of words
        if self.program.companions() { 8.0 * factors as f64 } else { 8.0 * factors.div_ceil(2) as f64 }
    }

    fn butterflies(&self, count: u64) -> Work {
        Work::instructions(count as f64 * (BUTTERFLY_LOOP_INSTRUCTIONS + self.arithmetic.butterfly))
    }

    /// A transform by one tasklet: the polynomial passes through the buffer in each stage.
    fn transform(&self, n: u64, inverse: bool) -> Work {
        let room = if self.program.companions() { 32 } else { 64 };
        let mut work = if inverse { self.scalar(n) } else { Work::default() };
        let mut half = 1;
        while half < n {
            let groups = n / (2 * half);
            work += self.butterflies(n / 2) + Work::instructions(groups as f64 * GROUP_INSTRUCTIONS);
            work += if half <= room { self.small_groups(n, half, room) } else { self.large_groups(n, half, room) };
            half *= 2;
        }
        work
    }

    /// The transfers of a stage whose groups fit the buffer.
    fn small_groups(&self, n: u64, half: u64, room: u64) -> Work {
        let size = (2 * room).min(n);
        let bytes = 4.0 * size as f64;
        let one = Work::instructions(CHUNK_INSTRUCTIONS)
            + Work::read(self.factor_bytes(size / (2 * half)))
            + Work::read(bytes)
            + Work::write(bytes);
        one * (n / size) as f64
    }

    /// The transfers of a stage with larger groups, each of which has one factor.
    fn large_groups(&self, n: u64, half: u64, room: u64) -> Work {
        let bytes = 4.0 * room as f64;
        let part = Work::instructions(CHUNK_INSTRUCTIONS) + (Work::read(bytes) + Work::write(bytes)) * 2.0;
        let factor = Work::instructions(GET_WORD_INSTRUCTIONS) + Work::read(8.0);
        factor * (n / (2 * half)) as f64 + part * (n / 2 / room) as f64
    }

    /// A transform by all tasklets of a polynomial in working memory.
    fn resident(&self, n: u64, inverse: bool) -> f64 {
        let words = n / TASKLETS;
        let barrier = BARRIER_INSTRUCTIONS * TASKLETS as f64;
        let read = chunks(words, TILE_WORDS, |bytes, _| Work::read(bytes));
        let write = chunks(words, TILE_WORDS, |bytes, _| Work::write(bytes));
        let mut cycles = read.started(read) + write.started(write) + barrier;
        if inverse {
            cycles += (Work::instructions(words as f64 * (SCALAR_LOOP_INSTRUCTIONS + self.arithmetic.factor)))
                .together(TASKLETS as f64);
        }
        let most_factors = 32;
        let mut half = 1;
        while half < n {
            let groups = (words / 2 / half).max(1);
            let first = Work::read(self.factor_bytes(groups.min(most_factors)));
            let work = chunks(groups, most_factors, |_, factors| Work::read(self.factor_bytes(factors as u64)))
                + self.butterflies(words / 2)
                + Work::instructions(groups as f64 * GROUP_INSTRUCTIONS);
            cycles += work.started(first) + barrier;
            half *= 2;
        }
        cycles
    }
}

impl Work {
    /// Cycles until all tasklets have done this work, which begins with a read, from a barrier on.
    fn started(self, first: Work) -> f64 {
        self.together(TASKLETS as f64) + first.latency
    }
}

/// Cycles of an element-wise command that is repeated; `work` is that of a tasklet for one polynomial
/// of `n` words, with buffers of `room` words.
fn repeated(work: Work, count: u64, n: u64, room: u64) -> f64 {
    let part = 4.0 * room.min(n / TASKLETS) as f64;
    let idle = IDLE_ROUNDS * TASKLETS as f64 * Work::read(part).engine;
    if count == 0 { 0.0 } else { (work * count as f64).together(TASKLETS as f64) + idle + LAUNCH_CYCLES }
}

/// The work of a loop over `words` words that fills a buffer of `room` words at a time. `part` has
/// the bytes and words of one filling.
fn chunks(words: u64, room: u64, part: impl Fn(f64, f64) -> Work) -> Work {
    let of = |words: u64| part(4.0 * words as f64, words as f64) + Work::instructions(CHUNK_INSTRUCTIONS);
    let full = of(room) * (words / room) as f64;
    if words.is_multiple_of(room) { full } else { full + of(words % room) }
}
