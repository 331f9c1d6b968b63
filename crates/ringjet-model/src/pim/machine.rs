//! A machine with DPUs.

use std::ops::RangeInclusive;

use super::arithmetic::{Multiplier, Program};
use super::error::PimModelError;
use super::kernels::Kernels;

/// DPUs of a module (DIMM), and its power when all of them compute.
const DPUS_A_MODULE: f64 = 128.0;
const WATTS_A_MODULE: f64 = 20.0;
/// Bytes a second from the host to all DPUs: 3.22 GB in 178 ms are published for 2220 DPUs. The other
/// direction has no published figure and is taken to be as fast.
const HOST_BYTES_PER_S: f64 = 18.1e9;
/// Words of a DPU's memory.
const MRAM_WORDS: u64 = 1 << 24;
/// Words for headers, commands and scalars, more than enough.
const OTHER_WORDS: u64 = 1 << 14;
/// Commands name polynomials by 16 bits.
const MOST_POLYNOMIALS: u64 = 0xffff;

const DPUS: RangeInclusive<u32> = 1..=1_000_000;
const MEGAHERTZ: RangeInclusive<f64> = 50.0..=5000.0;

/// A machine before it is checked. The default is the published one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineSpec {
    /// DPUs that can be used.
    pub dpus: u32,
    /// Their clock in MHz. 350 is fitted to published times, 400 is nominal.
    pub megahertz: f64,
    /// The program.
    pub program: Program,
    /// The multiplier.
    pub multiplier: Multiplier,
}

impl Default for MachineSpec {
    fn default() -> Self {
        Self { dpus: 2220, megahertz: 350.0, program: Program::Scrambled, multiplier: Multiplier::Bytes }
    }
}

/// A machine whose figures are in range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    spec: MachineSpec,
}

impl Machine {
    /// Checks a machine: 1 to 10^6 DPUs, 50 to 5000 MHz.
    ///
    /// # Errors
    /// [`PimModelError::Value`].
    pub fn new(spec: MachineSpec) -> Result<Self, PimModelError> {
        within("number of DPUs", spec.dpus, DPUS)?;
        within("clock in MHz", spec.megahertz, MEGAHERTZ)?;
        Ok(Self { spec })
    }

    /// The machine's figures.
    pub fn spec(&self) -> &MachineSpec {
        &self.spec
    }

    /// Cycles of commands on one DPU.
    pub fn kernels(&self) -> Kernels {
        Kernels::new(self.spec.program, self.spec.multiplier)
    }

    /// Seconds of so many cycles.
    pub fn seconds(&self, cycles: f64) -> f64 {
        cycles / (1e6 * self.spec.megahertz)
    }

    /// Seconds that the host needs to move so many bytes to or from all DPUs.
    pub fn transfer_seconds(&self, bytes: u64) -> f64 {
        bytes as f64 / HOST_BYTES_PER_S
    }

    /// Watts of the modules under load. Processors of the host are not included; one or two of its
    /// threads are busy as long as DPUs run.
    pub fn watts(&self) -> f64 {
        f64::from(self.spec.dpus) * WATTS_A_MODULE / DPUS_A_MODULE
    }

    /// Polynomials of `n` words for which a DPU has room beside its factors.
    pub(super) fn room(&self, n: u64) -> u64 {
        let factors = 2 * n * if self.spec.program.companions() { 2 } else { 1 };
        (MRAM_WORDS.saturating_sub(factors + OTHER_WORDS) / n).min(MOST_POLYNOMIALS)
    }
}

/// Refuses a value that is out of range. NaN is in no range.
pub fn within<T: PartialOrd + std::fmt::Display>(
    what: &'static str,
    value: T,
    allowed: RangeInclusive<T>,
) -> Result<(), PimModelError> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let (low, high) = allowed.into_inner();
    Err(PimModelError::Value { what, value: value.to_string(), allowed: format!("{low} to {high}") })
}
