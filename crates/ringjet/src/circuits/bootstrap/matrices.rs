//! The matrices of SlotsToCoeffs and CoeffsToSlots, with their levels and scales.

use std::f64::consts::TAU;
use std::sync::Arc;

use ringjet_backend::Buf;
use ringjet_backend::plan::AutomorphismPlan;
use ringjet_math::{dft, evalmod};

use crate::circuits::transform::{Scales, TransformShape};
use crate::circuits::{EncodedTransform, LinearTransform};
use crate::ckks::noise;
use crate::ckks::params::{BootstrapSpec, BootstrapTransform};
use crate::rlwe::ChainParameters;
use crate::{Context, Parameters, Result, Scale, host};

/// A factor of a transform. A backend that only counts gets its shape without the values.
pub(in crate::circuits) enum Factor {
    Values(LinearTransform),
    Shape(TransformShape),
}

pub(in crate::circuits) struct Matrix {
    pub(in crate::circuits) factor: Factor,
    pub(in crate::circuits) level: usize,
    pub(in crate::circuits) scales: Scales,
}

impl Matrix {
    /// Encodes the factor with the library's own split into baby and giant steps.
    pub(super) fn encode(&self, ctx: &Context) -> Result<EncodedTransform> {
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

/// SlotsToCoeffs and CoeffsToSlots for `2^log_slots` slots, in the order of application, without the
/// matrix that keys contain.
pub(super) fn matrices(ctx: &Context, log_slots: u32) -> Result<[Vec<Matrix>; 2]> {
    let params = ctx.params();
    let boot = params.expect_bootstrap()?;
    let [down, up] = params.bootstrap_transforms(log_slots)?;
    let (depth, level) = (down.groups.len(), down.level);
    let low = low_scale(params, boot);
    let (start, end) = if boot.slots_to_coeffs_first {
        (params.scale(level), low)
    } else {
        (landing_scale(params, boot, low), params.scale(level - depth))
    };
    let scales = descent(params, &down, start, end);
    let first = params.first_factor(log_slots);
    let place = |factor, level, scales| Matrix { factor, level, scales };
    Ok([
        (factors(ctx, log_slots, &down, 1.0)?.into_iter().enumerate())
            .map(|(i, factor)| place(factor, level - i, (scales[i], scales[i + 1])))
            .collect(),
        (factors(ctx, log_slots, &up, first)?.into_iter().skip(up.keyed).zip(up.levels()))
            .map(|(factor, (_, level))| place(factor, level, (params.scale(level), params.scale(level - 1))))
            .collect(),
    ])
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
    let error = |falls: &[i32]| errors(params, down, &scales(falls));
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

/// The mean square of the error of SlotsToCoeffs or CoeffsToSlots, relative to the result, with
/// `scales` before each matrix and after the last one: encoded matrices are rounded, and in
/// SlotsToCoeffs products, too. In CoeffsToSlots that is less than in EvalMod.
fn errors(params: &Parameters, transform: &BootstrapTransform, scales: &[Scale]) -> f64 {
    let products = noise::rounding(params).variance;
    let mut growth = 1.0;
    let mut sum = 0.0;
    let matrices = transform.levels().zip(transform.periods().into_iter().skip(transform.keyed));
    for (((i, level), period), pair) in matrices.zip(scales.windows(2)) {
        let encoded = (pair[1] * params.ratio(level) / pair[0]).value();
        // a period of n slots has 2 n coefficients, each off by 1/12 in the mean square
        let coefficients = f64::from(period + 1).exp2();
        let stages = f64::from(transform.groups[i]);
        // entries of inverses are 2^-stages; half the entries of the stored diagonals are 0, but
        // have errors, too
        let entries = if transform.inverse { (2.0 * stages).exp2() } else { 1.0 };
        sum += 2.0 * entries * coefficients / 12.0 / encoded.powi(2);
        if !transform.inverse {
            growth *= stages.exp2();
            sum += products / growth / pair[1].value().powi(2);
        }
    }
    sum
}

/// [`errors`] of both transforms, with the scales of their matrices.
pub(super) fn transform_errors(params: &Parameters, log_slots: u32, all: &[Vec<Matrix>; 2]) -> Result<[f64; 2]> {
    let transforms = params.bootstrap_transforms(log_slots)?;
    Ok([0, 1].map(|i| {
        let scales: Vec<Scale> = all[i].iter().map(|m| m.scales.0).chain(all[i].last().map(|m| m.scales.1)).collect();
        errors(params, &transforms[i], &scales)
    }))
}

/// The factors of a transform in the order of application. The first one is multiplied by `by`.
fn factors(ctx: &Context, log_slots: u32, transform: &BootstrapTransform, by: f64) -> Result<Vec<Factor>> {
    let (inverse, groups, slots) = (transform.inverse, &transform.groups, 1usize << log_slots);
    let make = if inverse { dft::coeffs_to_slots } else { dft::slots_to_coeffs };
    let Some(all) = host::values(ctx.backend(), || make(log_slots, groups)).transpose()? else {
        let shapes = transform.diagonals.iter().zip(transform.periods()).map(|(diagonals, log2)| {
            Factor::Shape(TransformShape { slots, diagonals: diagonals.clone(), period: 1 << log2 })
        });
        return Ok(shapes.collect());
    };
    (all.into_iter().enumerate())
        .map(|(i, mut diagonals)| {
            if i == 0 {
                diagonals.values_mut().flatten().for_each(|z| *z = *z * by);
            }
            Ok(Factor::Values(LinearTransform::from_diagonals(slots, diagonals)?.keeping_magnitudes()))
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
/// choose this scale, it is such that EvalMod ends at the scale of its level.
pub(super) fn low_scale(params: &Parameters, boot: &BootstrapSpec) -> Scale {
    if !boot.has_line() {
        return params.scale(0);
    }
    // the sine of 2 * pi * z * low / q_0 has the scale of a product at the level above
    let (first, tau) = first_and_tau(params);
    let tangent = params.scale(params.landing_level(boot)) * first / (tau * product_scale(params, boot));
    // a flatter line takes a larger scale, and has less room: each step is 2^20 times smaller
    let mut low = tangent;
    for _ in 0..4 {
        let slope = evalmod::sine_slope(first.value() / low.value());
        low = Scale::from_parts(1.0 / slope, 0.0).map_or(tangent, |by| tangent * by);
    }
    low
}

/// The scale at which EvalMod leaves a message that had the scale `low`.
pub(super) fn landing_scale(params: &Parameters, boot: &BootstrapSpec, low: Scale) -> Scale {
    if boot.arcsine > 1 || boot.slots_to_coeffs_first {
        return params.scale(params.landing_level(boot));
    }
    let (first, tau) = first_and_tau(params);
    tau * product_scale(params, boot) * low / first
}
