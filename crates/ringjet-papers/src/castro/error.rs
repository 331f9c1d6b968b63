//! Errors of the published model.

use ringjet_model::Operation;
use thiserror::Error;

use super::configuration::Configuration;

/// An error of the published model.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PaperError {
    /// No table has this name.
    #[error("no table {name:?}; there are {known}")]
    UnknownTable {
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
    /// No quirk has this name.
    #[error("no quirk {name:?}; there are {known}")]
    UnknownQuirk {
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
    /// No program has this name.
    #[error("no program {0:?}: those of Tables V and VII are known")]
    UnknownProgram(String),
    /// The parameters are out of range.
    #[error("{0:?}: 1 to 120 limbs and at least one digit are known")]
    Configuration(Configuration),
    /// An iteration of logistic regression without data.
    #[error("an iteration needs at least one ciphertext of data")]
    NoData,
    /// The library refuses the parameters or the program.
    #[error(transparent)]
    Library(#[from] ringjet::Error),
    /// A profile of a machine.
    #[error(transparent)]
    Device(#[from] ringjet_model::DeviceError),
    /// The paper has no price for a call.
    #[error("{steps}: the paper has no price for {operation}")]
    Unpriced {
        /// The steps around the call.
        steps: String,
        /// The call.
        operation: String,
    },
}

impl PaperError {
    pub(super) fn unpriced(path: &[&str], operation: &Operation) -> Self {
        Self::Unpriced { steps: path.join(" > "), operation: format!("{operation:?}") }
    }
}
