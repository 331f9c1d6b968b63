//! Linear transforms prepared for the ciphertexts of one level.

use std::collections::BTreeMap;

use super::diagonals::{Diagonal, DiagonalForm, Encoder, MADE_AT_ONCE, Values};
use super::hoisting::Hoisting;
use super::{LinearTransform, Rows};
use crate::ckks::{Position, noise};
use crate::diagonals::{Split, folded};
use crate::noise::ErrorTerm;
use crate::params::BootstrapSpec;
use crate::vectors::expect_scales;
use crate::{Ciphertext, Context, Error, Evaluator, Noise, Parameters, Range, Result, Scale};

/// The shape of a transform without its values, for backends that only count.
pub struct TransformShape {
    /// The number of slots.
    pub slots: usize,
    /// The non-zero diagonals, of both signs.
    pub diagonals: Vec<i64>,
    /// How they are split.
    pub split: Split,
    /// The period of the values of each diagonal.
    pub period: usize,
}

impl TransformShape {
    /// A matrix of SlotsToCoeffs or, with `inverse`, of CoeffsToSlots, with these diagonals.
    pub(crate) fn of_bootstrapping(
        (boot, inverse): (&BootstrapSpec, bool),
        slots: usize,
        diagonals: Vec<i64>,
        period: usize,
    ) -> Self {
        Self { slots, split: boot.split(inverse, &folded(&diagonals, slots), slots), diagonals, period }
    }
}

/// What a transform is besides its values.
pub struct Kind {
    /// The number of slots.
    pub slots: usize,
    /// How diagonals are kept.
    pub form: DiagonalForm,
    /// Where baby steps are divided by P.
    pub hoisting: Hoisting,
    /// See [`Split::chain`]. Hoisting is double then.
    pub chain: Option<i64>,
}

impl Kind {
    /// A transform at `level` with these inner and outer rotations of its diagonals.
    fn new(
        params: &Parameters,
        level: usize,
        (slots, form): (usize, DiagonalForm),
        split: Split,
        places: &[(i64, i64)],
    ) -> Self {
        let chain = split.chain();
        let hoisting = if chain.is_some() { Hoisting::Double } else { Hoisting::cheapest(params, level, places) };
        Self { slots, form, hoisting, chain }
    }
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
    pub(crate) hoisting: Hoisting,
    pub(crate) chain: Option<i64>,
    /// Bytes of factors that are made at a time.
    pub(super) made_at_once: usize,
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
        let places: Vec<(i64, i64)> = self.diagonals.keys().map(|&k| self.split.of(k as i64)).collect();
        let kind = Kind::new(ctx.params(), level, (self.slots, self.form), self.split, &places);
        EncodedTransform::new(ctx, kind, self.rows()?, level, scales, diagonals)
    }
}

impl EncodedTransform {
    /// Encodes a transform, given the inner and the outer rotation and the values of each diagonal.
    pub(crate) fn new(
        ctx: &Context,
        Kind { slots, form, hoisting, chain }: Kind,
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
        let encoder = Encoder { ctx, at: Position { level, scale }, slots, form, hoisting };
        let mut groups: BTreeMap<i64, Vec<Diagonal>> = BTreeMap::new();
        let mut diagonals = diagonals;
        encoder.expect(diagonals.size_hint().0)?;
        loop {
            let next = diagonals.by_ref().take(encoder.at_once()).collect::<Result<Vec<_>>>()?;
            if next.is_empty() {
                let made_at_once = MADE_AT_ONCE;
                return Ok(Self { groups, level, scale, from, to, slots, rows, hoisting, chain, made_at_once });
            }
            let (places, values): (Vec<_>, Vec<_>) = next.into_iter().unzip();
            for ((baby, outer), kept) in places.into_iter().zip(encoder.encode(values)?) {
                groups.entry(outer).or_default().push(Diagonal { baby, kept });
            }
        }
    }

    /// A transform without values, on a backend that only counts.
    pub(crate) fn uncomputed(ctx: &Context, shape: &TransformShape, level: usize, scales: Scales) -> Result<Self> {
        let diagonals = folded(&shape.diagonals, shape.slots);
        let places: Vec<(i64, i64)> = diagonals.iter().map(|&k| shape.split.of(k)).collect();
        let kind = Kind::new(ctx.params(), level, (shape.slots, DiagonalForm::Encoded), shape.split, &places);
        let all = places.into_iter().map(|place| Ok((place, Values::Period(shape.period))));
        Self::new(ctx, kind, Rows::FOURIER, level, scales, all)
    }

    /// The level of the ciphertexts that the transform takes.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Bytes of the diagonals.
    pub fn memory_bytes(&self) -> usize {
        self.groups.values().flatten().map(|d| d.kept.bytes()).sum()
    }
}

impl EncodedTransform {
    /// The transform of `x`, one level down. `x` is aligned to the transform's level first.
    /// Fails with [`Error::SlotMismatch`], [`Error::ModulusExhausted`], [`Error::ScaleMismatch`];
    /// [`Error::MissingRotationKey`].
    pub fn apply(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        self.apply_by(eval, x, |x| self.product(eval, x))
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
