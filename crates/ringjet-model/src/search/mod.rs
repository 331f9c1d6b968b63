//! A search for parameter sets that bootstrap: as secure and as precise as asked for, and fast on a device by the model.
//!
//! Candidates go through security first, by a bound on log2(QP) that needs no primes, then through a bound on the precision;
//! what is left is made with the library's own generator of chains, refused where the library refuses it, and bootstraps
//! once on the counting backend. The search is that of de Castro et al. (ePrint 2021/1636, Section VI and Table XI), with
//! more to choose from and the library in place of a formula; [`published`] is theirs.
//!
//! What is exact: a candidate that a bound prunes would have been refused, and one that is found is what the library accepts
//! (both are tested). What is not: where there are more shapes than candidates, the search climbs from the preset and from
//! samples to neighbours of the best ones; and each shape is tried with as many message levels as are secure (and up to
//! three fewer), which is best as long as a level more costs a bootstrap less than it brings.

mod axis;
mod bound;
mod climb;
mod error;
mod judge;
mod limits;
pub mod published;
mod shape;
mod space;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use ringjet::circuits::paper::BabySteps;
use ringjet::params::{BootstrapChain, PRESET_NAMES, bootstrap_chain};
use ringjet::{ParamSpec, Parameters};

pub use axis::Axis;
pub use climb::search;
pub use error::SearchError;
pub use limits::{Limits, LimitsError};
pub use shape::Shape;
pub use tally::{Reason, Tally};

/// What is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// Slots times levels left times bits of precision, for each microsecond: equation (3) of de Castro et al.
    #[default]
    Throughput,
    /// The least time of a bootstrap, with as few levels as are allowed.
    Time,
    /// The least time of a bootstrap for each level left.
    TimePerLevel,
}

impl Objective {
    fn wants_few_levels(self) -> bool {
        self == Self::Time
    }

    /// The larger, the better.
    pub fn value(self, found: &Found) -> f64 {
        match self {
            Self::Throughput => found.throughput,
            Self::Time => -found.seconds,
            Self::TimePerLevel => -found.seconds / found.levels.max(1) as f64,
        }
    }
}

/// Where SlotsToCoeffs may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Anywhere.
    #[default]
    Any,
    /// Before the modulus is raised.
    SlotsToCoeffsFirst,
    /// After EvalMod.
    SlotsToCoeffsLast,
}

/// What is searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The preset from which the search starts, and with which the results are compared; where absent, the preset of an
    /// allowed ring.
    pub from: Option<String>,
    /// What is best.
    pub objective: Objective,
    /// What each number may be, where it is not what is usual.
    pub limits: BTreeMap<Axis, Limits>,
    /// Levels that a bootstrap leaves for multiplications.
    pub levels: Option<Limits>,
    /// Digits of key switching at the highest level.
    pub dnum: Option<Limits>,
    /// Stages in each level of CoeffsToSlots.
    pub coeffs_to_slots_stages: Option<Vec<u32>>,
    /// Stages in each level of SlotsToCoeffs.
    pub slots_to_coeffs_stages: Option<Vec<u32>>,
    /// Where SlotsToCoeffs may be.
    pub order: Order,
    /// Rules for inner rotations; the usual one for none.
    pub baby_steps: Vec<BabySteps>,
    /// Bits of security: 128, 192 or 256.
    pub security: u32,
    /// How far log2(QP) stays under the bound of the table, in per cent.
    pub margin_percent: f64,
    /// Least precision in bits ([`Found::precision_bits`]); that of the preset where absent.
    pub precision: Option<f64>,
    /// Most bytes of evaluation keys in memory.
    pub max_key_bytes: Option<u64>,
    /// Binary logarithm of the number of slots; all that the ring has where absent.
    pub log_slots: Option<u32>,
    /// Whether real values are bootstrapped.
    pub real: bool,
    /// How many candidates are looked at.
    pub candidates: usize,
    /// How many are returned.
    pub top: usize,
    /// Threads; 0: one a core.
    pub threads: usize,
    /// What samples are drawn with.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            from: None,
            objective: Objective::default(),
            limits: BTreeMap::new(),
            levels: None,
            dnum: None,
            coeffs_to_slots_stages: None,
            slots_to_coeffs_stages: None,
            order: Order::default(),
            baby_steps: vec![],
            security: 128,
            margin_percent: 2.0,
            precision: None,
            max_key_bytes: None,
            log_slots: None,
            real: false,
            candidates: 10_000,
            top: 10,
            threads: 0,
            seed: 1,
        }
    }
}

impl Options {
    /// The name and the chain of the preset to start from.
    fn start(&self) -> Result<(String, BootstrapChain), SearchError> {
        let known = || PRESET_NAMES.into_iter().filter(|name| bootstrap_chain(name).is_some());
        let name = match &self.from {
            Some(name) => name.as_str(),
            None => {
                let rings = self.limits.get(&Axis::LogN);
                let allowed = |name: &&str| {
                    let log_n = bootstrap_chain(name).map_or(0.0, |chain| f64::from(chain.log_n));
                    rings.is_none_or(|rings| rings.contains(log_n))
                };
                ["n16-boot", "n15-boot"].into_iter().find(allowed).unwrap_or("n16-boot")
            }
        };
        let chain = bootstrap_chain(name).ok_or_else(|| SearchError::UnknownStart {
            name: name.into(),
            known: known().collect::<Vec<_>>().join(", "),
        })?;
        Ok((name.into(), chain))
    }
}

/// A parameter set that was found, and what its bootstrap is like.
#[derive(Debug, Clone)]
pub struct Found {
    /// What was chosen.
    pub shape: Shape,
    /// What the chain was made from; none for a preset.
    pub chain: Option<BootstrapChain>,
    /// The set.
    pub parameters: Parameters,
    /// Binary logarithm of the number of slots.
    pub log_slots: u32,
    /// Levels that a bootstrap leaves until the next one is due.
    pub levels: usize,
    /// Primes at the highest level.
    pub limbs: usize,
    /// Digits of key switching there.
    pub dnum: usize,
    /// log2(QP).
    pub log_qp: f64,
    /// Precision of a bootstrap's result in bits, by the library's estimate ([`ringjet::Noise::precision_bits`]).
    pub precision_bits: f64,
    /// Bytes of all evaluation keys in memory.
    pub key_bytes: u64,
    /// How many they are.
    pub key_count: usize,
    /// Most bytes of memory at a time, keys and matrices among them.
    pub peak_bytes: u64,
    /// Bytes read and written by a bootstrap.
    pub bytes: u64,
    /// Modular multiplications and additions of a bootstrap.
    pub operations: u64,
    /// Seconds of a bootstrap on the device.
    pub seconds: f64,
    /// Slots times levels times bits of precision, for each microsecond.
    pub throughput: f64,
}

impl Found {
    /// The set as it is written down, with all primes: [`Parameters::new`] accepts it.
    pub fn spec(&self) -> &ParamSpec {
        self.parameters.spec()
    }
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Candidates that were looked at.
    pub done: usize,
    /// Those that will be.
    pub total: usize,
    /// Those that were counted.
    pub counted: usize,
    /// The best throughput so far.
    pub throughput: Option<f64>,
    /// Its seconds.
    pub seconds: Option<f64>,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The preset it started from.
    pub from: String,
    /// That preset, judged in the same way.
    pub start: Found,
    /// The best sets, the best one first; of sets that differ in scales only, the best.
    pub found: Vec<Found>,
    /// What became of all candidates.
    pub tally: Tally,
    /// Least precision that was asked for, in bits.
    pub precision: f64,
    /// All shapes that the options allow were looked at.
    pub exhaustive: bool,
    /// It was stopped.
    pub stopped: bool,
}
