//! The input of a report.

use ringjet_model::Trace;

/// A traced program.
#[derive(Debug, Clone)]
pub struct Program {
    /// A short name, such as a preset's name.
    pub name: String,
    /// A summary of the program in one line.
    pub summary: String,
    /// The recorded calls.
    pub trace: Trace,
}
