//! How costs are counted: for the CPU backend's kernels, or for a device with a cache.

use ringjet_backend::blocking;

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
}

/// How costs are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Policy {
    /// As the CPU backend's kernels work, with the blocking of [`ringjet_backend::blocking`]. The
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

    /// The caching that a cache of `bytes` bytes allows at ring degree `n`, with `beta` digits of
    /// `alpha` limbs each. One more limb must fit, which is written while the others are kept.
    pub fn for_cache(bytes: u64, n: usize, alpha: usize, beta: usize) -> Self {
        let limbs = (bytes / (8 * n as u64)) as usize;
        let caching = match limbs {
            l if l > 2 * alpha + 1 => Caching::Reordered,
            l if l > alpha => Caching::AlphaLimbs,
            l if l > beta => Caching::BetaLimbs,
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
