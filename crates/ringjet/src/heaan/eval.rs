//! The explicit evaluator: exact moduli and scales, one operation a call (sections II to IV of Jung et al.).
//!
//! Nothing is aligned behind the caller's back; the methods of [`super::auto`] do that on top of these.

use std::sync::Arc;

use ringjet_backend::big::MAX_FACTOR;
use ringjet_backend::{BigFactor, BigMul, BigTerm, Buf, View};
use ringjet_math::big::words;

use super::ciphertext::{expect_room, expect_scale};
use super::secret::plus;
use super::{Ciphertext, Context, EvaluationKeys, SwitchingKey, noise};
use crate::refresh::Refresh;
use crate::rlwe::keyswitch::RELINEARIZATION;
use crate::{Error, KeyId, Noise, Result};

/// Computes on ciphertexts; holds public keys only. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Evaluator {
    ctx: Context,
    keys: Arc<EvaluationKeys>,
    refresh: Option<Arc<dyn Refresh<Evaluator, Ciphertext>>>,
}

impl Evaluator {
    /// An evaluator with these keys. One that also bootstraps is made by
    /// [`Bootstrapper::evaluator`](crate::circuits::heaan::Bootstrapper::evaluator).
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn new(ctx: &Context, keys: Arc<EvaluationKeys>) -> Result<Self> {
        ctx.params().expect_same("evaluation keys", keys.params())?;
        Ok(Self { ctx: ctx.clone(), keys, refresh: None })
    }

    /// The same, with something that refreshes ciphertexts that have too little modulus.
    pub fn with_refresh(self, refresh: Arc<dyn Refresh<Self, Ciphertext>>) -> Self {
        Self { refresh: Some(refresh), ..self }
    }

    /// What refreshes ciphertexts.
    pub fn refresh(&self) -> Option<&dyn Refresh<Self, Ciphertext>> {
        self.refresh.as_deref()
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.ctx
    }

    /// The keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// Refuses a ciphertext of other parameters or of another secret than the keys.
    pub(crate) fn check(&self, ct: &Ciphertext) -> Result<()> {
        self.ctx.params().expect_same("ciphertext", ct.params())?;
        self.keys.key_id().join("ciphertext", ct.key_id()).map(|_| ())
    }

    /// The secret of what is made of `ct` with these keys.
    pub(crate) fn owner(&self, ct: &Ciphertext) -> KeyId {
        ct.key_id().or(self.keys.key_id())
    }

    fn check_pair(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext) -> Result<()> {
        self.check(a)?;
        a.expect_packing(b)?;
        if a.log_q() != b.log_q() {
            return Err(Error::ModulusMismatch {
                unit: crate::Unit::Bits,
                op,
                lhs: a.log_q() as usize,
                rhs: b.log_q() as usize,
            });
        }
        Ok(())
    }

    /// Two polynomials with the modulus and packing of `like`.
    pub(crate) fn build(&self, buf: Buf, like: &Ciphertext, log_scale: u32, noise: Noise) -> Ciphertext {
        let made = Ciphertext::new(&self.ctx, buf, like.log_q(), log_scale, like.log_slots(), noise);
        made.with_key(self.owner(like))
    }

    fn linear(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext, factor: i64) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Add");
        self.check_pair(op, a, b)?;
        expect_scales(op, a.log_scale(), b.log_scale())?;
        let noise = if factor < 0 { a.noise().difference(b.noise()) } else { a.noise().sum(b.noise()) };
        noise.expect_room(op, f64::from(a.log_q()))?;
        let terms = [plus(a.view(), a.log_q()), BigTerm { factor, ..plus(b.view(), b.log_q()) }];
        let buf = self.ctx.combine(2, &terms, a.log_q())?;
        Ok(self.build(buf, a, a.log_scale(), noise).with_key(self.owner(a).or(b.key_id())))
    }

    /// `a + b`; moduli and scales must agree.
    ///
    /// # Errors
    /// [`Error::ModulusMismatch`], [`Error::ScaleMismatch`], [`Error::SlotMismatch`], [`Error::ParameterMismatch`].
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.linear("add", a, b, 1)
    }

    /// `a - b`; moduli and scales must agree.
    ///
    /// # Errors
    /// As [`Evaluator::add`].
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.linear("sub", a, b, -1)
    }

    /// `-a`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.mul_integer(a, -1)
    }

    /// `integer a`, exact: modulus and scale stay.
    ///
    /// # Errors
    /// [`Error::Argument`] for an integer of more than 51 bits; [`Error::ParameterMismatch`].
    pub fn mul_integer(&self, a: &Ciphertext, integer: i64) -> Result<Ciphertext> {
        self.times(a, integer, a.log_scale(), integer as f64)
    }

    /// The polynomials times `factor`, at the scale `2^log_scale`; the values are multiplied by `value`.
    pub(crate) fn times(&self, a: &Ciphertext, factor: i64, log_scale: u32, value: f64) -> Result<Ciphertext> {
        self.check(a)?;
        expect_scale(log_scale)?;
        if factor.unsigned_abs() > MAX_FACTOR {
            let expected = "less than 2^51 in size".into();
            return Err(Error::Argument { name: "factor", value: factor.to_string(), expected });
        }
        let noise = a.noise().scaled(factor as f64, value, noise::scale(log_scale));
        noise.expect_room("multiplication by a constant", f64::from(a.log_q()))?;
        let buf = self.ctx.combine(2, &[BigTerm { factor, ..plus(a.view(), a.log_q()) }], a.log_q())?;
        Ok(self.build(buf, a, log_scale, noise))
    }

    /// The same values at a scale that is `2^bits` times as large, exactly; the modulus stays.
    ///
    /// # Errors
    /// [`Error::ModulusExhausted`] where there is no room for it; [`Error::Argument`] for more than 50 bits;
    /// [`Error::ParameterMismatch`].
    pub fn scale_up(&self, a: &Ciphertext, bits: u32) -> Result<Ciphertext> {
        expect_room("scale_up", a.log_q(), a.log_scale().saturating_add(bits))?;
        let factor = if bits < 63 { 1i64 << bits } else { i64::MAX };
        self.times(a, factor, a.log_scale() + bits, 1.0)
    }

    /// `a b` with relinearisation, without rescaling: moduli must agree, scales multiply, the modulus stays. With the same
    /// object twice it is a square, for which less is transformed.
    ///
    /// # Errors
    /// [`Error::ModulusMismatch`], [`Error::MissingRelinearizationKey`], [`Error::SlotMismatch`],
    /// [`Error::ParameterMismatch`]; [`Error::ModulusExhausted`] where the modulus has no room for the product.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Mult");
        self.check_pair("multiplication", a, b)?;
        let log_scale = a.log_scale() + b.log_scale();
        expect_room("multiplication", a.log_q(), log_scale)?;
        let scale = noise::scale(log_scale);
        let product = if a.is_same(b) { a.noise().square(scale) } else { a.noise().product(b.noise(), scale) };
        product.expect_room("multiplication", f64::from(a.log_q()))?;
        let key = self.keys.relinearization()?;
        let (log_q, params) = (a.log_q(), self.ctx.params());
        let tensor = self.tensor(a, b)?;
        if let Some(meter) = self.ctx.backend().meter() {
            meter.uses_key(RELINEARIZATION, words(log_q));
        }
        let buf = self.switch(tensor.view(3).poly(2), log_q, key, tensor.view(3).slice(0, 2))?;
        let made = self.build(buf, a, log_scale, product.plus(noise::switching(params, log_q, a.log_slots())));
        Ok(made.with_key(self.owner(a).or(b.key_id())))
    }

    /// `a a`: [`Evaluator::mul`] of a ciphertext with itself.
    ///
    /// # Errors
    /// As there.
    pub fn square(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.mul(a, a)
    }

    /// Region 1: the products `(b b', b a' + a b', a a')`.
    fn tensor(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Buf> {
        let log_q = a.log_q();
        let primes = self.ctx.params().primes_for(log_q, log_q, 2)?;
        let (split, join) = (self.ctx.split(primes, log_q), self.ctx.join(primes, log_q));
        let right = if a.is_same(b) { BigFactor::Same } else { BigFactor::Integers(b.view(), &split) };
        let sums: &[&[(usize, usize)]] = &[&[(0, 0)], &[(0, 1), (1, 0)], &[(1, 1)]];
        let mut buf = self.ctx.alloc_big(3, log_q)?;
        let mul = BigMul { left: a.view(), split: &split, right, sums, join: &join, shift: 0, add: None };
        self.ctx.backend().big_mul(buf.view_mut(3), &mul)?;
        Ok(buf)
    }

    /// Region 2: `round(x key / Q) + add` modulo `2^log_q`, Q the largest modulus; `add` has one or two polynomials.
    pub(super) fn switch(&self, x: View<'_>, log_q: u32, key: &SwitchingKey, add: View<'_>) -> Result<Buf> {
        let (ctx, shift) = (&self.ctx, self.ctx.params().log_q());
        let primes = ctx.params().primes_for(log_q, 2 * shift, 1)?;
        let (split, join) = (ctx.split(primes, log_q), ctx.join(primes, log_q + shift));
        let (right, add) = (key.factor(), Some(add));
        let mul = BigMul { left: x, split: &split, right, sums: &[&[(0, 0)], &[(0, 1)]], join: &join, shift, add };
        let mut buf = ctx.alloc_big(2, log_q)?;
        ctx.backend().big_mul(buf.view_mut(2), &mul)?;
        Ok(buf)
    }

    /// Divides modulus and scale by `2^bits`, any number of bits, and rounds.
    ///
    /// # Errors
    /// [`Error::Argument`] for more bits than the scale has; [`Error::ModulusExhausted`] where the modulus has no more bits
    /// than these; [`Error::ParameterMismatch`].
    pub fn rescale(&self, a: &Ciphertext, bits: u32) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rescale");
        self.check(a)?;
        if bits >= a.log_q() {
            return Err(Error::bits_exhausted("rescale", bits.saturating_add(1), a.log_q()));
        }
        let Some(log_scale) = a.log_scale().checked_sub(bits) else {
            let expected = format!("at most {}, the bits of the scale", a.log_scale());
            return Err(Error::Argument { name: "bits", value: bits.to_string(), expected });
        };
        if bits == 0 {
            return Ok(a.clone());
        }
        let log_q = a.log_q() - bits;
        let mut buf = self.ctx.alloc_big(2, log_q)?;
        self.ctx.backend().shift_round(buf.view_mut(2), a.view(), a.log_q(), bits)?;
        let noise = noise::rescaled(self.ctx.params(), a.noise(), bits, a.log_slots(), log_scale);
        Ok(Ciphertext::new(&self.ctx, buf, log_q, log_scale, a.log_slots(), noise).with_key(self.owner(a)))
    }

    /// The same values and scale modulo the smaller `2^log_q`, exactly: the low bits.
    ///
    /// # Errors
    /// [`Error::Argument`] for a larger modulus; [`Error::ModulusExhausted`] where the scale has no room in it;
    /// [`Error::ParameterMismatch`].
    pub fn mod_down_to(&self, a: &Ciphertext, log_q: u32) -> Result<Ciphertext> {
        self.check(a)?;
        if log_q > a.log_q() {
            let expected = format!("at most {}, the bits of the ciphertext's modulus", a.log_q());
            return Err(Error::Argument { name: "log_q", value: log_q.to_string(), expected });
        }
        expect_room("mod_down_to", log_q, a.log_scale())?;
        if log_q == a.log_q() {
            return Ok(a.clone());
        }
        a.noise().expect_room("mod_down_to", f64::from(log_q))?;
        let buf = self.ctx.combine(2, &[plus(a.view(), a.log_q())], log_q)?;
        let made = Ciphertext::new(&self.ctx, buf, log_q, a.log_scale(), a.log_slots(), a.noise());
        Ok(made.with_key(self.owner(a)))
    }
}

/// Scales as their logarithms must agree.
pub(super) fn expect_scales(op: &'static str, lhs: u32, rhs: u32) -> Result<()> {
    if lhs == rhs {
        return Ok(());
    }
    Err(Error::ScaleMismatch { op, lhs_log2: f64::from(lhs), rhs_log2: f64::from(rhs) })
}
