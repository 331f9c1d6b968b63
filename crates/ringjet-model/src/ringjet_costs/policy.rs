//! How costs are counted: for the CPU backend's kernels, or for a device with a cache.

use ringjet_cpu::blocking;

/// What a cache keeps between the steps of one call. Each level includes the ones before it
/// (caching levels of de Castro et al., ePrint 2021/1636, Section IV).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum Caching {
    /// Nothing is kept: each step reads its operands from memory and writes its result there.
    None,
    /// One or a few limbs are kept: consecutive steps that work limb by limb are merged.
    Limb,
    /// One limb of each digit is kept: it is transformed and multiplied by the key at once.
    BetaLimbs,
    /// All limbs of one digit are kept: the digit is converted and transformed without going to
    /// memory.
    AlphaLimbs,
    /// In addition, limbs that are divided out are computed first, so that the others are finished
    /// while they are in the cache.
    Reordered,
    /// Everything that a call touches is kept: operands are read once and results written once.
    Resident,
}

/// Sizes in limbs of what a call works on. They decide what a cache can keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallSizes {
    /// Limbs of the largest digit, or limbs that a division drops.
    pub alpha: usize,
    /// The number of digits.
    pub beta: usize,
    /// Limbs of all operands, keys, intermediate results and results together.
    pub all: usize,
}

/// How costs are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Policy {
    /// As the CPU backend's kernels work, with the blocking of [`ringjet_cpu::blocking`]. The
    /// traffic equals the backend's counters.
    Cpu {
        /// Threads that share each call.
        threads: usize,
    },
    /// As a device with a cache of whole limbs works.
    Cached {
        /// What stays in the cache.
        caching: Caching,
        /// Whether one half of each key is read and the other half is generated from a seed.
        seeded_keys: bool,
    },
}

impl Policy {
    /// The CPU backend's kernels with one thread.
    pub const CPU: Self = Self::Cpu { threads: 1 };

    /// The caching that a cache of `bytes` bytes allows at ring degree `n`, for a call of these
    /// sizes. The first two sizes are those of de Castro et al. (ePrint 2021/1636), Sections IV-B
    /// and IV-C: 6 MB and 27 MB at N = 2^17 with 3 digits of 12 limbs. The paper has no size for
    /// re-ordering.
    ///
    /// | level | limbs |
    /// |---|---|
    /// | `BetaLimbs` | 2 beta: a limb of each digit, and beta limbs for results and constants |
    /// | `AlphaLimbs` | 2 alpha + 3 |
    /// | `Reordered` | 2 alpha + 3 + beta: the limbs that are divided out of both polynomials, and a limb of each digit |
    /// | `Resident` | all |
    pub fn for_cache(bytes: u64, n: usize, call: CallSizes) -> Self {
        let CallSizes { alpha, beta, all } = call;
        let (few, digit) = (2 * beta, (2 * alpha + 3).max(2 * beta));
        let caching = match (bytes / (8 * n as u64)) as usize {
            l if l >= all => Caching::Resident,
            l if l >= digit + beta => Caching::Reordered,
            l if l >= digit => Caching::AlphaLimbs,
            l if l >= few => Caching::BetaLimbs,
            l if l > 1 => Caching::Limb,
            _ => Caching::None,
        };
        Self::Cached { caching, seeded_keys: false }
    }

    /// Whether the cache keeps at least `wanted`. On the CPU the answer is yes: its kernels are
    /// blocked for the caches, and their counters say what is still read.
    pub(super) fn has(self, wanted: Caching) -> bool {
        match self {
            Self::Cpu { .. } => true,
            Self::Cached { caching, .. } => caching >= wanted,
        }
    }

    /// What the cache keeps; `None` on the CPU.
    pub(super) fn caching(self) -> Option<Caching> {
        if let Self::Cached { caching, .. } = self { Some(caching) } else { None }
    }

    /// Whether half of each key is generated from a seed.
    pub(super) fn seeded_keys(self) -> bool {
        matches!(self, Self::Cached { seeded_keys: true, .. })
    }

    /// Whether the costs are those of the CPU's kernels.
    pub(super) fn is_cpu(self) -> bool {
        matches!(self, Self::Cpu { .. })
    }

    /// The largest number of rows in a group of target primes, on the CPU.
    pub(super) fn group_rows(self) -> usize {
        blocking::GROUP_ROWS * self.threads()
    }

    /// The number of threads that share a call.
    pub(super) fn threads(self) -> usize {
        if let Self::Cpu { threads } = self { threads.max(1) } else { 1 }
    }
}
