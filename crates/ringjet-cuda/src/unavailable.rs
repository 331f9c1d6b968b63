//! Reasons why a GPU cannot be used.

use crate::arithmetic::UnknownArithmetic;

/// What is missing, or what failed while a GPU was opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The driver's library cannot be loaded.
    #[error("no NVIDIA driver: libcuda.so.1 cannot be loaded")]
    NoDriver,
    /// The driver is too old for this crate.
    #[error("the NVIDIA driver is for CUDA {}.{}, at least {}.{} is needed", found / 1000, found % 1000 / 10, needed / 1000, needed % 1000 / 10)]
    OldDriver {
        /// The driver's CUDA version: `1000 * major + 10 * minor`.
        found: i32,
        /// The oldest version that works, in the same form.
        needed: i32,
    },
    /// There is no GPU of the number asked for.
    #[error("the NVIDIA driver finds {found} GPUs, number {wanted} was asked for")]
    NoDevice {
        /// How many GPUs there are.
        found: usize,
        /// The number asked for, counted from 0.
        wanted: usize,
    },
    /// The GPU lacks something that this crate needs.
    #[error("{name} has no {what}")]
    OldDevice {
        /// The device.
        name: String,
        /// What it lacks.
        what: &'static str,
    },
    /// NVRTC cannot be loaded, and the kernels to compile differ from those of the embedded PTX.
    #[error(
        "no NVRTC, which the kernels in RINGJET_KERNEL_DIR need: libnvrtc.so, .13, .12 or .11 cannot be loaded, or \
         RINGJET_DISABLE_NVRTC is set; it is part of the CUDA toolkit and of the Python package nvidia-cuda-nvrtc"
    )]
    NoCompiler,
    /// NVRTC refuses the kernels.
    #[error("NVRTC does not compile the kernels for {architecture}: {log}")]
    Compilation {
        /// The architecture, such as `sm_90`.
        architecture: String,
        /// The compiler's log.
        log: String,
    },
    /// A file of the folder `RINGJET_KERNEL_DIR` cannot be read.
    #[error("RINGJET_KERNEL_DIR: {file}: {message}")]
    Source {
        /// Name of the file.
        file: String,
        /// The reason.
        message: String,
    },
    /// `RINGJET_CUDA_ARITHMETIC` is not the name of an arithmetic.
    #[error("RINGJET_CUDA_ARITHMETIC: {0}")]
    Arithmetic(#[from] UnknownArithmetic),
    /// A variable of the environment that turns something off or on is neither 0 nor 1.
    #[error("{name}: {found:?} is neither 0 nor 1")]
    Switch {
        /// Name of the variable.
        name: &'static str,
        /// The value of the variable.
        found: String,
    },
    /// Another failure of the driver or the compiler.
    #[error("{what}: {message}")]
    Failed {
        /// The step that failed.
        what: &'static str,
        /// The message of the driver or the compiler.
        message: String,
    },
    /// The self-test gave other numbers than this machine's processor.
    #[error("{name} computes wrongly: {what} at word {index} gives {found}, not {expected}")]
    Wrong {
        /// The device.
        name: String,
        /// The operation that was tested.
        what: &'static str,
        /// Index of the wrong word in the result.
        index: usize,
        /// The device's value of the word.
        found: u64,
        /// The right value.
        expected: u64,
    },
}

impl Unavailable {
    /// The error for the failed step `what`.
    pub(crate) fn failed(what: &'static str, message: impl ToString) -> Self {
        Self::Failed { what, message: message.to_string() }
    }
}
