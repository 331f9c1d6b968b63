//! The time of tasklets that compute and transfer data.
//!
//! A DPU issues one instruction a cycle, and at most one in 11 cycles of the same tasklet. Its
//! transfer engine serves one transfer at a time. The costs are those of the emulator in
//! `ringjet-pim`.

use std::ops::{Add, AddAssign, Mul};

/// Cycles between two instructions of a tasklet.
pub const ISSUE_INTERVAL: f64 = 11.0;
const READ_LATENCY: f64 = 77.0;
const WRITE_LATENCY: f64 = 61.0;
const CYCLES_A_BYTE: f64 = 0.5;
/// Cycles for which a transfer occupies the engine, besides its bytes. Fitted to published times.
const OCCUPANCY: f64 = 40.0;
/// Instructions of a transfer: its address and size.
const TRANSFER_INSTRUCTIONS: f64 = 2.0;

/// What one tasklet does.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// Instructions that it issues.
    pub instructions: f64,
    /// Cycles that it waits for its transfers if the engine is free.
    pub latency: f64,
    /// Cycles for which its transfers occupy the engine.
    pub engine: f64,
    /// Bytes that it reads and writes.
    pub bytes: f64,
}

impl Work {
    pub fn instructions(instructions: f64) -> Self {
        Self { instructions, ..Self::default() }
    }

    pub fn read(bytes: f64) -> Self {
        Self::transfer(READ_LATENCY, bytes)
    }

    pub fn write(bytes: f64) -> Self {
        Self::transfer(WRITE_LATENCY, bytes)
    }

    fn transfer(latency: f64, bytes: f64) -> Self {
        let moved = CYCLES_A_BYTE * bytes;
        Self { instructions: TRANSFER_INSTRUCTIONS, latency: latency + moved, engine: OCCUPANCY + moved, bytes }
    }

    /// Cycles until `tasklets` tasklets have done this work, each for itself, after a start: the
    /// longest of what the pipeline, the engine and one tasklet alone need.
    pub fn together(self, tasklets: f64) -> f64 {
        let alone = ISSUE_INTERVAL * self.instructions + self.latency;
        (tasklets * self.instructions).max(tasklets * self.engine).max(alone)
    }
}

impl Add for Work {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            instructions: self.instructions + other.instructions,
            latency: self.latency + other.latency,
            engine: self.engine + other.engine,
            bytes: self.bytes + other.bytes,
        }
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<f64> for Work {
    type Output = Self;
    fn mul(self, times: f64) -> Self {
        Self {
            instructions: self.instructions * times,
            latency: self.latency * times,
            engine: self.engine * times,
            bytes: self.bytes * times,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scarcest_resource_counts() {
        let work = |instructions| Work::instructions(instructions) + Work::read(1024.0);
        // one tasklet: 11 cycles an instruction, and 77 + 512 cycles for the transfer
        assert_eq!(work(98.0).together(1.0), 11.0 * 100.0 + 589.0);
        // 16 tasklets: the engine with 40 + 512 cycles each, or the pipeline
        assert_eq!(work(98.0).together(16.0), 16.0 * 552.0);
        assert_eq!(work(998.0).together(16.0), 16_000.0);
    }
}
