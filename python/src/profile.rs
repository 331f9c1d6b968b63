//! Profiles: what a server computes while one is taken, operation by operation.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use pyo3::prelude::*;
use ringjet::dynamic::{Ciphertext, Evaluator};
use ringjet::program::{Op, Progress};
use ringjet::steps::{self, Step, Steps};

use crate::caller::place;
use crate::model::SET_UP;
use crate::pricing::{Prices, Pricing};

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
    /// The number of each place, by first use. A loop repeats few places often.
    places: HashMap<String, usize>,
    /// The threads that computed, in the order in which they came.
    threads: Vec<ThreadId>,
}

struct Operation {
    /// The number of its place.
    place: usize,
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
    steps: Vec<Step>,
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

/// Number of the place, name, thread, start and time in seconds, results, (bytes of the process after the operation,
/// by how much it raised their maximum), steps (name, depth, start, seconds).
pub type OperationRow =
    (usize, &'static str, usize, f64, f64, Option<Results>, Option<(u64, u64)>, Vec<(&'static str, usize, f64, f64)>);

/// Seconds of the whole; by how many bytes the process's maximum of memory rose from the first operation to the last
/// one; number of threads; places; operations; start and seconds of each time in which operations were priced;
/// prices.
pub type Taken = (f64, Option<u64>, usize, Vec<String>, Vec<OperationRow>, Vec<(f64, f64)>, Prices);

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
        let on_model = |model: &Evaluator, shapes: &[&Ciphertext]| op.run(model, shapes, &mut |_, _| true);
        self.computed(eval, (place, op.name()), operands, || op.run(eval, operands, step), on_model)
    }

    /// Runs `work` on a server's evaluator, and writes it down as the operation `name`.
    pub fn explicit(
        &self,
        eval: &Evaluator,
        (place, name): (&str, &'static str),
        operands: &[&Ciphertext],
        work: impl Fn(&Evaluator, &[&Ciphertext]) -> ringjet::Result<Vec<Ciphertext>>,
    ) -> ringjet::Result<Vec<Ciphertext>> {
        self.computed(eval, (place, name), operands, || work(eval, operands), &work)
    }

    /// Runs `work` and writes it down; if it succeeds, `on_model` repeats it on the counting backend.
    fn computed(
        &self,
        eval: &Evaluator,
        (place, name): (&str, &'static str),
        operands: &[&Ciphertext],
        work: impl FnOnce() -> ringjet::Result<Vec<Ciphertext>>,
        on_model: impl FnOnce(&Evaluator, &[&Ciphertext]) -> ringjet::Result<Vec<Ciphertext>>,
    ) -> ringjet::Result<Vec<Ciphertext>> {
        let (made, timed, names) = self.timed(eval, work);
        self.write(name, place, made.as_ref().ok().map(|made| results(made)), timed);
        if made.is_ok() {
            self.price((place, name), &names, |model| {
                let shapes = operands.iter().map(|x| x.uncomputed_on(&model.context())).collect::<Result<Vec<_>, _>>();
                on_model(model, &shapes?.iter().collect::<Vec<_>>()).map(drop)
            });
        }
        made
    }

    /// Writes down the loading of a ciphertext.
    pub fn load(&self, eval: &Evaluator, work: impl FnOnce() -> PyResult<Ciphertext>) -> PyResult<Ciphertext> {
        let place = place()?;
        let (made, timed, _) = self.timed(eval, work);
        self.write("load", &place, made.as_ref().ok().map(|ct| results(std::slice::from_ref(ct))), timed);
        made
    }

    /// Writes down the making of the matrices that bootstrap `2^log_slots` slots, where it makes any.
    pub fn matrices(&self, eval: &Evaluator, log_slots: u32, work: impl FnOnce() -> PyResult<()>) -> PyResult<()> {
        let place = place()?;
        let (made, timed, names) = self.timed(eval, work);
        if names.contains(SET_UP) {
            let name = "bootstrapping matrices";
            self.write(name, &place, made.is_ok().then_some((0, None, 0)), timed);
            if made.is_ok() {
                self.price((&place, name), &names, |model| model.prepare(log_slots, |_, _| true));
            }
        }
        made
    }

    /// The result of `work`, what was measured of it, and the names of all steps that it went through.
    fn timed<T>(&self, eval: &Evaluator, work: impl FnOnce() -> T) -> (T, Timed, BTreeSet<&'static str>) {
        let (context, before, start) = (eval.context(), memory(), Instant::now());
        let (made, Steps { mut timed, names }) = steps::watched(self.depth, || {
            let made = work();
            // what a device still has to do belongs to this operation; the next call reports a failure
            drop(context.backend().sync());
            made
        });
        let end = Instant::now();
        let memory = before.zip(memory()).map(|(before, after)| [before, after]);
        timed.shrink_to_fit();
        (made, Timed { start, end, memory, steps: timed }, names)
    }

    fn write(&self, name: &'static str, place: &str, results: Option<Results>, timed: Timed) {
        let mut state = self.state();
        let here = thread::current().id();
        let thread = state.threads.iter().position(|&id| id == here).unwrap_or_else(|| {
            state.threads.push(here);
            state.threads.len() - 1
        });
        let next = state.places.len();
        let known = state.places.get(place).copied();
        let place = known.unwrap_or_else(|| *state.places.entry(place.into()).or_insert(next));
        state.operations.push(Operation { place, name, thread, results, timed });
    }

    /// Adds what `work` takes on the device to the price of a row.
    fn price(
        &self,
        row: (&str, &'static str),
        entered: &BTreeSet<&'static str>,
        work: impl FnOnce(&Evaluator) -> ringjet::Result<()>,
    ) {
        if let Some(pricing) = &self.pricing {
            pricing.add(row, entered, work);
        }
    }

    /// The operations so far, and what the device takes for them. Prices that fail do not fail it: they say why.
    pub fn taken(&self) -> PyResult<Taken> {
        // prices come first: an operation is written down before it is priced, so none has only a price
        let counted = self.pricing.as_ref().map(Pricing::take);
        let State { operations, places, threads } = std::mem::take(&mut *self.state());
        let whole = self.start.elapsed().as_secs_f64();
        let span = |start: Instant, end: Instant| {
            (start.duration_since(self.start).as_secs_f64(), end.duration_since(start).as_secs_f64())
        };
        let raised = raised(&operations);
        let row = |Operation { place, name, thread, results, timed }: Operation| {
            let (start, seconds) = span(timed.start, timed.end);
            let memory = timed.memory.map(|[before, after]| (after.now, after.most.saturating_sub(before.most)));
            let step = |s: Step| {
                let (start, seconds) = span(s.start, s.end);
                (s.name, s.depth, start, seconds)
            };
            let steps = timed.steps.into_iter().map(step).collect();
            (place, name, thread, start, seconds, results, memory, steps)
        };
        let rows = operations.into_iter().map(row).collect();
        let mut by_number: Vec<_> = places.into_iter().map(|(place, number)| (number, place)).collect();
        by_number.sort_unstable();
        let places = by_number.into_iter().map(|(_, place)| place).collect();
        let (mut pricing, mut prices) = (vec![], Prices::default());
        if let (Some(own), Some(counted)) = (&self.pricing, counted) {
            pricing = counted.spans.iter().map(|&(start, end)| span(start, end)).collect();
            prices = own.prices(counted, self.depth);
        }
        Ok((whole, raised, threads.len(), places, rows, pricing, prices))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// By how much the maximum of the process's memory rose from the beginning of the first operation to the end of the
/// last one. Operations that run side by side see the same rise, so their own rises have no sum.
fn raised(operations: &[Operation]) -> Option<u64> {
    let memory = || operations.iter().filter_map(|o| o.timed.memory);
    let (first, last) = (memory().map(|[before, _]| before.most).min()?, memory().map(|[_, after]| after.most).max()?);
    Some(last.saturating_sub(first))
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
