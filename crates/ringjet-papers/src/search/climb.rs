//! The search: samples, then hill climbing.

use std::collections::{HashMap, HashSet, VecDeque};

use rayon::prelude::*;
use ringjet::{Bootstrapper, Parameters};
use ringjet_model::Device;

use super::judge::Judge;
use super::shape::Shape;
use super::space::{Random, Space};
use super::{Found, Objective, Options, Outcome, Progress, SearchError, Tally};

/// The number of candidates between two calls of `progress`.
const BATCH: usize = 64;
/// One in so many candidates is a random sample, drawn before the search climbs.
const SAMPLED: usize = 8;
/// The number of best shapes whose neighbours are tried in a round.
const PARENTS: usize = 6;
/// The number of more distant shapes that are tried in a round.
const MUTANTS: usize = 32;
/// The number of best shapes that mutants are derived from.
const ELITE: usize = 32;
/// The number of shapes that are kept.
const KEPT: usize = 512;
/// The number of kept shapes that may differ from each other in scales only, to keep the best ones
/// diverse.
const ALIKE: usize = 4;

/// Tries [`Options::candidates`] candidates, or all that the options allow if these are fewer.
/// Otherwise it tries the preset and random samples first, then neighbours of the best shapes.
/// `progress` is called every few milliseconds and stops the search by returning false. The result
/// depends on the options only, not on the number of threads.
///
/// # Errors
/// [`SearchError::Option`] for an option that allows no value, [`SearchError::UnknownStart`] for an
/// unknown preset, [`SearchError::Start`] if the library refuses the preset.
pub fn search(
    options: &Options,
    device: &Device,
    progress: impl FnMut(&Progress) -> bool + Send,
) -> Result<Outcome, SearchError> {
    check(options)?;
    let space = Space::new(options)?;
    let (from, chain) = options.start()?;
    let shape = Shape::of(&chain);
    let start = start(options, device, &chain, &shape)?;
    // the default is the preset's precision, less a rounding error of printed values
    let precision = options.precision.unwrap_or(start.precision_bits - 0.05);
    let judge = Judge::new(options, device, precision)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build();
    let pool = pool.map_err(|e| SearchError::Threads(e.to_string()))?;
    let mut climber = Climber::new(&space, &judge, &shape);
    pool.install(|| climber.run(progress));
    let Climber { mut best, tally, exhaustive, stopped, .. } = climber;
    let mut kinds = HashSet::new();
    best.retain(|(found, _)| kinds.insert(kind(found)));
    best.truncate(options.top);
    let found = best.into_iter().map(|(found, _)| found).collect();
    Ok(Outcome { from, start, found, tally, precision, exhaustive, stopped })
}

fn check(options: &Options) -> Result<(), SearchError> {
    let refuse = |name, value: String, allowed: &str| Err(SearchError::Option { name, value, allowed: allowed.into() });
    if !(0.0..50.0).contains(&options.margin_percent) {
        return refuse("margin", options.margin_percent.to_string(), "0 to less than 50 per cent");
    }
    if options.precision.is_some_and(|bits| !(1.0..=60.0).contains(&bits)) {
        let value = options.precision.map_or_else(String::new, |bits| bits.to_string());
        return refuse("precision", value, "1 to 60 bits");
    }
    if options.log_slots.is_some_and(|log| !(1..=16).contains(&log)) {
        let value = options.log_slots.map_or_else(String::new, |log| (1u64 << log.min(63)).to_string());
        return refuse("slots", value, "powers of two from 2 to 65536");
    }
    if options.candidates == 0 || options.top == 0 {
        let name = if options.top == 0 { "top" } else { "candidates" };
        return refuse(name, "0".into(), "1 and more");
    }
    Ok(())
}

/// Estimates the preset like a candidate, but without the requirements of the options.
fn start(
    options: &Options,
    device: &Device,
    chain: &ringjet::params::BootstrapChain,
    shape: &Shape,
) -> Result<Found, SearchError> {
    let made = || -> ringjet::Result<Found> {
        let params = Parameters::new(&chain.generate()?.0)?;
        let plain = Options { security: 128, ..options.clone() };
        // a preset may have fewer slots than requested
        let most = params.bootstrap().map_or(params.log_n() - 1, |boot| boot.most_log_slots());
        let log_slots = options.log_slots.unwrap_or(most).min(most);
        let request = Bootstrapper::key_plan(&params, log_slots)?;
        let keys = request.sizes(&params)?;
        let Ok(judge) = Judge::new(&plain, device, 0.0) else {
            return Err(ringjet::Error::Parameters("security".into()));
        };
        let found = judge.run(shape, &params, &request)?;
        Ok(Found { key_bytes: keys.memory_bytes, key_count: keys.count, ..found })
    };
    made().map_err(SearchError::Start)
}

/// The properties by which the table of results tells sets apart: all but the scales.
fn kind(found: &Found) -> impl Eq + std::hash::Hash + use<> {
    let spec = found.spec();
    let boot = spec.bootstrap.clone().unwrap_or_else(|| ringjet::params::BootstrapSpec::standard(spec.log_n, 1));
    let transforms = (boot.coeffs_to_slots, boot.slots_to_coeffs, boot.slots_to_coeffs_first);
    let sine = (boot.degree.next_power_of_two(), boot.double_angles, boot.arcsine, boot.passes);
    (spec.log_n, found.levels, found.dnum, found.limbs, transforms, sine)
}

struct Climber<'a> {
    space: &'a Space,
    judge: &'a Judge<'a>,
    queue: VecDeque<Shape>,
    seen: HashSet<Shape>,
    /// The best sets, best first; the flag says whether the set's neighbours were tried.
    best: Vec<(Found, bool)>,
    tally: Tally,
    random: Random,
    exhaustive: bool,
    stopped: bool,
}

impl<'a> Climber<'a> {
    fn new(space: &'a Space, judge: &'a Judge<'a>, start: &Shape) -> Self {
        let options = judge.options;
        let tally = Tally::new(judge.asked());
        let random = Random(options.seed);
        let (queue, seen) = (VecDeque::new(), HashSet::new());
        let mut new =
            Self { space, judge, queue, seen, best: vec![], tally, random, exhaustive: false, stopped: false };
        new.exhaustive = space.size() <= options.candidates as f64;
        if new.exhaustive {
            new.offer(space.all());
            return new;
        }
        new.offer([space.nearest(start)]);
        for _ in 0..options.candidates / SAMPLED {
            let shape = space.sample(&mut new.random);
            new.offer([shape]);
        }
        new
    }

    fn offer(&mut self, shapes: impl IntoIterator<Item = Shape>) {
        for shape in shapes {
            if self.seen.insert(shape.clone()) {
                self.queue.push_back(shape);
            }
        }
    }

    fn run(&mut self, mut progress: impl FnMut(&Progress) -> bool) {
        let total = self.judge.options.candidates;
        while self.tally.candidates < total {
            if self.queue.is_empty() && (self.exhaustive || !self.breed()) {
                return;
            }
            let size = BATCH.min(total - self.tally.candidates).min(self.queue.len());
            let batch: Vec<Shape> = self.queue.drain(..size).collect();
            // collected in order, so that the result does not depend on the threads
            let judged: Vec<_> = batch.par_iter().with_max_len(1).map(|shape| self.judge.judge(shape)).collect();
            self.tally.candidates += size;
            for (shape, judged) in batch.iter().zip(judged) {
                match judged {
                    Ok(found) => {
                        self.tally.counted += 1;
                        self.best.push((found, false));
                    }
                    Err((reason, counted)) => {
                        self.tally.counted += usize::from(counted);
                        self.tally.add(reason, shape.log_n());
                    }
                }
            }
            self.rank();
            let best = self.best.first().map(|(found, _)| found);
            let (done, counted) = (self.tally.candidates, self.tally.counted);
            let (throughput, seconds) = (best.map(|f| f.throughput), best.map(|f| f.seconds));
            let total = if self.exhaustive { done + self.queue.len() } else { total };
            if !progress(&Progress { done, total: total.max(done), counted, throughput, seconds }) {
                self.stopped = true;
                return;
            }
        }
    }

    fn rank(&mut self) {
        let objective: Objective = self.judge.options.objective;
        // a stable sort: of equal sets, the earlier one comes first
        self.best.sort_by(|(a, _), (b, _)| objective.value(b).total_cmp(&objective.value(a)));
        let mut kinds = HashMap::new();
        self.best.retain(|(found, _)| {
            let alike = kinds.entry(kind(found)).or_insert(0);
            *alike += 1;
            *alike <= ALIKE
        });
        self.best.truncate(KEPT);
    }

    /// Queues shapes to try next: neighbours of the best shapes and some more distant ones. Returns
    /// false if there are no new shapes.
    fn breed(&mut self) -> bool {
        let parents: Vec<Shape> = (self.best.iter_mut())
            .filter(|(_, expanded)| !expanded)
            .take(PARENTS)
            .map(|(found, expanded)| {
                *expanded = true;
                found.shape.clone()
            })
            .collect();
        for parent in &parents {
            self.offer(self.space.neighbours(parent));
        }
        for _ in 0..MUTANTS {
            let elite = self.best.len().min(ELITE);
            let shape = match elite {
                0 => self.space.sample(&mut self.random),
                _ => self.space.mutant(&self.best[self.random.below(elite)].0.shape, &mut self.random),
            };
            self.offer([shape]);
        }
        // random shapes; with few shapes left, these tries may find none
        for _ in 0..16 * MUTANTS {
            if !self.queue.is_empty() {
                return true;
            }
            let shape = self.space.sample(&mut self.random);
            self.offer([shape]);
        }
        !self.queue.is_empty()
    }
}
