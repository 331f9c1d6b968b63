//! A checked machine profile, and the time that a [`Cost`] takes on the machine.

use serde::Serialize;

use super::error::DeviceError;
use super::spec::{DeviceSpec, MemoryLevel};
use super::{check, read};
use crate::Cost;

/// A machine with a checked profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    spec: DeviceSpec,
}

/// The time a [`Cost`] takes on a [`Device`], in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Time {
    /// Seconds of arithmetic.
    pub compute_s: f64,
    /// Seconds of reading from and writing to memory.
    pub memory_s: f64,
    /// Seconds of launching operations.
    pub launch_s: f64,
    /// Seconds in all: the larger of `compute_s` and `memory_s`, plus the part of the smaller one
    /// that does not overlap with it, plus `launch_s`.
    pub total_s: f64,
}

/// Sizes of working sets in bytes. The size decides which memory level serves the traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkingSets {
    /// Bytes of the operands and results of an operation.
    pub operands: u64,
    /// Bytes that are read and written between two uses of the same key or plaintext.
    pub keys: u64,
    /// Bytes of intermediate results between two steps of an operation.
    pub between: u64,
}

impl WorkingSets {
    /// Working sets that all have the same size in bytes.
    pub fn all(bytes: u64) -> Self {
        Self { operands: bytes, keys: bytes, between: bytes }
    }
}

impl Device {
    /// Checks a profile.
    ///
    /// # Errors
    /// [`DeviceError::Value`] for the first field out of range. Only `launch_s` and energies may be
    /// 0; no value may be negative, infinite or NaN. From one memory level to the next, sizes must
    /// grow and speeds must not.
    pub fn new(spec: DeviceSpec) -> Result<Self, DeviceError> {
        check::spec(&spec)?;
        Ok(Self { spec })
    }

    /// Reads a profile.
    ///
    /// # Errors
    /// As [`Device::new`]; also if the text is not valid TOML, or a field is missing, unknown or of
    /// the wrong type.
    pub fn from_toml(text: &str) -> Result<Self, DeviceError> {
        Self::new(read::spec(text)?)
    }

    /// The profile as TOML, which [`Device::from_toml`] reads.
    ///
    /// # Errors
    /// [`DeviceError::Syntax`] if the profile cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String, DeviceError> {
        toml::to_string_pretty(&self.spec).map_err(|e| DeviceError::Syntax(e.to_string()))
    }

    /// The profile's values.
    pub fn spec(&self) -> &DeviceSpec {
        &self.spec
    }

    /// The machine's name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Bytes of main memory.
    pub fn capacity_bytes(&self) -> u64 {
        self.spec.memory.last().map_or(0, |main| main.bytes)
    }

    /// The memory level for a working set of this size: the first level that holds it, or main
    /// memory if it fits into no level.
    pub fn level(&self, working_set_bytes: u64) -> &MemoryLevel {
        let levels = &self.spec.memory;
        let fits = levels.iter().position(|level| working_set_bytes <= level.bytes);
        // a checked profile has at least one level
        &levels[fits.unwrap_or(levels.len() - 1)]
    }

    /// The time that `cost` takes, by a roofline model. The arithmetic takes
    ///
    /// ```text
    /// ntt.mul / ntt_butterflies + base_conversion.mul / base_conversion_macs
    ///     + elementwise.mul / products + max(0, elementwise.add - elementwise.mul) / additions
    /// ```
    ///
    /// seconds. Additions inside transforms and base conversions are included in the rates of
    /// butterflies and multiply-adds. Each other product includes one addition.
    ///
    /// A word takes `word_bytes` bytes. Its traffic is charged to the memory level that holds its
    /// working set ([`Device::level`]). Arithmetic and traffic overlap by the profile's `overlap`;
    /// launches overlap with nothing.
    pub fn time(&self, cost: &Cost, sets: WorkingSets) -> Time {
        let rates = &self.spec.rates;
        let additions = cost.elementwise.add.saturating_sub(cost.elementwise.mul);
        let compute_s = cost.ntt.mul as f64 / rates.ntt_butterflies
            + cost.base_conversion.mul as f64 / rates.base_conversion_macs
            + cost.elementwise.mul as f64 / rates.products
            + additions as f64 / rates.additions;
        let giga = f64::from(self.spec.word_bytes) / 1e9;
        let [operands, keys, between] = [sets.operands, sets.keys, sets.between].map(|bytes| self.level(bytes));
        let in_order = cost.key_reads - cost.tiled_reads.min(cost.key_reads) + cost.plain_reads;
        let memory_s = giga
            * (cost.reads as f64 / operands.read_gb_s
                + cost.writes as f64 / operands.write_gb_s
                + in_order as f64 / keys.read_gb_s
                + cost.tiled_reads as f64 / keys.tiles_gb_s.unwrap_or(keys.read_gb_s)
                + cost.near_reads as f64 / between.read_gb_s
                + cost.near_writes as f64 / between.write_gb_s);
        let launch_s = cost.launches as f64 * self.spec.launch_s;
        let (longer, shorter) = (compute_s.max(memory_s), compute_s.min(memory_s));
        let total_s = longer + (1.0 - self.spec.overlap) * shorter + launch_s;
        Time { compute_s, memory_s, launch_s, total_s }
    }

    /// The energy that `cost` takes, in joules; `None` if the profile has no energies. It counts
    /// all multiplications and additions, and the words whose working set fits into no cache.
    pub fn energy_joules(&self, cost: &Cost, sets: WorkingSets) -> Option<f64> {
        let energy = self.spec.energy.as_ref()?;
        let main = |bytes| self.spec.memory.last().is_some_and(|main| std::ptr::eq(main, self.level(bytes)));
        let far = |bytes, words| if main(bytes) { words } else { 0 };
        let words = far(sets.operands, cost.reads + cost.writes) + far(sets.keys, cost.key_reads + cost.plain_reads);
        let bytes = words * u64::from(self.spec.word_bytes);
        let picojoules = cost.mul() as f64 * energy.pj_per_mul
            + cost.add() as f64 * energy.pj_per_add
            + bytes as f64 * energy.pj_per_byte_main;
        Some(picojoules * 1e-12)
    }
}
