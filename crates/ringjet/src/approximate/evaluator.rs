//! What computes on encrypted vectors: its keys, and what it refuses.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ringjet_backend::Buf;

use super::{Approximate, Ciphertext, Plaintext};
use crate::rlwe::Context;
use crate::rlwe::keyswitch::{EvaluationKeys, Key, expect_rotations};
use crate::{Error, KeyId, Noise, Result, Scale, Unit};

/// Refreshes ciphertexts for an evaluator that it is attached to: bootstrapping, in practice.
/// [`Bootstrappers`](crate::circuits::Bootstrappers) is one for each scheme.
pub trait Refresh<P: Approximate>: Any + Send + Sync + fmt::Debug {
    /// The same message with more to spend. Fails where bootstrapping does.
    fn refresh(&self, eval: &Evaluator<P>, a: &Ciphertext<P>) -> Result<Ciphertext<P>>;

    /// The same message, refreshed where it could not be refreshed any more once `amount` is spent: levels, or bits of a
    /// modulus. Where it cannot be refreshed for want of keys, or would gain less than `amount`, it stays as it is.
    /// Fails as [`Refresh::refresh`] does.
    fn before_spending(&self, eval: &Evaluator<P>, a: &Ciphertext<P>, amount: usize) -> Result<Ciphertext<P>>;
}

/// Computes on ciphertexts; holds public keys only. Cheap to clone.
///
/// Explicit methods align nothing: moduli and scales must agree. Those that end in `_auto`, and those
/// that take values in the clear, align and bootstrap by themselves.
#[derive(Clone, Debug)]
pub struct Evaluator<P: Approximate> {
    pub(crate) ctx: Context<P>,
    pub(crate) keys: Arc<EvaluationKeys<P::Key>>,
    refresh: Option<Arc<dyn Refresh<P>>>,
}

impl<P: Approximate> Evaluator<P> {
    /// An evaluator with these keys. One that also bootstraps is made by
    /// [`Evaluator::bootstrapping`](crate::Evaluator::bootstrapping).
    /// Fails with [`Error::ParameterMismatch`].
    pub fn new(ctx: &Context<P>, keys: Arc<EvaluationKeys<P::Key>>) -> Result<Self> {
        ctx.params().ring().expect_same("evaluation keys", keys.params().ring())?;
        Ok(Self { ctx: ctx.clone(), keys, refresh: None })
    }

    /// The same, with something that refreshes ciphertexts that have too little left.
    pub fn with_refresh(self, refresh: Arc<dyn Refresh<P>>) -> Self {
        Self { refresh: Some(refresh), ..self }
    }

    /// What refreshes ciphertexts.
    pub fn refresh(&self) -> Option<&dyn Refresh<P>> {
        self.refresh.as_deref()
    }

    /// The context.
    pub fn context(&self) -> &Context<P> {
        &self.ctx
    }

    /// The keys.
    pub fn keys(&self) -> &EvaluationKeys<P::Key> {
        &self.keys
    }

    /// `a`, bootstrapped where it would have too little left for that once `amount` is spent: levels, or
    /// bits of the modulus. Not bootstrapped where it has too little already, where bootstrapping
    /// wins less than `amount`, and by an evaluator that does not bootstrap.
    /// Fails where bootstrapping does.
    pub fn with_left(&self, a: &Ciphertext<P>, amount: usize) -> Result<Ciphertext<P>> {
        self.refresh().map_or_else(|| Ok(a.clone()), |refresh| refresh.before_spending(self, a, amount))
    }

    /// Refuses a ciphertext of other parameters or of another secret than the keys.
    pub(crate) fn check(&self, ct: &Ciphertext<P>) -> Result<()> {
        self.ctx.params().ring().expect_same("ciphertext", ct.params().ring())?;
        self.keys.key_id().join("ciphertext", ct.key_id()).map(|_| ())
    }

    /// [`Evaluator::check`], and refuses a product that is not relinearised.
    pub(crate) fn check_degree(&self, op: &'static str, ct: &Ciphertext<P>) -> Result<()> {
        self.check(ct)?;
        expect_polys(op, 2, ct.polys())
    }

    /// Refuses two ciphertexts of different parameters, secrets, packings or moduli.
    pub(crate) fn check_pair(&self, op: &'static str, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<()> {
        self.check(a)?;
        a.expect_packing(b)?;
        let (lhs, rhs) = (P::left(a.position()), P::left(b.position()));
        if lhs != rhs {
            return Err(Error::ModulusMismatch { unit: P::UNIT, op, lhs, rhs });
        }
        Ok(())
    }

    /// Refuses a plaintext of other parameters or another packing, and of another level. Integers that
    /// are no residues go with every modulus.
    pub(crate) fn check_plain(&self, op: &'static str, a: &Ciphertext<P>, p: &Plaintext<P>) -> Result<()> {
        self.check(a)?;
        self.ctx.params().ring().expect_same("plaintext", p.params().ring())?;
        let (lhs, rhs) = (P::left(a.position()), P::left(p.position()));
        if P::UNIT == Unit::Levels && lhs != rhs {
            return Err(Error::ModulusMismatch { unit: P::UNIT, op, lhs, rhs });
        }
        if a.log_slots() != p.log_slots() {
            return Err(Error::SlotMismatch { lhs: a.slots(), rhs: p.slots() });
        }
        Ok(())
    }

    /// The secret of what is made of `ct` with these keys.
    pub(crate) fn owner(&self, ct: &Ciphertext<P>) -> KeyId {
        ct.key_id().or(self.keys.key_id())
    }

    /// What was made of `like`: polynomials of the same packing and secret.
    pub(crate) fn made(
        &self,
        like: &Ciphertext<P>,
        buf: Buf,
        polys: usize,
        position: P::Position,
        noise: Noise,
    ) -> Ciphertext<P> {
        let made = Ciphertext::new(self.ctx.params(), buf, polys, position, like.log_slots(), noise);
        made.with_key(self.owner(like))
    }

    /// A key that rotates `a` by `steps`, and its Galois element: with sparse packing, any rotation equal to
    /// it modulo the number of slots does.
    pub(crate) fn rotation_key(&self, a: &Ciphertext<P>, steps: i64) -> Result<(u32, &P::Key)> {
        let (ring, slots) = (self.ctx.params().ring(), a.slots() as i64);
        let equal = (0..ring.max_slots() as i64 / slots).map(|k| steps + k * slots);
        let level = if P::UNIT == Unit::Levels { P::left(a.position()) } else { 0 };
        let mut best: Option<(u32, &P::Key)> = None;
        for s in equal {
            let Ok(key) = self.keys.rotation(s) else { continue };
            // the first one that serves the ciphertext's level, or else the one that serves the highest, whose
            // refusal says more
            if best.is_none_or(|(_, other)| key.level() > other.level()) {
                best = Some((ring.rotation_element(s), key));
            }
            if key.level() >= level {
                break;
            }
        }
        best.ok_or(Error::MissingRotationKey { rotation: steps })
    }

    /// Refuses where keys for some of these rotations of `a` are missing.
    /// Fails with [`Error::MissingRotationKey`], [`Error::MissingRotationKeys`] with all of them.
    pub fn expect_rotations(&self, a: &Ciphertext<P>, steps: &[i64]) -> Result<()> {
        expect_rotations(a.slots(), steps, |s| self.rotation_key(a, s).is_ok())
    }
}

pub(crate) fn expect_polys(op: &'static str, expected: usize, found: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Degree { op, expected, found }) }
}

pub(crate) fn expect_scales(op: &'static str, lhs: Scale, rhs: Scale) -> Result<()> {
    if lhs == rhs {
        return Ok(());
    }
    Err(Error::ScaleMismatch { op, lhs_log2: lhs.log2(), rhs_log2: rhs.log2() })
}
