//! Sums of products of ciphertexts and vectors.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_backend::plan::PlanId;
use ringjet_backend::{Buf, RotateFactor, RotateSum, RotateTerm};
use ringjet_math::Basis;

use super::params::Parameters;
use super::{Ciphertext, Evaluator, Scale};
use crate::noise::{Groups, Noise};
use crate::rlwe::LevelSwitch;
use crate::vectors::expect_polys;
use crate::{Error, Result};

/// A vector by which a term of a sum is multiplied, encoded as [`VectorFactor::place`] says.
#[derive(Debug)]
pub(crate) struct VectorFactor {
    /// One polynomial, in the form of [`compact`](ringjet_backend::Backend::compact).
    pub factor: Buf,
    /// The bounds on the values, and the error of the encoding.
    pub noise: Noise,
}

impl VectorFactor {
    /// The scale and the primes of a factor for a term at level `from` and its scale, in a sum at
    /// `level` and the scale `target`.
    pub(crate) fn place(params: &Parameters, from: usize, level: usize, target: Scale) -> (Scale, Basis) {
        let division = &params.level_switch(from, level).division;
        let ratio = Scale::of_quotient(&division.divisor(), &division.multiplier());
        (target * ratio / params.scale(from), division.src.clone())
    }
}

/// Relative difference of scales that rounding to doubles explains.
const NEAR: f64 = 1e-9;

type Term<'a> = (&'a Ciphertext, &'a VectorFactor);

impl Evaluator {
    /// `sum of vector * ciphertext` at `level` and the scale `target`, as
    /// [`Evaluator::weighted_sum`] of numbers: the sum is divided once for all operands with the same
    /// division. Fails as that does.
    pub(crate) fn vector_sum(&self, terms: &[Term<'_>], level: usize, target: Scale) -> Result<Ciphertext> {
        let params = self.context().params();
        let mut groups: BTreeMap<PlanId, (Arc<LevelSwitch>, Vec<Term<'_>>)> = BTreeMap::new();
        for &(a, factor) in terms {
            self.check(a)?;
            let switch = params.level_switch(a.level(), level);
            groups.entry(switch.division.id).or_insert((switch, vec![])).1.push((a, factor));
        }
        let parts = groups.values().map(|(switch, terms)| self.switch_products(switch, terms, level, target));
        parts.reduce(|a, b| self.add(&a?, &b?)).ok_or_else(|| Error::none("terms"))?
    }

    /// `sum of vector * ciphertext` by one division of the sum.
    fn switch_products(&self, by: &LevelSwitch, terms: &[Term<'_>], level: usize, target: Scale) -> Result<Ciphertext> {
        let _scope = self.context().scope("WeightedSum");
        let (ctx, basis) = (self.context(), &by.division.src);
        let all = self.summands(by, terms.iter().map(|t| t.0), level, target)?;
        expect_polys("weighted sum", 2, all.polys)?;
        for ((_, factor), needed) in terms.iter().zip(&all.factors) {
            // encoded for another level, or for other scales
            let (found, needed) = (factor.noise.scale(), needed.value());
            if factor.factor.limbs() != basis.len() || (found / needed - 1.0).abs() > NEAR {
                let (lhs_log2, rhs_log2) = (found.log2(), needed.log2());
                return Err(Error::ScaleMismatch { op: "weighted sum", lhs_log2, rhs_log2 });
            }
        }
        let noises: Vec<Noise> = terms.iter().map(|(a, f)| a.noise().product(f.noise, all.before)).collect();
        let noise = Groups::new(&noises).sum(noises.iter().copied()).unwrap_or(terms[0].0.noise());
        noise.expect_room("weighted sum", basis.log2())?;
        let mut sum = ctx.alloc(2 * basis.len())?;
        for (i, ((a, factor), by)) in terms.iter().zip(&all.keeps).enumerate() {
            // a term without a key: a product with a factor that may be compact
            let pair = a.view().choose(&by.keep);
            let factors = [RotateFactor::Poly(factor.factor.view(1))];
            let terms = [RotateTerm { key: None, automorphism: None, factors: &factors }];
            let product = RotateSum { digits: pair.poly(0), add: pair, terms: &terms };
            ctx.backend().hoisted_rotate_sum(sum.view_mut(2), &product, basis, i > 0)?;
        }
        self.switched(by, &sum, &all, noise)?.fits("weighted sum")
    }
}
