//! Measures how long the library's operations take on the device, by the host's clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ringjet::KeyPlan;
use ringjet_backend::plan::{AutomorphismPlan, BaseConversionPlan, Domain};
use ringjet_backend::{Backend, Buf};
use ringjet_cuda::{Arithmetic, CudaBackend};
use ringjet_math::{Basis, prime};
use serde_json::{Value, json};

use crate::{Args, Result, check, program};

/// A sample repeats a call until it takes about this long.
const SAMPLE: Duration = Duration::from_millis(20);

/// Sizes of the measured operations. Limbs have 50 bits.
struct Sizes {
    log_n: u32,
    limbs: usize,
    /// Source and target limbs of a base conversion.
    from: usize,
    to: usize,
    samples: usize,
}

/// Measures full sizes on a GPU, small ones on the emulator.
pub fn run(args: &Args) -> Result<()> {
    let sizes = if args.full {
        Sizes { log_n: 16, limbs: 48, from: 8, to: 32, samples: 15 }
    } else {
        Sizes { log_n: 11, limbs: 3, from: 2, to: 3, samples: 3 }
    };
    let mut backend = args.backend()?;
    for a in Arithmetic::ALL {
        backend = backend.with_arithmetic(a);
        ring(&backend, a, &sizes)?;
    }
    drop(backend);
    let backend = Arc::new(args.backend()?); // this backend chooses its arithmetics itself
    let params = check::parameters(args.full)?;
    let start = Instant::now();
    let (_, eval, [x, y]) = program::client(&params, backend.clone())?;
    let shape = format!("log N = {}, {} + {} limbs", params.log_n(), params.q().len(), params.p().len());
    print(json!({"name": "keys and two ciphertexts", "shape": shape, "seconds": start.elapsed().as_secs_f64()}));
    time("multiply: tensor, key switch, rescaling", &shape, &*backend, sizes.samples, || {
        Ok(eval.mul_relin_rescale(&x, &y).map(drop)?)
    })?;
    time("rotate: key switch, automorphism", &shape, &*backend, sizes.samples, || Ok(eval.rotate(&x, 1).map(drop)?))?;
    time("add", &shape, &*backend, sizes.samples, || Ok(eval.add(&x, &y).map(drop)?))?;
    drop((eval, x, y)); // their memory
    heaan(&backend, args.full, sizes.samples)
}

/// Measures products and rotations of HEAAN at three moduli.
fn heaan(backend: &Arc<CudaBackend>, full: bool, samples: usize) -> Result<()> {
    let params = check::heaan_parameters(full)?;
    let client = program::HeaanClient::new(&params, &KeyPlan::rotations([1]), backend.clone())?;
    for log_q in [params.log_q(), params.log_q() / 2, params.log_q() / 4] {
        let (x, y) = (client.encrypted(1, log_q, params.log_p())?, client.encrypted(2, log_q, params.log_p())?);
        let shape = format!("log N = {}, log q = {log_q}", params.log_n());
        let eval = &client.eval;
        time("HEAAN multiply", &shape, &**backend, samples, || Ok(eval.mul(&x, &y).map(drop)?))?;
        time("HEAAN square", &shape, &**backend, samples, || Ok(eval.square(&x).map(drop)?))?;
        time("HEAAN rotate", &shape, &**backend, samples, || Ok(eval.rotate(&x, 1).map(drop)?))?;
        time("HEAAN rescale", &shape, &**backend, samples, || Ok(eval.rescale(&x, params.log_p()).map(drop)?))?;
    }
    Ok(())
}

/// Describes the device and measures how long opening it takes. The first time after an
/// installation, that includes compiling the kernels.
pub fn open(args: &Args) -> Result<()> {
    if let Ok(gpu) = ringjet_cuda::discover(0) {
        let capability = format!("{}.{}", gpu.capability.0, gpu.capability.1);
        let compiler = gpu.compiler.to_string();
        print(
            json!({"device": gpu.name, "capability": capability, "bytes": gpu.bytes, "driver": gpu.driver, "kernels_by": compiler}),
        );
    }
    let start = Instant::now();
    args.backend()?;
    print(json!({"name": "opened", "seconds": start.elapsed().as_secs_f64()}));
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
    })
}

/// Prints the seconds of a call: when many calls are queued, and when each call is waited for.
fn time(
    name: &str,
    shape: &str,
    backend: &dyn Backend,
    samples: usize,
    mut call: impl FnMut() -> Result<()>,
) -> Result<()> {
    let mut sample = |calls: usize| -> Result<f64> {
        let start = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        backend.sync()?;
        Ok(start.elapsed().as_secs_f64() / calls as f64)
    };
    sample(1)?; // the first call makes the constants
    let once = sample(1)?;
    let calls = (SAMPLE.as_secs_f64() / once).clamp(1.0, 1000.0) as usize;
    sample(calls)?;
    let queued = (0..samples).map(|_| sample(calls)).collect::<Result<Vec<_>>>()?;
    let waited = (0..samples).map(|_| sample(1)).collect::<Result<Vec<_>>>()?;
    print(json!({
        "name": name, "shape": shape, "calls_of_a_sample": calls,
        "seconds_queued": summary(queued), "seconds_waited_for": summary(waited),
    }));
    Ok(())
}

fn summary(mut seconds: Vec<f64>) -> Value {
    seconds.sort_by(f64::total_cmp);
    let at = |p: f64| {
        let x = p * (seconds.len() - 1) as f64;
        let (low, high) = (seconds[x.floor() as usize], seconds[x.ceil() as usize]);
        low + (high - low) * x.fract()
    };
    json!({"min": at(0.0), "q1": at(0.25), "median": at(0.5), "q3": at(0.75), "max": at(1.0), "n": seconds.len()})
}

fn print(value: Value) {
    eprintln!("{value}");
    println!("{value}");
}
