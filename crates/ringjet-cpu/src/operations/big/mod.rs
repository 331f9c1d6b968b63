//! Operations on big coefficients, divided into tiles or strips of coefficients for the threads.

mod crt;
mod factors;
mod join;
mod mul;
mod prepared;
mod products;
#[cfg(test)]
mod proofs;
mod residues;
mod split;
mod tiles;
mod words;

pub use crt::{crt_join, crt_split};
pub use mul::big_mul;
pub use prepared::big_prepare;
pub use words::{big_automorphism, big_lincomb, shift_round};
