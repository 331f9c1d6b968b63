//! Predicts how long a GPU takes for recorded launches: the one predictor, behind
//! `docs/design/gpu-prediction.md` and `ringjet estimate`.
//!
//! [`Predictor`] follows threads of each launch through the kernel's machine code, cut down to what
//! decides about branches and addresses (`kernels/skeletons_90.txt.gz`). So it counts instructions
//! and bytes as they come, for any program. [`Gpu`] turns them into times.

mod follow;
mod limbs;
mod price;
mod skeleton;
mod thread;

pub use follow::{Predictor, Program, Traffic, Work};
pub use price::{Cache, Gpu, Launched, Unit};

/// Why launches cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PredictError {
    /// The kernel is not among the skeletons.
    #[error("no machine code of the kernel {0} is known")]
    Kernel(String),
    /// The skeleton of a kernel asks for something that is not known.
    #[error("{0}")]
    Skeleton(&'static str),
    /// Following a launch of this kernel failed.
    #[error("{kernel}: {why}")]
    Launch {
        /// Name of the entry point.
        kernel: &'static str,
        /// What failed.
        why: String,
    },
}
