//! The parts of the crate that depend on the processor and the operating system.

mod free;
pub mod instrument;
pub mod path;
pub mod pool;
pub mod processor;
mod raw;
pub mod streaming;
pub mod threads;
