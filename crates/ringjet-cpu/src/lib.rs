//! CPU backend of ringjet: scalar, AVX-512 and AVX-512 IFMA kernels, threads, and pooled memory.
//!
//! The crate has layers. A layer uses only the layers before it in this list:
//!
//! 1. [`blocking`]: sizes by which operations are divided.
//! 2. `system`: threads, pooled memory, properties of the processor, counters.
//! 3. `operands`: what kernels read and write: views of buffers, scratch memory, prefetching.
//! 4. `kernels`: loops over words of one prime, and the choice of the instruction set.
//! 5. `machine`: `CpuMachine`, which holds threads, memory and constants.
//! 6. `operations`: operations divided into tasks that call kernels; they take a `&CpuMachine`.
//! 7. `backend`: [`CpuBackend`], the implementation of [`ringjet_backend::Backend`].
//!
//! All `unsafe` code for the CPU is in this crate. The proofs of the value ranges are in
//! `docs/proofs/`. With the feature `instrument` a backend counts the calls of its kernels; without
//! it, no code for counting is compiled.
#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(unused_variables, unused_mut, dead_code, reason = "operands of vector kernels, which only x86-64 has")
)]

mod backend;
pub mod blocking;
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
