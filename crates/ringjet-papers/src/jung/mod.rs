//! The published ladder of Jung et al., "Over 100x Faster Bootstrapping in Fully Homomorphic
//! Encryption through Memory-centric Optimization with GPUs" (ePrint 2021/508), beside the model of a
//! V100 that computes in that order. The published figures are those of Lee's talk on the paper.

mod ladder;
mod operations;

use ringjet::Parameters;
use ringjet_model::Device;
use ringjet_model::pim::threads;

use crate::castro::{Algorithms, Configuration, PaperError, Quirks, application};
use crate::fusion::Fusion;
use crate::orders::Order;
use crate::row::Row;
use ladder::{Counted, WITHIN_OPERATIONS, count, parameters};

pub use ladder::{LADDER, Rung};

/// The names of the tables: bootstraps, single operations, and the curve of products by number of
/// digits.
pub const TABLES: [&str; 3] = ["jung", "jung-operations", "jung-dnum"];

/// The published ladder of a parameter set.
struct Published {
    set: &'static str,
    /// Milliseconds of a bootstrap after each step, where the source gives them.
    ms: [Option<f64>; LADDER.len()],
    /// The speed-up against one thread of a CPU.
    speedup: f64,
}

const PUBLISHED: [Published; 2] = [
    Published {
        set: "jung-n16",
        ms: [Some(428.94), None, None, Some(377.78), Some(351.09), Some(328.25)],
        speedup: 242.0,
    },
    Published {
        set: "jung-n17",
        ms: [Some(719.87), None, None, Some(623.92), Some(568.2), Some(526.96)],
        speedup: 257.0,
    },
];
/// The share of linear transforms in a bootstrap's time. The source states neither the parameters nor the
/// step of the ladder, but shows it between fusion within operations and batching.
const TRANSFORMS: f64 = 0.627;
/// The speed-up of a logistic regression against eight threads.
const REGRESSION: f64 = 40.0;
/// Bytes a second of a V100's memory, by its data sheet.
const MEMORY: f64 = 900e9;

/// The rows of a table of [`TABLES`].
///
/// # Errors
/// [`PaperError::UnknownTable`].
pub fn table(name: &str) -> Result<Vec<Row>, PaperError> {
    let mut rows = match name {
        "jung" => bootstraps()?,
        "jung-operations" => operations::table()?,
        "jung-dnum" => operations::curve()?,
        _ => return Err(PaperError::UnknownTable { name: name.into(), known: TABLES.join(", ") }),
    };
    rows.iter_mut().for_each(|row| row.table = name.into());
    Ok(rows)
}

/// The ladder of both parameter sets, what further steps of the model say, and the published
/// speed-ups.
fn bootstraps() -> Result<Vec<Row>, PaperError> {
    let v100 = Device::builtin("v100")?;
    let mut rows = vec![];
    let mut last = None;
    for published in &PUBLISHED {
        let params = parameters(published.set)?;
        let counted =
            LADDER.iter().map(|rung| count(&params, rung.order, rung.fusion)).collect::<Result<Vec<_>, _>>()?;
        rows.extend(steps(published, &counted, &v100));
        if let (Some(counted), Some(Some(ms))) = (counted.into_iter().next_back(), published.ms.last()) {
            rows.extend(beyond(published, *ms, &params, &counted, &v100)?);
            last = Some(counted);
        }
    }
    if let Some(counted) = last {
        rows.push(regression(&counted, &v100)?);
    }
    Ok(rows)
}

/// What each step of the ladder takes and gains.
fn steps(published: &Published, counted: &[Counted], v100: &Device) -> Vec<Row> {
    let mut rows = vec![];
    let (mut step, mut known): (Option<f64>, Option<(f64, f64)>) = (None, None);
    for ((rung, counted), paper) in LADDER.iter().zip(counted).zip(published.ms) {
        let estimate = counted.bootstrap.estimate_by(v100, |_, _| rung.policy());
        let (total, entry) = (estimate.time.total_s, format!("{}, {}", published.set, rung.name));
        let model = 1e3 * total;
        let (gb, launches) = (estimate.cost.bytes() as f64 / 1e9, estimate.cost.launches);
        let by = "predicted by the data sheet of a V100";
        let note = format!("{gb:.1} GB, {launches} operations one after the other, {by}");
        rows.push(Row::new(&entry, "ms", Some(model), paper).note(note));
        if let Some(before) = step {
            rows.push(Row::new(&entry, "times faster than the step before", Some(before / model), None));
        }
        if let (Some((model_before, paper_before)), Some(paper)) = (known, paper) {
            let gain = (1e3 * paper_before / paper).round() / 1e3;
            rows.push(Row::new(&entry, "times faster", Some(model_before / model), Some(gain)));
        }
        let transforms = ["SlotsToCoeffs", "CoeffsToSlots"]
            .map(|part| estimate.tree.find(&["Bootstrap", part]).map_or(0.0, |node| node.seconds));
        let share = transforms.iter().sum::<f64>() / total;
        let within = rung.name == WITHIN_OPERATIONS;
        let row = Row::new(&entry, "share of linear transforms", Some(share), within.then_some(TRANSFORMS));
        rows.push(if within { row.note("the source does not state the parameters of this share") } else { row });
        let products = counted.products.estimate_by(v100, |_, _| rung.policy()).time.total_s;
        let amortised = 1e3 * (total + products) / counted.levels as f64;
        let row = Row::new(&entry, "ms of a product, amortised", Some(amortised), None);
        rows.push(match paper {
            Some(_) => row.note("the source's figure has no printed numbers"),
            None => row,
        });
        step = Some(model);
        known = paper.map(|paper| (model, paper)).or(known);
    }
    rows
}

/// Estimates beyond the ladder: a transform that goes through memory twice, the library's own order,
/// and one thread of a CPU. `paper` is the last step's time in milliseconds.
fn beyond(
    published: &Published,
    paper: f64,
    params: &Parameters,
    counted: &Counted,
    v100: &Device,
) -> Result<Vec<Row>, PaperError> {
    let (set, rung) = (published.set, &LADDER[LADDER.len() - 1]);
    let estimate = counted.bootstrap.estimate_by(v100, |_, _| rung.policy());
    let model = 1e3 * estimate.time.total_s;
    // a transform in two kernels writes and reads each limb once more
    let limbs = (estimate.cost.calls.ntt + estimate.cost.calls.intt) as f64;
    let twice = model + 1e3 * limbs * 16.0 * params.n() as f64 / MEMORY;
    let library = count(params, Order::LIBRARY, Fusion::ALL)?.bootstrap.estimate(v100);
    let one = counted.bootstrap.estimate(&Device::builtin("cpu-ifma-1core")?).time.total_s;
    let published_s = published.speedup * paper / 1e3;
    Ok(vec![
        Row::new(format!("{set}, hoisting, each transform through memory twice"), "ms", Some(twice), Some(paper)),
        Row::new(format!("{set}, ideal"), "ms", Some(1e3 * library.time.total_s), Some(paper))
            .note("the library's own order on a device whose cache keeps all that fits"),
        Row::new(format!("{set}, one thread"), "s", Some(one), Some((1e3 * published_s).round() / 1e3))
            .note("the source's program is scalar; the model's has AVX-512 IFMA"),
        Row::new(
            format!("{set}, one thread / hoisting"),
            "times faster",
            Some(1e3 * one / model),
            Some(published.speedup),
        )
        .note(format!("{one:.1} s by the model, with AVX-512 IFMA; {published_s:.1} s published")),
    ])
}

/// An iteration of a logistic regression with a bootstrap, on a V100 and on eight threads.
fn regression(bootstrap: &Counted, v100: &Device) -> Result<Row, PaperError> {
    let rung = &LADDER[LADDER.len() - 1];
    let iteration = application("Full LR Iteration", Configuration::JUNG, Algorithms::BASELINE, Quirks::PAPER)?.trace;
    let both = [&bootstrap.bootstrap, &iteration];
    let gpu: f64 = both.iter().map(|trace| trace.estimate_by(v100, |_, _| rung.policy()).time.total_s).sum();
    let eight = threads(8)?;
    let cpu: f64 = both.iter().map(|trace| trace.estimate(&eight).time.total_s).sum();
    let entry = "logistic regression, eight threads";
    Ok(Row::new(entry, "times faster", Some(cpu / gpu), Some(REGRESSION)).note(format!(
        "an iteration of de Castro et al. and a bootstrap of jung-n17: {:.0} ms, {cpu:.1} s with AVX-512 IFMA",
        1e3 * gpu
    )))
}
