//! Base conversion between primes below 2^50: see [`crate::lanes::baseconv`].

crate::lanes::baseconv::baseconv_kernels!("avx512f,avx512ifma");
