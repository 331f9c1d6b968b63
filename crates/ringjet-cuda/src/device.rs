//! [`Device`]: what runs kernels. A GPU implements it through its driver, and so does the emulator.

use std::ffi::c_void;
use std::fmt::{self, Debug};
use std::sync::Arc;
use std::time::Instant;

/// An address in a device's memory, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Address(pub u64);

impl Address {
    /// The address `words` words later.
    pub fn offset(self, words: usize) -> Self {
        Self(self.0 + 8 * words as u64)
    }
}

/// The shape of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Number of blocks in each dimension.
    pub blocks: [u32; 3],
    /// Threads of a block in each dimension.
    pub threads: [u32; 2],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
}

impl Grid {
    /// Number of threads of a block.
    pub fn threads_of_a_block(&self) -> u32 {
        self.threads[0].saturating_mul(self.threads[1])
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { blocks: [x, y, z], threads: [width, height], shared } = self;
        write!(f, "{x} x {y} x {z} blocks of {width} x {height} threads with {shared} bytes")
    }
}

/// Bytes of shared memory that a block can have on every GPU, without being allowed more.
pub const LEAST_SHARED_BYTES: usize = 48 << 10;

/// The most bytes of shared memory that a block can have on any GPU (compute capabilities 9.0 and
/// 10.0).
pub const MOST_SHARED_BYTES: usize = 227 << 10;

/// Multiprocessors of an H100 and an H200, which devices that imitate a GPU have.
pub const MULTIPROCESSORS: u32 = 132;

/// An error of a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The device has too little free memory.
    #[error("{bytes} bytes wanted, {free} are free")]
    OutOfMemory {
        /// Bytes that were asked for.
        bytes: usize,
        /// Bytes that are free.
        free: usize,
    },
    /// Any other failure, with the message of the driver or the emulator.
    #[error("{0}")]
    Failed(String),
}

/// A moment in a device's queue.
#[derive(Debug, Clone, Copy)]
pub enum Mark {
    /// By the host's clock, for devices whose calls return after their work is done.
    Host(Instant),
    /// The number of an event of the driver.
    Event(usize),
}

/// A device with one queue. Calls enqueue work, which the device does in order; only
/// [`Device::download`], [`Device::sync`] and [`Device::microseconds`] wait for it.
pub trait Device: Send + Sync + Debug {
    /// Takes memory of `words` words, with unspecified contents.
    fn alloc(&self, words: usize) -> Result<Address, DeviceError>;

    /// Tells the device that memory which it gave with [`Device::alloc`] has a new owner, without
    /// having been given back. Its contents are unspecified from now on.
    fn renew(&self, _at: Address, _words: usize) {}

    /// Gives memory of `words` words back, once all work queued before is done.
    fn free(&self, at: Address, words: usize);

    /// Overwrites `words` words with zeros.
    fn wipe(&self, at: Address, words: usize) -> Result<(), DeviceError>;

    /// Copies to the device. `data` may change as soon as the call returns. If it is secret, all
    /// intermediate copies are wiped once the copy is done.
    fn upload(&self, to: Address, data: &[u64], secret: bool) -> Result<(), DeviceError>;

    /// Copies from the device, after all work queued before.
    fn download(&self, from: Address, out: &mut [u64]) -> Result<(), DeviceError>;

    /// Bytes of shared memory that a block can have, those that its kernel declares included.
    fn shared_bytes(&self) -> usize;

    /// Number of multiprocessors.
    fn multiprocessors(&self) -> u32;

    /// Waits for all queued work.
    fn sync(&self) -> Result<(), DeviceError>;

    /// Notes the moment when all work queued before is done.
    fn mark(&self) -> Result<Mark, DeviceError> {
        Ok(Mark::Host(Instant::now()))
    }

    /// Waits for the last of these moments. Returns the microseconds from the first to each. They must
    /// be in their order, and must not be used again.
    fn microseconds(&self, marks: &[Mark]) -> Result<Vec<f64>, DeviceError> {
        let host = |mark: &Mark| match mark {
            Mark::Host(at) => Some(*at),
            Mark::Event(_) => None, // of another device
        };
        let first = marks.first().and_then(host);
        let since = |at: Instant| first.map_or(0.0, |first| 1e6 * (at - first).as_secs_f64());
        Ok(marks.iter().filter_map(host).map(since).collect())
    }

    /// Enqueues a kernel.
    ///
    /// # Safety
    /// The kernel of this number must have `arguments.len()` parameters, and each pointer must
    /// point to a value of the parameter's type.
    unsafe fn launch(&self, kernel: usize, grid: Grid, arguments: &[*const c_void]) -> Result<(), DeviceError>;
}

/// Methods of [`Device`], each of which calls that of the field `device`: what a device that wraps
/// another one leaves as it is.
macro_rules! forward {
    ($($method:ident)*) => { $($crate::device::forward!(@ $method);)* };
    (@ alloc) => {
        fn alloc(&self, words: usize) -> Result<$crate::device::Address, $crate::device::DeviceError> {
            self.device.alloc(words)
        }
    };
    (@ renew) => {
        fn renew(&self, at: $crate::device::Address, words: usize) {
            self.device.renew(at, words);
        }
    };
    (@ free) => {
        fn free(&self, at: $crate::device::Address, words: usize) {
            self.device.free(at, words);
        }
    };
    (@ wipe) => {
        fn wipe(&self, at: $crate::device::Address, words: usize) -> Result<(), $crate::device::DeviceError> {
            self.device.wipe(at, words)
        }
    };
    (@ copies) => {
        fn upload(
            &self,
            to: $crate::device::Address,
            data: &[u64],
            secret: bool,
        ) -> Result<(), $crate::device::DeviceError> {
            self.device.upload(to, data, secret)
        }

        fn download(&self, from: $crate::device::Address, out: &mut [u64]) -> Result<(), $crate::device::DeviceError> {
            self.device.download(from, out)
        }
    };
    (@ sizes) => {
        fn shared_bytes(&self) -> usize {
            self.device.shared_bytes()
        }

        fn multiprocessors(&self) -> u32 {
            self.device.multiprocessors()
        }
    };
    (@ sync) => {
        fn sync(&self) -> Result<(), $crate::device::DeviceError> {
            self.device.sync()
        }
    };
    (@ mark) => {
        fn mark(&self) -> Result<$crate::device::Mark, $crate::device::DeviceError> {
            self.device.mark()
        }
    };
    (@ microseconds) => {
        fn microseconds(&self, marks: &[$crate::device::Mark]) -> Result<Vec<f64>, $crate::device::DeviceError> {
            self.device.microseconds(marks)
        }
    };
}
pub(crate) use forward;

/// Memory of a device. Dropping it gives the memory back; secret memory is wiped first.
#[derive(Debug)]
pub struct Block {
    device: Arc<dyn Device>,
    at: Address,
    words: usize,
    secret: bool,
}

impl Block {
    /// Takes memory of `words` words.
    pub fn new(device: &Arc<dyn Device>, words: usize) -> Result<Self, DeviceError> {
        Ok(Self { at: device.alloc(words)?, device: Arc::clone(device), words, secret: false })
    }

    /// Takes memory and copies `data` to it.
    pub fn with(device: &Arc<dyn Device>, data: &[u64]) -> Result<Self, DeviceError> {
        let block = Self::new(device, data.len())?;
        block.upload(0, data)?;
        Ok(block)
    }

    /// Copies `data` to the words from index `first` on.
    pub fn upload(&self, first: usize, data: &[u64]) -> Result<(), DeviceError> {
        self.device.upload(self.at.offset(first), data, self.secret)
    }

    /// The address of the memory.
    pub fn at(&self) -> Address {
        self.at
    }

    /// The size of the memory in words.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Marks the memory as secret, so that it is wiped before it is given back.
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
            // If wiping fails, the device has failed for good, and its memory is freed with its
            // context.
            let _ = self.device.wipe(self.at, self.words);
        }
        self.device.free(self.at, self.words);
    }
}
