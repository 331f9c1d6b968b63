//! The explicit evaluator: one operation a call, nothing is aligned.

use ringjet_backend::{Buf, Coeff};
use ringjet_math::Basis;

use super::ciphertext::Position;
use super::{Ciphertext, Context, Evaluator, Parameters, Plaintext, Product, SwitchingKey};
use crate::noise::{Added, Noise, Sources};
use crate::rlwe::keyswitch::{Finish, apply};
use crate::vectors::{self, Operations, Vectors, expect_polys, signed_sum};
use crate::{Error, Result, Scale};

/// The residues of an integer, one for each prime.
fn residues(basis: &Basis, integer: i64) -> Vec<u64> {
    basis.values().map(|q| i128::from(integer).rem_euclid(i128::from(q)) as u64).collect()
}

impl Operations for Parameters {
    fn align(eval: &Evaluator, a: &Ciphertext, b: &Ciphertext) -> Result<(Ciphertext, Ciphertext)> {
        a.expect_packing(b)?;
        eval.aligned(a, b)
    }

    /// A summand of two polynomials is multiplied by `t^-1` where the other one is a product that
    /// is not relinearised yet.
    fn sum(ctx: &Context, a: &Ciphertext, b: &Ciphertext, minus: bool) -> Result<Buf> {
        let (basis, polys) = (a.basis(), a.polys().max(b.polys()));
        let inverse = &ctx.params().plaintext_plans(a.level()).inverse[0];
        let negative: Vec<u64> = inverse.iter().zip(basis.primes()).map(|(&x, q)| q.modulus().neg(x)).collect();
        let coeff = |of: &Ciphertext, minus: bool| match (of.polys() == polys, minus) {
            (true, false) => Coeff::One,
            (true, true) => Coeff::MinusOne,
            (false, false) => Coeff::PerLimb(inverse),
            (false, true) => Coeff::PerLimb(&negative),
        };
        let common = a.polys().min(b.polys());
        let mut buf = ctx.alloc(polys * basis.len())?;
        let terms = [(coeff(a, false), a.view().slice(0, common)), (coeff(b, minus), b.view().slice(0, common))];
        ctx.backend().lincomb(buf.view_mut(polys).slice(0, common), &terms, basis, false)?;
        if polys > common {
            let (longer, minus) = if a.polys() > common { (a, false) } else { (b, minus) };
            let rest = longer.view().slice(common, polys - common);
            let dst = buf.view_mut(polys).slice(common, polys - common);
            ctx.backend().lincomb(dst, &[(coeff(longer, minus), rest)], basis, false)?;
        }
        Ok(buf)
    }

    fn sum_plain(ctx: &Context, a: &Ciphertext, p: &Plaintext, minus: bool) -> Result<Buf> {
        signed_sum(ctx, a, p.addend(ctx, a.level(), a.factor(), a.polys())?.view(1), minus)
    }

    fn sum_plain_noise(a: &Ciphertext, _: &Plaintext, _: bool) -> Noise {
        a.noise().plus(a.params().sizes().message())
    }

    fn galois(ctx: &Context, a: &Ciphertext, galois: u32, key: &SwitchingKey) -> Result<Buf> {
        vectors::galois(ctx, a, galois, key)
    }

    fn switching_error(a: &Ciphertext) -> Added {
        a.params().level_noise(a.level()).switched
    }

    fn turned(a: &Ciphertext) -> Noise {
        a.noise().turned(Added::NONE).plus_rounding(Self::switching_error(a))
    }
}

impl Parameters {
    /// The noise of an unrelinearised product at `level`.
    pub(super) fn product_noise(&self, level: usize, a: Noise, b: Noise) -> Noise {
        match self.product() {
            Product::Bgv => a.wrapped_product(b, self.sizes().peak()),
            Product::Bfv => super::bfv::product_noise(self, level, a, b),
        }
    }

    /// The noise at level `to` of a ciphertext of `polys` polynomials that comes from level `from`.
    pub(super) fn switched_noise(&self, noise: Noise, polys: usize, from: usize, to: usize) -> Noise {
        if from == to {
            return noise;
        }
        let bits = self.level_noise(from).log2_q - self.level_noise(to).log2_q;
        let divided = noise.scaled((-bits).exp2(), 1.0, Scale::ONE).with_range(self.range());
        divided.plus_rounding(self.sizes().rounding(polys))
    }

    /// The correction factor after a switch from level `from` to `to`: multiplied by
    /// `Q_to / Q_from` modulo t.
    pub(super) fn switched_factor(&self, factor: u64, from: usize, to: usize) -> u64 {
        let (t, q) = (self.modulo_t(), |level: usize| self.plaintext_plans(level).q);
        t.mul(factor, t.mul(q(to), self.inverse_modulo_t(q(from))))
    }
}

impl Evaluator {
    fn params(&self) -> &Parameters {
        self.ctx.params()
    }

    /// `-a`.
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.times(a, -1, a.factor(), a.noise())
    }

    /// `integer * a` modulo t; the noise grows by the size of the centred integer.
    /// Fails with [`Error::NoiseBudget`].
    pub fn mul_integer(&self, a: &Ciphertext, integer: i64) -> Result<Ciphertext> {
        let params = self.params();
        let centred = params.centred(integer.rem_euclid(params.t() as i64) as u64);
        // zero times a ciphertext has no noise, and is stated to have that of the ciphertext
        let noise = a.noise().scaled((centred as f64).abs().max(1.0), 1.0, Scale::ONE);
        self.times(a, centred, a.factor(), noise)
    }

    /// The same message with the correction factor `factor`, where `integer * f = factor` modulo t
    /// for the present factor f.
    pub(super) fn refactored(&self, a: &Ciphertext, integer: i64, factor: u64) -> Result<Ciphertext> {
        let noise = a.noise().scaled((integer as f64).abs(), 1.0, Scale::ONE);
        self.times(a, integer, factor, noise)
    }

    /// The polynomials times an integer.
    fn times(&self, a: &Ciphertext, integer: i64, factor: u64, noise: Noise) -> Result<Ciphertext> {
        self.check(a)?;
        a.expect_room("multiplication by a constant", noise)?;
        let (basis, polys) = (a.basis(), a.polys());
        let factors = residues(basis, integer);
        let coeff = match integer {
            1 => Coeff::One,
            -1 => Coeff::MinusOne,
            _ => Coeff::PerLimb(&factors),
        };
        let mut buf = self.ctx.alloc(polys * basis.len())?;
        self.ctx.backend().lincomb(buf.view_mut(polys), &[(coeff, a.view())], basis, false)?;
        Ok(self.made(a, buf, polys, Position { factor, ..a.position() }, noise.with_range(self.params().range())))
    }

    /// `a + integer` in every slot.
    /// Fails with [`Error::NoiseBudget`].
    pub fn add_integer(&self, a: &Ciphertext, integer: i64) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Combine");
        self.check(a)?;
        let (params, basis) = (self.params(), a.basis());
        let residue = integer.rem_euclid(params.t() as i64) as u64;
        let constant = params.centred(params.modulo_t().mul(residue, a.factor()));
        let noise = a.noise().plus(Added::fixed(constant.abs() as f64 / params.noise_unit()));
        a.expect_room("addition of a constant", noise)?;
        // the constant polynomial has the same value in every slot
        let inverse = &params.plaintext_plans(a.level()).inverse[a.polys() - 2];
        let values: Vec<u64> = (residues(basis, constant).iter().zip(inverse).zip(basis.primes()))
            .map(|((&x, &inverse), q)| q.modulus().mul(x, inverse))
            .collect();
        let mut added = self.ctx.alloc(basis.len())?;
        self.ctx.upload_each(&mut added, 0, basis.len(), |_, i, limb| limb.fill(values[i]))?;
        let buf = signed_sum(&self.ctx, a, added.view(1), false)?;
        Ok(self.made(a, buf, a.polys(), a.position(), noise))
    }

    /// Product without relinearisation: three polynomials. Such products can be added up, also to
    /// ciphertexts of two polynomials, before they are relinearised.
    ///
    /// # Errors
    /// [`Error::ModulusMismatch`] if levels differ, [`Error::Degree`] for operands of three
    /// polynomials, [`Error::NoiseBudget`], [`Error::ParameterMismatch`], [`Error::KeyMismatch`].
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Tensor");
        self.check_pair("mul", a, b)?;
        self.check_degree("mul", a)?;
        self.check_degree("mul", b)?;
        let params = self.params();
        let noise = params.product_noise(a.level(), a.noise(), b.noise());
        a.expect_room("multiplication", noise)?;
        let factor = params.modulo_t().mul(a.factor(), b.factor());
        let (buf, factor) = match params.product() {
            Product::Bgv => {
                let mut buf = self.ctx.alloc(3 * a.basis().len())?;
                self.ctx.backend().tensor(buf.view_mut(3), a.view(), b.view(), a.basis())?;
                (buf, factor)
            }
            Product::Bfv => super::bfv::product(&self.ctx, a, b, factor)?,
        };
        let made = self.made(a, buf, 3, Position { factor, ..a.position() }, noise);
        Ok(made.with_key(self.owner(a).or(b.key_id())))
    }

    /// Turns three polynomials into two by key switching.
    /// Fails with [`Error::MissingRelinearizationKey`], [`Error::Degree`], [`Error::NoiseBudget`].
    pub fn relinearize(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        expect_polys("relinearize", 3, a.polys())?;
        let noise = a.noise().plus_rounding(self.params().level_noise(a.level()).switched);
        a.expect_room("relinearize", noise)?;
        let (key, plans) = (self.keys.relinearization()?, self.params().level(a.level()));
        let finish = Finish { add: a.view().slice(0, 2), division: &plans.mod_down, automorphism: None };
        let buf = apply(&self.ctx, plans.relinearization(), a.view().poly(2), a.level(), key, finish)?;
        Ok(self.made(a, buf, 2, a.position(), noise))
    }

    /// Relinearises, and switches to the level below by the same division.
    /// Fails as [`Evaluator::relinearize`] and [`Evaluator::switch_to`] do.
    pub fn relinearize_switch(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        expect_polys("relinearize_switch", 3, a.polys())?;
        let (params, level) = (self.params(), a.level());
        let plans = params.level(level);
        let division = plans.mod_down_rescale.as_ref();
        let division = division.ok_or(Error::levels_exhausted("relinearize_switch", 1, 0))?;
        let key = self.keys.relinearization()?;
        let finish = Finish { add: a.view().slice(0, 2), division, automorphism: None };
        let noise =
            params.switched_noise(a.noise().plus_rounding(params.level_noise(level).switching), 2, level, level - 1);
        let factor = params.switched_factor(a.factor(), level, level - 1);
        let at = Position { level: level - 1, factor, plain: false };
        params.expect_room("relinearize_switch", at, noise)?;
        let buf = apply(&self.ctx, plans.relinearization(), a.view().poly(2), level, key, finish)?;
        Ok(self.made(a, buf, 2, at, noise))
    }

    /// `a * b`, relinearised, at the level of both.
    /// Fails as [`Evaluator::mul`] and [`Evaluator::relinearize`] do.
    pub fn mul_relin(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Mult");
        self.keys.relinearization()?;
        self.relinearize(&self.mul(a, b)?)
    }

    /// Switches to a lower level (modulus switching): the noise is divided by as much as the
    /// modulus, and the rounding adds a little. Fails with [`Error::NoSuchLevel`] for a level above
    /// the ciphertext's; [`Error::NoiseBudget`].
    pub fn switch_to(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Rescale");
        self.check(a)?;
        if level > a.level() {
            return Err(Error::NoSuchLevel { level, top: a.level() });
        }
        if level == a.level() {
            return Ok(a.clone());
        }
        let params = self.params();
        let noise = params.switched_noise(a.noise(), a.polys(), a.level(), level);
        let factor = params.switched_factor(a.factor(), a.level(), level);
        let at = Position { level, factor, plain: false };
        params.expect_room("modulus switching", at, noise)?;
        let division = params.switch(a.level(), level);
        let mut buf = self.ctx.alloc(a.polys() * division.dst.len())?;
        self.ctx.backend().divide_round(buf.view_mut(a.polys()), a.view(), &division, None)?;
        Ok(self.made(a, buf, a.polys(), at, noise))
    }

    /// `a * p`, slot by slot. Fails with [`Error::NoiseBudget`], [`Error::ParameterMismatch`].
    pub fn mul_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        self.check_plain("mul_plain", a, p)?;
        let (message, range) = (self.params().sizes().message_size(), self.params().range());
        let noise = a.noise().wrapped_product(Noise::new(message, range, Scale::ONE, Sources::NONE), 1.0);
        a.expect_room("multiplication by a plaintext", noise)?;
        let (lifted, basis) = (p.lifted(&self.ctx, a.level(), 1)?, a.basis());
        let mut buf = self.ctx.alloc(a.polys() * basis.len())?;
        let factor = lifted.view(1).prefix(basis.len());
        self.ctx.backend().mul(buf.view_mut(a.polys()), a.view(), factor, basis, false)?;
        Ok(self.made(a, buf, a.polys(), a.position(), noise))
    }
}
