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
    /// What compiles the kernels for this GPU.
    pub compiler: Compiler,
}

impl Gpu {
    /// The name of its architecture for compilers, such as `sm_90`.
    pub(crate) fn architecture(&self) -> String {
        format!("sm_{}{}", self.capability.0, self.capability.1)
    }
}

/// What compiles the kernels to machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compiler {
    /// NVIDIA's run-time compiler.
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
            Self::Nvrtc { major, minor } => write!(f, "NVRTC {major}.{minor}"),
            Self::Driver => f.write_str("the driver from embedded PTX, without NVRTC for this GPU"),
        }
    }
}
