//! Cycles of the commands of the DPU program, from the loops of `dpu/` in `ringjet-pim`.
//!
//! Constants that are named there have the same names here.

use super::arithmetic::{Arithmetic, Multiplier, Program};
use super::work::Work;

pub(super) const CHUNK_INSTRUCTIONS: f64 = 12.0;
const GET_WORD_INSTRUCTIONS: f64 = 7.0;
const SET_WORD_INSTRUCTIONS: f64 = 8.0;
const POINTWISE_LOOP_INSTRUCTIONS: f64 = 6.0;
const ACCUMULATE_LOOP_INSTRUCTIONS: f64 = 8.0;
pub(super) const SCALAR_LOOP_INSTRUCTIONS: f64 = 4.0;
const TERM_INSTRUCTIONS: f64 = 14.0;
const COMBINE_LOOP_INSTRUCTIONS: f64 = 5.0;
const FRACTION_LOOP_INSTRUCTIONS: f64 = 8.0 + 10.0; // with the additions and shifts of the product
const ROUND_LOOP_INSTRUCTIONS: f64 = 8.0;
const CLEAR_INSTRUCTIONS: f64 = 3.0;
const REDUCE_LOOP_INSTRUCTIONS: f64 = 5.0;
const CHECK_TERM_INSTRUCTIONS: f64 = 8.0;
/// Instructions for a word of one term, of eight, and of eight with weights (`dpu/collect.h`).
const COLLECT_ONE: f64 = 8.0;
const COLLECT_EIGHT: f64 = 29.0;
const COLLECT_WEIGHTED: f64 = 89.0;
pub(super) const BARRIER_INSTRUCTIONS: f64 = 20.0;
/// Words of a buffer in element-wise commands of one, of two and of three operands.
const ONE_OPERAND: u64 = 192;
const TWO_OPERANDS: u64 = 96;
const THREE_OPERANDS: u64 = 64;
/// The weights of a weighted sum, in the mean.
const MEAN_WEIGHT: f64 = 128.0;
/// Terms of a sum that are added at a time, and words of each.
const TERMS: u64 = 8;
const PART_WORDS: u64 = 64;
/// Cycles of a launch before the first command and after the last: headers, commands, barriers.
pub(super) const LAUNCH_CYCLES: f64 = 1500.0;
/// Transfers of all tasklets for which an element-wise command leaves the pipeline idle. Buffers
/// are filled one after the other when it begins, so tasklets begin, and end, one after the other.
/// The number is what the emulator's cycles show.
const IDLE_ROUNDS: f64 = 4.0;

/// A command of the program, done on many polynomials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// `FWD_NTT_BATCH`.
    Forward,
    /// `INV_NTT_BATCH`.
    Inverse,
    /// `FWD_POSITIONS`, repeated: the transform, with evaluations in ringjet's order.
    ForwardPositions,
    /// `INV_POSITIONS`, repeated.
    InversePositions,
    /// `COPY`, repeated.
    Copy,
    /// `MUL_ACC`, repeated.
    MulAcc,
    /// `COMBINE` of so many terms: a sum of polynomials times constants, modulo another prime.
    Combine(u64),
    /// `FRACTION` of so many terms: the multiple of a product of primes in a change of primes.
    Fraction(u64),
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
    pub(super) program: Program,
    pub(super) arithmetic: Arithmetic,
    pub(super) tasklets: u64,
}

impl Kernels {
    /// A program on DPUs with a multiplier, for a prime of `bits` bits and so many tasklets.
    pub fn new(program: Program, multiplier: Multiplier, bits: u32, tasklets: u32) -> Self {
        Self { program, arithmetic: Arithmetic::new(program, multiplier, bits), tasklets: tasklets.into() }
    }

    /// Cycles of a command on `count` polynomials of `n` words.
    pub fn cycles(&self, command: Command, n: u64, count: u64) -> f64 {
        match command {
            Command::Forward => self.transforms(n, count, false, false),
            Command::Inverse => self.transforms(n, count, true, false),
            Command::ForwardPositions => self.transforms(n, count, false, true),
            Command::InversePositions => self.transforms(n, count, true, true),
            Command::Add => self.binary(n, count, self.arithmetic.sum),
            Command::Mul => self.binary(n, count, self.arithmetic.product),
            Command::MulAcc => self.accumulate(n, count),
            Command::MulScalar => self.repeated(self.scalar(self.share(n)), count, n, ONE_OPERAND),
            Command::Copy => {
                let work = chunks(self.share(n), ONE_OPERAND, |bytes, _| Work::read(bytes) + Work::write(bytes));
                self.repeated(work, count, n, ONE_OPERAND)
            }
            Command::Sum => self.sum(n, count, 1.0),
            Command::WeightedSum => self.sum(n, count, MEAN_WEIGHT),
            Command::Combine(terms) => count as f64 * self.combine(n, terms),
            Command::Fraction(terms) => count as f64 * self.fraction(n, terms),
        }
    }

    /// Cycles of `ADD` or `MUL_POINTWISE`, repeated, if the residues modulo `limbs` primes of a
    /// coefficient lie side by side, and the DPU works modulo one of them: its transfers move all
    /// residues.
    pub fn tuples(&self, command: Command, n: u64, count: u64, limbs: u64) -> f64 {
        let arithmetic = if command == Command::Add { self.arithmetic.sum } else { self.arithmetic.product };
        let each = (POINTWISE_LOOP_INSTRUCTIONS + arithmetic) / limbs as f64;
        self.repeated(self.elementwise(limbs * self.share(n), TWO_OPERANDS, 2.0, each), count, n, TWO_OPERANDS)
    }

    /// Words of `n` that a tasklet has at most: they are shared in pairs.
    pub(super) fn share(&self, n: u64) -> u64 {
        2 * (n / 2).div_ceil(self.tasklets)
    }

    /// Cycles until all tasklets have done this work.
    pub(super) fn all(&self, work: Work) -> f64 {
        work.together(self.tasklets as f64)
    }

    /// The loop of an element-wise command over `words` words, with buffers of `room` words for
    /// each of `reads` operands. Without buffers each word is moved by itself, in a transfer of its
    /// own; a write reads the word beside it first.
    fn elementwise(&self, words: u64, room: u64, reads: f64, each: f64) -> Work {
        if self.program.buffered() {
            return chunks(words, room, |bytes, words| {
                Work::read(bytes) * reads + Work::write(bytes) + Work::instructions(words * each)
            });
        }
        (get_word() * reads + set_word() + Work::instructions(each)) * words as f64
    }

    /// An element-wise command with two operands.
    fn binary(&self, n: u64, count: u64, arithmetic: f64) -> f64 {
        let each = POINTWISE_LOOP_INSTRUCTIONS + arithmetic;
        self.repeated(self.elementwise(self.share(n), TWO_OPERANDS, 2.0, each), count, n, TWO_OPERANDS)
    }

    fn accumulate(&self, n: u64, count: u64) -> f64 {
        let each = ACCUMULATE_LOOP_INSTRUCTIONS + self.arithmetic.product + self.arithmetic.sum;
        self.repeated(self.elementwise(self.share(n), THREE_OPERANDS, 3.0, each), count, n, THREE_OPERANDS)
    }

    pub(super) fn scalar(&self, words: u64) -> Work {
        self.elementwise(words, ONE_OPERAND, 1.0, SCALAR_LOOP_INSTRUCTIONS + self.arithmetic.factor)
    }

    /// One sum of `terms` polynomials with weights of this size: eight at a time are read, and
    /// collected in 64 bits.
    fn sum(&self, n: u64, terms: u64, weight: f64) -> f64 {
        let (groups, rest) = (terms / TERMS, terms % TERMS);
        let some = (groups + rest.min(1)) as f64;
        let constants = Work::read(8.0 * TERMS as f64) + Work::instructions(CHUNK_INSTRUCTIONS);
        let check = constants * some + Work::instructions(CHECK_TERM_INSTRUCTIONS * terms as f64);
        // terms that are not there have the weight 0
        let collected = if weight > 1.0 {
            COLLECT_WEIGHTED * some
        } else {
            COLLECT_EIGHT * groups as f64 + COLLECT_ONE * rest as f64
        };
        // the sum of so many residues, half the prime each
        let quotient_bits = (terms as f64 * weight / 2.0).log2().max(0.0) + 0.5;
        let each = CLEAR_INSTRUCTIONS + collected + REDUCE_LOOP_INSTRUCTIONS + self.arithmetic.reduction(quotient_bits);
        let work = chunks(self.share(n), PART_WORDS, |bytes, words| {
            let term = Work::read(bytes) + Work::instructions(TERM_INSTRUCTIONS);
            constants * some + term * terms as f64 + Work::instructions(words * each) + Work::write(bytes)
        });
        self.parts(n, check + work, TERMS.min(terms))
    }

    /// One sum of `terms` polynomials times constants.
    fn combine(&self, n: u64, terms: u64) -> f64 {
        let of_terms = terms as f64;
        let each = of_terms * (COMBINE_LOOP_INSTRUCTIONS + self.arithmetic.companion_product)
            + (of_terms - 1.0) * self.arithmetic.sum;
        self.constant_terms(n, terms, each)
    }

    /// The integer nearest to a sum of `terms` polynomials divided by primes.
    fn fraction(&self, n: u64, terms: u64) -> f64 {
        let each = terms as f64 * (FRACTION_LOOP_INSTRUCTIONS + 2.0 * self.arithmetic.own_wide);
        self.constant_terms(n, terms, CLEAR_INSTRUCTIONS + each + ROUND_LOOP_INSTRUCTIONS)
    }

    /// A command on `terms` polynomials with a constant each, and `each` instructions for a word.
    fn constant_terms(&self, n: u64, terms: u64, each: f64) -> f64 {
        let term = Work::read(16.0) + Work::instructions(TERM_INSTRUCTIONS);
        let work = chunks(self.share(n), PART_WORDS, |bytes, words| {
            (term + Work::read(bytes)) * terms as f64 + Work::instructions(words * each) + Work::write(bytes)
        });
        self.parts(n, term * terms as f64 + work, 1)
    }

    /// A command that reads `first` polynomials part by part. The last tasklet begins when all
    /// others have read theirs, and ends as late.
    fn parts(&self, n: u64, work: Work, first: u64) -> f64 {
        let first = Work::read(4.0 * PART_WORDS.min(self.share(n)) as f64).engine * first as f64;
        self.all(work) + 2.0 * self.tasklets as f64 * first + LAUNCH_CYCLES
    }

    /// Cycles of an element-wise command that is repeated; `work` is that of a tasklet for one
    /// polynomial of `n` words, with buffers of `room` words.
    fn repeated(&self, work: Work, count: u64, n: u64, room: u64) -> f64 {
        let part = 4.0 * if self.program.buffered() { room.min(self.share(n)) } else { 2 } as f64;
        let idle = IDLE_ROUNDS * self.tasklets as f64 * Work::read(part).engine;
        if count == 0 {
            return 0.0;
        }
        let work = work * count as f64;
        // the pipeline is idle at both ends, the engine is not
        let without_engine = self.all(Work { engine: 0.0, ..work });
        (without_engine + idle).max(self.all(work)) + LAUNCH_CYCLES
    }
}

/// One word that is moved by itself.
pub(super) fn get_word() -> Work {
    Work::instructions(GET_WORD_INSTRUCTIONS) + Work::read(8.0)
}

/// One word that is written by itself.
pub(super) fn set_word() -> Work {
    Work::instructions(SET_WORD_INSTRUCTIONS) + Work::read(8.0) + Work::write(8.0)
}

/// The work of a loop over `words` words that fills a buffer of `room` words at a time. `part` has
/// the bytes and words of one filling.
pub(super) fn chunks(words: u64, room: u64, part: impl Fn(f64, f64) -> Work) -> Work {
    let of = |words: u64| part(4.0 * words as f64, words as f64) + Work::instructions(CHUNK_INSTRUCTIONS);
    let full = of(room) * (words / room) as f64;
    if words.is_multiple_of(room) { full } else { full + of(words % room) }
}
