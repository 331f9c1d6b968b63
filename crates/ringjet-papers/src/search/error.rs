//! Errors that prevent a search.

use thiserror::Error;

/// An error that prevents a search.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// An option allows no value.
    #[error("{name} {value:?} allows nothing: there are {allowed}")]
    Option {
        /// The name of the option.
        name: &'static str,
        /// The value of the option.
        value: String,
        /// The values that the option may have.
        allowed: String,
    },
    /// No bootstrapping preset has the requested name.
    #[error("no preset that bootstraps is called {name:?}; there are {known}")]
    UnknownStart {
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
    /// The library refuses the preset to start from.
    #[error("the set to start from: {0}")]
    Start(#[source] ringjet::Error),
    /// The operating system refuses to start threads.
    #[error("no threads to search with: {0}")]
    Threads(String),
    /// The published cost model has no price for a candidate.
    #[error("the published cost model: {0}")]
    Published(String),
}
