//! Base conversion from and to primes below 2^61: see [`crate::lanes::baseconv`].

crate::lanes::baseconv::baseconv_kernels!("avx512f,avx512dq");
