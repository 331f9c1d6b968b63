//! Vectors of double-precision numbers, for kernels that are written once.
//!
//! The methods are inlined into kernels that are compiled for the vector's instructions (`native`).
//! Residues are words of 64 bits in memory. [`Lanes::load`] and [`Lanes::store`] keep their bits, so
//! that memory can hold numbers between two kernels.

/// A vector of numbers.
pub trait Lanes: Copy {
    /// Number of lanes: 8, 4 or 2.
    const COUNT: usize;

    /// The same number in each lane.
    fn splat(x: f64) -> Self;

    /// The words at `at` as the bits of numbers.
    ///
    /// # Safety
    /// `at` points to COUNT words.
    unsafe fn load(at: *const u64) -> Self;

    /// Writes the bits of the numbers.
    ///
    /// # Safety
    /// As for [`Lanes::load`].
    unsafe fn store(self, at: *mut u64);

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self * b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `c - self * b`, rounded once.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    /// `self * b - c`, rounded once.
    fn mul_sub(self, b: Self, c: Self) -> Self;
    /// The bits of either.
    fn or(self, other: Self) -> Self;
    /// The bits of both.
    fn and(self, other: Self) -> Self;
    /// All bits set in the lanes where this number is negative, none in the others.
    fn negative(self) -> Self;
    /// The sum of the bits as integers modulo 2^64.
    fn add_bits(self, other: Self) -> Self;
    /// The bits as integers, divided by `2^BITS` and rounded down.
    fn shift_right<const BITS: i32>(self) -> Self;
}

/// `[f(0), .., f(N - 1)]` for a formula of the index. Unlike `std::array::from_fn` it is part of the
/// function that has it, so it is compiled for that function's instructions.
macro_rules! vectors {
    ($V:ident; $N:expr, |$i:ident| $formula:expr) => {{
        let mut all = [$V::splat(0.0); $N];
        for ($i, one) in all.iter_mut().enumerate() {
            *one = $formula;
        }
        all
    }};
}
pub(crate) use vectors;

/// Vectors whose lanes move.
pub trait Moving: Lanes {
    /// The words at `from + (map & mask)`, for COUNT words of `map`.
    ///
    /// # Safety
    /// `map` points to COUNT words, and `from` to `mask + 1` words, at most 2^31.
    unsafe fn gather(from: *const u64, map: *const u32, mask: u32) -> Self;

    /// Element j of vector i becomes element i of vector j.
    ///
    /// # Safety
    /// `rows` points to COUNT rows, `stride` words apart, of COUNT words each; so does `to`, with
    /// `step` words between rows.
    unsafe fn transpose(rows: *const u64, stride: usize, to: *mut u64, step: usize);
}
