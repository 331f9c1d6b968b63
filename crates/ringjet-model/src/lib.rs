//! The cost model of ringjet: a backend that computes nothing and counts what the library asks of it.
#![forbid(unsafe_code)]

mod cost;
pub mod heaan;

pub use cost::{Calls, Cost, Ops};
