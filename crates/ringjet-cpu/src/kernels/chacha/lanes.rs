//! Vectors of 32-bit words for ChaCha20. Lane l of a vector belongs to the block l places after the
//! first one, so that all operations but the last transpose are lane by lane.

/// A vector of words.
pub trait Lanes: Copy {
    /// Number of lanes: 8 or 16.
    const COUNT: usize;

    /// The same word in each lane.
    fn splat(x: u32) -> Self;

    /// Words at `from`.
    ///
    /// # Safety
    /// `from` points to COUNT words.
    unsafe fn load(from: *const u32) -> Self;

    /// Sums modulo 2^32.
    fn add(self, other: Self) -> Self;

    /// Exclusive or.
    fn xor(self, other: Self) -> Self;

    /// Rotates each word to the left by LEFT bits; RIGHT is `32 - LEFT`.
    fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self;

    /// Writes the words as blocks: word i of block l is lane l of `words[i]`.
    ///
    /// # Safety
    /// `to` points to `8 * COUNT` words of 64 bits.
    unsafe fn store_blocks(words: [Self; 16], to: *mut u64);

    /// Writes the words of at most `largest`, in their order and without the bits outside `mask`,
    /// to the front of `out`, until it is full. The rest of `out` is unspecified. Returns the number
    /// of words written. `largest` is at most `mask`, and less only if both are below 2^61. The number
    /// of `words` is a multiple of 8; they are unspecified afterwards.
    fn keep(words: &mut [u64], mask: u64, largest: u64, out: &mut [u64]) -> usize;
}
