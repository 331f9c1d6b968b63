//! A machine with DPUs.

use std::ops::RangeInclusive;

use super::arithmetic::{Multiplier, Program};
use super::error::PimModelError;
use super::kernels::Kernels;

/// DPUs of the published machine.
pub const PUBLISHED_DPUS: u32 = 2220;
/// The clock that is fitted to published times.
pub const MEGAHERTZ_FITTED: f64 = 350.0;
/// DPUs of a module (DIMM), and its power when all of them compute.
const DPUS_A_MODULE: f64 = 128.0;
const WATTS_A_MODULE: f64 = 20.0;
/// The host's processor: Intel's data sheet of the Xeon Silver 4215 says 85 W. The published
/// machine's host is not named; that of Gomez-Luna et al. (arXiv 2105.03814) has two of these, one
/// of which may sleep. Published is that one or two threads are busy while DPUs compute.
const HOST_WATTS: f64 = 85.0;
/// Bytes a second from the host to all DPUs: 3.22 GB in 178 ms are published for 2220 DPUs. The
/// other direction has no published figure and is taken to be as fast.
pub const HOST_BYTES_PER_S: f64 = 18.1e9;
/// Words of a DPU's memory.
const MRAM_WORDS: u64 = 1 << 24;
/// Words for headers, commands and scalars, more than enough.
const OTHER_WORDS: u64 = 1 << 14;
/// Commands name polynomials by 16 bits.
const MOST_POLYNOMIALS: u64 = 0xffff;

const DPUS: RangeInclusive<u32> = 1..=1_000_000;
/// Tasklets of version v1A; v1B has 16.
const TASKLETS: RangeInclusive<u32> = 1..=24;
const WATTS: RangeInclusive<f64> = 0.0..=10_000.0;
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
    /// Tasklets of each DPU. The program of `ringjet-pim` takes 1 to 16; version v1A has 24.
    pub tasklets: u32,
    /// Watts of the host's processor while DPUs compute.
    pub host_watts: f64,
}

impl Default for MachineSpec {
    fn default() -> Self {
        Self {
            dpus: PUBLISHED_DPUS,
            megahertz: MEGAHERTZ_FITTED,
            program: Program::Scrambled,
            multiplier: Multiplier::Bytes,
            tasklets: 16,
            host_watts: HOST_WATTS,
        }
    }
}

/// A machine whose figures are in range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PimMachine {
    spec: MachineSpec,
}

impl PimMachine {
    /// Checks a machine: 1 to 10^6 DPUs, 50 to 5000 MHz, 1 to 24 tasklets, up to 10 kW for the
    /// host. The compiler's products and dummy products are those of a multiplier of bytes.
    ///
    /// # Errors
    /// [`PimModelError::Value`].
    pub fn new(spec: MachineSpec) -> Result<Self, PimModelError> {
        within("number of DPUs", spec.dpus, DPUS)?;
        within("clock in MHz", spec.megahertz, MEGAHERTZ)?;
        within("number of tasklets", spec.tasklets, TASKLETS)?;
        within("watts of the host", spec.host_watts, WATTS)?;
        let bytes_only = !spec.program.own_product() || spec.program == Program::Dummy;
        if bytes_only && spec.multiplier != Multiplier::Bytes {
            let allowed = format!("8 with the program {}", spec.program.name());
            return Err(PimModelError::Value {
                what: "multiplier bits",
                value: spec.multiplier.bits().to_string(),
                allowed,
            });
        }
        Ok(Self { spec })
    }

    /// The machine's figures.
    pub fn spec(&self) -> &MachineSpec {
        &self.spec
    }

    /// Cycles of commands on one DPU, modulo a prime of so many bits.
    pub fn kernels(&self, bits: u32) -> Kernels {
        Kernels::new(self.spec.program, self.spec.multiplier, bits, self.spec.tasklets)
    }

    /// Seconds of so many cycles.
    pub fn seconds(&self, cycles: f64) -> f64 {
        cycles / (1e6 * self.spec.megahertz)
    }

    /// Seconds that the host needs to move so many bytes to or from all DPUs.
    pub fn transfer_seconds(&self, bytes: u64) -> f64 {
        bytes as f64 / HOST_BYTES_PER_S
    }

    /// Watts of the modules under load, without the host.
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
