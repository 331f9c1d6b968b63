//! Checks that a GPU computes correctly: runs the conformance suite, and compares the scheme's
//! bytes with the processor's.

use std::sync::Arc;
use std::time::Instant;

use ringjet::{Parameters, heaan};
use ringjet_backend::conformance::{self, BigShape, Chain, Options};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::{Arithmetic, CudaBackend};
use serde_json::{Value, json};

use crate::own::own;
use crate::{Args, Result, program, textbook};

/// Options of the suite for rings of these degrees. `switches` adds key switches and `bigs` big
/// coefficients. The reference backend is slow, so large rings leave them out.
fn options(log_ns: Vec<u32>, switches: bool, bigs: bool) -> Options {
    let chain = Chain { p: vec![60, 50], q: vec![60, 50, 40], alpha: 2 };
    let big = BigShape { bits: [60, 120], shift: 60, prime: 50, most_log_n: 17 };
    Options {
        log_ns,
        seed: 2,
        bases: vec![vec![50, 61]],
        chains: if switches { vec![chain] } else { vec![] },
        bigs: if bigs { vec![big] } else { vec![] },
    }
}

/// Runs parts of the conformance suite, prints a line for each, and goes on after a part that
/// fails. Without `full`, the parts launch every entry point: the arithmetics that the library
/// chooses by itself, and each arithmetic in a small ring, in rows, and in tiles of columns. With
/// `full`, they are the remaining parts, the longest last.
pub fn conformance(args: &Args) -> Result<()> {
    let full = args.full;
    let mut failed = vec![];
    let mut part = |name: String, run: &dyn Fn() -> Result<Value>| {
        let start = Instant::now();
        let (key, result) = match run() {
            Ok(compared) => ("compared", compared),
            Err(e) => ("failed", e.to_string().into()),
        };
        let line = json!({"part": name, "seconds": start.elapsed().as_secs_f64(), key: result});
        eprintln!("{line}");
        println!("{line}");
        if key == "failed" {
            failed.push(name);
        }
    };
    let mut backend = args.backend()?;
    if !full {
        part("as chosen".into(), &|| suite(&backend, &options(vec![4, 10], true, true)));
    }
    for a in Arithmetic::ALL {
        backend = backend.with_arithmetic(a);
        let own = |log_ns| own(a, log_ns);
        let log_ns = if full { 3..=17 } else { 12..=13 };
        part(format!("{a}, transforms of 2^{} to 2^{}", log_ns.start(), log_ns.end()), &|| {
            let words = log_ns.clone().map(|log_n| textbook::transforms(&backend, a, log_n)).sum::<Result<usize>>()?;
            Ok(json!({"words": words}))
        });
        // One basis, and no chain of 20 primes: the reference backend is slow, and so is every
        // launch under compute-sanitizer.
        let short = |options: Options| Options {
            bases: options.bases[..1].to_vec(),
            chains: options.chains[1..].to_vec(),
            ..options
        };
        if full {
            part(format!("{a}, long sums"), &|| suite(&backend, &own(vec![5])));
            part(format!("{a}, rings to 2^13"), &|| suite(&backend, &short(own(vec![8, 11, 13]))));
        } else {
            part(format!("{a}, rings of 2^5 and 2^10"), &|| suite(&backend, &short(own(vec![5, 10]))));
        }
    }
    drop(backend);
    if full {
        let backend = args.backend()?; // this backend chooses its arithmetics itself
        let small = Options { log_ns: vec![3, 4, 5], ..Options::default() };
        part("the whole suite, small rings".into(), &|| suite(&backend, &small));
        part("rings to 2^11".into(), &|| suite(&backend, &options(vec![8, 9, 11], true, false)));
        for log_n in 13..=17 {
            part(format!("N = 2^{log_n}"), &|| suite(&backend, &options(vec![log_n], false, false)));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("wrong: {}", failed.join("; ")).into()) }
}

fn suite(backend: &CudaBackend, options: &Options) -> Result<Value> {
    let report = conformance::run(backend, options)?;
    Ok(json!({"checks": report.checks, "words": report.words}))
}

/// Parameters of full size, or of the same shape in a small ring.
pub fn parameters(full: bool) -> Result<Parameters> {
    if full { Ok(ringjet::preset("n16-depth24")?) } else { program::parameters(11, 50) }
}

/// Parameters of HEAAN, of full size or of the same shape in a small ring.
pub fn heaan_parameters(full: bool) -> Result<heaan::Parameters> {
    Ok(if full {
        heaan::preset("heaan-n16-q1200")?
    } else {
        heaan::Parameters::new(&heaan::ParamSpec::new(11, 400).allow_insecure())?
    })
}

/// Fails if keys, ciphertexts or results of CKKS or of HEAAN differ in any byte from those of the
/// processor.
pub fn scheme(args: &Args) -> Result<()> {
    let (params, heaan) = (parameters(args.full)?, heaan_parameters(args.full)?);
    let cpu = || -> Result<_> { Ok(Arc::new(CpuBackend::new(CpuConfig { threads: 0, path: None })?)) };
    let found = program::bytes(&params, Arc::new(args.backend()?))?;
    eprintln!("scheme: computed, now by the processor");
    let names = ["input", "product", "rotation", "sum"];
    compare("CKKS", params.log_n(), &names, &found, &program::bytes(&params, cpu()?)?)?;
    let found = program::heaan_bytes(&heaan, false, Arc::new(args.backend()?))?;
    let names = ["product", "square", "rotation", "conjugate"];
    compare("HEAAN", heaan.log_n(), &names, &found, &program::heaan_bytes(&heaan, false, cpu()?)?)
}

fn compare(scheme: &str, log_n: u32, names: &[&str], found: &[Vec<u8>], expected: &[Vec<u8>]) -> Result<()> {
    for (name, (found, expected)) in names.iter().zip(found.iter().zip(expected)) {
        if found != expected {
            let at = found.iter().zip(expected).position(|(a, b)| a != b);
            let length = expected.len();
            return Err(format!("{scheme}: the {name} differs from the processor's at byte {at:?} of {length}").into());
        }
    }
    let compared: usize = expected.iter().map(Vec::len).sum();
    println!("{}", json!({"scheme": scheme, "log_n": log_n, "bytes_compared": compared, "equal": true}));
    Ok(())
}
