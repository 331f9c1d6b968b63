//! What only papers need of ringjet: their orders of computation, parameter sets and cost models, and
//! their tables beside this library's numbers. The Python package and the client for browsers do not
//! depend on it; the command has it through the feature `papers`.
#![deny(unsafe_code)]

pub mod castro;
pub mod fusion;
pub mod heaan;
pub mod jung;
pub mod klinger;
#[allow(unsafe_code)]
pub mod multiplication;
pub mod orders;
pub mod report;
pub mod row;
pub mod search;
pub mod sets;
