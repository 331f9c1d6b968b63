//! The scales of a message on its way through bootstrapping.

use std::f64::consts::TAU;

use crate::ckks::params::BootstrapSpec;
use crate::{Parameters, Scale};

/// The scale of a product that reaches the level that EvalMod ends at.
pub(super) fn product_scale(params: &Parameters, boot: &BootstrapSpec) -> Scale {
    let above = params.landing_level(boot) + 1;
    params.scale(above) * params.scale(above) / params.ratio(above)
}

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
    params.scale(params.landing_level(boot)) * first / (tau * product_scale(params, boot))
}

/// The scale of a message of scale `low` when EvalMod is done.
pub(super) fn landing_scale(params: &Parameters, boot: &BootstrapSpec, low: Scale) -> Scale {
    if boot.arcsine > 1 || boot.slots_to_coeffs_first {
        return params.scale(params.landing_level(boot));
    }
    let (first, tau) = first_and_tau(params);
    tau * product_scale(params, boot) * low / first
}
