//! [`Exporter`]: a backend that records what it computes.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringjet_backend::host::{collected, zeros};
use ringjet_backend::plan::Domain;
use ringjet_backend::{Backend, BackendError, BackendId, Buf, Storage, View, ViewMut, check};
use ringjet_math::ntt::{LOG_TILE, positions_to_leaves};

use crate::recording::{Recording, Scope};
use crate::{FhetchError, Op, Program, Result};

type BackendResult<T> = ringjet_backend::Result<T>;

/// A backend that computes on another backend, and records what it computes as a [`Program`] in
/// FHETCH's polynomial IR.
///
/// The program is a function of the inputs: what is uploaded within [`Exporter::input`]. All other
/// uploads, such as keys and plaintexts, are constants. An operation whose operands are all constants
/// writes nothing: its result is computed now, and is a constant. The results are what is downloaded
/// within [`Exporter::output`]. A value that depends on inputs is not downloaded anywhere else, so the
/// instructions cannot depend on the inputs' data.
///
/// A buffer that is marked as secret is neither written to the program nor copied, rotated or
/// converted into an unmarked buffer. What other operations compute from secrets is not refused: the
/// caller must mark it, or compute with secret keys on another backend.
///
/// HEAAN's integers modulo powers of two have no instructions: its operations are
/// [`BackendError::Unsupported`].
#[derive(Debug)]
pub struct Exporter {
    id: BackendId,
    pub(crate) inner: Arc<dyn Backend>,
    recording: Mutex<Recording>,
}

/// What is known of a limb.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limb {
    /// Constants alone determine it. It has an address if an instruction reads it in this domain.
    Constant(Option<(u32, Domain)>),
    /// The polynomial at this address, in this domain; it depends on inputs.
    Variable(u32, Domain),
}

/// A buffer of the other backend, and what is known of its limbs.
pub(crate) struct Limbs {
    pub(crate) buf: Buf,
    limbs: Mutex<Vec<Limb>>,
}

impl Limbs {
    pub(crate) fn limbs(&self) -> MutexGuard<'_, Vec<Limb>> {
        self.limbs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for Limbs {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn mark_secret(&mut self) {
        self.buf.storage_mut().mark_secret();
    }
    fn is_secret(&self) -> bool {
        self.buf.is_secret()
    }
}

/// Sets the scope back when it is dropped.
struct ScopeGuard<'a> {
    exporter: &'a Exporter,
    before: Scope,
}

impl Drop for ScopeGuard<'_> {
    fn drop(&mut self) {
        self.exporter.recording().scope = self.before;
    }
}

impl Exporter {
    /// An exporter that computes on `inner`, which must hold values.
    pub fn new(inner: Arc<dyn Backend>) -> Self {
        Self { id: BackendId::new("fhetch"), inner, recording: Mutex::default() }
    }

    /// Calls `upload`: what it uploads to this backend are the polynomials of an input of this name, in
    /// the evaluation domain, as polynomials of ciphertexts are. Within `upload`, other threads must
    /// not upload: it would be part of the input.
    pub fn input<T>(&self, name: &str, upload: impl FnOnce() -> T) -> T {
        let before = self.recording().begin_input(name);
        let _scope = ScopeGuard { exporter: self, before };
        upload()
    }

    /// Calls `download`: what it downloads from this backend are the polynomials of a result of this
    /// name. Within `download`, other threads must not download: it would be part of the result.
    pub fn output<T>(&self, name: &str, download: impl FnOnce() -> T) -> T {
        let before = self.recording().begin_output(name);
        let _scope = ScopeGuard { exporter: self, before };
        download()
    }

    /// The program so far, with its data.
    pub fn program(&self) -> Program {
        self.recording().program()
    }

    pub(crate) fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn backend_id(&self) -> &BackendId {
        &self.id
    }

    /// A buffer of this backend around a buffer of the other backend. Its contents are constants.
    pub(crate) fn wrap(&self, buf: Buf) -> BackendResult<Buf> {
        let (limbs, n) = (buf.limbs(), buf.n());
        let unknown = collected((0..limbs).map(|_| Limb::Constant(None)))?;
        Ok(Buf::new(Box::new(Limbs { buf, limbs: Mutex::new(unknown) }), self.id.clone(), limbs, n))
    }

    pub(crate) fn limbs<'a>(&self, op: &'static str, buf: &'a Buf) -> BackendResult<&'a Limbs> {
        check::owner(op, &self.id, buf)?;
        let found = buf.storage().as_any().downcast_ref();
        found.ok_or_else(|| self.foreign_storage(op))
    }

    pub(crate) fn limbs_mut<'a>(&self, op: &'static str, buf: &'a mut Buf) -> BackendResult<&'a mut Limbs> {
        check::owner(op, &self.id, buf)?;
        let found = buf.storage_mut().as_any_mut().downcast_mut();
        found.ok_or_else(|| self.foreign_storage(op))
    }

    /// A buffer with the identity of this backend that this backend did not make.
    fn foreign_storage(&self, op: &'static str) -> BackendError {
        BackendError::WrongOwner { op, expected: self.id.name().into(), found: "another type of storage".into() }
    }

    /// The same view of the other backend's buffer.
    pub(crate) fn inner<'a>(&self, op: &'static str, view: View<'a>) -> BackendResult<View<'a>> {
        Ok(view.on(&self.limbs(op, view.buf())?.buf))
    }

    /// The same view of the other backend's buffer, to be written.
    pub(crate) fn inner_mut<'a>(&self, op: &'static str, view: &'a mut ViewMut<'_>) -> BackendResult<ViewMut<'a>> {
        let ((offset, stride), polys, limbs) = (view.offset_and_stride(), view.polys(), view.limbs());
        let buf = &mut self.limbs_mut(op, view.buf_mut())?.buf;
        // a view without limbs may be at the buffer's end, where no polynomial begins
        let (offset, stride) = (if limbs == 0 { 0 } else { offset }, stride.max(1));
        let all = buf.limbs() / stride;
        Ok(buf.view_mut(all).slice(offset / stride, polys).range(offset % stride, limbs))
    }

    /// The domain of limb `i` of polynomial `p` if it depends on inputs; `None` for a constant.
    pub(crate) fn domain(&self, op: &'static str, view: View<'_>, p: usize, i: usize) -> BackendResult<Option<Domain>> {
        Ok(match self.limbs(op, view.buf())?.limbs()[limb_place(view, p, i)] {
            Limb::Constant(_) => None,
            Limb::Variable(_, domain) => Some(domain),
        })
    }

    /// The address of limb `i` of polynomial `p`, which an instruction reads in this domain. A
    /// constant that has none gets one.
    pub(crate) fn address(
        &self,
        op: &'static str,
        view: View<'_>,
        [p, i]: [usize; 2],
        domain: Domain,
    ) -> BackendResult<u32> {
        let (limbs, index) = (self.limbs(op, view.buf())?, limb_place(view, p, i));
        let known = limbs.limbs()[index];
        match known {
            Limb::Constant(Some((address, found))) if found == domain => Ok(address),
            Limb::Variable(_, found) if found != domain && view.n() >= 1 << LOG_TILE => {
                Err(FhetchError::Domain { op, expected: domain_name(domain), found: domain_name(found) }.into())
            }
            Limb::Variable(address, _) => Ok(address),
            Limb::Constant(_) => {
                self.expect_public(op, view.buf())?;
                let mut words = zeros(limbs.buf.n())?;
                self.inner.download(&limbs.buf, index, &mut words)?;
                to_file_order(&mut words, domain);
                let address = self.recording().constant(domain, words)?;
                limbs.limbs()[index] = Limb::Constant(Some((address, domain)));
                Ok(address)
            }
        }
    }

    /// Refuses a buffer that is marked as secret.
    pub(crate) fn expect_public(&self, op: &'static str, buf: &Buf) -> Result<()> {
        if buf.is_secret() { Err(FhetchError::Secret { op }) } else { Ok(()) }
    }

    /// Refuses to write what is computed from a buffer that is marked as secret to an unmarked one.
    pub(crate) fn expect_mark(&self, op: &'static str, dst: &ViewMut<'_>, src: View<'_>) -> Result<()> {
        if src.is_secret() && !dst.is_secret() { Err(FhetchError::Secret { op }) } else { Ok(()) }
    }

    /// Adds an instruction and returns the address of its result.
    pub(crate) fn push(&self, op: Op, src: u32, modulus: u64) -> Result<u32> {
        self.recording().push(op, src, modulus)
    }

    /// Sets what is known of each limb of `dst` to what `record(polynomial, limb)` returns. `record`
    /// may read the old limb.
    pub(crate) fn record_each(
        &self,
        op: &'static str,
        dst: &ViewMut<'_>,
        mut record: impl FnMut(usize, usize) -> BackendResult<Limb>,
    ) -> BackendResult<()> {
        let limbs = self.limbs(op, dst.buf())?;
        for p in 0..dst.polys() {
            for i in 0..dst.limbs() {
                let limb = record(p, i)?;
                limbs.limbs()[dst.limb_index(p, i)] = limb;
            }
        }
        Ok(())
    }
}

/// Brings words of this backend to the order of `sr_ntt`, in which the file has values.
pub(crate) fn to_file_order(words: &mut [u64], domain: Domain) {
    if domain == Domain::Evaluation {
        positions_to_leaves(words);
    }
}

fn domain_name(domain: Domain) -> &'static str {
    match domain {
        Domain::Coefficient => "coefficients",
        Domain::Evaluation => "values",
    }
}

/// The index of a limb in its buffer. A view with one polynomial has the same limbs for every `p`.
pub(crate) fn limb_place(view: View<'_>, p: usize, i: usize) -> usize {
    view.limb_index(if view.polys() == 1 { 0 } else { p }, i)
}
