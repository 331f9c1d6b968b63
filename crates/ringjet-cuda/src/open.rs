//! Looks for a GPU, and opens it as a backend after a self-test.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ringjet_backend::{Backend, BackendError, Buf, Width};
use ringjet_math::{Basis, prime};

use crate::arithmetic::Arithmetic;
use crate::backend::CudaBackend;
use crate::driver::{self, Driver};
use crate::gpu::Gpu;
use crate::unavailable::Unavailable;

/// Words of constants that a GPU keeps: 2 GiB.
const CONSTANTS: usize = 256 << 20;

/// The environment variable that names the preferred arithmetic ([`CudaBackend::with_arithmetic`]).
const ARITHMETIC: &str = "RINGJET_CUDA_ARITHMETIC";

/// The environment variable that turns graphs off (0) or on (1, the default).
const GRAPHS: &str = "RINGJET_CUDA_GRAPHS";

/// The environment variable that has the host wait for each launch (1), or not (0, the default).
const WAIT: &str = "RINGJET_CUDA_WAIT";

/// The environment variable that has each launch repeated on the emulator and compared (1), or not (0,
/// the default).
const MIRROR: &str = "RINGJET_CUDA_MIRROR";

/// Describes GPU number `ordinal`, counted from 0, or says why it cannot be used. It loads the
/// driver and the compiler, and nothing else.
pub fn discover(ordinal: usize) -> Result<Gpu, Unavailable> {
    no_panic(|| driver::find(ordinal))
}

impl CudaBackend {
    /// Opens GPU number `ordinal`, counted from 0. A first computation on it has to agree with this
    /// machine's processor. The first call after an installation compiles the kernels, which takes
    /// seconds. Residues have 8 bytes; [`CudaBackend::with_width`] changes that.
    /// `RINGJET_CUDA_ARITHMETIC` may name an [`Arithmetic`] to use wherever the primes of an
    /// operation fit it, as if [`CudaBackend::with_arithmetic`] were called. With
    /// `RINGJET_CUDA_GRAPHS=0` all kernels are launched one by one, without graphs. With
    /// `RINGJET_CUDA_WAIT=1` the host also waits for each of them, so that the error of a kernel
    /// that fails names it. With `RINGJET_CUDA_MIRROR=1` every launch is repeated on the emulator, which is slow, and the memory
    /// that it has used is compared: [`CudaBackend::difference`].
    pub fn open(ordinal: usize) -> Result<Self, Unavailable> {
        no_panic(|| {
            let (graphs, wait, mirror) = (switch(GRAPHS, true)?, switch(WAIT, false)?, switch(MIRROR, false)?);
            let (driver, gpu) = Driver::open(ordinal, wait)?;
            let name = if ordinal == 0 { "cuda".into() } else { format!("cuda:{ordinal}") };
            let doubles = gpu.single_to_double <= 2;
            let backend = match mirror {
                true => Self::mirrored(&name, driver, CONSTANTS, doubles),
                false => Self::on_gpu(&name, driver, graphs && !wait, CONSTANTS, doubles),
            };
            let backend = self_test(backend, &gpu.name)?;
            let Some(arithmetic) = preferred()? else { return Ok(backend) };
            let backend = backend.with_arithmetic(arithmetic);
            multiply(&backend, &gpu.name, arithmetic.bits())?;
            Ok(backend)
        })
    }
}

impl CudaBackend {
    /// The emulated device of [`CudaBackend::emulated`], as the environment wants it:
    /// `RINGJET_CUDA_ARITHMETIC` and `RINGJET_CUDA_MIRROR` do the same as for a GPU.
    pub fn open_emulated() -> Result<Self, Unavailable> {
        let backend = if switch(MIRROR, false)? { Self::emulated_mirrored() } else { Self::emulated() };
        Ok(match preferred()? {
            None => backend,
            Some(arithmetic) => backend.with_arithmetic(arithmetic),
        })
    }
}

/// The arithmetic that `RINGJET_CUDA_ARITHMETIC` names, if it is set.
fn preferred() -> Result<Option<Arithmetic>, Unavailable> {
    match std::env::var_os(ARITHMETIC).filter(|name| !name.is_empty()) {
        None => Ok(None),
        Some(name) => Ok(Some(name.to_string_lossy().parse()?)),
    }
}

/// The value of a variable that turns something off (0) or on (1); `default` if it is not set.
fn switch(name: &'static str, default: bool) -> Result<bool, Unavailable> {
    match std::env::var_os(name).unwrap_or_default().to_string_lossy().as_ref() {
        "" => Ok(default),
        "0" => Ok(false),
        "1" => Ok(true),
        found => Err(Unavailable::Switch { name, found: found.into() }),
    }
}

/// Runs `f` and turns a panic into an error: the bindings panic where a library lacks a function.
fn no_panic<T>(f: impl FnOnce() -> Result<T, Unavailable>) -> Result<T, Unavailable> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let message = text.or_else(|| cause.downcast_ref::<String>().cloned());
        Err(Unavailable::failed("the NVIDIA libraries", message.unwrap_or_else(|| "an unknown failure".into())))
    })
}

/// Multiplies small polynomials modulo primes of each size in each width, and compares every word
/// with the processor's result. Each product is computed four times: at first the constants are
/// made, then the launches are queued one by one, then as a new graph, then as the same graph with
/// other addresses. Returns the backend with residues of 8 bytes.
fn self_test(mut b: CudaBackend, name: &str) -> Result<CudaBackend, Unavailable> {
    for (width, bits) in [(Width::Four, 31), (Width::Six, 48), (Width::Eight, 50), (Width::Eight, 60)] {
        b = b.with_width(width);
        let mut kept = vec![]; // results whose addresses the next ones cannot have
        for _ in 0..4 {
            kept.push(multiply(&b, name, bits)?);
        }
    }
    Ok(b)
}

/// The product of the self-test, modulo primes of `bits` bits, on the device. Fails if a word is
/// wrong.
fn multiply(b: &CudaBackend, name: &str, bits: u32) -> Result<Buf, Unavailable> {
    const LOG_N: u32 = 10;
    let failed = |e: BackendError| Unavailable::failed("the self-test", e);
    let unlikely = |e: ringjet_math::MathError| Unavailable::failed("the self-test's primes", e);
    let primes = prime::ntt_primes(LOG_N, bits, 2, &[]).map_err(unlikely)?;
    let basis = Basis::new(LOG_N, &primes).map_err(unlikely)?;
    let (n, limbs) = (basis.n(), basis.len());
    let mut state = 1u64;
    let mut polynomial = || -> Vec<u64> {
        let mut word = |q: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 3) % q
        };
        basis.values().flat_map(|q| (0..n).map(|_| word(q)).collect::<Vec<_>>()).collect()
    };
    let (mut x, mut y) = (polynomial(), polynomial());
    let run = || {
        let (mut a, mut c) = (b.alloc(limbs, n)?, b.alloc(limbs, n)?);
        b.upload(&mut a, 0, &x)?;
        b.upload(&mut c, 0, &y)?;
        b.meter().inspect(|meter| meter.enter("SelfTest"));
        b.ntt(a.view_mut(1), &basis)?;
        b.ntt(c.view_mut(1), &basis)?;
        let mut product = b.alloc(limbs, n)?;
        b.mul(product.view_mut(1), a.view(1), c.view(1), &basis, false)?;
        b.intt(product.view_mut(1), &basis)?;
        b.meter().inspect(|meter| meter.leave());
        let mut out = vec![0; limbs * n];
        b.download(&product, 0, &mut out)?;
        Ok((product, out))
    };
    let (product, found) = run().map_err(failed)?;
    for (i, (x, y)) in x.chunks_exact_mut(n).zip(y.chunks_exact_mut(n)).enumerate() {
        let (table, m) = (basis.primes()[i].table(), basis.modulus(i));
        table.forward(x);
        table.forward(y);
        x.iter_mut().zip(y).for_each(|(x, y)| *x = m.mul(*x, *y));
        table.inverse(x);
    }
    match (0..found.len()).find(|&i| found[i] != x[i]) {
        None => Ok(product),
        Some(index) => {
            let (found, expected) = (found[index], x[index]);
            Err(Unavailable::Wrong { name: name.into(), what: "a product of polynomials", index, found, expected })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emulator_passes_the_self_test() {
        let tested = self_test(CudaBackend::emulated(), "the emulator").unwrap();
        assert_eq!(tested.width(), Width::Eight);
    }

    #[test]
    fn a_machine_without_a_gpu_says_so() {
        match (discover(0), CudaBackend::open(0)) {
            (Ok(gpu), opened) => assert!(opened.is_ok(), "{gpu:?}: {opened:?}"),
            (Err(why), opened) => assert_eq!(opened.err(), Some(why)),
        }
        assert!(matches!(
            discover(1000),
            Err(Unavailable::NoDriver | Unavailable::NoDevice { wanted: 1000, .. } | Unavailable::OldDriver { .. })
        ));
    }

    #[test]
    fn a_panic_of_the_bindings_is_an_error() {
        for symbol in ["cuX", "cuY"] {
            let caught = no_panic(|| -> Result<(), Unavailable> { panic!("no symbol {symbol}") });
            assert_eq!(caught, Err(Unavailable::failed("the NVIDIA libraries", format!("no symbol {symbol}"))));
        }
        let caught = no_panic(|| -> Result<(), Unavailable> { panic!("none") });
        assert_eq!(caught, Err(Unavailable::failed("the NVIDIA libraries", "none")));
    }
}
