//! Linear transforms in the orders of published cost models (see [`super`]).

use ringjet::circuits::papers::{
    Diagonal, Factor, Kept, Matrix, Rows, Values, apply_by, encode, groups, inner_rotations, inner_sums, noise,
    noise_rounded_twice, own_scales, rescale_to_scale, result_like, rotation_key, rows, scales, view, with_diagonals,
};
use ringjet::circuits::{EncodedTransform, LinearTransform};
use ringjet::{Ciphertext, Context, Error, Evaluator, Result};
use ringjet_backend::{Buf, Coeff, RotateFactor, RotateSum, RotateTerm, Rotation};

use super::BabySteps;

/// Where a linear transform decomposes and divides by P, the product of the special primes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hoisting {
    /// One decomposition and one division by P for each baby step and each giant step.
    None,
    /// One decomposition for all baby steps; one division by P for each baby and each giant step.
    Single,
    /// One division by P for each giant step, and one at the end together with the rescaling.
    #[default]
    Double,
    /// As [`Hoisting::Double`], but each giant step's sum is divided by P and rescaled, rotated or
    /// not, and giant steps are one level lower. This is the double-hoisted form that the cost
    /// model of de Castro et al. takes from Bossuat et al.
    DoubleRescaled,
}

impl BabySteps {
    /// `matrix` encoded for ciphertexts at `level` and their scale, with inner rotations by this
    /// rule.
    /// Fails as [`LinearTransform::encode`] does.
    pub fn encode(self, ctx: &Context, matrix: LinearTransform, level: usize) -> Result<EncodedTransform> {
        self.encode_matrix(ctx, &Matrix { factor: Factor::Values(matrix), level, scales: own_scales(ctx, level) })
    }

    /// A matrix of bootstrapping with inner rotations by this rule.
    pub(super) fn encode_matrix(self, ctx: &Context, matrix: &Matrix) -> Result<EncodedTransform> {
        let place = (matrix.level, matrix.scales);
        match &matrix.factor {
            Factor::Values(matrix) => {
                let all = self.diagonals(matrix).into_iter().map(|(parts, values)| Ok((parts, Values::Known(values))));
                encode(ctx, matrix.slots(), rows(matrix)?, place, all)
            }
            Factor::Shape(shape) => {
                let parts = self.parts(&shape.diagonals, shape.slots);
                let all = parts.into_iter().map(|parts| Ok((parts, Values::Period(shape.period))));
                encode(ctx, shape.slots, Rows::FOURIER, place, all)
            }
        }
    }
}

/// The transform with all words of each diagonal, without the compact form.
pub(super) fn with_whole_diagonals(transform: EncodedTransform, ctx: &Context) -> Result<EncodedTransform> {
    with_diagonals(transform, |few| {
        if few.n() == ctx.params().n() {
            return Ok(few);
        }
        let mut whole = alloc(ctx, few.limbs())?;
        ctx.backend().expand(whole.view_mut(1), few.view(1))?;
        Ok(whole)
    })
}

/// Memory for `limbs` limbs; contents unspecified.
fn alloc(ctx: &Context, limbs: usize) -> Result<Buf> {
    Ok(ctx.backend().alloc(limbs, ctx.params().n())?)
}

impl Hoisting {
    /// As [`EncodedTransform::apply`], with the decompositions and divisions by P of this hoisting.
    /// Fails as that does.
    pub fn apply(self, eval: &Evaluator, transform: &EncodedTransform, x: &Ciphertext) -> Result<Ciphertext> {
        let rotated = groups(transform).keys().any(|&outer| outer != 0);
        match self {
            Self::None | Self::Single => apply_by(transform, eval, x, |x| self.single(eval, transform, x)),
            Self::DoubleRescaled if rotated => apply_by(transform, eval, x, |x| double_rescaled(eval, transform, x)),
            Self::Double | Self::DoubleRescaled => transform.apply(eval, x),
        }
    }

    fn single(self, eval: &Evaluator, transform: &EncodedTransform, x: &Ciphertext) -> Result<Ciphertext> {
        let (ctx, params, level) = (eval.context(), eval.context().params(), transform.level());
        let (basis, k, all) = (&params.level(level).basis, params.p().len(), groups(transform));
        let (babies, (scale, to)) = (inner_rotations(transform), scales(transform));
        let mut sums = alloc(ctx, 2 * all.len() * basis.len())?;
        let rotated = match self {
            Self::None => babies.iter().map(|&s| eval.rotate(x, s)).collect::<Result<Vec<_>>>()?,
            _ => eval.rotate_hoisted(x, &babies)?,
        };
        for (turned, (&baby, rotated)) in babies.iter().zip(&rotated).enumerate() {
            let factors: Vec<RotateFactor<'_>> = (all.values())
                .map(|group| match group.iter().find(|d| d.baby == baby) {
                    Some(Diagonal { kept: Kept::Encoded(poly), .. }) => {
                        RotateFactor::Poly(poly.view(1).range(k, basis.len()))
                    }
                    _ => RotateFactor::None,
                })
                .collect();
            let term = RotateTerm { key: None, automorphism: None, factors: &factors };
            let sum = RotateSum { digits: view(rotated).poly(0), add: view(rotated), terms: &[term] };
            ctx.backend().hoisted_rotate_sum(sums.view_mut(2 * all.len()), &sum, basis, turned > 0)?;
        }
        let parts = all.keys().enumerate().map(|(g, &outer)| {
            let mut buf = alloc(ctx, 2 * basis.len())?;
            ctx.backend().copy(buf.view_mut(2), sums.view(2 * all.len()).slice(2 * g, 2))?;
            eval.rotate(&result_like(eval, x, buf, (level, scale), noise(transform, x)), outer)
        });
        match parts.reduce(|a, b| eval.add(&a?, &b?)) {
            Some(sum) => rescale_to_scale(eval, &sum?, to),
            None => Ok(x.clone()),
        }
    }
}

/// Giant steps one level lower: sums are divided by P, rescaled, rotated and added up.
fn double_rescaled(eval: &Evaluator, transform: &EncodedTransform, x: &Ciphertext) -> Result<Ciphertext> {
    let (ctx, params, below) = (eval.context(), eval.context().params(), transform.level() - 1);
    let (b, plans, all) = (ctx.backend(), params.level(below), groups(transform));
    let (limbs, k) = (plans.extended.len(), params.p().len());
    let division = params.level(transform.level()).mod_down_rescale.as_ref();
    let division = division.ok_or(Error::levels_exhausted("linear transform", 1, 0))?;
    let sums = inner_sums(transform, eval, x)?;
    let mut total = alloc(ctx, 2 * limbs)?;
    b.lincomb(total.view_mut(2).prefix(k), &[], params.p(), false)?;
    let mut low = alloc(ctx, 2 * plans.basis.len())?;
    let mut lifted = alloc(ctx, limbs)?;
    b.lincomb(lifted.view_mut(1).prefix(k), &[], params.p(), false)?;
    for (g, &outer) in all.keys().enumerate() {
        b.divide_round(low.view_mut(2), sums.view(2 * all.len()).slice(2 * g, 2), division, None)?;
        let times_p = Coeff::PerLimb(&plans.mod_up.p_residues);
        if outer == 0 {
            let _scope = ctx.scope("Unrotated");
            let dst = total.view_mut(2).range(k, limbs - k);
            b.lincomb(dst, &[(times_p, low.view(2))], &plans.basis, g > 0)?;
        } else {
            let (key, automorphism) = rotation_key(eval, x, outer, below)?;
            let dst = lifted.view_mut(1).range(k, limbs - k);
            b.lincomb(dst, &[(times_p, low.view(2).poly(0))], &plans.basis, false)?;
            let (mod_up, add) = (&plans.mod_up, lifted.view(1));
            let rotation = Rotation { mod_up, key: key.view(), automorphism: &automorphism, add };
            b.rotate_into(total.view_mut(2), low.view(2).poly(1), &rotation, g > 0)?;
        }
    }
    let mut buf = alloc(ctx, 2 * plans.basis.len())?;
    b.divide_round(buf.view_mut(2), total.view(2), &plans.mod_down, None)?;
    Ok(result_like(eval, x, buf, (below, scales(transform).1), noise_rounded_twice(transform, x)))
}
