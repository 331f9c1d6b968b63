//! [`Gpu`]: what is known about a GPU before it is opened.

use std::fmt;

/// A description of a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpu {
    /// The name that the driver reports.
    pub name: String,
    /// Compute capability: major, minor.
    pub capability: (i32, i32),
    /// Bytes of its memory.
    pub bytes: usize,
    /// The CUDA version that the driver supports: `1000 * major + 10 * minor`.
    pub driver: i32,
    /// How many times faster single precision is than double precision.
    pub single_to_double: i32,
    /// Where the kernels' code for this GPU comes from.
    pub compiler: Compiler,
}

/// Where the kernels' machine code comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compiler {
    /// A file in the folder of compiled kernels, made here or elsewhere by this version of NVIDIA's
    /// run-time compiler.
    Stored {
        /// Major version number.
        major: i32,
        /// Minor version number.
        minor: i32,
    },
    /// NVIDIA's run-time compiler, which compiles them when the GPU is opened.
    Nvrtc {
        /// Major version number.
        major: i32,
        /// Minor version number.
        minor: i32,
    },
    /// The driver, which compiles the embedded PTX.
    Driver,
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stored { major, minor } => write!(f, "NVRTC {major}.{minor}, stored in a file"),
            Self::Nvrtc { major, minor } => write!(f, "NVRTC {major}.{minor}"),
            Self::Driver => f.write_str("the driver from embedded PTX, without NVRTC for this GPU"),
        }
    }
}
