//! CKKS: approximate arithmetic on vectors of real or complex numbers.

mod auto;
mod bytes;
mod ciphertext;
mod decrypt;
mod encode;
mod encrypt;
mod eval;
pub(crate) mod noise;
pub mod params;
mod precision;
mod scale;
mod sums;

pub(crate) use encode::{decode_flooded, encode_extended, expect_finite, expect_message, expect_slots};
pub(crate) use eval::sum_slots;

pub use ciphertext::{Ciphertext, Plaintext, Values};
pub use eval::{Evaluator, inner_sum_rotations};
pub use noise::precision_bits;
pub use precision::precision_text;
pub use scale::Scale;
