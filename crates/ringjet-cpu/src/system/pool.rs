//! Recycled, aligned memory.
//!
//! The page faults of new memory cost more time than the arithmetic of an addition, so blocks are
//! kept and reused. Blocks of 2 MiB and more are aligned to 2 MiB and request huge pages; free ones
//! are divided and joined, so that work of other sizes finds them too. A block keeps its words when
//! it returns to the pool; a block that held a secret is overwritten first.

use std::process;
use std::sync::atomic::{Ordering, compiler_fence};
use std::sync::{Arc, Mutex, PoisonError};

use super::free::Free;
use super::raw::{HUGE, LINE, Raw};

/// Memory that is kept for the next blocks.
#[derive(Debug)]
pub struct Pool {
    free: Mutex<Free>,
    /// Largest number of free bytes that the pool keeps.
    cap: usize,
    /// The process that made the pool. A forked process does not use the free blocks: a thread that
    /// the fork did not copy may have held their lock.
    process: u32,
}

impl Pool {
    /// A pool that keeps at most `cap` bytes of free memory.
    pub fn new(cap: usize) -> Arc<Self> {
        Arc::new(Self { free: Mutex::default(), cap, process: process::id() })
    }

    /// Memory for `words` words, aligned at least to a cache line. Its contents are initialised but
    /// unspecified, and never those of a secret block. `None` if there is not enough memory, also
    /// after all free blocks were given back to the system.
    pub fn take(self: &Arc<Self>, words: usize) -> Option<Block> {
        let bytes = size_class(words.checked_mul(8)?)?;
        let recycled =
            if self.is_forked() { None } else { self.free.lock().unwrap_or_else(PoisonError::into_inner).take(bytes) };
        let raw = recycled.or_else(|| Raw::with_room(bytes)).or_else(|| {
            self.release();
            Raw::with_room(bytes)
        })?;
        Some(Block { raw: Some(raw), words, secret: false, pool: Arc::clone(self) })
    }

    /// Gives all free blocks back to the system.
    fn release(&self) {
        if !self.is_forked() {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            let released = std::mem::take(&mut *free);
            drop(free);
            drop(released);
        }
    }

    /// Number of bytes of free memory that the pool holds now.
    #[cfg(test)]
    fn kept(&self) -> usize {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).bytes()
    }

    fn is_forked(&self) -> bool {
        self.process != process::id()
    }

    fn give(&self, raw: Raw) {
        if self.is_forked() {
            return; // freed to the operating system
        }
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.give(raw);
        let released = free.released(self.cap);
        drop(free);
        drop(released); // outside the lock: this calls the operating system
    }
}

/// `bytes` rounded up so that blocks can be reused: to whole pages, or to one of eight sizes for each
/// power of two, where at most an eighth of a block is unused.
fn size_class(bytes: usize) -> Option<usize> {
    let grain = if bytes >= HUGE { HUGE } else { LINE };
    let step = if Raw::has_pages(bytes) { HUGE } else { (bytes.checked_next_power_of_two()? / 16).max(grain) };
    bytes.max(1).checked_next_multiple_of(step).filter(|&b| b <= isize::MAX as usize)
}

/// A block of words from a [`Pool`], to which it returns when dropped.
#[derive(Debug)]
pub struct Block {
    /// `None` only while dropping.
    raw: Option<Raw>,
    words: usize,
    secret: bool,
    pool: Arc<Pool>,
}

impl Block {
    /// A pointer to the first word. Writing through it needs the same exclusive access as
    /// `words_mut`.
    pub fn as_ptr(&self) -> *mut u64 {
        self.raw.as_ref().map_or(std::ptr::null_mut(), Raw::words)
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.words
    }

    /// The words.
    pub fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: `words * 8 <= raw.bytes()`, aligned, initialised (zeroed when it came from the
        // system), and owned.
        unsafe { std::slice::from_raw_parts_mut(self.as_ptr(), self.words) }
    }

    /// Marks the block as secret: it is overwritten before anyone else gets it.
    pub fn mark_secret(&mut self) {
        self.secret = true;
    }

    /// Whether [`Block::mark_secret`] was called.
    pub fn is_secret(&self) -> bool {
        self.secret
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.secret {
            let words = self.words_mut();
            words.fill(0);
            // The compiler must assume that the zeros are read.
            compiler_fence(Ordering::SeqCst);
            std::hint::black_box(words);
        }
        if let Some(raw) = self.raw.take() {
            self.pool.give(raw);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_reused_and_bounded() {
        let pool = Pool::new(8 << 20);
        for words in [0, 1, 8, 1000, 1 << 18, (1 << 18) + 1, 3 << 18] {
            let mut block = pool.take(words).unwrap();
            let align = if words * 8 >= HUGE { HUGE } else { LINE };
            assert_eq!(block.as_ptr() as usize % align, 0, "{words}");
            assert_eq!(block.words_mut().len(), words);
            block.words_mut().fill(7);
            let start = block.as_ptr();
            drop(block);
            let again = pool.take(words).unwrap();
            assert_eq!(again.as_ptr(), start, "{words}");
        }
        let big: Vec<Block> = (0..6).map(|_| pool.take(1 << 18).unwrap()).collect();
        drop(big);
        assert!(pool.kept() <= 8 << 20);
        drop(pool.take(4 << 20).unwrap()); // larger than the cap: freed to the operating system
        assert!(pool.kept() <= 8 << 20);
    }

    #[test]
    fn secrets_are_overwritten() {
        for words in [1 << 10, 1 << 18] {
            let pool = Pool::new(64 << 20);
            let mut block = pool.take(words).unwrap();
            block.words_mut().fill(0x5ec2e7);
            block.mark_secret();
            let start = block.as_ptr();
            drop(block);
            let mut again = pool.take(words).unwrap();
            assert_eq!(again.as_ptr(), start);
            assert!(again.words_mut().iter().all(|&w| w == 0));
        }
    }

    #[test]
    fn a_forked_process_never_takes_the_lock() {
        let mut pool = Pool::new(8 << 20);
        drop(pool.take(100).unwrap());
        Arc::get_mut(&mut pool).unwrap().process ^= 1;
        let held = pool.free.lock().unwrap();
        let mut block = pool.take(100).unwrap();
        block.words_mut().fill(1);
        drop(block);
        assert_eq!(held.bytes(), 832, "what the other process keeps");
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let pool = Pool::new(0);
        assert!(pool.take(usize::MAX).is_none());
        assert!(pool.take(usize::MAX / 8).is_none());
        assert!(pool.take(1 << 56).is_none());
    }
}
