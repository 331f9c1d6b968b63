//! The explicit evaluator: one operation a call, nothing is aligned.

use ringjet_backend::plan::DivisionPlan;
use ringjet_backend::{Buf, Coeff};
use ringjet_math::Modulus;

use super::ciphertext::{Factors, Position};
use super::modulus::{MAX_PRIMES, centred, inverse, reduced};
use super::{Ciphertext, Context, Evaluator, Parameters, Plaintext, Product, SwitchingKey};
use crate::noise::{ErrorTerm, Noise};
use crate::rlwe::keyswitch::{SwitchTail, apply};
use crate::vectors::{self, Operations, Vectors, expect_polys, joined, rows, signed_sum};
use crate::{Error, Result, Scale};

impl Operations for Parameters {
    fn align(eval: &Evaluator, a: &Ciphertext, b: &Ciphertext) -> Result<(Ciphertext, Ciphertext)> {
        a.expect_packing(b)?;
        eval.aligned(a, b)
    }

    /// A summand of two polynomials is multiplied by `t^-1` where the other one is a product that
    /// is not relinearised yet.
    fn sum(ctx: &Context, a: &Ciphertext, b: &Ciphertext, minus: bool) -> Result<Buf> {
        let (basis, polys, common) = (a.basis(), a.polys().max(b.polys()), a.polys().min(b.polys()));
        joined(ctx, a.components(), polys, basis.len(), |i, mut dst| {
            let inverse = &ctx.params().plaintext_plans(a.level(), i).inverse[0];
            let negative: Vec<u64> = inverse.iter().zip(basis.primes()).map(|(&x, q)| q.modulus().neg(x)).collect();
            let coeff = |of: &Ciphertext, minus: bool| match (of.polys() == polys, minus) {
                (true, false) => Coeff::One,
                (true, true) => Coeff::MinusOne,
                (false, false) => Coeff::PerLimb(inverse),
                (false, true) => Coeff::PerLimb(&negative),
            };
            let [x, y] = [a, b].map(|of| of.component(i).slice(0, common));
            let terms = [(coeff(a, false), x), (coeff(b, minus), y)];
            ctx.backend().lincomb(dst.reborrow().slice(0, common), &terms, basis, false)?;
            if polys > common {
                let (longer, minus) = if a.polys() > common { (a, false) } else { (b, minus) };
                let rest = longer.component(i).slice(common, polys - common);
                let dst = dst.slice(common, polys - common);
                ctx.backend().lincomb(dst, &[(coeff(longer, minus), rest)], basis, false)?;
            }
            Ok(())
        })
    }

    fn sum_plain(ctx: &Context, a: &Ciphertext, p: &Plaintext, minus: bool) -> Result<Buf> {
        let addend = p.addend(ctx, a.level(), a.position().factors, a.polys())?;
        signed_sum(ctx, a, addend.view(a.components()), minus)
    }

    /// The correction factor of `a` multiplies the plaintext modulo t, so that its polynomial can be
    /// any polynomial of messages.
    fn sum_plain_noise(a: &Ciphertext, _: &Plaintext, _: bool) -> Noise {
        a.noise().plus(a.params().sizes().message())
    }

    fn galois(ctx: &Context, a: &Ciphertext, galois: u32, key: &SwitchingKey) -> Result<Buf> {
        vectors::galois(ctx, a, galois, key)
    }

    fn switching_error(a: &Ciphertext) -> ErrorTerm {
        a.params().level_noise(a.level()).switched
    }

    fn noise_after_rotation(a: &Ciphertext, _: u32) -> Noise {
        a.noise().plus(Self::switching_error(a))
    }
}

impl Parameters {
    /// The bounds of an unrelinearised product at `level`.
    pub(super) fn product_error(&self, level: usize, a: ErrorTerm, b: ErrorTerm) -> ErrorTerm {
        match self.product() {
            Product::Bgv => a.product(b),
            Product::Bfv => super::bfv::product_error(self, level, a, b),
        }
    }

    /// The bounds at level `to` of a ciphertext of `polys` polynomials that comes from level `from`.
    pub(super) fn switched_error(&self, w: ErrorTerm, polys: usize, from: usize, to: usize) -> ErrorTerm {
        if from == to {
            return w;
        }
        let bits = self.level_noise(from).log2_q - self.level_noise(to).log2_q;
        w.scaled((-bits).exp2()) + self.level_noise(to).rounding[polys - 2]
    }

    /// The correction factors after a switch from level `from` to `to`: multiplied by
    /// `Q_to / Q_from` modulo t.
    pub(super) fn switched_factors(&self, factors: Factors, from: usize, to: usize) -> Factors {
        Factors::new(self, |i, t| {
            let q = |level: usize| self.plaintext_plans(level, i).q;
            t.mul(factors.of(i), t.mul(q(to), inverse(t, q(from))))
        })
    }
}

/// The integers by which the components of a ciphertext are multiplied.
pub(super) type Multipliers = [i64; MAX_PRIMES];

/// `multiplier(i, t)` for each component i and its prime t; 1 after them.
pub(super) fn each(params: &Parameters, multiplier: impl Fn(usize, &Modulus) -> i64) -> Multipliers {
    let mut all = [1; MAX_PRIMES];
    for (i, t) in params.t_basis().primes().iter().enumerate() {
        all[i] = multiplier(i, t.modulus());
    }
    all
}

/// The largest multiplier in absolute value.
pub(super) fn largest(multipliers: Multipliers) -> f64 {
    multipliers.iter().fold(0.0, |most: f64, &x| most.max((x as f64).abs()))
}

impl Evaluator {
    fn params(&self) -> &Parameters {
        self.ctx.params()
    }

    /// `-a`.
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.times(a, [-1; MAX_PRIMES], a.position().factors, a.noise())
    }

    /// `integer * a` modulo T; the noise grows by the size of the integer, centred modulo each prime
    /// of T.
    /// Fails with [`Error::NoiseBudget`].
    pub fn mul_integer(&self, a: &Ciphertext, integer: i64) -> Result<Ciphertext> {
        let centred = each(self.params(), |_, t| reduced(t, integer));
        // zero times a ciphertext has no noise, and is stated to have that of the ciphertext
        let noise = a.noise().scaled(largest(centred).max(1.0), 1.0, Scale::ONE);
        self.times(a, centred, a.position().factors, noise)
    }

    /// The same message with other correction factors: the present ones times `by`.
    pub(super) fn refactored(&self, a: &Ciphertext, by: Multipliers) -> Result<Ciphertext> {
        let factors = Factors::new(self.params(), |i, t| {
            t.mul(a.position().factors.of(i), by[i].rem_euclid(t.value() as i64) as u64)
        });
        let noise = a.noise().scaled(largest(by), 1.0, Scale::ONE);
        self.times(a, by, factors, noise)
    }

    /// The polynomials of each component times an integer.
    fn times(&self, a: &Ciphertext, by: Multipliers, factors: Factors, noise: Noise) -> Result<Ciphertext> {
        self.check(a)?;
        a.expect_room("multiplication by a constant", noise)?;
        let (basis, polys) = (a.basis(), a.polys());
        let buf = joined(&self.ctx, a.components(), polys, basis.len(), |i, dst| {
            let residues: Vec<u64> = rows::residues(by[i].into(), basis).collect();
            let coeff = match by[i] {
                1 => Coeff::One,
                -1 => Coeff::MinusOne,
                _ => Coeff::PerLimb(&residues),
            };
            Ok(self.ctx.backend().lincomb(dst, &[(coeff, a.component(i))], basis, false)?)
        })?;
        Ok(self.mapped(a, buf, polys, Position { factors, ..a.position() }, noise.with_range(self.params().range())))
    }

    /// `a + integer` in every slot.
    /// Fails with [`Error::NoiseBudget`].
    pub fn add_integer(&self, a: &Ciphertext, integer: i64) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Combine");
        self.check(a)?;
        let (constants, added_error) = self.constants(a, integer);
        let noise = a.noise().plus(added_error);
        a.expect_room("addition of a constant", noise)?;
        let value = |i: usize, limb: usize| self.constant_residue(a, constants, i, limb);
        let (components, limbs) = (a.components(), a.basis().len());
        let mut added = self.ctx.alloc(components * limbs)?;
        let fill = |_: usize, at: usize, limb: &mut [u64]| limb.fill(value(at / limbs, at % limbs));
        self.ctx.upload_each(&mut added, 0, components * limbs, fill)?;
        let buf = signed_sum(&self.ctx, a, added.view(components), false)?;
        Ok(self.result_like(a, buf, a.polys(), a.position(), noise))
    }

    /// A constant that is added to `a`, times its correction factors, and the error that it stands for.
    pub(super) fn constants(&self, a: &Ciphertext, integer: i64) -> (Multipliers, ErrorTerm) {
        let constants = each(self.params(), |i, t| {
            centred(t, t.mul(integer.rem_euclid(t.value() as i64) as u64, a.position().factors.of(i)))
        });
        let size = largest(constants);
        (constants, ErrorTerm::bounded(size, size, size))
    }

    /// What is added to component i of `a` for a constant, which has the same value in every slot.
    pub(super) fn constant_residue(&self, a: &Ciphertext, constants: Multipliers, i: usize, limb: usize) -> u64 {
        let q = a.basis().modulus(limb);
        let residue = i128::from(constants[i]).rem_euclid(q.value().into()) as u64;
        q.mul(residue, self.params().plaintext_plans(a.level(), i).inverse[a.polys() - 2][limb])
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
        let error = params.product_error(a.level(), a.noise().error(), b.noise().error());
        let noise = a.noise().with_added(error);
        a.expect_room("multiplication", noise)?;
        let buf = joined(&self.ctx, a.components(), 3, a.basis().len(), |i, dst| {
            let (x, y) = (a.component(i), b.component(i));
            match params.product() {
                Product::Bgv => Ok(self.ctx.backend().tensor(dst, x, y, a.basis())?),
                Product::Bfv => super::bfv::product(&self.ctx, dst, x, y),
            }
        })?;
        let factors = Factors::new(params, |i, t| {
            let factor = t.mul(a.position().factors.of(i), b.position().factors.of(i));
            match params.product() {
                Product::Bgv => factor,
                Product::Bfv => t.neg(t.mul(factor, inverse(t, params.plaintext_plans(a.level(), i).q))),
            }
        });
        let made = self.result_like(a, buf, 3, Position { factors, ..a.position() }, noise);
        let made = made.with_held(a.held().product(b.held())?);
        Ok(made.with_key(self.owner(a).or(b.key_id())))
    }

    /// Turns three polynomials into two by key switching.
    /// Fails with [`Error::MissingRelinearizationKey`], [`Error::Degree`], [`Error::NoiseBudget`].
    pub fn relinearize(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        expect_polys("relinearize", 3, a.polys())?;
        let noise = a.noise().plus(self.params().level_noise(a.level()).relinearized);
        a.expect_room("relinearize", noise)?;
        let buf = self.switched_product(a, &self.params().level(a.level()).mod_down)?;
        Ok(self.mapped(a, buf, 2, a.position(), noise))
    }

    /// The two polynomials of each component of a product, by key switching and this division.
    fn switched_product(&self, a: &Ciphertext, division: &DivisionPlan) -> Result<Buf> {
        let (key, basis) = (self.keys.relinearization()?, a.basis());
        joined(&self.ctx, a.components(), 2, division.dst.len(), |i, dst| {
            let (part, plans) = (a.component(i), self.params().plaintext_plans(a.level(), i));
            let finish = SwitchTail { add: part.slice(0, 2), division, automorphism: None };
            let mod_up = &plans.relinearization;
            let Some(over_first) = &plans.over_first else {
                return apply(&self.ctx, dst, mod_up, part.poly(2), a.level(), key, finish);
            };
            let mut last = self.ctx.alloc(basis.len())?;
            let terms = [(Coeff::PerLimb(over_first), part.poly(2))];
            self.ctx.backend().lincomb(last.view_mut(1), &terms, basis, false)?;
            apply(&self.ctx, dst, mod_up, last.view(1), a.level(), key, finish)
        })
    }

    /// Relinearises, and switches to the level below by the same division.
    /// Fails as [`Evaluator::relinearize`] and [`Evaluator::switch_to`] do.
    pub fn relinearize_switch(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Relinearize");
        self.check(a)?;
        expect_polys("relinearize_switch", 3, a.polys())?;
        let (params, level) = (self.params(), a.level());
        let division = params.level(level).mod_down_rescale.as_ref();
        let division = division.ok_or(Error::levels_exhausted("relinearize_switch", 1, 0))?;
        let error = a.noise().error() + params.level_noise(level).relinearizing;
        let noise = a.noise().with_added(params.switched_error(error, 2, level, level - 1));
        let factors = params.switched_factors(a.position().factors, level, level - 1);
        let at = Position { level: level - 1, factors, plain: false };
        params.expect_room("relinearize_switch", at, noise)?;
        Ok(self.mapped(a, self.switched_product(a, division)?, 2, at, noise))
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
        let error = params.switched_error(a.noise().error(), a.polys(), a.level(), level);
        let noise = a.noise().with_added(error);
        let factors = params.switched_factors(a.position().factors, a.level(), level);
        let at = Position { level, factors, plain: false };
        params.expect_room("modulus switching", at, noise)?;
        let division = params.division(a.level(), level);
        let polys = a.polys() * a.components();
        let mut buf = self.ctx.alloc(polys * division.dst.len())?;
        self.ctx.backend().divide_round(buf.view_mut(polys), a.view(), &division, None)?;
        Ok(self.mapped(a, buf, a.polys(), at, noise))
    }

    /// `a * p`, slot by slot. A plaintext that multiplies several ciphertexts is better
    /// [prepared](Plaintext::prepare). Fails with [`Error::NoiseBudget`],
    /// [`Error::ParameterMismatch`].
    pub fn mul_plain(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        self.check_plain("mul_plain", a, p)?;
        self.mul_prepared(a, &p.prepare(&self.ctx, a.level())?)
    }
}
