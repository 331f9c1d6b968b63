//! The default way to compute: levels and scales are aligned automatically.
//!
//! Every result is at the scale that belongs to its level ([`crate::Parameters::scale`]), so
//! operands of different levels have a common scale. To lower a ciphertext, the evaluator
//! multiplies it by an integer of about as many bits as a scale and rescales. The rounding of that
//! integer (relative error about `2^-scale_bits`) is part of the result's error estimate.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_backend::plan::PlanId;
use ringjet_backend::{Buf, Coeff};

use super::ciphertext::Position;
use super::params::BootstrapSpec;
use super::{Ciphertext, Evaluator, Plaintext, Scale, noise};
use crate::approximate::expect_finite;
use crate::noise::{ErrorTerm, Groups, Noise};
use crate::rlwe::{KeyId, LevelSwitch};
use crate::vectors::{Operations, expect_polys, expect_scales, rows};
use crate::wire::Held;
use crate::{Error, Result};
use ringjet_math::fft::Complex64;

/// Least bits of the integer that aligns scales: the rounding of a smaller one would show.
pub(super) const MIN_FACTOR_BITS: f64 = 20.0;

type Weighted<'a> = (&'a Ciphertext, f64);

/// Ciphertexts that are multiplied by integers, added up and divided.
pub(super) struct Summands<'a> {
    first: &'a Ciphertext,
    owner: KeyId,
    held: Held,
    pub polys: usize,
    position: Position,
    /// The scale of the sum.
    pub before: Scale,
    /// What the sum is divided by.
    ratio: Scale,
    /// For each term what brings it to the sum's scale.
    pub factors: Vec<Scale>,
    /// For each term the switch that says which of its limbs are summed.
    pub keeps: Vec<Arc<LevelSwitch>>,
}

impl Evaluator {
    /// Brings `a` to `level` at that level's own scale.
    pub fn align(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        let params = self.context().params();
        let target = params.scale(level.min(params.max_level()));
        if level > a.level() {
            return Err(Error::NoSuchLevel { level, top: a.level() });
        }
        if level == a.level() {
            expect_scales("align", a.scale(), target)?;
            return Ok(a.clone());
        }
        self.weighted(&[(a, 1.0)], level)
    }

    /// `sum of weight * ciphertext` at `level` and the scale of that level. All operands are above
    /// `level`. Each one costs an integer multiplication; the sum is rescaled once.
    pub fn weighted_sum(&self, terms: &[(&Ciphertext, f64)], level: usize) -> Result<Ciphertext> {
        if terms.is_empty() {
            return Err(Error::none("terms"));
        }
        for (a, w) in terms {
            terms[0].0.expect_packing(a)?;
            expect_finite(&[(*w).into()])?;
            if a.level() <= level {
                return Err(Error::levels_exhausted("weighted_sum", level.saturating_add(1), a.level()));
            }
        }
        self.weighted(terms, level)
    }

    fn weighted(&self, terms: &[Weighted<'_>], level: usize) -> Result<Ciphertext> {
        self.weighted_to(terms, level, self.context().params().scale(level))
    }

    pub(crate) fn weighted_to(&self, terms: &[Weighted<'_>], level: usize, target: Scale) -> Result<Ciphertext> {
        let params = self.context().params();
        // Operands with the same division are summed before it; nested levels need one in all.
        let mut groups: BTreeMap<PlanId, (Arc<LevelSwitch>, Vec<Weighted<'_>>)> = BTreeMap::new();
        for &(a, weight) in terms {
            self.check(a)?;
            let switch = params.level_switch(a.level(), level);
            groups.entry(switch.division.id).or_insert((switch, vec![])).1.push((a, weight));
        }
        let parts = groups.values().map(|(switch, terms)| self.switch_level(switch, terms, level, target));
        parts.reduce(|a, b| self.add(&a?, &b?)).ok_or_else(|| Error::none("terms"))?
    }

    /// `sum of weight * ciphertext` by one division of the sum.
    fn switch_level(
        &self,
        by: &LevelSwitch,
        terms: &[Weighted<'_>],
        level: usize,
        target: Scale,
    ) -> Result<Ciphertext> {
        let _scope = self.context().scope("WeightedSum");
        let (ctx, basis) = (self.context(), &by.division.src);
        let all = self.summands(by, terms.iter().map(|t| t.0), level, target)?;
        let mut residues = Vec::with_capacity(terms.len());
        let mut noises = Vec::with_capacity(terms.len());
        for (&(a, weight), &factor) in terms.iter().zip(&all.factors) {
            let integer = self.scaled_integer(weight, factor, a.level())?;
            residues.push(rows::residues(integer, basis).collect::<Vec<_>>());
            // the rounding of `integer` counts as an error of the values
            let rounding = ErrorTerm::fixed(0.5 / factor.value() * a.noise().magnitude() * all.before.value());
            noises.push(a.noise().scaled(integer as f64, weight, all.before).plus_fixed(rounding));
        }
        let noise = Groups::new(&noises).sum(noises.iter().copied()).unwrap_or(terms[0].0.noise());
        let mut sum = ctx.alloc(all.polys * basis.len())?;
        let sources: Vec<_> = (terms.iter().zip(&residues).zip(&all.keeps))
            .map(|(((a, _), residues), by)| (Coeff::PerLimb(residues), a.view().choose(&by.keep)))
            .collect();
        noise.expect_room("weighted sum", basis.log2())?;
        ctx.backend().lincomb(sum.view_mut(all.polys), &sources, basis, false)?;
        self.switched(by, &sum, &all, noise)?.fits("weighted sum")
    }

    /// What the terms of a sum at `target * ratio` have in common. Refuses terms that cannot be added.
    pub(super) fn summands<'a>(
        &self,
        by: &LevelSwitch,
        terms: impl Iterator<Item = &'a Ciphertext> + Clone,
        level: usize,
        target: Scale,
    ) -> Result<Summands<'a>> {
        let first = terms.clone().next().ok_or_else(|| Error::none("terms"))?;
        let ratio = Scale::of_quotient(&by.division.divisor(), &by.division.multiplier());
        let (polys, before) = (terms.clone().map(|a| a.polys()).max().unwrap_or(2), target * ratio);
        let (mut owner, mut held) = (self.owner(first), first.held());
        let (mut factors, mut keeps) = (vec![], vec![]);
        for a in terms {
            owner = owner.join("ciphertext", a.key_id())?;
            held = held.sum(a.held())?;
            expect_polys("align", polys, a.polys())?;
            let factor = before / a.scale();
            if factor.log2() < MIN_FACTOR_BITS {
                return Err(Error::ScaleMismatch { op: "align", lhs_log2: a.scale().log2(), rhs_log2: before.log2() });
            }
            factors.push(factor);
            keeps.push(self.context().params().level_switch(a.level(), level));
        }
        Ok(Summands {
            first,
            owner,
            held,
            polys,
            position: Position { level, scale: target },
            before,
            ratio,
            factors,
            keeps,
        })
    }

    /// Divides a sum of `terms`, which has this noise.
    pub(super) fn switched(
        &self,
        by: &LevelSwitch,
        sum: &Buf,
        terms: &Summands<'_>,
        noise: Noise,
    ) -> Result<Ciphertext> {
        let (ctx, polys, position) = (self.context(), terms.polys, terms.position);
        let mut buf = ctx.alloc(polys * by.division.dst.len())?;
        ctx.backend().divide_round(buf.view_mut(polys), sum.view(polys), &by.division, None)?;
        let noise = noise.divided(terms.ratio.log2(), noise::rounding_of(ctx.params(), polys), position.scale);
        Ok(self.result_like(terms.first, buf, polys, position, noise).with_key(terms.owner).with_held(terms.held))
    }

    /// `a * b`, one level below the lower operand. An operand without a level to spend is
    /// bootstrapped first.
    pub fn mul_auto(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.keys().relinearization()?;
        let square = a.is_same(b);
        let a = self.with_left(a, 1)?;
        let b = if square { a.clone() } else { self.with_left(b, 1)? };
        let (a, b) = Operations::align(self, &a, &b)?;
        self.expect_product(a.level())?;
        self.mul_relin_rescale(&a, &b)
    }

    /// Refuses a product of ciphertexts at a level whose products do not land on a level's scale:
    /// at levels of SlotsToCoeffs that have bits of their own.
    pub(crate) fn expect_product(&self, level: usize) -> Result<()> {
        let params = self.context().params();
        let input = params.bootstrap().map_or(0, BootstrapSpec::input_level);
        if level == 0 || level > input {
            return Ok(());
        }
        let product = params.scale(level) * params.scale(level) / params.ratio(level);
        if (product.log2() - params.scale(level - 1).log2()).abs() < 0.01 {
            return Ok(());
        }
        Err(Error::levels_exhausted("multiplication", input + 1, level))
    }

    /// The sum of `a * b` over all pairs, one level below the lowest operand, with one
    /// relinearisation in all. Operands without a level to spend are bootstrapped first.
    pub fn mul_sum_auto(&self, pairs: &[(&Ciphertext, &Ciphertext)]) -> Result<Ciphertext> {
        self.keys().relinearization()?;
        let fresh = |a: &Ciphertext| self.with_left(a, 1);
        let ready: Vec<_> = pairs.iter().map(|(a, b)| Ok((fresh(a)?, fresh(b)?))).collect::<Result<_>>()?;
        let level = ready.iter().map(|(a, b)| a.level().min(b.level())).min().unwrap_or(0);
        if level == 0 && !ready.is_empty() {
            return Err(Error::levels_exhausted("multiplication", 1, 0));
        }
        self.expect_product(level)?;
        let products = ready.iter().map(|(a, b)| {
            ready[0].0.expect_packing(a)?;
            self.mul(&self.align(a, level)?, &self.align(b, level)?)
        });
        let sum = products.reduce(|a, b| self.add(&a?, &b?)).ok_or_else(|| Error::none("pairs"))?;
        self.relinearize_rescale(&sum?)
    }

    /// `constant * a`: free for integers up to 2^16 in magnitude, one level otherwise.
    pub fn mul_scalar_auto(&self, a: &Ciphertext, constant: f64) -> Result<Ciphertext> {
        expect_finite(&[constant.into()])?;
        if constant.fract() == 0.0 && constant.abs() <= 65536.0 {
            return self.mul_integer(a, constant as i64);
        }
        let a = &self.with_left(a, 1)?;
        if a.level() == 0 {
            return Err(Error::levels_exhausted("multiplication by a constant", 1, 0));
        }
        self.weighted(&[(a, constant)], a.level() - 1)
    }

    /// The scale at which a plaintext factor for `a` is encoded, so that the rescaled product is at
    /// the scale of the level below.
    pub fn factor_scale(&self, a: &Ciphertext) -> Result<Scale> {
        if a.level() == 0 {
            return Err(Error::levels_exhausted("multiplication by numbers in the clear", 1, 0));
        }
        let params = self.context().params();
        Ok(params.scale(a.level() - 1) * params.ratio(a.level()) / a.scale())
    }

    /// `a * p`, rescaled, for a plaintext that is encoded at [`Evaluator::factor_scale`].
    pub fn mul_plain_auto(&self, a: &Ciphertext, p: &Plaintext) -> Result<Ciphertext> {
        let product = self.mul_plain(a, p)?;
        self.rescale_to_level(&product)
    }

    /// Rescales a product that was made at [`Evaluator::factor_scale`] and gives it the exact scale
    /// of its level.
    pub(crate) fn rescale_to_level(&self, product: &Ciphertext) -> Result<Ciphertext> {
        let params = self.context().params();
        self.rescale_to_scale(product, params.scale(product.level().saturating_sub(1)))
    }

    /// Rescales a product and declares the scale `target`, which differs by rounding only.
    pub(crate) fn rescale_to_scale(&self, product: &Ciphertext, target: Scale) -> Result<Ciphertext> {
        let rescaled = self.rescale(product)?;
        let relative = (rescaled.scale().value() / target.value() - 1.0).abs();
        if relative > 2f64.powi(-30) {
            let (lhs_log2, rhs_log2) = (rescaled.scale().log2(), target.log2());
            return Err(Error::ScaleMismatch { op: "rescale", lhs_log2, rhs_log2 });
        }
        Ok(rescaled.renamed(target))
    }

    /// `a * v` for a vector of plain values, rescaled.
    pub fn mul_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        let a = &self.with_left(a, 1)?;
        let scale = self.factor_scale(a)?;
        let p = Plaintext::encode(self.context(), values, a.level(), scale, a.log_slots())?;
        self.mul_plain_auto(a, &p)
    }

    /// `i * a`, exact: level and scale stay. The polynomial X^(N/2) encodes i in every slot.
    pub fn times_i(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let unit = vec![Complex64 { re: 0.0, im: 1.0 }; a.slots()];
        let p = Plaintext::encode(self.context(), &unit, a.level(), Scale::power_of_two(0), a.log_slots())?.exact();
        Ok(self.mul_plain(a, &p)?.with_noise(a.noise().times_i()))
    }

    /// `a + v` for a vector of plain values.
    pub fn add_values(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        let p = Plaintext::encode(self.context(), values, a.level(), a.scale(), a.log_slots())?;
        self.add_plain(a, &p)
    }
}
