//! Measures how long the library's operations take on the device, by the host's clock.

use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::{Context, Evaluator, KeyPlan, Parameters, Plaintext, SecretKey, heaan as big};
use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan, Domain};
use ringjet_backend::{Backend, Buf, Gemm, MAX_WEIGHT, View, ViewMut};
use ringjet_cuda::predict::Gpu;
use ringjet_cuda::{Arithmetic, CudaBackend, Times};
use ringjet_math::fft::Complex64;
use ringjet_math::{Basis, prime};
use serde_json::json;

use crate::program::{self, HeaanClient};
use crate::sample::{print, summary, time};
use crate::{Args, Result, SMALL_LOG_N};

/// Samples of each operation on a GPU.
const SAMPLES: usize = 15;
/// The steps of the hoisted rotations.
const STEPS: [i64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// Sizes of the backend's own operations. Limbs have 50 bits.
struct Sizes {
    log_n: u32,
    limbs: usize,
    /// Source and target limbs of a base conversion.
    from: usize,
    to: usize,
    samples: usize,
}

/// Measures the backend's own operations in each arithmetic, then those of CKKS.
pub fn run(args: &Args) -> Result<()> {
    let samples = args.count(SAMPLES, 1);
    let sizes = if args.full {
        Sizes { log_n: 16, limbs: 48, from: 8, to: 32, samples }
    } else {
        Sizes { log_n: SMALL_LOG_N, limbs: 3, from: 2, to: 3, samples }
    };
    let mut backend = args.backend()?;
    for a in Arithmetic::ALL {
        backend = backend.with_arithmetic(a);
        ring(&backend, a, &sizes)?;
    }
    let matrices: &[_] = if args.full { &[(12, 128, 784), (12, 1024, 1024)] } else { &[(SMALL_LOG_N, 9, 20)] };
    for a in [Arithmetic::F64, Arithmetic::F64Below48, Arithmetic::U32] {
        backend = backend.with_arithmetic(a);
        for &(log_n, rows, columns) in matrices {
            matrix(&backend, a, log_n, [rows, columns], samples)?;
        }
    }
    drop(backend);
    let params = if args.full { ringjet::preset("n16-depth24")? } else { program::parameters(SMALL_LOG_N, 50)? };
    ckks(Arc::new(args.backend()?), &params, samples) // this backend chooses its arithmetics itself
}

/// Measures operations on ciphertexts at the top level.
fn ckks(backend: Arc<CudaBackend>, params: &Parameters, samples: usize) -> Result<()> {
    let ctx = Context::new(params, backend.clone());
    let seed = Seed::from_bytes([7; 32]);
    let secret = SecretKey::from_seed(params, &seed.derive(b"s", 0))?;
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::rotations(STEPS), &seed.derive(b"e", 0), |_, _| true)?;
    let eval = Evaluator::new(&ctx, Arc::new(keys))?;
    let top = params.top_level();
    let values = vec![Complex64 { re: 0.5, im: 0.25 }; params.max_slots()];
    let plain = Plaintext::encode(&ctx, &values, top, params.scale(top), params.log_n() - 1)?;
    let x = secret.encrypt(&ctx, &plain, &seed.derive(b"c", 0))?;
    let shape = format!("log N = {}, {} + {} limbs", params.log_n(), params.q().len(), params.p().len());
    type Operation<'a> = (&'a str, Box<dyn Fn() -> Result<()> + 'a>);
    let operations: [Operation; 5] = [
        ("multiply", Box::new(|| Ok(eval.mul_relin_rescale(&x, &x).map(drop)?))),
        ("rotate", Box::new(|| Ok(eval.rotate(&x, 1).map(drop)?))),
        ("8 hoisted rotations", Box::new(|| Ok(eval.rotate_hoisted(&x, &STEPS).map(drop)?))),
        ("rescale", Box::new(|| Ok(eval.rescale(&x).map(drop)?))),
        ("add", Box::new(|| Ok(eval.add(&x, &x).map(drop)?))),
    ];
    for (name, run) in &operations {
        time(name, &shape, &*backend, samples, run)?;
    }
    for (name, run) in &operations {
        launches(name, &shape, &backend, samples, run)?;
    }
    Ok(())
}

/// Prints the time of each launch of an operation, by events.
fn launches(
    name: &str,
    shape: &str,
    backend: &CudaBackend,
    samples: usize,
    mut run: impl FnMut() -> Result<()>,
) -> Result<()> {
    backend.record_times(Some(Times::Launches))?;
    let mut all = vec![];
    for _ in 0..samples {
        run()?;
        all.push(backend.take_times()?);
    }
    backend.record_times(None)?;
    for (number, first) in all[0].iter().enumerate() {
        let us = all.iter().filter_map(|spans| spans.get(number)).map(|span| span.end - span.begin).collect();
        let grid =
            first.grid.map(|grid| json!({"blocks": grid.blocks, "threads": grid.threads, "shared": grid.shared}));
        print(&json!({
            "name": "launch", "operation": name, "shape": shape, "number": number, "kernel": first.name, "grid": grid,
            "us": summary(us),
        }));
    }
    Ok(())
}

/// Measures how long calls of the driver take that do next to nothing.
pub fn latency(args: &Args) -> Result<()> {
    let found = args.backend()?.latencies()?;
    print(&json!({
        "name": "latency", "launch_and_wait_us": found.launch_and_wait, "launch_us": found.launch,
        "launch_of_graph_us": found.launch_of_graph, "allocation_us": found.allocation,
        "kept_allocation_us": found.kept_allocation,
    }));
    Ok(())
}

/// Measures products and rotations of HEAAN at three moduli.
pub fn heaan(args: &Args) -> Result<()> {
    let backend = Arc::new(args.backend()?);
    let params = if args.full {
        big::preset("heaan-n16-q1200")?
    } else {
        big::Parameters::new(&big::ParamSpec::new(SMALL_LOG_N, 400).allow_insecure())?
    };
    let client = HeaanClient::new(&params, &KeyPlan::rotations([1]), backend.clone())?;
    let (eval, b, samples) = (&client.eval, &*backend, args.count(SAMPLES, 1));
    for log_q in [params.log_q(), params.log_q() / 2, params.log_q() / 4] {
        let (x, y) = (client.encrypted(1, log_q, params.log_p())?, client.encrypted(2, log_q, params.log_p())?);
        let shape = format!("log N = {}, log q = {log_q}", params.log_n());
        time("HEAAN multiply", &shape, b, samples, || Ok(eval.mul(&x, &y).map(drop)?))?;
        time("HEAAN square", &shape, b, samples, || Ok(eval.square(&x).map(drop)?))?;
        time("HEAAN rotate", &shape, b, samples, || Ok(eval.rotate(&x, 1).map(drop)?))?;
        time("HEAAN rescale", &shape, b, samples, || Ok(eval.rescale(&x, params.log_p()).map(drop)?))?;
    }
    Ok(())
}

/// Measures the backend's own operations in one arithmetic, with the largest primes that it can
/// use. Primes below 50 bits get more limbs, so that the total number of bits is the same. Primes
/// above 50 bits get as many limbs as primes of 50 bits.
fn ring(backend: &CudaBackend, a: Arithmetic, sizes: &Sizes) -> Result<()> {
    let count = |limbs: usize| (50 * limbs).div_ceil(a.bits().min(50) as usize);
    let (n, limbs, from, to) = (1usize << sizes.log_n, count(sizes.limbs), count(sizes.from), count(sizes.to));
    let primes = prime::ntt_primes(sizes.log_n, a.bits(), limbs.max(from + to), &[])?;
    let basis = Basis::new(sizes.log_n, &primes[..limbs])?;
    let filled = || -> Result<Buf> {
        let mut buf = backend.alloc(limbs, n)?;
        for (i, q) in basis.values().enumerate() {
            let words: Vec<u64> = (0..n as u64).map(|j| (j * j * 0x9e37_79b9 + i as u64) % q).collect();
            backend.upload(&mut buf, i, &words)?;
        }
        Ok(buf)
    };
    let (mut x, y, mut z) = (filled()?, filled()?, backend.alloc(limbs, n)?);
    let ring = format!("{a}, primes of {} bits, log N = {}", a.bits(), sizes.log_n);
    let shape = format!("{ring}, {limbs} limbs");
    let s = sizes.samples;
    time("NTT", &shape, backend, s, || Ok(backend.ntt(x.view_mut(1), &basis)?))?;
    time("inverse NTT", &shape, backend, s, || Ok(backend.intt(x.view_mut(1), &basis)?))?;
    time("product", &shape, backend, s, || Ok(backend.mul(z.view_mut(1), x.view(1), y.view(1), &basis, false)?))?;
    time("copy", &shape, backend, s, || Ok(backend.copy(z.view_mut(1), x.view(1))?))?;
    let turn = AutomorphismPlan::new(sizes.log_n, 5, Domain::Evaluation);
    time("automorphism", &shape, backend, s, || Ok(backend.automorphism(z.view_mut(1), x.view(1), &basis, &turn)?))?;
    let source = Basis::new(sizes.log_n, &primes[..from])?;
    let target = Basis::new(sizes.log_n, &primes[from..from + to])?;
    let plan = BaseConversionPlan::new(&source, &target);
    let mut out = backend.alloc(to, n)?;
    let shape = format!("{ring}, {from} limbs to {to}");
    time("base conversion", &shape, backend, s, || {
        Ok(backend.base_convert(out.view_mut(1), x.view(1).range(0, from), &plan)?)
    })?;
    Ok(())
}

/// Measures a product of a matrix, whose weights have 24 bits, with ciphertexts of two limbs.
fn matrix(backend: &CudaBackend, a: Arithmetic, log_n: u32, [rows, columns]: [usize; 2], samples: usize) -> Result<()> {
    const LIMBS: usize = 2;
    let primes = prime::ntt_primes(log_n, a.bits(), LIMBS, &[])?;
    let basis = Basis::new(log_n, &primes)?;
    let pair = |seed: u64| -> Result<Buf> {
        let mut buf = backend.alloc(2 * LIMBS, basis.n())?;
        for limb in 0..2 * LIMBS {
            let q = primes[limb % LIMBS];
            let words: Vec<u64> =
                (0..basis.n() as u64).map(|j| (j * j * 0x9e37_79b9 + seed + limb as u64) % q).collect();
            backend.upload(&mut buf, limb, &words)?;
        }
        Ok(buf)
    };
    let sources = (0..columns as u64).map(pair).collect::<Result<Vec<_>>>()?;
    let mut results = (0..rows as u64).map(pair).collect::<Result<Vec<_>>>()?;
    let weight = |i: usize| (i as i32).wrapping_mul(0x9e37_79b1u32 as i32) % MAX_WEIGHT;
    let weights: Vec<i32> = (0..rows * columns).map(weight).collect();
    let src: Vec<View<'_>> = sources.iter().map(|buf| buf.view(2)).collect();
    let gemm = Gemm { src: &src, weights: &weights, factors: &vec![3; rows * LIMBS], constants: &[] };
    let shape = format!("{a}, primes of {} bits, log N = {log_n}, {LIMBS} limbs, {rows} x {columns}", a.bits());
    let mut run = || {
        let mut dst: Vec<ViewMut<'_>> = results.iter_mut().map(|buf| buf.view_mut(2)).collect();
        Ok(backend.gemm(&mut dst, &gemm, &basis, false)?)
    };
    let seconds = time("matrix product", &shape, backend, samples, &mut run)?;
    let products = (rows * columns * 2 * LIMBS * basis.n()) as f64 / seconds;
    // a product is two multiply-adds; the other operations in double precision do not count
    let part = 2.0 * products / Gpu::H200.fp64_rate();
    print(&json!({
        "name": "rate of a matrix product", "shape": shape, "products_per_second": products,
        "part_of_fp64_peak": part, "peak_of": Gpu::H200.name,
    }));
    launches("matrix product", &shape, backend, samples, run)
}
