//! Vectors of eight words, and what AVX-512 can do with them.

use crate::lines::{LANES, Line};

/// Instructions on vectors; those of the names given, one each where nothing else is said.
pub trait Lanes: Copy {
    /// Eight words.
    type Vector: Copy;

    /// Eight words of memory.
    fn load(self, from: &Line) -> Self::Vector;
    /// To memory.
    fn store(self, to: &mut Line, v: Self::Vector);
    /// The same word in every lane (`vpbroadcastq`).
    fn splat(self, x: u64) -> Self::Vector;
    /// Sums modulo 2^64 (`vpaddq`).
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Differences modulo 2^64 (`vpsubq`).
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Products of the lower 32 bits (`vpmuludq`).
    fn mul32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Products modulo 2^64 (`vpmullq`: one instruction of AVX-512DQ, three operations of the hardware).
    fn mullo(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Shifted down by 32 bits (`vpsrlq`).
    fn upper_half(self, a: Self::Vector) -> Self::Vector;
    /// Shifted up by 32 bits (`vpsllq`).
    fn to_upper_half(self, a: Self::Vector) -> Self::Vector;
    /// The lower 32 bits (`vpandq`).
    fn lower_half(self, a: Self::Vector) -> Self::Vector;
    /// Upper 32 bits of `upper`, lower ones of `lower` (`vpblendmd`).
    fn join(self, upper: Self::Vector, lower: Self::Vector) -> Self::Vector;
    /// `sum`, and 1 more in the lanes where `a < b`: two instructions, `vpcmpuq` and `vpaddq` with a mask.
    fn add_where_less(self, sum: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a - b` in the lanes where `a >= b`, elsewhere `a`: two instructions, `vpcmpuq` and `vpsubq` with a mask.
    fn subtract_where_fits(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Lanes of `a` (0 to 7) and `b` (8 to 15) as `index` says (`vpermt2q`).
    fn permute2(self, a: Self::Vector, index: &Line, b: Self::Vector) -> Self::Vector;
    /// Lanes of `a` as `index` says (`vpermq`).
    fn permute(self, a: Self::Vector, index: &Line) -> Self::Vector;
    /// Rows become columns: 24 instructions.
    fn transpose(self, rows: [Self::Vector; LANES]) -> [Self::Vector; LANES];
}

/// A loop over vectors, compiled once for every [`Lanes`]. Implementations are `#[inline(always)]`, so that
/// they become part of the function that has the instructions.
pub trait Kernel {
    /// Runs it.
    fn run<L: Lanes>(self, l: L);
}

/// Something that runs kernels.
pub trait Machine: Copy + Send + Sync {
    /// Runs one.
    fn run<K: Kernel>(self, kernel: K);
}
