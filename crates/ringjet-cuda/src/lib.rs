//! CUDA backend of ringjet.
//!
//! The kernels (`kernels/`) are ordinary CUDA C++, which NVIDIA's run-time compiler (NVRTC) translates at first use; where it
//! is not installed or too old for the GPU, the driver translates PTX that is embedded. The emulator (`emulator/`) runs the
//! same source on the host, so that everything but the driver is tested where no GPU is. Nothing of NVIDIA is needed to build
//! this crate or to load it: libraries are looked for at run time, and [`discover`] says what is missing.
mod arithmetic;
mod backend;
mod big;
mod compile;
mod constants;
mod device;
mod driver;
mod emulator;
mod launch;
mod memory;
pub mod modarith;
mod open;
mod portable;
mod source;
mod transform;
mod unavailable;

pub use arithmetic::{Arithmetic, UnknownArithmetic};
pub use backend::{CudaBackend, EMULATED};
pub use compile::Compiler;
pub use driver::Gpu;
pub use open::discover;
pub use unavailable::Unavailable;
