//! `ringjet digest`: hashes of the bytes that seeded programs compute, to compare backends and
//! machines.

mod programs;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use ringjet_backend::Width;
use serde::{Deserialize, Serialize};

use crate::backend::{self, PathChoice};
use crate::text::{at, print_json, read};
use crate::{Result, boot};
use programs::Program;

/// Hash the results of seeded programs. Every backend must compute the same bytes, so a machine
/// without a second backend can be compared with the hashes of another machine. The keys of these
/// programs are public: their seeds are in the source.
#[derive(clap::Args)]
pub struct Args {
    /// Programs to run [default: all]
    #[arg(value_enum, value_name = "PROGRAM")]
    programs: Vec<Program>,
    /// The kernels to use
    #[arg(long, value_enum, default_value_t = PathChoice::Auto)]
    path: PathChoice,
    /// Threads; 0: one a core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Short chains in a ring of degree 2^LOG_N instead of full size, for quick tests: insecure
    #[arg(long, value_name = "LOG_N", value_parser = clap::value_parser!(u32).range(9..=14))]
    log_n: Option<u32>,
    /// Output of an earlier run: fail if a result has another hash
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// `gradient-step`: how many further steps to time, without keys and inputs
    #[arg(long, default_value_t = 0)]
    repeat: usize,
}

/// The results of a program: a line of output.
#[derive(Debug, Serialize, Deserialize)]
struct Digest {
    program: Program,
    log_n: u32,
    /// What computed it.
    backend: String,
    seconds: f64,
    results: Vec<Hash>,
    /// Whether all hashes are those of the file given by `--expect`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    equal: Option<bool>,
    /// Seconds of each repetition, without keys and inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    repeated_seconds: Vec<f64>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Hash {
    name: String,
    bytes: usize,
    sha256: String,
}

/// Succeeds if all results have the hashes that were expected, or none were.
pub fn run(args: &Args) -> Result<u8> {
    let expected = args.expect.as_deref().map(digests).transpose()?;
    let all = if args.programs.is_empty() { Program::value_variants() } else { &args.programs[..] };
    let mut wrong = false;
    for &program in all {
        let mut digest = digest(program, args)?;
        if let Some(expected) = &expected {
            let same = |e: &&Digest| e.program == program && e.log_n == digest.log_n;
            let Some(want) = expected.iter().find(same) else {
                let log_n = digest.log_n;
                return Err(format!("the file has no hashes of {program} in a ring of 2^{log_n}").into());
            };
            for (found, want) in digest.results.iter().zip(&want.results).filter(|(found, want)| found != want) {
                eprintln!("{program}: {} has the hash {}, not {}", found.name, found.sha256, want.sha256);
            }
            let equal = digest.results == want.results;
            digest.equal = Some(equal);
            wrong |= !equal;
        }
        print_json([digest])?;
    }
    Ok(u8::from(wrong))
}

/// The digests of an earlier run.
fn digests(path: &Path) -> Result<Vec<Digest>> {
    let parsed: serde_json::Result<_> = read(path)?.lines().map(serde_json::from_str).collect();
    Ok(parsed.map_err(|e| at(path, e))?)
}

fn digest(program: Program, args: &Args) -> Result<Digest> {
    let start = Instant::now();
    let open = |width: Width| backend::open(args.threads, args.path, width);
    let done = program.run(&open, args.log_n, args.repeat)?;
    Ok(Digest {
        program,
        log_n: done.log_n,
        backend: done.backend,
        seconds: start.elapsed().as_secs_f64(),
        results: done.results.into_iter().map(|(name, bytes)| Hash::of(name, &bytes)).collect(),
        equal: None,
        repeated_seconds: done.seconds,
    })
}

impl Hash {
    fn of(name: &str, bytes: &[u8]) -> Self {
        use sha2::Digest as _;
        let hash = sha2::Sha256::digest(bytes);
        Self { name: name.into(), bytes: bytes.len(), sha256: hash.iter().map(|b| format!("{b:02x}")).collect() }
    }
}
