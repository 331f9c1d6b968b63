//! CPU backend of ringjet: scalar, AVX-512 and AVX-512 IFMA kernels, threads, and pooled memory.
//!
//! All `unsafe` code of the CPU side is in this crate. The range proofs are in `docs/proofs/`.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod backend;
mod convert;
mod field;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod kernel;
mod keyswitch;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod memory;
mod path;
mod pool;
mod rotate;
mod scalar;
mod threads;

pub use backend::{CpuBackend, CpuConfig};
pub use path::Path;
