//! Counts of what the kernels do and of what they read and write, with the feature `instrument`: a
//! cost model is tested against them.
//!
//! Each field has counters, and so has each machine, for its buffers. They count words, since a
//! kernel often gets a limb tile by tile; the words of one prime and one ring degree sum up to whole
//! limbs. Kernels are counted where they are dispatched, and operands where a task takes them, so
//! all paths have the same counts. Without the feature counters have no size and counting is an
//! empty function.

#[cfg(not(feature = "instrument"))]
use std::marker::PhantomData;
#[cfg(feature = "instrument")]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What is counted: calls of kernels ([`KernelCalls`]), and words read and written ([`Traffic`]).
#[derive(Debug, Clone, Copy)]
pub enum Counted {
    /// Forward transforms.
    Ntt,
    /// Inverse transforms.
    Intt,
    /// Base conversion.
    BaseConversion,
    /// Products.
    Products,
    /// Automorphisms.
    Automorphisms,
    /// Words read.
    Read,
    /// Words written.
    Written,
    /// Words of keys read.
    KeyRead,
    /// Words of plaintexts read.
    PlainRead,
    /// Words read between two steps on one prime.
    NearRead,
    /// Words written between two steps on one prime.
    NearWritten,
}

/// Words of each [`Counted`].
#[derive(Debug, Default)]
pub struct Counters {
    #[cfg(feature = "instrument")]
    words: [AtomicU64; 11],
}

#[cfg_attr(not(feature = "instrument"), expect(unused_variables, reason = "nothing is counted"))]
impl Counters {
    /// Adds to the words of `what`; `words` is only called with the feature.
    #[inline(always)]
    pub fn count(&self, what: Counted, words: impl FnOnce() -> usize) {
        #[cfg(feature = "instrument")]
        self.words[what as usize].fetch_add(words() as u64, Relaxed);
    }

    /// So many words of one prime, which one step writes and the next step reads.
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

    /// The kernels' calls in limbs of `2^log_n` words.
    pub fn calls(&self, log_n: u32) -> KernelCalls {
        let [ntt, intt, base_conversion, products, automorphisms, ..] = self.words().map(|w| w >> log_n);
        KernelCalls { ntt, intt, base_conversion, products, automorphisms }
    }

    /// The words read and written.
    pub fn traffic(&self) -> Traffic {
        let [.., reads, writes, key_reads, plain_reads, near_reads, near_writes] = self.words();
        Traffic { reads, writes, key_reads, plain_reads, near_reads, near_writes }
    }

    /// Counts from 0 again.
    pub fn reset(&self) {
        self.words.iter().for_each(|w| w.store(0, Relaxed));
    }
}

/// A machine's counters, held by the views of its buffers.
#[derive(Debug, Clone, Copy)]
pub struct Counting<'a> {
    #[cfg(feature = "instrument")]
    counters: &'a Counters,
    #[cfg(not(feature = "instrument"))]
    life: PhantomData<&'a Counters>,
}

#[cfg_attr(not(feature = "instrument"), expect(unused_variables, reason = "nothing is counted"))]
impl<'a> Counting<'a> {
    /// Counts by these counters.
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
    pub automorphisms: u64,
}

/// What a backend has read and written, in words of 8 bytes (feature `instrument`). The same on
/// every [`super::path::Path`]; with more threads the [groups](ringjet_backend::blocking::groups) of
/// a conversion's target primes are larger, and its source is read less often.
///
/// A task that uses a word several times, one after the other, reads it once. Of a polynomial that
/// several polynomials are multiplied by, or that is added to several, the first one reads the
/// words; the others find them in a cache.
#[cfg(feature = "instrument")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Words of operands, old values of results among them where those are added to; and of rows in
    /// scratch memory that one phase of an operation leaves for the next: coefficients of digits and
    /// of remainders, what conversions make of them, residues of big coefficients.
    pub reads: u64,
    /// Words of results, and of those rows.
    pub writes: u64,
    /// Words of switching keys and of other prepared factors.
    pub key_reads: u64,
    /// Words of factors of one polynomial that multiply several.
    pub plain_reads: u64,
    /// Words of one prime that one step leaves for the next: between the two passes of a transform,
    /// between an inner product and an inverse transform. Tiles of 4 KiB that stay in the first two
    /// levels of caches are not among them.
    pub near_reads: u64,
    /// As many words, when they are written.
    pub near_writes: u64,
}

/// Sums of structs, field by field.
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
