//! What work costs, before any machine is chosen.

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

/// What kernels do, in limbs: what the CPU backend's own counters say, by the same names.
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
    /// Limbs of residues put in another order by an automorphism.
    pub automorphisms: u64,
}

/// What work costs. Traffic is in words of 8 bytes, residues as a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cost {
    /// In number-theoretic transforms.
    pub ntt: Ops,
    /// In conversions of bases.
    pub base_conversion: Ops,
    /// In everything else.
    pub elementwise: Ops,
    /// Words of ciphertexts and of what one phase of a call leaves for the next, read.
    pub reads: u64,
    /// Words written.
    pub writes: u64,
    /// Words of switching keys, read.
    pub key_reads: u64,
    /// Words of plaintexts, read.
    pub plain_reads: u64,
    /// Words of keys, among `key_reads`, that come tile by tile (512 words) in another order.
    pub tiled_reads: u64,
    /// Words of one prime that a step of a call left for the next, read: they go no further than the last cache.
    pub near_reads: u64,
    /// As many words, written.
    pub near_writes: u64,
    /// Operations that a device starts one after the other.
    pub launches: u64,
    /// Calls of kernels.
    pub calls: KernelCalls,
}

impl Cost {
    /// Multiplications of all kinds.
    pub fn mul(&self) -> u64 {
        self.ntt.mul + self.base_conversion.mul + self.elementwise.mul
    }

    /// Additions of all kinds.
    pub fn add(&self) -> u64 {
        self.ntt.add + self.base_conversion.add + self.elementwise.add
    }

    /// Operations of all kinds.
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
