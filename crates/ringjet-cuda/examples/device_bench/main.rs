//! Checks and measures a real GPU in one run, step by step. `bench/gpu/device.sh` calls it on the
//! machine.
//!
//!     device_bench --backend cuda|cuda-emulated --out FILE [--part kernels|programs] [--seconds 560]    every step of a
//!                                                                             part, each in its own process
//!     device_bench open|conformance|scheme|times --backend ... [--full]       one of them
//!
//! With the emulator it does the same at small sizes and marks its output as emulated: none of
//! those figures is a GPU's.

mod check;
#[path = "../../tests/integration/own/mod.rs"]
mod own;
#[path = "../../tests/integration/program/mod.rs"]
mod program;
mod steps;
#[path = "../../tests/integration/textbook/mod.rs"]
mod textbook;
mod times;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use ringjet_cuda::{CudaBackend, EMULATED};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The command line.
struct Args {
    /// The step to run; all of them if it is absent.
    step: Option<String>,
    emulated: bool,
    full: bool,
    part: steps::Part,
    out: PathBuf,
    budget: Duration,
}

impl Args {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let mut args = Self {
            step: None,
            emulated: false,
            full: false,
            part: steps::Part::Kernels,
            out: "device.json".into(),
            budget: Duration::from_secs(560),
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "open" | "conformance" | "scheme" | "times" => args.step = Some(word),
                "--full" => args.full = true,
                "--part" => args.part = steps::Part::named(&value()?)?,
                "--out" => args.out = value()?.into(),
                "--seconds" => args.budget = Duration::try_from_secs_f64(value()?.parse()?)?,
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

    fn backend_name(&self) -> &'static str {
        if self.emulated { EMULATED } else { "cuda" }
    }

    fn backend(&self) -> Result<CudaBackend> {
        Ok(if self.emulated { CudaBackend::emulated() } else { CudaBackend::open(0)? })
    }
}

fn run() -> Result<()> {
    let args = Args::parse(std::env::args().skip(1))?;
    match args.step.as_deref() {
        Some("open") => times::open(&args),
        Some("conformance") => check::conformance(&args),
        Some("scheme") => check::scheme(&args),
        Some(_) => times::run(&args),
        None => steps::run(&args),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("device_bench: {e}");
            ExitCode::FAILURE
        }
    }
}
