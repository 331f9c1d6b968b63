//! This machine's vectors, and functions that are compiled for them.

#[cfg(target_arch = "x86_64")]
pub use super::avx2::Avx2 as Native;
#[cfg(target_arch = "aarch64")]
pub use super::neon::Neon as Native;

/// Defines a function that calls its generic version with this machine's vectors, compiled for their
/// instructions. It is unsafe where the processor may lack them. The generic version and all that
/// it calls in loops are `#[inline(always)]`; what the compiler does not inline, such as a closure or
/// `std::array::from_fn`, is compiled without these instructions, and each of its operations is then a
/// call. `cargo xtask check inlined` finds such calls in the command.
macro_rules! native {
    ($(#[$doc:meta])* pub fn $name:ident(&self $(, $arg:ident: $kind:ty)*) => $inner:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has the instructions of [`crate::system::path::Path::Fma`].
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
        pub unsafe fn $name(&self $(, $arg: $kind)*) {
            self.$inner::<$crate::kernels::fma::native::Native>($($arg),*)
        }
    };
    ($(#[$doc:meta])* pub fn $name:ident($($arg:ident: $kind:ty),* $(,)?) => $inner:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has the instructions of [`crate::system::path::Path::Fma`].
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
        pub unsafe fn $name($($arg: $kind),*) {
            $inner::<$crate::kernels::fma::native::Native>($($arg),*)
        }
    };
}
pub(crate) use native;
