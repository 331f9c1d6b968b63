//! Counts of what the kernels do, with the feature `instrument`: a cost model is tested against
//! them.
//!
//! Each field has its counters. They count words, since a kernel often gets a limb tile by tile;
//! the words of one prime and one ring degree sum up to whole limbs. Kernels are counted where they
//! are dispatched, so all paths have the same counts. Without the feature counters have no size and
//! counting is an empty function.

#[cfg(feature = "instrument")]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A kind of kernel; [`KernelCalls`] says what is counted of each.
#[derive(Debug, Clone, Copy)]
pub enum Kernel {
    /// Forward transforms.
    Ntt,
    /// Inverse transforms.
    Intt,
    /// Base conversion.
    BaseConversion,
    /// Products.
    Products,
    /// Automorphisms.
    Permutations,
}

/// The counters of one field.
#[derive(Debug, Default)]
pub struct Counters {
    /// In the order of [`Kernel`].
    #[cfg(feature = "instrument")]
    words: [AtomicU64; 5],
}

impl Counters {
    /// Adds to the words of a kernel; `words` is only called with the feature.
    #[inline(always)]
    #[cfg_attr(not(feature = "instrument"), expect(unused_variables, reason = "nothing is counted"))]
    pub fn count(&self, kernel: Kernel, words: impl FnOnce() -> usize) {
        #[cfg(feature = "instrument")]
        self.words[kernel as usize].fetch_add(words() as u64, Relaxed);
    }
}

#[cfg(feature = "instrument")]
impl Counters {
    /// The counts in limbs of `2^log_n` words.
    pub fn limbs(&self, log_n: u32) -> KernelCalls {
        let [ntt, intt, base_conversion, products, permutations] =
            self.words.each_ref().map(|w| w.load(Relaxed) >> log_n);
        KernelCalls { ntt, intt, base_conversion, products, permutations }
    }

    /// Counts from 0 again.
    pub fn reset(&self) {
        self.words.iter().for_each(|w| w.store(0, Relaxed));
    }
}

/// What the kernels of a backend have done, in limbs (feature `instrument`). These are counts of
/// the algorithm: the same on every [`super::path::Path`] and with any number of threads.
#[cfg(feature = "instrument")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelCalls {
    /// Forward transforms of one limb.
    pub ntt: u64,
    /// Inverse transforms of one limb, whatever constant they multiply by on the way.
    pub intt: u64,
    /// Base conversion: pairs of a source limb and a target limb. Its other work (scaled digits,
    /// quotients) is not counted.
    pub base_conversion: u64,
    /// Products of a limb with a limb or a constant outside transforms and conversions. A factor of
    /// few words that stand for many counts as a whole limb; 1 and -1 as coefficients of a linear
    /// combination do not count.
    pub products: u64,
    /// Limbs put in another order by an automorphism.
    pub permutations: u64,
}

#[cfg(feature = "instrument")]
impl std::ops::Add for KernelCalls {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            ntt: self.ntt + other.ntt,
            intt: self.intt + other.intt,
            base_conversion: self.base_conversion + other.base_conversion,
            products: self.products + other.products,
            permutations: self.permutations + other.permutations,
        }
    }
}
