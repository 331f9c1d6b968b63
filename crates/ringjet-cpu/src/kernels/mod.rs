//! Kernels: loops over words of one prime, for each instruction set, and the choice between
//! instruction sets.
//!
//! [`dispatch`], [`field`], [`transforms`] and [`conversion`] take a [`field::Field`] and call the
//! kernels of its path.

#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod chacha;
pub mod conversion;
pub mod dispatch;
pub mod field;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub mod fma;
#[cfg(target_arch = "x86_64")]
pub mod ifma;
#[cfg(target_arch = "x86_64")]
pub mod lanes;
pub mod scalar;
pub mod transforms;
