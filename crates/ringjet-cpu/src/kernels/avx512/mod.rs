//! Kernels for primes below 2^61 with AVX-512 F and DQ.

pub mod arith;
pub mod big;
pub mod doubles;
pub mod gemm;
pub mod ntt;
pub mod words;

/// Base conversion from and to primes below 2^61: see [`crate::kernels::lanes::baseconv`].
pub mod baseconv {
    crate::kernels::lanes::baseconv::baseconv_kernels!("avx512f,avx512dq");
}

/// Element-wise operations for primes below 2^61: see [`crate::kernels::lanes::eltwise`].
pub mod eltwise {
    crate::kernels::lanes::eltwise::eltwise_kernels!("avx512f,avx512dq");
}
