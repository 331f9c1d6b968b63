//! [`Pool`]: a device that keeps memory after its use, so that operations find the same addresses
//! again and ask the driver for nothing.

use std::collections::{BTreeSet, HashMap};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use crate::device::{Address, Device, DeviceError, Grid, forward};

/// A device whose memory, once it is given back, is kept for the next request of the same size. All
/// work goes to one queue in order, so memory that is given back can be handed out at once: its new
/// owner's work is queued after all work of the former owner.
///
/// Of several kept blocks the one with the lowest address is handed out. So which addresses an
/// operation gets depends only on which blocks are free when it starts. An operation that is
/// repeated gets the same addresses, unless its results are kept. (If the block given back last
/// were handed out first, two blocks that are given back in the order in which they were taken
/// would change places at each repetition.)
///
/// Kept memory has no limit of its own. It is at most the sum, over all sizes, of the memory that
/// was in use at one time. All of it goes back to the device when the device cannot give what is
/// asked for, and when the pool is dropped. Other backends of the same GPU cannot use it before.
#[derive(Debug)]
pub struct Pool<D: Device> {
    device: Arc<D>,
    /// Addresses of the kept blocks, by their number of words.
    kept: Mutex<HashMap<usize, BTreeSet<u64>>>,
}

impl<D: Device> Pool<D> {
    /// A pool of memory of `device`.
    pub fn new(device: Arc<D>) -> Self {
        Self { device, kept: Mutex::default() }
    }

    fn take(&self, words: usize) -> Option<Address> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&words)?.pop_first().map(Address)
    }

    /// Gives all kept memory back to the device. Returns whether there was any.
    fn drain(&self) -> bool {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        let mut any = false;
        for (words, blocks) in kept {
            for at in blocks {
                self.device.free(Address(at), words);
                any = true;
            }
        }
        any
    }
}

impl<D: Device> Drop for Pool<D> {
    fn drop(&mut self) {
        self.drain();
    }
}

impl<D: Device> Device for Pool<D> {
    forward!(renew wipe copies sizes sync mark microseconds);

    fn alloc(&self, words: usize) -> Result<Address, DeviceError> {
        if let Some(at) = self.take(words) {
            self.device.renew(at, words);
            return Ok(at);
        }
        match self.device.alloc(words) {
            Err(DeviceError::OutOfMemory { .. }) if self.drain() => self.device.alloc(words),
            result => result,
        }
    }

    fn free(&self, at: Address, words: usize) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).entry(words).or_default().insert(at.0);
    }

    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
        // SAFETY: the caller's guarantees are those that the device asks for.
        unsafe { self.device.launch(kernel, grid, arguments) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::Emulator;

    #[test]
    fn memory_is_handed_out_again_by_size_with_the_lowest_address_first() {
        let emulator = Arc::new(Emulator::new(1 << 20));
        let pool = Pool::new(Arc::clone(&emulator));
        let taken = |words: &[usize]| words.iter().map(|&w| pool.alloc(w).unwrap()).collect::<Vec<_>>();
        let sizes = [8, 8, 8, 9];
        let mut first = taken(&sizes);
        first[..3].sort_by_key(|at| at.0);
        // in whatever order they are given back, the next owners get the same addresses
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
            order.iter().for_each(|&i| pool.free(first[i], sizes[i]));
            assert_eq!(taken(&sizes), first);
            assert_eq!(emulator.used(), 8 * 33);
        }
        // another size is not served from them
        pool.free(first[0], 8);
        let other = pool.alloc(7).unwrap();
        assert_eq!(emulator.used(), 8 * 40);
        pool.free(other, 7);
        (1..4).for_each(|i| pool.free(first[i], sizes[i]));
        drop(pool);
        assert_eq!(emulator.used(), 0);
    }

    #[test]
    fn a_device_without_memory_gets_back_what_is_kept() {
        let emulator = Arc::new(Emulator::new(8 * 10));
        let pool = Pool::new(Arc::clone(&emulator));
        let (a, b) = (pool.alloc(4).unwrap(), pool.alloc(5).unwrap());
        pool.free(a, 4);
        let c = pool.alloc(3).unwrap(); // the kept words are the ones that are missing
        assert_eq!(emulator.used(), 8 * 8);
        pool.free(c, 3);
        let refused = pool.alloc(6);
        assert_eq!(refused, Err(DeviceError::OutOfMemory { bytes: 48, free: 40 }));
        assert_eq!(emulator.used(), 8 * 5);
        pool.free(b, 5);
        assert_eq!(pool.alloc(5), Ok(b));
        pool.free(b, 5);
    }
}
