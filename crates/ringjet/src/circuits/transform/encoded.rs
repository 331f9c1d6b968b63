//! Linear transforms with encoded diagonals.

use std::collections::BTreeMap;

use ringjet_backend::{Buf, REPEATED_WORDS, most_repeats, repeats};
use ringjet_math::fft::Complex64;

use super::LinearTransform;
use crate::ckks::encode_extended;
use crate::diagonals::{HOISTED_GIANT_COST, Split, folded};
use crate::{Context, Error, Result, Scale};

/// An encoded diagonal, over `P ++ Q_l`, its words without their repetitions.
#[derive(Debug)]
pub(crate) struct Diagonal {
    pub(crate) baby: i64,
    pub(crate) poly: Buf,
}

/// What the rows of a matrix do to values and errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    /// The largest sum of absolute values of a row.
    pub(crate) norm: f64,
    /// The largest sum of squares of a row.
    pub(crate) squares: f64,
    /// Whether all entries are real.
    pub(crate) real: bool,
    /// As [`LinearTransform::keeping_magnitudes`].
    pub(crate) keeps: bool,
}

impl Rows {
    /// Of a factor of a Fourier transform, whose values nobody needs.
    pub(crate) const FOURIER: Self = Self { norm: 1.0, squares: 1.0, real: false, keeps: true };
}

/// What is known of a transform whose values nobody needs.
pub(crate) struct TransformShape {
    pub(crate) slots: usize,
    /// Of both signs.
    pub(crate) diagonals: Vec<i64>,
    /// Of the values of each diagonal.
    pub(crate) period: usize,
}

/// A diagonal's values, rotated back by its outer step; or their period, on a backend that computes nothing.
pub(crate) enum Values {
    Known(Vec<Complex64>),
    Period(usize),
}

/// A transform encoded for one level.
#[derive(Debug)]
pub struct EncodedTransform {
    /// By giant step.
    pub(crate) groups: BTreeMap<i64, Vec<Diagonal>>,
    pub(crate) level: usize,
    /// Of the diagonals.
    pub(crate) scale: Scale,
    pub(crate) from: Scale,
    pub(crate) to: Scale,
    pub(crate) slots: usize,
    pub(crate) rows: Rows,
}

impl LinearTransform {
    /// Encodes the diagonals for ciphertexts at `level` (at least 1) and their scale.
    pub fn encode(&self, ctx: &Context, level: usize) -> Result<EncodedTransform> {
        let params = ctx.params();
        let scale = |level: usize| params.scale(level.min(params.max_level()));
        self.encode_between(ctx, level, scale(level), scale(level.saturating_sub(1)))
    }

    /// Encodes the diagonals for ciphertexts at `level` and the scale `from`, so that the result has the scale `to`.
    pub(crate) fn encode_between(
        &self,
        ctx: &Context,
        level: usize,
        from: Scale,
        to: Scale,
    ) -> Result<EncodedTransform> {
        let diagonals = self.diagonals.keys().map(|&k| {
            let (parts, values) = self.turned(k);
            (parts, Values::Known(values))
        });
        EncodedTransform::new(ctx, self.slots, self.rows(), level, (from, to), diagonals)
    }
}

impl EncodedTransform {
    /// From the inner and the outer rotation of each diagonal, and its values.
    pub(crate) fn new(
        ctx: &Context,
        slots: usize,
        rows: Rows,
        level: usize,
        (from, to): (Scale, Scale),
        diagonals: impl Iterator<Item = ((i64, i64), Values)>,
    ) -> Result<Self> {
        let params = ctx.params();
        if level == 0 {
            return Err(Error::LevelExhausted { op: "linear transform", needed: 1, left: 0 });
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
            let poly = match values {
                Values::Period(period) => uncomputed(ctx, level, period)?,
                Values::Known(values) if !ctx.backend().computes() => uncomputed(ctx, level, period(&values))?,
                Values::Known(values) => {
                    compress(ctx, encode_extended(ctx, &values, level, scale, slots.trailing_zeros())?)?
                }
            };
            groups.entry(outer).or_default().push(Diagonal { baby, poly });
        }
        Ok(Self { groups, level, scale, from, to, slots, rows })
    }

    /// A factor of a Fourier transform, on a backend that computes nothing.
    pub(crate) fn uncomputed(
        ctx: &Context,
        shape: &TransformShape,
        level: usize,
        scales: (Scale, Scale),
    ) -> Result<Self> {
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

/// The shortest period of `values`, a power of two.
fn period(values: &[Complex64]) -> usize {
    let has = |p: &usize| values[*p..].iter().zip(values).all(|(a, b)| a == b);
    (0..values.len().trailing_zeros()).map(|log| 1 << log).find(has).unwrap_or(values.len())
}

/// The shape of an encoded diagonal: one of period `period` has the values of a polynomial in a power of X, of which there are
/// twice as many.
fn uncomputed(ctx: &Context, level: usize, period: usize) -> Result<Buf> {
    let (b, n, basis) = (ctx.backend(), ctx.params().n(), &ctx.params().level(level).extended);
    let repeated = (n / (2 * period)).clamp(1, most_repeats(n));
    let mut full = b.alloc(basis.len(), n)?;
    b.ntt(full.view_mut(1), basis)?;
    Ok(if repeated == 1 { full } else { b.alloc(basis.len(), n / repeated)? })
}

/// The same factor with each word that repeats only once: diagonals of a period shorter than the slots are polynomials in
/// a power of X, and those of a Fourier transform's first stages have very short ones.
fn compress(ctx: &Context, poly: Buf) -> Result<Buf> {
    let (b, n) = (ctx.backend(), poly.n());
    let mut limb = vec![0; n];
    b.download(&poly, 0, &mut limb)?;
    let repeated = repeats(&limb);
    if repeated == 1 {
        return Ok(poly);
    }
    let mut few = b.alloc(poly.limbs(), n / repeated)?;
    for i in 0..poly.limbs() {
        b.download(&poly, i, &mut limb)?;
        if repeats(&limb) < repeated {
            return Ok(poly); // two residues that happened to be the same
        }
        let words: Vec<u64> =
            limb.chunks(repeated * REPEATED_WORDS).flat_map(|run| run[..REPEATED_WORDS].iter().copied()).collect();
        b.upload(&mut few, i, &words)?;
    }
    Ok(few)
}
