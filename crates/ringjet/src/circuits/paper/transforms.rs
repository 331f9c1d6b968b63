//! Linear transforms in the orders of published cost models (see [`super`]).

use ringjet_backend::{Coeff, RotateFactor, RotateSum, RotateTerm, Rotation};

use super::{BabySteps, Hoisting};
use crate::circuits::bootstrap::{Factor, Matrix};
use crate::circuits::transform::{Rows, Values, own_scales};
use crate::circuits::{EncodedTransform, LinearTransform};
use crate::ckks::{Position, noise};
use crate::{Ciphertext, Context, Error, Evaluator, Result};

impl Matrix {
    /// Encodes the matrix with inner rotations by `rule`.
    pub(super) fn encode_by(&self, ctx: &Context, rule: BabySteps) -> Result<EncodedTransform> {
        match &self.factor {
            Factor::Values(matrix) => {
                let all = rule.diagonals(matrix)?.into_iter().map(|(parts, values)| Ok((parts, Values::Known(values))));
                EncodedTransform::new(ctx, matrix.slots(), matrix.rows()?, self.level, self.scales, all)
            }
            Factor::Shape(shape) => {
                let parts = rule.parts(&shape.diagonals, shape.slots);
                let all = parts.into_iter().map(|parts| Ok((parts, Values::Period(shape.period))));
                EncodedTransform::new(ctx, shape.slots, Rows::FOURIER, self.level, self.scales, all)
            }
        }
    }
}

impl BabySteps {
    /// `matrix` encoded for ciphertexts at `level` and their scale, with inner rotations by this
    /// rule.
    /// Fails as [`LinearTransform::encode`] does.
    pub fn encode(self, ctx: &Context, matrix: LinearTransform, level: usize) -> Result<EncodedTransform> {
        Matrix { factor: Factor::Values(matrix), level, scales: own_scales(ctx, level) }.encode_by(ctx, self)
    }
}

impl EncodedTransform {
    /// As [`EncodedTransform::apply`], with the decompositions and divisions by P of `hoisting`.
    /// Fails as that does.
    pub fn apply_with(&self, eval: &Evaluator, x: &Ciphertext, hoisting: Hoisting) -> Result<Ciphertext> {
        let rotated = self.groups.keys().any(|&outer| outer != 0);
        self.apply_by(eval, x, |x| match hoisting {
            Hoisting::None | Hoisting::Single => self.single(eval, x, hoisting),
            Hoisting::DoubleRescaled if rotated => self.double_rescaled(eval, x),
            Hoisting::Double | Hoisting::DoubleRescaled => self.double(eval, x),
        })
    }

    /// The transform with all words of each diagonal, without the compact form.
    pub(super) fn with_whole_diagonals(mut self, ctx: &Context) -> Result<Self> {
        for diagonal in self.groups.values_mut().flatten() {
            let (few, n) = (&diagonal.poly, ctx.params().n());
            if few.n() < n {
                let mut whole = ctx.alloc(few.limbs())?;
                ctx.backend().expand(whole.view_mut(1), few.view(1))?;
                diagonal.poly = whole;
            }
        }
        Ok(self)
    }

    fn single(&self, eval: &Evaluator, x: &Ciphertext, hoisting: Hoisting) -> Result<Ciphertext> {
        let (ctx, params) = (eval.context(), eval.context().params());
        let (basis, k, groups) = (&params.level(self.level).basis, params.p().len(), self.groups.len());
        let babies = self.babies();
        let mut sums = ctx.alloc(2 * groups * basis.len())?;
        let rotated = match hoisting {
            Hoisting::None => babies.iter().map(|&s| eval.rotate(x, s)).collect::<Result<Vec<_>>>()?,
            _ => eval.rotate_hoisted(x, &babies)?,
        };
        for (turned, (&baby, rotated)) in babies.iter().zip(&rotated).enumerate() {
            let factors: Vec<RotateFactor<'_>> = (self.groups.values())
                .map(|group| match group.iter().find(|d| d.baby == baby) {
                    Some(d) => RotateFactor::Poly(d.poly.view(1).range(k, basis.len())),
                    None => RotateFactor::None,
                })
                .collect();
            let term = RotateTerm { key: None, automorphism: None, factors: &factors };
            let sum = RotateSum { digits: rotated.view().poly(0), add: rotated.view(), terms: &[term] };
            ctx.backend().hoisted_rotate_sum(sums.view_mut(2 * groups), &sum, basis, turned > 0)?;
        }
        let parts = self.groups.keys().enumerate().map(|(g, &outer)| {
            let mut buf = ctx.alloc(2 * basis.len())?;
            ctx.backend().copy(buf.view_mut(2), sums.view(2 * groups).slice(2 * g, 2))?;
            let position = Position { level: self.level, scale: self.from * self.scale };
            eval.rotate(&eval.result_like(x, buf, 2, position, self.noise(params, x.noise())), outer)
        });
        match parts.reduce(|a, b| eval.add(&a?, &b?)) {
            Some(sum) => eval.rescale_to_scale(&sum?, self.to),
            None => Ok(x.clone()),
        }
    }

    /// Giant steps one level lower: sums are divided by P, rescaled, rotated and added up.
    pub(super) fn double_rescaled(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let (ctx, params, below) = (eval.context(), eval.context().params(), self.level - 1);
        let (b, plans, groups) = (ctx.backend(), params.level(below), self.groups.len());
        let (limbs, k) = (plans.extended.len(), params.p().len());
        let division = params.level(self.level).mod_down_rescale.as_ref();
        let division = division.ok_or(Error::levels_exhausted("linear transform", 1, 0))?;
        let sums = self.inner_sums(eval, x)?;
        let mut total = ctx.alloc(2 * limbs)?;
        b.lincomb(total.view_mut(2).prefix(k), &[], params.p(), false)?;
        let mut low = ctx.alloc(2 * plans.basis.len())?;
        let mut lifted = ctx.alloc(limbs)?;
        b.lincomb(lifted.view_mut(1).prefix(k), &[], params.p(), false)?;
        for (g, &outer) in self.groups.keys().enumerate() {
            b.divide_round(low.view_mut(2), sums.view(2 * groups).slice(2 * g, 2), division, None)?;
            let times_p = Coeff::PerLimb(&plans.mod_up.p_residues);
            if outer == 0 {
                let _scope = ctx.scope("Unrotated");
                let dst = total.view_mut(2).range(k, limbs - k);
                b.lincomb(dst, &[(times_p, low.view(2))], &plans.basis, g > 0)?;
            } else {
                let (galois, key) = eval.rotation_key(x, outer)?;
                let (key, automorphism) = (key.at(below)?, params.automorphism(galois));
                let dst = lifted.view_mut(1).range(k, limbs - k);
                b.lincomb(dst, &[(times_p, low.view(2).poly(0))], &plans.basis, false)?;
                let (mod_up, add) = (&plans.mod_up, lifted.view(1));
                let rotation = Rotation { mod_up, key: key.view(), automorphism: &automorphism, add };
                b.rotate_into(total.view_mut(2), low.view(2).poly(1), &rotation, g > 0)?;
            }
        }
        let mut buf = ctx.alloc(2 * plans.basis.len())?;
        b.divide_round(buf.view_mut(2), total.view(2), &plans.mod_down, None)?;
        let noise = self.noise(params, x.noise());
        let rounding = noise::rounding(params);
        let noise = noise.divided(params.ratio(self.level).log2(), rounding, self.to).plus(rounding);
        Ok(eval.result_like(x, buf, 2, Position { level: below, scale: self.to }, noise))
    }
}
