//! CUDA backend of ringjet.
//!
//! The kernels (`kernels/`) are ordinary CUDA C++, which the driver's compiler (NVRTC) translates at first use. The emulator
//! (`emulator/`) runs the same source on the host, so that everything but the driver is tested where no GPU is.
mod backend;
mod big;
mod constants;
mod device;
mod emulator;
mod launch;
mod memory;
mod transform;

pub use backend::{CudaBackend, EMULATED};
