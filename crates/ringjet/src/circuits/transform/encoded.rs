//! Linear transforms with encoded diagonals.

use std::collections::BTreeMap;

use ringjet_backend::Buf;
use ringjet_math::fft::Complex64;

use super::linear::{LinearTransform, Rows};
use crate::ckks::{Position, encode_extended};
use crate::diagonals::{HOISTED_GIANT_COST, Split, folded};
use crate::{Context, Error, Result, Scale};

/// An encoded diagonal over `P ++ Q_l`, in the form of [`compact`](ringjet_backend::Backend::compact) where it is a
/// polynomial in a power of X.
#[derive(Debug)]
pub(crate) struct Diagonal {
    pub(crate) baby: i64,
    pub(crate) poly: Buf,
}

/// What is known of a transform whose values nobody needs.
pub(crate) struct TransformShape {
    pub(crate) slots: usize,
    /// Of both signs.
    pub(crate) diagonals: Vec<i64>,
    /// Of the values of each diagonal.
    pub(crate) period: usize,
}

/// A diagonal's values, rotated back by its outer step; or only their period, where the backend only counts.
pub(crate) enum Values {
    Known(Vec<Complex64>),
    Period(usize),
}

/// A transform encoded for one level.
#[derive(Debug)]
pub struct EncodedTransform {
    pub(crate) groups: BTreeMap<i64, Vec<Diagonal>>,
    pub(crate) level: usize,
    /// Of the diagonals.
    pub(crate) scale: Scale,
    pub(crate) from: Scale,
    pub(crate) to: Scale,
    pub(crate) slots: usize,
    pub(crate) rows: Rows,
}

pub(crate) type Scales = (Scale, Scale);

/// Those of ciphertexts at `level` and below it.
pub(crate) fn own_scales(ctx: &Context, level: usize) -> Scales {
    let scale = |level: usize| ctx.params().scale(level.min(ctx.params().max_level()));
    (scale(level), scale(level.saturating_sub(1)))
}

impl LinearTransform {
    /// Encodes the diagonals for ciphertexts at `level` (at least 1) and their scale.
    pub fn encode(&self, ctx: &Context, level: usize) -> Result<EncodedTransform> {
        self.encode_between(ctx, level, own_scales(ctx, level))
    }

    /// Encodes the diagonals for ciphertexts at `level` and the first scale, so that the result has the second.
    pub(crate) fn encode_between(&self, ctx: &Context, level: usize, scales: Scales) -> Result<EncodedTransform> {
        let diagonals = self.diagonals.keys().map(|&k| {
            let (parts, values) = self.turned(k);
            (parts, Values::Known(values))
        });
        EncodedTransform::new(ctx, self.slots, self.rows(), level, scales, diagonals)
    }
}

impl EncodedTransform {
    /// From the inner and the outer rotation of each diagonal, and its values.
    pub(crate) fn new(
        ctx: &Context,
        slots: usize,
        rows: Rows,
        level: usize,
        (from, to): Scales,
        diagonals: impl Iterator<Item = ((i64, i64), Values)>,
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
        for ((baby, outer), values) in diagonals {
            let (poly, gap) = match values {
                Values::Known(values) => {
                    encode_extended(ctx, &values, Position { level, scale }, slots.trailing_zeros())?
                }
                // `encode_extended` finds this gap in values of this period
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

    /// A factor of a Fourier transform, on a backend that only counts.
    pub(crate) fn uncomputed(ctx: &Context, shape: &TransformShape, level: usize, scales: Scales) -> Result<Self> {
        let diagonals = folded(&shape.diagonals, shape.slots);
        let split = Split::cheapest(HOISTED_GIANT_COST, &diagonals, shape.slots);
        let all = diagonals.iter().map(|&k| (split.of(k), Values::Period(shape.period)));
        Self::new(ctx, shape.slots, Rows::FOURIER, level, scales, all)
    }

    /// The level it takes.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Bytes of the encoded diagonals.
    pub fn memory_bytes(&self) -> usize {
        self.groups.values().flatten().map(|d| d.poly.limbs() * d.poly.n() * 8).sum()
    }
}
