//! A device without memory, which lists what is asked of it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ringjet_backend::Meter;

use crate::device::{Address, Device, DeviceError, Grid, MOST_SHARED_BYTES, MULTIPROCESSORS};
use crate::launch::{ARGUMENTS, Limbs, List, NAMES};

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
    /// The arguments, in their order.
    pub arguments: Vec<Argument>,
    /// The steps of a scheme or a circuit that the launch belongs to, the outermost first.
    pub scopes: Vec<&'static str>,
}

/// An argument of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A view of residue polynomials.
    View {
        /// Address of limb 0 of polynomial 0; 0 if there is no such operand.
        words: u64,
        /// Address of the list of chosen limbs, or 0 for all limbs.
        chosen: u64,
        /// Number of limbs from one polynomial to the next.
        stride: u32,
        /// Number of polynomials.
        polys: u32,
        /// Number of words of a limb.
        n: u32,
    },
    /// A list of words that is passed by value, without the zeros at its end.
    List(Vec<u64>),
    /// The address of constants.
    Constants(u64),
    /// A number.
    Number(u32),
}

/// What was asked of a device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The launches, in their order.
    pub launches: Vec<Launch>,
    /// Number of allocations. Memory that the backend keeps and hands out again does not count.
    pub allocations: usize,
    /// Number of copies to the device.
    pub uploads: usize,
    /// Number of times that the host waited for the device.
    pub waits: usize,
}

/// The lowest address. Numbers among the words of lists are seldom as large.
const FIRST: Address = Address(1 << 44);

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
    allocated: Vec<(u64, usize)>,
    uploaded: Vec<(u64, Vec<u64>)>,
    scopes: Vec<&'static str>,
}

impl Recorder {
    /// What was asked since the last call.
    pub fn take(&self) -> Record {
        std::mem::take(&mut self.state().record)
    }

    /// Address and number of words of each allocation so far. No two overlap. The backend hands out
    /// an allocation again and again.
    pub fn allocated(&self) -> Vec<(u64, usize)> {
        self.state().allocated.clone()
    }

    /// What was copied to memory that still has the owner that it had then: address and words.
    pub fn uploaded(&self) -> Vec<(u64, Vec<u64>)> {
        self.state().uploaded.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Device for Recorder {
    fn alloc(&self, words: usize) -> Result<Address, DeviceError> {
        // at least one word, so that each allocation has an address of its own
        let at = FIRST.offset(self.next.fetch_add(words.max(1) as u64, Ordering::Relaxed) as usize);
        let mut state = self.state();
        state.record.allocations += 1;
        state.allocated.push((at.0, words));
        Ok(at)
    }

    fn renew(&self, at: Address, words: usize) {
        let end = at.offset(words);
        self.state().uploaded.retain(|&(to, _)| to < at.0 || to >= end.0);
    }

    fn free(&self, _: Address, _: usize) {}

    fn wipe(&self, _: Address, _: usize) -> Result<(), DeviceError> {
        Ok(())
    }

    fn upload(&self, to: Address, data: &[u64], _: bool) -> Result<(), DeviceError> {
        let mut state = self.state();
        state.record.uploads += 1;
        state.uploaded.push((to.0, data.to_vec()));
        Ok(())
    }

    fn download(&self, _: Address, _: &mut [u64]) -> Result<(), DeviceError> {
        Err(DeviceError::Failed("this device only records what is asked of it, so it has no values".into()))
    }

    fn shared_bytes(&self) -> usize {
        MOST_SHARED_BYTES
    }

    fn multiprocessors(&self) -> u32 {
        MULTIPROCESSORS
    }

    fn sync(&self) -> Result<(), DeviceError> {
        self.state().record.waits += 1;
        Ok(())
    }

    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError> {
        // SAFETY: the caller guarantees that each argument has the type of the kernel's parameter, which
        // the letter states.
        let argument = |(&at, kind): (&*const c_void, char)| unsafe {
            match kind {
                'L' => {
                    let Limbs { words, chosen, stride, polys, n, .. } = *at.cast::<Limbs>();
                    Argument::View { words: words.0, chosen: chosen.0, stride, polys, n }
                }
                'l' => {
                    let words = (*at.cast::<List>()).words();
                    let used = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
                    Argument::List(words[..used].to_vec())
                }
                'W' => Argument::Constants((*at.cast::<Address>()).0),
                _ => Argument::Number(*at.cast::<u32>()),
            }
        };
        let arguments = arguments.iter().zip(ARGUMENTS[kernel].chars()).map(argument).collect();
        let mut state = self.state();
        let scopes = state.scopes.clone();
        let kernel = NAMES[kernel].to_str().unwrap_or_default();
        let Grid { blocks, threads, shared } = grid;
        state.record.launches.push(Launch { kernel, blocks, threads, shared, arguments, scopes });
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
