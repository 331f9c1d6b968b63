//! A profile of a machine as it is written down.

use std::fmt;

use serde::Serialize;

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
    /// Reading tiles of 4 KiB that are not one after the other, in 10^9 bytes a second; as `read_gb_s` where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiles_gb_s: Option<f64>,
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

/// A profile as it is written down: [`Device::new`](super::Device::new) checks it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceSpec {
    /// Name, as in [`Device::builtin`](super::Device::builtin).
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
    /// How much of the shorter one of arithmetic and traffic goes on behind the longer one, from 0 (they take turns) to 1 (all
    /// of it: the roofline as it is usually drawn).
    pub overlap: f64,
    /// How fast it computes.
    pub rates: Rates,
    /// From the fastest and smallest level to main memory, which is the last.
    pub memory: Vec<MemoryLevel>,
    /// What work takes, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Energy>,
}
