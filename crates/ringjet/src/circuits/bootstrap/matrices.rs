//! The matrices of SlotsToCoeffs and CoeffsToSlots, with their levels and scales.

use std::f64::consts::TAU;
use std::sync::Arc;

use ringjet_backend::Buf;
use ringjet_backend::plan::AutomorphismPlan;
use ringjet_math::evalmod;

use crate::circuits::transform::{Scales, TransformShape};
use crate::circuits::{EncodedTransform, LinearTransform};
use crate::ckks::noise;
use crate::ckks::params::{BootstrapSpec, BootstrapTransform, FIRST_FACTOR, SINE_ROOM, turned_apart};
use crate::diagonals::folded;
use crate::rlwe::ChainParameters;
use crate::{Context, Error, Parameters, Result, Scale, host};

/// A factor of a transform. A backend that only counts gets its shape without the values.
pub enum Factor {
    /// The factor.
    Values(LinearTransform),
    /// The shape.
    Shape(TransformShape),
}

/// A factor with its place in the chain of levels.
pub struct Matrix {
    /// The factor.
    pub factor: Factor,
    /// The level of the ciphertexts that it multiplies.
    pub level: usize,
    /// The scales of the ciphertexts before and after.
    pub scales: Scales,
}

impl Matrix {
    /// Encodes the factor with the library's own split into baby and giant steps.
    pub fn encode(&self, ctx: &Context) -> Result<EncodedTransform> {
        match &self.factor {
            Factor::Values(matrix) => matrix.encode_between(ctx, self.level, self.scales),
            Factor::Shape(shape) => EncodedTransform::uncomputed(ctx, shape, self.level, self.scales),
        }
    }
}

/// The first matrix of CoeffsToSlots for one number of slots, where keys contain it.
#[derive(Debug)]
pub(super) struct KeyedMatrix {
    /// The rotation of each diagonal.
    pub(super) rotations: Vec<i64>,
    /// The diagonals over the few primes of [`MatrixPlans::small_lift`].
    pub(super) diagonals: Vec<Buf>,
}

impl KeyedMatrix {
    pub(super) fn new(ctx: &Context, log_slots: u32) -> Result<Self> {
        let params = ctx.params();
        let (rotations, basis) = (params.keyed_rotations(log_slots)?, &params.matrix_plans().small_lift.extended);
        let known = host::values(ctx.backend(), || params.keyed_diagonals(log_slots)).transpose()?;
        let diagonals = match known {
            Some(all) => all.iter().map(|d| ctx.integer_poly(d, basis)).collect::<Result<_>>()?,
            None => rotations.iter().map(|_| ctx.uncomputed_poly(basis)).collect::<Result<_>>()?,
        };
        Ok(Self { rotations, diagonals })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.diagonals.iter().map(|d| d.limbs() * d.n() * 8).sum()
    }

    /// The automorphism of each diagonal; `None` is the identity.
    pub(super) fn automorphisms(&self, ctx: &Context) -> Vec<Option<Arc<AutomorphismPlan>>> {
        let params = ctx.params();
        let turn = |&r: &i64| (r != 0).then(|| params.automorphism(params.rotation_element(r)));
        self.rotations.iter().map(turn).collect()
    }
}

/// The matrices of bootstrapping, in the order of application, without the one that keys contain.
pub(super) struct Matrices {
    pub(super) slots_to_coeffs: Vec<Matrix>,
    pub(super) coeffs_to_slots: Vec<Matrix>,
    /// The last matrix of CoeffsToSlots where one EvalMod takes both parts of the values, see [`joined`].
    pub(super) joined: Option<Matrix>,
}

impl Matrices {
    pub(super) fn count(&self) -> usize {
        self.slots_to_coeffs.len() + self.coeffs_to_slots.len() + usize::from(self.joined.is_some())
    }
}

/// The matrices for `2^log_slots` slots. With `join` one EvalMod takes both parts where it can.
pub(super) fn matrices(ctx: &Context, log_slots: u32, join: bool) -> Result<Matrices> {
    let params = ctx.params();
    let boot = params.expect_bootstrap()?;
    let [down, up] = params.bootstrap_transforms(log_slots)?;
    let (depth, level) = (down.groups.len(), down.level);
    let low = low_scale(params, boot)?;
    let (start, end) = if boot.slots_to_coeffs_first {
        (params.scale(level), low)
    } else {
        (landing_scale(params, boot, low), params.scale(level - depth))
    };
    let scales = descent(params, &down, start, end);
    let rise = params.rise(log_slots)?.scales;
    let place = |factor, level, scales| Matrix { factor, level, scales };
    let slots_to_coeffs = (factors(ctx, log_slots, &down, 1.0)?.into_iter().enumerate())
        .map(|(i, factor)| place(factor, level - i, (scales[i], scales[i + 1])))
        .collect();
    let factors = factors(ctx, log_slots, &up, FIRST_FACTOR)?.into_iter().skip(up.keyed);
    let coeffs_to_slots: Vec<Matrix> = (factors.zip(up.levels()).zip(rise.windows(2)))
        .map(|((factor, (_, level)), pair)| place(factor, level, (pair[0], pair[1])))
        .collect();
    let last = coeffs_to_slots.last().filter(|_| join && boot.joins_parts(params.log_n(), log_slots));
    let twice =
        |m: &Matrix| -> Result<Matrix> { Ok(place(join_last(boot, &m.factor, 1 << log_slots)?, m.level, m.scales)) };
    let joined = last.map(twice);
    Ok(Matrices { slots_to_coeffs, joined: joined.transpose()?, coeffs_to_slots })
}

/// A matrix for n slots with all diagonals [`turned_apart`].
fn join_last(boot: &BootstrapSpec, factor: &Factor, slots: usize) -> Result<Factor> {
    Ok(match factor {
        Factor::Values(matrix) => {
            let diagonals = matrix.diagonals().iter().map(|(&k, d)| (k, turned_apart(d.iter().collect()))).collect();
            Factor::Values(LinearTransform::from_diagonals(2 * slots, diagonals)?.of_bootstrapping(boot, true))
        }
        Factor::Shape(shape) => Factor::Shape(TransformShape::of_bootstrapping(
            (boot, true),
            2 * slots,
            folded(&shape.diagonals, slots),
            2 * slots,
        )),
    })
}

/// The scales before each matrix of SlotsToCoeffs, and after the last one. They fall by whole bits
/// from `start`, such that [`errors`] is smallest, and the last step leads to `end`.
fn descent(params: &Parameters, down: &BootstrapTransform, start: Scale, end: Scale) -> Vec<Scale> {
    let depth = down.groups.len();
    let scales = |falls: &[i32]| -> Vec<Scale> {
        let between = falls.iter().map(|&bits| start / Scale::power_of_two(bits));
        std::iter::once(start).chain(between).chain([end]).collect()
    };
    let even = (start.log2() - end.log2()) / depth as f64;
    let mut best: Vec<i32> = (1..depth).map(|i| (even * i as f64).round() as i32).collect();
    let error = |falls: &[i32]| errors(params, down, &scales(falls)).iter().sum::<f64>();
    let changes: Vec<(usize, i32)> = (0..best.len()).flat_map(|i| [(i, -1), (i, 1)]).collect();
    // the error is a convex function of the falls
    while let Some(better) = changes.iter().find_map(|&(i, by)| {
        let mut other = best.clone();
        other[i] += by;
        (error(&other) < error(&best)).then_some(other)
    }) {
        best = better;
    }
    scales(&best)
}

/// The mean squares of the errors of SlotsToCoeffs, relative to the result, with `scales` before each
/// matrix and after the last one: of encoded matrices, and of products, which are rounded. Of products
/// the trace keeps those coefficients that belong to the slots.
fn errors(params: &Parameters, down: &BootstrapTransform, scales: &[Scale]) -> [f64; 2] {
    let slots: u32 = down.groups.iter().sum();
    let products = noise::rounding(params).variance / f64::from(params.trace_bits(slots)).exp2();
    let (periods, mut growth, mut sums) = (down.periods(), 1.0, [0.0; 2]);
    for ((i, level), pair) in down.levels().zip(scales.windows(2)) {
        growth *= f64::from(down.groups[i]).exp2();
        sums[0] += down.encoding_error((i, periods[i]), (pair[1] * params.ratio(level) / pair[0]).value());
        sums[1] += products / growth / pair[1].value().powi(2);
    }
    sums
}

/// [`errors`] with the scales of these matrices.
pub(super) fn descent_errors(params: &Parameters, log_slots: u32, all: &[Matrix]) -> Result<[f64; 2]> {
    let [down, _] = params.bootstrap_transforms(log_slots)?;
    let scales: Vec<Scale> = all.iter().map(|m| m.scales.0).chain(all.last().map(|m| m.scales.1)).collect();
    Ok(errors(params, &down, &scales))
}

/// The factors of a transform in the order of application. The first one is multiplied by `by`.
fn factors(ctx: &Context, log_slots: u32, transform: &BootstrapTransform, by: f64) -> Result<Vec<Factor>> {
    let (boot, slots) = (ctx.params().expect_bootstrap()?, 1usize << log_slots);
    let Some(all) = host::values(ctx.backend(), || transform.values(log_slots)).transpose()? else {
        let shapes = transform.diagonals.iter().zip(transform.periods()).map(|(diagonals, log2)| {
            Factor::Shape(TransformShape::of_bootstrapping(
                (boot, transform.inverse),
                slots,
                diagonals.clone(),
                1 << log2,
            ))
        });
        return Ok(shapes.collect());
    };
    (all.into_iter().enumerate())
        .map(|(i, mut diagonals)| {
            if i == 0 {
                diagonals.values_mut().flatten().for_each(|z| *z = *z * by);
            }
            let matrix = LinearTransform::from_diagonals(slots, diagonals)?;
            Ok(Factor::Values(matrix.of_bootstrapping(boot, transform.inverse)))
        })
        .collect()
}

/// The scale of a product at the level at which EvalMod ends.
pub(super) fn product_scale(params: &Parameters, boot: &BootstrapSpec) -> Scale {
    let above = params.landing_level(boot) + 1;
    let product = params.scale(above) * params.scale(above) / params.ratio(above);
    if params.doubles(above - 1) { product / Scale::from_u64(2) } else { product }
}

fn first_and_tau(params: &Parameters) -> (Scale, Scale) {
    let tau = Scale::from_parts(TAU, 2.449_293_598_294_706_4e-16).unwrap_or(Scale::power_of_two(0));
    (params.first_modulus(), tau)
}

/// The scale of a message at the lowest level, when its modulus is raised. Where SlotsToCoeffs can
/// choose this scale, it is such that EvalMod ends at the scale of its level. For a sine, a value of 1 is a
/// quarter of q_0.
/// Fails with [`Error::Parameters`] if there is no such scale: a line through 0 stays close to the sine
/// of small angles only.
pub(super) fn low_scale(params: &Parameters, boot: &BootstrapSpec) -> Result<Scale> {
    if boot.sine {
        return Ok(params.first_modulus() / Scale::power_of_two(SINE_ROOM as i32));
    }
    if !boot.has_line() {
        return Ok(params.scale(0));
    }
    // the sine of 2 * pi * z * low / q_0 has the scale of a product at the level above
    let (first, tau) = first_and_tau(params);
    let tangent = params.scale(params.landing_level(boot)) * first / (tau * product_scale(params, boot));
    let found = by_line(first.value() / tangent.value()).and_then(|by| Scale::from_parts(by, 0.0));
    let Some(by) = found else {
        let room = first.log2() - tangent.log2();
        return Err(Error::Parameters(format!(
            "bootstrapping: EvalMod ends at a scale at which a message has {room:.2} bits of room below q_0: no line stays \
             close to the sine of such angles, at least {LEAST_ROOM} bits are needed; choose a larger log_ratio"
        )));
    };
    Ok(tangent * by)
}

/// Bits of room below which [`by_line`] finds nothing.
const LEAST_ROOM: f64 = 2.53;

/// The factor by on the scale for which the slope of the line is 1 / by: the limit of
/// `by = 1 / sine_slope(room / by)`. `room` is that of the tangent. `None` if there is no limit.
fn by_line(room: f64) -> Option<f64> {
    let mut by = 1.0;
    // each step is 2^20 times smaller where there is much room, and at least a little smaller if any
    for _ in 0..1000 {
        let slope = evalmod::sine_slope(room / by);
        let next = 1.0 / slope;
        if slope <= 0.0 || !next.is_finite() {
            return None;
        }
        if (next - by).abs() <= 4.0 * f64::EPSILON * next {
            return Some(next);
        }
        by = next;
    }
    None
}

/// The scale at which EvalMod leaves a message that had the scale `low`.
pub(super) fn landing_scale(params: &Parameters, boot: &BootstrapSpec, low: Scale) -> Scale {
    if boot.arcsine > 1 || boot.slots_to_coeffs_first {
        return params.scale(params.landing_level(boot));
    }
    let (first, tau) = first_and_tau(params);
    tau * product_scale(params, boot) * low / first
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scale of a message solves its equation to the last bits, or there is none.
    #[test]
    fn the_line_converges_or_is_refused() {
        for bits in [2.6, 3.0, 5.0, 8.0, 11.5, 13.5, 39.0] {
            let room = f64::exp2(bits);
            let by = by_line(room).unwrap();
            let off = by * evalmod::sine_slope(room / by) - 1.0;
            assert!(off.abs() < 1e-14 && by >= 1.0, "{bits}: {by} {off}");
        }
        assert!(by_line(f64::exp2(LEAST_ROOM + 0.01)).is_some());
        for bits in [LEAST_ROOM - 0.01, 2.0, 1.0, 0.0] {
            assert_eq!(by_line(f64::exp2(bits)), None, "{bits}");
        }
    }
}
