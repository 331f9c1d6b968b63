//! How costs are counted: for the CPU backend's kernels, or for a device with a cache.

use ringjet_backend::blocking;

/// What stays at hand between the steps of one call: the cumulative caching levels of de Castro et
/// al., Section IV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum Caching {
    /// Nothing: each step reads its operands from memory and writes its result there.
    None,
    /// One limb, or a few: what follows limb by limb is done at once.
    Limb,
    /// A limb of each digit: a limb's digits are transformed and multiplied by the key at once.
    BetaLimbs,
    /// All limbs of a digit: it is converted and transformed without going to memory.
    AlphaLimbs,
    /// Also what is divided out comes first, so that what stays is finished while it is at hand.
    Reordered,
}

/// How costs are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Policy {
    /// As the CPU backend's kernels work, divided by [`ringjet_backend::blocking`]: traffic equals
    /// the backend's counters.
    Cpu {
        /// Threads that share each call.
        threads: usize,
    },
    /// With a cache that keeps whole limbs.
    Cached {
        /// What stays in the cache.
        caching: Caching,
        /// Keys are read as one half, the other one is made from a seed.
        seeded_keys: bool,
    },
}

impl Policy {
    /// What the CPU backend's kernels do with one thread.
    pub const CPU: Self = Self::Cpu { threads: 1 };

    /// What a cache of `bytes` allows at ring degree `n`, digits of `alpha` limbs and `beta` of
    /// them. One more limb is being written to while others are kept.
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

    /// Whether so much stays at hand. The CPU's kernels order their work so that nothing is read
    /// for the lack of a cache but what their counters say.
    pub(super) fn has(self, wanted: Caching) -> bool {
        match self {
            Self::Cpu { .. } => true,
            Self::Cached { caching, .. } => caching >= wanted,
        }
    }

    /// Whether half of each key is made from a seed.
    pub(super) fn seeded_keys(self) -> bool {
        matches!(self, Self::Cached { seeded_keys: true, .. })
    }

    /// Whether costs are those of the CPU's kernels.
    pub(super) fn is_cpu(self) -> bool {
        matches!(self, Self::Cpu { .. })
    }

    /// Most rows of a group of target primes on the CPU.
    pub(super) fn group_rows(self) -> usize {
        blocking::GROUP_ROWS * self.threads()
    }

    /// Threads that share a call.
    pub(super) fn threads(self) -> usize {
        if let Self::Cpu { threads } = self { threads.max(1) } else { 1 }
    }
}
