//! The commands of `ringjet` that need no Python.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs `ringjet` with these arguments, and returns its exit status. It writes to the streams of the
/// process.
#[pyfunction]
pub fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| ringjet_cli::run(std::iter::once("ringjet".into()).chain(arguments)))
}
