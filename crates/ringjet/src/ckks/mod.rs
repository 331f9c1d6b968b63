//! CKKS: approximate arithmetic on vectors of real or complex numbers.

mod auto;
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

use crate::rlwe;
use params::Parameters;

/// CKKS's parameters and the backend that computes on them.
pub type Context = rlwe::Context<Parameters>;
/// CKKS's secret key.
pub type SecretKey = rlwe::SecretKey<Parameters>;
/// CKKS's public key.
pub type PublicKey = rlwe::PublicKey<Parameters>;
/// CKKS's switching key.
pub type SwitchingKey = rlwe::keyswitch::SwitchingKey<Parameters>;
/// The keys that a server computes with on CKKS's ciphertexts.
pub type EvaluationKeys = rlwe::keyswitch::EvaluationKeys<SwitchingKey>;

pub use ciphertext::{Ciphertext, Plaintext, Values};
pub use eval::{Evaluator, inner_sum_rotations};
pub use noise::precision_bits;
pub use precision::precision_text;
pub use scale::Scale;
