//! What follows from a spec: digits, levels, scales; and what of it is refused.

use super::spec::ParamSpec;
use crate::ckks::Scale;
use crate::rlwe::Chain;
use crate::{Error, Result};

/// Numbers of primes in each digit: the spec's, or `alpha` in each.
pub(super) fn digits(spec: &ParamSpec, alpha: usize, count: usize) -> Vec<usize> {
    let even = || (0..count).step_by(alpha).map(|first| alpha.min(count - first)).collect();
    spec.digits.clone().unwrap_or_else(even)
}

/// Indices of each level's primes: the spec's, or one more prime at each level.
pub(super) fn level_sets(spec: &ParamSpec, count: usize) -> Vec<Vec<usize>> {
    match &spec.levels {
        Some(levels) => levels.iter().map(|level| level.primes.clone()).collect(),
        None => (0..count).map(|l| (0..=l).collect()).collect(),
    }
}

/// The highest level of messages.
pub(super) fn top_level(spec: &ParamSpec, levels: usize) -> Result<usize> {
    let Some(boot) = &spec.bootstrap else { return Ok(levels.saturating_sub(1)) };
    if spec.levels.is_none() {
        return Err(Error::Parameters("bootstrapping needs its levels spelt out".into()));
    }
    boot.check(spec)?;
    match levels.checked_sub(boot.upper_levels() + 1) {
        Some(top) if boot.output_level(top) > boot.input_level() => Ok(top),
        _ => Err(Error::Parameters(format!(
            "{levels} levels are too few: bootstrapping takes {} above those of messages and {} of them",
            boot.upper_levels(),
            boot.input_level(),
        ))),
    }
}

/// One exact scale for each level. Those of messages are refused where they drift further than 4 bits from the chosen
/// one; all must fit below the modulus of their level.
pub(super) fn scales(spec: &ParamSpec, chain: &Chain, ratios: &[Scale]) -> Result<Vec<Scale>> {
    let (bits, top) = (spec.scale_bits, chain.top_level());
    if !(10..=120).contains(&bits) {
        return Err(Error::Parameters(format!("scale of {bits} bits: 10 to 120 are supported")));
    }
    let mut scales = vec![Scale::power_of_two(bits as i32); ratios.len()];
    for l in (0..ratios.len()).rev() {
        let chosen = spec.levels.as_ref().and_then(|levels| levels[l].scale);
        scales[l] = match chosen {
            Some(scale) => Scale::from_u64(scale.max(1)),
            None if l == top || l + 1 == ratios.len() => Scale::power_of_two(bits as i32),
            None => scales[l + 1] * scales[l + 1] / ratios[l + 1],
        };
        let found = scales[l].log2();
        if l <= top && (found - f64::from(bits)).abs() > 4.0 {
            return Err(Error::Parameters(format!(
                "the scale drifts from 2^{bits} to 2^{found:.1} at level {l}: choose level primes near 2^{bits}",
            )));
        }
        let modulus: f64 = chain.primes_of(l).iter().map(|&i| (chain.q().modulus(i).value() as f64).log2()).sum();
        if !(found >= 10.0 && (l <= top || found < modulus)) {
            return Err(Error::Parameters(format!(
                "a scale of 2^{found:.1} at level {l}, whose modulus has {modulus:.1} bits"
            )));
        }
    }
    Ok(scales)
}
