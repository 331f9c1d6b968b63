//! Measures how fast a backend computes on data in the second-level cache.

use std::sync::Arc;

use ringjet_backend::plan::{BaseConversionPlan, DivisionPlan, ModUpPlan};
use ringjet_backend::{Backend, Coeff, KeySwitch, KeySwitchInput};
use ringjet_math::{Basis, prime};

use super::thread_group::{ThreadGroup, Work, filled};
use ringjet_model::{Decomposition, conversion_products};

use crate::Result;

pub const PRIME_BITS: u32 = 50;
/// Numbers of source and target primes of the base conversion.
pub const CONVERSION: [usize; 2] = [7, 25];
pub const PAIRS: usize = 4;
/// Words of one thread's limbs that fit a second-level cache: 1 MiB.
const CACHED: usize = 1 << 17;
/// Words of one thread's limbs that do not fit a second-level cache: 8 MiB.
const MANY: usize = 1 << 20;
/// Binary logarithm of the ring degree of the key switch.
pub const SWITCH_LOG_N: u32 = 16;
/// Number of special primes of the key switch, then the limbs of each digit.
const SWITCH: [usize; 5] = [7, 7, 7, 7, 7];
pub fn switch_shape() -> Decomposition {
    Decomposition { special: SWITCH[0], digits: SWITCH[1..].to_vec() }
}

/// Words that are read tile by tile: 256 MiB.
const FAR: usize = 1 << 25;
const TILE: usize = 512;
/// Number of primes of limbs that do not fit the cache. Each prime has its own tables.
const MANY_PRIMES: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Forward and inverse transforms: of limbs in the cache with one prime, or of many limbs.
    Ntt {
        log_n: u32,
        cached: bool,
    },
    BaseConversion,
    /// Sums of this many products.
    Products(usize),
    Additions,
    /// A key switch for N = 2^16: all kinds of arithmetic and traffic in one operation.
    KeySwitch,
    /// Reading tiles of 4 KiB that are far from each other.
    Tiles,
}

impl Kernel {
    pub fn all(log_ns: std::ops::RangeInclusive<u32>) -> Vec<Self> {
        let ntts =
            [true, false].into_iter().flat_map(|cached| log_ns.clone().map(move |log_n| Self::Ntt { log_n, cached }));
        let others = [Self::BaseConversion, Self::Products(PAIRS), Self::Products(1), Self::Additions];
        ntts.chain(others).chain([Self::KeySwitch, Self::Tiles]).collect()
    }

    /// Those of [`Kernel::all`] that a profile has figures of.
    pub fn of_profile(log_ns: std::ops::RangeInclusive<u32>) -> Vec<Self> {
        let only_shown = |k: &Self| matches!(k, Self::Ntt { cached: false, .. } | Self::Products(1));
        Self::all(log_ns).into_iter().filter(|k| !only_shown(k)).collect()
    }

    pub fn label(self) -> String {
        match self {
            Self::Ntt { log_n, cached: true } => format!("butterflies, N = 2^{log_n}, cached"),
            Self::Ntt { log_n, cached: false } => format!("butterflies, N = 2^{log_n}, many limbs"),
            Self::BaseConversion => format!("base conversion, {} to {} primes", CONVERSION[0], CONVERSION[1]),
            Self::Products(pairs) => format!("products, {pairs} in a sum"),
            Self::Additions => "additions".into(),
            Self::KeySwitch => format!("key switch, N = 2^{SWITCH_LOG_N}: residues"),
            Self::Tiles => "tiles of 4 KiB, far apart: words".into(),
        }
    }

    /// Operations of one call of one thread.
    pub fn operations(self) -> f64 {
        let (words, [from, to]) = (CACHED as f64, CONVERSION);
        match self {
            Self::Ntt { log_n, cached } => {
                let words = if cached { CACHED } else { MANY };
                words as f64 * f64::from(log_n)
            }
            Self::BaseConversion => (conversion_products(from, to) * SMALL) as f64,
            Self::Products(pairs) => (pairs * limbs(2 * pairs + 1) * SMALL) as f64,
            Self::Additions => words / 4.0,
            Self::KeySwitch => (switch_shape().limbs() << SWITCH_LOG_N) as f64,
            Self::Tiles => FAR as f64,
        }
    }

    /// Seconds of one call, one value for each sample.
    pub fn measure(self, group: &ThreadGroup, seconds: f64) -> Result<Vec<f64>> {
        match self {
            Self::Ntt { log_n, cached } => {
                let limbs = (if cached { CACHED } else { MANY }) >> log_n;
                let basis = basis(log_n, if cached { 1 } else { limbs.min(MANY_PRIMES) })?;
                group.measure(seconds, &|b| ntt(b, basis.clone(), limbs))
            }
            Self::BaseConversion => {
                let [from, to] = CONVERSION;
                let all = basis(SMALL.ilog2(), from + to)?;
                let plan = Arc::new(BaseConversionPlan::new(&all.prefix(from), &all.select(from..from + to)));
                group.measure(seconds, &|b| base_conversion(b, plan.clone()))
            }
            Self::Products(pairs) => {
                let basis = basis(SMALL.ilog2(), 1)?;
                group.measure(seconds, &|b| products(b, basis.clone(), SMALL, limbs(2 * pairs + 1), pairs))
            }
            Self::Additions => {
                let basis = basis(SMALL.ilog2(), 1)?;
                group.measure(seconds, &|b| sums(b, basis.clone(), SMALL, CACHED / 4 / SMALL, 2))
            }
            Self::KeySwitch => {
                let all = basis(SWITCH_LOG_N, SWITCH.iter().sum())?;
                let (p, q) = (all.prefix(SWITCH[0]), all.select(SWITCH[0]..all.len()));
                let up = Arc::new(ModUpPlan::grouped(&p, &q, &SWITCH[1..]));
                let down = Arc::new(DivisionPlan::rational(&up.extended, &q));
                group.measure(seconds, &|b| key_switch(b, up.clone(), down.clone()))
            }
            Self::Tiles => group.measure(seconds, &|_| Ok(tiles())),
        }
    }
}

/// Words of a limb, where its length does not matter.
const SMALL: usize = 1 << 12;

/// Limbs of each buffer when `buffers` buffers share the cache.
fn limbs(buffers: usize) -> usize {
    (CACHED / SMALL / buffers).max(1)
}

/// The first primes of 50 bits for a ring.
pub fn basis(log_n: u32, primes: usize) -> Result<Basis> {
    Ok(Basis::new(log_n, &prime::ntt_primes(log_n, PRIME_BITS, primes, &[])?)?)
}

fn ntt(backend: &Arc<dyn Backend>, basis: Basis, limbs: usize) -> Result<Work> {
    let mut x = filled(&**backend, limbs, basis.n())?;
    let (backend, polys) = (backend.clone(), limbs / basis.len());
    Ok(Box::new(move || {
        backend.ntt(x.view_mut(polys), &basis)?;
        Ok(backend.intt(x.view_mut(polys), &basis)?)
    }))
}

fn base_conversion(backend: &Arc<dyn Backend>, plan: Arc<BaseConversionPlan>) -> Result<Work> {
    let [from, to] = CONVERSION;
    let (src, mut dst) = (filled(&**backend, from, SMALL)?, filled(&**backend, to, SMALL)?);
    let backend = backend.clone();
    Ok(Box::new(move || Ok(backend.base_convert(dst.view_mut(1), src.view(1), &plan)?)))
}

fn key_switch(backend: &Arc<dyn Backend>, up: Arc<ModUpPlan>, down: Arc<DivisionPlan>) -> Result<Work> {
    let (polys, n, limbs) = (2 * up.beta(), up.src.n(), up.src.len());
    let src = filled(&**backend, limbs, n)?;
    let key = filled(&**backend, polys * up.extended.len(), n)?;
    let mut dst = backend.alloc(2 * limbs, n)?;
    let backend = backend.clone();
    Ok(Box::new(move || {
        let (input, key) = (KeySwitchInput::Polynomial(src.view(1)), key.view(polys));
        let switch = KeySwitch { input, key, mod_up: &up, division: &down, add: Some(src.view(1)), automorphism: None };
        Ok(backend.key_switch(dst.view_mut(2), &switch)?)
    }))
}

/// Reads all words in tiles; consecutive tiles are far apart.
fn tiles() -> Work {
    let words = vec![1u64; FAR];
    let count = FAR / TILE;
    Box::new(move || {
        // an odd step visits every tile, since their number is a power of two
        let each = (0..count).map(|i| (i * 40_503) % count * TILE);
        let sum = each.fold(0u64, |sum, at| sum.wrapping_add(words[at..at + TILE].iter().sum::<u64>()));
        if std::hint::black_box(sum) == FAR as u64 { Ok(()) } else { Err("words were not read".into()) }
    })
}

/// Computes `limbs` limbs of `n` words, each a sum of `pairs` products.
pub fn products(backend: &Arc<dyn Backend>, basis: Basis, n: usize, limbs: usize, pairs: usize) -> Result<Work> {
    let factors = (0..2 * pairs).map(|_| filled(&**backend, limbs, n)).collect::<Result<Vec<_>>>()?;
    let mut dst = filled(&**backend, limbs, n)?;
    let backend = backend.clone();
    Ok(Box::new(move || {
        let pairs: Vec<_> = factors.chunks_exact(2).map(|p| (p[0].view(limbs), p[1].view(limbs))).collect();
        Ok(backend.mul_acc(dst.view_mut(limbs), &pairs, &basis, false)?)
    }))
}

/// Computes `limbs` limbs of `n` words, each a sum of `terms` limbs. One term is a copy, made by
/// the kernel that adds.
pub fn sums(backend: &Arc<dyn Backend>, basis: Basis, n: usize, limbs: usize, terms: usize) -> Result<Work> {
    let sources = (0..terms).map(|_| filled(&**backend, limbs, n)).collect::<Result<Vec<_>>>()?;
    let mut dst = filled(&**backend, limbs, n)?;
    let backend = backend.clone();
    Ok(Box::new(move || {
        let terms: Vec<_> = sources.iter().map(|s| (Coeff::One, s.view(limbs))).collect();
        Ok(backend.lincomb(dst.view_mut(limbs), &terms, &basis, false)?)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringjet_model::{Cost, Operation, Policy, ringjet_parts};

    #[test]
    fn operations_are_those_of_one_call() {
        // forward and inverse: 2 x 16 limbs x 2^12 x 13
        assert_eq!(Kernel::Ntt { log_n: 13, cached: true }.operations(), 2.0 * 16.0 * 4096.0 * 13.0);
        // 7 source limbs and a quotient for each of 25 targets; 7 products for the quotient
        assert_eq!(Kernel::BaseConversion.operations(), (25.0 * 8.0 + 7.0) * 4096.0);
        // 3 limbs in each of 9 buffers
        assert_eq!(Kernel::Products(4).operations(), 4.0 * 3.0 * 4096.0);
        assert_eq!(Kernel::Additions.operations(), 8.0 * 4096.0);
    }

    /// The operations of the measured rates are those that the model counts.
    #[test]
    fn the_model_counts_the_same_operations() {
        let counted = |operation| ringjet_parts(&operation, SMALL, Policy::CPU).iter().map(|p| p.cost).sum::<Cost>();
        let [from, to] = CONVERSION;
        let conversion = counted(Operation::BaseConvert { polys: 1, from, to });
        assert_eq!(Kernel::BaseConversion.operations(), conversion.base_conversion.mul as f64);
        let limbs = CACHED / SMALL;
        let there = counted(Operation::Ntt { limbs }) + counted(Operation::Intt { limbs });
        assert_eq!(Kernel::Ntt { log_n: SMALL.ilog2(), cached: true }.operations(), there.ntt.mul as f64);
        let sum = Operation::MulAcc { limbs: 3, pairs: PAIRS, factors: 3 * PAIRS, accumulate: false };
        assert_eq!(Kernel::Products(PAIRS).operations(), counted(sum).elementwise.mul as f64);
        let sum = Operation::Lincomb { limbs: 8, plain: 2, scaled: 0, accumulate: false };
        assert_eq!(Kernel::Additions.operations(), counted(sum).elementwise.add as f64);
    }
}
