//! What a device would take for the operations of a profile, by the cost model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use pyo3::prelude::*;
use ringjet::KeyMemory;
use ringjet::dynamic::{Evaluator, Parameters};
use ringjet_cuda::Launch;
use ringjet_cuda::predict::Gpu;
use ringjet_model::{Device, Node, Trace};

use crate::backend::OpenBackend;
use crate::errors::run;
use crate::model::{self, Model, SET_UP};

/// Steps whose results are kept for later operations. They are priced only where the server went through them:
/// it may have had the results before.
const KEPT: [&str; 2] = [SET_UP, "Encode"];

enum On {
    Device(Box<Device>),
    Gpu(Gpu),
}

/// Repeats the operations of a server on a counting backend.
pub struct Pricing {
    eval: Evaluator,
    model: Model,
    on: On,
    counted: Mutex<Counted>,
}

/// What was counted so far.
#[derive(Default)]
pub struct Counted {
    rows: BTreeMap<(String, &'static str), Row>,
    /// Beginning and end of each count. They do not overlap: one thread counts at a time.
    pub spans: Vec<(Instant, Instant)>,
}

/// What the operations of one name at one place take.
#[derive(Default)]
struct Row {
    operations: usize,
    trace: Trace,
    /// What a GPU would launch; empty for other devices.
    launches: Vec<Launch>,
    /// Why the counting backend refused one of them, so that there is no sum.
    refusal: Option<String>,
}

/// Place and name of operations, their number, and their seconds, also those of each step below them, by the names
/// of the steps that enclose it.
pub type Price = (String, &'static str, usize, Vec<(Vec<&'static str>, f64)>);

/// The prices of all rows that have one, and why the first of the others has none.
pub type Prices = (Vec<Price>, Option<String>);

impl Pricing {
    /// Prices on `device`, which `Server.estimate` knows. `memory`: how the server keeps its keys.
    pub fn new(params: &Parameters, memory: KeyMemory, device: &Bound<'_, PyAny>) -> PyResult<Self> {
        let on = match model::gpu(device)? {
            Some(gpu) => On::Gpu(gpu),
            None => On::Device(Box::new(model::device(device)?)),
        };
        let (_, counting, recorder) = OpenBackend::model(params.residue_width());
        let (eval, _, model) = run(|| Model::new(params, (counting, recorder), memory, true))?;
        Ok(Self { eval, model, on, counted: Mutex::default() })
    }

    /// Counts `work`, one operation of a row. `entered`: the names of the steps that the server went through.
    pub fn add(
        &self,
        (place, name): (&str, &'static str),
        entered: &BTreeSet<&'static str>,
        work: impl FnOnce(&Evaluator) -> ringjet::Result<()>,
    ) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        // the wait for the lock is not pricing
        let start = Instant::now();
        let refusal = work(&self.eval).err().map(|e| e.to_string());
        let (mut trace, mut launches) = self.model.take();
        for kept in KEPT.into_iter().filter(|kept| !entered.contains(kept)) {
            trace = trace.apart(kept).0;
            launches.retain(|launch| !launch.scopes.contains(&kept));
        }
        let row = counted.rows.entry((place.into(), name)).or_default();
        row.operations += 1;
        row.refusal = row.refusal.take().or(refusal);
        row.trace.add(&trace);
        if matches!(self.on, On::Gpu(_)) {
            row.launches.extend(launches);
        }
        counted.spans.push((start, Instant::now()));
    }

    /// What was counted since the last call.
    pub fn take(&self) -> Counted {
        std::mem::take(&mut *self.counted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The prices of what was counted, with `depth` levels of steps.
    pub fn prices(&self, Counted { rows, .. }: Counted, depth: usize) -> Prices {
        let mut failure = rows.values().find_map(|row| row.refusal.clone());
        let rows = rows.into_iter().filter(|(_, row)| row.refusal.is_none());
        let priced: Vec<_> = match &self.on {
            On::Device(device) => {
                let (rows, traces): (Vec<_>, Vec<_>) =
                    rows.map(|(row, Row { operations, trace, .. })| ((row, operations), trace)).unzip();
                let trees = Trace::estimate_parts(&traces, device).into_iter().map(|estimate| estimate.tree);
                rows.into_iter().zip(trees).collect()
            }
            On::Gpu(gpu) => rows
                .filter_map(|(row, Row { operations, trace, launches, .. })| {
                    match self.model.predicted(gpu, launches, &trace) {
                        Ok(predicted) => Some(((row, operations), predicted.tree)),
                        Err(e) => {
                            failure.get_or_insert_with(|| Python::attach(|py| e.value(py).to_string()));
                            None
                        }
                    }
                })
                .collect(),
        };
        let price = |(((place, name), operations), tree): (((String, &'static str), usize), Node)| {
            let mut all = vec![];
            walk(&tree, &mut vec![], depth, &mut all);
            (place, name, operations, all)
        };
        (priced.into_iter().map(price).collect(), failure)
    }
}

fn walk(node: &Node, path: &mut Vec<&'static str>, depth: usize, out: &mut Vec<(Vec<&'static str>, f64)>) {
    out.push((path.clone(), node.seconds));
    if path.len() == depth {
        return;
    }
    for child in &node.children {
        path.push(child.name);
        walk(child, path, depth, out);
        path.pop();
    }
}
