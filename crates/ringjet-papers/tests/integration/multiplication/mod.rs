//! The re-implementations of a multiplication of HEAAN, against big integers.

mod common;
mod counts;
mod functions;
mod products;
