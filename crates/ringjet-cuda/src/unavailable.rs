//! Why there is no GPU to compute on.

use crate::arithmetic::UnknownArithmetic;

/// What is missing, or what went wrong at the start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The driver's library cannot be loaded.
    #[error("no NVIDIA driver: libcuda.so.1 cannot be loaded")]
    NoDriver,
    /// The driver lacks what this crate calls.
    #[error("the NVIDIA driver is for CUDA {}.{}, at least {}.{} is needed", found / 1000, found % 1000 / 10, needed / 1000, needed % 1000 / 10)]
    OldDriver {
        /// 1000 major + 10 minor.
        found: i32,
        /// Likewise.
        needed: i32,
    },
    /// The driver sees fewer devices.
    #[error("the NVIDIA driver finds {found} GPUs, number {wanted} was asked for")]
    NoDevice {
        /// How many there are.
        found: usize,
        /// Which was asked for, from 0 on.
        wanted: usize,
    },
    /// The device lacks what this crate needs.
    #[error("{name} has no {what}")]
    OldDevice {
        /// The device.
        name: String,
        /// What it lacks.
        what: &'static str,
    },
    /// The compiler's library cannot be loaded, and the kernels are not those of the embedded PTX.
    #[error(
        "no NVRTC, which the kernels in RINGJET_KERNEL_DIR need: libnvrtc.so, .13, .12 or .11 cannot be loaded, or \
         RINGJET_DISABLE_NVRTC is set; it is part of the CUDA toolkit and of the Python package nvidia-cuda-nvrtc"
    )]
    NoCompiler,
    /// The kernels do not compile.
    #[error("NVRTC does not compile the kernels for {architecture}: {log}")]
    Compilation {
        /// Such as `sm_90`.
        architecture: String,
        /// The compiler's words.
        log: String,
    },
    /// A file of kernels that `RINGJET_KERNEL_DIR` names cannot be read.
    #[error("RINGJET_KERNEL_DIR: {file}: {message}")]
    Source {
        /// The file.
        file: String,
        /// Why.
        message: String,
    },
    /// `RINGJET_CUDA_ARITHMETIC` names no arithmetic.
    #[error("RINGJET_CUDA_ARITHMETIC: {0}")]
    Arithmetic(#[from] UnknownArithmetic),
    /// Another failure of the driver or the compiler.
    #[error("{what}: {message}")]
    Failed {
        /// What was done.
        what: &'static str,
        /// Its words.
        message: String,
    },
    /// The first computation gave other numbers than this machine's processor.
    #[error("{name} computes wrongly: {what} at word {index} gives {found}, not {expected}")]
    Wrong {
        /// The device.
        name: String,
        /// Which operation.
        what: &'static str,
        /// Which word of the result.
        index: usize,
        /// What it gives.
        found: u64,
        /// What is right.
        expected: u64,
    },
}

impl Unavailable {
    /// A failure of `what` in these words.
    pub(crate) fn failed(what: &'static str, message: impl ToString) -> Self {
        Self::Failed { what, message: message.to_string() }
    }
}
