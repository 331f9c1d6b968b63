//! Searches the upper levels, those above messages: mains and terminals whose sizes add up to the
//! modulus of each level. Also explains the levels of a chain.

use std::fmt;

use crate::ckks::params::spec::{BootstrapSpec, LevelSpec};
use crate::{Error, Result};

/// Nominal bits of mains that are tried, where primes are below 2^50: fewer than 50, so that a main
/// can be larger. See [`shortfall`].
const MAIN_BITS: [f64; 9] = [49.8, 49.6, 49.4, 49.2, 49.0, 48.5, 48.0, 47.0, 46.0];
/// Range of bits of a main that is chosen to bring a scale back to nominal, where primes are below
/// 2^50.
const MAIN_RANGE: (f64, f64) = (44.0, 49.999);
/// Sizes of terminals that are tried, in bits, where primes are below 2^50. Large rings hardly have
/// smaller primes.
const TERMINAL_BITS: std::ops::RangeInclusive<u32> = 24..=48;

/// Most terminals. The last one is tried only where fewer do not fit, or some of them would be
/// missing at the highest level.
const TERMINALS: usize = 4;

/// Cost of each bit of the terminals that the highest level lacks: keys have all primes.
const MISSING: f64 = 0.5;

/// Bits by which the sizes of mains, and of the largest terminal, are smaller where primes are
/// below `2^prime_bits` instead of 2^50.
fn shortfall(prime_bits: u32) -> u32 {
    50u32.saturating_sub(prime_bits)
}

/// Range of bits of a main that is chosen to bring a scale back to nominal.
pub(super) fn main_range(prime_bits: u32) -> (f64, f64) {
    let less = f64::from(shortfall(prime_bits));
    (MAIN_RANGE.0 - less, MAIN_RANGE.1 - less)
}

/// Mains and terminals of the upper levels, by size, for all chains that differ only in the ring,
/// the message levels and special primes, the order of SlotsToCoeffs, and stages in levels.
#[derive(Debug, Clone, PartialEq)]
pub struct UpperLevels {
    pub(super) sizes: Vec<u32>,
    pub(super) main: f64,
    /// The upper levels, lowest first.
    pub(super) levels: Vec<Upper>,
}

/// The number of mains and the indices of the terminals of an upper level.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Upper {
    pub(super) mains: usize,
    pub(super) terminals: Vec<usize>,
}

/// An upper level as it should be: sizes and scales as binary logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    /// The scale of its ciphertexts.
    pub(super) scale: f64,
    /// The division by which a ciphertext leaves it.
    pub(super) ratio: f64,
    /// Products that leave it; `None` where only plaintexts are multiplied.
    pub(super) product: Option<Product>,
}

/// A product of two ciphertexts of a level, as it lands on the level below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Product {
    /// Its scale.
    pub(super) scale: f64,
    /// 1 where the product is doubled by halving its scale, else 0.
    pub(super) doubling: f64,
    /// Most bits by which its scale may differ.
    pub(super) drift: f64,
    /// The scale of ciphertexts of the level below, where it is not that of this product.
    pub(super) restart: Option<f64>,
}

/// Finds the sizes of as few terminals as possible, and for each level the number of mains and the
/// terminals that together come near enough to its size.
pub(super) fn decompose(steps: &[Step], prime_bits: u32) -> Result<(Vec<u32>, f64, Vec<Upper>)> {
    let mut sum = 0.0;
    let mut add = |step: &Step| {
        sum += step.ratio;
        sum
    };
    let wanted: Vec<f64> = steps.iter().map(&mut add).collect();
    let mut best: Option<(f64, Vec<u32>, f64, Vec<Upper>)> = None;
    let (range, less) = (main_range(prime_bits), shortfall(prime_bits));
    let largest = TERMINAL_BITS.end().saturating_sub(less);
    for count in 0..=TERMINALS {
        let complete =
            |b: &(f64, Vec<u32>, f64, Vec<Upper>)| b.3.last().is_some_and(|u| u.terminals.len() == b.1.len());
        if count == TERMINALS && best.as_ref().is_some_and(complete) {
            break;
        }
        let mut sizes: Vec<u32> = vec![*TERMINAL_BITS.start(); count];
        loop {
            for main in MAIN_BITS.map(|bits| bits - f64::from(less)) {
                if let Some((cost, uppers)) =
                    represent((steps, &wanted), &sizes, (main, range), best.as_ref().map_or(f64::INFINITY, |b| b.0))
                {
                    best = Some((cost, sizes.clone(), main, uppers));
                }
            }
            // the next non-decreasing tuple
            let Some(i) = (0..count).rev().find(|&i| sizes[i] < largest) else { break };
            let next = sizes[i] + 1;
            sizes[i..].fill(next);
        }
    }
    let (_, sizes, main, uppers) = best.ok_or_else(|| {
        Error::Parameters(format!("no {TERMINALS} terminals represent levels of {wanted:.1?} bits: change a scale"))
    })?;
    Ok((sizes, main, uppers))
}

/// The levels by these terminals, and their cost in primes and bits of deviation. `None` where a
/// size (`wanted`) is missed by over 2 bits, the scale of a product by more than it may, or the cost
/// is not below `limit`.
fn represent(
    (steps, wanted): (&[Step], &[f64]),
    sizes: &[u32],
    (main, main_range): (f64, (f64, f64)),
    limit: f64,
) -> Option<(f64, Vec<Upper>)> {
    let mut uppers: Vec<Upper> = Vec::with_capacity(wanted.len());
    let all: u32 = sizes.iter().sum();
    let mut cost = 3.0 * sizes.len() as f64;
    for (level, &w) in wanted.iter().enumerate() {
        let floor = uppers.last().map_or(0, |u| u.mains);
        let mut found: Option<(f64, usize, u32)> = None;
        for mask in 0..1u32 << sizes.len() {
            let sum: u32 = (0..sizes.len()).filter(|t| mask >> t & 1 == 1).map(|t| sizes[t]).sum();
            let rest = w - f64::from(sum);
            let mains = (rest / main).round().max(0.0);
            let off = (rest - mains * main).abs();
            let missing = if level + 1 == wanted.len() { all - sum } else { 0 };
            let one = off + mains + f64::from(mask.count_ones()) + f64::from(missing) * MISSING;
            if off <= 2.0 && mains as usize >= floor && found.is_none_or(|f| one < f.0) {
                found = Some((one, mains as usize, mask));
            }
        }
        let (one, mains, mask) = found?;
        let upper = Upper { mains, terminals: (0..sizes.len()).filter(|t| mask >> t & 1 == 1).collect() };
        if uppers.last() == Some(&upper) {
            return None;
        }
        cost += one;
        if cost >= limit {
            return None;
        }
        uppers.push(upper);
    }
    // the resulting scales of products
    let mut scale = None;
    for (i, step) in steps.iter().enumerate().rev() {
        let Some(product) = step.product else { continue };
        let sum = |u: &Upper| u.terminals.iter().map(|&t| f64::from(sizes[t])).sum::<f64>();
        let (below, below_mains) = i.checked_sub(1).map_or((0.0, 0), |b| (sum(&uppers[b]), uppers[b].mains));
        let leaving = uppers[i].mains - below_mains;
        let fixed = sum(&uppers[i]) - below + leaving.saturating_sub(1) as f64 * main;
        let squared = 2.0 * scale.unwrap_or(step.scale) - product.doubling;
        let tuned = (squared - product.scale - fixed).clamp(main_range.0, main_range.1);
        let landed = squared - fixed - if leaving > 0 { tuned } else { 0.0 };
        let drift = (landed - product.scale).abs();
        if drift > product.drift {
            return None;
        }
        cost += drift;
        scale = product.restart.or(Some(landed));
    }
    (cost < limit).then_some((cost, uppers))
}

/// The levels of a generated chain, for display.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Explanation {
    /// Sizes of the terminals in bits.
    pub terminals: Vec<f64>,
    /// Nominal size of a main in bits.
    pub main: f64,
    /// The levels, highest first.
    pub levels: Vec<ExplainedLevel>,
}

/// One level of an [`Explanation`].
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ExplainedLevel {
    /// The level's number.
    pub level: usize,
    /// The part of the circuit that uses the level, or "messages".
    pub purpose: &'static str,
    /// log2 of the level's modulus.
    pub modulus_bits: f64,
    /// log2 of the divisor of a rescaling from this level; 0 at level 0.
    pub ratio_bits: f64,
    /// log2 of the level's scale.
    pub scale_bits: f64,
    /// Number of message primes, number of mains, and indices of terminals.
    pub primes: (usize, usize, Vec<usize>),
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits: Vec<String> = self.terminals.iter().map(|b| format!("{b:.2}")).collect();
        writeln!(f, "terminals of {} bits enter and leave; mains have about {} bits", bits.join(", "), self.main)?;
        writeln!(f, "{:>5}  {:<14} {:>8} {:>8} {:>7}  primes", "level", "for", "log2 Q", "ratio", "scale")?;
        for l in &self.levels {
            let (base, mains, terminals) = &l.primes;
            let terminals: String = terminals.iter().map(|t| format!(" + t{t}")).collect();
            let mains = if *mains > 0 { format!(" + {mains} mains") } else { String::new() };
            writeln!(
                f,
                "{:>5}  {:<14} {:>8.1} {:>8.2} {:>7.2}  {base}{mains}{terminals}",
                l.level, l.purpose, l.modulus_bits, l.ratio_bits, l.scale_bits
            )?;
        }
        Ok(())
    }
}

/// Explains `levels`, sets of primes of `q`. The lowest `base` levels have one prime each; `uppers` describes
/// the others. `terminals` are sizes in bits; `main` is the nominal size of a main.
pub(super) fn explain(
    boot: &BootstrapSpec,
    levels: &[LevelSpec],
    q: &[u64],
    base: usize,
    uppers: &[Upper],
    (terminals, main): (Vec<f64>, f64),
) -> Explanation {
    let bits = |l: usize| levels[l].primes.iter().map(|&i| (q[i] as f64).log2()).sum::<f64>();
    let mut scale = 0.0;
    let explained = (0..levels.len()).rev().map(|level| {
        let modulus_bits = bits(level);
        let ratio_bits = if level > 0 { modulus_bits - bits(level - 1) } else { 0.0 };
        let scale_bits = levels[level].scale.map_or(scale, |chosen| (chosen as f64).log2());
        let primes = match level.checked_sub(base) {
            Some(u) => (base, uppers[u].mains, uppers[u].terminals.clone()),
            None => (level + 1, 0, vec![]),
        };
        let doubled = level > 0 && boot.doubles(level - 1, levels.len() - 1);
        scale = 2.0 * scale_bits - ratio_bits - f64::from(u8::from(doubled));
        let purpose = boot.purpose(level, levels.len() - 1);
        ExplainedLevel { level, purpose, modulus_bits, ratio_bits, scale_bits, primes }
    });
    Explanation { levels: explained.collect(), terminals, main }
}
