//! [`CudaBackend`]: the implementation of [`Backend`], whose required operations are one or two
//! launches each.

use std::sync::Arc;

use ringjet_backend::big::digits::prepared_shape;
use ringjet_backend::big::{BigMul, BigTerm};
use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan, DivisionPlan, ModUpPlan};
use ringjet_backend::repeat::repetitions;
use ringjet_backend::{
    Backend, BackendError, BackendId, Buf, Composed, Gemm, HoistedRotations, KeySwitch, KeySwitchInput, Meter, Result,
    RotateSum, Rotation, Term, View, ViewMut, Width, check, delegate, host,
};
use ringjet_math::Basis;

use crate::arithmetic::Arithmetic;
use crate::device::Device;
use crate::digits::Shape;
use crate::driver::Driver;
use crate::emulator::Emulator;
use crate::graph::Collector;
use crate::latencies::Latencies;
use crate::machine::CudaMachine;
use crate::mirror::{Difference, Mirror};
use crate::pool::Pool;
use crate::recorder::Recorder;
use crate::times::{Clock, Span, Times};
use crate::traffic::Traffic;
use crate::{big, digits, division, elementwise, gemm, keyswitch, latencies, products, rotations, transform};

/// Name of the backend that runs the kernels on the host.
pub const EMULATED: &str = "cuda-emulated";

/// Bytes of memory of an emulated device.
const EMULATED_BYTES: usize = 4 << 30;

/// Words of constants that an emulated device keeps.
const EMULATED_CONSTANTS: usize = 16 << 20;

/// A backend that computes on a GPU, or on the emulator in its place.
#[derive(Debug)]
pub struct CudaBackend {
    machine: CudaMachine,
    /// The device, if it is emulated.
    emulator: Option<Arc<Emulator>>,
    /// The device, if it only records.
    recorder: Option<Arc<Recorder>>,
    /// What compares the device with the emulator, if that is wanted.
    mirror: Option<Arc<Mirror>>,
    /// What the machine launches on; it is told of scopes.
    clock: Arc<Clock>,
    /// What memory is taken from.
    source: Arc<dyn Device>,
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
        Self::emulated_on(Emulator::new(bytes))
    }

    /// An emulated device whose blocks have `shared` bytes of shared memory, as on an older or a
    /// smaller GPU; the others here have 227 KB.
    pub fn emulated_with_shared(shared: usize) -> Self {
        Self::emulated_on(Emulator::new(EMULATED_BYTES).with_shared(shared))
    }

    /// An emulated device that says it has this number of multiprocessors, by which launches are cut
    /// into blocks; the others here have 132. Results do not depend on it.
    pub fn emulated_with_multiprocessors(multiprocessors: u32) -> Self {
        Self::emulated_on(Emulator::new(EMULATED_BYTES).with_multiprocessors(multiprocessors))
    }

    fn emulated_on(emulator: Emulator) -> Self {
        let emulator = Arc::new(emulator);
        let backend = Self::on_host(Arc::clone(&emulator) as _);
        Self { emulator: Some(emulator), ..backend }
    }

    /// An emulated device whose every launch is repeated on a second one and compared
    /// ([`CudaBackend::difference`]).
    pub fn emulated_mirrored() -> Self {
        let mirror = Arc::new(Mirror::new(Arc::new(Emulator::new(EMULATED_BYTES))));
        Self { mirror: Some(Arc::clone(&mirror)), ..Self::on_host(mirror) }
    }

    fn on_host(device: Arc<dyn Device>) -> Self {
        Self::new(EMULATED, Arc::clone(&device), device, None, EMULATED_CONSTANTS, true)
    }

    /// A backend that computes nothing and records its launches, with which programs can be counted at
    /// full size. The arithmetics are those of a GPU with fast double precision.
    pub fn recording() -> (Self, Arc<Recorder>) {
        let recorder = Arc::new(Recorder::default());
        let meter = Some(Arc::clone(&recorder) as _);
        let backend = Self::pooled("model", Arc::clone(&recorder), meter, EMULATED_CONSTANTS, true);
        (Self { recorder: Some(Arc::clone(&recorder)), ..backend }, recorder)
    }

    /// A backend on a GPU. `graphs`: whether the launches of an operation become a graph.
    pub(crate) fn on_gpu(name: &str, driver: Driver, graphs: bool, constants: usize, doubles: bool) -> Self {
        if !graphs {
            return Self::pooled(name, Arc::new(driver), None, constants, doubles);
        }
        let collector = Arc::new(Collector::new(driver));
        Self::pooled(name, Arc::clone(&collector), Some(collector), constants, doubles)
    }

    /// A backend on a GPU, whose every launch is repeated on the emulator and compared. There are no
    /// graphs.
    pub(crate) fn mirrored(name: &str, driver: Driver, constants: usize, doubles: bool) -> Self {
        let mirror = Arc::new(Mirror::new(Arc::new(driver)));
        Self { mirror: Some(Arc::clone(&mirror)), ..Self::pooled(name, mirror, None, constants, doubles) }
    }

    /// A backend on `device` that keeps memory after its use.
    fn pooled<D: Device + 'static>(
        name: &str,
        device: Arc<D>,
        meter: Option<Arc<dyn Meter>>,
        constants: usize,
        doubles: bool,
    ) -> Self {
        Self::new(name, Arc::new(Pool::new(Arc::clone(&device))), device, meter, constants, doubles)
    }

    /// A backend on `device`, which takes its memory from `source`, that keeps at most `constants`
    /// words of constants. `meter` is told of scopes. `doubles`: whether to prefer double precision to
    /// 64-bit integers.
    fn new(
        name: &str,
        device: Arc<dyn Device>,
        source: Arc<dyn Device>,
        meter: Option<Arc<dyn Meter>>,
        constants: usize,
        doubles: bool,
    ) -> Self {
        let clock = Arc::new(Clock::new(device, meter));
        let machine = CudaMachine::new(name, Arc::clone(&clock) as _, constants, doubles);
        Self { machine, emulator: None, recorder: None, mirror: None, clock, source, host_threads: cores() }
    }

    /// Forgets all times that were measured, and measures these from now on; `None`: nothing more. On
    /// a GPU the times are those of the device, by events between the launches. On an emulated
    /// device they are by the host's clock. Only one thread should use the backend meanwhile.
    pub fn record_times(&self, times: Option<Times>) -> Result<()> {
        self.clock.record(times).map_err(|e| self.machine.error(e))
    }

    /// Waits for the device, and returns the steps that have ended since the last call, in the order
    /// of their ends. 0 is the begin of the first of them.
    pub fn take_times(&self) -> Result<Vec<Span>> {
        self.clock.take().map_err(|e| self.machine.error(e))
    }

    /// Measures how long calls of the driver take that do next to nothing. Takes a fraction of a
    /// second on a GPU. Nobody else should use the backend meanwhile.
    pub fn latencies(&self) -> Result<Latencies> {
        latencies::measure(&self.machine.device, &*self.source, &*self.clock).map_err(|e| self.machine.error(e))
    }

    /// The first words that the device computed otherwise than the emulator. `None` if there are none,
    /// or if launches are not compared (`RINGJET_CUDA_MIRROR`, [`CudaBackend::open`]). Operations
    /// whose launch left such words, and all later ones, fail with a message that says the same.
    pub fn difference(&self) -> Option<Difference> {
        self.mirror.as_ref().and_then(|mirror| mirror.difference())
    }

    /// Number of kernels that were launched so far.
    pub fn launches(&self) -> u64 {
        self.machine.launches()
    }

    /// Begins to record how much memory each launch reads and writes, or ends it and forgets the
    /// records. Only an emulated device can record it; for others the call does nothing.
    pub fn record_traffic(&self, on: bool) {
        if let Some(emulator) = &self.emulator {
            emulator.record_traffic(on);
        }
    }

    /// The records of the launches since the last call, in their order. Empty unless
    /// [`CudaBackend::record_traffic`] has turned them on.
    pub fn take_traffic(&self) -> Vec<Traffic> {
        self.emulator.as_ref().map_or_else(Vec::new, |emulator| emulator.take_traffic())
    }

    /// The same backend with `threads` threads for work on the host, the caller's included. 0
    /// stands for one thread for each core.
    pub fn with_host_threads(self, threads: usize) -> Self {
        Self { host_threads: if threads == 0 { cores() } else { threads }, ..self }
    }

    /// The same backend, which uses the arithmetic `preferred` wherever the primes of an operation
    /// fit it. It stores residues in the width of this arithmetic: buffers made in another width
    /// are refused from now on.
    pub fn with_arithmetic(mut self, preferred: Arithmetic) -> Self {
        self.machine.set_width(preferred.width());
        self.machine.prefer(preferred);
        self
    }

    /// The same backend, which stores residues in this width. Operations on primes that do not fit
    /// it fail with [`BackendError::NarrowWords`], and so do all operations on big coefficients
    /// (HEAAN) unless it is [`Width::Eight`], which new backends have. Buffers made in another
    /// width are refused from now on.
    pub fn with_width(mut self, width: Width) -> Self {
        self.machine.set_width(width);
        self
    }

    /// How residues are stored.
    pub fn width(&self) -> Width {
        self.machine.width()
    }
}

impl CudaBackend {
    /// How products of big coefficients over this basis are computed by digits; `None` if they are
    /// composed of other operations.
    fn digits(&self, basis: &Basis) -> Result<Option<Shape>> {
        Shape::of(&self.machine, basis)
    }
}

impl Backend for CudaBackend {
    delegate!(self => Composed(self); composed except compact, expand, tensor, affine, gemm, mul_acc, mod_up, key_inner_product, key_switch, hoisted_rotations, hoisted_rotate_sum, rotate_into, divide_round, big_prepare, big_prepared_limbs, big_mul);

    fn id(&self) -> &BackendId {
        &self.machine.id
    }

    fn meter(&self) -> Option<&dyn Meter> {
        self.clock.wants_scopes().then_some(&*self.clock)
    }

    fn host_threads(&self) -> usize {
        self.host_threads
    }

    fn parallel(&self, jobs: usize, words: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        host::scoped(self.host_threads, jobs, words, run);
    }

    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        self.machine.alloc(limbs, n)
    }

    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        self.machine.upload(dst, first_limb, data, self.host_threads)
    }

    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()> {
        if self.recorder.is_some() {
            return Err(BackendError::NoValues { op: "download", backend: self.id().name().into() });
        }
        self.machine.download(src, first_limb, out, self.host_threads)
    }

    fn sync(&self) -> Result<()> {
        self.machine.sync()
    }

    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        elementwise::copy(&self.machine, &dst, src)
    }

    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        transform::ntt(&self.machine, &x, basis)
    }

    fn intt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        transform::intt(&self.machine, &x, basis)
    }

    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        elementwise::lincomb(&self.machine, &dst, terms, basis, accumulate)
    }

    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        products::mul(&self.machine, &dst, a, b, basis, accumulate)
    }

    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        elementwise::automorphism(&self.machine, &dst, src, basis, plan)
    }

    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        transform::base_convert(&self.machine, &dst, src, plan)
    }

    fn compact(&self, src: View<'_>, gap: usize) -> Result<Buf> {
        if self.recorder.is_none() {
            return Composed(self).compact(src, gap);
        }
        check::compact("compact", src, gap)?;
        self.alloc(src.polys() * src.limbs(), src.n() / repetitions(src.n(), gap))
    }

    fn expand(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        elementwise::expand(&self.machine, &dst, src)
    }

    fn tensor(&self, dst: ViewMut<'_>, x: View<'_>, y: View<'_>, basis: &Basis) -> Result<()> {
        products::tensor(&self.machine, &dst, x, y, basis)
    }

    fn affine(&self, dst: ViewMut<'_>, terms: &[Term<'_>], constant: &[u64], basis: &Basis) -> Result<()> {
        elementwise::affine(&self.machine, &dst, terms, constant, basis)
    }

    fn gemm(&self, dst: &mut [ViewMut<'_>], operands: &Gemm<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        check::gemm("gemm", dst, operands, basis)?;
        if self.machine.sums_in_doubles(basis)? {
            gemm::gemm(&self.machine, dst, operands, basis, accumulate)
        } else {
            Composed(self).gemm(dst, operands, basis, accumulate)
        }
    }

    fn mul_acc(&self, dst: ViewMut<'_>, pairs: &[(View<'_>, View<'_>)], basis: &Basis, accumulate: bool) -> Result<()> {
        products::mul_acc(&self.machine, &dst, pairs, basis, accumulate)
    }

    fn mod_up(&self, dst: ViewMut<'_>, src: View<'_>, plan: &ModUpPlan) -> Result<()> {
        keyswitch::mod_up(&self.machine, &dst, src, plan)
    }

    fn key_inner_product(&self, acc: ViewMut<'_>, digits: View<'_>, key: View<'_>, basis: &Basis) -> Result<()> {
        keyswitch::key_inner_product(&self.machine, &acc, digits, key, basis)
    }

    fn key_switch(&self, dst: ViewMut<'_>, s: &KeySwitch<'_>) -> Result<()> {
        check::key_switch("key_switch", &dst, s)?;
        match s.input {
            KeySwitchInput::Products(sums) if !products::fits_one_launch(sums) => {
                Composed(self).key_switch_each(dst, s)
            }
            _ => keyswitch::key_switch(&self.machine, &dst, s),
        }
    }

    fn hoisted_rotations(&self, dst: &mut [ViewMut<'_>], rotations: &HoistedRotations<'_>) -> Result<()> {
        rotations::hoisted_rotations(&self.machine, dst, rotations)
    }

    fn hoisted_rotate_sum(&self, dst: ViewMut<'_>, sum: &RotateSum<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        rotations::hoisted_rotate_sum(&self.machine, &dst, sum, basis, accumulate)
    }

    fn rotate_into(&self, dst: ViewMut<'_>, src: View<'_>, rotation: &Rotation<'_>, accumulate: bool) -> Result<()> {
        rotations::rotate_into(&self.machine, &dst, src, rotation, accumulate)
    }

    fn divide_round(&self, dst: ViewMut<'_>, src: View<'_>, plan: &DivisionPlan, add: Option<View<'_>>) -> Result<()> {
        division::divide_round(&self.machine, &dst, src, plan, add)
    }

    fn big_prepare(&self, src: View<'_>, plan: &CrtSplitPlan) -> Result<Buf> {
        match self.digits(&plan.crt.basis)? {
            Some(shape) => digits::prepare(&self.machine, shape, src, plan),
            None => Composed(self).big_prepare(src, plan),
        }
    }

    fn big_prepared_limbs(&self, polys: usize, basis: &Basis, bits: u32) -> usize {
        match self.digits(basis) {
            Ok(Some(_)) => {
                let (digits, primes) = prepared_shape(polys, basis, bits);
                digits * primes
            }
            _ => Composed(self).big_prepared_limbs(polys, basis, bits),
        }
    }

    fn big_mul(&self, dst: ViewMut<'_>, mul: &BigMul<'_>) -> Result<()> {
        match self.digits(&mul.join.crt.basis)? {
            Some(shape) => digits::big_mul(&self.machine, shape, &dst, mul),
            None => Composed(self).big_mul(dst, mul),
        }
    }

    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
        big::crt_split(&self.machine, &dst, src, plan)
    }

    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
        big::crt_join(&self.machine, &dst, src, plan)
    }

    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
        big::shift_round(&self.machine, &dst, src, bits, shift)
    }

    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, accumulate: bool) -> Result<()> {
        big::lincomb(&self.machine, &dst, terms, bits, accumulate)
    }

    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()> {
        big::automorphism(&self.machine, &dst, src, bits, plan)
    }
}
