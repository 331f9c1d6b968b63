//! The explicit evaluator: exact moduli and scales, one operation a call (sections II to IV of Jung
//! et al., "HEAAN Demystified").
//!
//! No method aligns its operands; the methods of [`super::auto`] align them and call these.

use ringjet_backend::big::MAX_FACTOR;
use ringjet_backend::{BigFactor, BigMul, BigTerm, Buf, View};
use ringjet_math::big::words;
use ringjet_math::fft::Complex64;

use super::ciphertext::{Position, expect_room, expect_scale};
use super::context::plus;
use super::params::Parameters;
use super::{Ciphertext, Context, Evaluator, Plaintext, SwitchingKey, noise};
use crate::approximate::expect_finite;
use crate::noise::ErrorTerm;
use crate::rlwe::keyswitch::RELINEARIZATION;
use crate::vectors::Operations;
use crate::{Error, Result};

/// Most bits by which one operation can raise a scale.
pub(crate) const MAX_RAISE: u32 = 50;

impl Operations for Parameters {
    /// Brings two operands to one scale and modulus, without spending more modulus than needed.
    fn align(eval: &Evaluator, a: &Ciphertext, b: &Ciphertext) -> Result<(Ciphertext, Ciphertext)> {
        a.expect_packing(b)?;
        if a.log_scale() < b.log_scale() {
            let (b, a) = Self::align(eval, b, a)?;
            return Ok((a, b));
        }
        let bits = a.log_scale() - b.log_scale();
        // operands can spend log_q - log_scale bits: raising b's scale is free if b's modulus is no
        // less
        let (a, b) = match bits {
            0 => (a.clone(), b.clone()),
            1..=MAX_RAISE if b.log_q() >= a.log_q() => (a.clone(), eval.scale_up(b, bits)?),
            _ => (eval.rescale(a, bits)?, b.clone()),
        };
        let log_q = a.log_q().min(b.log_q());
        Ok((eval.mod_down_to(&a, log_q)?, eval.mod_down_to(&b, log_q)?))
    }

    fn sum(ctx: &Context, a: &Ciphertext, b: &Ciphertext, minus: bool) -> Result<Buf> {
        let factor = if minus { -1 } else { 1 };
        ctx.combine(2, &[a.term(), BigTerm { factor, ..b.term() }], a.log_q())
    }

    fn sum_plain(ctx: &Context, a: &Ciphertext, p: &Plaintext, minus: bool) -> Result<Buf> {
        let (log_q, factor) = (a.log_q(), if minus { -1 } else { 1 });
        let mut buf = ctx.alloc_big(2, log_q)?;
        let terms = [plus(a.view().poly(0), log_q), BigTerm { factor, ..p.term() }];
        ctx.backend().big_lincomb(buf.view_mut(2).poly(0), &terms, log_q, false)?;
        ctx.backend().copy(buf.view_mut(2).poly(1), a.view().poly(1))?;
        Ok(buf)
    }

    fn galois(ctx: &Context, a: &Ciphertext, galois: u32, key: &SwitchingKey) -> Result<Buf> {
        let (log_q, plan) = (a.log_q(), ctx.params().automorphism(galois));
        let mut moved = ctx.alloc_big(2, log_q)?;
        ctx.backend().big_automorphism(moved.view_mut(2), a.view(), log_q, &plan)?;
        switch(ctx, moved.view(2).poly(1), log_q, (galois, key), moved.view(2).poly(0))
    }

    fn switching_error(a: &Ciphertext) -> ErrorTerm {
        noise::switching(a.params(), a.log_q(), a.log_slots())
    }
}

/// Region 2 of Jung et al.: `round(x * key / Q) + add` modulo `2^log_q`, Q the largest modulus.
/// `add` has one or two polynomials. `element` is the key's Galois element, or [`RELINEARIZATION`].
fn switch(ctx: &Context, x: View<'_>, log_q: u32, (element, key): (u32, &SwitchingKey), add: View<'_>) -> Result<Buf> {
    if let Some(meter) = ctx.backend().meter() {
        meter.uses_key(element, words(log_q));
    }
    let shift = ctx.params().log_q();
    let primes = ctx.params().primes_for(log_q, 2 * shift, 1)?;
    let (split, join) = (ctx.split(primes, log_q), ctx.join(primes, log_q + shift));
    let (right, add) = (BigFactor::Prepared(key.prepared.view(2), 2 * shift), Some(add));
    let mul = BigMul { left: x, split: &split, right, sums: &[&[(0, 0)], &[(0, 1)]], join: &join, shift, add };
    let mut buf = ctx.alloc_big(2, log_q)?;
    ctx.backend().big_mul(buf.view_mut(2), &mul)?;
    Ok(buf)
}

impl Evaluator {
    /// `-a`. Fails with [`Error::ParameterMismatch`].
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.mul_integer(a, -1)
    }

    /// `integer * a`, exact: modulus and scale stay.
    /// Fails with [`Error::Argument`] for an integer of more than 51 bits;
    /// [`Error::ParameterMismatch`].
    pub fn mul_integer(&self, a: &Ciphertext, integer: i64) -> Result<Ciphertext> {
        self.times(a, integer, a.log_scale(), integer as f64)
    }

    /// Multiplies the polynomials by `factor` and declares the scale `2^log_scale`. The values are
    /// then `value` times the old ones.
    pub(crate) fn times(&self, a: &Ciphertext, factor: i64, log_scale: u32, value: f64) -> Result<Ciphertext> {
        self.check(a)?;
        expect_scale(log_scale)?;
        if factor.unsigned_abs() > MAX_FACTOR {
            return Err(Error::argument("factor", factor, "less than 2^51 in size"));
        }
        let noise = a.noise().scaled(factor as f64, value, noise::scale(log_scale));
        a.expect_room("multiplication by a constant", noise)?;
        let buf = self.ctx.combine(2, &[BigTerm { factor, ..a.term() }], a.log_q())?;
        Ok(self.mapped(a, buf, 2, Position { log_scale, ..a.position() }, noise))
    }

    /// The same values at a scale `2^bits` times as large, exactly. The modulus stays.
    /// Fails with [`Error::ModulusExhausted`] where the modulus has no room for the new scale;
    /// [`Error::Argument`] for more than 50 bits; [`Error::ParameterMismatch`].
    pub fn scale_up(&self, a: &Ciphertext, bits: u32) -> Result<Ciphertext> {
        expect_room("scale_up", a.log_q(), a.log_scale().saturating_add(bits))?;
        let factor = if bits < 63 { 1i64 << bits } else { i64::MAX };
        self.times(a, factor, a.log_scale() + bits, 1.0)
    }

    /// `a * b`, relinearised, not rescaled. Moduli must agree and stay; scales multiply. The same
    /// object as both operands is squared, which needs fewer transforms.
    ///
    /// # Errors
    /// [`Error::ModulusMismatch`], [`Error::MissingRelinearizationKey`], [`Error::SlotMismatch`],
    /// [`Error::ParameterMismatch`]; [`Error::ModulusExhausted`] where the modulus has no room for
    /// the product.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Mult");
        self.check_pair("multiplication", a, b)?;
        let log_scale = a.log_scale() + b.log_scale();
        expect_room("multiplication", a.log_q(), log_scale)?;
        let scale = noise::scale(log_scale);
        let product = if a.is_same(b) { a.noise().square(scale) } else { a.noise().product(b.noise(), scale) };
        a.expect_room("multiplication", product)?;
        let key = self.keys.relinearization()?;
        let tensor = self.tensor(a, b)?;
        let tensor = tensor.view(3);
        let buf = switch(&self.ctx, tensor.poly(2), a.log_q(), (RELINEARIZATION, key), tensor.slice(0, 2))?;
        let noise = product.plus(Operations::switching_error(a));
        let made = self.result_like(a, buf, 2, Position { log_scale, ..a.position() }, noise);
        let made = made.with_held(a.held().product(b.held())?);
        Ok(made.with_key(self.owner(a).or(b.key_id())))
    }

    /// `a * a`: [`Evaluator::mul`] of a ciphertext with itself. Fails as that does.
    pub fn square(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.mul(a, a)
    }

    /// Region 1 of Jung et al.: the products `(b * b', b * a' + a * b', a * a')`.
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

    /// Divides modulus and scale by `2^bits`, and rounds.
    /// Fails with [`Error::Argument`] where `bits` exceeds the bits of the scale;
    /// [`Error::ModulusExhausted`] where the modulus has `bits` bits or fewer;
    /// [`Error::ParameterMismatch`].
    pub fn rescale(&self, a: &Ciphertext, bits: u32) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rescale");
        self.check(a)?;
        if bits >= a.log_q() {
            return Err(Error::bits_exhausted("rescale", bits.saturating_add(1), a.log_q()));
        }
        let Some(log_scale) = a.log_scale().checked_sub(bits) else {
            return Err(Error::argument("bits", bits, format!("at most {}, the bits of the scale", a.log_scale())));
        };
        if bits == 0 {
            return Ok(a.clone());
        }
        let log_q = a.log_q() - bits;
        let mut buf = self.ctx.alloc_big(2, log_q)?;
        self.ctx.backend().shift_round(buf.view_mut(2), a.view(), a.log_q(), bits)?;
        let noise = a.noise().divided(
            f64::from(bits),
            noise::rounding(self.ctx.params(), a.log_slots()),
            noise::scale(log_scale),
        );
        Ok(self.mapped(a, buf, 2, Position::new(log_q, log_scale), noise))
    }

    /// The same values and scale modulo the smaller `2^log_q`, exactly: keeps the low bits.
    /// Fails with [`Error::Argument`] for a modulus above the ciphertext's;
    /// [`Error::ModulusExhausted`] where the new modulus has no room for the scale;
    /// [`Error::ParameterMismatch`].
    pub fn mod_down_to(&self, a: &Ciphertext, log_q: u32) -> Result<Ciphertext> {
        self.check(a)?;
        if log_q > a.log_q() {
            let expected = format!("at most {}, the bits of the ciphertext's modulus", a.log_q());
            return Err(Error::argument("log_q", log_q, expected));
        }
        expect_room("mod_down_to", log_q, a.log_scale())?;
        if log_q == a.log_q() {
            return Ok(a.clone());
        }
        a.noise().expect_room("mod_down_to", f64::from(log_q))?;
        let buf = self.ctx.combine(2, &[a.term()], log_q)?;
        Ok(self.mapped(a, buf, 2, Position::new(log_q, a.log_scale()), a.noise()))
    }
}

impl Evaluator {
    /// `a * p`, slot by slot: scales multiply, the modulus stays. The number of primes of the
    /// product depends on the bits of the plaintext.
    /// Fails with [`Error::SlotMismatch`], [`Error::ParameterMismatch`];
    /// [`Error::ModulusExhausted`] where the modulus has no room for the product.
    pub fn mul_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        self.check_plain("mul_plain", a, p)?;
        Ok(self.product(a, p)?.with_held(a.held().times_plain(p.held(), a.slots())))
    }

    fn product(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let _scope = self.context().scope("PtMult");
        let (ctx, log_q) = (self.context(), a.log_q());
        let log_scale = a.log_scale() + p.log_scale();
        expect_room("multiplication by a plaintext", log_q, log_scale)?;
        let noise = a.noise().product(p.noise(), noise::scale(log_scale));
        a.expect_room("multiplication by a plaintext", noise)?;
        let primes = ctx.params().primes_for(log_q, p.bits(), 1)?;
        let (split, other, join) = (ctx.split(primes, log_q), ctx.split(primes, p.bits()), ctx.join(primes, log_q));
        let (left, right) = (a.view(), BigFactor::Integers(p.view(), &other));
        let sums: &[&[(usize, usize)]] = &[&[(0, 0)], &[(1, 0)]];
        let mul = BigMul { left, split: &split, right, sums, join: &join, shift: 0, add: None };
        let mut buf = ctx.alloc_big(2, log_q)?;
        ctx.backend().big_mul(buf.view_mut(2), &mul)?;
        Ok(self.mapped(a, buf, 2, Position { log_scale, ..a.position() }, noise))
    }

    /// Encodes a constant for every slot: one or two non-zero coefficients, whatever the packing.
    fn constant(&self, a: &Ciphertext, constant: Complex64, log_scale: u32) -> Result<Plaintext> {
        self.check(a)?;
        Plaintext::encode(self.context(), &[constant], log_scale, 0)
    }

    /// `a + constant` in every slot, the constant rounded at the ciphertext's scale.
    /// Fails with [`Error::NotFinite`], [`Error::TooLarge`], [`Error::ParameterMismatch`].
    pub fn add_scalar(&self, a: &Ciphertext, constant: impl Into<Complex64>) -> Result<Ciphertext> {
        let constant = constant.into();
        let p = self.constant(a, constant, a.log_scale())?;
        self.sum_plain("add_scalar", a, &p, false)
    }

    /// `constant * a`, with the constant rounded at the scale `2^log_scale`. Scales multiply, the
    /// modulus stays. A real constant of fewer than 51 bits needs no transform.
    /// Fails with [`Error::NotFinite`], [`Error::TooLarge`], [`Error::ParameterMismatch`];
    /// [`Error::ModulusExhausted`] where the modulus has no room for the product.
    pub fn mul_const(&self, a: &Ciphertext, constant: impl Into<Complex64>, log_scale: u32) -> Result<Ciphertext> {
        let constant = constant.into();
        expect_finite(&[constant])?;
        let integer = (constant.re * f64::from(log_scale).exp2()).round_ties_even();
        if constant.im != 0.0 || integer.abs() > MAX_FACTOR as f64 {
            return self.product(a, &self.constant(a, constant, log_scale)?);
        }
        let scale = a.log_scale() + log_scale;
        expect_room("multiplication by a constant", a.log_q(), scale)?;
        let product = self.times(a, integer as i64, scale, constant.re)?;
        // the rounding of the constant counts as an error of the values
        let off = (constant.re * f64::from(log_scale).exp2() - integer).abs();
        let rounding = ErrorTerm::fixed(off * f64::from(a.log_scale()).exp2() * a.noise().magnitude());
        let noise = product.noise().plus_fixed(rounding);
        Ok(product.with_noise(noise))
    }

    /// `i * a`, exact: modulus and scale stay. The polynomial X^(N/2) encodes i in every slot.
    /// Fails with [`Error::ParameterMismatch`].
    pub fn times_i(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let product = self.product(a, &self.constant(a, Complex64::new(0.0, 1.0), 0)?.exact())?;
        Ok(product.with_noise(a.noise().times_i()))
    }
}
