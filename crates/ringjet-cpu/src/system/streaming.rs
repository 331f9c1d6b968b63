//! Streaming (non-temporal) stores: they write whole cache lines to memory without reading them
//! first, and without displacing other words from the caches.

use crate::blocking::STREAMED_WORDS;

/// Whether a result of `words` words is written with streaming stores.
pub fn use_streaming_stores(words: usize) -> bool {
    words >= STREAMED_WORDS
}

/// Orders streaming stores before later stores. A thread calls it before another thread may read
/// words that it has written by streaming stores.
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has `sfence`.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
