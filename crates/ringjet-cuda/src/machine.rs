//! [`CudaMachine`]: the device of a backend, with its constants and its arithmetic.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ringjet_backend::{BackendError, BackendId, Result, Width};
use ringjet_math::{Basis, Prime};

use crate::arithmetic::{Arithmetic, Choice};
use crate::constants::{Constant, Constants, Key};
use crate::device::{Device, DeviceError, Grid};

/// A device, the constants that it keeps, and which arithmetic operations use on it.
#[derive(Debug)]
pub struct CudaMachine {
    /// Whose buffers it works on.
    pub id: BackendId,
    /// The GPU, or the emulator.
    pub device: Arc<dyn Device>,
    constants: Constants,
    choice: Choice,
    /// Number of launches so far.
    launches: AtomicU64,
}

impl CudaMachine {
    /// `device`, which keeps at most `constants` words of constants. `doubles`: whether to prefer
    /// double precision to 64-bit integers.
    pub fn new(name: &str, device: Arc<dyn Device>, constants: usize, doubles: bool) -> Self {
        let constants = Constants::new(Arc::clone(&device), constants);
        let choice = Choice { width: Width::Eight, preferred: None, doubles };
        Self { id: BackendId::new(name), device, constants, choice, launches: AtomicU64::new(0) }
    }

    /// From now on stores residues in this width. Earlier buffers belong to another backend then,
    /// unless they have the same width.
    pub fn set_width(&mut self, width: Width) {
        if width != self.choice.width {
            self.id = BackendId::new(self.id.name());
        }
        self.choice.width = width;
    }

    /// From now on uses the arithmetic `preferred` wherever the primes of an operation fit it and
    /// the width is its own.
    pub fn prefer(&mut self, preferred: Arithmetic) {
        self.constants.clear();
        self.choice.preferred = Some(preferred);
    }

    /// How residues are stored.
    pub fn width(&self) -> Width {
        self.choice.width
    }

    /// The arithmetic of an operation on these bases. Fails if residues of a prime do not fit the
    /// width.
    pub fn arithmetic(&self, bases: &[&Basis]) -> Result<Arithmetic> {
        let most = || bases.iter().flat_map(|b| b.primes()).map(|p| p.modulus().bits()).max().unwrap_or(0);
        self.choice.of(bases).ok_or_else(|| self.too_narrow(most()))
    }

    /// Whether sums over this basis that are exact in double precision are computed so. Fails if residues of a
    /// prime do not fit the width.
    pub fn sums_in_doubles(&self, basis: &Basis) -> Result<bool> {
        self.arithmetic(&[basis]).map(|a| self.choice.sums_in_doubles(a))
    }

    /// Fails unless words of `bits` bits fit the width.
    pub fn need_bits(&self, bits: u32) -> Result<()> {
        if bits as usize <= 8 * self.width().bytes() { Ok(()) } else { Err(self.too_narrow(bits)) }
    }

    /// The error for primes or words of `bits` bits.
    fn too_narrow(&self, bits: u32) -> BackendError {
        BackendError::NarrowWords { backend: self.id.name().into(), width: self.width(), bits }
    }

    /// Converts a device's error to one of the trait `Backend`.
    pub fn error(&self, e: DeviceError) -> BackendError {
        let backend = self.id.name().into();
        match e {
            DeviceError::OutOfMemory { bytes, free } => BackendError::OutOfMemory { backend, bytes, free: Some(free) },
            DeviceError::Failed(message) => BackendError::Device { backend, message },
        }
    }

    /// Runs `f`. If memory runs out, frees the constants that are kept and runs `f` once more.
    pub fn with_room<T>(&self, f: impl Fn() -> std::result::Result<T, DeviceError>) -> Result<T> {
        let full = |r: &std::result::Result<T, DeviceError>| matches!(r, Err(DeviceError::OutOfMemory { .. }));
        let mut result = f();
        if full(&result) && self.constants.clear() {
            result = f();
            if full(&result) {
                self.constants.clear(); // the constants that the failed call made
            }
        }
        result.map_err(|e| self.error(e))
    }

    /// The constant of `key`, made at its first use.
    pub fn constant(
        &self,
        key: Key,
        make: impl Fn() -> std::result::Result<(Vec<u64>, Vec<Arc<Constant>>), DeviceError>,
    ) -> Result<Arc<Constant>> {
        self.with_room(|| self.constants.of(key.clone(), &make))
    }

    /// The constant of `key`, for use inside `make` of another constant.
    pub fn kept(
        &self,
        key: Key,
        make: impl FnOnce() -> std::result::Result<(Vec<u64>, Vec<Arc<Constant>>), DeviceError>,
    ) -> std::result::Result<Arc<Constant>, DeviceError> {
        self.constants.of(key, make)
    }

    /// The constant of `key`, where it consists of words alone.
    pub fn words(&self, key: Key, make: impl Fn() -> Vec<u64>) -> Result<Arc<Constant>> {
        self.constant(key, || Ok((make(), vec![])))
    }

    /// The moduli of these primes, in the layout that kernels read.
    pub fn moduli(&self, arithmetic: Arithmetic, primes: &[Arc<Prime>]) -> Result<Arc<Constant>> {
        self.words(Key::Moduli(arithmetic, primes.iter().map(|p| p.value()).collect()), || {
            primes.iter().flat_map(|p| arithmetic.modulus(p.modulus())).collect()
        })
    }

    /// Number of kernels that were launched so far.
    pub fn launches(&self) -> u64 {
        self.launches.load(Ordering::Relaxed)
    }

    /// Waits until everything that was enqueued is done.
    pub fn sync(&self) -> Result<()> {
        self.device.sync().map_err(|e| self.error(e))
    }

    /// Enqueues `launch`, unless the grid is empty.
    pub fn queue(
        &self,
        grid: Grid,
        launch: impl FnOnce(&dyn Device, Grid) -> std::result::Result<(), DeviceError>,
    ) -> Result<()> {
        if grid.blocks.contains(&0) {
            return Ok(());
        }
        self.launches.fetch_add(1, Ordering::Relaxed);
        launch(&*self.device, grid).map_err(|e| self.error(e))
    }
}
