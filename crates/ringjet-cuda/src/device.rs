//! The seam between the backend and what runs its kernels: a GPU through its driver, or the emulator.

use std::ffi::c_void;
use std::fmt::Debug;
use std::sync::Arc;

/// An address on a device, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Address(pub u64);

impl Address {
    /// What `words` words further on is.
    pub fn offset(self, words: usize) -> Self {
        Self(self.0 + 8 * words as u64)
    }
}

/// Shape of a launch.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// Blocks.
    pub blocks: [u32; 3],
    /// Threads of a block.
    pub threads: [u32; 2],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
}

impl Grid {
    /// Threads of a block in all.
    pub fn threads_of_a_block(&self) -> u32 {
        self.threads[0].saturating_mul(self.threads[1])
    }
}

/// Bytes of shared memory that a block may ask for on every GPU.
pub const SHARED_BYTES: usize = 48 << 10;

/// What a device can fail with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// No room.
    #[error("{bytes} bytes wanted, {free} are free")]
    OutOfMemory {
        /// Size of the request.
        bytes: usize,
        /// Bytes that nobody has.
        free: usize,
    },
    /// Anything else, in the driver's or the emulator's words.
    #[error("{0}")]
    Failed(String),
}

/// One device with one queue: what is asked for happens in order, and only [`Device::download`] and [`Device::sync`] wait.
pub trait Device: Send + Sync + Debug {
    /// Memory of `words` words; contents unspecified.
    fn alloc(&self, words: usize) -> Result<Address, DeviceError>;

    /// Gives memory of `words` words back once everything queued before is done.
    fn free(&self, at: Address, words: usize);

    /// Overwrites `words` words with zeros.
    fn wipe(&self, at: Address, words: usize) -> Result<(), DeviceError>;

    /// Copies to the device; `data` may be changed when the call is back. Of a secret no other copy is left once the copy is
    /// done.
    fn upload(&self, to: Address, data: &[u64], secret: bool) -> Result<(), DeviceError>;

    /// Copies from the device, after everything queued before.
    fn download(&self, from: Address, out: &mut [u64]) -> Result<(), DeviceError>;

    /// Waits for everything queued.
    fn sync(&self) -> Result<(), DeviceError>;

    /// Enqueues a kernel.
    ///
    /// # Safety
    /// `arguments` points to as many values, of the same types, as the kernel of this number has.
    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError>;
}

/// Memory of a device, given back when dropped, overwritten before that where it is secret.
#[derive(Debug)]
pub struct Block {
    device: Arc<dyn Device>,
    at: Address,
    words: usize,
    secret: bool,
}

impl Block {
    /// Memory of `words` words.
    pub fn new(device: &Arc<dyn Device>, words: usize) -> Result<Self, DeviceError> {
        Ok(Self { at: device.alloc(words)?, device: Arc::clone(device), words, secret: false })
    }

    /// Memory that holds `data`.
    pub fn with(device: &Arc<dyn Device>, data: &[u64]) -> Result<Self, DeviceError> {
        let block = Self::new(device, data.len())?;
        block.upload(0, data)?;
        Ok(block)
    }

    /// Copies `data` to the words from number `first` on.
    pub fn upload(&self, first: usize, data: &[u64]) -> Result<(), DeviceError> {
        self.device.upload(self.at.offset(first), data, self.secret)
    }

    /// Where it is.
    pub fn at(&self) -> Address {
        self.at
    }

    /// Its length.
    pub fn words(&self) -> usize {
        self.words
    }

    /// It holds a secret from now on.
    pub fn mark_secret(&mut self) {
        self.secret = true;
    }

    /// Whether it holds a secret.
    pub fn is_secret(&self) -> bool {
        self.secret
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.secret {
            // A device that cannot be written to any more has failed for good; its memory goes with its context.
            let _ = self.device.wipe(self.at, self.words);
        }
        self.device.free(self.at, self.words);
    }
}
