//! Profiles: what a server computes while one is taken, operation by operation.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use ringjet::dynamic::{Ciphertext, Evaluator};
use ringjet::program::{Op, Progress};
use ringjet::steps::{self, Steps};

use crate::caller::place;
use crate::model::SET_UP;
use crate::pricing::{Price, Pricing};

/// The operations of a server since the profile began.
pub struct Profile {
    start: Instant,
    /// How many levels of steps are timed below an operation.
    depth: usize,
    pricing: Option<Pricing>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    operations: Vec<Operation>,
    /// The threads that computed, in the order in which they came.
    threads: Vec<ThreadId>,
    /// The time that pricing took, which is part of no operation.
    pricing: Duration,
}

struct Operation {
    place: String,
    name: &'static str,
    thread: usize,
    /// `None` where it failed.
    results: Option<Results>,
    timed: Timed,
}

/// What was measured of an operation.
struct Timed {
    start: Instant,
    end: Instant,
    /// Before and after it.
    memory: Option<[Memory; 2]>,
    steps: Steps,
}

/// How many ciphertexts an operation made; of the first one levels or bits of the modulus, binary logarithm of the
/// scale, slots, precision in bits and noise budget; and bytes of all of them, 8 for each residue.
pub type Results = (usize, Option<(usize, f64, usize, f64, Option<f64>)>, usize);

/// Bytes of the process in memory: now, and at most since it began.
#[derive(Clone, Copy)]
struct Memory {
    now: u64,
    most: u64,
}

/// Place, name, thread, start and time in seconds, results, (bytes of the process after the operation, by how much
/// it raised their maximum), steps (name, depth, start, seconds).
pub type OperationRow =
    (String, &'static str, usize, f64, f64, Option<Results>, Option<(u64, u64)>, Vec<(&'static str, usize, f64, f64)>);

/// Seconds of the whole and of pricing, number of threads, operations, prices.
pub type Taken = (f64, f64, usize, Vec<OperationRow>, Vec<Price>);

impl Profile {
    /// A profile that begins now, with `depth` levels of steps below each operation.
    pub fn new(depth: usize, pricing: Option<Pricing>) -> Self {
        Self { start: Instant::now(), depth, pricing, state: Mutex::default() }
    }

    /// Runs `op` on a server's evaluator, as [`Op::run`] does, and writes it down.
    pub fn op(
        &self,
        eval: &Evaluator,
        op: &Op,
        place: &str,
        operands: &[&Ciphertext],
        step: Progress<'_>,
    ) -> ringjet::Result<Vec<Ciphertext>> {
        let (made, timed) = self.timed(eval, || op.run(eval, operands, step));
        let names = timed.steps.names.clone();
        self.write(op.name(), place, made.as_ref().ok().map(|made| results(made)), timed);
        if made.is_ok() {
            self.price((place, op.name()), &names, |model| {
                let shapes = operands.iter().map(|x| x.uncomputed_on(&model.context())).collect::<Result<Vec<_>, _>>();
                op.run(model, &shapes?.iter().collect::<Vec<_>>(), &mut |_, _| true).map(drop)
            });
        }
        made
    }

    /// Writes down the loading of a ciphertext.
    pub fn load(&self, eval: &Evaluator, work: impl FnOnce() -> PyResult<Ciphertext>) -> PyResult<Ciphertext> {
        let place = place()?;
        let (made, timed) = self.timed(eval, work);
        self.write("load", &place, made.as_ref().ok().map(|ct| results(std::slice::from_ref(ct))), timed);
        made
    }

    /// Writes down the making of the matrices that bootstrap `2^log_slots` slots, where it makes any.
    pub fn matrices(&self, eval: &Evaluator, log_slots: u32, work: impl FnOnce() -> PyResult<()>) -> PyResult<()> {
        let place = place()?;
        let (made, timed) = self.timed(eval, work);
        let names = timed.steps.names.clone();
        if names.contains(SET_UP) {
            let name = "bootstrapping matrices";
            self.write(name, &place, made.is_ok().then_some((0, None, 0)), timed);
            if made.is_ok() {
                self.price((&place, name), &names, |model| model.prepare(log_slots, |_, _| true));
            }
        }
        made
    }

    fn timed<T>(&self, eval: &Evaluator, work: impl FnOnce() -> T) -> (T, Timed) {
        let (context, before, start) = (eval.context(), memory(), Instant::now());
        let (made, steps) = steps::watched(self.depth, || {
            let made = work();
            // what a device still has to do belongs to this operation; the next call reports a failure
            drop(context.backend().sync());
            made
        });
        let end = Instant::now();
        let memory = before.zip(memory()).map(|(before, after)| [before, after]);
        (made, Timed { start, end, memory, steps })
    }

    fn write(&self, name: &'static str, place: &str, results: Option<Results>, timed: Timed) {
        let mut state = self.state();
        let here = thread::current().id();
        let thread = state.threads.iter().position(|&id| id == here).unwrap_or_else(|| {
            state.threads.push(here);
            state.threads.len() - 1
        });
        let place = place.into();
        state.operations.push(Operation { place, name, thread, results, timed });
    }

    /// Adds what `work` takes on the device to the price of a row.
    fn price(
        &self,
        row: (&str, &'static str),
        entered: &BTreeSet<&'static str>,
        work: impl FnOnce(&Evaluator) -> ringjet::Result<()>,
    ) {
        let Some(pricing) = &self.pricing else { return };
        let start = Instant::now();
        pricing.add(row, entered, work);
        self.state().pricing += start.elapsed();
    }

    /// The operations so far, and what the device takes for them.
    pub fn taken(&self) -> PyResult<Taken> {
        let State { operations, threads, pricing } = std::mem::take(&mut *self.state());
        let whole = self.start.elapsed().as_secs_f64();
        let at = |x: Instant| x.duration_since(self.start).as_secs_f64();
        let between = |start: Instant, end: Instant| end.duration_since(start).as_secs_f64();
        let rows = operations.into_iter().map(|o| {
            let Timed { start, end, memory, steps } = o.timed;
            let memory = memory.map(|[before, after]| (after.now, after.most.saturating_sub(before.most)));
            let steps = steps.timed.iter().map(|s| (s.name, s.depth, at(s.start), between(s.start, s.end))).collect();
            (o.place, o.name, o.thread, at(start), between(start, end), o.results, memory, steps)
        });
        let rows = rows.collect();
        let prices = self.pricing.as_ref().map_or_else(|| Ok(vec![]), |pricing| pricing.prices(self.depth))?;
        Ok((whole, pricing.as_secs_f64(), threads.len(), rows, prices))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn results(made: &[Ciphertext]) -> Results {
    let first = made.first().map(|ct| {
        let (budget, is_exact) = (ct.budget(), ct.params().is_exact());
        let precision = if is_exact { f64::INFINITY } else { ct.noise().precision_bits() };
        (budget.left, budget.scale_log2, ct.slots(), precision, ct.noise_budget().ok())
    });
    (made.len(), first, made.iter().map(|ct| 8 * ct.words()).sum())
}

/// What Linux says of the memory of this process; `None` elsewhere.
fn memory() -> Option<Memory> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let bytes = |name: &str| -> Option<u64> {
        let kib = text.lines().find_map(|line| line.strip_prefix(name))?.trim().strip_suffix("kB")?;
        Some(1024 * kib.trim().parse::<u64>().ok()?)
    };
    Some(Memory { now: bytes("VmRSS:")?, most: bytes("VmHWM:")? })
}
