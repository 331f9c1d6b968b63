//! When processing in memory wins: an analytic model of UPMEM's processors in memory (DPUs), and
//! the same operations on CPUs and GPUs.
//!
//! [`Kernels`] has the cycles of a command on one DPU: instructions of the loops, transfers, and
//! how both overlap. Tests in `ringjet-pim` compare them with its emulator. [`Task`] spreads a
//! batch of ciphertexts over the DPUs of a [`PimMachine`]; [`Comparison`] says who wins.
//!
//! Nothing was measured on hardware. The clock of 350 MHz and the occupancy of the transfer engine
//! are fitted to published times.

mod arithmetic;
mod coefficients;
mod comparison;
mod error;
mod kernels;
mod machine;
mod page;
mod rivals;
mod svg;
mod sweep;
mod task;
#[cfg(test)]
mod tests;
mod transforms;
mod work;

pub use arithmetic::{Multiplier, Program};
pub use coefficients::{CoefficientBuild, CoefficientOperation};
pub use comparison::{Comparison, Pipeline, Row};
pub use error::PimModelError;
pub use kernels::{Command, Kernels};
pub use machine::{HOST_BYTES_PER_S, MEGAHERTZ_FITTED, MachineSpec, PUBLISHED_DPUS, PimMachine};
pub use page::{STYLE, page, plot};
pub use rivals::{RivalTime, rivals, threads};
pub use sweep::{Axis, Setting};
pub use task::{Operation, PimTime, Task, TaskSpec, division, relinearisation};
