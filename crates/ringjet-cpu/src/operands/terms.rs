//! Operands of sums: factors, what a sum starts from, and where it goes.

use crate::system::streaming::use_streaming_stores;

/// A factor modulo one prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// 1.
    One,
    /// -1.
    MinusOne,
    /// A residue below the prime.
    Constant(u64),
}

/// Where a sum goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// It is added to the destination.
    Added,
    /// It replaces the destination.
    Set,
    /// It replaces the destination, by streaming stores where that starts at a cache line: the
    /// caller calls [`crate::system::streaming::fence`] before it tells another thread.
    Streamed,
}

impl Output {
    /// For an operation whose result has `words` words.
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

/// What a pair of sums starts from.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// 0.
    Zero,
    /// The words of the destination.
    Dst,
    /// These words in the first sum, 0 in the second.
    First(&'a [u64]),
}

impl Start<'_> {
    /// Sets `dst` to what the sums start from.
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
