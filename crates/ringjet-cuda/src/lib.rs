//! CUDA backend of ringjet.
//!
//! The kernels (`kernels/`) are CUDA C++. NVIDIA's run-time compiler (NVRTC) compiles them at their
//! first use. Where NVRTC is missing or too old for the GPU, the driver compiles PTX that is
//! embedded in this crate. The emulator (`emulator/`) runs the same source on the host, so that
//! everything but the driver is tested on machines without a GPU. Building or loading this crate
//! needs nothing from NVIDIA: it looks for the libraries at run time, and [`discover`] says what is
//! missing.
mod arithmetic;
mod backend;
mod big;
mod compile;
mod constants;
mod device;
mod digits;
mod division;
mod driver;
mod elementwise;
mod emulator;
mod fault;
mod gemm;
mod gpu;
mod graph;
mod keyswitch;
mod latencies;
mod launch;
mod machine;
mod memory;
mod mirror;
pub mod modarith;
mod open;
mod packing;
mod pool;
mod portable;
pub mod predict;
mod products;
mod recorder;
mod rotations;
mod self_test;
mod sequence;
mod source;
mod stored;
mod times;
mod traffic;
mod transform;
mod unavailable;

pub use arithmetic::{Arithmetic, UnknownArithmetic};
pub use backend::{CudaBackend, EMULATED};
pub use compile::{compile_kernels, store_kernels};
pub use device::Grid;
pub use gpu::{Compiler, Gpu};
pub use latencies::Latencies;
pub use mirror::Difference;
pub use open::discover;
pub use recorder::{Argument, Launch, Record, Recorder};
pub use stored::{Compiled, folder as cache_folder};
pub use times::{Span, Times};
pub use traffic::{Bytes, Traffic};
pub use unavailable::Unavailable;
