//! A search for bootstrapping parameter sets with a required security and precision that are fast
//! on a device, by the cost model.
//!
//! A candidate must first pass a bound on log2(QP), which needs no primes, and then a bound on the
//! precision. The library's chain generator makes the remaining candidates; the library's own
//! checks may refuse them. A bootstrap of each is counted on the counting backend. The method is
//! that of de Castro et al. (ePrint 2021/1636, Section VI and Table XI), with more parameters and
//! with the library in place of a formula. [`published`] is their original search.
//!
//! Two properties are exact and tested: the library would refuse each candidate that a bound
//! excludes, and it accepts each result. Two are heuristic. If there are more shapes than
//! candidates, the search climbs from the preset and from samples to neighbours of the best. And
//! each shape is tried with as many message levels as are secure, or up to three fewer; that is
//! best as long as one more level costs less time than it is worth.

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

use ringjet::params::{BootstrapChain, PRESET_NAMES, bootstrap_chain};
use ringjet::{ParamSpec, Parameters};

use crate::orders::BabySteps;

pub use axis::Axis;
pub use climb::search;
pub use error::SearchError;
pub use limits::{Limits, LimitsError};
pub use shape::Shape;
pub use tally::{Reason, Tally};

/// The quantity that the search optimizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// Throughput, equation (3) of de Castro et al. (ePrint 2021/1636): slots * levels left * bits
    /// of precision, divided by microseconds.
    #[default]
    Throughput,
    /// The shortest time of a bootstrap, with as few levels as the options allow.
    Time,
    /// The shortest time of a bootstrap per level left.
    TimePerLevel,
}

impl Objective {
    fn wants_few_levels(self) -> bool {
        self == Self::Time
    }

    /// The value to maximize.
    pub fn value(self, found: &Found) -> f64 {
        match self {
            Self::Throughput => found.throughput,
            Self::Time => -found.seconds,
            Self::TimePerLevel => -found.seconds / found.levels.max(1) as f64,
        }
    }
}

/// The allowed places of SlotsToCoeffs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Both places.
    #[default]
    Any,
    /// Before ModRaise.
    SlotsToCoeffsFirst,
    /// After EvalMod.
    SlotsToCoeffsLast,
}

/// The options of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The name of the preset to start from and to compare the results with. The default is a
    /// preset of an allowed ring.
    pub from: Option<String>,
    /// The quantity to optimize.
    pub objective: Objective,
    /// The allowed values of each number; a number without an entry has its default ranges.
    pub limits: BTreeMap<Axis, Limits>,
    /// The number of levels that a bootstrap leaves for multiplications.
    pub levels: Option<Limits>,
    /// The number of digits of key switching at the highest level.
    pub dnum: Option<Limits>,
    /// The number of stages in each level of CoeffsToSlots.
    pub coeffs_to_slots_stages: Option<Vec<u32>>,
    /// The number of stages in each level of SlotsToCoeffs.
    pub slots_to_coeffs_stages: Option<Vec<u32>>,
    /// The allowed places of SlotsToCoeffs.
    pub order: Order,
    /// Rules for baby steps; an empty list stands for the default rule.
    pub baby_steps: Vec<BabySteps>,
    /// Bits of security: 128, 192 or 256.
    pub security: u32,
    /// The margin below the security table's bound on log2(QP), in per cent.
    pub margin_percent: f64,
    /// The least precision in bits ([`Found::precision_bits`]). The default is the preset's
    /// precision.
    pub precision: Option<f64>,
    /// The largest size of the evaluation keys in memory, in bytes.
    pub max_key_bytes: Option<u64>,
    /// Binary logarithm of the number of slots. The default is all slots of the ring.
    pub log_slots: Option<u32>,
    /// Whether real values are bootstrapped.
    pub real: bool,
    /// The number of candidates to try.
    pub candidates: usize,
    /// The number of results to return.
    pub top: usize,
    /// The number of threads; 0 means one per core.
    pub threads: usize,
    /// The seed of the random samples.
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
        // chains for few slots have another shape than the search's candidates, and sines another purpose
        let usual =
            |chain: BootstrapChain| chain.bootstrap.most_log_slots() + 1 == chain.log_n && !chain.bootstrap.sine;
        let known = || PRESET_NAMES.into_iter().filter(|name| bootstrap_chain(name).is_some_and(usual));
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

/// A parameter set that was found, with the properties of its bootstrap.
#[derive(Debug, Clone)]
pub struct Found {
    /// The chosen numbers.
    pub shape: Shape,
    /// The description from which the chain of primes was generated; `None` for a preset.
    pub chain: Option<BootstrapChain>,
    /// The parameter set.
    pub parameters: Parameters,
    /// Binary logarithm of the number of slots.
    pub log_slots: u32,
    /// The number of levels that a bootstrap leaves until the next one.
    pub levels: usize,
    /// The number of primes at the highest level.
    pub limbs: usize,
    /// The number of digits of key switching at the highest level.
    pub dnum: usize,
    /// log2 of the product QP of all primes.
    pub log_qp: f64,
    /// Precision of a bootstrap's result in bits, by the library's estimate ([`ringjet::Noise::precision_bits`]).
    pub precision_bits: f64,
    /// Bytes of all evaluation keys in memory.
    pub key_bytes: u64,
    /// The number of evaluation keys.
    pub key_count: usize,
    /// The largest number of bytes in use at a time, including keys and matrices.
    pub peak_bytes: u64,
    /// Bytes that a bootstrap reads and writes.
    pub bytes: u64,
    /// The number of modular multiplications and additions in a bootstrap.
    pub operations: u64,
    /// The time of a bootstrap on the device, in seconds.
    pub seconds: f64,
    /// Slots * levels * bits of precision, divided by microseconds.
    pub throughput: f64,
}

impl Found {
    /// The parameter set with all its primes; [`Parameters::new`] accepts it.
    pub fn spec(&self) -> &ParamSpec {
        self.parameters.spec()
    }
}

/// The progress of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The number of candidates tried so far.
    pub done: usize,
    /// The number of candidates to try in all.
    pub total: usize,
    /// The number of candidates whose bootstrap was counted.
    pub counted: usize,
    /// The throughput of the best candidate so far.
    pub throughput: Option<f64>,
    /// The time of the best candidate's bootstrap, in seconds.
    pub seconds: Option<f64>,
}

/// The result of a search.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The name of the preset that the search started from.
    pub from: String,
    /// The preset, estimated in the same way as the candidates.
    pub start: Found,
    /// The best sets, best first. Of sets that differ in scales only, the best one is listed.
    pub found: Vec<Found>,
    /// The numbers of candidates by outcome.
    pub tally: Tally,
    /// The required precision in bits.
    pub precision: f64,
    /// Whether all shapes that the options allow were tried.
    pub exhaustive: bool,
    /// Whether `progress` stopped the search.
    pub stopped: bool,
}
