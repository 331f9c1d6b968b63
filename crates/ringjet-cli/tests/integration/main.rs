//! The command's tests, in one program, so that it is linked once.

mod cli;
mod common;
mod digest;
mod form;
mod pim;
mod program;
mod readme;
mod search;
