//! ChaCha20 for the public uniform stream, eight blocks at a time with AVX2 and sixteen with
//! AVX-512. The kernels are written once, over [`lanes::Lanes`].

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod dispatch;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod stream;

pub use dispatch::fill;

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
