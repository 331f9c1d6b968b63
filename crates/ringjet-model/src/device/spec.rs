//! The values of a machine profile, before they are checked.

use std::fmt;

use serde::Serialize;

/// The kind of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A processor with caches.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// Processing in memory.
    Pim,
}

impl DeviceKind {
    /// All kinds, with their names in a profile.
    pub const ALL: [(&str, Self); 3] = [("cpu", Self::Cpu), ("gpu", Self::Gpu), ("pim", Self::Pim)];
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, kind)| kind == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// Arithmetic rates of a whole machine, all its units together, on residues modulo primes below
/// 2^50. Kernels need different numbers of instructions per multiplication, so each class of work
/// has its own rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rates {
    /// Butterflies of transforms per second. A butterfly is one multiplication, one addition and
    /// one subtraction.
    pub ntt_butterflies: f64,
    /// Multiplications of base conversions per second, each with the addition that follows.
    pub base_conversion_macs: f64,
    /// Other modular multiplications per second, each with an addition that may follow.
    pub products: f64,
    /// Modular additions and subtractions per second that do not follow a product.
    pub additions: f64,
}

/// One level of memory: all the caches of that level, or main memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryLevel {
    /// The level's name, such as `L2` or `DRAM`.
    pub name: String,
    /// The level's size in bytes.
    pub bytes: u64,
    /// Read bandwidth in 10^9 bytes per second.
    pub read_gb_s: f64,
    /// Write bandwidth in 10^9 bytes per second. Reads and writes do not overlap: a copy takes the
    /// sum of both times.
    pub write_gb_s: f64,
    /// Read bandwidth for scattered tiles of 4 KiB, in 10^9 bytes per second. The default is
    /// `read_gb_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiles_gb_s: Option<f64>,
}

/// Energies in picojoules.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Energy {
    /// Picojoules per modular multiplication.
    pub pj_per_mul: f64,
    /// Picojoules per modular addition or subtraction.
    pub pj_per_add: f64,
    /// Picojoules per byte read from or written to main memory.
    pub pj_per_byte_main: f64,
}

/// A machine profile as it is written; [`Device::new`](super::Device::new) checks it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceSpec {
    /// The machine's name, as [`Device::builtin`](super::Device::builtin) takes it.
    pub name: String,
    /// The sources of the profile's figures.
    pub source: String,
    /// The kind of the machine.
    pub kind: DeviceKind,
    /// The number of units that compute at the same time: threads, multiprocessors or memory
    /// processors.
    pub units: u32,
    /// Bytes per residue in memory.
    pub word_bytes: u32,
    /// Seconds that one launch of an operation takes.
    pub launch_s: f64,
    /// The fraction of the shorter of arithmetic and traffic that overlaps with the longer one. 0:
    /// they take turns. 1: full overlap, the usual roofline.
    pub overlap: f64,
    /// Watts under load, if they are known: of the processor or the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watts: Option<f64>,
    /// Arithmetic rates.
    pub rates: Rates,
    /// Memory levels from the fastest and smallest one to main memory, which is last.
    pub memory: Vec<MemoryLevel>,
    /// Energies, if they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<Energy>,
}
