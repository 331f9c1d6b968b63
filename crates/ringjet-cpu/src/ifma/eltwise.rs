//! Element-wise operations for primes below 2^50: see [`crate::lanes::eltwise`].

crate::lanes::eltwise::eltwise_kernels!("avx512f,avx512ifma");
