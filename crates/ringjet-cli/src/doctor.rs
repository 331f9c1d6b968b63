//! `ringjet doctor`.

use std::sync::Arc;
use std::time::Instant;

use ringjet::params::ModulusSpec;
use ringjet::rng::Seed;
use ringjet::{KeyPlan, ParamSpec, Parameters, bgv, preset};
use ringjet_backend::conformance::{self, Options};
use ringjet_backend::{Backend, Width};

use crate::Result;
use crate::backend::{self, PathChoice};
use crate::client::{Client, product, rotated};
use crate::{system, text};

/// Which hardware is used, why a path is off, and whether all results are right.
#[derive(clap::Args)]
pub struct Args {
    /// Check larger rings and every path of this machine, not only the one in use
    #[arg(long)]
    full: bool,
    /// Threads; 0: one a core
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// Prints the report; exit status 1 when a check fails.
pub fn run(args: &Args) -> Result<u8> {
    let threads = if args.threads == 0 { system::cores() } else { args.threads };
    machine(threads);
    let paths =
        [PathChoice::Ifma, PathChoice::Avx512, PathChoice::Fma, PathChoice::Scalar].map(|p| (p, backend::why_off(p)));
    let used = backend::open(threads, PathChoice::Auto, Width::Eight)?;
    println!("\npaths (in use: {})", used.id().name());
    for (path, state) in &paths {
        line(&path.to_string(), &state.as_ref().map_or("available".into(), |why| format!("off: {why}")));
    }
    line("cuda", &gpu());
    if let Some(figure) = huge_pages(&*used)? {
        line("huge pages in use", &figure);
    }
    println!("\nchecks");
    let mut ok = true;
    let mut check = |what: &str, result: Result<String>| match result {
        Ok(figure) => line(what, &format!("ok: {figure}")),
        Err(e) => {
            ok = false;
            line(what, &format!("WRONG: {e}"));
        }
    };
    let chosen = if args.full {
        let cuda = (PathChoice::Cuda, backend::why_off(PathChoice::Cuda));
        paths.iter().chain([&cuda]).filter(|(_, off)| off.is_none()).map(|&(p, _)| p).collect()
    } else {
        vec![PathChoice::Auto]
    };
    for path in chosen {
        check(&format!("{path}: conformance"), conformance(threads, path, args.full));
        check(&format!("{path}: encrypted"), encrypted(threads, path, args.full));
        check(&format!("{path}: integers"), integers(threads, path, args.full));
    }
    println!();
    if ok {
        println!("everything checked is right");
        return Ok(0);
    }
    println!("something is wrong: the path marked WRONG must not be used; switch it off (see above) and report it");
    Ok(1)
}

fn line(what: &str, value: &str) {
    println!("  {what:22}{value}");
}

fn machine(threads: usize) {
    println!("ringjet {}", env!("CARGO_PKG_VERSION"));
    println!("\nmachine");
    line("processor", system::cpu_model().as_deref().unwrap_or("unknown"));
    line("threads", &format!("{threads} of {} cores", system::cores()));
    if let Some((total, available)) = system::memory() {
        line("memory", &format!("{}, {} available", text::bytes(total), text::bytes(available)));
    }
    let policy = match system::huge_page_policy().as_deref() {
        Some("always") => "given to every large buffer".into(),
        Some("madvise") => "given to buffers that ask for them; ringjet does".into(),
        Some("never") => "off: large rings run slower; the administrator can allow them (madvise)".into(),
        other => format!("policy {}", other.unwrap_or("not known on this system")),
    };
    line("huge pages", &policy);
    let list = |wanted: bool| {
        let names: Vec<_> = system::features().iter().filter(|f| f.1 == wanted).map(|f| f.0).collect();
        if names.is_empty() { "none".into() } else { names.join(" ") }
    };
    line("CPU features", &list(true));
    if !system::features().is_empty() {
        line("features missing", &list(false));
    }
}

/// The first GPU, or why no GPU can be used.
fn gpu() -> String {
    match ringjet_cuda::discover(0) {
        Ok(gpu) => {
            let ((major, minor), memory) = (gpu.capability, text::bytes(gpu.bytes as u64));
            let driver = format!("CUDA {}.{}", gpu.driver / 1000, gpu.driver % 1000 / 10);
            format!(
                "available, never by itself: {}, sm_{major}{minor}, {memory}, driver for {driver}, kernels by {}",
                gpu.name, gpu.compiler
            )
        }
        Err(why) => format!("off: {why}"),
    }
}

/// How much of a buffer of 64 MiB lies on huge pages.
fn huge_pages(backend: &dyn Backend) -> Result<Option<String>> {
    const LIMBS: usize = 64;
    const WORDS: usize = 1 << 17;
    let before = system::huge_page_bytes();
    let mut buf = backend.alloc(LIMBS, WORDS)?;
    let zeros = vec![0; WORDS];
    for i in 0..LIMBS {
        backend.upload(&mut buf, i, &zeros)?;
    }
    let (Some(before), Some(after)) = (before, system::huge_page_bytes()) else { return Ok(None) };
    let huge = after.saturating_sub(before).min(8 * (LIMBS * WORDS) as u64);
    Ok(Some(format!("{} of a buffer of {}", text::bytes(huge), text::bytes(8 * (LIMBS * WORDS) as u64))))
}

/// Runs the conformance suite: results equal textbook arithmetic bit for bit, fused and unfused.
fn conformance(threads: usize, path: PathChoice, full: bool) -> Result<String> {
    let start = Instant::now();
    let log_ns = if full { vec![3, 4, 5, 8, 10, 11] } else { vec![5, 8] };
    let backend = backend::open(threads, path, Width::Eight)?;
    let report = conformance::run(&*backend, &Options { log_ns, ..Options::default() })?;
    Ok(format!("{report}, {:.1} s", start.elapsed().as_secs_f64()))
}

/// Encrypts, multiplies, rotates, decrypts, and compares with the computation in the clear.
fn encrypted(threads: usize, path: PathChoice, full: bool) -> Result<String> {
    let start = Instant::now();
    // small and secure
    let small = ParamSpec { p: ModulusSpec::Bits(vec![46]), ..ParamSpec::uniform(13, 46, 2, 34, 1) };
    let params = if full { preset("n15-depth9")? } else { Parameters::new(&small)? };
    let backend = backend::open(threads, path, Width::of(params.extended()))?;
    let c = Client::new(&params, backend, &KeyPlan::rotations([1]))?;
    let public = c.public_key()?.encrypt(&c.ctx, &c.plain[0], &c.next_seed())?;
    let [v, w] = &c.values;
    let mut worst = c.check(&public, v)?;
    let multiplied = c.eval.mul_relin_rescale(&public, &c.ct[1])?;
    worst = worst.max(c.check(&multiplied, &product(v, w))?);
    let turned = c.eval.rotate(&multiplied, 1)?;
    worst = worst.max(c.check(&turned, &rotated(&product(v, w), 1))?);
    Ok(format!(
        "{} bits of precision after multiplication and rotation at N = 2^{}, {:.1} s",
        (-worst.log2()).floor(),
        params.log_n(),
        start.elapsed().as_secs_f64()
    ))
}

/// The same for integers modulo t, whose results are exact.
fn integers(threads: usize, path: PathChoice, full: bool) -> Result<String> {
    let start = Instant::now();
    let params = bgv::preset(if full { "bgv-n14" } else { "bgv-n12" })?;
    let ctx = bgv::Context::new(&params, backend::open(threads, path, Width::Eight)?);
    let secret = bgv::SecretKey::generate(&params)?;
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::rotations([1]), &Seed::from_os()?, |_, _| true)?;
    let eval = bgv::Evaluator::new(&ctx, Arc::new(keys))?;
    let (t, n) = (params.t() as i64, params.slots());
    let values: Vec<i64> = (0..n as i64).map(|i| (i * i + 7 * i) % t - t / 2).collect();
    let plain = bgv::Plaintext::encode(&ctx, &values, params.top_level())?;
    let x = secret.encrypt(&ctx, &plain, &Seed::from_os()?)?;
    let turned = eval.rotate(&eval.mul_auto(&x, &x)?, 1)?;
    let square = |v: i64| (v * v + t / 2).rem_euclid(t) - t / 2;
    // both rows are rotated
    let want = |i: usize| square(values[i / (n / 2) * (n / 2) + (i + 1) % (n / 2)]);
    let got = secret.decrypt_integers(&ctx, &turned)?;
    if let Some(i) = (0..n).find(|&i| got[i] != want(i)) {
        return Err(format!("slot {i} holds {} instead of {}", got[i], want(i)).into());
    }
    let (log_n, seconds) = (params.log_n(), start.elapsed().as_secs_f64());
    Ok(format!("exact modulo {t} after multiplication and rotation at N = 2^{log_n}, {seconds:.1} s"))
}
