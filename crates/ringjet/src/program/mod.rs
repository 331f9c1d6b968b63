//! Programs as values: what a user computes on ciphertexts, recorded once.
//!
//! [`Op`] is the table of operations and [`Program`] a list of them. A [`Recorder`] makes programs:
//! it is used as an evaluator, and knows the level, scale and error of every value, and in a
//! simulation also the values. A program can be run, recorded again under other parameters, written
//! to a file and read from it.

mod bytes;
mod clear;
mod constants;
mod graph;
mod levels;
mod op;
mod optimise;
mod record;
mod residues;
mod run;
mod simulate;
mod slots;
mod sums;
mod text;

pub use bytes::{MAX_BYTES, Stored};
pub use clear::{Clear, Span};
pub use graph::{Input, Node, Program, Value};
pub use op::{Op, Operands, Progress};
pub use optimise::Passes;
pub use record::{Fact, Recorder};
pub use run::Compute;
pub use simulate::{Finding, Seen, Traced};
