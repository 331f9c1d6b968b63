//! The evaluator of encrypted vectors: its keys, its checks, and the operations of all schemes.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ringjet_backend::Buf;

use super::{Ciphertext, Plaintext, Vectors, expect_polys, expect_scales};
use crate::noise::ErrorTerm;
use crate::rlwe::Context;
use crate::rlwe::keyswitch::{EvaluationKeys, Key, expect_rotations};
use crate::{Error, KeyId, Noise, Result, Unit};

/// Refreshes the ciphertexts of the evaluator that it is attached to, in practice by bootstrapping.
/// [`Bootstrappers`](crate::circuits::Bootstrappers) implements it for each scheme.
pub trait Refresh<P: Vectors>: Any + Send + Sync + fmt::Debug {
    /// The same message with more levels, or bits of modulus, left. Fails where bootstrapping does.
    fn refresh(&self, eval: &Evaluator<P>, a: &Ciphertext<P>) -> Result<Ciphertext<P>>;

    /// Prepares `a` for an operation that spends `amount`: levels, or bits of the modulus. If `a`
    /// could not be refreshed after that operation any more, it is refreshed now. It is returned
    /// unchanged if keys for refreshing are missing or if refreshing would gain less than `amount`.
    /// Fails as [`Refresh::refresh`] does.
    fn before_spending(&self, eval: &Evaluator<P>, a: &Ciphertext<P>, amount: usize) -> Result<Ciphertext<P>>;
}

/// A ciphertext before it was refreshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refreshed {
    /// The levels, or bits of the modulus, that were left.
    pub left: usize,
    /// Binary logarithm of the number of slots in a row.
    pub log_slots: u32,
}

/// Computes on ciphertexts; holds public keys only. Cheap to clone.
///
/// Methods that end in `_auto`, and those that take values in the clear, align operands and
/// bootstrap. All other methods align nothing: moduli and scales must agree.
#[derive(Clone, Debug)]
pub struct Evaluator<P: Vectors> {
    pub(crate) ctx: Context<P>,
    pub(crate) keys: Arc<EvaluationKeys<P::Key>>,
    refresh: Option<Arc<dyn Refresh<P>>>,
    pub(crate) operand_cache: P::OperandCache,
}

impl<P: Vectors> Evaluator<P> {
    /// An evaluator with these keys. [`Evaluator::bootstrapping`](crate::Evaluator::bootstrapping)
    /// makes an evaluator that also bootstraps. Fails with [`Error::ParameterMismatch`].
    pub fn new(ctx: &Context<P>, keys: Arc<EvaluationKeys<P::Key>>) -> Result<Self> {
        ctx.params().ring().expect_same("evaluation keys", keys.params().ring())?;
        Ok(Self { ctx: ctx.clone(), keys, refresh: None, operand_cache: P::OperandCache::default() })
    }

    /// The same evaluator with `refresh`, which refreshes ciphertexts that have too little left.
    pub(crate) fn with_refresh(self, refresh: Arc<dyn Refresh<P>>) -> Self {
        Self { refresh: Some(refresh), ..self }
    }

    /// The attached implementation of [`Refresh`], if there is one.
    pub(crate) fn refresh(&self) -> Option<&dyn Refresh<P>> {
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

    /// `a`, bootstrapped if it could not be bootstrapped any more after an operation that spends
    /// `amount`: levels, or bits of the modulus. `a` is returned unchanged if it has too little
    /// left already, if bootstrapping gains less than `amount`, or if this evaluator does not
    /// bootstrap. Fails where bootstrapping does.
    pub(crate) fn with_left(&self, a: &Ciphertext<P>, amount: usize) -> Result<Ciphertext<P>> {
        self.refresh().map_or_else(|| Ok(a.clone()), |refresh| refresh.before_spending(self, a, amount))
    }

    /// Refuses a ciphertext whose parameters or secret are not those of the keys.
    pub(crate) fn check(&self, ct: &Ciphertext<P>) -> Result<()> {
        self.ctx.params().ring().expect_same("ciphertext", ct.params().ring())?;
        self.keys.key_id().join("ciphertext", ct.key_id()).map(|_| ())
    }

    /// Like [`Evaluator::check`]; also refuses a product that is not relinearised.
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

    /// Refuses a plaintext of other parameters or with another number of slots. In a scheme with
    /// levels it also refuses a plaintext of another level; the integer plaintexts of other schemes
    /// fit every modulus.
    pub(crate) fn check_plain(&self, op: &'static str, a: &Ciphertext<P>, p: &Plaintext<P>) -> Result<()> {
        self.check(a)?;
        self.ctx.params().ring().expect_same("plaintext", p.params().ring())?;
        let (lhs, rhs) = (P::left(a.position()), P::left(p.position()));
        if P::PLAINTEXTS_HAVE_MODULI && lhs != rhs {
            return Err(Error::ModulusMismatch { unit: P::UNIT, op, lhs, rhs });
        }
        if a.log_slots() != p.log_slots() {
            return Err(Error::SlotMismatch { lhs: a.slots(), rhs: p.slots() });
        }
        Ok(())
    }

    /// The identity of the secret that results computed from `ct` with these keys belong to.
    pub(crate) fn owner(&self, ct: &Ciphertext<P>) -> KeyId {
        ct.key_id().or(self.keys.key_id())
    }

    /// A result computed from `like` slot by slot, by an operation that leaves 0 in every slot where
    /// `like` has 0.
    pub(crate) fn mapped(
        &self,
        like: &Ciphertext<P>,
        buf: Buf,
        polys: usize,
        position: P::Position,
        noise: Noise,
    ) -> Ciphertext<P> {
        self.result_like(like, buf, polys, position, noise).with_held(like.held())
    }

    /// A result computed from `like`: with the same number of slots and of values, and the same
    /// secret.
    pub(crate) fn result_like(
        &self,
        like: &Ciphertext<P>,
        buf: Buf,
        polys: usize,
        position: P::Position,
        noise: Noise,
    ) -> Ciphertext<P> {
        // values of exact schemes wrap around: their range is that of all residues
        let noise = if P::EXACT { noise.with_range(like.noise().range()) } else { noise };
        let made = Ciphertext::new(self.ctx.params(), buf, polys, position, like.log_slots(), noise);
        made.with_key(self.owner(like)).with_held(like.held().unknown())
    }

    /// A key that rotates `a` by `steps`, and its Galois element. With fewer than N/2 slots, every
    /// rotation that equals `steps` modulo the number of slots has the same effect, so its key is
    /// used as well.
    pub(crate) fn rotation_key(&self, a: &Ciphertext<P>, steps: i64) -> Result<(u32, &P::Key)> {
        let (ring, slots) = (self.ctx.params().ring(), a.row_slots() as i64);
        let equal = (0..ring.max_slots() as i64 / slots).map(|k| steps + k * slots);
        let level = if P::UNIT == Unit::Levels { P::left(a.position()) } else { 0 };
        let mut best: Option<(u32, &P::Key)> = None;
        for s in equal {
            let Ok(key) = self.keys.rotation(s) else { continue };
            // Takes the first key that serves the ciphertext's level. If there is none, takes the
            // key for the highest level: the error then states the highest level that is available.
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
    pub(crate) fn expect_rotations(&self, a: &Ciphertext<P>, steps: &[i64]) -> Result<()> {
        expect_rotations(a.row_slots(), steps, |s| self.rotation_key(a, s).is_ok())
    }
}

/// Two ciphertexts.
pub type Pair<P> = (Ciphertext<P>, Ciphertext<P>);

/// How a scheme computes on the polynomials of its vectors.
pub trait Operations: Vectors {
    /// Brings both ciphertexts to the same modulus and scale. Fails if that is impossible, and with
    /// [`Error::SlotMismatch`], [`Error::ParameterMismatch`].
    fn align(eval: &Evaluator<Self>, a: &Ciphertext<Self>, b: &Ciphertext<Self>) -> Result<Pair<Self>>;

    /// The polynomials of `a + b`, or of `a - b` if `minus`: the larger of the two numbers.
    fn sum(ctx: &Context<Self>, a: &Ciphertext<Self>, b: &Ciphertext<Self>, minus: bool) -> Result<Buf>;

    /// The polynomials of `a + p`, or of `a - p` if `minus`.
    fn sum_plain(ctx: &Context<Self>, a: &Ciphertext<Self>, p: &Plaintext<Self>, minus: bool) -> Result<Buf>;

    /// The noise of `a + p`, or of `a - p` if `minus`. The rounding of the plaintext can depend on
    /// the values of `a`.
    fn sum_plain_noise(a: &Ciphertext<Self>, p: &Plaintext<Self>, minus: bool) -> Noise {
        let range = if minus { p.range().negated() } else { p.range() };
        let noise = a.noise().plus_fixed(p.encoding_error());
        noise.with_range(noise.range().sum(range))
    }

    /// The two polynomials of `a(X^galois)`, switched back to the secret of `a` by `key`.
    fn galois(ctx: &Context<Self>, a: &Ciphertext<Self>, galois: u32, key: &Self::Key) -> Result<Buf>;

    /// The error that [`Operations::galois`] adds.
    fn switching_error(a: &Ciphertext<Self>) -> ErrorTerm;

    /// The noise after [`Operations::galois`] with the Galois element `galois`.
    fn noise_after_rotation(a: &Ciphertext<Self>, _galois: u32) -> Noise {
        a.noise().noise_after_rotation(Self::switching_error(a))
    }
}

impl<P: Operations> Evaluator<P> {
    fn sum(&self, op: &'static str, a: &Ciphertext<P>, b: &Ciphertext<P>, minus: bool) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Add");
        self.check_pair(op, a, b)?;
        P::expect_addable(op, a.position(), b.position())?;
        let noise = if minus { a.noise().difference(b.noise()) } else { a.noise().sum(b.noise()) };
        a.expect_room(op, noise)?;
        let buf = P::sum(&self.ctx, a, b, minus)?;
        let made =
            self.result_like(a, buf, a.polys().max(b.polys()), a.position(), noise).with_held(a.held().sum(b.held())?);
        Ok(made.with_key(self.owner(a).or(b.key_id())))
    }

    /// `a + b`; moduli and scales must agree.
    ///
    /// # Errors
    /// [`Error::ModulusMismatch`], [`Error::ScaleMismatch`], [`Error::SlotMismatch`],
    /// [`Error::ParameterMismatch`], [`Error::KeyMismatch`]; [`Error::Overflow`] where the values
    /// could wrap around the modulus.
    pub fn add(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        self.sum("add", a, b, false)
    }

    /// `a - b`; moduli and scales must agree. Fails as [`Evaluator::add`] does.
    pub fn sub(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        self.sum("sub", a, b, true)
    }

    /// `a + b`, after both are brought to a common modulus and scale.
    /// Fails as [`Evaluator::add`] and [`Operations::align`] do.
    pub fn add_auto(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        let (a, b) = P::align(self, a, b)?;
        self.add(&a, &b)
    }

    /// `a - b`, brought to a common modulus and scale. Fails as [`Evaluator::add_auto`] does.
    pub fn sub_auto(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        let (a, b) = P::align(self, a, b)?;
        self.sub(&a, &b)
    }

    /// `a + p`, or `a - p` if `minus`, for a plaintext with any number of slots.
    pub(crate) fn sum_plain(
        &self,
        op: &'static str,
        a: &Ciphertext<P>,
        p: &Plaintext<P>,
        minus: bool,
    ) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("PtAdd");
        expect_scales(op, P::scale_of(a.position()), P::scale_of(p.position()))?;
        let noise = P::sum_plain_noise(a, p, minus);
        a.expect_room(op, noise)?;
        // the constant of a plaintext with one slot is in every slot
        let held =
            if a.log_slots() == p.log_slots() { a.held().plus_plain(p.held(), a.slots()) } else { a.held().unknown() };
        Ok(self.result_like(a, P::sum_plain(&self.ctx, a, p, minus)?, a.polys(), a.position(), noise).with_held(held))
    }

    /// `a + p`; moduli, scales and numbers of slots must agree.
    ///
    /// # Errors
    /// [`Error::ModulusMismatch`] in schemes whose plaintexts have levels;
    /// [`Error::ScaleMismatch`], [`Error::SlotMismatch`], [`Error::ParameterMismatch`],
    /// [`Error::Overflow`].
    pub fn add_plain(&self, a: &Ciphertext<P>, p: &Plaintext<P>) -> Result<Ciphertext<P>> {
        self.check_plain("add_plain", a, p)?;
        self.sum_plain("add_plain", a, p, false)
    }

    /// `a - p`. Requires and refuses what [`Evaluator::add_plain`] does.
    pub fn sub_plain(&self, a: &Ciphertext<P>, p: &Plaintext<P>) -> Result<Ciphertext<P>> {
        self.check_plain("sub_plain", a, p)?;
        self.sum_plain("sub_plain", a, p, true)
    }

    /// `a` under the automorphism `galois`, whose key is `key`. It holds a value in every slot.
    fn moved(&self, a: &Ciphertext<P>, galois: u32, key: &P::Key) -> Result<Ciphertext<P>> {
        let buf = P::galois(&self.ctx, a, galois, key)?;
        Ok(self.result_like(a, buf, 2, a.position(), P::noise_after_rotation(a, galois)).everywhere())
    }

    /// Rotates the slots by `steps` to the left, or to the right if `steps` is negative: slot j
    /// gets the value of slot `j + steps`, modulo the number of slots. Modulus and scale stay. Padding
    /// moves as values do: the result counts as a vector with a value in every slot.
    /// Fails with [`Error::MissingRotationKey`], [`Error::ParameterMismatch`]; [`Error::Degree`]
    /// for a product that is not relinearised.
    pub fn rotate(&self, a: &Ciphertext<P>, steps: i64) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Rotate");
        self.check_degree("rotate", a)?;
        if steps.rem_euclid(a.row_slots() as i64) == 0 {
            return Ok(a.clone());
        }
        let (galois, key) = self.rotation_key(a, steps)?;
        self.moved(a, galois, key)
    }

    /// The automorphism that rotates all N/2 slots by `steps`, however many slots `a` has.
    /// Fails as [`Evaluator::rotate`] does.
    pub(crate) fn rotate_full(&self, a: &Ciphertext<P>, steps: i64) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Rotate");
        self.check_degree("rotate", a)?;
        self.moved(a, self.ctx.params().ring().rotation_element(steps), self.keys.rotation(steps)?)
    }

    /// Complex conjugate of every slot. Modulus and scale stay.
    /// Fails with [`Error::MissingConjugationKey`]; otherwise as [`Evaluator::rotate`].
    pub fn conjugate(&self, a: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Conjugate");
        self.check_degree("conjugate", a)?;
        let made = self.moved(a, self.ctx.params().ring().conjugation_element(), self.keys.conjugation()?)?;
        // in exact schemes it swaps the rows of slots
        Ok(if P::EXACT { made } else { made.with_held(a.held()) })
    }
}
