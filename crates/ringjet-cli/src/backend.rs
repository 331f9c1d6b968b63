//! Chooses a backend at run time.

use std::fmt;
use std::sync::Arc;

use clap::ValueEnum;
use ringjet_backend::{Backend, Reference, Width};
use ringjet_cpu::{CpuBackend, CpuConfig, Path};
use ringjet_cuda::CudaBackend;
use ringjet_pim::{Host, Pim};

use crate::{Result, system};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum PathChoice {
    /// The fastest that this machine has and that no environment switch disables
    #[default]
    Auto,
    /// AVX-512 with 52-bit products, primes below 2^50
    Ifma,
    /// AVX-512 without 52-bit products
    Avx512,
    /// Double precision with fused multiply-adds (AVX2 or NEON), primes below 2^50
    Fma,
    /// Portable
    Scalar,
    /// Textbook arithmetic, the reference of the conformance tests: very slow
    Reference,
    /// The first NVIDIA GPU
    Cuda,
    /// The GPU's kernels emulated on the CPU, for tests: very slow
    CudaEmulated,
    /// UPMEM's processors in memory, through the vendor's library: untested on hardware
    Pim,
    /// Processors in memory emulated on the CPU, for tests and counts: very slow
    PimEmulated,
}

impl fmt::Display for PathChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_possible_value().as_ref().map_or("", |value| value.get_name()))
    }
}

/// Opens a backend with `threads` threads (0: one a core). `width`: how residues are stored where
/// the backend has a choice. Refuses a path that is off, with the reason.
pub fn open(threads: usize, path: PathChoice, width: Width) -> Result<Arc<dyn Backend>> {
    if let Some(why) = why_off(path) {
        return Err(format!("--path {path} is off: {why}").into());
    }
    let path = match path {
        PathChoice::Auto => None,
        PathChoice::Ifma => Some(Path::Ifma),
        PathChoice::Avx512 => Some(Path::Avx512),
        PathChoice::Fma => Some(Path::Fma),
        PathChoice::Scalar => Some(Path::Scalar),
        PathChoice::Reference => return Ok(Arc::new(Reference::default())),
        PathChoice::Cuda => return Ok(Arc::new(CudaBackend::open(0)?.with_width(width))),
        PathChoice::CudaEmulated => return Ok(Arc::new(CudaBackend::open_emulated()?.with_width(width))),
        PathChoice::Pim | PathChoice::PimEmulated => {
            let host = CpuBackend::new(CpuConfig { threads, path: None })?;
            return Ok(Pim::open(&path.to_string(), Arc::new(host))?.backend());
        }
    };
    Ok(Arc::new(CpuBackend::new(CpuConfig { threads, path })?))
}

/// Why `path` cannot be used on this machine; `None` if it can.
pub fn why_off(path: PathChoice) -> Option<String> {
    let (needs, switches): (&[&str], &[&str]) = match path {
        PathChoice::Ifma => {
            (&["avx512f", "avx512dq", "avx512ifma"], &["RINGJET_DISABLE_AVX512", "RINGJET_DISABLE_IFMA"])
        }
        PathChoice::Avx512 => (&["avx512f", "avx512dq"], &["RINGJET_DISABLE_AVX512"]),
        PathChoice::Fma if cfg!(target_arch = "aarch64") => (&[], &["RINGJET_DISABLE_FMA"]),
        PathChoice::Fma => (&["avx2", "fma"], &["RINGJET_DISABLE_FMA"]),
        PathChoice::Cuda => return ringjet_cuda::discover(0).err().map(|why| why.to_string()),
        PathChoice::Pim => return Host::open().err().map(|why| why.to_string()),
        PathChoice::Auto
        | PathChoice::Scalar
        | PathChoice::Reference
        | PathChoice::CudaEmulated
        | PathChoice::PimEmulated => return None,
    };
    let has = system::features();
    let missing: Vec<&str> = needs.iter().copied().filter(|&n| !has.contains(&(n, true))).collect();
    if !missing.is_empty() {
        return Some(format!("this CPU lacks {}", missing.join(", ")));
    }
    let set = switches.iter().find(|s| system::switch(s))?;
    Some(format!("{set} is set in the environment"))
}
