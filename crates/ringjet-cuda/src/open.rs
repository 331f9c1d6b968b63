//! Looks for a GPU, and opens it as a backend after a self-test.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::arithmetic::Arithmetic;
use crate::backend::CudaBackend;
use crate::driver::{self, Driver};
use crate::gpu::Gpu;
use crate::self_test;
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
/// driver, looks for a file of compiled kernels, and loads NVRTC only if there is none.
pub fn discover(ordinal: usize) -> Result<Gpu, Unavailable> {
    no_panic(|| driver::find(ordinal))
}

impl CudaBackend {
    /// Opens GPU number `ordinal`, counted from 0. First computations on it have to agree with this
    /// machine's processor. Without a file of compiled kernels the first call compiles them, which
    /// takes about a minute. Residues have 8 bytes; [`CudaBackend::with_width`] changes that.
    /// `RINGJET_CUDA_ARITHMETIC` may name an [`Arithmetic`] to use wherever the primes of an
    /// operation fit it, as if [`CudaBackend::with_arithmetic`] were called. With
    /// `RINGJET_CUDA_GRAPHS=0` all kernels are launched one by one, without graphs. With
    /// `RINGJET_CUDA_WAIT=1` the host also waits for each of them, so that the error of a kernel
    /// that fails names it. With `RINGJET_CUDA_MIRROR=1` every launch is repeated on the emulator,
    /// which is slow, and the memory that the launch used is compared: [`CudaBackend::difference`].
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
            let backend = self_test::widths(backend, &gpu.name)?;
            let Some(arithmetic) = preferred()? else { return Ok(backend) };
            let backend = backend.with_arithmetic(arithmetic);
            self_test::operations(&backend, &gpu.name, arithmetic.bits())?;
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

#[cfg(test)]
mod tests {
    use super::*;

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
