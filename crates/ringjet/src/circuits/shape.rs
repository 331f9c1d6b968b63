//! What bootstrapping looks like for a set of parameters, before anything is computed: levels, diagonals, automorphisms,
//! scales.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use ringjet_math::dft;

use super::BabySteps;
use super::lintrans::TransformShape;
use super::steps::rotations_for;
use crate::ckks::params::BootstrapSpec;
use crate::host;
use crate::{Context, Error, Parameters, Range, Result, Scale};

pub(super) fn spec(params: &Parameters) -> Result<&BootstrapSpec> {
    params.bootstrap().ok_or_else(|| Error::no_bootstrapping(params))
}

pub(super) fn check_slots(params: &Parameters, log_slots: u32) -> Result<()> {
    if log_slots < params.log_n() {
        return Ok(());
    }
    let found = 1usize.checked_shl(log_slots).unwrap_or(usize::MAX);
    Err(Error::SlotCount { found, slots: params.max_slots(), max: params.max_slots() })
}

/// `count` stages in as many groups as `model` has, as even as they get, the larger ones first.
pub(super) fn groups(model: &[u32], count: u32) -> Result<Vec<u32>> {
    let levels = model.len() as u32;
    if model.iter().sum::<u32>() == count {
        return Ok(model.to_vec());
    }
    if count < levels {
        let expected = format!("at least 2^{levels} for these parameters");
        return Err(Error::Argument { name: "slots", value: format!("2^{count}"), expected });
    }
    Ok((0..levels).map(|i| count / levels + u32::from(i < count % levels)).collect())
}

/// Non-zero diagonals of the factors of a transform whose stages start at 0, of both signs: those of g stages from stage l
/// on are at `m 2^l` for `|m| < 2^g`.
pub(crate) fn diagonals(groups: &[u32]) -> Vec<Vec<i64>> {
    let mut start = 0;
    (groups.iter())
        .map(|&g| {
            let all = (1 - (1i64 << g)..1 << g).map(|m| m << start).collect();
            start += g;
            all
        })
        .collect()
}

/// A factor of a transform: with its values, or without where the backend only counts.
pub(super) enum Factor {
    Values(dft::Diagonals),
    Shape(TransformShape),
}

/// The factors of SlotsToCoeffs, or of CoeffsToSlots, in the order in which they are applied.
pub(super) fn factors(ctx: &Context, log_slots: u32, groups: &[u32], inverse: bool) -> Vec<Factor> {
    let make = if inverse { dft::coeffs_to_slots } else { dft::slots_to_coeffs };
    if let Some(all) = host::values(ctx.backend(), || make(log_slots, groups)) {
        return all.into_iter().map(Factor::Values).collect();
    }
    let mut groups = groups.to_vec();
    if inverse {
        groups.reverse();
    }
    let mut stages = 0;
    let mut all: Vec<Factor> = (diagonals(&groups).into_iter().zip(&groups))
        .map(|(diagonals, &group)| {
            // the values of a stage depend on the bits of the place up to its own
            stages += group;
            Factor::Shape(TransformShape { slots: 1 << log_slots, diagonals, period: 1 << stages })
        })
        .collect();
    if inverse {
        all.reverse();
    }
    all
}

/// The Galois elements that bootstrapping `2^log_slots` slots uses, each with the highest level at which it does.
pub(crate) fn automorphisms(params: &Parameters, log_slots: u32) -> Result<Vec<(u32, usize)>> {
    automorphisms_with(params, log_slots, BabySteps::default())
}

/// The same where transforms have inner rotations by another rule.
pub(crate) fn automorphisms_with(params: &Parameters, log_slots: u32, rule: BabySteps) -> Result<Vec<(u32, usize)>> {
    let boot = spec(params)?;
    check_slots(params, log_slots)?;
    let slots = 1 << log_slots;
    let mut all: BTreeMap<u32, usize> = BTreeMap::new();
    let mut add = |rotations: Vec<i64>, level: usize| {
        for r in rotations {
            let l = all.entry(params.rotation_element(r)).or_insert(level);
            *l = level.max(*l);
        }
    };
    let max = params.max_level();
    let first = slots_to_coeffs_level(params, boot);
    for (i, d) in diagonals(&groups(&boot.slots_to_coeffs, log_slots)?).iter().enumerate() {
        add(rotations_for(d, slots, rule), first - i);
    }
    let mut sizes = groups(&boot.coeffs_to_slots, log_slots)?;
    sizes.reverse();
    for (i, d) in diagonals(&sizes).iter().rev().enumerate() {
        add(rotations_for(d, slots, rule), max - i);
    }
    add((log_slots..params.log_n() - 1).map(|i| 1 << i).collect(), max);
    all.insert(params.conjugation_element(), max - boot.coeffs_to_slots.len());
    Ok(all.into_iter().collect())
}

/// The level at which SlotsToCoeffs starts.
pub(super) fn slots_to_coeffs_level(params: &Parameters, boot: &BootstrapSpec) -> usize {
    if boot.slots_to_coeffs_first { boot.input_level() } else { landing_level(params, boot) }
}

/// The level that EvalMod ends at.
pub(super) fn landing_level(params: &Parameters, boot: &BootstrapSpec) -> usize {
    params.top_level() + boot.last_levels()
}

/// The scale of a product that reaches the level that EvalMod ends at.
pub(super) fn product_scale(params: &Parameters, boot: &BootstrapSpec) -> Scale {
    let above = landing_level(params, boot) + 1;
    params.scale(above) * params.scale(above) / params.ratio(above)
}

/// q_0, and 2 pi.
fn first_and_tau(params: &Parameters) -> (Scale, Scale) {
    let first = params.level(0).basis.values().map(Scale::from_u64).fold(Scale::power_of_two(0), |q, p| q * p);
    (first, Scale::from_parts(TAU, 2.449_293_598_294_706_4e-16).unwrap_or(Scale::power_of_two(0)))
}

/// The scale at which the lowest level holds a message that is raised. Where SlotsToCoeffs can choose it, EvalMod ends at
/// the scale of its level.
pub(super) fn low_scale(params: &Parameters, boot: &BootstrapSpec) -> Scale {
    if boot.arcsine > 1 || !boot.slots_to_coeffs_first {
        return params.scale(0);
    }
    // the sine of 2 pi z low / q_0 has the scale of a product at the level above
    let (first, tau) = first_and_tau(params);
    params.scale(landing_level(params, boot)) * first / (tau * product_scale(params, boot))
}

/// The scale of a message of scale `low` when EvalMod is done.
pub(super) fn landing_scale(params: &Parameters, boot: &BootstrapSpec, low: Scale) -> Scale {
    if boot.arcsine > 1 || boot.slots_to_coeffs_first {
        return params.scale(landing_level(params, boot));
    }
    let (first, tau) = first_and_tau(params);
    tau * product_scale(params, boot) * low / first
}

/// The real and imaginary parts that are bootstrapped: what presets are tuned for.
pub(crate) const MAX_MAGNITUDE: f64 = 1.0;

/// Refuses larger values: the sine is not near a line there.
pub(crate) fn expect_magnitude(values: Range) -> Result<()> {
    let magnitude = values.largest_part();
    // sums of bounds are rounded
    if magnitude <= MAX_MAGNITUDE * (1.0 + 1e-9) {
        return Ok(());
    }
    Err(Error::BootstrapMagnitude { magnitude, limit: MAX_MAGNITUDE })
}
