//! Prints the launches of operations and of a bootstrap at full size with their predicted times, one
//! JSON object a line, for `tools/predict.py`. The first line has the GPUs.
//!
//!     cargo run -p ringjet-cuda --example prediction

use std::cell::RefCell;
use std::collections::HashSet;
use std::error::Error;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use ringjet::heaan;
use ringjet::{Bootstrapper, Ciphertext, Context, EvaluationKeys, Evaluator, KeyPlan};
use ringjet_backend::plan::BaseConversionPlan;
use ringjet_backend::{Backend, Buf, Gemm, View, ViewMut, Width};
use ringjet_cuda::predict::{Cache, Gpu, Launched, Unit};
use ringjet_cuda::{Arithmetic, CudaBackend, Recorder};
use ringjet_math::{Basis, prime::ntt_primes};
use ringjet_model::{Caching, CountingBackend, Policy, ringjet_parts};
use serde_json::{Map, Value, json};

/// The steps of the hoisted rotations.
const STEPS: [i64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// Where the lines go.
struct Output<W> {
    to: W,
    arithmetic: Arithmetic,
}

impl<W: Write> Output<W> {
    /// A backend that records.
    fn backend(&self) -> (CudaBackend, Arc<Recorder>) {
        let (backend, recorder) = CudaBackend::recording();
        (backend.with_arithmetic(self.arithmetic), recorder)
    }

    /// Writes the launches of a program's second run. The first makes the constants.
    fn program(
        &mut self,
        name: &str,
        recorder: &Recorder,
        run: impl Fn() -> Result<(), Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        self.program_with(name, recorder, run, Value::Null)
    }

    /// The same, with what the cost model counts for all launches together.
    fn program_with(
        &mut self,
        name: &str,
        recorder: &Recorder,
        run: impl Fn() -> Result<(), Box<dyn Error>>,
        model: Value,
    ) -> Result<(), Box<dyn Error>> {
        run()?;
        recorder.take();
        run()?;
        let launched = Launched::all(recorder.take().launches, recorder, Gpu::H200.cache)?;
        let memory: Vec<Value> = CACHES.iter().map(|&size| json!([size, memory(&launched, size)])).collect();
        let program = json!({
            "name": name, "arithmetic": self.arithmetic.to_string(), "model": model, "memory": memory,
            "inputs": inputs(&launched), "launches": launched.iter().map(priced).collect::<Vec<_>>(),
        });
        writeln!(self.to, "{program}")?;
        Ok(())
    }
}

/// Sizes of the second-level cache for which the page shows the traffic of memory.
const CACHES: [f64; 3] = [0.0, Gpu::H200.cache, 50e6];

/// Bytes to and from memory if the second-level cache keeps `size` bytes.
fn memory(launched: &[Launched], size: f64) -> f64 {
    let mut cache = Cache::new(size);
    launched.iter().map(|l| cache.memory(&l.work, &l.allocations)).sum()
}

/// Bytes that a program reads of what it never writes: keys, plaintexts, and its operands.
fn inputs(launched: &[Launched]) -> f64 {
    let accesses = || launched.iter().flat_map(|l| l.work.traffic().iter().map(|t| (l.allocations[t.allocation], t)));
    let written: HashSet<usize> = accesses().filter(|(_, t)| t.store).map(|(at, _)| at).collect();
    accesses().filter(|(at, t)| !t.store && !written.contains(at)).map(|(_, t)| t.bytes).sum::<f64>() + 0.0
}

/// A launch with its times. `bound`: the unit that takes longest on each GPU, and its seconds; `slow`:
/// the same if IMAD.WIDE and IMAD.HI have half the rate.
fn priced(l: &Launched) -> Value {
    let bound = |gpu: &Gpu| {
        let (unit, seconds) = l.bound(gpu);
        json!([unit.name(), seconds])
    };
    let of = |wide: f64| -> Map<String, Value> {
        Gpu::ALL.iter().map(|gpu| (gpu.name.into(), bound(&Gpu { wide: wide * gpu.wide, ..*gpu }))).collect()
    };
    let times: Vec<Value> =
        Unit::ALL.iter().zip(l.times(&Gpu::H200)).map(|(unit, s)| json!([unit.name(), s])).collect();
    json!({
        "kernel": l.launch.kernel, "scopes": l.launch.scopes, "threads": l.launch.threads, "shared": l.launch.shared,
        "instructions": l.work.instructions(), "bytes": l.work.bytes(false) + l.work.bytes(true), "memory": l.memory,
        "bound": of(1.0), "slow": of(2.0), "times": times,
    })
}

/// The GPUs.
fn gpus() -> Value {
    let one = |g: &Gpu| {
        json!({
            "name": g.name, "memory": g.memory, "second_level": g.second_level, "cache": g.cache, "start": g.start,
        })
    };
    Gpu::ALL.iter().map(one).collect()
}

/// Operations on ciphertexts at the top of `n16-depth24`.
fn operations<W: Write>(out: &mut Output<W>) -> Result<(), Box<dyn Error>> {
    let params = ringjet::preset("n16-depth24")?;
    let (backend, recorder) = out.backend();
    let ctx = Context::new(&params, Arc::new(backend));
    let keys = EvaluationKeys::uncomputed(&ctx, &KeyPlan::rotations(STEPS))?;
    let eval = Evaluator::new(&ctx, Arc::new(keys))?;
    let x = Ciphertext::uncomputed(&ctx, params.top_level(), params.log_n() - 1)?;
    out.program("multiply", &recorder, || Ok(eval.mul_relin_rescale(&x, &x).map(drop)?))?;
    out.program("rotate", &recorder, || Ok(eval.rotate(&x, 1).map(drop)?))?;
    out.program("8 hoisted rotations", &recorder, || Ok(eval.rotate_hoisted(&x, &STEPS).map(drop)?))?;
    out.program("rescale", &recorder, || Ok(eval.rescale(&x).map(drop)?))
}

/// A server of HEAAN that computes nothing.
struct HeaanServer {
    ctx: heaan::Context,
    eval: heaan::Evaluator,
}

impl HeaanServer {
    fn new(params: &heaan::Parameters, backend: Arc<dyn Backend>) -> Result<Self, Box<dyn Error>> {
        let ctx = heaan::Context::new(params, backend);
        let keys = heaan::EvaluationKeys::uncomputed(&ctx, &KeyPlan::rotations([1]))?;
        Ok(Self { eval: heaan::Evaluator::new(&ctx, Arc::new(keys))?, ctx })
    }

    /// A product, a square or a rotation modulo `2^log_q`.
    fn run(&self, operation: &str, log_q: u32) -> Result<(), Box<dyn Error>> {
        let ciphertext = || heaan::Ciphertext::uncomputed(&self.ctx, log_q, 30, self.ctx.params().log_slots());
        let (x, y) = (ciphertext()?, ciphertext()?);
        match operation {
            "multiply" => self.eval.mul(&x, &y)?,
            "square" => self.eval.square(&x)?,
            _ => self.eval.rotate(&x, 1)?,
        };
        Ok(())
    }
}

/// Operations of HEAAN at moduli of 1200, 600 and 300 bits, in the set of Jung et al. ("HEAAN
/// Demystified"), with the cost model's counts of the same program: of a device whose cache keeps what
/// the launches keep in registers and shared memory.
fn heaan<W: Write>(out: &mut Output<W>) -> Result<(), Box<dyn Error>> {
    const POLICY: Policy = Policy::Cached { caching: Caching::BetaLimbs, seeded_keys: false };
    let params = heaan::preset("heaan-n16-q1200")?;
    let (backend, recorder) = out.backend();
    let server = HeaanServer::new(&params, Arc::new(backend))?;
    let model = Arc::new(CountingBackend::default());
    let counted = HeaanServer::new(&params, model.clone())?;
    for log_q in [1200, 600, 300] {
        for operation in ["multiply", "square", "rotate"] {
            model.take();
            counted.run(operation, log_q)?;
            let cost = model.take().total(|op, n| ringjet_parts(op, n, POLICY));
            let limbs = |words: u64| words / params.n() as u64;
            let counts = json!({
                "forward": cost.calls.ntt, "inverse": cost.calls.intt, "products": cost.calls.products,
                "conversion": limbs(cost.base_conversion.mul), "bytes": 8 * (cost.reads + cost.writes + cost.key_reads),
            });
            let name = format!("HEAAN {operation}, log q = {log_q}");
            out.program_with(&name, &recorder, || server.run(operation, log_q), counts)?;
        }
    }
    Ok(())
}

/// A transform and a conversion in a ring of 2^16 coefficients, with limbs of the most bits that the
/// arithmetic takes: as many as have the bits of 48 limbs, and of 8 and 32, of 50 bits.
fn kernels<W: Write>(out: &mut Output<W>) -> Result<(), Box<dyn Error>> {
    const LOG_N: u32 = 16;
    let (bits, [all, from, to]) = match out.arithmetic {
        Arithmetic::U32 | Arithmetic::U32Unsigned => (31, [78, 13, 52]),
        Arithmetic::F64Below48 | Arithmetic::U64Below48 => (48, [50, 9, 34]),
        Arithmetic::F64 | Arithmetic::U64Below50 => (50, [48, 8, 32]),
        Arithmetic::U64Below61 => (61, [40, 7, 27]),
    };
    let primes = ntt_primes(LOG_N, bits, all, &[])?;
    let (backend, recorder) = out.backend();
    let basis = |primes: &[u64]| Basis::new(LOG_N, primes);
    let (whole, src, dst) = (basis(&primes)?, basis(&primes[..from])?, basis(&primes[from..from + to])?);
    let plan = BaseConversionPlan::new(&src, &dst);
    let x = RefCell::new(backend.alloc(all, whole.n())?);
    let y = backend.alloc(from, whole.n())?;
    out.program("NTT of 48 limbs", &recorder, || Ok(backend.ntt(x.borrow_mut().view_mut(1), &whole)?))?;
    out.program("conversion of 8 limbs to 32", &recorder, || {
        Ok(backend.base_convert(x.borrow_mut().view_mut(1).prefix(to), y.view(1), &plan)?)
    })
}

/// Products of matrices, whose weights have 24 bits, with ciphertexts of two limbs of the most bits that the
/// arithmetic takes. Their sums are in double precision.
fn matrices<W: Write>(out: &mut Output<W>) -> Result<(), Box<dyn Error>> {
    const LOG_N: u32 = 12;
    const LIMBS: usize = 2;
    let primes = ntt_primes(LOG_N, out.arithmetic.bits(), LIMBS, &[])?;
    let basis = Basis::new(LOG_N, &primes)?;
    for (rows, columns) in [(128, 784), (1024, 1024)] {
        let (backend, recorder) = out.backend();
        let pairs =
            |count: usize| (0..count).map(|_| backend.alloc(2 * LIMBS, basis.n())).collect::<Result<Vec<_>, _>>();
        let (sources, results) = (pairs(columns)?, RefCell::new(pairs(rows)?));
        let src: Vec<View<'_>> = sources.iter().map(|buf: &Buf| buf.view(2)).collect();
        let (weights, factors) = (vec![(1 << 24) - 1; rows * columns], vec![1; rows * LIMBS]);
        let gemm = Gemm { src: &src, weights: &weights, factors: &factors, constants: &[] };
        out.program(&format!("product with a {rows} x {columns} matrix"), &recorder, || {
            let mut results = results.borrow_mut();
            let mut dst: Vec<ViewMut<'_>> = results.iter_mut().map(|buf| buf.view_mut(2)).collect();
            Ok(backend.gemm(&mut dst, &gemm, &basis, false)?)
        })?;
    }
    Ok(())
}

/// A bootstrap of `n16-boot`, or of `n16-boot-48` where residues have 6 bytes.
fn bootstrap<W: Write>(out: &mut Output<W>) -> Result<(), Box<dyn Error>> {
    let narrow = out.arithmetic.width() == Width::Six;
    let params = ringjet::preset(if narrow { "n16-boot-48" } else { "n16-boot" })?;
    let (backend, recorder) = out.backend();
    let ctx = Context::new(&params, Arc::new(backend));
    let slots = params.log_n() - 1;
    let keys = EvaluationKeys::uncomputed(&ctx, &Bootstrapper::key_plan(&params, slots)?)?;
    let eval = Evaluator::bootstrapping(&ctx, Arc::new(keys))?;
    let level = params.bootstrap().map_or(0, |boot| boot.input_level());
    let x = Ciphertext::uncomputed(&ctx, level, slots)?;
    out.program("bootstrap", &recorder, || Ok(eval.bootstrap(&x).map(drop)?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let to = BufWriter::new(std::io::stdout().lock());
    let mut out = Output { to, arithmetic: Arithmetic::F64 };
    writeln!(out.to, "{}", gpus())?;
    for arithmetic in Arithmetic::ALL {
        out.arithmetic = arithmetic;
        kernels(&mut out)?;
        if ![Arithmetic::U64Below50, Arithmetic::U64Below61, Arithmetic::U64Below48].contains(&arithmetic) {
            matrices(&mut out)?;
        }
        if [Arithmetic::F64, Arithmetic::U64Below50].contains(&arithmetic) {
            operations(&mut out)?;
            heaan(&mut out)?;
        }
        if [48, 50].contains(&arithmetic.bits()) {
            bootstrap(&mut out)?;
        }
    }
    Ok(())
}
