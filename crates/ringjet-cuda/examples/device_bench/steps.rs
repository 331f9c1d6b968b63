//! Runs every step in its own process, with its own time limit, so that a failure of one does not
//! affect the others. All results go to one file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::{Args, Result};

/// Most bytes that are kept of the output of a step that failed or has no results of its own, such as
/// a table of ncu.
const MOST_OUTPUT: usize = 24_000;

/// What is measured in one run: a machine is lent for ten minutes at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Kernels and single operations.
    Kernels,
    /// Bootstraps, with all fusions and without some.
    Programs,
}

impl Part {
    /// The part of this name.
    pub fn named(name: &str) -> Result<Self> {
        [Self::Kernels, Self::Programs]
            .into_iter()
            .find(|part| part.name() == name)
            .ok_or_else(|| format!("--part {name}: there are kernels and programs").into())
    }

    fn name(self) -> &'static str {
        if self == Self::Kernels { "kernels" } else { "programs" }
    }
}

/// The kernels that ncu looks at: conversions, products with keys, divisions, sums of rotations.
const PROFILED: &str = "regex:convert_columns|rows_product|rows_finish|rotate_sum";

/// What ncu measures of a launch: its time; the parts of the possible rates of instructions, of
/// memory and of the second-level cache that it reaches; and the part of the warps that are
/// resident.
const METRICS: &str = "gpu__time_duration.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed,\
                       dram__throughput.avg.pct_of_peak_sustained_elapsed,\
                       lts__throughput.avg.pct_of_peak_sustained_elapsed,\
                       sm__warps_active.avg.pct_of_peak_sustained_active";

/// Bootstraps: name, preset, and what they leave out. The second has residues of 6 bytes. Those after
/// it leave out the fusions, from the largest operations to the smallest, as each includes those
/// before it, and the orders of computation that Jung et al. ("Over 100x Faster Bootstrapping in
/// Fully Homomorphic Encryption through Memory-centric Optimization with GPUs", ePrint 2021/508)
/// call batching and hoisting.
const BOOTSTRAPS: [(&str, &str, &str); 11] = [
    ("bootstrap", "n16-boot", ""),
    ("bootstrap of n16-boot-48", "n16-boot-48", ""),
    ("bootstrap without rotation sums", "n16-boot", "rotation-sums"),
    ("bootstrap without fused key switches", "n16-boot", "reordering"),
    ("bootstrap without fused conversions", "n16-boot", "alpha-caching"),
    ("bootstrap without fused inner products", "n16-boot", "beta-caching"),
    ("bootstrap without any fusion", "n16-boot", "limb-caching"),
    ("bootstrap without sums of products", "n16-boot", "batched-products"),
    ("bootstrap without delayed divisions", "n16-boot", "hoisted-moddown"),
    ("bootstrap without hoisting", "n16-boot", "hoisted-modup"),
    ("bootstrap without all of these", "n16-boot", "all"),
];

struct Step {
    name: &'static str,
    /// Time limit in seconds.
    limit: u64,
    command: Vec<String>,
    environment: Vec<(&'static str, String)>,
}

impl Step {
    fn new(name: &'static str, limit: u64, command: &[&str]) -> Self {
        Self { name, limit, command: command.iter().map(|&w| w.to_owned()).collect(), environment: vec![] }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }
}

/// All steps, the most important first, in case the time runs out. `pack` is the folder of the
/// programs; compiled programs go to `scratch`.
fn steps(args: &Args, pack: &Path, scratch: &Path) -> Vec<Step> {
    let text = |path: PathBuf| path.display().to_string();
    let (own, ringjet) = (text(pack.join("device_bench")), text(pack.join("ringjet")));
    let (kernels, architecture) = (text(pack.join("kernels")), "-arch=sm_90");
    let backend = args.backend_name();
    let size: &[&str] = if args.emulated { &[] } else { &["--full"] };
    let ours = |name, limit, words: &[&str]| {
        let given: Vec<&str> = [&own, "--backend", backend].into_iter().chain(words.iter().copied()).collect();
        Step::new(name, limit, &given)
    };
    let nvcc = |name, file: &str| {
        let (from, to) = (text(pack.join(format!("{file}.cu"))), text(scratch.join(file)));
        Step::new(name, 120, &["nvcc", "-O3", "-std=c++17", architecture, "-I", &kernels, &from, "-o", &to])
    };
    let built = |name, file: &str| Step::new(name, 90, &[&text(scratch.join(file))]);
    let sanitizer = |name, tool: &str| {
        let watched =
            ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", &own, "conformance", "--backend", backend];
        Step::new(name, 120, &watched)
    };
    // The driver compiles the PTX once; its cache is a new, empty folder.
    let cache = text(scratch.join("compiled"));
    let portable = |step: Step| step.with("RINGJET_DISABLE_NVRTC", "1").with("CUDA_CACHE_PATH", &cache);
    let with_size = |words: &[&'static str]| [words, size].concat();
    if args.part == Part::Programs {
        let small: &[&str] = if args.emulated { &["--log-n-override", "9", "--reps", "1"] } else { &["--reps", "5"] };
        let bootstrap = |&(name, preset, without): &(&'static str, &str, &str)| {
            let common = ["bench", "bootstrap", "--preset", preset, "--inputs", "random", "--json", "--path", backend];
            let left_out: &[&str] = if without.is_empty() { &[] } else { &["--without", without] };
            Step::new(name, 180, &[&[ringjet.as_str()][..], &common, small, left_out].concat())
        };
        let heaan: &[&str] = if args.emulated { &["--log-n", "10", "--log-q", "300", "--seconds", "0.1"] } else { &[] };
        let heaan = [&[ringjet.as_str()][..], &["bench", "heaan", "--json", "--path", backend], heaan].concat();
        // not the first ones, which are on the few limbs of SlotsToCoeffs
        let profile: Vec<&str> = ["ncu", "--csv", "--page", "raw", "--metrics", METRICS, "--kernel-name", PROFILED]
            .into_iter()
            .chain(["--launch-skip", "60", "--launch-count", "60"])
            .chain([&*ringjet, "bench", "bootstrap", "--preset", "n16-boot", "--reps", "1", "--path", backend])
            .collect();
        return [ours("opened the first time", 180, &["open"])]
            .into_iter()
            .chain(BOOTSTRAPS.iter().map(bootstrap))
            .chain([Step::new("HEAAN", 120, &heaan)])
            .chain((!args.emulated).then(|| Step::new("ncu", 120, &profile)))
            .chain([Step::new(
                "nvidia-smi after all",
                20,
                &["nvidia-smi", "-q", "-d", "CLOCK,POWER,TEMPERATURE,PERFORMANCE"],
            )])
            .collect();
    }
    vec![
        Step::new("nvidia-smi", 20, &["nvidia-smi", "-q", "-d", "CLOCK,POWER,TEMPERATURE,ECC"]),
        Step::new("nvcc version", 10, &["nvcc", "--version"]),
        ours("opened the first time", 180, &["open"]),
        ours("opened again", 30, &["open"]),
        Step::new("doctor", 60, &[&ringjet, "doctor"]),
        ours("every kernel", 90, &["conformance"]),
        nvcc("ceilings: compiled", "ceilings"),
        built("ceilings", "ceilings"),
        ours("times", 120, &with_size(&["times"])),
        nvcc("chains: compiled", "chains"),
        built("chains", "chains"),
        nvcc("heaan004: compiled", "heaan004"),
        built("heaan004", "heaan004"),
        ours("scheme against the processor", 90, &with_size(&["scheme"])),
        portable(ours("opened from embedded PTX", 120, &["open"])),
        portable(ours("every kernel, from embedded PTX", 90, &["conformance"])),
        sanitizer("memcheck", "memcheck"),
        sanitizer("racecheck", "racecheck"),
        ours("conformance in full", 240, &with_size(&["conformance"])),
        Step::new("nvidia-smi after all", 20, &["nvidia-smi", "-q", "-d", "CLOCK,POWER,TEMPERATURE,PERFORMANCE"]),
    ]
}

/// Runs all steps and rewrites the file after each.
pub fn run(args: &Args) -> Result<()> {
    let start = Instant::now();
    let own = std::env::current_exe()?;
    let pack = own.parent().ok_or("this program is in no folder")?;
    let scratch = std::env::temp_dir().join(format!("ringjet-device-bench-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let at = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let packed = fs::read(pack.join("pack.json")).ok();
    let packed: Value = packed.and_then(|b| serde_json::from_slice(&b).ok()).unwrap_or_default();
    let (steps, mut done) = (steps(args, pack, &scratch), vec![]);
    let count = steps.len();
    for (i, step) in steps.into_iter().enumerate() {
        let left = args.budget.saturating_sub(start.elapsed()).as_secs();
        eprintln!("[{:3.0} s] {} of {count}: {}", start.elapsed().as_secs_f64(), i + 1, step.name);
        let result = result(&step, left.min(step.limit), pack, &scratch);
        eprintln!(
            "    {}, {:.1} s",
            result["outcome"].as_str().unwrap_or(""),
            result["seconds"].as_f64().unwrap_or(0.0)
        );
        done.push(result);
        let all = json!({
            "kind": "gpu", "part": args.part.name(), "backend": args.backend_name(), "emulated": args.emulated, "unix_time": at, "pack": packed,
            "seconds": start.elapsed().as_secs_f64(), "finished": done.len() == count, "steps": done,
        });
        let temporary = args.out.with_extension("part");
        fs::write(&temporary, serde_json::to_string_pretty(&all)? + "\n")?;
        fs::rename(&temporary, &args.out)?;
    }
    fs::remove_dir_all(&scratch)?;
    let failed: Vec<_> = done.iter().filter(|s| s["outcome"] != "ok").map(|s| s["name"].clone()).collect();
    eprintln!("{} of {count} steps ok; not: {}; {}", count - failed.len(), Value::from(failed), args.out.display());
    Ok(())
}

fn result(step: &Step, limit: u64, pack: &Path, scratch: &Path) -> Value {
    let start = Instant::now();
    // Replaces the machine's folders by fixed names.
    let [here, there] = [pack, scratch].map(|p| p.display().to_string());
    let anonymous = |text: &str| text.replace(&here, "PACK").replace(&there, "SCRATCH");
    let (outcome, output, errors) = if limit == 0 {
        ("no time left".into(), String::new(), String::new())
    } else {
        attempt(step, limit, scratch).unwrap_or_else(|e| (format!("not started: {e}"), String::new(), String::new()))
    };
    let results = parsed(&output);
    // Keeps the raw output if a step failed or its output has no results.
    let words = if outcome == "ok" && !results.is_null() { String::new() } else { output + &errors };
    let environment: Vec<_> = step.environment.iter().map(|(name, value)| (name, anonymous(value))).collect();
    let (command, said) = (anonymous(&step.command.join(" ")), anonymous(tail(&words)));
    json!({
        "name": step.name, "command": command, "limit_s": limit,
        "environment": environment, "seconds": start.elapsed().as_secs_f64(), "outcome": anonymous(&outcome),
        "results": results, "said": said,
    })
}

/// Runs a step. Returns how it ended, its standard output and its standard error.
fn attempt(step: &Step, limit: u64, scratch: &Path) -> Result<(String, String, String)> {
    let (out, errors) = (scratch.join("stdout"), scratch.join("stderr"));
    // `timeout` also ends all processes that the program started.
    let mut command = Command::new("timeout");
    command.arg("--kill-after=3").arg(limit.to_string()).args(&step.command);
    command
        .envs(step.environment.iter().map(|(name, value)| (name, value)))
        .stdout(File::create(&out)?)
        .stderr(File::create(&errors)?);
    let mut child = command.spawn()?;
    let mut told = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(20));
        if told.elapsed() > Duration::from_secs(10) {
            told = Instant::now();
            let words = fs::read(&errors).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
            eprintln!("    ... {}", words.lines().last().unwrap_or(""));
        }
    };
    let outcome = match status.code() {
        Some(0) => "ok".into(),
        Some(124 | 137) => format!("over its limit of {limit} s"),
        Some(127) => format!("{} is not installed", step.command[0]),
        Some(code) => format!("exit status {code}"),
        None => status.to_string(),
    };
    let read = |path| fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned());
    Ok((outcome, read(&out)?, read(&errors)?))
}

/// The output as one JSON object, or as the list of its lines that are objects. The list also works
/// for a program that was ended early.
fn parsed(output: &str) -> Value {
    if let Ok(value @ Value::Object(_)) = serde_json::from_str(output) {
        return value;
    }
    let lines = output.lines().filter_map(|l| serde_json::from_str(l.trim_end_matches(',')).ok());
    let objects: Vec<Value> = lines.filter(Value::is_object).collect();
    if objects.is_empty() { Value::Null } else { objects.into() }
}

fn tail(text: &str) -> &str {
    let mut start = text.len().saturating_sub(MOST_OUTPUT);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}
