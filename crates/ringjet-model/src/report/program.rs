//! What a report is about.

use crate::Trace;

/// A program that was traced.
#[derive(Debug, Clone)]
pub struct Program {
    /// A short name: a preset's.
    pub name: String,
    /// What it does, in a line.
    pub summary: String,
    /// What it asked for.
    pub trace: Trace,
}
