//! [`PimBackend`]: ringjet's operations on DPUs.

mod arena;
mod conversion;
mod machine;
mod open;
mod operands;
mod storage;
mod sums;
mod traffic;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use ringjet_backend::big::BigTerm;
use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan, CrtJoinPlan, CrtSplitPlan};
use ringjet_backend::{
    Backend, BackendError, BackendId, Buf, Composed, Result, Storage as _, Term, View, ViewMut, Width, check, delegate,
    host,
};
use ringjet_math::Basis;
use zeroize::Zeroizing;

use crate::{Command, DpuSet, Hardware, Host, PimError, Rung};
use machine::DpuMachine;
pub use open::{Pim, WeakPim};
use storage::{Limb, Limbs, lock};
pub use traffic::Traffic;

/// The name of the backend with the vendor's library.
pub const DEVICE: &str = "pim";

/// The name of the backend with the emulator.
pub const EMULATED: &str = "pim-emulated";

/// Where limbs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placement {
    /// Each DPU has the limbs modulo some of the primes, as in the published work. One ciphertext
    /// keeps as many DPUs busy as it has primes.
    #[default]
    PrimePerDpu,
    /// All limbs of a polynomial are on one DPU, and results are where their first operand is. Many
    /// ciphertexts keep many DPUs busy. Sums are made on every DPU that has terms; other operations
    /// on polynomials of different DPUs copy them through the host.
    PolynomialPerDpu,
}

/// A backend whose polynomials lie in the memories of DPUs.
///
/// It has transforms, products, sums, copies, automorphisms and changes of basis, for primes of 3 to
/// 30 bits and ring degrees from 2^3 to 2^15. Everything else it refuses as
/// [`BackendError::Unsupported`]: wrap it in [`ringjet_backend::HostFallback`] with a backend for the
/// host, which counts what that moves.
/// Residues take 4 bytes; words that do not fit are refused as [`BackendError::NarrowWords`].
///
/// Operations wait until a result is read or until [`Backend::sync`]; then all DPUs run theirs in
/// one launch. Uploaded polynomials stay on the host until an operation uses them.
#[derive(Debug)]
pub struct PimBackend {
    id: BackendId,
    machine: Arc<Mutex<DpuMachine>>,
    placement: Placement,
    next_home: AtomicU32,
}

impl PimBackend {
    /// A backend with `dpus` DPUs of a host, which run the fastest program.
    pub fn new(host: &Arc<Host>, dpus: u32, placement: Placement) -> std::result::Result<Self, PimError> {
        Self::with_rung(host, dpus, placement, Rung::named("resident")?, Hardware::default())
    }

    /// The same with another build of the program. `hardware` is for the emulator.
    pub fn with_rung(
        host: &Arc<Host>,
        dpus: u32,
        placement: Placement,
        rung: Rung,
        hardware: Hardware,
    ) -> std::result::Result<Self, PimError> {
        let name = if host.is_emulator() { EMULATED } else { DEVICE };
        let machine = DpuMachine::new(host, DpuSet::new(host, dpus, hardware)?, rung)?;
        let machine = Arc::new(Mutex::new(machine));
        Ok(Self { id: BackendId::new(name), machine, placement, next_home: AtomicU32::new(0) })
    }

    /// What the DPUs have done, without what still waits.
    pub fn traffic(&self) -> Traffic {
        lock(&self.machine).traffic
    }

    fn limbs<'a>(&self, op: &'static str, buf: &'a Buf) -> Result<&'a Limbs> {
        check::owner(op, &self.id, buf)?;
        buf.storage().as_any().downcast_ref::<Limbs>().ok_or_else(|| self.failed("foreign memory"))
    }

    fn failed(&self, error: impl ToString) -> BackendError {
        BackendError::Device { backend: self.id.name().to_owned(), message: error.to_string() }
    }

    fn lacks<T>(&self, op: &'static str) -> Result<T> {
        Err(BackendError::Unsupported { op, backend: self.id.name().to_owned() })
    }

    /// Refuses what the program of a DPU cannot do, before anything is written.
    fn expect_support(&self, op: &'static str, n: usize, basis: Option<&Basis>) -> Result<()> {
        let most = lock(&self.machine).most_bits();
        let bits = basis.iter().flat_map(|b| b.primes()).map(|p| p.modulus().bits());
        let (low, high) = bits.fold((u32::MAX, 0), |(low, high), bits| (low.min(bits), high.max(bits)));
        if high > Width::Four.most_bits() {
            let backend = self.id.name().to_owned();
            return Err(BackendError::NarrowWords { backend, width: Width::Four, bits: high });
        }
        let known = n.is_power_of_two() && (8..=1 << 15).contains(&n) && high <= most && low >= 3;
        if known { Ok(()) } else { self.lacks(op) }
    }

    fn words(&self, data: &[u64]) -> Result<Zeroizing<Vec<u32>>> {
        let mut words = Zeroizing::new(host::capacity(data.len())?);
        for &word in data {
            words.push(u32::try_from(word).map_err(|_| BackendError::NarrowWords {
                backend: self.id.name().to_owned(),
                width: Width::Four,
                bits: 64 - word.leading_zeros(),
            })?);
        }
        Ok(words)
    }
}

impl Backend for PimBackend {
    delegate!(self => Composed(self); composed);

    fn id(&self) -> &BackendId {
        &self.id
    }

    fn alloc(&self, limbs: usize, n: usize) -> Result<Buf> {
        if limbs.checked_mul(n).is_none_or(|words| words >= 1 << 40) {
            let (backend, free) = (self.id.name().to_owned(), Some(lock(&self.machine).free_bytes()));
            return Err(BackendError::OutOfMemory { backend, bytes: limbs.saturating_mul(n).saturating_mul(4), free });
        }
        let home = self.next_home.fetch_add(1, Ordering::Relaxed) % lock(&self.machine).dpus();
        Ok(Buf::new(Box::new(Limbs::new(&self.machine, limbs, n, home)), self.id.clone(), limbs, n))
    }

    fn upload(&self, dst: &mut Buf, first_limb: usize, data: &[u64]) -> Result<()> {
        check::range("upload", dst, first_limb, data.len())?;
        let n = dst.n();
        let storage = self.limbs("upload", dst)?;
        let words = self.words(data)?;
        let (mut machine, mut limbs) = (lock(&self.machine), storage.lock());
        for (limb, words) in limbs[first_limb..].iter_mut().zip(words.chunks_exact(n.max(1))) {
            if let Limb::Dpu(place) = std::mem::replace(limb, Limb::Host(Zeroizing::new(words.to_vec()))) {
                machine.give_all([place], n, storage.is_secret()).map_err(|e| self.failed(e))?;
            }
        }
        Ok(())
    }

    fn download(&self, src: &Buf, first_limb: usize, out: &mut [u64]) -> Result<()> {
        check::range("download", src, first_limb, out.len())?;
        let n = src.n();
        let storage = self.limbs("download", src)?;
        let (mut machine, limbs) = (lock(&self.machine), storage.lock());
        machine.flush().map_err(|e| self.failed(e))?;
        let mut words = Zeroizing::new(host::zeros(n)?);
        for (limb, out) in limbs[first_limb..].iter().zip(out.chunks_exact_mut(n.max(1))) {
            match limb {
                Limb::Unset => words.fill(0),
                Limb::Host(uploaded) => words.copy_from_slice(uploaded),
                Limb::Dpu(place) => machine.read(*place, &mut words).map_err(|e| self.failed(e))?,
            }
            out.iter_mut().zip(words.iter()).for_each(|(out, &word)| *out = u64::from(word));
        }
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        lock(&self.machine).flush().map_err(|e| self.failed(e))
    }

    fn copy(&self, dst: ViewMut<'_>, src: View<'_>) -> Result<()> {
        const OP: &str = "copy";
        check::source(OP, &dst, src)?;
        self.expect_support(OP, dst.n(), None)?;
        self.each(OP, dst, &[src], None, false, |step| step.push(Command::Copy { out: step.out, a: step.sources[0] }))
    }

    fn ntt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        const OP: &str = "ntt";
        check::basis(OP, x.limbs(), x.n(), basis)?;
        self.expect_support(OP, x.n(), Some(basis))?;
        self.each(OP, x, &[], Some(basis), true, |step| step.push(Command::ForwardPositions { out: step.out }))
    }

    fn intt(&self, x: ViewMut<'_>, basis: &Basis) -> Result<()> {
        const OP: &str = "intt";
        check::basis(OP, x.limbs(), x.n(), basis)?;
        self.expect_support(OP, x.n(), Some(basis))?;
        self.each(OP, x, &[], Some(basis), true, |step| step.push(Command::InversePositions { out: step.out }))
    }

    fn lincomb(&self, dst: ViewMut<'_>, terms: &[Term<'_>], basis: &Basis, accumulate: bool) -> Result<()> {
        const OP: &str = "lincomb";
        check::lincomb(OP, &dst, terms, basis)?;
        self.owned(OP, dst.buf(), &terms.iter().map(|term| term.1).collect::<Vec<_>>())?;
        self.expect_support(OP, dst.n(), Some(basis))?;
        if terms.is_empty() && !accumulate {
            return self.each(OP, dst, &[], Some(basis), false, |step| step.times(step.out, step.out, 0));
        }
        self.sum(OP, dst, terms, basis, accumulate)
    }

    fn mul(&self, dst: ViewMut<'_>, a: View<'_>, b: View<'_>, basis: &Basis, accumulate: bool) -> Result<()> {
        const OP: &str = "mul";
        check::basis(OP, dst.limbs(), dst.n(), basis)?;
        check::source(OP, &dst, a)?;
        check::source(OP, &dst, b)?;
        self.expect_support(OP, dst.n(), Some(basis))?;
        self.each(OP, dst, &[a, b], Some(basis), accumulate, |step| {
            let (out, a, b) = (step.out, step.sources[0], step.sources[1]);
            step.push(if accumulate { Command::MulAcc { out, a, b } } else { Command::Mul { out, a, b } })
        })
    }

    fn automorphism(&self, dst: ViewMut<'_>, src: View<'_>, basis: &Basis, plan: &AutomorphismPlan) -> Result<()> {
        const OP: &str = "automorphism";
        check::basis(OP, dst.limbs(), dst.n(), basis)?;
        check::source(OP, &dst, src)?;
        check::equal(OP, "ring degree", plan.n(), dst.n())?;
        self.owned(OP, dst.buf(), &[src])?;
        self.expect_support(OP, dst.n(), Some(basis))?;
        self.permute(OP, dst, src, basis, plan)
    }

    fn base_convert(&self, dst: ViewMut<'_>, src: View<'_>, plan: &BaseConversionPlan) -> Result<()> {
        const OP: &str = "base_convert";
        check::conversion(OP, &dst, src, &plan.conv)?;
        self.owned(OP, dst.buf(), &[src])?;
        self.expect_support(OP, dst.n(), Some(&plan.conv.src))?;
        self.expect_support(OP, dst.n(), Some(&plan.conv.dst))?;
        self.convert(OP, dst, src, plan)
    }

    fn crt_split(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtSplitPlan) -> Result<()> {
        check::crt_split("crt_split", &dst, src, plan)?;
        self.owned("crt_split", dst.buf(), &[src])?;
        self.lacks("crt_split")
    }

    fn crt_join(&self, dst: ViewMut<'_>, src: View<'_>, plan: &CrtJoinPlan) -> Result<()> {
        check::crt_join("crt_join", &dst, src, plan)?;
        self.owned("crt_join", dst.buf(), &[src])?;
        self.lacks("crt_join")
    }

    fn shift_round(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, shift: u32) -> Result<()> {
        check::shift_round("shift_round", &dst, src, bits, shift)?;
        self.owned("shift_round", dst.buf(), &[src])?;
        self.lacks("shift_round")
    }

    fn big_lincomb(&self, dst: ViewMut<'_>, terms: &[BigTerm<'_>], bits: u32, _accumulate: bool) -> Result<()> {
        check::big_lincomb("big_lincomb", &dst, terms, bits)?;
        self.owned("big_lincomb", dst.buf(), &terms.iter().map(|t| t.src).collect::<Vec<_>>())?;
        self.lacks("big_lincomb")
    }

    fn big_automorphism(&self, dst: ViewMut<'_>, src: View<'_>, bits: u32, plan: &AutomorphismPlan) -> Result<()> {
        check::big_automorphism("big_automorphism", &dst, src, bits, plan)?;
        self.owned("big_automorphism", dst.buf(), &[src])?;
        self.lacks("big_automorphism")
    }
}

impl PimBackend {
    /// Refuses buffers of other backends.
    fn owned(&self, op: &'static str, dst: &Buf, sources: &[View<'_>]) -> Result<()> {
        check::owner(op, &self.id, dst)?;
        sources.iter().try_for_each(|view| check::owner(op, &self.id, view.buf()))
    }
}
