//! Whether the backend computes rightly: the suite of all backends, and the scheme's bytes against the processor's.

use std::sync::Arc;
use std::time::Instant;

use ringjet::rng::Seed;
use ringjet::{Context, Evaluator, KeyRequest, ParamSpec, Parameters, Plaintext, SecretKey};
use ringjet_backend::Backend;
use ringjet_backend::conformance::{self, BigShape, Chain, Options};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::CudaBackend;
use ringjet_math::fft::Complex64;
use serde_json::json;

use crate::Result;

/// Residues, key switches and big coefficients in rings of these degrees; the reference is slow, so that in larger ones only
/// the first are tried.
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

/// Prints what was compared, a line for each part. The first part alone where not `full`: it launches every kernel.
pub fn conformance(backend: &CudaBackend, full: bool) -> Result<()> {
    let mut parts = vec![("every kernel", options(vec![4, 10], true, true))];
    if full {
        parts.push(("the whole suite, small rings", Options { log_ns: vec![3, 4, 5], ..Options::default() }));
        parts.push(("rings to 2^11", options(vec![8, 9, 11], true, false)));
        for (name, log_n) in [("N = 2^13", 13), ("N = 2^14", 14), ("N = 2^15", 15), ("N = 2^16", 16), ("N = 2^17", 17)]
        {
            parts.push((name, options(vec![log_n], false, false)));
        }
    }
    for (name, options) in parts {
        let start = Instant::now();
        let report = conformance::run(backend, &options)?;
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("conformance: {name}: {report}, {seconds:.1} s");
        println!("{}", json!({"part": name, "checks": report.checks, "words": report.words, "seconds": seconds}));
    }
    Ok(())
}

/// Parameters at full size, or of the same shape in a small ring.
pub fn parameters(full: bool) -> Result<Parameters> {
    if full {
        return Ok(ringjet::preset("n16-depth24")?);
    }
    Ok(Parameters::new(&ParamSpec::uniform(11, 50, 3, 40, 2).allow_insecure())?)
}

/// An evaluator with keys for products and rotations by one, and two ciphertexts at the top level.
pub fn client(
    params: &Parameters,
    backend: Arc<dyn Backend>,
) -> Result<(Context, Evaluator, [ringjet::Ciphertext; 2])> {
    let ctx = Context::new(params, backend);
    let seed = Seed::from_bytes([7; 32]);
    let secret = SecretKey::from_seed(params, &seed.derive(b"s", 0));
    let request = KeyRequest::rotations([1]);
    let keys = secret.evaluation_keys(&ctx, &request, &seed.derive(b"e", 0), |_, _| true)?;
    let eval = Evaluator::new(&ctx, Arc::new(keys))?;
    let top = params.top_level();
    let encrypted = |number: u64| -> Result<_> {
        let value = |i: usize| Complex64 { re: (i as f64 + number as f64).sin(), im: (i as f64).cos() };
        let values: Vec<Complex64> = (0..params.max_slots()).map(value).collect();
        let plain = Plaintext::encode(&ctx, &values, top, params.scale(top), params.log_n() - 1)?;
        Ok(secret.encrypt(&ctx, &plain, &seed.derive(b"c", number))?)
    };
    let inputs = [encrypted(1)?, encrypted(2)?];
    Ok((ctx, eval, inputs))
}

/// A product, its rotation and their sum: all bytes.
fn bytes(params: &Parameters, backend: Arc<dyn Backend>) -> Result<Vec<Vec<u8>>> {
    let (ctx, eval, [x, y]) = client(params, backend)?;
    let product = eval.mul_relin_rescale(&x, &y)?;
    let turned = eval.rotate(&product, 1)?;
    let sum = eval.add(&product, &turned)?;
    [x, product, turned, sum].iter().map(|c| Ok(c.to_bytes(&ctx)?)).collect()
}

/// Fails where keys, ciphertexts or results differ in a byte from the processor's.
pub fn scheme(backend: Arc<CudaBackend>, full: bool) -> Result<()> {
    let params = parameters(full)?;
    let found = bytes(&params, backend)?;
    eprintln!("scheme: computed, now by the processor");
    let expected = bytes(&params, Arc::new(CpuBackend::new(CpuConfig { threads: 0, path: None })?))?;
    for (name, (found, expected)) in ["input", "product", "rotation", "sum"].iter().zip(found.iter().zip(&expected)) {
        if found != expected {
            let at = found.iter().zip(expected).position(|(a, b)| a != b);
            return Err(format!("the {name} differs from the processor's at byte {at:?} of {}", expected.len()).into());
        }
    }
    let compared: usize = expected.iter().map(Vec::len).sum();
    println!("{}", json!({"log_n": params.log_n(), "bytes_compared": compared, "equal": true}));
    Ok(())
}
