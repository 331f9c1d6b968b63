//! Memory from the operating system.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use ringjet_backend::host;

/// Size in bytes from which blocks consist of huge pages.
pub const HUGE: usize = 2 << 20;
/// Alignment of smaller blocks: a cache line, one AVX-512 vector.
pub const LINE: usize = 64;

/// Memory of `bytes` bytes, initialised, owned.
#[derive(Debug)]
pub struct Raw {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a `Raw` owns its memory like a `Box<[u8]>` does; nothing in it belongs to a thread.
unsafe impl Send for Raw {}
// SAFETY: as above; shared references to a `Raw` give no access to the memory.
unsafe impl Sync for Raw {}

impl Raw {
    /// Whether memory of `bytes` bytes consists of pages that are given back one by one.
    pub fn has_pages(bytes: usize) -> bool {
        cfg!(target_os = "linux") && bytes >= HUGE
    }

    /// The number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The address of the first byte.
    pub fn address(&self) -> usize {
        self.start.as_ptr() as usize
    }

    /// A pointer to the first word.
    pub fn words(&self) -> *mut u64 {
        self.start.as_ptr().cast()
    }

    /// Keeps the first `bytes` bytes, and returns the others. Both are parts of pages.
    pub fn split_off(&mut self, bytes: usize) -> Self {
        assert!(
            Self::has_pages(bytes) && bytes < self.bytes && bytes.is_multiple_of(HUGE),
            "{bytes} of {}",
            self.bytes
        );
        // SAFETY: `bytes` is less than the size, so the address is inside this memory.
        let start = unsafe { self.start.add(bytes) };
        let rest = Self { start, bytes: self.bytes - bytes };
        self.bytes = bytes;
        rest
    }

    /// One piece of this memory and of `next`, which begins where this one ends. Both have pages. The
    /// system does not care which calls mapped the pages that it takes back.
    pub fn joined(mut self, next: Self) -> Self {
        assert!(Self::has_pages(self.bytes) && self.address() + self.bytes == next.address(), "not neighbours");
        self.bytes += next.bytes;
        std::mem::forget(next);
        self
    }

    fn layout(bytes: usize) -> Layout {
        let align = if bytes >= HUGE { HUGE } else { LINE };
        Layout::from_size_align(bytes, align).expect("size classes are multiples of their alignment, below isize::MAX")
    }

    /// Zeroed memory, if it leaves room for the small allocations of an operation, which cannot be
    /// refused.
    pub fn with_room(bytes: usize) -> Option<Self> {
        let raw = Self::new(bytes)?;
        host::expect(0).ok().map(|()| raw)
    }

    /// Zeroed memory.
    fn new(bytes: usize) -> Option<Self> {
        #[cfg(target_os = "linux")]
        if Self::has_pages(bytes) {
            return Self::map(bytes);
        }
        // SAFETY: the size is not zero (`size_class` gives at least one line).
        let start = NonNull::new(unsafe { alloc_zeroed(Self::layout(bytes)) })?;
        Some(Self { start, bytes })
    }

    /// Anonymous pages aligned to 2 MiB; they are huge pages if the system allows it.
    #[cfg(target_os = "linux")]
    fn map(bytes: usize) -> Option<Self> {
        let padded = bytes.checked_add(HUGE)?;
        // SAFETY: a fresh private anonymous mapping at an address the kernel chooses touches
        // nothing that exists.
        let base = unsafe {
            let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            libc::mmap(std::ptr::null_mut(), padded, access, kind, -1, 0)
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        let head = (base as usize).next_multiple_of(HUGE) - base as usize;
        // SAFETY: `head <= HUGE`, so `[head, head + bytes)` lies in the mapping of `bytes + HUGE`;
        // the parts before and after it are whole pages of that mapping (HUGE and the sizes are
        // multiples of the page) that nobody uses. Advice does not change contents.
        unsafe {
            let start = base.cast::<u8>().add(head);
            if head > 0 {
                libc::munmap(base, head);
            }
            if head < HUGE {
                libc::munmap(start.add(bytes).cast(), HUGE - head);
            }
            libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE);
            Some(Self { start: NonNull::new(start)?, bytes })
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if Self::has_pages(self.bytes) {
            // SAFETY: this range was mapped by `map`, in one call or several, and its owner goes away.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
            return;
        }
        // SAFETY: allocated in `new` with this very layout.
        unsafe { dealloc(self.start.as_ptr(), Self::layout(self.bytes)) }
    }
}
