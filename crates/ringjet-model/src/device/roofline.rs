//! A machine whose profile was checked, and the time that a [`Cost`] takes on it.

use serde::Serialize;

use super::error::DeviceError;
use super::spec::{DeviceSpec, MemoryLevel};
use super::{check, read};
use crate::Cost;

/// A machine whose profile was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    spec: DeviceSpec,
}

/// The time a [`Cost`] takes on a [`Device`], in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Time {
    /// Seconds of arithmetic.
    pub compute_s: f64,
    /// Seconds of reading and writing.
    pub memory_s: f64,
    /// Seconds of starting operations.
    pub launch_s: f64,
    /// The larger of `compute_s` and `memory_s`, what of the smaller one does not overlap with it, and `launch_s`.
    pub total_s: f64,
}

/// How much memory work goes through: which level it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkingSets {
    /// Bytes of an operation's operands and results.
    pub operands: u64,
    /// Bytes that go by before the same key or plaintext is used again.
    pub keys: u64,
    /// Bytes that an operation leaves for its next step.
    pub between: u64,
}

impl WorkingSets {
    /// All of them so large.
    pub fn all(bytes: u64) -> Self {
        Self { operands: bytes, keys: bytes, between: bytes }
    }
}

impl Device {
    /// Checks a profile.
    ///
    /// # Errors
    /// [`DeviceError::Value`] for the first field outside its range: nothing is zero but `launch_s` and energies, nothing
    /// negative, infinite or no number; memory levels grow from one to the next, and do not get faster.
    pub fn new(spec: DeviceSpec) -> Result<Self, DeviceError> {
        check::spec(&spec)?;
        Ok(Self { spec })
    }

    /// Reads a profile.
    ///
    /// # Errors
    /// As [`Device::new`]; also where the text is no TOML, or a field is missing, unknown or of another type.
    pub fn from_toml(text: &str) -> Result<Self, DeviceError> {
        Self::new(read::spec(text)?)
    }

    /// The profile, to be read by [`Device::from_toml`].
    ///
    /// # Errors
    /// [`DeviceError::Syntax`] where TOML cannot say it.
    pub fn to_toml(&self) -> Result<String, DeviceError> {
        toml::to_string_pretty(&self.spec).map_err(|e| DeviceError::Syntax(e.to_string()))
    }

    /// The profile.
    pub fn spec(&self) -> &DeviceSpec {
        &self.spec
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Bytes of main memory.
    pub fn capacity_bytes(&self) -> u64 {
        self.spec.memory.last().map_or(0, |main| main.bytes)
    }

    /// The level that holds a working set of so many bytes: the first that it fits into, main memory if none.
    pub fn level(&self, working_set_bytes: u64) -> &MemoryLevel {
        let levels = &self.spec.memory;
        let fits = levels.iter().position(|level| working_set_bytes <= level.bytes);
        // a checked profile has at least one level
        &levels[fits.unwrap_or(levels.len() - 1)]
    }

    /// The time that `cost` takes: a roofline. Arithmetic takes
    ///
    /// ```text
    /// ntt.mul / ntt_butterflies + base_conversion.mul / base_conversion_macs
    ///     + elementwise.mul / products + max(0, elementwise.add - elementwise.mul) / additions
    /// ```
    ///
    /// seconds: additions of transforms and conversions are part of their butterflies and products, and each product
    /// elsewhere takes care of one addition. Words, `word_bytes` each, come from and go to the level of memory that holds
    /// their working set ([`Device::level`]). Arithmetic and traffic overlap as far as the profile says; starting an operation
    /// overlaps with nothing.
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

    /// The energy that `cost` takes, in joules, where the profile knows it: of all multiplications and additions, and of
    /// the words whose working set fits no cache.
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
