//! What computes on encrypted vectors: its keys, what it refuses, and the operations of all schemes.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ringjet_backend::Buf;

use super::{Approximate, Ciphertext, Plaintext};
use crate::noise::Added;
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
        if lhs != rhs { Err(Error::ModulusMismatch { unit: P::UNIT, op, lhs, rhs }) } else { Ok(()) }
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
    if lhs == rhs { Ok(()) } else { Err(Error::ScaleMismatch { op, lhs_log2: lhs.log2(), rhs_log2: rhs.log2() }) }
}

/// Two ciphertexts.
pub type Pair<P> = (Ciphertext<P>, Ciphertext<P>);

/// How a scheme computes on the polynomials of its vectors.
pub trait Operations: Approximate {
    /// Both at the same modulus and scale. Fails where they cannot be brought there, and with
    /// [`Error::SlotMismatch`], [`Error::ParameterMismatch`].
    fn align(eval: &Evaluator<Self>, a: &Ciphertext<Self>, b: &Ciphertext<Self>) -> Result<Pair<Self>>;

    /// The polynomials of `a + b`, or of `a - b`, as many as the longer one has.
    fn sum(ctx: &Context<Self>, a: &Ciphertext<Self>, b: &Ciphertext<Self>, minus: bool) -> Result<Buf>;

    /// The polynomials of `a + p`, or of `a - p`.
    fn sum_plain(ctx: &Context<Self>, a: &Ciphertext<Self>, p: &Plaintext<Self>, minus: bool) -> Result<Buf>;

    /// The two polynomials of `a(X^galois)`, brought back to the secret of `a` by `key`.
    fn galois(ctx: &Context<Self>, a: &Ciphertext<Self>, galois: u32, key: &Self::Key) -> Result<Buf>;

    /// The error that this adds.
    fn switching_error(a: &Ciphertext<Self>) -> Added;
}

impl<P: Operations> Evaluator<P> {
    fn sum(&self, op: &'static str, a: &Ciphertext<P>, b: &Ciphertext<P>, minus: bool) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Add");
        self.check_pair(op, a, b)?;
        expect_scales(op, P::scale_of(a.position()), P::scale_of(b.position()))?;
        let noise = if minus { a.noise().difference(b.noise()) } else { a.noise().sum(b.noise()) };
        a.expect_room(op, noise)?;
        let buf = P::sum(&self.ctx, a, b, minus)?;
        let made = self.made(a, buf, a.polys().max(b.polys()), a.position(), noise);
        Ok(made.with_key(self.owner(a).or(b.key_id())))
    }

    /// `a + b`; moduli and scales must agree.
    ///
    /// # Errors
    /// [`Error::ModulusMismatch`], [`Error::ScaleMismatch`], [`Error::SlotMismatch`], [`Error::ParameterMismatch`],
    /// [`Error::KeyMismatch`]; [`Error::Overflow`] where the values could wrap around the modulus.
    pub fn add(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        self.sum("add", a, b, false)
    }

    /// `a - b`, as [`Evaluator::add`].
    pub fn sub(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        self.sum("sub", a, b, true)
    }

    /// `a + b`, brought to a common modulus and scale.
    /// Fails as [`Evaluator::add`] and [`Operations::align`] do.
    pub fn add_auto(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        let (a, b) = P::align(self, a, b)?;
        self.add(&a, &b)
    }

    /// `a - b`, as [`Evaluator::add_auto`].
    pub fn sub_auto(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        let (a, b) = P::align(self, a, b)?;
        self.sub(&a, &b)
    }

    /// `a + p`, or `a - p`, of a plaintext with any number of slots.
    pub(crate) fn sum_plain(
        &self,
        op: &'static str,
        a: &Ciphertext<P>,
        p: &Plaintext<P>,
        minus: bool,
    ) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("PtAdd");
        expect_scales(op, P::scale_of(a.position()), P::scale_of(p.position()))?;
        let range = if minus { p.range().negated() } else { p.range() };
        let noise = a.noise().plus_fixed(a.params().encoding_error(p.log_slots()));
        let noise = noise.with_range(noise.range().sum(range));
        a.expect_room(op, noise)?;
        Ok(self.made(a, P::sum_plain(&self.ctx, a, p, minus)?, a.polys(), a.position(), noise))
    }

    /// `a + p`; moduli, scales and packings must agree.
    ///
    /// # Errors
    /// [`Error::ModulusMismatch`] where plaintexts have levels; [`Error::ScaleMismatch`], [`Error::SlotMismatch`],
    /// [`Error::ParameterMismatch`], [`Error::Overflow`].
    pub fn add_plain(&self, a: &Ciphertext<P>, p: &Plaintext<P>) -> Result<Ciphertext<P>> {
        self.check_plain("add_plain", a, p)?;
        self.sum_plain("add_plain", a, p, false)
    }

    /// `a - p`, as [`Evaluator::add_plain`].
    pub fn sub_plain(&self, a: &Ciphertext<P>, p: &Plaintext<P>) -> Result<Ciphertext<P>> {
        self.check_plain("sub_plain", a, p)?;
        self.sum_plain("sub_plain", a, p, true)
    }

    /// `a` under the automorphism `galois`, whose key is `key`.
    fn moved(&self, a: &Ciphertext<P>, galois: u32, key: &P::Key) -> Result<Ciphertext<P>> {
        let buf = P::galois(&self.ctx, a, galois, key)?;
        Ok(self.made(a, buf, 2, a.position(), a.noise().turned(P::switching_error(a))))
    }

    /// Rotates the slots by `steps` to the left (`steps < 0`: to the right): slot j gets the value of slot j + steps. Modulus
    /// and scale stay.
    /// Fails with [`Error::MissingRotationKey`], [`Error::ParameterMismatch`]; [`Error::Degree`]
    /// for a product that is not relinearised.
    pub fn rotate(&self, a: &Ciphertext<P>, steps: i64) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Rotate");
        self.check_degree("rotate", a)?;
        if steps.rem_euclid(a.slots() as i64) == 0 {
            return Ok(a.clone());
        }
        let (galois, key) = self.rotation_key(a, steps)?;
        self.moved(a, galois, key)
    }

    /// The automorphism of a rotation by `steps` of all N/2 slots, whatever the packing.
    /// Fails as [`Evaluator::rotate`] does.
    pub fn rotate_full(&self, a: &Ciphertext<P>, steps: i64) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Rotate");
        self.check_degree("rotate", a)?;
        self.moved(a, self.ctx.params().ring().rotation_element(steps), self.keys.rotation(steps)?)
    }

    /// Complex conjugate of every slot. Modulus and scale stay.
    /// Fails with [`Error::MissingConjugationKey`]; otherwise as [`Evaluator::rotate`].
    pub fn conjugate(&self, a: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Conjugate");
        self.check_degree("conjugate", a)?;
        self.moved(a, self.ctx.params().ring().conjugation_element(), self.keys.conjugation()?)
    }
}
