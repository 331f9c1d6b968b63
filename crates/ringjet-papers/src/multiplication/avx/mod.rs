//! The variants `AVX`, `AVX-M`, `AVX-MT` and `AVX-32`: the functions on AVX-512 (F and DQ, no IFMA).
//!
//! Kernels are generic over [`Lanes`]. They run on [`Avx512`], and on [`Counted`], which computes
//! the same in scalar code and counts instructions (Table X of Jung et al., "HEAAN Demystified").

mod arithmetic;
mod avx512;
mod counted;
pub mod crt;
pub mod icrt;
mod lanes;
pub mod narrow;
pub mod ntt;

pub use arithmetic::{Exact, Modified, Narrow, Shoup};
pub use avx512::Avx512;
pub use counted::{Counted, Instructions};
pub use lanes::{Kernel, Lanes, Machine};
