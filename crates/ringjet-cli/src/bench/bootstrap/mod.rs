//! `ringjet bench bootstrap`: the time of each part, sizes, memory, and errors of the result.

mod info;
#[cfg(feature = "papers")]
pub mod ladder;
#[cfg(not(feature = "papers"))]
mod library;
#[cfg(feature = "papers")]
mod without;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

#[cfg(feature = "papers")]
use clap::ValueEnum;
use ringjet::circuits::Phase;
use ringjet::rng::Seed;
use ringjet::{Bootstrapper, Ciphertext, Context, KeyMemory, ParamSpec, Parameters, Plaintext, SecretKey};
use ringjet_backend::{Backend, Width};
use ringjet_math::fft::Complex64;
#[cfg(feature = "papers")]
use ringjet_papers::sets::{PAPER_NAMES, PaperSet, paper_set};
use serde_json::json;

use super::measure::{self, Summary};
use super::precision::{Histogram, SlotPrecision};
use super::report::Record;
use crate::backend::{self, PathChoice};
use crate::client::vector;
use crate::text::{self, Form};
use crate::{Result, boot, system};
use info::{BeforeAfter, Info};
#[cfg(not(feature = "papers"))]
use library::{Evaluator, Left};
#[cfg(feature = "papers")]
use without::{Evaluator, Left};

#[derive(Clone, Default, clap::Args)]
pub struct BootstrapArgs {
    #[cfg(feature = "papers")]
    /// `bootstrap`: a parameter set of the literature instead of a preset
    #[arg(long, value_name = "NAME", conflicts_with_all = ["preset", "parameters"])]
    paper: Option<String>,
    /// `bootstrap`: a parameter set of your own instead, as `ringjet params search --save` writes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["preset", "log_n_override"])]
    parameters: Option<PathBuf>,
    /// `bootstrap`: a smaller ring with the same levels, for quick tests: insecure, less precise
    #[arg(long, value_name = "LOG_N")]
    log_n_override: Option<u32>,
    /// `bootstrap`: the number of slots, a power of two; all slots by default
    #[arg(long, value_name = "SLOTS")]
    slots: Option<usize>,
    /// `bootstrap`: bootstrap real values, one ciphertext and two at once
    #[arg(long)]
    real: bool,
    /// `bootstrap`: how keys are stored; compressed ones take half the memory, and longer to use
    #[arg(long, value_parser = ["expanded", "compressed"])]
    key_memory: Option<String>,
    /// `bootstrap`: inputs whose precision is measured: all are random, constant, period256, onehot
    #[arg(long, value_parser = ["all", "random"])]
    inputs: Option<String>,
    /// `bootstrap`: number of further vectors of each kind of input, for the distribution of errors
    #[arg(long, default_value_t = 0)]
    runs: usize,
    #[cfg(feature = "papers")]
    /// `bootstrap`: an optimization to leave out; repeatable
    #[arg(long, value_enum, value_name = "OPTIMIZATION")]
    without: Vec<without::Optimization>,
    #[cfg(feature = "papers")]
    /// `bootstrap`: time the steps of Jung et al. (ePrint 2021/508) in turns, each with those before
    /// it, on one set of keys
    #[arg(long, conflicts_with_all = ["real", "inputs", "runs", "without"])]
    pub ladder: bool,
}

impl BootstrapArgs {
    fn parameters<'a>(&'a self, preset: Option<&'a str>) -> Result<(&'a str, Parameters)> {
        let insecure = |spec: ParamSpec| Parameters::new(&spec.allow_insecure());
        if let Some(path) = &self.parameters {
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or("params");
            let spec: ParamSpec = serde_json::from_str(&text::read(path)?).map_err(|e| text::at(path, e))?;
            return Ok((name, Parameters::new(&spec)?));
        }
        #[cfg(feature = "papers")]
        if let Some(name) = &self.paper {
            let set = paper_set(name)?;
            let Some(log_n) = self.log_n_override else { return Ok((name, boot::parameters(set.spec()?)?)) };
            let chain = set.chain.clone().shrunk(log_n)?;
            return Ok((name, insecure(PaperSet { chain, ..set }.spec()?)?));
        }
        match (preset, self.log_n_override) {
            (Some(name), None) => boot::chain(name).and_then(|_| Ok((name, ringjet::preset(name)?))),
            (Some(name), Some(log_n)) => Ok((name, insecure(boot::chain(name)?.shrunk(log_n)?.generate()?.0)?)),
            (None, _) => {
                let known = boot::names().collect::<Vec<_>>().join(", ");
                #[cfg(feature = "papers")]
                let (option, known) = (", --paper", format!("{known}; {}", PAPER_NAMES.join(", ")));
                #[cfg(not(feature = "papers"))]
                let option = "";
                Err(format!("bootstrap needs --preset{option} or --parameters: there are {known}; a file").into())
            }
        }
    }

    /// What the bench leaves out.
    fn left(&self) -> Left {
        #[cfg(feature = "papers")]
        return Left::without(&self.without);
        #[cfg(not(feature = "papers"))]
        Left
    }

    fn key_memory(&self) -> KeyMemory {
        let compressed = self.key_memory.as_deref() == Some("compressed");
        if compressed { KeyMemory::Compressed } else { KeyMemory::Expanded }
    }

    fn inputs(&self) -> &'static [&'static str] {
        const ALL: [&str; 4] = ["random", "constant", "period256", "onehot"];
        if self.inputs.as_deref() == Some("random") { &ALL[..1] } else { &ALL }
    }
}

const PARTS: [&str; 5] = ["bootstrap", "bootstrap_s2c", "bootstrap_modraise", "bootstrap_c2s", "bootstrap_evalmod"];
/// One product of two ciphertexts at every level between bootstraps.
const PRODUCTS: &str = "bootstrap_products";
/// Two ciphertexts of real values at once; all other benches take one.
const PAIR: &str = "bootstrap_pair";
/// A result with fewer bits of precision than this is wrong.
const LEAST_BITS: f64 = 5.0;

struct Rig {
    ctx: Context,
    secret: SecretKey,
    eval: Evaluator,
    boot: Bootstrapper,
    seed: Seed,
    real: bool,
}

/// The parameters, the backend, and what both say about the figures.
fn open(
    (args, preset): (&BootstrapArgs, Option<&str>),
    path: PathChoice,
    threads: usize,
) -> Result<(Parameters, Arc<dyn Backend>, Info)> {
    let (name, params) = args.parameters(preset)?;
    boot::warn_insecure(&params);
    let backend = backend::open(threads, path, Width::of(params.extended()))?;
    let mut info = Info::of(&params, name)?;
    #[cfg(feature = "papers")]
    {
        info.paper = args.paper.as_deref().map(|name| paper_set(name).map(|set| set.source)).transpose()?;
        info.without = args.without.iter().filter_map(|o| Some(o.to_possible_value()?.get_name().to_owned())).collect();
    }
    (info.backend, info.threads) = (format!("ringjet-{}", backend.id().name()), threads);
    (info.log_n_override, info.real) = (args.log_n_override.unwrap_or(0), args.real);
    info.slots = args.slots.unwrap_or(params.bootstrap().map_or(params.max_slots(), |boot| 1 << boot.most_log_slots()));
    if !info.slots.is_power_of_two() {
        return Err(format!("--slots {}: a power of two is needed", info.slots).into());
    }
    info.key_memory = format!("{:?}", args.key_memory()).to_lowercase();
    Ok((params, backend, info))
}

pub fn run(
    (args, preset): (&BootstrapArgs, Option<&str>),
    path: PathChoice,
    threads: usize,
    reps: usize,
    form: Form,
) -> Result<()> {
    let (params, backend, mut info) = open((args, preset), path, threads)?;
    let left = args.left();
    let ctx = Context::new(&params, left.backend(backend)).with_key_memory(args.key_memory());
    let rig = Rig::new(ctx, path, left, args.real, &mut info)?;

    // check results before they are timed; the first of these calls also takes the page faults
    let [first, others @ ..] = args.inputs() else { return Err("no inputs".into()) };
    let (ct, out) = rig.check(first, 0, &mut info)?;
    for (kind, number) in others.iter().zip(1..) {
        rig.check(kind, number, &mut info)?;
    }
    info.set_output(&params, &out);
    drop(out);
    let pair = if args.real { vec![ct.clone(), rig.check_pair(&ct)?] } else { vec![] };
    let mut samples = [const { Vec::new() }; PARTS.len()];
    let (mut products, mut pairs) = (Vec::new(), Vec::new());
    for _ in 0..reps {
        let (out, times) = rig.once(&ct)?;
        samples.iter_mut().zip(times).for_each(|(s, t)| s.push(t));
        products.push(rig.products(out, info.level_before)?);
        if args.real {
            pairs.push(rig.pair(&pair)?.1);
        }
    }
    info.peak_rss_bytes = system::peak_rss();
    let (backend, params) = (info.backend.clone(), info.params.clone());
    let blank = Record { backend, params, threads, unit: "s", insecure: info.insecure, ..Record::default() };
    let record = |(bench, samples): (&&str, &Vec<f64>)| Record {
        bench: (*bench).into(),
        figures: Summary::of(samples),
        ..blank.clone()
    };
    let names = PARTS.iter().chain([&PRODUCTS]).chain(args.real.then_some(&PAIR));
    let all: Vec<Record> = names.zip(samples.iter().chain([&products, &pairs])).map(record).collect();
    super::report::print(&all, form)?;
    info.print(form)?;
    if args.runs > 0 && !form.is_csv() {
        for (kind, first) in args.inputs().iter().zip((1u64..).map(|i| i << 32)) {
            rig.distribution(kind, first, args.runs, form)?;
        }
    }
    Ok(())
}

/// An input vector of the kind `kind`. `number` is the seed of the random kinds.
fn input(kind: &str, slots: usize, real: bool, number: u64) -> Vec<Complex64> {
    let random = vector(slots, number);
    let part = |z: Complex64| if real { Complex64::new(z.re, 0.0) } else { z };
    let value = |i: usize| match kind {
        "constant" => Complex64::new(0.7, 0.0),
        "period256" => part(random[i % slots.min(256)]),
        "onehot" => Complex64::new(f64::from(u8::from(i == 0)), 0.0),
        _ => part(random[i]),
    };
    (0..slots).map(value).collect()
}

/// Refuses keys of more than four fifths of the available memory, before minutes are spent on them. Keys
/// are in a GPU's memory if it computes.
fn enough_memory(keys: u64, path: PathChoice) -> Result<()> {
    let available = match path {
        PathChoice::Cuda => ringjet_cuda::discover(0).ok().map(|gpu| gpu.bytes as u64),
        _ => system::memory().map(|(_, available)| available),
    };
    match available {
        Some(available) if keys > available / 5 * 4 => {
            let (keys, available) = (text::bytes(keys), text::bytes(available));
            Err(format!("the keys take {keys} of memory, more than four fifths of the {available} available").into())
        }
        _ => Ok(()),
    }
}

/// Refuses the precision of a wrong result.
fn expect_right(what: &str, precision: SlotPrecision) -> Result<()> {
    let least = precision.complex.min_log2_precision;
    if least.is_nan() || least <= LEAST_BITS {
        return Err(format!("{what}: wrong result: {least:.2} bits").into());
    }
    Ok(())
}

impl Rig {
    fn new(ctx: Context, path: PathChoice, left: Left, real: bool, info: &mut Info) -> Result<Self> {
        let params = ctx.params();
        let (seed, log_slots) = (Seed::from_os()?, info.slots.ilog2());
        let secret = SecretKey::generate(params)?;
        let plan = left.key_plan(params, log_slots)?;
        let sizes = plan.sizes(params)?;
        info.key_bytes_at_rest = sizes.bytes_at_rest;
        let memory = match ctx.key_memory() {
            KeyMemory::Expanded => sizes.memory_bytes,
            KeyMemory::Compressed => sizes.compressed_memory_bytes,
        };
        enough_memory(memory, path)?;
        let start = Instant::now();
        let keys = secret.evaluation_keys(&ctx, &plan, &seed.derive(b"keys", 0), |_, _| true)?;
        ctx.backend().sync()?;
        info.keygen_s = start.elapsed().as_secs_f64();
        info.peak_rss_keygen_bytes = system::peak_rss();
        (info.keys, info.key_bytes) = (keys.len(), keys.memory_bytes() as u64);
        info.galois_keys = keys.keys().filter(|&(element, _)| element != 0).count();
        let eval = left.evaluator(ringjet::Evaluator::new(&ctx, Arc::new(keys))?);
        let start = Instant::now();
        let boot = left.bootstrapper(&ctx, log_slots)?;
        ctx.backend().sync()?;
        info.matrix_bytes = boot.matrix_bytes() as u64;
        info.setup_s = start.elapsed().as_secs_f64();
        info.peak_rss_setup_bytes = system::peak_rss();
        Ok(Self { ctx, secret, eval, boot, seed, real })
    }

    fn encrypt(&self, values: &[Complex64], number: u64) -> Result<Ciphertext> {
        let level = self.ctx.params().bootstrap().map_or(0, |b| b.input_level());
        let (scale, log_slots) = (self.ctx.params().scale(level), self.boot.log_slots());
        let plain = Plaintext::encode(&self.ctx, values, level, scale, log_slots)?;
        Ok(self.secret.encrypt(&self.ctx, &plain, &self.seed.derive(b"vector", number))?)
    }

    fn precision(&self, ct: &Ciphertext, want: &[Complex64]) -> Result<SlotPrecision> {
        Ok(SlotPrecision::of(&self.secret.decrypt_values(&self.ctx, ct)?.0, want))
    }

    /// Bootstraps two ciphertexts of real values at once. Returns the results and the seconds.
    fn pair(&self, pair: &[Ciphertext]) -> Result<(Vec<Ciphertext>, f64)> {
        let start = measure::now();
        let all: Vec<&Ciphertext> = pair.iter().collect();
        let out = self.boot.bootstrap_many(&self.eval, &all, true, |_| true)?;
        self.ctx.backend().sync()?;
        Ok((out, measure::now() - start))
    }

    /// Encrypts a second random vector, bootstraps it together with `first`, that of
    /// [`Self::check`], and refuses a wrong result.
    fn check_pair(&self, first: &Ciphertext) -> Result<Ciphertext> {
        let slots = 1 << self.boot.log_slots();
        let wanted = [1, 2].map(|number| input("random", slots, true, number));
        // a number that no encryption of `check` has
        let second = self.encrypt(&wanted[1], u64::MAX)?;
        let (out, _) = self.pair(&[first.clone(), second.clone()])?;
        for (ct, want) in out.iter().zip(&wanted) {
            expect_right("two at once", self.precision(ct, want)?)?;
        }
        Ok(second)
    }

    /// Encrypts and bootstraps an input of the kind `kind`, and refuses a wrong result.
    fn check(&self, kind: &'static str, number: u64, info: &mut Info) -> Result<(Ciphertext, Ciphertext)> {
        let want = &input(kind, 1 << self.boot.log_slots(), self.real, 1);
        let ct = self.encrypt(want, number)?;
        let out = self.once(&ct)?.0;
        let (before, after) = (self.precision(&ct, want)?, self.precision(&out, want)?);
        let (mean, least) = (after.real.mean_log2_precision, after.complex.min_log2_precision);
        eprintln!("check {kind:10} real part: mean {mean:.2} bits; least of all {least:.2} bits");
        expect_right(kind, after)?;
        info.precision.insert(kind, BeforeAfter { before, after });
        Ok((ct, out))
    }

    /// One bootstrap, and the seconds of each of [`PARTS`].
    fn once(&self, ct: &Ciphertext) -> Result<(Ciphertext, [f64; PARTS.len()])> {
        let mut times = [0.0; PARTS.len()];
        let start = measure::now();
        let (mut last, mut synced) = (start, Ok(()));
        let out = self.boot.bootstrap_observed(&self.eval, ct, self.real, |phase| {
            // wait for queued work, so that its time is in the phase that started it
            synced = std::mem::replace(&mut synced, Ok(())).and_then(|()| self.ctx.backend().sync());
            let part = match phase {
                Phase::SlotsToCoeffs => 1,
                Phase::ModRaise => 2,
                Phase::CoeffsToSlots => 3,
                Phase::EvalMod => 4,
            };
            let now = measure::now();
            times[part] += now - last;
            last = now;
            true
        })?;
        synced?;
        times[0] = measure::now() - start;
        Ok((out, times))
    }

    /// Seconds of one product at each level, from that of `x` down to `least + 1`.
    fn products(&self, mut x: Ciphertext, least: usize) -> Result<f64> {
        let start = measure::now();
        while x.level() > least {
            // only the time matters: small stated values keep the error bound below the modulus
            x = self.eval.mul_relin_rescale(&x, &x)?.with_magnitude(1e-3);
        }
        self.ctx.backend().sync()?;
        Ok(measure::now() - start)
    }

    /// The errors of `runs` vectors of a kind. If its vector is fixed, only the encryptions differ.
    fn distribution(&self, kind: &'static str, first: u64, runs: usize, form: Form) -> Result<()> {
        let mut histogram = Histogram::default();
        for run in 0..runs {
            let want = input(kind, 1 << self.boot.log_slots(), self.real, first + run as u64);
            let out = self.once(&self.encrypt(&want, first + run as u64)?)?.0;
            let got = self.secret.decrypt_values(&self.ctx, &out)?.0;
            let precision = SlotPrecision::of(&got, &want);
            histogram.add(&got, &want);
            if !form.is_table() {
                let (real, complex) = (precision.real, precision.complex);
                let (kind, bench, input) = ("run", "bootstrap_run", kind);
                form.print([
                    json!({ "kind": kind, "bench": bench, "input": input, "run": run, "real": real, "complex": complex }),
                ])?;
            } else {
                let (real, least) = (precision.real, precision.complex.min_log2_precision);
                println!("{kind} {run}: mean {:.2} bits, least of all {least:.2} bits", real.mean_log2_precision);
            }
        }
        if !form.is_table() {
            let Histogram { bin_bits, counts } = histogram;
            let (kind, bench, input) = ("histogram", "bootstrap_histogram", kind);
            return form.print([
                json!({ "kind": kind, "bench": bench, "input": input, "runs": runs, "bin_bits": bin_bits, "counts": counts }),
            ]);
        }
        let rows = histogram.counts.chunks(4).enumerate().filter(|(_, c)| c.iter().sum::<u64>() > 0);
        let row = |(i, c): (usize, &[u64])| vec![i.to_string(), c.iter().sum::<u64>().to_string()];
        text::print_table(&["bits", &format!("{kind}: real parts")], &rows.map(row).collect::<Vec<_>>());
        Ok(())
    }
}
