//! Operands of sums: factors, the start of a sum, and how its result is written.

use crate::system::streaming::use_streaming_stores;

/// A factor modulo one prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// The factor 1.
    One,
    /// The factor -1.
    MinusOne,
    /// A residue below the prime.
    Constant(u64),
}

/// How the result of a sum is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The sum is added to the destination.
    Added,
    /// The sum replaces the destination.
    Set,
    /// The sum replaces the destination, by streaming stores if the destination starts at a cache
    /// line. The caller calls [`crate::system::streaming::fence`] before another thread may read
    /// it.
    Streamed,
}

impl Output {
    /// The output for an operation whose result has `words` words.
    pub fn of(words: usize, accumulate: bool) -> Self {
        match accumulate {
            true => Self::Added,
            false if use_streaming_stores(words) => Self::Streamed,
            false => Self::Set,
        }
    }

    /// Whether `dst` is aligned as this output requires.
    pub fn fits(self, dst: &[u64]) -> bool {
        self != Self::Streamed || dst.as_ptr().addr().is_multiple_of(64)
    }

    /// The output for `dst`: ordinary stores where `dst` is not aligned for streaming ones.
    pub fn for_alignment_of(self, dst: &[u64]) -> Self {
        if self.fits(dst) { self } else { Self::Set }
    }
}

/// The start of a pair of sums.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// Both sums start from 0.
    Zero,
    /// Both sums start from the words of the destination.
    Dst,
    /// The first sum starts from these words, the second from 0.
    First(&'a [u64]),
}

impl Start<'_> {
    /// Sets `dst` to the start of the sums.
    pub fn write_to(self, dst: [&mut [u64]; 2]) {
        let [d0, d1] = dst;
        match self {
            Start::Dst => return,
            Start::Zero => d0.fill(0),
            Start::First(first) => d0.copy_from_slice(first),
        }
        d1.fill(0);
    }
}
