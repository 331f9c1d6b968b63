//! The published ladder of Jung et al., "Over 100x Faster Bootstrapping in Fully Homomorphic
//! Encryption through Memory-centric Optimization with GPUs" (ePrint 2021/508), beside the model of a
//! V100 that computes in that order. The published figures are those of Lee's talk on the paper.

use std::sync::Arc;

use ringjet::circuits::paper::{BabySteps, Evaluator, Hoisting, Order};
use ringjet::params::paper_set;
use ringjet::{Ciphertext, Context, EvaluationKeys, Parameters};
use ringjet_backend::{Fusion, PartlyFused};

use super::configuration::{Algorithms, Configuration};
use super::error::PaperError;
use super::programs::application;
use super::quirks::Quirks;
use crate::pim::threads;
use crate::published::Row;
use crate::{Caching, CountingBackend, Device, Policy, Trace};

/// The name of the table.
pub const NAME: &str = "jung";

/// Milliseconds of a bootstrap after each step of the ladder, and the speed-up against one thread of
/// a CPU, for both parameter sets.
const PUBLISHED: [(&str, [f64; 4], f64); 2] =
    [("jung-n16", [428.94, 377.78, 351.09, 328.25], 242.0), ("jung-n17", [719.87, 623.92, 568.2, 526.96], 257.0)];
/// The speed-up of a logistic regression against eight threads.
const REGRESSION: f64 = 40.0;
/// Bytes a second of a V100's memory, by its data sheet.
const MEMORY: f64 = 900e9;

/// One decomposition and one division by P for each rotation and each product, as few rotations in
/// all as possible, whole diagonals.
const PLAIN: Order = Order {
    hoisting: Hoisting::None,
    compressed_diagonals: false,
    baby_steps: BabySteps::Fewest,
    merged_rescaling: false,
    batched_products: false,
    levelled: None,
};
const FUSED: Fusion = Fusion { conversions: true, inner_products: true, products: true, ..Fusion::NONE };
const BATCHED: Fusion = Fusion { rotation_sums: true, ..FUSED };

/// A step of the ladder: its name, the order and the fused operations, and what stays in a cache
/// between the steps of an operation.
type Rung = (&'static str, Order, Fusion, Caching);

const LADDER: [Rung; 4] = [
    ("baseline", PLAIN, Fusion::NONE, Caching::None),
    ("fusion within operations", PLAIN, FUSED, Caching::Limb),
    ("batched multiply-adds", PLAIN, BATCHED, Caching::BetaLimbs),
    ("hoisting", Order { hoisting: Hoisting::Single, ..PLAIN }, BATCHED, Caching::BetaLimbs),
];

/// The ladder of both parameter sets, what further steps of the model say, and the published
/// speed-ups.
///
/// # Errors
/// [`PaperError`], which these parameters do not cause.
pub fn table() -> Result<Vec<Row>, PaperError> {
    let v100 = Device::builtin("v100")?;
    let mut rows = vec![];
    let mut last = None;
    for (set, published, speedup) in PUBLISHED {
        let mut before: Option<(f64, f64)> = None;
        for ((name, order, fusion, caching), paper) in LADDER.into_iter().zip(published) {
            let trace = bootstrap(set, order, fusion)?;
            let estimate = trace.estimate_by(&v100, |_, _| Policy::Cached { caching, seeded_keys: false });
            let model = 1e3 * estimate.time.total_s;
            let entry = format!("{set}, {name}");
            rows.push(Row::new(&entry, "ms", Some(model), Some(paper)).note(format!(
                "{:.1} GB, {} operations one after the other",
                estimate.cost.bytes() as f64 / 1e9,
                estimate.cost.launches
            )));
            if let Some((model_before, paper_before)) = before {
                rows.push(Row::new(
                    &entry,
                    "times faster",
                    Some(model_before / model),
                    Some((1e3 * paper_before / paper).round() / 1e3),
                ));
            }
            before = Some((model, paper));
            last = Some((trace, estimate));
        }
        let (Some((trace, estimate)), Some((model, paper))) = (last.take(), before) else { continue };
        // a transform in two kernels writes and reads each limb once more
        let limbs = (estimate.cost.calls.ntt + estimate.cost.calls.intt) as f64;
        let n = trace.calls.iter().map(|c| c.n).max().unwrap_or(0) as f64;
        let twice = model + 1e3 * limbs * 16.0 * n / MEMORY;
        let and = |what: &str| format!("{set}, hoisting, {what}");
        rows.push(Row::new(and("each transform through memory twice"), "ms", Some(twice), Some(paper)));
        let library = bootstrap(set, Order::LIBRARY, Fusion::ALL)?.estimate(&v100);
        let ideal = 1e3 * library.time.total_s;
        let note = "the library's own order on a device whose cache keeps all that fits";
        rows.push(Row::new(format!("{set}, ideal"), "ms", Some(ideal), Some(paper)).note(note));
        let one = trace.estimate(&Device::builtin("cpu-ifma-1core")?).time.total_s;
        rows.push(
            Row::new(format!("{set}, one thread / hoisting"), "times faster", Some(1e3 * one / model), Some(speedup))
                .note(format!("{one:.1} s by the model, with AVX-512 IFMA; {:.1} s published", speedup * paper / 1e3)),
        );
        last = Some((trace, estimate));
    }
    if let Some((bootstrap, estimate)) = last {
        let iteration =
            application("Full LR Iteration", Configuration::JUNG, Algorithms::BASELINE, Quirks::PAPER)?.trace;
        let gpu = estimate.time.total_s
            + iteration
                .estimate_by(&v100, |_, _| Policy::Cached { caching: Caching::BetaLimbs, seeded_keys: false })
                .time
                .total_s;
        let eight = threads(8)?;
        let cpu = bootstrap.estimate(&eight).time.total_s + iteration.estimate(&eight).time.total_s;
        rows.push(
            Row::new("logistic regression, eight threads", "times faster", Some(cpu / gpu), Some(REGRESSION)).note(
                format!(
                    "an iteration of de Castro et al. and a bootstrap of jung-n17: {:.0} ms, {:.1} s with AVX-512 IFMA",
                    1e3 * gpu,
                    cpu
                ),
            ),
        );
    }
    for row in &mut rows {
        row.table = NAME.into();
    }
    Ok(rows)
}

/// The calls of a bootstrap of all slots.
fn bootstrap(set: &str, order: Order, fusion: Fusion) -> Result<Trace, PaperError> {
    let params = Parameters::new(&paper_set(set)?.spec()?.allow_insecure())?;
    let backend = Arc::new(CountingBackend::default());
    let ctx = Context::new(&params, Arc::new(PartlyFused::new(backend.clone(), fusion)));
    let slots = params.log_n() - 1;
    let keys = EvaluationKeys::uncomputed(&ctx, &order.key_plan(&params, slots)?)?;
    let eval = Evaluator::new(ringjet::Evaluator::new(&ctx, Arc::new(keys))?, order);
    let boot = order.bootstrapper(&ctx, slots, |_, _| true)?;
    let x = Ciphertext::uncomputed(&ctx, params.bootstrap().map_or(0, |boot| boot.input_level()), slots)?;
    backend.take();
    boot.bootstrap_observed(&eval, &x, false, |_| true)?;
    Ok(backend.take())
}
