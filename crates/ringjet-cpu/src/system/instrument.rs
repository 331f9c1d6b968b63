//! Counts of the kernels' calls and of the words that they read and write, with the feature
//! `instrument`. Tests compare a cost model with these counts.
//!
//! Each field has counters. Each machine has counters, too, for its buffers. They count words,
//! since a kernel often gets a limb tile by tile; the words of one prime and one ring degree sum up
//! to whole limbs. Kernels are counted where they are dispatched, and operands where a task takes
//! them, so all paths have the same counts. Without the feature, counters have no size and counting
//! is an empty function.

#[cfg(not(feature = "instrument"))]
use std::marker::PhantomData;
#[cfg(feature = "instrument")]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The kinds of counts: calls of kernels ([`KernelCalls`]), and words read and written
/// ([`Traffic`]).
#[derive(Debug, Clone, Copy)]
pub enum Counted {
    /// Words of forward transforms.
    Ntt,
    /// Words of inverse transforms.
    Intt,
    /// Words of base conversions.
    BaseConversion,
    /// Words of products.
    Products,
    /// Words of automorphisms.
    Automorphisms,
    /// Words read.
    Read,
    /// Words written.
    Written,
    /// Words of keys read.
    KeyRead,
    /// Words of plaintexts read.
    PlainRead,
    /// Words read between two steps of the work on one prime.
    NearRead,
    /// Words written between two steps of the work on one prime.
    NearWritten,
}

/// The number of words of each kind in [`Counted`].
#[derive(Debug, Default)]
pub struct Counters {
    #[cfg(feature = "instrument")]
    words: [AtomicU64; 11],
}

#[cfg_attr(not(feature = "instrument"), expect(unused_variables, reason = "nothing is counted"))]
impl Counters {
    /// Adds `words()` to the count of `what`. `words` is only called with the feature `instrument`.
    #[inline(always)]
    pub fn count(&self, what: Counted, words: impl FnOnce() -> usize) {
        #[cfg(feature = "instrument")]
        self.words[what as usize].fetch_add(words() as u64, Relaxed);
    }

    /// Counts `words()` words of one prime that one step writes and the next step reads.
    #[inline(always)]
    pub fn count_near(&self, words: impl Fn() -> usize) {
        self.count(Counted::NearWritten, &words);
        self.count(Counted::NearRead, words);
    }
}

#[cfg(feature = "instrument")]
impl Counters {
    fn words(&self) -> [u64; 11] {
        self.words.each_ref().map(|w| w.load(Relaxed))
    }

    /// The calls of the kernels, in limbs of `2^log_n` words.
    pub fn calls(&self, log_n: u32) -> KernelCalls {
        let [ntt, intt, base_conversion, products, automorphisms, ..] = self.words().map(|w| w >> log_n);
        KernelCalls { ntt, intt, base_conversion, products, automorphisms }
    }

    /// The numbers of words read and written.
    pub fn traffic(&self) -> Traffic {
        let [.., reads, writes, key_reads, plain_reads, near_reads, near_writes] = self.words();
        Traffic { reads, writes, key_reads, plain_reads, near_reads, near_writes }
    }

    /// Sets all counts to 0.
    pub fn reset(&self) {
        self.words.iter().for_each(|w| w.store(0, Relaxed));
    }
}

/// The counters of a machine, for the views of its buffers.
#[derive(Debug, Clone, Copy)]
pub struct Counting<'a> {
    #[cfg(feature = "instrument")]
    counters: &'a Counters,
    #[cfg(not(feature = "instrument"))]
    life: PhantomData<&'a Counters>,
}

#[cfg_attr(not(feature = "instrument"), expect(unused_variables, reason = "nothing is counted"))]
impl<'a> Counting<'a> {
    /// Counting by these counters.
    pub fn by(counters: &'a Counters) -> Self {
        Self {
            #[cfg(feature = "instrument")]
            counters,
            #[cfg(not(feature = "instrument"))]
            life: PhantomData,
        }
    }

    /// [`Counters::count`].
    #[inline(always)]
    pub fn count(&self, what: Counted, words: impl FnOnce() -> usize) {
        #[cfg(feature = "instrument")]
        self.counters.count(what, words);
    }
}

/// How often the kernels of a backend were called, in limbs (feature `instrument`). The counts
/// depend on the algorithm only: they are the same on every [`super::path::Path`] and for any
/// number of threads.
#[cfg(feature = "instrument")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelCalls {
    /// Forward transforms of one limb.
    pub ntt: u64,
    /// Inverse transforms of one limb, with or without a constant factor.
    pub intt: u64,
    /// Base conversion: pairs of a source limb and a target limb. The other work of a conversion
    /// (scaled digits, quotients) is not counted.
    pub base_conversion: u64,
    /// Products of a limb with a limb or a constant, outside transforms and conversions. A compact
    /// factor, whose words stand for several equal words, counts as a whole limb. Coefficients 1
    /// and -1 of a linear combination do not count.
    pub products: u64,
    /// Limbs permuted by an automorphism.
    pub automorphisms: u64,
}

/// Numbers of words of 8 bytes that a backend has read and written (feature `instrument`). The
/// counts are the same on every [`super::path::Path`]. They depend on the number of threads: with
/// more threads the [groups](ringjet_backend::blocking::groups) of a conversion's target primes are
/// larger, and the source is read less often.
///
/// A word that a task uses several times in a row counts once. If one polynomial multiplies several
/// polynomials, or is added to several, its words count once; then they are in a cache.
#[cfg(feature = "instrument")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Words of operands, including the old values of results to which something is added. Also
    /// words of rows in scratch memory that one phase of an operation leaves for the next:
    /// coefficients of digits and of remainders, results of conversions, residues of big
    /// coefficients.
    pub reads: u64,
    /// Words of results, and of the rows in scratch memory just named.
    pub writes: u64,
    /// Words of switching keys and of other prepared factors.
    pub key_reads: u64,
    /// Words of factors of one polynomial that multiply several polynomials.
    pub plain_reads: u64,
    /// Words of one prime that one step leaves for the next: between the two passes of a transform,
    /// or between an inner product and an inverse transform. Tiles of 4 KiB, which stay in the
    /// first two levels of caches, do not count.
    pub near_reads: u64,
    /// Writes of the words that `near_reads` counts.
    pub near_writes: u64,
}

/// Adds structs field by field.
#[cfg(feature = "instrument")]
macro_rules! sums {
    ($t:ident: $($field:ident),+) => {
        impl std::ops::Add for $t {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self { $($field: self.$field + other.$field),+ }
            }
        }
    };
}
#[cfg(feature = "instrument")]
sums!(KernelCalls: ntt, intt, base_conversion, products, automorphisms);
#[cfg(feature = "instrument")]
sums!(Traffic: reads, writes, key_reads, plain_reads, near_reads, near_writes);
