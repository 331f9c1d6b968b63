//! Range checks on the values of a profile.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::error::DeviceError;
use super::spec::{DeviceSpec, MemoryLevel};

/// Allowed rates, in operations per second; the upper end means practically unlimited.
const RATE: RangeInclusive<f64> = 1e3..=1e18;
/// Allowed bandwidths, in 10^9 bytes per second.
const BANDWIDTH: RangeInclusive<f64> = 1e-3..=1e9;
const LAUNCH_S: RangeInclusive<f64> = 0.0..=1.0;
const OVERLAP: RangeInclusive<f64> = 0.0..=1.0;
const WATTS: RangeInclusive<f64> = 1e-3..=1e6;
const PICOJOULES: RangeInclusive<f64> = 0.0..=1e9;
const BYTES: RangeInclusive<u64> = 1024..=1 << 50;
const UNITS: RangeInclusive<u64> = 1..=1 << 24;
const WORD_BYTES: RangeInclusive<u64> = 1..=64;

pub fn spec(spec: &DeviceSpec) -> Result<(), DeviceError> {
    text("name", &spec.name)?;
    text("source", &spec.source)?;
    within("units", u64::from(spec.units), UNITS)?;
    within("word_bytes", u64::from(spec.word_bytes), WORD_BYTES)?;
    within("launch_s", spec.launch_s, LAUNCH_S)?;
    within("overlap", spec.overlap, OVERLAP)?;
    if let Some(watts) = spec.watts {
        within("watts", watts, WATTS)?;
    }
    let rates = &spec.rates;
    within("rates.ntt_butterflies", rates.ntt_butterflies, RATE)?;
    within("rates.base_conversion_macs", rates.base_conversion_macs, RATE)?;
    within("rates.products", rates.products, RATE)?;
    within("rates.additions", rates.additions, RATE)?;
    if spec.memory.is_empty() {
        return Err(refused("memory", "empty", "at least one level: main memory"));
    }
    for (i, level) in spec.memory.iter().enumerate() {
        alone(i, level)?;
        if let Some(before) = i.checked_sub(1).and_then(|i| spec.memory.get(i)) {
            after(i, level, before)?;
        }
    }
    if let Some(energy) = &spec.energy {
        within("energy.pj_per_mul", energy.pj_per_mul, PICOJOULES)?;
        within("energy.pj_per_add", energy.pj_per_add, PICOJOULES)?;
        within("energy.pj_per_byte_main", energy.pj_per_byte_main, PICOJOULES)?;
    }
    Ok(())
}

fn alone(i: usize, level: &MemoryLevel) -> Result<(), DeviceError> {
    text(&path(i, "name"), &level.name)?;
    within(&path(i, "bytes"), level.bytes, BYTES)?;
    within(&path(i, "read_gb_s"), level.read_gb_s, BANDWIDTH)?;
    within(&path(i, "write_gb_s"), level.write_gb_s, BANDWIDTH)?;
    match level.tiles_gb_s {
        Some(tiles) if tiles > level.read_gb_s => {
            Err(refused(&path(i, "tiles_gb_s"), tiles, &format!("at most read_gb_s, {}", level.read_gb_s)))
        }
        Some(tiles) => within(&path(i, "tiles_gb_s"), tiles, BANDWIDTH),
        None => Ok(()),
    }
}

fn after(i: usize, level: &MemoryLevel, before: &MemoryLevel) -> Result<(), DeviceError> {
    let name = &before.name;
    if level.bytes <= before.bytes {
        return Err(refused(&path(i, "bytes"), level.bytes, &format!("more than the {} of {name}", before.bytes)));
    }
    let speeds =
        [("read_gb_s", level.read_gb_s, before.read_gb_s), ("write_gb_s", level.write_gb_s, before.write_gb_s)];
    match speeds.into_iter().find(|(_, this, before)| this > before) {
        Some((field, this, before)) => Err(refused(&path(i, field), this, &format!("at most the {before} of {name}"))),
        None => Ok(()),
    }
}

fn path(level: usize, field: &str) -> String {
    format!("memory[{level}].{field}")
}

fn text(field: &str, value: &str) -> Result<(), DeviceError> {
    if value.trim().is_empty() { Err(refused(field, "empty", "a text")) } else { Ok(()) }
}

fn within<T: PartialOrd + Display>(field: &str, value: T, allowed: RangeInclusive<T>) -> Result<(), DeviceError> {
    // NaN is in no range, so it is refused
    if allowed.contains(&value) {
        return Ok(());
    }
    let (low, high) = allowed.into_inner();
    Err(refused(field, value, &format!("{} to {}", short(low), short(high))))
}

/// Prints a large bound as `1e18` rather than with nineteen digits.
fn short(bound: impl Display) -> String {
    let digits = bound.to_string();
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    if zeros < 6 { digits } else { format!("{}e{zeros}", &digits[..digits.len() - zeros]) }
}

fn refused(field: &str, value: impl Display, allowed: &str) -> DeviceError {
    DeviceError::Value { field: field.into(), value: value.to_string(), allowed: allowed.into() }
}
