//! The first published experiments: polynomials whose coefficients have 109 bits, without residues
//! and transforms (`dpu/coefficients` in `ringjet-pim`).
//!
//! Instructions are means over random residues; `docs/design/pim-arithmetic.md` has the table, and
//! tests of `ringjet-pim` compare it and these cycles with the emulator.

use super::kernels::{LAUNCH_CYCLES, chunks};
use super::machine::{MEGAHERTZ_FITTED, PUBLISHED_DPUS};
use super::work::Work;

/// The published ring degree, and the tasklets of a DPU.
const N: u64 = 4096;
const TASKLETS: u64 = 16;
/// Words of 32 bits of a coefficient, and words of each of a tasklet's two buffers.
const COEFFICIENT_WORDS: u64 = 4;
const BUFFER_WORDS: u64 = 16 * COEFFICIENT_WORDS;
const COEFFICIENT_LOOP_INSTRUCTIONS: f64 = 7.0;
const ONE_COEFFICIENT_INSTRUCTIONS: f64 = 6.0;

/// A build of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoefficientBuild {
    /// One coefficient at a time, plain C.
    Initial,
    /// Buffers of 512 bytes for each tasklet.
    Buffered,
    /// Sums and differences of 128 bits with carries.
    Carry,
    /// Modular differences whose subtraction is the comparison.
    Coalesced,
}

/// An operation on pairs of polynomials, coefficient by coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoefficientOperation {
    /// Modular sums.
    Sum,
    /// Modular differences.
    Difference,
    /// Modular products.
    Product,
}

impl CoefficientBuild {
    /// All builds, with their names in `ringjet-pim`.
    pub const ALL: [(&str, Self); 4] = [
        ("coefficients-initial", Self::Initial),
        ("coefficients-buffered", Self::Buffered),
        ("coefficients-carry", Self::Carry),
        ("coefficients-coalesced", Self::Coalesced),
    ];

    /// Instructions of a modular operation, with call and return.
    pub fn instructions(self, operation: CoefficientOperation) -> f64 {
        let plain = matches!(self, Self::Initial | Self::Buffered);
        match operation {
            CoefficientOperation::Sum if plain => 37.0,
            CoefficientOperation::Sum => 27.0,
            CoefficientOperation::Difference if plain => 36.5,
            CoefficientOperation::Difference if self == Self::Carry => 27.0,
            CoefficientOperation::Difference => 19.0,
            CoefficientOperation::Product if plain => 8664.9,
            CoefficientOperation::Product => 7950.8,
        }
    }

    /// Cycles for `pairs` pairs of polynomials of `n` coefficients on one DPU. Each tasklet has
    /// pairs of its own.
    pub fn cycles(self, operation: CoefficientOperation, n: u64, pairs: u64) -> f64 {
        let each = COEFFICIENT_LOOP_INSTRUCTIONS + self.instructions(operation);
        let work = if self == Self::Initial {
            let moved = Work::read(16.0) * 2.0 + Work::write(16.0);
            (moved + Work::instructions(3.0 * ONE_COEFFICIENT_INSTRUCTIONS + each)) * n as f64
        } else {
            chunks(COEFFICIENT_WORDS * n, BUFFER_WORDS, |bytes, words| {
                let coefficients = words / COEFFICIENT_WORDS as f64;
                Work::read(bytes) * 2.0 + Work::write(bytes) + Work::instructions(coefficients * each)
            })
        };
        let (rounds, left) = (pairs / TASKLETS, pairs % TASKLETS);
        let last = if left == 0 { 0.0 } else { work.together(left as f64) };
        rounds as f64 * work.together(TASKLETS as f64) + last + LAUNCH_CYCLES
    }

    /// Milliseconds of the published task: so many polynomials, in pairs, on 2220 DPUs.
    pub fn milliseconds(self, operation: CoefficientOperation, polynomials: u64) -> f64 {
        self.cycles(operation, N, (polynomials / 2).div_ceil(PUBLISHED_DPUS.into())) / (1e3 * MEGAHERTZ_FITTED)
    }
}
