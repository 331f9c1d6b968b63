//! What a device would take for the operations of a profile, by the cost model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

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
    rows: Mutex<BTreeMap<(String, &'static str), Counted>>,
}

/// What the operations of one name at one place take.
#[derive(Default)]
struct Counted {
    trace: Trace,
    launches: Vec<Launch>,
    /// Whether the counting backend refused one of them, so that the sum says nothing.
    is_refused: bool,
}

/// Place and name of operations, and their seconds, also those of each step below them, by the names of the steps
/// that enclose it.
pub type Price = (String, &'static str, Vec<(Vec<&'static str>, f64)>);

impl Pricing {
    /// Prices on `device`, which `Server.estimate` knows. `memory`: how the server keeps its keys.
    pub fn new(params: &Parameters, memory: KeyMemory, device: &Bound<'_, PyAny>) -> PyResult<Self> {
        let on = match model::gpu(device)? {
            Some(gpu) => On::Gpu(gpu),
            None => On::Device(Box::new(model::device(device)?)),
        };
        let (_, counting, recorder) = OpenBackend::model(params.residue_width());
        let (eval, _, model) = run(|| Model::new(params, (counting, recorder), memory, true))?;
        Ok(Self { eval, model, on, rows: Mutex::default() })
    }

    /// Counts `work` for a row. `entered`: the names of the steps that the server went through.
    pub fn add(
        &self,
        (place, name): (&str, &'static str),
        entered: &BTreeSet<&'static str>,
        work: impl FnOnce(&Evaluator) -> ringjet::Result<()>,
    ) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let row = rows.entry((place.into(), name)).or_default();
        row.is_refused |= work(&self.eval).is_err();
        let (mut trace, mut launches) = self.model.take();
        for kept in KEPT.into_iter().filter(|kept| !entered.contains(kept)) {
            trace = trace.apart(kept).0;
            launches.retain(|launch| !launch.scopes.contains(&kept));
        }
        row.trace.add(&trace);
        row.launches.extend(launches);
    }

    /// The prices of all rows, with `depth` levels of steps.
    pub fn prices(&self, depth: usize) -> PyResult<Vec<Price>> {
        let rows = std::mem::take(&mut *self.rows.lock().unwrap_or_else(PoisonError::into_inner));
        let rows: Vec<_> = rows.into_iter().filter(|(_, counted)| !counted.is_refused).collect();
        let trees: Vec<Node> = match &self.on {
            On::Device(device) => {
                let traces: Vec<Trace> = rows.iter().map(|(_, counted)| counted.trace.clone()).collect();
                Trace::estimate_parts(&traces, device).into_iter().map(|estimate| estimate.tree).collect()
            }
            On::Gpu(gpu) => {
                let tree =
                    |(_, counted): &(_, Counted)| self.model.predicted(gpu, counted.launches.clone(), &counted.trace);
                rows.iter().map(|row| tree(row).map(|predicted| predicted.tree)).collect::<PyResult<_>>()?
            }
        };
        let price = |(((place, name), _), tree): (((String, &'static str), Counted), Node)| {
            let mut all = vec![];
            walk(&tree, &mut vec![], depth, &mut all);
            (place, name, all)
        };
        Ok(rows.into_iter().zip(trees).map(price).collect())
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
