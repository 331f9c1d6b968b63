//! Kernels for primes below 2^50 with AVX-512 IFMA.

pub mod arith;
pub mod baseconv;
pub mod big;
pub mod class_products;
pub mod ntt;

/// Element-wise operations for primes below 2^50: see [`crate::kernels::lanes::eltwise`].
pub mod eltwise {
    crate::kernels::lanes::eltwise::eltwise_kernels!("avx512f,avx512ifma");
}
