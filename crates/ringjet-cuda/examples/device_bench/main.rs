//! The checks and measurements of `bench/gpu/first.sh`, each a step of its own.
//!
//!     device_bench STEP --backend cuda|cuda-emulated [--full] [--preset NAME] [--log-n N] [--arithmetic NAME]
//!
//! Without `--full` the rings are small. The emulator does the same steps; its times are not a GPU's.
//! Ends with 0, 1 for a wrong word or another error, 2 if the device cannot be opened.

mod bootstraps;
mod check;
mod operations;
#[allow(dead_code, reason = "only the parameters and clients are used here")]
#[path = "../../tests/integration/program/mod.rs"]
mod program;
mod sample;
#[path = "../../tests/integration/suite/mod.rs"]
mod suite;
#[path = "../../tests/integration/textbook/mod.rs"]
mod textbook;

use std::error::Error;
use std::process::ExitCode;

use ringjet_cuda::{Arithmetic, CudaBackend, EMULATED, Unavailable};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Degree of small rings: the smallest whose transforms have columns and several rows.
const SMALL_LOG_N: u32 = 11;

/// The command line.
struct Args {
    step: String,
    emulated: bool,
    /// Full size instead of small rings.
    full: bool,
    preset: String,
    /// Degree of small rings and of the suite's ring.
    log_n: u32,
    arithmetic: Option<Arithmetic>,
}

impl Args {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let step = words.next().ok_or("the first word is a step: see examples/device_bench/main.rs")?;
        let mut args = Self {
            step,
            emulated: false,
            full: false,
            preset: "n16-boot".into(),
            log_n: SMALL_LOG_N,
            arithmetic: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--full" => args.full = true,
                "--preset" => args.preset = value()?,
                "--log-n" => args.log_n = value()?.parse()?,
                "--arithmetic" => args.arithmetic = Some(value()?.parse()?),
                "--backend" => {
                    let name = value()?;
                    args.emulated = name == EMULATED;
                    if !args.emulated && name != "cuda" {
                        return Err(format!("--backend {name}: there are cuda and {EMULATED}").into());
                    }
                }
                _ => return Err(format!("{word}: see the first lines of examples/device_bench/main.rs").into()),
            }
        }
        Ok(args)
    }

    fn backend(&self) -> Result<CudaBackend> {
        Ok(if self.emulated { CudaBackend::open_emulated()? } else { CudaBackend::open(0)? })
    }

    /// `count` on a GPU, `emulated` on the emulator, which is slow and whose times mean nothing.
    fn count(&self, count: usize, emulated: usize) -> usize {
        if self.emulated { emulated } else { count }
    }
}

fn run(args: &Args) -> Result<()> {
    match args.step.as_str() {
        "open" => check::open(args),
        "conformance" => check::conformance(args),
        "operations" => operations::run(args),
        "latency" => operations::latency(args),
        "heaan" => operations::heaan(args),
        "bootstrap" => bootstraps::run(args),
        "two" => bootstraps::two(args),
        "without" => bootstraps::without(args),
        "profiled" => bootstraps::profiled(args),
        step => Err(format!("{step}: no such step").into()),
    }
}

/// Whether the device could not be opened for another reason than a wrong result of its self-test.
fn unopened(e: &(dyn Error + 'static)) -> bool {
    e.downcast_ref::<Unavailable>().is_some_and(|why| !matches!(why, Unavailable::Wrong { .. }))
}

fn main() -> ExitCode {
    let done = Args::parse(std::env::args().skip(1)).and_then(|args| run(&args));
    let Err(e) = done else { return ExitCode::SUCCESS };
    eprintln!("device_bench: {e}");
    ExitCode::from(if unopened(&*e) { 2 } else { 1 })
}
