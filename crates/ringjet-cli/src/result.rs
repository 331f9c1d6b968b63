//! The result of a command.

/// Errors are shown to the user as they are.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
