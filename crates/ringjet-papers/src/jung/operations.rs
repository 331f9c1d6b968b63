//! Single operations: products and rotations by number of digits, and what the talk says of sizes.

use std::sync::Arc;

use ringjet::{Ciphertext, Context, EvaluationKeys, KeyPlan, ParamSpec, Parameters};
use ringjet_model::{CountingBackend, Device, Policy, Trace};

use super::ladder::{LADDER, Rung, WITHIN_OPERATIONS, parameters};
use crate::castro::PaperError;
use crate::fusion::{Fusion, PartlyFused};
use crate::orders::{Evaluator, Order};
use crate::row::Row;

/// The ring and the ciphertext primes of the curve: those of `jung-n16`.
const LOG_N: u32 = 16;
const LIMBS: usize = 35;
/// Bits of the first prime and of special primes, and of all other primes.
const BITS: (u32, u32) = (50, 45);
/// The largest digit, in primes, of each point of the curve.
const ALPHAS: [usize; 11] = [35, 18, 12, 9, 7, 6, 5, 4, 3, 2, 1];
/// Milliseconds of a product with one digit for each prime: the talk's, and those of an earlier GPU
/// implementation (Al Badawi et al., PrivFT).
const PRODUCT_MS: (f64, f64) = (7.96, 55.88);
/// How many times faster the talk says that its product is.
const PRODUCT_SPEEDUP: f64 = 7.02;
/// Bytes of a last-level cache, "about" in the talk: of a server's CPU and of a GPU.
const CACHES: [(&str, f64); 2] = [("epyc-7763", 256e6), ("v100", 6e6)];

/// A product and a rotation by one at all levels, each with all its primes.
struct Operations {
    mult: Trace,
    rotate: Trace,
    add: Trace,
    key_bytes: f64,
    log_qp: f64,
}

fn operations((log_n, limbs, alpha): (u32, usize, usize), rung: &Rung) -> Result<Operations, PaperError> {
    let spec = ParamSpec { alpha: Some(alpha), ..ParamSpec::uniform(log_n, BITS.0, limbs - 1, BITS.1, alpha) };
    let params = Parameters::new(&spec.allow_insecure())?;
    let backend = Arc::new(CountingBackend::default());
    let ctx = Context::new(&params, Arc::new(PartlyFused::new(backend.clone(), rung.fusion)));
    let keys = EvaluationKeys::uncomputed(&ctx, &KeyPlan::rotations([1]))?;
    let eval = Evaluator::new(ringjet::Evaluator::new(&ctx, Arc::new(keys))?, rung.order);
    let x = Ciphertext::uncomputed(&ctx, limbs - 1, log_n - 1)?;
    backend.take();
    eval.mul_relin_rescale(&x, &x)?;
    let mult = backend.take();
    eval.rotate(&x, 1)?;
    let rotate = backend.take();
    eval.add(&x, &x)?;
    let add = backend.take();
    let key_bytes = ((limbs.div_ceil(alpha) * 2 * (limbs + alpha) * 8) << log_n) as f64;
    Ok(Operations { mult, rotate, add, key_bytes, log_qp: params.log_qp() })
}

fn within() -> &'static Rung {
    LADDER.iter().find(|rung| rung.name == WITHIN_OPERATIONS).unwrap_or(&LADDER[0])
}

/// Milliseconds of a program on a device whose traffic is that of a rung.
fn ms(trace: &Trace, device: &Device, rung: &Rung) -> f64 {
    1e3 * trace.estimate_by(device, |_, _| rung.policy()).time.total_s
}

/// The time of a product by number of digits, with the same ciphertext primes: the talk's figure
/// "dnum vs. multiplication time for a fixed Q", which has no printed numbers.
///
/// # Errors
/// [`PaperError`], which these parameters do not cause.
pub(super) fn curve() -> Result<Vec<Row>, PaperError> {
    const QUANTITIES: [&str; 5] =
        ["modular multiplications", "ms of a product, V100", "ms of a product, one thread", "MB of a key", "log2(QP)"];
    const LEAST: [&str; 3] = ["fewest multiplications", "fastest on a V100", "fastest on one thread"];
    let points = ALPHAS.into_iter().map(point).collect::<Result<Vec<_>, _>>()?;
    let row = |entry: String, quantity: &str, value: f64| Row::new(entry, quantity, Some(value), None);
    let mut rows: Vec<Row> = (points.iter())
        .flat_map(|(dnum, values)| {
            QUANTITIES.iter().zip(values).map(move |(what, &v)| row(format!("dnum = {dnum}"), what, v))
        })
        .collect();
    for (i, what) in LEAST.into_iter().enumerate() {
        let best = points.iter().min_by(|a, b| a.1[i].total_cmp(&b.1[i]));
        rows.extend(best.map(|(dnum, _)| row(what.into(), "dnum", *dnum as f64)));
    }
    let note = format!(
        "N = 2^{LOG_N}, {LIMBS} ciphertext primes of {} bits, as many special primes as a digit has; the source's \
         figure has no printed numbers",
        BITS.1
    );
    rows[0].note = Some(note);
    Ok(rows)
}

/// The number of digits of a point of the curve, and its five quantities.
fn point(alpha: usize) -> Result<(usize, [f64; 5]), PaperError> {
    let (v100, cpu) = (Device::builtin("v100")?, Device::builtin("cpu-ifma-1core")?);
    let (shape, rung) = ((LOG_N, LIMBS, alpha), within());
    let found = operations(shape, rung)?;
    let multiplications = found.mult.total(|o, n| ringjet_model::ringjet_parts(o, n, rung.policy())).mul() as f64;
    // on a CPU the library's own order, as `ringjet bench mul_relin_rescale` runs it
    let one = 1e3 * operations(shape, &LIBRARY)?.mult.estimate(&cpu).time.total_s;
    let values = [multiplications, ms(&found.mult, &v100, rung), one, found.key_bytes / 1e6, found.log_qp];
    Ok((LIMBS.div_ceil(alpha), values))
}

/// The library's own order, on a CPU.
const LIBRARY: Rung = Rung { order: Order::LIBRARY, fusion: Fusion::ALL, ..LADDER[0] };

/// Times of products and rotations after each fusion, and sizes that the talk mentions.
///
/// # Errors
/// [`PaperError`], which these parameters do not cause.
pub(super) fn table() -> Result<Vec<Row>, PaperError> {
    let v100 = Device::builtin("v100")?;
    let mut rows = vec![];
    // one digit for each prime, and the three digits of jung-n17
    for (shape, dnum) in [((16, LIMBS, 1), LIMBS), ((17, 30, 10), 3)] {
        let mut baseline = None;
        for rung in LADDER.iter().filter(|rung| !rung.fusion.rotation_sums) {
            let found = operations(shape, rung)?;
            let entry = format!("N = 2^{}, {} primes, dnum = {dnum}, {}", shape.0, shape.1, rung.name);
            let last = rung.name == WITHIN_OPERATIONS && dnum == LIMBS;
            let product = ms(&found.mult, &v100, rung);
            let row = Row::new(&entry, "ms of a product", Some(product), last.then_some(PRODUCT_MS.0));
            rows.push(if last {
                row.note("predicted by the data sheet of a V100; the source does not state N and L of this product")
            } else {
                row
            });
            rows.push(Row::new(&entry, "ms of a rotation", Some(ms(&found.rotate, &v100, rung)), None));
            let first = *baseline.get_or_insert(product);
            if last {
                rows.push(Row::new(&entry, "product, times faster", Some(first / product), Some(PRODUCT_SPEEDUP)).note(
                    format!(
                        "the source compares with another implementation, of {} ms; the model with its own baseline, of {first:.2}",
                        PRODUCT_MS.1
                    ),
                ));
            }
        }
    }
    rows.extend(intensity(&v100)?);
    rows.extend(sizes()?);
    Ok(rows)
}

/// Operations for each byte of a product, and the number at which memory and arithmetic take as long:
/// the talk's roofline plot, which has no printed numbers.
fn intensity(v100: &Device) -> Result<Vec<Row>, PaperError> {
    let rung = within();
    let mult = operations((17, 30, 10), rung)?.mult;
    let estimate = mult.estimate_by(v100, |_, _| rung.policy());
    let intensity = estimate.cost.ops() as f64 / estimate.cost.bytes() as f64;
    let balance = intensity * estimate.time.memory_s / estimate.time.compute_s;
    let entry = "product, N = 2^17, 30 primes, dnum = 3, V100";
    Ok(vec![
        Row::new(entry, "operations a byte", Some(intensity), None)
            .note("the source's roofline plot has no printed numbers"),
        Row::new(entry, "operations a byte where memory is as slow as arithmetic", Some(balance), None),
    ])
}

/// Sizes of ciphertexts and caches, and operations on residues for each slot.
fn sizes() -> Result<Vec<Row>, PaperError> {
    let mut rows = vec![];
    for set in ["jung-n16", "jung-n17"] {
        let params = parameters(set)?;
        let bytes = ((2 * params.limbs(params.max_level()) * 8) << params.log_n()) as f64;
        rows.push(
            Row::new(set, "MB of a ciphertext", Some(bytes / 1e6), None).note("the source says 10 to some 100 MB"),
        );
    }
    let (rung, slots) = (&LIBRARY, f64::from(1u32 << (LOG_N - 1)));
    let found = operations((LOG_N, LIMBS, 7), rung)?;
    let count = |trace: &Trace| trace.total(|o, n| ringjet_model::ringjet_parts(o, n, Policy::CPU));
    let (add, mult) = (count(&found.add).ops() as f64 / slots, count(&found.mult).mul() as f64 / slots);
    let entry = "N = 2^16, 35 primes, dnum = 5";
    let native = "the source says how many times slower than a native operation: ";
    rows.push(
        Row::new(entry, "residues added for each slot of a sum", Some(add), None).note(format!("{native}100 to 200")),
    );
    rows.push(
        Row::new(entry, "modular multiplications for each slot of a product", Some(mult), None)
            .note(format!("{native}1,000 to 10,000")),
    );
    for (name, published) in CACHES {
        let device = Device::builtin(name)?;
        let levels = &device.spec().memory;
        let cache = levels.len().checked_sub(2).map(|last| levels[last].bytes as f64);
        rows.push(
            Row::new(name, "bytes of the last-level cache", cache, Some(published))
                .note("of the profile, by its data sheet"),
        );
    }
    Ok(rows)
}
