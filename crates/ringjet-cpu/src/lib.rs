//! CPU backend of ringjet: scalar, AVX-512 and AVX-512 IFMA kernels, threads, and pooled memory.
//!
//! All `unsafe` code of the CPU side is in this crate. The range proofs are in `docs/proofs/`. With the feature
//! `instrument` a backend counts what its kernels do; without it, nothing of that is compiled.

mod ahead;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod backend;
mod big;
mod convert;
mod field;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod instrument;
mod kernel;
mod keyswitch;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod memory;
mod path;
mod pool;
mod processor;
mod rotate;
mod scalar;
mod threads;

pub use backend::{CpuBackend, CpuConfig};
#[cfg(feature = "instrument")]
pub use instrument::KernelCalls;
pub use path::Path;
pub use processor::multiply_adds_per_second;
