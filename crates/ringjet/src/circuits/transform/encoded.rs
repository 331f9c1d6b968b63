//! Linear transforms with encoded diagonals, and their products with ciphertexts by double hoisting
//! (Bossuat et al., ePrint 2020/1203), which delays the divisions by P.

use std::collections::BTreeMap;

use ringjet_backend::{Buf, Coeff, RotateFactor, RotateSum, Rotation};
use ringjet_math::fft::Complex64;

use super::{LinearTransform, Rows};
use crate::ckks::{Position, encode_extended, noise, rotate_term};
use crate::diagonals::{HOISTED_GIANT_COST, Split, folded};
use crate::noise::ErrorTerm;
use crate::rlwe::keyswitch::{EXPANDED_AT_ONCE, hoist};
use crate::vectors::expect_scales;
use crate::{Ciphertext, Context, Error, Evaluator, Noise, Parameters, Range, Result, Scale};

/// An encoded diagonal over `P ++ Q_l`, in the form of
/// [`compact`](ringjet_backend::Backend::compact) where it is a polynomial in a power of X.
#[derive(Debug)]
pub struct Diagonal {
    /// The inner rotation.
    pub baby: i64,
    /// The polynomial.
    pub poly: Buf,
}

/// The shape of a transform without its values, for backends that only count.
pub struct TransformShape {
    /// The number of slots.
    pub slots: usize,
    /// The non-zero diagonals, of both signs.
    pub diagonals: Vec<i64>,
    /// The period of the values of each diagonal.
    pub period: usize,
}

/// A diagonal's values, rotated back by its outer step; for counting backends their period.
pub enum Values {
    /// The values.
    Known(Vec<Complex64>),
    /// The period of values that only count.
    Period(usize),
}

/// A transform encoded for one level.
#[derive(Debug)]
pub struct EncodedTransform {
    pub(crate) groups: BTreeMap<i64, Vec<Diagonal>>,
    pub(crate) level: usize,
    /// The scale of the encoded diagonals.
    pub(crate) scale: Scale,
    pub(crate) from: Scale,
    pub(crate) to: Scale,
    pub(crate) slots: usize,
    pub(crate) rows: Rows,
}

/// The scales before and after a transform.
pub type Scales = (Scale, Scale);

/// The scales of `level` and of the level below it.
pub fn own_scales(ctx: &Context, level: usize) -> Scales {
    let scale = |level: usize| ctx.params().scale(level.min(ctx.params().max_level()));
    (scale(level), scale(level.saturating_sub(1)))
}

impl LinearTransform {
    /// Encodes the diagonals for ciphertexts at `level` (at least 1) and that level's scale.
    pub fn encode(&self, ctx: &Context, level: usize) -> Result<EncodedTransform> {
        self.encode_between(ctx, level, own_scales(ctx, level))
    }

    /// Encodes the diagonals to take a ciphertext at `level` from the first to the second scale.
    pub(crate) fn encode_between(&self, ctx: &Context, level: usize, scales: Scales) -> Result<EncodedTransform> {
        let diagonals = self.diagonals.keys().map(|&k| {
            let (parts, values) = self.turned(k)?;
            Ok((parts, Values::Known(values)))
        });
        EncodedTransform::new(ctx, self.slots, self.rows()?, level, scales, diagonals)
    }
}

impl EncodedTransform {
    /// Encodes a transform, given the inner and the outer rotation and the values of each diagonal.
    pub(crate) fn new(
        ctx: &Context,
        slots: usize,
        rows: Rows,
        level: usize,
        (from, to): Scales,
        diagonals: impl Iterator<Item = Result<((i64, i64), Values)>>,
    ) -> Result<Self> {
        let params = ctx.params();
        if level == 0 {
            return Err(Error::levels_exhausted("linear transform", 1, 0));
        }
        if level > params.max_level() {
            return Err(Error::NoSuchLevel { level, top: params.max_level() });
        }
        if slots > params.max_slots() {
            return Err(Error::SlotCount { found: slots, slots, max: params.max_slots() });
        }
        let scale = to * params.ratio(level) / from;
        let mut groups: BTreeMap<i64, Vec<Diagonal>> = BTreeMap::new();
        for diagonal in diagonals {
            let ((baby, outer), values) = diagonal?;
            let (poly, gap) = match values {
                Values::Known(values) => {
                    encode_extended(ctx, &values, Position { level, scale }, slots.trailing_zeros())?
                }
                // `encode_extended` finds this gap for values of this period
                Values::Period(period) => {
                    (ctx.uncomputed_poly(&params.level(level).extended)?, params.n() / (2 * period))
                }
            };
            // Diagonals of a period shorter than the slots are polynomials in X^gap. Those of a
            // Fourier transform's first stages have very short periods.
            let poly = if gap > 1 { ctx.backend().compact(poly.view(1), gap)? } else { poly };
            groups.entry(outer).or_default().push(Diagonal { baby, poly });
        }
        Ok(Self { groups, level, scale, from, to, slots, rows })
    }

    /// A transform without values, on a backend that only counts.
    pub(crate) fn uncomputed(ctx: &Context, shape: &TransformShape, level: usize, scales: Scales) -> Result<Self> {
        let diagonals = folded(&shape.diagonals, shape.slots);
        let split = Split::cheapest(HOISTED_GIANT_COST, &diagonals, shape.slots);
        let all = diagonals.iter().map(|&k| Ok((split.of(k), Values::Period(shape.period))));
        Self::new(ctx, shape.slots, Rows::FOURIER, level, scales, all)
    }

    /// The level of the ciphertexts that the transform takes.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Bytes of the encoded diagonals.
    pub fn memory_bytes(&self) -> usize {
        self.groups.values().flatten().map(|d| d.poly.limbs() * d.poly.n() * 8).sum()
    }
}

impl EncodedTransform {
    /// The transform of `x`, one level down. `x` is aligned to the transform's level first.
    /// Fails with [`Error::SlotMismatch`], [`Error::ModulusExhausted`], [`Error::ScaleMismatch`];
    /// [`Error::MissingRotationKey`].
    pub fn apply(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        self.apply_by(eval, x, |x| self.double(eval, x))
    }

    /// Applies `product` to the aligned `x`; without diagonals the result is zero.
    pub(crate) fn apply_by(
        &self,
        eval: &Evaluator,
        x: &Ciphertext,
        product: impl FnOnce(&Ciphertext) -> Result<Ciphertext>,
    ) -> Result<Ciphertext> {
        eval.check(x)?;
        if x.slots() != self.slots {
            return Err(Error::SlotMismatch { lhs: x.slots(), rhs: self.slots });
        }
        if x.level() < self.level {
            return Err(Error::levels_exhausted("linear transform", self.level, x.level()));
        }
        let _scope = eval.context().scope("PtMatVecMult");
        let ready = x.level() == self.level && x.scale() == self.from;
        let x = if ready { x.clone() } else { eval.align(x, self.level)? };
        expect_scales("linear transform", x.scale(), self.from)?;
        if self.groups.is_empty() {
            return Ok(eval.rescale(&eval.mul_integer(&x, 0)?)?.with_scale(self.to).everywhere());
        }
        product(&x).map(Ciphertext::everywhere)
    }

    pub(crate) fn babies(&self) -> Vec<i64> {
        let mut babies: Vec<i64> = self.groups.values().flatten().map(|d| d.baby).collect();
        babies.sort_unstable();
        babies.dedup();
        babies
    }

    /// Double hoisting: the computation stays over `P ++ Q_l` until the end. Of a giant step's sum,
    /// only the second polynomial is divided by P, because key switching decomposes it.
    pub(crate) fn double(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let (ctx, params, level) = (eval.context(), eval.context().params(), self.level);
        let (b, plans, groups) = (ctx.backend(), params.level(level), self.groups.len());
        let (basis, limbs) = (&plans.extended, plans.extended.len());
        let division = plans.mod_down_rescale.as_ref();
        let division = division.ok_or(Error::levels_exhausted("linear transform", 1, 0))?;
        let sums = self.inner_sums(eval, x)?;
        let mut total = ctx.alloc(2 * limbs)?;
        let mut started = false;
        let mut low = ctx.alloc(plans.basis.len())?;
        for (g, &outer) in self.groups.keys().enumerate() {
            let pair = sums.view(2 * groups).slice(2 * g, 2);
            if outer == 0 {
                b.lincomb(total.view_mut(2), &[(Coeff::One, pair)], basis, started)?;
            } else {
                let (key, automorphism) = eval.switch(x, outer)?;
                b.divide_round(low.view_mut(1), pair.poly(1), &plans.mod_down, None)?;
                let rotation =
                    Rotation { mod_up: &plans.mod_up, key: key.view(), automorphism: &automorphism, add: pair.poly(0) };
                b.rotate_into(total.view_mut(2), low.view(1), &rotation, started)?;
            }
            started = true;
        }
        let mut buf = ctx.alloc(2 * division.dst.len())?;
        b.divide_round(buf.view_mut(2), total.view(2), division, None)?;
        let noise = self.rescaled_noise(params, x.noise());
        Ok(eval.result_like(x, buf, 2, Position { level: level - 1, scale: self.to }, noise))
    }

    /// The sum of each giant step over `P ++ Q_l`, a pair of polynomials. All rotations are one
    /// call; where keys have to be expanded, a call has at most [`EXPANDED_AT_ONCE`] of them.
    pub(crate) fn inner_sums(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Buf> {
        let (ctx, params) = (eval.context(), eval.context().params());
        let (b, plans, k) = (ctx.backend(), params.level(self.level), params.p().len());
        let (basis, limbs, beta) = (&plans.extended, plans.extended.len(), plans.mod_up.beta());

        // P * x: terms that are not rotated need the factor P, which keys multiply by
        let mut lifted = ctx.alloc(2 * limbs)?;
        b.lincomb(lifted.view_mut(2).prefix(k), &[], params.p(), false)?;
        let terms = [(Coeff::PerLimb(&plans.mod_up.p_residues), x.view())];
        b.lincomb(lifted.view_mut(2).range(k, limbs - k), &terms, &plans.basis, false)?;

        let babies = self.babies();
        let needs_digits = babies.iter().any(|&i| i != 0);
        let digits = if needs_digits { hoist(ctx, x.view().poly(1), self.level)? } else { ctx.alloc(beta * limbs)? };
        let mut sums = ctx.alloc(2 * self.groups.len() * limbs)?;
        let mut done = 0;
        while done < babies.len() {
            let (mut switches, mut expanded) = (Vec::new(), 0);
            for &i in &babies[done..] {
                if expanded == EXPANDED_AT_ONCE {
                    break;
                }
                let switch = (i != 0).then(|| eval.switch(x, i)).transpose()?;
                expanded += usize::from(switch.as_ref().is_some_and(|(key, _)| key.is_expanded()));
                switches.push(switch);
            }
            let factors: Vec<_> = babies[done..][..switches.len()].iter().map(|&i| self.factors(i)).collect();
            let terms = switches.iter().zip(&factors).map(|(switch, factors)| rotate_term(switch.as_ref(), factors));
            let terms: Vec<_> = terms.collect();
            let sum = RotateSum { digits: digits.view(beta), add: lifted.view(2), terms: &terms };
            b.hoisted_rotate_sum(sums.view_mut(2 * self.groups.len()), &sum, basis, done > 0)?;
            done += switches.len();
        }
        Ok(sums)
    }

    /// The diagonals by which the rotation by `baby` is multiplied, one for each giant step's sum.
    fn factors(&self, baby: i64) -> Vec<RotateFactor<'_>> {
        (self.groups.values())
            .map(|group| match group.iter().find(|d| d.baby == baby) {
                Some(d) => RotateFactor::Poly(d.poly.view(1)),
                None => RotateFactor::None,
            })
            .collect()
    }

    /// The error of the rescaled product.
    pub(crate) fn rescaled_noise(&self, params: &Parameters, input: Noise) -> Noise {
        self.noise(params, input).divided(params.ratio(self.level).log2(), noise::rounding(params), self.to)
    }

    /// The error of the product before rescaling: the input's error, and the errors of key
    /// switching and of the rounding of diagonals.
    pub(crate) fn noise(&self, params: &Parameters, input: Noise) -> Noise {
        let (rows, scale) = (self.rows, self.scale.value());
        let mapped = || input.range().mapped(rows.norm, rows.real);
        let range = if rows.keeps { Range::complex(input.magnitude()) } else { mapped() };
        let switched = noise::switched(params, self.level);
        let diagonals = self.groups.values().map(Vec::len).sum::<usize>() as f64;
        let giants = self.groups.keys().filter(|&&outer| outer != 0).count() as f64;
        // the rounding of every diagonal is multiplied by the values and their errors
        let values = ErrorTerm::fixed(input.magnitude() * self.from.value()) + input.error();
        let (rounding, giants) = (noise::encoding(params).product(values), switched.times(giants));
        let (norm, squares) = (rows.norm * scale, rows.squares * scale * scale);
        // each entry, at most 1 for every 1 in `squares`, is rounded to doubles
        let doubles = ErrorTerm::doubles(squares.sqrt() * input.magnitude() * self.from.value());
        input
            .mapped(switched, norm, squares, range, self.from * self.scale)
            .plus(rounding.times(diagonals) + doubles)
            .plus(giants)
    }
}
