//! CPU backend of ringjet: scalar, AVX-512 and AVX-512 IFMA kernels, threads, and pooled memory.
//!
//! The crate has layers; each uses those above it in this list only:
//!
//! 1. `system`: threads, pooled memory, facts of the processor, counters.
//! 2. `operands`: views of buffers, scratch memory, prefetching: what kernels read and write.
//! 3. `kernels`: loops over words of one prime, and the choice of instructions.
//! 4. `machine`: `Machine`, threads, memory and constants in one value.
//! 5. `operations`: kernels cut into tasks; they take a `&Machine`.
//! 6. `backend`: [`CpuBackend`], the implementation of [`ringjet_backend::Backend`].
//!
//! All `unsafe` code of the CPU side is in this crate. The range proofs are in `docs/proofs/`. With
//! the feature `instrument` a backend counts what its kernels do; without it, no code for that is
//! compiled.
#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(unused_variables, unused_mut, dead_code, reason = "operands of vector kernels, which only x86-64 has")
)]

mod backend;
mod kernels;
mod machine;
mod operands;
mod operations;
mod system;

pub use backend::{CpuBackend, CpuConfig};
#[cfg(feature = "instrument")]
pub use system::instrument::{KernelCalls, Traffic};
pub use system::path::Path;
pub use system::processor::multiply_adds_per_second;
