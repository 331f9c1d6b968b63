//! Why a profile is refused.

use thiserror::Error;

/// Why a profile is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The text is not valid TOML.
    #[error("this is no TOML: {0}")]
    Syntax(String),
    /// A field that every profile must have is missing.
    #[error("the field {field} is missing")]
    Missing {
        /// The field's path, such as `rates.products` or `memory[1].bytes`.
        field: String,
    },
    /// A field is not known.
    #[error("no field is called {field}; there are {known}")]
    Unknown {
        /// The path of the unknown field.
        field: String,
        /// The names of the known fields at that place.
        known: String,
    },
    /// A value has the wrong type, or is out of range.
    #[error("{field} is {value}, allowed is {allowed}")]
    Value {
        /// The field's path.
        field: String,
        /// The value that was read.
        value: String,
        /// The values that are allowed.
        allowed: String,
    },
    /// No built-in profile has this name.
    #[error("no device is called {name:?}; there are {known}")]
    UnknownDevice {
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
}
