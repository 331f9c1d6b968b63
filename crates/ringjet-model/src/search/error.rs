//! Why a search cannot begin.

use thiserror::Error;

/// Why a search cannot begin.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// An option allows no value.
    #[error("{name} {value:?} allows nothing: there are {allowed}")]
    Option {
        /// The option.
        name: &'static str,
        /// What it is.
        value: String,
        /// What it may be.
        allowed: String,
    },
    /// No set to start from has this name.
    #[error("no preset that bootstraps is called {name:?}; there are {known}")]
    UnknownStart {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The library refuses the set to start from.
    #[error("the set to start from: {0}")]
    Start(#[source] ringjet::Error),
    /// The system gives no threads.
    #[error("no threads to search with: {0}")]
    Threads(String),
    /// The published cost model has no price for a candidate.
    #[error("the published cost model: {0}")]
    Published(String),
}
