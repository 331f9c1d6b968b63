//! Kernels for primes below 2^50 with AVX-512 IFMA.

pub mod arith;
pub mod baseconv;
pub mod big;
pub mod eltwise;
pub mod ntt;
