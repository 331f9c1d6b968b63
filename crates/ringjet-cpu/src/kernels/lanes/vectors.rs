//! Eight words in memory as a vector.

use std::arch::x86_64::*;

/// Words `i..i + 8`.
///
/// # Safety
/// `i + 8 <= x.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
pub unsafe fn load(x: &[u64], i: usize) -> __m512i {
    debug_assert!(i + 8 <= x.len());
    // SAFETY: by the caller's promise.
    unsafe { _mm512_loadu_si512(x.as_ptr().add(i).cast()) }
}

/// Writes words `i..i + 8`.
///
/// # Safety
/// `i + 8 <= x.len()`.
#[inline]
#[target_feature(enable = "avx512f")]
pub unsafe fn store(x: &mut [u64], i: usize, v: __m512i) {
    debug_assert!(i + 8 <= x.len());
    // SAFETY: by the caller's promise.
    unsafe { _mm512_storeu_si512(x.as_mut_ptr().add(i).cast(), v) }
}

/// [`store`], or with `stream` a streaming store; the caller then calls
/// [`crate::system::streaming::fence`].
///
/// # Safety
/// `i + 8 <= x.len()`, and with `stream` the words start at a cache line.
#[inline]
#[target_feature(enable = "avx512f")]
pub unsafe fn write(x: &mut [u64], i: usize, v: __m512i, stream: bool) {
    debug_assert!(i + 8 <= x.len());
    // SAFETY: by the caller's promise.
    unsafe {
        let to = x.as_mut_ptr().add(i);
        if stream { _mm512_stream_si512(to.cast(), v) } else { _mm512_storeu_si512(to.cast(), v) }
    }
}
