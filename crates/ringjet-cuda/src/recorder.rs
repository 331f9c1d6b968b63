//! A device without memory, which lists what is asked of it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ringjet_backend::Meter;

use crate::device::{Address, Device, DeviceError, Grid, MOST_SHARED_BYTES};
use crate::launch::{ARGUMENTS, Limbs, NAMES};

/// A launch: the kernel, its grid and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Name of the entry point on a GPU.
    pub kernel: &'static str,
    /// Number of blocks in each dimension.
    pub blocks: [u32; 3],
    /// Threads of a block in each dimension.
    pub threads: [u32; 2],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
    /// Views of residue polynomials among the arguments, in their order: number of polynomials, words
    /// of a limb.
    pub views: Vec<[u32; 2]>,
    /// Numbers among the arguments, in their order.
    pub numbers: Vec<u32>,
    /// The steps of a scheme or a circuit that the launch belongs to, the outermost first.
    pub scopes: Vec<&'static str>,
}

/// What was asked of a device.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The launches, in their order.
    pub launches: Vec<Launch>,
    /// Number of allocations.
    pub allocations: usize,
    /// Number of copies to the device.
    pub uploads: usize,
    /// Number of times that the host waited for the device.
    pub waits: usize,
}

/// A device that computes nothing. It has addresses but no memory, so that programs can be recorded
/// at full size. It refuses to be read.
#[derive(Debug, Default)]
pub struct Recorder {
    /// The next free word.
    next: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    record: Record,
    scopes: Vec<&'static str>,
}

impl Recorder {
    /// What was asked since the last call.
    pub fn take(&self) -> Record {
        std::mem::take(&mut self.state().record)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Device for Recorder {
    fn alloc(&self, words: usize) -> Result<Address, DeviceError> {
        self.state().record.allocations += 1;
        // at least one word, so that each allocation has an address of its own, and none has 0
        Ok(Address(0).offset(1 + self.next.fetch_add(words.max(1) as u64, Ordering::Relaxed) as usize))
    }

    fn free(&self, _: Address, _: usize) {}

    fn wipe(&self, _: Address, _: usize) -> Result<(), DeviceError> {
        Ok(())
    }

    fn upload(&self, _: Address, _: &[u64], _: bool) -> Result<(), DeviceError> {
        self.state().record.uploads += 1;
        Ok(())
    }

    fn download(&self, _: Address, _: &mut [u64]) -> Result<(), DeviceError> {
        Err(DeviceError::Failed("this device only records what is asked of it, so it has no values".into()))
    }

    fn shared_bytes(&self) -> usize {
        MOST_SHARED_BYTES
    }

    fn sync(&self) -> Result<(), DeviceError> {
        self.state().record.waits += 1;
        Ok(())
    }

    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
        let (mut views, mut numbers) = (vec![], vec![]);
        for (&at, kind) in arguments.iter().zip(ARGUMENTS[kernel].chars()) {
            // SAFETY: the caller guarantees that each argument has the type of the kernel's parameter,
            // which the letter states.
            unsafe {
                match kind {
                    'L' => {
                        let limbs = &*at.cast::<Limbs>();
                        views.push([limbs.polys, limbs.n]);
                    }
                    'u' => numbers.push(*at.cast::<u32>()),
                    _ => {}
                }
            }
        }
        let mut state = self.state();
        let scopes = state.scopes.clone();
        let kernel = NAMES[kernel].to_str().unwrap_or_default();
        let Grid { blocks, threads, shared } = grid;
        state.record.launches.push(Launch { kernel, blocks, threads, shared, views, numbers, scopes });
        Ok(())
    }
}

impl Meter for Recorder {
    fn counts_only(&self) -> bool {
        true
    }

    fn enter(&self, scope: &'static str) {
        self.state().scopes.push(scope);
    }

    fn leave(&self) {
        self.state().scopes.pop();
    }

    fn uses_key(&self, _: u32, _: usize) {}
}
