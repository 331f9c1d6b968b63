//! Chooses backends. All objects that ask for the same backend share one, so that ciphertexts of
//! different servers need no copies.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyo3::prelude::*;
use ringjet::Error;
use ringjet_backend::{Backend, BackendError, Reference, Width};
use ringjet_cpu::{CpuBackend, CpuConfig, Path};
use ringjet_cuda::{CudaBackend, Recorder};
use ringjet_model::CountingBackend;
use ringjet_pim::{Pim, WeakPim};

use crate::errors::{argument, raise, raise_as};

/// Names that [`OpenBackend::open`] takes.
pub const NAMES: [&str; 11] = [
    "auto",
    "cpu",
    "cpu-ifma",
    "cpu-avx512",
    "cpu-fma",
    "cpu-scalar",
    "reference",
    "cuda",
    ringjet_cuda::EMULATED,
    ringjet_pim::DEVICE,
    ringjet_pim::EMULATED,
];

/// The counting backend, which computes nothing. Only [`OpenBackend::model`] opens it.
pub const MODEL: &str = "model";

/// Default number of threads of a backend; 0: one a core.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Backends by name, number of threads, width of residues and process. The threads of a backend do
/// not survive a fork.
type Cache = HashMap<(&'static str, usize, Width, u32), CachedBackend>;
static CACHE: Mutex<Option<Cache>> = Mutex::new(None);

/// A backend that lives as long as an [`OpenBackend`] uses it.
struct CachedBackend {
    backend: Weak<dyn Backend>,
    pim: Option<WeakPim>,
}

/// A backend in the process that opened it.
#[derive(Clone)]
pub struct OpenBackend {
    backend: Arc<dyn Backend>,
    /// The processors in memory, if they are the backend.
    pim: Option<Pim>,
    threads: usize,
    process: u32,
}

impl OpenBackend {
    /// Opens the backend called `name` with `threads` threads (`None`: the number of
    /// [`set_threads`]). `width`: how residues are stored where the backend has a choice.
    pub fn open(name: &str, threads: Option<i64>, width: Width) -> PyResult<Self> {
        let Some(&known) = NAMES.iter().find(|n| **n == name) else {
            let expected = format!("one of {}, or {MODEL} for a server that counts", NAMES.join(", "));
            return Err(argument("backend", format!("{name:?}"), &expected));
        };
        let threads = match threads {
            Some(threads) => checked_threads(threads)?,
            None => THREADS.load(Ordering::Relaxed),
        };
        let key = (if known == "cpu" { "auto" } else { known }, threads, width, std::process::id());
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        let cache = cache.get_or_insert_default();
        cache.retain(|_, opened| opened.backend.strong_count() > 0);
        if let Some(opened) = cache.get(&key)
            && let Some(backend) = opened.backend.upgrade()
        {
            let pim = opened.pim.as_ref().and_then(WeakPim::upgrade);
            return Ok(Self { backend, pim, threads, process: key.3 });
        }
        let pim = match key.0 {
            ringjet_pim::DEVICE | ringjet_pim::EMULATED => Some(start_pim(key.0, threads)?),
            _ => None,
        };
        let backend = match &pim {
            Some(pim) => pim.backend(),
            None => start(key.0, threads, width)?,
        };
        let opened = CachedBackend { backend: Arc::downgrade(&backend), pim: pim.as_ref().map(Pim::downgrade) };
        cache.insert(key, opened);
        Ok(Self { backend, pim, threads, process: key.3 })
    }

    /// A counting backend that nothing else shares, also under its own type. It records the
    /// launches that a GPU would get, which stores residues in this width.
    pub fn model(width: Width) -> (Self, Arc<CountingBackend>, Arc<Recorder>) {
        let (gpu, recorder) = CudaBackend::recording();
        let backend = Arc::new(CountingBackend::over(Arc::new(gpu.with_width(width))));
        let machine = Self { backend: backend.clone(), pim: None, threads: 1, process: std::process::id() };
        (machine, backend, recorder)
    }

    /// The backend of clients.
    pub fn default() -> PyResult<Self> {
        Self::open("auto", None, Width::Eight)
    }

    /// The backend, for the library.
    pub fn shared(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    /// The processors in memory, if they are the backend.
    pub fn pim(&self) -> Option<&Pim> {
        self.pim.as_ref()
    }

    /// The name of the backend, such as `cpu-ifma`.
    pub fn name(&self) -> &str {
        self.backend.id().name()
    }

    /// Number of threads; 0 is one a core.
    pub fn threads(&self) -> usize {
        or_cores(self.threads)
    }

    /// Whether buffers of this backend can be used by the backend of `other`.
    pub fn same(&self, other: &Self) -> bool {
        self.backend.id() == other.backend.id()
    }

    /// Refuses to compute in a forked child. The threads stayed with the parent, and a call might
    /// wait forever for a lock that one of them held.
    pub fn check(&self) -> PyResult<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        let message = format!(
            "backend {} was opened by process {} and cannot be used in its fork: make or load clients, keys, servers \
             and ciphertexts in the fork itself, or start workers with multiprocessing's 'spawn' method",
            self.name(),
            self.process
        );
        Err(raise_as("BackendError", message))
    }
}

fn start(name: &str, threads: usize, width: Width) -> PyResult<Arc<dyn Backend>> {
    let path = match name {
        "cpu-ifma" => Some(Path::Ifma),
        "cpu-avx512" => Some(Path::Avx512),
        "cpu-fma" => Some(Path::Fma),
        "cpu-scalar" => Some(Path::Scalar),
        "reference" => return Ok(Arc::new(Reference::default())),
        ringjet_cuda::EMULATED => {
            return Ok(Arc::new(CudaBackend::emulated().with_width(width).with_host_threads(threads)));
        }
        "cuda" => {
            let missing = |why: ringjet_cuda::Unavailable| {
                raise(Error::Backend(BackendError::Device { backend: "cuda".into(), message: why.to_string() }))
            };
            return Ok(Arc::new(CudaBackend::open(0).map_err(missing)?.with_width(width).with_host_threads(threads)));
        }
        _ => None,
    };
    let backend = CpuBackend::new(CpuConfig { threads, path }).map_err(|e| raise(Error::Backend(e)))?;
    Ok(Arc::new(backend))
}

/// Processors in memory, with all operations that they lack on the CPU.
fn start_pim(name: &str, threads: usize) -> PyResult<Pim> {
    let host = CpuBackend::new(CpuConfig { threads, path: None }).map_err(|e| raise(Error::Backend(e)))?;
    Pim::open(name, Arc::new(host))
        .map_err(|why| raise(Error::Backend(BackendError::Device { backend: name.into(), message: why.to_string() })))
}

fn checked_threads(threads: i64) -> PyResult<usize> {
    match usize::try_from(threads) {
        Ok(threads) if threads <= 4096 => Ok(threads),
        _ => Err(argument("threads", threads, "0 (one a core) to 4096")),
    }
}

/// Sets how many threads clients and servers use that are made from now on; 0: one a core. Negative
/// numbers are refused.
#[pyfunction]
pub fn set_threads(n: i64) -> PyResult<()> {
    THREADS.store(checked_threads(n)?, Ordering::Relaxed);
    Ok(())
}

/// How many threads clients and servers made from now on use.
#[pyfunction]
pub fn threads() -> usize {
    or_cores(THREADS.load(Ordering::Relaxed))
}

/// `threads`, or the number of cores for 0.
fn or_cores(threads: usize) -> usize {
    if threads > 0 { threads } else { std::thread::available_parallelism().map_or(1, |n| n.get()) }
}

/// Names of the backends that this machine can run. `cuda-emulated` and `pim-emulated` are left out:
/// they run everywhere and are for tests.
#[pyfunction]
pub fn backends() -> Vec<&'static str> {
    let best = Path::best();
    let runs = |name: &str| match name {
        "cpu-ifma" => best >= Path::Ifma,
        "cpu-avx512" => best >= Path::Avx512,
        "cpu-fma" => Path::usable().any(|path| path == Path::Fma),
        "cuda" => ringjet_cuda::discover(0).is_ok(),
        ringjet_pim::DEVICE => ringjet_pim::Host::open().is_ok(),
        ringjet_cuda::EMULATED | ringjet_pim::EMULATED => false,
        _ => true,
    };
    NAMES.into_iter().filter(|n| runs(n)).collect()
}
