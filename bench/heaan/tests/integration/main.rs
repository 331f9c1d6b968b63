//! The tests of the re-implementations, in one program, so that it is linked once.

mod common;
mod counts;
mod functions;
mod multiplication;
