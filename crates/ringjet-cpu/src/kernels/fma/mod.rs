//! Kernels in double precision with fused multiply-adds, for primes below 2^50: AVX2 with four lanes,
//! NEON with two. They are written once, over [`lanes::Lanes`].

pub mod arith;
pub mod baseconv;
pub mod eltwise;
pub mod lanes;
pub mod ntt;

/// Defines a function that calls its generic version with this machine's vectors, compiled for their
/// instructions. It is unsafe where the processor may lack them.
macro_rules! native {
    ($(#[$doc:meta])* pub fn $name:ident(&self $(, $arg:ident: $kind:ty)*) => $inner:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has the instructions of [`crate::system::path::Path::Fma`].
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
        pub unsafe fn $name(&self $(, $arg: $kind)*) {
            self.$inner::<$crate::kernels::fma::lanes::Native>($($arg),*)
        }
    };
    ($(#[$doc:meta])* pub fn $name:ident($($arg:ident: $kind:ty),* $(,)?) => $inner:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has the instructions of [`crate::system::path::Path::Fma`].
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
        pub unsafe fn $name($($arg: $kind),*) {
            $inner::<$crate::kernels::fma::lanes::Native>($($arg),*)
        }
    };
}
pub(crate) use native;
