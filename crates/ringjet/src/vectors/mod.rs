//! Vectors of approximate numbers in slots: what CKKS and HEAAN have in common above keys.

mod ciphertext;
mod evaluator;
mod plaintext;
mod polynomials;

pub use ciphertext::Ciphertext;
pub use evaluator::{Evaluator, Operations, Refresh};
pub(crate) use evaluator::{expect_polys, expect_scales};
pub use plaintext::{Plaintext, Values};
pub(crate) use plaintext::{expect_finite, expect_log_slots, expect_slots, magnitude, rounded};
pub use polynomials::{Approximate, Coefficients, Polynomials};
