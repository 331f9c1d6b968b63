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
/// uploads, such as keys and plaintexts, are constants. What follows from constants alone is
/// computed now and is a constant, too, so the program has no instructions for it. The results are
/// what is downloaded within [`Exporter::output`]. A value that depends on inputs is not downloaded
/// anywhere else, so the instructions cannot depend on the inputs' data.
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

impl Exporter {
    /// An exporter that computes on `inner`, which must hold values.
    pub fn new(inner: Arc<dyn Backend>) -> Self {
        Self { id: BackendId::new("fhetch"), inner, recording: Mutex::default() }
    }

    /// Calls `upload`: what it uploads to this backend are the polynomials of an input of this name, in
    /// the evaluation domain, as those of ciphertexts are.
    pub fn input<T>(&self, name: &str, upload: impl FnOnce() -> T) -> T {
        self.within(Scope::Input, name, upload)
    }

    /// Calls `download`: what it downloads from this backend are the polynomials of a result of this
    /// name.
    pub fn output<T>(&self, name: &str, download: impl FnOnce() -> T) -> T {
        self.within(Scope::Output, name, download)
    }

    fn within<T>(&self, scope: Scope, name: &str, run: impl FnOnce() -> T) -> T {
        let before = self.recording().begin(scope, name);
        let made = run();
        self.recording().scope = before;
        made
    }

    /// The program so far, with its data.
    pub fn program(&self) -> Program {
        self.recording().program()
    }

    pub(crate) fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn own_id(&self) -> &BackendId {
        &self.id
    }

    /// A buffer of this backend for one of the other backend, whose contents are constants.
    pub(crate) fn wrap(&self, buf: Buf) -> BackendResult<Buf> {
        let (limbs, n) = (buf.limbs(), buf.n());
        let unknown = collected((0..limbs).map(|_| Limb::Constant(None)))?;
        Ok(Buf::new(Box::new(Limbs { buf, limbs: Mutex::new(unknown) }), self.id.clone(), limbs, n))
    }

    pub(crate) fn limbs<'a>(&self, op: &'static str, buf: &'a Buf) -> BackendResult<&'a Limbs> {
        check::owner(op, &self.id, buf)?;
        let found = buf.storage().as_any().downcast_ref();
        found.ok_or_else(|| self.lost(op))
    }

    pub(crate) fn limbs_mut<'a>(&self, op: &'static str, buf: &'a mut Buf) -> BackendResult<&'a mut Limbs> {
        check::owner(op, &self.id, buf)?;
        let found = buf.storage_mut().as_any_mut().downcast_mut();
        found.ok_or_else(|| self.lost(op))
    }

    /// A buffer with the identity of this backend that this backend did not make.
    fn lost(&self, op: &'static str) -> BackendError {
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
        let stride = stride.max(1);
        let all = buf.limbs() / stride;
        Ok(buf.view_mut(all).slice(offset / stride, polys).range(offset % stride, limbs))
    }

    /// The domain of limb `i` of polynomial `p` if it depends on inputs; `None` for a constant.
    pub(crate) fn domain(&self, op: &'static str, view: View<'_>, p: usize, i: usize) -> BackendResult<Option<Domain>> {
        Ok(match self.limbs(op, view.buf())?.limbs()[place(view, p, i)] {
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
        let (limbs, at) = (self.limbs(op, view.buf())?, place(view, p, i));
        let known = limbs.limbs()[at];
        match known {
            Limb::Constant(Some((address, found))) if found == domain => Ok(address),
            Limb::Variable(_, found) if found != domain && view.n() >= 1 << LOG_TILE => {
                Err(FhetchError::Domain { op, expected: name(domain), found: name(found) }.into())
            }
            Limb::Variable(address, _) => Ok(address),
            Limb::Constant(_) => {
                self.expect_public(op, view.buf())?;
                let mut words = zeros(limbs.buf.n())?;
                self.inner.download(&limbs.buf, at, &mut words)?;
                to_file_order(&mut words, domain);
                let address = self.recording().constant(words)?;
                limbs.limbs()[at] = Limb::Constant(Some((address, domain)));
                Ok(address)
            }
        }
    }

    /// Refuses a buffer that is marked as secret.
    pub(crate) fn expect_public(&self, op: &'static str, buf: &Buf) -> Result<()> {
        if buf.is_secret() { Err(FhetchError::Secret { op }) } else { Ok(()) }
    }

    /// Adds an instruction and returns the address of its result.
    pub(crate) fn push(&self, op: Op, src: u32, modulus: u64) -> Result<u32> {
        self.recording().push(op, src, modulus)
    }

    /// Makes each limb of `dst` what `lines(polynomial, limb)` returns, which may read the old one.
    pub(crate) fn each(
        &self,
        op: &'static str,
        dst: &ViewMut<'_>,
        mut lines: impl FnMut(usize, usize) -> BackendResult<Limb>,
    ) -> BackendResult<()> {
        let limbs = self.limbs(op, dst.buf())?;
        for p in 0..dst.polys() {
            for i in 0..dst.limbs() {
                let made = lines(p, i)?;
                limbs.limbs()[dst.limb_index(p, i)] = made;
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

fn name(domain: Domain) -> &'static str {
    match domain {
        Domain::Coefficient => "coefficients",
        Domain::Evaluation => "values",
    }
}

/// The index of a limb in its buffer. A view with one polynomial gives that one for every `p`.
fn place(view: View<'_>, p: usize, i: usize) -> usize {
    view.limb_index(if view.polys() == 1 { 0 } else { p }, i)
}
