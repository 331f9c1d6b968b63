//! The estimate of a program on a GPU from the launches that the library makes for it.

use std::collections::HashMap;

use ringjet_cuda::predict::{Gpu, Launched, PredictError, Unit};
use ringjet_cuda::{Launch, Recorder};
use ringjet_model::{Caching, Cost, Node, Policy, Time, Trace, ringjet_parts};

/// The GPU called `name`, if its launches can be predicted; case does not matter.
pub fn gpu(name: &str) -> Option<Gpu> {
    Gpu::ALL.into_iter().find(|gpu| gpu.name.eq_ignore_ascii_case(name))
}

/// What a program takes on a GPU.
pub struct Predicted {
    pub time: Time,
    /// The operations that were counted, and the words that launches read and write.
    pub cost: Cost,
    /// The steps, down to kernels.
    pub tree: Node,
}

/// Predicts the launches of a program that `trace` counted.
pub fn predict(
    gpu: &Gpu,
    launches: Vec<Launch>,
    recorder: &Recorder,
    trace: &Trace,
) -> Result<Predicted, PredictError> {
    let mut time = Time { compute_s: 0.0, memory_s: 0.0, launch_s: 0.0, total_s: 0.0 };
    let mut tree = node("Program");
    for l in Launched::all(launches, recorder, gpu.cache)? {
        let times = Unit::ALL.into_iter().zip(l.times(gpu));
        let (memory, others): (Vec<_>, Vec<_>) = times.partition(|(unit, _)| *unit == Unit::Memory);
        time.memory_s += memory.iter().map(|(_, s)| s).sum::<f64>();
        time.compute_s += others.iter().map(|(_, s)| *s).fold(0.0, f64::max);
        time.launch_s += gpu.start;
        time.total_s += l.seconds(gpu);
        let words = |store| (l.work.bytes(store) / 8.0) as u64;
        let cost = Cost { reads: words(false), writes: words(true), launches: 1, ..Cost::default() };
        let path = [&l.launch.scopes[..], &[l.launch.kernel]].concat();
        add(&mut tree, &path, cost, l.seconds(gpu)).count += 1;
    }
    // any policy has the same arithmetic
    let policy = Policy::Cached { caching: Caching::None, seeded_keys: false };
    for called in &trace.calls {
        let counted: Cost = ringjet_parts(&called.operation, called.n, policy).into_iter().map(|part| part.cost).sum();
        let (ntt, base_conversion, elementwise) = (counted.ntt, counted.base_conversion, counted.elementwise);
        let operations = Cost { ntt, base_conversion, elementwise, ..Cost::default() } * called.count;
        add(&mut tree, &trace.path(called.scope), operations, 0.0);
    }
    let entered: HashMap<Vec<&'static str>, u64> =
        trace.scopes.iter().enumerate().map(|(i, step)| (trace.path(i), step.entered)).collect();
    count(&mut tree, &mut vec![], &entered);
    Ok(Predicted { time, cost: tree.cost, tree })
}

fn node(name: &'static str) -> Node {
    Node { name, count: 0, cost: Cost::default(), seconds: 0.0, children: vec![] }
}

/// Adds to a node and to all above it; makes nodes that are missing.
fn add<'a>(node: &'a mut Node, path: &[&'static str], cost: Cost, seconds: f64) -> &'a mut Node {
    node.cost += cost;
    node.seconds += seconds;
    let Some((first, rest)) = path.split_first() else { return node };
    let place = node.children.iter().position(|child| child.name == *first).unwrap_or_else(|| {
        node.children.push(self::node(first));
        node.children.len() - 1
    });
    add(&mut node.children[place], rest, cost, seconds)
}

/// Sets how often each step was entered.
fn count(node: &mut Node, path: &mut Vec<&'static str>, entered: &HashMap<Vec<&'static str>, u64>) {
    if let Some(&times) = entered.get(path) {
        node.count = times;
    }
    for child in &mut node.children {
        path.push(child.name);
        count(child, path, entered);
        path.pop();
    }
}
