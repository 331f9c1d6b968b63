//! The programs of a DPU: their builds, their commands, and how data lie in MRAM.

mod coefficients;
mod command;
pub(crate) mod layout;

pub use coefficients::CoefficientLayout;
pub use command::Command;
pub use layout::Layout;

use crate::PimError;

include!(concat!(env!("OUT_DIR"), "/rungs.rs"));

/// A build of the program with some of its optimisations; `dpu/rungs.txt` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// The name with which it is loaded.
    pub name: &'static str,
    /// Whether the twiddle factors of the inverse transform are in the order of their use.
    pub scrambled: bool,
    /// Whether twiddle factors and scalars have Shoup companions.
    pub companions: bool,
    /// The most bits that a modulus may have.
    pub most_bits: u32,
}

impl Rung {
    /// The rung with this name.
    pub fn named(name: &str) -> Result<Self, PimError> {
        RUNGS.into_iter().find(|rung| rung.name == name).ok_or_else(|| PimError::UnknownProgram {
            name: name.to_owned(),
            known: RUNGS.map(|rung| rung.name).join(", "),
        })
    }
}

/// The names of all builds that can be loaded.
pub(crate) fn known() -> String {
    [&RUNGS.map(|rung| rung.name)[..], &LAYOUT_BUILDS, &COEFFICIENT_BUILDS].concat().join(", ")
}
