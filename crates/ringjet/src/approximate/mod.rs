//! Vectors of approximate numbers in slots: what CKKS and HEAAN have in common above keys.

mod ciphertext;
mod evaluator;
mod operations;
mod plaintext;
mod polynomials;
mod values;

pub use ciphertext::Ciphertext;
pub use evaluator::{Evaluator, Refresh};
pub(crate) use evaluator::{expect_polys, expect_scales};
pub use operations::Operations;
pub use plaintext::Plaintext;
pub use polynomials::{Approximate, Coefficients, Polynomials};
pub use values::Values;
pub(crate) use values::{expect_finite, expect_log_slots, expect_slots, magnitude, rounded};
