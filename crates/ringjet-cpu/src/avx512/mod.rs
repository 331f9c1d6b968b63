//! Kernels for primes below 2^61 with AVX-512 F and DQ.

pub mod arith;
pub mod baseconv;
pub mod big;
pub mod eltwise;
pub mod ntt;
pub mod permute;
pub mod words;
