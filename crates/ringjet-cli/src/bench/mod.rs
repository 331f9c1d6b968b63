//! `ringjet bench`.

mod bgv;
mod bootstrap;
mod chain;
mod floor;
mod heaan;
pub mod measure;
mod precision;
mod program;
mod report;
pub mod work;

use std::sync::Arc;

use ringjet::{KeyPlan, dynamic};
use ringjet_backend::{Backend, Width};

use crate::Result;
use crate::backend::{self, PathChoice};
use crate::boot::warn_insecure;
use crate::client::{Client, product, rotated};
use crate::system;
use crate::text::Form;
use chain::{Chain, ChainArgs};
use measure::{Budget, Summary};
use report::Record;
use work::{BENCHES, Rig};

/// Time operations. Results are checked before they are timed.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct Args {
    /// Benches to run, from the list below. `all` runs every timed one, `sizes` gives bytes of keys
    /// and peak memory, `precision` gives errors over --reps seeds. `bootstrap`, with a preset,
    /// runs alone; so do the benches of HEAAN, all of which `heaan` runs, and those of BGV and BFV,
    /// which `bgv` and `bfv` run
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    chain: ChainArgs,
    /// Threads; 0: one a core
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seconds of measuring for each bench, on average
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Samples of each bench, instead of a time [default of `bootstrap`: 3]
    #[arg(long, conflicts_with = "seconds")]
    reps: Option<usize>,
    /// Measure the time on processors, of all threads together, instead of the time that passes: for a
    /// machine that is not idle
    #[arg(long)]
    processor_time: bool,
    /// The kernels to use
    #[arg(long, value_enum, default_value_t = PathChoice::Auto)]
    path: PathChoice,
    /// `bootstrap`, `bgv_*`, `bfv_*`: the preset [default of `bgv_*` and `bfv_*`: bgv-n13]
    #[arg(long)]
    preset: Option<String>,
    #[command(flatten)]
    bootstrap: Option<bootstrap::BootstrapArgs>,
    #[command(flatten)]
    heaan: Option<heaan::HeaanArgs>,
    #[command(flatten)]
    bgv: Option<bgv::BgvArgs>,
    /// With --json: print each sample too, in order of time. Not for HEAAN, BGV, BFV or bootstrap
    #[arg(long, requires = "json")]
    samples: bool,
    #[command(flatten)]
    form: Form,
}

fn after_help() -> String {
    let benches = || BENCHES.into_iter().chain(heaan::benches()).chain(bgv::benches()).chain([program::BENCH]);
    let width = benches().map(|(n, _)| n.len()).max().unwrap_or(0);
    let lines = benches().map(|(name, what)| format!("  {name:width$}  {what}\n"));
    let records = "--csv of bootstrap has the times alone; --json also has a record of the levels, keys and errors";
    format!("Benches:\n{}\n{records}", lines.collect::<String>())
}

pub fn run(args: &Args) -> Result<()> {
    expect_names(&args.names)?;
    let has = |name: &str| args.names.iter().any(|asked| asked == name);
    let (heaan, bgv, bootstrap) = (heaan::selected(&args.names), bgv::selected(&args.names), has("bootstrap"));
    let wanted = |&name: &&str| has(name) || has("all") && name != work::MEMORY;
    let names: Vec<_> = BENCHES.iter().map(|&(name, _)| name).filter(wanted).collect();
    if args.reps == Some(0) || args.seconds.is_nan() || args.seconds <= 0.0 {
        return Err("--reps and --seconds must be positive".into());
    }
    if args.samples && (bootstrap || !heaan.is_empty() || !bgv.is_empty()) {
        return Err("--samples is an option of the benches of CKKS, without bootstrap".into());
    }
    if args.form.is_csv() && has("precision") && args.names.len() > 1 {
        return Err("--csv prints one kind of record, and those of precision are another: run precision alone".into());
    }
    if args.processor_time {
        measure::use_processor_time()?;
    }
    let threads = if args.threads == 0 { system::cores() } else { args.threads };
    if bootstrap {
        // alone, because peak memory is that of the whole process
        let own = args.bootstrap.clone().unwrap_or_default();
        let own = (&own, args.preset.as_deref());
        #[cfg(feature = "papers")]
        if own.0.ladder {
            return bootstrap::ladder::run(own, args.path, threads, args.reps.unwrap_or(3), args.form);
        }
        return bootstrap::run(own, args.path, threads, args.reps.unwrap_or(3), args.form);
    }
    let backend = backend::open(threads, args.path, Width::Eight)?;
    if args.bootstrap.is_some() {
        return Err(
            "options of the bench bootstrap, such as --parameters and --log-n-override, are for that bench alone"
                .into(),
        );
    }
    if args.heaan.is_some() && heaan.is_empty() {
        return Err("--log-q, --log-p and --log-q-current are options of the benches heaan_*".into());
    }
    if args.bgv.is_some() && bgv.is_empty() {
        return Err(
            "--t, --q-bits, --p-bits, --alpha, --levels and --level are options of the benches bgv_* and bfv_*".into(),
        );
    }
    if args.preset.is_some() && bgv.is_empty() {
        return Err("--preset is an option of the benches bootstrap, bgv_* and bfv_*".into());
    }
    let budget = args.reps.map_or(Budget::Seconds(args.seconds), Budget::Reps);
    if has(program::NAME) {
        return program::run(backend, args.chain.log_n, threads, budget, args.form);
    }
    if !heaan.is_empty() {
        let own = args.heaan.clone().unwrap_or_default();
        let records = heaan::times(&own, (args.chain.log_n, &heaan), backend, threads, budget, args.form)?;
        return report::print(&records, args.form);
    }
    if !bgv.is_empty() {
        let (own, preset) = (args.bgv.clone().unwrap_or_default(), args.preset.as_deref());
        let records = bgv::times(&own, (preset, args.chain.log_n, &bgv), backend, threads, budget, args.form)?;
        return report::print(&records, args.form);
    }
    let chain = Chain::from_args(&args.chain)?;
    if args.form.is_table() {
        println!("{} on {}, {threads} thread(s)", chain.label(), backend.id().name());
    }
    let mut records = Vec::new();
    if !names.is_empty() {
        let mut client = None;
        if names.iter().any(|n| work::needs_client(n)) {
            let params = chain.parameters()?;
            warn_insecure(&params);
            client = Some(Client::new(&params, backend.clone(), &work::keys_for(&names))?);
        }
        let rig = Rig { chain, backend: backend.clone(), client, threads };
        records.extend(times(&names, rig, budget, args.samples)?);
    }
    if has("sizes") {
        records.extend(measure_sizes(&chain, backend.clone(), threads)?);
    }
    report::print(&records, args.form)?;
    if has("precision") {
        precision::run(&chain, backend, threads, args.reps.unwrap_or(5), args.form)?;
    }
    Ok(())
}

/// Refuses unknown names of benches, and benches that cannot run together.
fn expect_names(asked: &[String]) -> Result<()> {
    const OTHER: [&str; 7] = ["all", "sizes", "precision", "bootstrap", heaan::ALL, bgv::ALL[0], bgv::ALL[1]];
    let benches = BENCHES.into_iter().chain(heaan::benches()).chain(bgv::benches()).chain([program::BENCH]);
    let known: Vec<&str> = benches.map(|(name, _)| name).chain(OTHER).collect();
    if let Some(name) = asked.iter().find(|n| !known.contains(&n.as_str())) {
        return Err(format!("no bench is called {name:?}; there are {}", known.join(", ")).into());
    }
    if asked.iter().any(|a| a == "bootstrap") && asked.len() > 1 {
        return Err("bootstrap runs alone: its memory is that of the process".into());
    }
    if asked.iter().any(|a| a == program::NAME) && asked.len() > 1 {
        return Err("program runs alone: its parameters are its own".into());
    }
    if asked.iter().any(|a| a.starts_with(heaan::ALL)) && !asked.iter().all(|a| a.starts_with(heaan::ALL)) {
        return Err("benches of HEAAN run apart from the others: their parameters are others".into());
    }
    if asked.iter().any(|a| bgv::is_own(a)) && !asked.iter().all(|a| bgv::is_own(a)) {
        return Err("benches of BGV and BFV run apart from the others: their parameters are others".into());
    }
    Ok(())
}

fn times(names: &[&str], rig: Rig, budget: Budget, with_samples: bool) -> Result<Vec<Record>> {
    let mut bodies = measure::prepared(names, |name| work::prepare(name, &rig))?;
    let rate = floor::rate(&*rig.backend);
    let samples = measure::samples(&mut bodies, budget)?;
    let record = |(name, samples): (&&str, Vec<f64>)| {
        let client = rig.client.as_ref().filter(|_| work::needs_client(name));
        let insecure = client.is_some_and(|c| c.ctx.params().spec().allow_insecure);
        let mut r = blank(&rig.chain, &*rig.backend, rig.threads, insecure);
        (r.bench, r.figures) = ((*name).into(), Summary::of(&samples));
        if *name == work::MEMORY {
            r.params = "64 MiB a thread".into();
        } else if client.is_none() {
            r.params = format!("n{} l{} p{}", rig.chain.log_n, rig.limbs(name), rig.chain.prime_bits);
        }
        r.floor = rate.and_then(|rate| floor::floor_seconds(name, &rig.chain, rate)).map(|f| f / rig.threads as f64);
        r.peak_rss_bytes = if *name == "mul_relin_rescale" { system::peak_rss() } else { None };
        r.samples = if with_samples { samples } else { vec![] };
        r
    };
    Ok(names.iter().zip(samples).map(record).collect())
}

fn blank(chain: &Chain, backend: &dyn Backend, threads: usize, insecure: bool) -> Record {
    let (backend, params) = (format!("ringjet-{}", backend.id().name()), chain.label());
    Record { backend, params, threads, unit: "s", insecure, ..Record::default() }
}

/// Bytes of serialized keys and ciphertexts, and the peak memory with a relinearisation and a
/// rotation key: after key generation, and after a multiplication, a rescaling and a rotation.
fn measure_sizes(chain: &Chain, backend: Arc<dyn Backend>, threads: usize) -> Result<Vec<Record>> {
    let params = chain.parameters()?;
    warn_insecure(&params);
    let client = Client::new(&params, backend.clone(), &KeyPlan::rotations([1]))?;
    let setup = system::peak_rss();
    let ([a, b], [v, w], eval) = (&client.ct, &client.values, &client.eval);
    client.check(&eval.mul_relin_rescale(a, b)?, &product(v, w))?;
    client.check(&eval.rotate(a, 1)?, &rotated(v, 1))?;
    let ops = system::peak_rss();
    let (ctx, keys) = (&client.ctx, eval.keys());
    let s = dynamic::Parameters::from(params.clone()).sizes(&*backend)?;
    let public = client.public_key()?;
    let unseeded = public.encrypt(ctx, &client.plain[0], &client.next_seed())?;
    let written = |write: &dyn Fn(&mut Vec<u8>) -> ringjet::Result<()>| -> Result<u64> {
        let mut out = Vec::new();
        write(&mut out)?;
        Ok(out.len() as u64)
    };
    let figures = [
        ("relin_key_bytes", Some(written(&|out| keys.relinearization()?.write_to(ctx, out))?)),
        ("relin_key_memory_bytes", Some(s.switching_key_in_memory)),
        ("rotation_key_bytes", Some(written(&|out| keys.rotation(1)?.write_to(ctx, out))?)),
        ("rotation_key_memory_bytes", Some(s.switching_key_in_memory)),
        ("secret_key_bytes", Some(client.secret.to_secret_bytes().len() as u64)),
        ("public_key_bytes", Some(written(&|out| public.write_to(ctx, out))?)),
        ("public_key_memory_bytes", Some(s.public_key_in_memory)),
        ("ciphertext_bytes", Some(written(&|out| unseeded.write_to(ctx, out))?)),
        ("ciphertext_seeded_bytes", Some(written(&|out| a.write_to(ctx, out))?)),
        ("ciphertext_memory_bytes", Some(s.ciphertext_in_memory)),
        ("peak_rss_setup_bytes", setup),
        ("peak_rss_ops_bytes", ops),
    ];
    let blank = blank(chain, &*backend, threads, params.spec().allow_insecure);
    Ok(figures.iter().filter_map(|&(name, bytes)| Some(blank.size(name, bytes?))).collect())
}
