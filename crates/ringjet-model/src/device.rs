//! Machines, and the time that a [`Cost`] takes on one: a roofline.

mod builtin;
mod check;
mod error;
mod read;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::Serialize;

use crate::Cost;
pub use error::DeviceError;

/// What kind of machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A processor with caches.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// Memory that computes.
    Pim,
}

impl DeviceKind {
    /// All kinds, by the names they have in a profile.
    pub const ALL: [(&str, Self); 3] = [("cpu", Self::Cpu), ("gpu", Self::Gpu), ("pim", Self::Pim)];
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, kind)| kind == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// How fast a machine computes, all its units together, on residues of primes below 2^50. Kernels differ in how many
/// instructions they need for one multiplication, so that each class of work has a rate of its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rates {
    /// Butterflies of transforms a second: one multiplication, one addition and one subtraction each.
    pub ntt_butterflies: f64,
    /// Multiplications of base conversions a second, with the addition that follows each.
    pub base_conversion_macs: f64,
    /// Other modular multiplications a second, with the addition that may follow each.
    pub products: f64,
    /// Modular additions and subtractions a second, of which no product takes care.
    pub additions: f64,
}

/// One level of memory: all the caches of that level, or main memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryLevel {
    /// Its name: `L2`, `DRAM`.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Reading, in 10^9 bytes a second.
    pub read_gb_s: f64,
    /// Writing, in 10^9 bytes a second. Reading and writing take turns: a copy takes the time of both.
    pub write_gb_s: f64,
}

/// What work takes, in picojoules.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Energy {
    /// Picojoules a modular multiplication.
    pub pj_per_mul: f64,
    /// Picojoules a modular addition or subtraction.
    pub pj_per_add: f64,
    /// Picojoules a byte read from or written to main memory.
    pub pj_per_byte_main: f64,
}

/// A profile as it is written down: [`Device::new`] checks it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceSpec {
    /// Name, as in [`Device::builtin`].
    pub name: String,
    /// Where each figure comes from.
    pub source: String,
    /// What kind of machine.
    pub kind: DeviceKind,
    /// What computes at the same time: threads, multiprocessors, memory processors.
    pub units: u32,
    /// Bytes that one residue takes in memory.
    pub word_bytes: u32,
    /// Seconds that starting one operation takes.
    pub launch_s: f64,
    /// How fast it computes.
    pub rates: Rates,
    /// From the fastest and smallest level to main memory, which is the last.
    pub memory: Vec<MemoryLevel>,
    /// What work takes, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Energy>,
}

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
    /// The larger of `compute_s` and `memory_s`, which overlap, and `launch_s`, which does not.
    pub total_s: f64,
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
    /// elsewhere takes care of one addition. All words that are read and written, `word_bytes` each, come from and go to
    /// the one level of memory that holds `working_set_bytes` ([`Device::level`]). Arithmetic and traffic overlap, so
    /// that the longer of the two counts; starting an operation overlaps with nothing.
    pub fn time(&self, cost: &Cost, working_set_bytes: u64) -> Time {
        let (rates, level) = (&self.spec.rates, self.level(working_set_bytes));
        let additions = cost.elementwise.add.saturating_sub(cost.elementwise.mul);
        let compute_s = cost.ntt.mul as f64 / rates.ntt_butterflies
            + cost.base_conversion.mul as f64 / rates.base_conversion_macs
            + cost.elementwise.mul as f64 / rates.products
            + additions as f64 / rates.additions;
        let giga = f64::from(self.spec.word_bytes) / 1e9;
        let reads = cost.reads + cost.key_reads + cost.plain_reads;
        let memory_s = giga * (reads as f64 / level.read_gb_s + cost.writes as f64 / level.write_gb_s);
        let launch_s = cost.launches as f64 * self.spec.launch_s;
        Time { compute_s, memory_s, launch_s, total_s: compute_s.max(memory_s) + launch_s }
    }

    /// The energy that `cost` takes, in joules, where the profile knows it: of all multiplications and additions, and of
    /// all words unless the working set fits a cache.
    pub fn energy_joules(&self, cost: &Cost, working_set_bytes: u64) -> Option<f64> {
        let energy = self.spec.energy.as_ref()?;
        let main = self.spec.memory.last().is_some_and(|main| std::ptr::eq(main, self.level(working_set_bytes)));
        let bytes = if main { cost.words() * u64::from(self.spec.word_bytes) } else { 0 };
        let picojoules = cost.mul() as f64 * energy.pj_per_mul
            + cost.add() as f64 * energy.pj_per_add
            + bytes as f64 * energy.pj_per_byte_main;
        Some(picojoules * 1e-12)
    }
}
