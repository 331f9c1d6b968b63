//! Costs of work, before a machine is chosen: counts of operations and words.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

use serde::Serialize;

/// Operations on single residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Ops {
    /// Modular multiplications.
    pub mul: u64,
    /// Modular additions and subtractions.
    pub add: u64,
}

/// Calls of kernels, counted in limbs. The names are those of the CPU backend's own counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct KernelCalls {
    /// Forward transforms of one limb.
    pub ntt: u64,
    /// Inverse transforms of one limb.
    pub intt: u64,
    /// Base conversion: pairs of a source limb and a target limb.
    pub base_conversion: u64,
    /// Products of a limb with a limb or a constant outside transforms and conversions.
    pub products: u64,
    /// Limbs whose residues an automorphism permutes.
    pub automorphisms: u64,
}

/// The cost of a piece of work. Traffic is counted in words of 8 bytes; one residue takes one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cost {
    /// Operations in number-theoretic transforms.
    pub ntt: Ops,
    /// Operations in base conversions.
    pub base_conversion: Ops,
    /// Operations outside transforms and base conversions.
    pub elementwise: Ops,
    /// Words read of ciphertexts and of intermediate results between the phases of a call.
    pub reads: u64,
    /// Words written.
    pub writes: u64,
    /// Words of switching keys, read.
    pub key_reads: u64,
    /// Words of plaintexts, read.
    pub plain_reads: u64,
    /// Those words of `key_reads` that are read in permuted tiles of 512 words.
    pub tiled_reads: u64,
    /// Words of intermediate results that stay in a cache, read. One step of a call leaves them for
    /// its next step on the same prime.
    pub near_reads: u64,
    /// Words of intermediate results that stay in a cache, written.
    pub near_writes: u64,
    /// Operations that a device launches, one after the other.
    pub launches: u64,
    /// Kernel calls.
    pub calls: KernelCalls,
}

impl Cost {
    /// Multiplications in transforms, base conversions and elsewhere.
    pub fn mul(&self) -> u64 {
        self.ntt.mul + self.base_conversion.mul + self.elementwise.mul
    }

    /// Additions in transforms, base conversions and elsewhere.
    pub fn add(&self) -> u64 {
        self.ntt.add + self.base_conversion.add + self.elementwise.add
    }

    /// Multiplications and additions together.
    pub fn ops(&self) -> u64 {
        self.mul() + self.add()
    }

    /// Words read from memory and written to it.
    pub fn words(&self) -> u64 {
        self.reads + self.writes + self.key_reads + self.plain_reads
    }

    /// Bytes read and written.
    pub fn bytes(&self) -> u64 {
        8 * self.words()
    }
}

/// A part of a call, with its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// The part's name.
    pub name: &'static str,
    /// The part's cost.
    pub cost: Cost,
    /// The part's time on a device in seconds; 0 without a device.
    pub seconds: f64,
}

macro_rules! sums {
    ($t:ident: $($field:ident),+) => {
        impl Add for $t {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self { $($field: self.$field + other.$field),+ }
            }
        }
        impl AddAssign for $t {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }
        impl Mul<u64> for $t {
            type Output = Self;
            fn mul(self, times: u64) -> Self {
                Self { $($field: self.$field * times),+ }
            }
        }
        impl Sum for $t {
            fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
                all.fold(Self::default(), Add::add)
            }
        }
    };
}
sums!(Ops: mul, add);
sums!(KernelCalls: ntt, intt, base_conversion, products, automorphisms);
sums!(Cost: ntt, base_conversion, elementwise, reads, writes, key_reads, plain_reads, tiled_reads, near_reads, near_writes, launches, calls);
