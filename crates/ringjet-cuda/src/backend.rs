//! [`CudaBackend`]: the required operations of a backend, each in one or two launches.

use std::sync::Arc;

use ringjet_backend::big::BigTerm;
use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, Domain};
use ringjet_backend::{Backend, BackendError, BackendId, Buf, Coeff, Result, Term, View, ViewMut, check, host};
use ringjet_math::Basis;

use crate::arithmetic::{Arithmetic, Choice};
use crate::big;
use crate::constants::{Constant, Constants, Key};
use crate::device::{Block, Device, DeviceError, Grid};
use crate::emulator::Emulator;
use crate::launch;
use crate::memory::{Memory, Place, TERM_WORDS, number};
use crate::transform;

/// Name of the backend that runs the kernels on the host.
pub const EMULATED: &str = "cuda-emulated";

/// Bytes of memory of an emulated device.
const EMULATED_BYTES: usize = 4 << 30;

/// Words of constants that an emulated device keeps.
const EMULATED_CONSTANTS: usize = 16 << 20;

/// Most threads of a block, for kernels whose blocks are runs of neighbouring coefficients.
const RUN: usize = 256;

/// A backend that computes on a GPU, or on the emulator in its place.
#[derive(Debug)]
pub struct CudaBackend {
    id: BackendId,
    device: Arc<dyn Device>,
    constants: Constants,
    choice: Choice,
    /// Threads of the host, for work that is done there.
    host_threads: usize,
}

/// Number of the host's cores.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

impl CudaBackend {
    /// A backend that runs the kernels on the host. It is slow and gives the same results, bit for
    /// bit. It is meant for tests.
    pub fn emulated() -> Self {
        Self::emulated_with(EMULATED_BYTES)
    }

    /// An emulated device with `bytes` bytes of memory.
    pub fn emulated_with(bytes: usize) -> Self {
        Self::new(EMULATED, Arc::new(Emulator::new(bytes)), EMULATED_CONSTANTS, true)
    }

    /// A backend on `device` that keeps at most `constants` words of constants. `doubles`: whether
    /// to prefer double precision to 64-bit integers.
    pub(crate) fn new(name: &str, device: Arc<dyn Device>, constants: usize, doubles: bool) -> Self {
        let constants = Constants::new(Arc::clone(&device), constants);
        let choice = Choice { preferred: None, doubles };
        Self { id: BackendId::new(name), constants, device, choice, host_threads: cores() }
    }

    /// The same backend with `threads` threads for work on the host, the caller's included. 0
    /// stands for one thread for each core.
    pub fn with_host_threads(self, threads: usize) -> Self {
        Self { host_threads: if threads == 0 { cores() } else { threads }, ..self }
    }

    /// The same backend, which uses the arithmetic `preferred` wherever the primes of an operation
    /// fit it.
    pub fn with_arithmetic(mut self, preferred: Arithmetic) -> Self {
        self.constants.clear();
        self.choice.preferred = Some(preferred);
        self
    }

    /// The arithmetic of an operation on these bases.
    pub(crate) fn arithmetic(&self, bases: &[&Basis]) -> Arithmetic {
        self.choice.of(bases)
    }

    pub(crate) fn identity(&self) -> &BackendId {
        &self.id
    }

    /// Converts a device's error to one of the trait `Backend`.
    pub(crate) fn error(&self, e: DeviceError) -> BackendError {
        let backend = self.id.name().into();
        match e {
            DeviceError::OutOfMemory { bytes, free } => BackendError::OutOfMemory { backend, bytes, free: Some(free) },
            DeviceError::Failed(message) => BackendError::Device { backend, message },
        }
    }

    /// Runs `f`. If memory runs out, frees the constants that are kept and runs `f` once more.
    fn with_room<T>(&self, f: impl Fn() -> std::result::Result<T, DeviceError>) -> Result<T> {
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
    pub(crate) fn constant(
        &self,
        key: Key,
        make: impl Fn() -> std::result::Result<(Vec<u64>, Vec<Arc<Constant>>), DeviceError>,
    ) -> Result<Arc<Constant>> {
        self.with_room(|| self.constants.of(key.clone(), &make))
    }

    /// The constant of `key`, for use inside `make` of another constant.
    pub(crate) fn kept(
        &self,
        key: Key,
        make: impl FnOnce() -> std::result::Result<(Vec<u64>, Vec<Arc<Constant>>), DeviceError>,
    ) -> std::result::Result<Arc<Constant>, DeviceError> {
        self.constants.of(key, make)
    }

    /// The constant of `key`, where it consists of words alone.
    pub(crate) fn words(&self, key: Key, make: impl Fn() -> Vec<u64>) -> Result<Arc<Constant>> {
        self.constant(key, || Ok((make(), vec![])))
    }

    /// Copies the arguments of one launch to the device.
    pub(crate) fn arguments(&self, words: &[u64]) -> Result<Block> {
        self.with_room(|| Block::with(&self.device, words))
    }

    /// The moduli of a basis, in the layout that kernels read.
    pub(crate) fn moduli(&self, arithmetic: Arithmetic, basis: &Basis) -> Result<Arc<Constant>> {
        self.words(Key::Moduli(arithmetic, basis.values().collect()), || {
            basis.primes().iter().flat_map(|p| arithmetic.modulus(p.modulus())).collect()
        })
    }

    /// A grid with one thread for each word of all limbs of `dst`.
    pub(crate) fn each_word(dst: &Place<'_>) -> Grid {
        let threads = (dst.limbs.n as usize).clamp(1, RUN) as u32;
        Grid {
            blocks: [dst.limbs.n.div_ceil(threads), dst.count as u32, dst.limbs.polys],
            threads: [threads, 1],
            shared: 0,
        }
    }

    /// Enqueues `launch`, unless the grid is empty.
    pub(crate) fn queue(
        &self,
        grid: Grid,
        launch: impl FnOnce(&dyn Device, Grid) -> std::result::Result<(), DeviceError>,
    ) -> Result<()> {
        if grid.blocks.contains(&0) {
            return Ok(());
        }
        launch(&*self.device, grid).map_err(|e| self.error(e))
    }
}

/// Packs 32-bit numbers, two in a word.
pub(crate) fn pairs(numbers: &[u32]) -> Vec<u64> {
    numbers.chunks(2).map(|c| u64::from(c[0]) | u64::from(c.get(1).copied().unwrap_or(0)) << 32).collect()
}

impl Backend for CudaBackend {
    fn id(&self) -> &BackendId {
        &self.id
    }

    fn host_threads(&self) -> usize {
        self.host_threads
    }

    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        host::scoped(self.host_threads, jobs, words, run);
    }

    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        let block = self.with_room(|| Block::new(&self.device, limbs.saturating_mul(n)))?;
        Ok(Buf::new(Box::new(Memory(block)), self.id.clone(), limbs, n))
    }

    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        check::range("upload", dst, first_limb, data.len())?;
        check::owner("upload", &self.id, dst)?;
        let memory = dst.storage().as_any().downcast_ref::<Memory>();
        memory.map_or(Ok(()), |m| m.0.upload(first_limb * dst.n(), data)).map_err(|e| self.error(e))
    }

    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()> {
        check::range("download", src, first_limb, out.len())?;
        let from = self.source("download", src.view(1))?.limbs.words.offset(first_limb * src.n());
        self.device.download(from, out).map_err(|e| self.error(e))
    }

    fn sync(&self) -> Result<()> {
        self.device.sync().map_err(|e| self.error(e))
    }

    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        check::source("copy", &dst, src)?;
        let (dst, src) = (self.target("copy", &dst)?, self.source("copy", src)?);
        self.queue(Self::each_word(&dst), |d, grid| launch::copy(d, grid, dst.limbs, src.limbs))
    }

    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        transform::ntt(self, &x, basis)
    }

    fn intt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        transform::intt(self, &x, basis)
    }

    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        check::basis("lincomb", dst.limbs(), dst.n(), basis)?;
        let arithmetic = self.arithmetic(&[basis]);
        let mut sources = Vec::with_capacity(terms.len());
        let (mut records, mut factors) = (vec![], vec![]);
        for &(coeff, src) in terms {
            check::source("lincomb", &dst, src)?;
            let source = self.source("lincomb", src)?;
            let factor = match coeff {
                Coeff::One => 0,
                Coeff::MinusOne => 1,
                Coeff::PerLimb(c) => {
                    check::equal("lincomb", "number of coefficients", basis.len(), c.len())?;
                    let at = TERM_WORDS * terms.len() + factors.len();
                    let constants = c.iter().zip(basis.primes());
                    factors.extend(constants.flat_map(|(&c, p)| arithmetic.constant(p.modulus(), c)));
                    at as u64
                }
            };
            records.extend(source.term(factor));
            sources.push(source);
        }
        records.append(&mut factors);
        let (dst, count) = (self.target("lincomb", &dst)?, number("lincomb", "number of terms", terms.len())?);
        let (moduli, terms) = (self.moduli(arithmetic, basis)?, self.arguments(&records)?);
        self.queue(Self::each_word(&dst), |d, grid| {
            launch::lincomb(d, arithmetic, grid, dst.limbs, terms.at(), count, moduli.at(), accumulate.into())
        })
    }

    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        check::basis("mul", dst.limbs(), dst.n(), basis)?;
        check::source("mul", &dst, a)?;
        check::source("mul", &dst, b)?;
        let (a, b, dst) = (self.source("mul", a)?, self.source("mul", b)?, self.target("mul", &dst)?);
        let arithmetic = self.arithmetic(&[basis]);
        let moduli = self.moduli(arithmetic, basis)?;
        self.queue(Self::each_word(&dst), |d, grid| {
            launch::mul(d, arithmetic, grid, dst.limbs, a.limbs, b.limbs, moduli.at(), accumulate.into())
        })
    }

    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        check::basis("automorphism", dst.limbs(), dst.n(), basis)?;
        check::source("automorphism", &dst, src)?;
        check::equal("automorphism", "ring degree", plan.n(), dst.n())?;
        let (dst, src) = (self.target("automorphism", &dst)?, self.source("automorphism", src)?);
        let arithmetic = self.arithmetic(&[basis]);
        let (moduli, map) = (self.moduli(arithmetic, basis)?, self.map(plan)?);
        let negates = u32::from(plan.domain == Domain::Coefficient);
        self.queue(Self::each_word(&dst), |d, grid| {
            launch::automorphism(d, arithmetic, grid, dst.limbs, src.limbs, moduli.at(), map.at(), negates)
        })
    }

    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        transform::base_convert(self, &dst, src, plan)
    }

    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
        big::crt_split(self, &dst, src, plan)
    }

    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
        big::crt_join(self, &dst, src, plan)
    }

    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
        big::shift_round(self, &dst, src, bits, shift)
    }

    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
        big::lincomb(self, &dst, terms, bits, accumulate)
    }

    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()> {
        big::automorphism(self, &dst, src, bits, plan)
    }
}

impl CudaBackend {
    /// The index map of an automorphism, on the device.
    pub(crate) fn map(&self, plan: &AutomorphismPlan) -> Result<Arc<Constant>> {
        self.words(Key::Plan(plan.id), || pairs(plan.map()))
    }
}
