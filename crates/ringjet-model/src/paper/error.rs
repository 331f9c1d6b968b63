//! Why there is no answer.

use thiserror::Error;

use super::configuration::Configuration;
use crate::Operation;

/// Why there is no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PaperError {
    /// No table has this name.
    #[error("no table {name:?}; there are {known}")]
    UnknownTable {
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// No quirk has this name.
    #[error("no quirk {name:?}; there are {known}")]
    UnknownQuirk {
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// No program has this name.
    #[error("no program {0:?}: those of Tables V and VII are known")]
    UnknownProgram(String),
    /// Parameters that make no sense.
    #[error("{0:?}: 1 to 120 limbs and at least one digit are known")]
    Configuration(Configuration),
    /// The library refuses.
    #[error(transparent)]
    Library(#[from] ringjet::Error),
    /// The paper has no price for this.
    #[error("{steps}: the paper has no price for {operation}")]
    Unpriced {
        /// The steps that the call is part of.
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
