//! What follows from a spec's chain: digits, levels, ratios, scales; and what of it is refused.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};
use ringjet_math::Basis;

use super::spec::ParamSpec;
use crate::ckks::Scale;
use crate::{Error, Result};

/// P must be at least as large as every digit, or key-switching noise swamps the message.
pub(super) fn check_special(q: &Basis, p: &Basis, digit_of: &[usize]) -> Result<()> {
    for d in 0..=digit_of.last().copied().unwrap_or(0) {
        let primes: Vec<usize> = (0..q.len()).filter(|&i| digit_of[i] == d).collect();
        let (count, digit) = (primes.len(), q.select(primes).log2());
        if p.log2() + 1.0 < digit {
            return Err(Error::Parameters(format!(
                "a digit of {count} primes has {digit:.1} bits but the special primes only {:.1}: add special primes or \
                 lower alpha",
                p.log2()
            )));
        }
    }
    Ok(())
}

/// The digit of each of `count` primes.
pub(super) fn digits(spec: &ParamSpec, alpha: usize, count: usize) -> Result<Vec<usize>> {
    let Some(sizes) = &spec.digits else { return Ok((0..count).map(|i| i / alpha).collect()) };
    if sizes.contains(&0) || sizes.iter().try_fold(0usize, |sum, &s| sum.checked_add(s)) != Some(count) {
        return Err(Error::Parameters(format!(
            "digits of {sizes:?} primes: positive numbers that sum to {count} are needed"
        )));
    }
    Ok(sizes.iter().enumerate().flat_map(|(d, &size)| std::iter::repeat_n(d, size)).collect())
}

/// Indices of each level's primes: the spec's, or one more prime at each level.
pub(super) fn level_sets(spec: &ParamSpec, q: &Basis, digit_of: &[usize]) -> Result<Vec<Vec<usize>>> {
    let Some(levels) = &spec.levels else {
        return Ok((0..q.len()).map(|l| (0..=l).collect()).collect());
    };
    let refuse = |l: usize, why: &str| Err(Error::Parameters(format!("level {l}: {why}")));
    if levels.is_empty() || levels.len() > 256 {
        return Err(Error::Parameters(format!("{} levels: 1 to 256 are supported", levels.len())));
    }
    for (l, level) in levels.iter().enumerate() {
        let set = &level.primes;
        if set.is_empty() || !set.is_sorted_by(|a, b| a < b) || set.last().is_some_and(|&i| i >= q.len()) {
            return refuse(l, "primes are indices of q in increasing order, at least one");
        }
        if l > 0 && levels[l - 1].primes.iter().all(|i| set.contains(i)) && levels[l - 1].primes.len() == set.len() {
            return refuse(l, "its primes are those of the level below");
        }
        // key switching at a lower level uses the first digits of a key, all of them in part
        let mut groups: Vec<usize> = set.iter().map(|&i| digit_of[i]).collect();
        groups.dedup();
        if groups.iter().enumerate().any(|(g, &group)| g != group) {
            return refuse(l, "a digit without primes lies below one with: use a larger alpha");
        }
    }
    Ok(levels.iter().map(|level| level.primes.clone()).collect())
}

/// How many of the primes `set` belong to each digit.
pub(super) fn group_sizes(set: &[usize], digit_of: &[usize]) -> Vec<usize> {
    set.chunk_by(|&a, &b| digit_of[a] == digit_of[b]).map(<[usize]>::len).collect()
}

/// Q_l / Q_(l-1) for each level, 1 for level 0; refused where it is not at least 2^10.
pub(super) fn ratios(q: &Basis, sets: &[Vec<usize>]) -> Result<Vec<Scale>> {
    let mut ratios = vec![Scale::power_of_two(0)];
    for (l, pair) in sets.windows(2).enumerate() {
        let only = |a: &[usize], b: &[usize]| -> BigUint {
            a.iter().filter(|i| !b.contains(i)).fold(BigUint::one(), |acc, &i| acc * q.modulus(i).value())
        };
        let ratio = quotient(&only(&pair[1], &pair[0]), &only(&pair[0], &pair[1]));
        if ratio.log2() < 10.0 {
            let bits = ratio.log2();
            return Err(Error::Parameters(format!(
                "level {} adds {bits:.1} bits to the one below: at least 10",
                l + 1
            )));
        }
        ratios.push(ratio);
    }
    Ok(ratios)
}

/// `a / b` to about 100 bits.
pub(super) fn quotient(a: &BigUint, b: &BigUint) -> Scale {
    let parts = |x: &BigUint| {
        // a product of exact factors below 2^64
        let shift = x.bits().saturating_sub(106);
        let top = x >> shift;
        let hi = (&top >> 53u32).to_u64().unwrap_or(0);
        let lo = (&top & BigUint::from((1u64 << 53) - 1)).to_u64().unwrap_or(0);
        let (hi, lo) = (hi as f64 * 2f64.powi(53), lo as f64);
        let sum = hi + lo;
        let scale = Scale::from_parts(sum, lo - (sum - hi)).unwrap_or(Scale::power_of_two(0));
        scale * Scale::power_of_two(shift as i32)
    };
    if b.is_one() && a.bits() <= 64 {
        return Scale::from_u64(a.to_u64().unwrap_or(1));
    }
    parts(a) / parts(b)
}

/// The highest level of messages.
pub(super) fn top_level(spec: &ParamSpec, levels: usize) -> Result<usize> {
    let Some(boot) = &spec.bootstrap else { return Ok(levels - 1) };
    if spec.levels.is_none() {
        return Err(Error::Parameters("bootstrapping needs its levels spelt out".into()));
    }
    boot.check(spec)?;
    match (levels - 1).checked_sub(boot.upper_levels()) {
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
pub(super) fn scales(
    spec: &ParamSpec,
    q: &Basis,
    sets: &[Vec<usize>],
    ratios: &[Scale],
    top: usize,
) -> Result<Vec<Scale>> {
    let bits = spec.scale_bits;
    if !(10..=120).contains(&bits) {
        return Err(Error::Parameters(format!("scale of {bits} bits: 10 to 120 are supported")));
    }
    let mut scales = vec![Scale::power_of_two(bits as i32); sets.len()];
    for l in (0..sets.len()).rev() {
        let chosen = spec.levels.as_ref().and_then(|levels| levels[l].scale);
        scales[l] = match chosen {
            Some(scale) => Scale::from_u64(scale.max(1)),
            None if l == top || l + 1 == sets.len() => Scale::power_of_two(bits as i32),
            None => scales[l + 1] * scales[l + 1] / ratios[l + 1],
        };
        let found = scales[l].log2();
        if l <= top && (found - f64::from(bits)).abs() > 4.0 {
            return Err(Error::Parameters(format!(
                "the scale drifts from 2^{bits} to 2^{found:.1} at level {l}: choose level primes near 2^{bits}",
            )));
        }
        let modulus: f64 = sets[l].iter().map(|&i| (q.modulus(i).value() as f64).log2()).sum();
        if !(found >= 10.0 && (l <= top || found < modulus)) {
            return Err(Error::Parameters(format!(
                "a scale of 2^{found:.1} at level {l}, whose modulus has {modulus:.1} bits"
            )));
        }
    }
    Ok(scales)
}
