//! Kernels in double precision with fused multiply-adds, for primes below 2^50: AVX2 with four lanes,
//! NEON with two. They are written once, over [`lanes::Lanes`].

pub mod arith;
#[cfg(target_arch = "x86_64")]
mod avx2;
pub mod baseconv;
pub mod eltwise;
pub mod gemm;
pub mod lanes;
mod native;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod ntt;
