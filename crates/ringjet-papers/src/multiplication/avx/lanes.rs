//! Vectors of eight words, and the operations of AVX-512 on them.

use crate::multiplication::lines::{LANES, Line};

/// Operations on vectors. Each is one instruction, of the name given, unless it says otherwise.
pub trait Lanes: Copy {
    /// Eight words.
    type Vector: Copy;

    /// Reads eight words of memory.
    fn load(self, from: &Line) -> Self::Vector;
    /// Writes eight words to memory.
    fn store(self, to: &mut Line, v: Self::Vector);
    /// The same word in every lane (`vpbroadcastq`).
    fn splat(self, x: u64) -> Self::Vector;
    /// Sums modulo 2^64 (`vpaddq`).
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Differences modulo 2^64 (`vpsubq`).
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Products of the lower 32 bits (`vpmuludq`).
    fn mul32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Products modulo 2^64 (`vpmullq`: one instruction of AVX-512DQ, which the hardware splits
    /// into three operations).
    fn mullo(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Shifts right by 32 bits (`vpsrlq`).
    fn upper_half(self, a: Self::Vector) -> Self::Vector;
    /// Shifts left by 32 bits (`vpsllq`).
    fn to_upper_half(self, a: Self::Vector) -> Self::Vector;
    /// The lower 32 bits (`vpandq`).
    fn lower_half(self, a: Self::Vector) -> Self::Vector;
    /// The upper 32 bits of `upper` with the lower 32 bits of `lower` (`vpblendmd`).
    fn join(self, upper: Self::Vector, lower: Self::Vector) -> Self::Vector;
    /// `sum`, plus 1 in the lanes where `a < b`. Two instructions: `vpcmpuq`, and `vpaddq` with a
    /// mask.
    fn add_where_less(self, sum: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a - b` in the lanes where `a >= b`, and `a` in the others. Two instructions: `vpcmpuq`, and
    /// `vpsubq` with a mask.
    fn subtract_where_fits(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Chooses lanes of `a` (0 to 7) and `b` (8 to 15) by `index` (`vpermt2q`).
    fn permute2(self, a: Self::Vector, index: &Line, b: Self::Vector) -> Self::Vector;
    /// Chooses lanes of `a` by `index` (`vpermq`).
    fn permute(self, a: Self::Vector, index: &Line) -> Self::Vector;
    /// Transposes eight rows. 24 instructions.
    fn transpose(self, rows: [Self::Vector; LANES]) -> [Self::Vector; LANES];
}

/// A loop over vectors, compiled once for every [`Lanes`]. Implementations are `#[inline(always)]`,
/// so that they become part of the function that may use the instructions.
pub trait Kernel {
    /// Runs the kernel.
    fn run<L: Lanes>(self, l: L);
}

/// A type that runs kernels on its lanes.
pub trait Machine: Copy + Send + Sync {
    /// Runs a kernel.
    fn run<K: Kernel>(self, kernel: K);
}
