//! Negacyclic NTT for primes below 2^50: radix 4 and 8 in registers, on exact products.
//!
//! A product with a constant w is first computed as a fraction of q: two multiply-adds give `u`
//! such that `u * q / 2^52` is just above the residue, and a third gives `floor(u * q / 2^52)`,
//! which is the residue itself, in `[0, q)` ([`super::arith`]). Fractions can be added and
//! subtracted modulo 2^52, so `w * y + w' * y'` needs only one third multiply-add, not two.
//! `q - w * y` comes from `-u`, so both outputs of a butterfly are accumulated directly onto `x`:
//! five operations instead of the usual seven or eight. Values grow by q in each level. A product
//! accepts values up to 4q <= 2^52, and only the values to which something is added are reduced.
//! The ranges are proved, and the operations counted, in `docs/proofs/ntt-ifma.md`.
//!
//! A ring of N words is transformed in two phases. While the halves of a block are at least 64
//! words apart, vectors hold neighbouring coefficients and a constant is one broadcast. The last
//! six levels work on tiles of 8 x 64 words, which are transposed when they are loaded, so that a
//! vector holds the same element of eight subtrees. That is the order of the evaluation domain
//! ([`ringjet_math::ntt::tree_index`]), so the tiles are not transposed back.
//!
//! Twiddle factors of the last three levels of subtree s are `theta_s^j` times constants that all
//! subtrees use. So a table of 21 constants for each subtree replaces one of 63, and has a third of
//! the bytes. Each word is multiplied by a power of theta_s, which costs the butterflies of one
//! level two or three operations more.

mod forward;
mod forward_levels;
mod inverse;
mod inverse_levels;
mod lanes;
mod pass;
mod ring;
mod scheduled;
mod tables;
#[cfg(test)]
mod tests;

pub use pass::RawRows;
pub use ring::{MIN_LOG_N, Ntt, Root};
pub use tables::Buffer;
#[cfg(test)]
pub use tables::TILE;
