//! Checks that a GPU opens and that its kernels compute what the reference computes.

use std::time::Instant;

use ringjet_backend::conformance::{self, Chain, Options};
use ringjet_cuda::Arithmetic;
use serde_json::json;

use crate::sample::print;
use crate::suite::options_for;
use crate::{Args, Result, textbook};

/// The smallest ring whose transforms have columns.
const COLUMNS: u32 = 10;

/// Describes the device and measures how long opening it takes, its self-test included.
pub fn open(args: &Args) -> Result<()> {
    if !args.emulated {
        let gpu = ringjet_cuda::discover(0)?;
        print(&json!({
            "device": gpu.name, "capability": format!("{}.{}", gpu.capability.0, gpu.capability.1),
            "bytes": gpu.bytes, "driver": gpu.driver, "kernels_by": gpu.compiler.to_string(),
        }));
    }
    let start = Instant::now();
    args.backend()?;
    print(&json!({"name": "opened", "seconds": start.elapsed().as_secs_f64()}));
    Ok(())
}

/// Compares the operations in one ring with the reference's, in one arithmetic or in each.
pub fn conformance(args: &Args) -> Result<()> {
    let mut backend = args.backend()?;
    for a in Arithmetic::ALL.into_iter().filter(|&a| args.arithmetic.is_none_or(|wanted| wanted == a)) {
        backend = backend.with_arithmetic(a);
        let start = Instant::now();
        let words = textbook::transforms(&backend, a, args.log_n)?;
        // One basis, and no chain of 20 primes: the reference backend is slow. The emulator is slower, so
        // in rings with columns it only has the shortest chain.
        let all = options_for(a, vec![args.log_n]);
        let mut options = Options { bases: all.bases[..1].to_vec(), chains: all.chains[1..].to_vec(), ..all };
        if args.emulated && args.log_n >= COLUMNS {
            let chain = Chain { p: vec![a.bits()], q: vec![a.bits()], alpha: 1 };
            options = Options { bases: vec![vec![a.bits()]], chains: vec![chain], bigs: vec![], ..options };
        }
        let report = conformance::run(&backend, &options).map_err(|e| format!("{a}, N = 2^{}: {e}", args.log_n))?;
        print(&json!({
            "name": "conformance", "arithmetic": a.to_string(), "log_n": args.log_n, "checks": report.checks,
            "words": words as u64 + report.words as u64, "seconds": start.elapsed().as_secs_f64(),
        }));
    }
    Ok(())
}
