//! Negacyclic NTT for primes below 2^50: radix 4 and 8 in registers, on exact products.
//!
//! A product with a constant is a fraction of q first: two multiply-adds give `u` with `u q / 2^52`
//! just above the residue, and one more, `floor(u q / 2^52)`, is the residue itself, in
//! `[0, q)` ([`super::arith`]). Fractions add and subtract modulo one by themselves, so
//! `w y + w' y'` costs one such last step, not two; and `q - w y` comes from `-u`, so that both
//! outputs of a butterfly accumulate straight onto `x`: five operations instead of the usual seven
//! or eight. Values grow by q a level; a product accepts them up to 4q <= 2^52, and only what is
//! added to is reduced. The ranges are proved, and the operations counted, in
//! `docs/proofs/ntt-ifma.md`.
//!
//! The ring of N words is worked on in two phases. While the halves of a block are at least 64
//! words apart, vectors hold neighbouring coefficients and a constant is one broadcast. The last
//! six levels work on tiles of 8 x 64 words, transposed on the way in, so that a vector holds the
//! same element of eight subtrees; that is the order of the evaluation domain
//! ([`ringjet_math::ntt::tree_index`]), and nothing is transposed back.
//!
//! Twiddle factors of the last three levels of subtree s are `theta_s^j` times constants that all
//! subtrees share, so a table of 21 constants a subtree replaces one of 63: each word is multiplied
//! by a power of theta, which costs the butterflies of one level two or three operations more, and
//! the table has a third of the bytes.

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
pub use tables::{Buffer, TILE};
