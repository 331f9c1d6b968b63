//! Why a profile is refused.

use thiserror::Error;

/// Why a profile is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The text is no TOML.
    #[error("this is no TOML: {0}")]
    Syntax(String),
    /// A field that every profile has.
    #[error("the field {field} is missing")]
    Missing {
        /// Its path, as in `rates.products` or `memory[1].bytes`.
        field: String,
    },
    /// A field that no profile has.
    #[error("no field is called {field}; there are {known}")]
    Unknown {
        /// Its path.
        field: String,
        /// The fields there are in its place.
        known: String,
    },
    /// A value of another type, or outside its range.
    #[error("{field} is {value}, allowed is {allowed}")]
    Value {
        /// The field's path.
        field: String,
        /// What it is.
        value: String,
        /// What it may be.
        allowed: String,
    },
    /// No built-in profile has this name.
    #[error("no device is called {name:?}; there are {known}")]
    UnknownDevice {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
}
