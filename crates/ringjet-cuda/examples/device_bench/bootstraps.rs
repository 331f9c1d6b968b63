//! Times bootstraps: without a wait in between, by phase, two at once, and without one optimisation.
//! Keys and inputs have fixed seeds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use ringjet::params::bootstrap_chain;
use ringjet::rng::Seed;
use ringjet::{Bootstrapper, Ciphertext, Context, EvaluationKeys, Parameters, Plaintext, SecretKey};
use ringjet_backend::{Backend, Width};
use ringjet_cuda::{CudaBackend, Times};
use ringjet_math::fft::Complex64;
use ringjet_papers::fusion::{Fusion, PartlyFused};
use ringjet_papers::orders::{BabySteps, Evaluator, Hoisting, Order};
use serde_json::{Value, json};

use crate::sample::{print, summary};
use crate::{Args, Result};

/// A result with fewer bits of precision than this is wrong.
const LEAST_BITS: f64 = 5.0;

/// An order of computation, and the operations that stay fused.
#[derive(Clone, Copy)]
struct Program {
    /// What it leaves out.
    without: &'static str,
    order: Order,
    fusion: Fusion,
}

const LIBRARY: Program = Program { without: "", order: Order::LIBRARY, fusion: Fusion::ALL };

/// Bootstraps without some optimisations. The fusions are those of de Castro et al. (ePrint 2021/1636),
/// each with those above it; the orders are those that Jung et al. (ePrint 2021/508) call batching and
/// hoisting.
fn ablations() -> [Program; 9] {
    // a diagonal without repetitions would have to be expanded on the host
    let whole = Order { compressed_diagonals: false, ..Order::LIBRARY };
    let fusion = |without, order, fusion| Program { without, order, fusion };
    let order = |without, order| Program { without, order, fusion: Fusion::ALL };
    let separate = Fusion { key_switches: false, mod_up: false, divisions: false, ..Fusion::ALL };
    let none = Order {
        merged_rescaling: false,
        batched_products: false,
        hoisting: Hoisting::None,
        baby_steps: BabySteps::Fewest,
        ..whole
    };
    [
        fusion("rotation sums", whole, Fusion { rotation_sums: false, ..Fusion::ALL }),
        fusion("fused key switches", Order::LIBRARY, Fusion { key_switches: false, ..Fusion::ALL }),
        fusion("fused conversions", Order::LIBRARY, separate),
        order("hoisting", Order { hoisting: Hoisting::None, ..Order::LIBRARY }),
        order("delayed divisions", Order { hoisting: Hoisting::Single, ..Order::LIBRARY }),
        order("sums of products", Order { batched_products: false, ..Order::LIBRARY }),
        fusion("fused inner products", whole, Fusion { rotation_sums: false, inner_products: false, ..separate }),
        fusion("any fusion", whole, Fusion::NONE),
        fusion("all of these", none, Fusion::NONE),
    ]
}

/// The parameters of the preset; without `--full`, a small ring with the preset's levels.
fn parameters(args: &Args) -> Result<Parameters> {
    if args.full {
        return Ok(ringjet::preset(&args.preset)?);
    }
    let chain = bootstrap_chain(&args.preset).ok_or_else(|| format!("{} does not bootstrap", args.preset))?;
    Ok(Parameters::new(&chain.shrunk(args.log_n)?.generate()?.0.allow_insecure())?)
}

/// A server that bootstraps, and what its client needs to check results.
struct Rig {
    backend: Arc<CudaBackend>,
    ctx: Context,
    secret: SecretKey,
    keys: Arc<EvaluationKeys>,
    eval: Evaluator,
    boot: Bootstrapper,
    values: Vec<Complex64>,
    input: Ciphertext,
}

impl Rig {
    fn new(args: &Args, params: &Parameters, program: Program) -> Result<Self> {
        let backend = Arc::new(args.backend()?.with_width(Width::of(params.extended())));
        Self::with(params, backend, program, None)
    }

    /// `keys`: those of another rig with the same backend.
    fn with(
        params: &Parameters,
        backend: Arc<CudaBackend>,
        program: Program,
        keys: Option<Arc<EvaluationKeys>>,
    ) -> Result<Self> {
        let fused = program.fusion == Fusion::ALL;
        let used: Arc<dyn Backend> =
            if fused { backend.clone() } else { Arc::new(PartlyFused::new(backend.clone(), program.fusion)) };
        let ctx = Context::new(params, used);
        let (seed, log_slots) = (Seed::from_bytes([5; 32]), params.log_n() - 1);
        let secret = SecretKey::from_seed(params, &seed.derive(b"s", 0))?;
        let keys = match keys {
            Some(keys) => keys,
            None => {
                let plan = program.order.key_plan(params, log_slots)?;
                Arc::new(secret.evaluation_keys(&ctx, &plan, &seed.derive(b"e", 0), |_, _| true)?)
            }
        };
        let eval = Evaluator::new(ringjet::Evaluator::new(&ctx, keys.clone())?, program.order);
        let boot = program.order.bootstrapper(&ctx, log_slots, |_, _| true)?;
        let value = |i: usize| Complex64 { re: (i as f64).sin(), im: (1.3 * i as f64).cos() } * 0.7;
        let values: Vec<Complex64> = (0..params.max_slots()).map(value).collect();
        let level = params.bootstrap().map_or(0, |boot| boot.input_level());
        let plain = Plaintext::encode(&ctx, &values, level, params.scale(level), log_slots)?;
        let input = secret.encrypt(&ctx, &plain, &seed.derive(b"c", 0))?;
        Ok(Self { backend, ctx, secret, keys, eval, boot, values, input })
    }

    fn bootstrap(&self) -> Result<Ciphertext> {
        Ok(self.boot.bootstrap_observed(&self.eval, &self.input, false, |_| true)?)
    }

    /// Levels, bits and secret of a bootstrap, without which its time says nothing. Refuses a wrong result.
    fn about(&self, args: &Args) -> Result<Value> {
        let params = self.ctx.params();
        let circuit = params.bootstrap().ok_or("these parameters do not bootstrap")?;
        let out = self.bootstrap()?;
        let found = self.secret.decrypt_values(&self.ctx, &out)?.0;
        let errors = found.iter().zip(&self.values).map(|(a, b)| (a.re - b.re).abs().max((a.im - b.im).abs()));
        let bits = -errors.fold(0f64, f64::max).log2();
        if bits.is_nan() || bits < LEAST_BITS {
            return Err(format!("a wrong bootstrap: {bits:.2} bits of precision").into());
        }
        Ok(json!({
            "preset": args.preset, "log_n": params.log_n(), "slots": params.max_slots(),
            "levels_left": out.level() - circuit.input_level(), "bits": bits,
            "scale_log2": out.scale().log2(), "secret": "uniform ternary",
            "ephemeral_secret_weight": circuit.secret_weight, "key_bytes": self.keys.memory_bytes(),
        }))
    }

    /// Seconds of each of `count` bootstraps, each of which is waited for at its end only.
    fn times(&self, count: usize) -> Result<Vec<f64>> {
        let one = || {
            let start = Instant::now();
            self.bootstrap()?;
            self.backend.sync()?;
            Ok(start.elapsed().as_secs_f64())
        };
        (0..count).map(|_| one()).collect()
    }
}

/// Prints a line with what the bootstrap is, and its times.
fn line(name: &str, about: &Value, figures: Value) {
    let mut all = json!({"name": name, "about": about});
    if let (Some(all), Value::Object(figures)) = (all.as_object_mut(), figures) {
        all.extend(figures);
    }
    print(&all);
}

/// Times whole bootstraps, then their phases, then the kernels of one.
pub fn run(args: &Args) -> Result<()> {
    let params = parameters(args)?;
    let start = Instant::now();
    let rig = Rig::new(args, &params, LIBRARY)?;
    let setup = start.elapsed().as_secs_f64();
    let about = rig.about(args)?;
    rig.times(args.count(2, 0))?; // the second call makes the graphs
    line("bootstrap", &about, json!({"setup_seconds": setup, "seconds": summary(rig.times(args.count(20, 1))?)}));
    phases(&rig, &about, args.count(3, 1))?;
    kernels(&rig, &about)
}

/// Times the phases of a bootstrap by events, without a wait in between.
fn phases(rig: &Rig, about: &Value, count: usize) -> Result<()> {
    let mut samples: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    rig.backend.record_times(Some(Times::Scopes))?;
    for _ in 0..count {
        rig.bootstrap()?;
        let mut all: BTreeMap<&str, f64> = BTreeMap::new();
        rig.backend.take_times()?.iter().for_each(|span| *all.entry(span.name).or_default() += span.end - span.begin);
        all.into_iter().for_each(|(phase, us)| samples.entry(phase).or_default().push(us * 1e-6));
    }
    rig.backend.record_times(None)?;
    for (phase, seconds) in samples {
        line("phase of a bootstrap", about, json!({"phase": phase, "seconds_of_the_device": summary(seconds)}));
    }
    Ok(())
}

/// Times each launch of a bootstrap by events, and adds them up for each kernel.
fn kernels(rig: &Rig, about: &Value) -> Result<()> {
    rig.backend.record_times(Some(Times::Launches))?;
    rig.bootstrap()?;
    let mut all: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for span in rig.backend.take_times()? {
        let (launches, us) = all.entry(span.name).or_default();
        (*launches, *us) = (*launches + 1, *us + span.end - span.begin);
    }
    rig.backend.record_times(None)?;
    for (kernel, (launches, us)) in all {
        line(
            "kernel in a bootstrap",
            about,
            json!({"kernel": format!("ringjet_{kernel}"), "launches": launches, "us": us}),
        );
    }
    Ok(())
}

/// Times two bootstraps at once, each in a thread and on a queue of its own.
pub fn two(args: &Args) -> Result<()> {
    let params = parameters(args)?;
    let made = || Rig::new(args, &params, LIBRARY).map_err(|e| e.to_string());
    let join = |thread: thread::ScopedJoinHandle<'_, std::result::Result<Rig, String>>| {
        thread.join().unwrap_or_else(|_| Err("a thread panicked".into()))
    };
    let rigs = thread::scope(|scope| [scope.spawn(made), scope.spawn(made)].map(join));
    let [one, other] = rigs;
    let (one, other) = (one?, other?);
    let about = one.about(args)?;
    other.about(args)?;
    let count = args.count(20, 1);
    let alone = one.times(count)?;
    let start = Instant::now();
    thread::scope(|scope| {
        let threads = [&one, &other].map(|rig| scope.spawn(|| rig.times(count).map(drop).map_err(|e| e.to_string())));
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|_| Err("a thread panicked".into())))
    })?;
    let each = start.elapsed().as_secs_f64() / (2 * count) as f64;
    line("two bootstraps at once", &about, json!({"seconds_alone": summary(alone), "seconds_each": each}));
    Ok(())
}

/// Times bootstraps without one optimisation, all with the same keys where they can have the same.
pub fn without(args: &Args) -> Result<()> {
    let params = parameters(args)?;
    let first = Rig::new(args, &params, LIBRARY)?;
    let log_slots = params.log_n() - 1;
    let plan = LIBRARY.order.key_plan(&params, log_slots)?;
    let programs = [LIBRARY].into_iter().chain(ablations()).take(args.count(10, 2));
    for program in programs {
        let same = program.order.key_plan(&params, log_slots)? == plan;
        let keys = same.then(|| first.keys.clone());
        let rig = Rig::with(&params, first.backend.clone(), program, keys)?;
        let about = rig.about(args)?;
        rig.times(args.count(1, 0))?;
        let seconds = summary(rig.times(args.count(5, 1))?);
        line("bootstrap", &about, json!({"without": program.without, "seconds": seconds}));
    }
    Ok(())
}

/// One bootstrap, for a profiler.
pub fn profiled(args: &Args) -> Result<()> {
    let rig = Rig::new(args, &parameters(args)?, LIBRARY)?;
    rig.bootstrap()?;
    Ok(rig.backend.sync()?)
}
