//! Plaintexts, ciphertexts and evaluators of vectors in slots: what all schemes have in common
//! above keys.

mod chain;
mod ciphertext;
mod evaluator;
mod plaintext;
mod polynomials;
pub(crate) mod rows;

pub use chain::ChainVectors;
pub(crate) use chain::{galois, joined, joined_into, signed_sum};
pub use ciphertext::Ciphertext;
pub use evaluator::{Evaluator, Operations, Refresh, Refreshed};
pub use plaintext::Plaintext;
pub(crate) use plaintext::{expect_log_slots, expect_slots};
pub use polynomials::{Polynomials, Vectors};
pub(crate) use polynomials::{expect_polys, expect_scales};
pub use rows::Rows;
