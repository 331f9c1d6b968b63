//! Kernels in double precision with fused multiply-adds, for primes below 2^50: AVX2 with four lanes,
//! NEON with two. They are written once, over [`lanes::Lanes`].

pub mod arith;
pub mod baseconv;
pub mod eltwise;
pub mod lanes;
pub mod ntt;
