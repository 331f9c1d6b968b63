//! The parts of the crate that depend on the processor and the operating system.

pub mod instrument;
pub mod path;
pub mod pool;
pub mod processor;
pub mod streaming;
pub mod threads;
