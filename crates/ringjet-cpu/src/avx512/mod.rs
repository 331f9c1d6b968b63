//! Kernels for primes below 2^61 with AVX-512 F and DQ.

pub mod arith;
pub mod baseconv;
pub mod big;
pub mod eltwise;
pub mod ntt;
pub mod permute;
pub mod words;

/// Asks for words `at..at + len` of a row, to be read soon. Any address may be prefetched: nothing is read architecturally.
#[inline]
pub fn fetch(row: &[u64], at: usize, len: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for at in (at..at + len).step_by(8) {
        // SAFETY: every processor of this kind has the instruction.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().wrapping_add(at).cast()) };
    }
}
