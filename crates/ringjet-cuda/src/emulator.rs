//! An emulated device. It runs the kernels' source, compiled for the host, with the threads of a
//! block as fibers. `emulator/shim.h` lists the mistakes in kernels that the emulator finds. Every
//! call returns after its work is done.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};

use crate::device::{Address, Device, DeviceError, Grid, MOST_SHARED_BYTES, MULTIPROCESSORS};
use crate::fault;
use crate::launch::{EMULATED, EMULATED_NAMES};
use crate::traffic::{Bytes, Traffic};

type Entry = unsafe extern "C" fn(*const [u32; 3], *const [u32; 3], u32, *const *const c_void) -> *const c_char;

unsafe extern "C" {
    static ringjet_emulated_kernels: [Entry; EMULATED];
    /// What the last launch on this thread has read and written: limbs, then constants.
    fn ringjet_emulator_traffic(out: *mut [Bytes; 2]);
    /// Writes the addresses of the allocations that the last launch on this thread has used, at most
    /// `room` of them. Returns their number.
    fn ringjet_emulator_used(out: *mut u64, room: usize) -> usize;
    /// How much shared memory blocks of the launches on this thread have from now on.
    safe fn ringjet_emulator_limit_shared(bytes: usize);
}

/// The memory of a device: allocations by the address that kernels know them by.
type Memory = RwLock<BTreeMap<u64, Vec<u64>>>;

thread_local! {
    /// The memory of the device whose kernel runs on this thread.
    static RUNNING: Cell<*const Memory> = const { Cell::new(null()) };
}

/// Begin and end of the allocation that contains `address`.
fn find(all: &BTreeMap<u64, Vec<u64>>, address: u64) -> Option<(u64, u64)> {
    let (&begin, words) = all.range(..=address).next_back()?;
    let end = begin + 8 * words.len() as u64;
    (address < end).then_some((begin, end))
}

/// Kernels call it to find the allocation that `address` is in: the address that they know it by, and
/// where it is in this process.
///
/// # Safety
/// `base`, `begin` and `end` must be valid for writes.
#[unsafe(no_mangle)]
unsafe extern "C" fn ringjet_emulator_find(address: u64, base: *mut u64, begin: *mut u64, end: *mut u64) -> bool {
    // SAFETY: `launch` sets the pointer to a memory that it borrows until the kernel has ended.
    let Some(memory) = (unsafe { RUNNING.get().as_ref() }) else { return false };
    let all = memory.read().unwrap_or_else(PoisonError::into_inner);
    let Some(allocation) = find(&all, address).and_then(|(found, _)| Some((found, all.get(&found)?))) else {
        return false;
    };
    let (found, words) = allocation;
    // SAFETY: the caller guarantees that all are valid for writes.
    unsafe {
        *base = found;
        *begin = words.as_ptr() as u64;
        *end = *begin + size_of_val(words.as_slice()) as u64;
    }
    true
}

/// An emulated device with limited memory.
#[derive(Debug)]
pub struct Emulator {
    memory: Memory,
    limit: usize,
    used: AtomicUsize,
    /// Bytes of shared memory of a block.
    shared: usize,
    multiprocessors: u32,
    /// What launches have read and written, while it is recorded.
    traffic: Mutex<Option<Vec<Traffic>>>,
    /// Whether it computes the words wrong that [`fault`] names.
    faulty: bool,
}

impl Emulator {
    /// An emulated device with `limit` bytes of memory.
    pub fn new(limit: usize) -> Self {
        Self {
            memory: Memory::default(),
            limit,
            used: AtomicUsize::new(0),
            shared: MOST_SHARED_BYTES,
            multiprocessors: MULTIPROCESSORS,
            traffic: Mutex::new(None),
            faulty: true,
        }
    }

    /// The same device, whose blocks have `shared` bytes of shared memory, at most
    /// [`MOST_SHARED_BYTES`].
    pub fn with_shared(self, shared: usize) -> Self {
        Self { shared: shared.min(MOST_SHARED_BYTES), ..self }
    }

    /// The same device, which says that it has this number of multiprocessors.
    pub fn with_multiprocessors(self, multiprocessors: u32) -> Self {
        Self { multiprocessors, ..self }
    }

    /// The same device, which computes right in builds with the feature `planted-fault` too.
    pub fn without_fault(self) -> Self {
        Self { faulty: false, ..self }
    }

    fn memory(&self) -> RwLockWriteGuard<'_, BTreeMap<u64, Vec<u64>>> {
        self.memory.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an allocation with these words, which kernels know by the address `at`. There must be no
    /// allocation at its addresses.
    pub fn place(&self, at: Address, words: Vec<u64>) {
        self.used.fetch_add(size_of_val(words.as_slice()), Ordering::Relaxed);
        self.memory().insert(at.0, words);
    }

    /// Calls `f` with the address and the words of each allocation that the last launch on this thread
    /// used. It must have been a launch of this device.
    pub fn each_used(&self, mut f: impl FnMut(Address, &[u64])) {
        // SAFETY: no words are written, because there is room for none.
        let count = unsafe { ringjet_emulator_used(null_mut(), 0) };
        let mut used = vec![0; count];
        // SAFETY: there is room for `count` words.
        unsafe { ringjet_emulator_used(used.as_mut_ptr(), count) };
        used.sort_unstable(); // one order, whatever the order of the kernel's accesses
        let all = self.memory();
        for at in used {
            if let Some(words) = all.get(&at) {
                f(Address(at), words);
            }
        }
    }

    fn traffic(&self) -> MutexGuard<'_, Option<Vec<Traffic>>> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to record what launches read and write, or ends it and forgets the records.
    pub fn record_traffic(&self, on: bool) {
        *self.traffic() = on.then(Vec::new);
    }

    /// The records of the launches since the last call.
    pub fn take_traffic(&self) -> Vec<Traffic> {
        self.traffic().as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// Bytes in use.
    #[cfg(test)]
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Calls `f` with the words `at..at + words`.
    fn within<T>(&self, at: Address, words: usize, f: impl FnOnce(&mut [u64]) -> T) -> Result<T, DeviceError> {
        let mut all = self.memory();
        let bounds = find(&all, at.0).filter(|&(_, end)| words as u64 <= (end - at.0) / 8);
        let outside = || DeviceError::Failed(format!("{words} words at {:#x} are not those of an allocation", at.0));
        let (begin, _) = bounds.ok_or_else(outside)?;
        let allocation = all.get_mut(&begin).ok_or_else(outside)?;
        let first = ((at.0 - begin) / 8) as usize;
        Ok(f(&mut allocation[first..first + words]))
    }
}

impl Device for Emulator {
    fn alloc(&self, words: usize) -> Result<Address, DeviceError> {
        let none = || {
            let used = self.used.load(Ordering::Relaxed);
            DeviceError::OutOfMemory { bytes: words.saturating_mul(8), free: self.limit - used }
        };
        let bytes = words.checked_mul(8).filter(|&b| b <= self.limit).ok_or_else(none)?;
        let mut memory = Vec::new();
        let add = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).map_err(|_| none())?;
        // At least one word, so that the allocation has an address of its own. The pattern is
        // recognisable and not zero, so that code which relies on zeros fails.
        if memory.try_reserve_exact(words.max(1)).is_err() {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return Err(none());
        }
        memory.resize(words.max(1), 0xdead_beef_dead_beef);
        let at = memory.as_ptr() as u64;
        // A GPU aligns allocations to 256 bytes. Kernels rely on 16 (`Pair` in kernels/device.cuh).
        debug_assert!(words < 2 || at.is_multiple_of(16), "an allocation at {at:#x}");
        self.memory().insert(at, memory);
        Ok(Address(at))
    }

    fn free(&self, at: Address, words: usize) {
        let freed = self.memory().remove(&at.0);
        debug_assert!(freed.is_some(), "{at:?} is no allocation");
        self.used.fetch_sub(8 * words, Ordering::Relaxed);
    }

    fn wipe(&self, at: Address, words: usize) -> Result<(), DeviceError> {
        self.within(at, words, |memory| {
            memory.fill(0);
            std::hint::black_box(memory);
        })
    }

    fn upload(&self, to: Address, data: &[u64], _secret: bool) -> Result<(), DeviceError> {
        if data.is_empty() {
            return Ok(());
        }
        self.within(to, data.len(), |memory| memory.copy_from_slice(data))
    }

    fn download(&self, from: Address, out: &mut [u64]) -> Result<(), DeviceError> {
        if out.is_empty() {
            return Ok(());
        }
        self.within(from, out.len(), |memory| out.copy_from_slice(memory))
    }

    fn shared_bytes(&self) -> usize {
        self.shared
    }

    fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    fn sync(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
        let [x, y] = grid.threads;
        ringjet_emulator_limit_shared(self.shared);
        RUNNING.set(&raw const self.memory);
        // SAFETY: one table generates the array and the numbers of its entries, so `kernel` is in
        // range and the entry has this type. The caller guarantees the arguments. Kernels access
        // allocations of this device only, through pointers that check every access, and allocations
        // live until Rust frees them.
        let message = unsafe {
            let entry = ringjet_emulated_kernels[kernel];
            entry(&grid.blocks, &[x, y, 1], grid.shared, arguments.as_ptr())
        };
        RUNNING.set(null());
        if message.is_null() {
            // SAFETY: the caller guarantees the arguments.
            if let Some(at) = unsafe { fault::word(kernel, arguments) }.filter(|_| self.faulty) {
                self.within(at, 1, |word| word[0] ^= 1)?;
            }
            if let Some(records) = self.traffic().as_mut() {
                let mut bytes = [Bytes::default(); 2];
                // SAFETY: the function writes an array of this type.
                unsafe { ringjet_emulator_traffic(&mut bytes) };
                let ([limbs, constants], Grid { blocks, threads, .. }) = (bytes, grid);
                records.push(Traffic { kernel: EMULATED_NAMES[kernel], blocks, threads, limbs, constants });
            }
            return Ok(());
        }
        // SAFETY: the message is a string that lives until the next launch on this thread.
        let message = unsafe { CStr::from_ptr(message) };
        Err(DeviceError::Failed(message.to_string_lossy().into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::device::Block;
    use crate::launch::{Limbs, probes};

    struct Case {
        device: Arc<dyn Device>,
        block: Block,
    }

    impl Case {
        fn new(words: usize) -> Self {
            let device: Arc<dyn Device> = Arc::new(Emulator::new(1 << 20));
            let block = Block::with(&device, &vec![0; words]).unwrap();
            Self { device, block }
        }

        fn limbs(&self) -> Limbs {
            let n = self.block.words() as u32;
            Limbs { words: self.block.at(), chosen: Address(0), stride: 1, polys: 1, n, unused: 0 }
        }

        fn words(&self) -> Vec<u64> {
            let mut out = vec![0; self.block.words()];
            self.device.download(self.block.at(), &mut out).unwrap();
            out
        }
    }

    /// A case whose device records what launches read and write.
    fn counted(words: usize) -> (Case, Arc<Emulator>) {
        let emulator = Arc::new(Emulator::new(1 << 10));
        emulator.record_traffic(true);
        let device: Arc<dyn Device> = Arc::clone(&emulator) as _;
        (Case { block: Block::with(&device, &vec![0; words]).unwrap(), device }, emulator)
    }

    fn grid(threads: u32, shared: u32) -> Grid {
        Grid { blocks: [1; 3], threads: [threads, 1], shared }
    }

    fn message(result: Result<(), DeviceError>) -> String {
        match result {
            Err(DeviceError::Failed(message)) => message,
            other => panic!("not found: {other:?}"),
        }
    }

    #[test]
    fn accesses_outside_global_memory_are_named() {
        let case = Case::new(10);
        probes::probe_access(&*case.device, grid(1, 0), case.limbs(), 9).unwrap();
        assert_eq!(case.words()[9], 1);
        for word in [10, 1000] {
            let found = message(probes::probe_access(&*case.device, grid(3, 0), case.limbs(), word));
            let place = "probe_access, block (0, 0, 0), thread (0, 0, 0): 8 bytes at";
            assert_eq!(found, format!("{place} {} of an allocation of 80 bytes of global memory", 8 * word));
        }
        // An unaligned address, and an address that was never allocated.
        let odd = Limbs { words: Address(case.block.at().0 + 4), ..case.limbs() };
        assert!(message(probes::probe_access(&*case.device, grid(1, 0), odd, 0)).contains("8 bytes at 4 of"));
        let nowhere = Limbs { words: Address(4096), ..case.limbs() };
        assert!(message(probes::probe_access(&*case.device, grid(1, 0), nowhere, 0)).contains("of 0 bytes"));
        // The fibers work again after a failure.
        probes::probe_access(&*case.device, grid(3, 0), case.limbs(), 0).unwrap();
    }

    #[test]
    fn pairs_of_words_are_aligned() {
        let (case, emulator) = counted(9);
        let src = Block::with(&case.device, &(1..=8).collect::<Vec<_>>()).unwrap();
        let run =
            |from, offset| probes::probe_pairs(&*case.device, grid(4, 0), case.limbs(), src.at().offset(from), offset);
        run(0, 0).unwrap();
        assert_eq!(case.words(), [102, 1, 104, 3, 106, 5, 108, 7, 0]);
        // a pair is one access, and two words
        let bytes = |read, all_read, written, all_written| Bytes { read, written, all_read, all_written };
        let [one] = &emulator.take_traffic()[..] else { panic!() };
        assert_eq!((one.constants, one.limbs), (bytes(64, 64, 0, 0), bytes(0, 64, 64, 96)));
        let text = |found: String| found.split_once("): ").unwrap().1.to_owned();
        let outside = |at, of| format!("16 bytes at {at} of an allocation of {of} bytes of global memory");
        assert_eq!(text(message(run(1, 0))), outside(8, 64)); // odd words are no pairs
        assert_eq!(text(message(run(0, 1))), outside(8, 72));
        assert_eq!(text(message(run(0, 8))), outside(64, 72)); // half of the pair is outside
    }

    #[test]
    fn shared_memory_is_shared_and_checked() {
        for threads in [4u32, 32, 100, 256] {
            let case = Case::new(threads as usize);
            let run = |index, missing, shared| {
                probes::probe_shared(&*case.device, grid(threads, shared), case.limbs(), index, missing)
            };
            run(threads - 1, 0, 8 * threads).unwrap();
            let expected: Vec<u64> =
                (0..u64::from(threads)).map(|t| 100 + u64::from(threads) - 1 - t + t % 4).collect();
            assert_eq!(case.words(), expected);
            let found = message(run(threads, 0, 8 * threads));
            assert!(found.ends_with(&format!("index {threads} of a shared array of {threads}")), "{found}");
            let found = message(run(threads - 1, 0, 8 * threads - 8));
            assert!(found.contains(&format!("index {} of a shared array", threads - 1)), "{found}");
            let found = message(run(threads - 1, 1, 8 * threads));
            assert!(found.contains("since the last barrier"), "{found}");
        }
    }

    #[test]
    fn shared_memory_is_limited() {
        for limit in [48 << 10, 99 << 10, 227 << 10] {
            let device: Arc<dyn Device> = Arc::new(Emulator::new(1 << 10).with_shared(limit));
            assert_eq!(device.shared_bytes(), limit);
            let case = Case { block: Block::with(&device, &[0; 4]).unwrap(), device };
            let run = |shared: usize| {
                let last = (shared / 8 - 1) as u32;
                probes::probe_shared(&*case.device, grid(4, shared as u32), case.limbs(), last.min(3), 0)
            };
            run(limit - 16).unwrap(); // the kernel declares 16 bytes
            assert_eq!(case.words(), [103, 103, 103, 103]);
            let found = message(run(limit));
            assert!(found.contains(&format!("{} bytes of shared memory, a block has {limit}", limit + 16)), "{found}");
            let found = message(run(limit + 1));
            assert!(found.contains(&format!("a block of 4 threads with {} bytes", limit + 1)), "{found}");
        }
        // A kernel cannot declare more than 48 KB, though a launch can ask for more.
        let case = Case::new(1);
        probes::probe_declared(&*case.device, grid(1, 0), case.limbs(), 0).unwrap();
        let found = message(probes::probe_declared(&*case.device, grid(1, 0), case.limbs(), 1));
        assert!(found.ends_with("65536 bytes of shared memory declared, a kernel has 49152"), "{found}");
    }

    #[test]
    fn barriers_that_not_all_reach_are_named() {
        let case = Case::new(64);
        probes::probe_barrier(&*case.device, grid(64, 0), case.limbs(), 0).unwrap();
        assert_eq!(case.words()[63], 63);
        let found = message(probes::probe_barrier(&*case.device, grid(64, 0), case.limbs(), 5));
        assert!(found.contains("only 59 of 64 threads reach (5 have left the kernel)"), "{found}");
    }

    #[test]
    fn shuffles_see_other_lanes() {
        let case = Case::new(64);
        probes::probe_warp(&*case.device, grid(64, 0), case.limbs(), u32::MAX).unwrap();
        for (t, word) in case.words().into_iter().enumerate() {
            let (warp, lane) = (t as u64 / 32 * 32, t as u64 % 32);
            let sum: u64 = (warp..warp + 32).sum();
            let next = if lane < 31 { t as u64 + 1 } else { t as u64 };
            assert_eq!(word, sum + warp + 3 + next, "{t}");
        }
        let found = message(probes::probe_warp(&*case.device, grid(64, 0), case.limbs(), 0xffff));
        assert!(found.contains("lane"), "{found}");
    }

    #[test]
    fn atomics_count_every_thread() {
        let case = Case::new(3);
        probes::probe_atomic(&*case.device, grid(100, 0), case.limbs()).unwrap();
        let words = case.words();
        assert_eq!(words[..2], [100, 4950]);
        assert!((1..=100).contains(&words[2]));
        // of several blocks as well: in global memory they are no races
        let case = Case::new(3);
        probes::probe_atomic(&*case.device, Grid { blocks: [3, 1, 1], ..grid(100, 0) }, case.limbs()).unwrap();
        assert_eq!(case.words()[..2], [100, 3 * 4950]);
    }

    /// Threads of `probe_race`; blocks have four.
    const NOBODY: u32 = u32::MAX;
    const EVERYBODY: u32 = u32::MAX - 1;

    /// Runs `probe_race` in blocks of four threads.
    fn race(case: &Case, blocks: [u32; 3], threads: [u32; 3], barriers: u32) -> Result<(), DeviceError> {
        let ([first, reader, second], grid) = (threads, Grid { blocks, ..grid(4, 0) });
        probes::probe_race(&*case.device, grid, case.limbs(), first, reader, second, barriers)
    }

    #[test]
    fn races_between_blocks_are_named() {
        let case = Case::new(17);
        let run = |threads, barriers| race(&case, [3, 1, 1], threads, barriers);
        // All blocks may read a word, and one block may do both. Another launch begins anew.
        for _ in 0..2 {
            run([NOBODY, EVERYBODY, NOBODY], 0).unwrap();
            run([5, 6, 7], 1).unwrap();
            assert_eq!(case.words()[..1], [2]);
            assert_eq!(case.words()[7], 1);
        }
        let place = |thread| format!("probe_race, block ({}, 0, 0), thread ({}, 0, 0): ", thread / 4, thread % 4);
        for (threads, found, text) in [
            ([0, NOBODY, 9], 9, "writes word 0 of 17 of global memory, which block (0, 0, 0) wrote"),
            ([7, 9, NOBODY], 9, "reads word 0 of 17 of global memory, which block (1, 0, 0) wrote"),
            ([NOBODY, 6, 8], 8, "writes word 0 of 17 of global memory, which block (1, 0, 0) read"),
            ([NOBODY, EVERYBODY, 10], 10, "writes word 0 of 17 of global memory, which an earlier block read"),
        ] {
            for barriers in 0..2 {
                assert_eq!(message(run(threads, barriers)), place(found) + text);
            }
        }
        let found = message(race(&case, [2, 2, 1], [7, 12, NOBODY], 0));
        assert!(found.contains("block (1, 1, 0)") && found.ends_with("which block (1, 0, 0) wrote"), "{found}");
    }

    #[test]
    fn races_between_threads_of_a_block_are_named() {
        let case = Case::new(5);
        let run = |threads, barriers| race(&case, [1; 3], threads, barriers);
        run([0, EVERYBODY, 3], 1).unwrap();
        assert_eq!(case.words(), [2, 1, 1, 1, 1]);
        run([2, 2, 2], 0).unwrap(); // one thread needs no barrier
        let text = |thread, text| {
            format!("probe_race, block (0, 0, 0), thread ({thread}, 0, 0): {text} since the last barrier")
        };
        for (threads, found, what) in [
            ([0, 1, NOBODY], 1, "reads word 0 of 5 of global memory, which thread 0 wrote"),
            ([0, NOBODY, 2], 2, "writes word 0 of 5 of global memory, which thread 0 wrote"),
            ([NOBODY, 1, 3], 3, "writes word 0 of 5 of global memory, which thread 1 read"),
            ([NOBODY, EVERYBODY, 3], 3, "writes word 0 of 5 of global memory, which other threads read"),
        ] {
            assert_eq!(message(run(threads, 0)), text(found, what));
        }
    }

    #[test]
    fn reads_and_writes_are_counted() {
        let (case, emulator) = counted(9);
        emulator.record_traffic(false);
        let run = |blocks, threads| race(&case, blocks, threads, 1).unwrap();
        run([1; 3], [NOBODY; 3]);
        assert_eq!(emulator.take_traffic(), []);
        emulator.record_traffic(true);
        run([1; 3], [0, EVERYBODY, 3]); // word 0 is written before it is read
        run([2, 1, 1], [NOBODY, EVERYBODY, NOBODY]);
        let limbs = |read, all_read, written, all_written| Bytes { read, written, all_read, all_written };
        let one = |blocks, limbs| Traffic {
            kernel: "probe_race",
            blocks,
            threads: [4, 1],
            limbs,
            constants: Bytes::default(),
        };
        let expected = [one([1; 3], limbs(0, 32, 40, 48)), one([2, 1, 1], limbs(8, 64, 64, 64))];
        assert_eq!(emulator.take_traffic(), expected);
        emulator.record_traffic(false);
        run([1; 3], [NOBODY; 3]);
        assert_eq!(emulator.take_traffic(), []);
    }

    #[test]
    fn memory_is_limited_and_given_back() {
        let emulator = Arc::new(Emulator::new(800));
        let device: Arc<dyn Device> = Arc::clone(&emulator) as _;
        let block = Block::new(&device, 60).unwrap();
        assert_eq!(Block::new(&device, 41).err(), Some(DeviceError::OutOfMemory { bytes: 328, free: 320 }));
        assert_eq!(
            Block::new(&device, usize::MAX).err(),
            Some(DeviceError::OutOfMemory { bytes: usize::MAX, free: 320 })
        );
        drop(block);
        assert_eq!(emulator.used(), 0);
        Block::new(&device, 100).unwrap();
    }
}
