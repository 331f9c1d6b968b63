//! CKKS: approximate arithmetic on vectors of real or complex numbers.

mod auto;
mod bytes;
pub(crate) mod ciphertext;
mod encrypt;
mod eval;
mod matrices;
pub(crate) mod noise;
pub mod params;
mod sums;
mod vector_sums;
mod weighted_sums;

pub(crate) use ciphertext::{Position, slots_coefficients, slots_gap};
pub(crate) use sums::Switch;
pub(crate) use vector_sums::VectorFactor;

use crate::{rlwe, vectors};
use params::Parameters;

/// CKKS's parameters and the backend that computes on them.
pub type Context = rlwe::Context<Parameters>;
/// CKKS's secret key.
pub type SecretKey = rlwe::SecretKey<Parameters>;
/// CKKS's public key.
pub type PublicKey = rlwe::PublicKey<Parameters>;
/// CKKS's switching key.
pub type SwitchingKey = rlwe::keyswitch::SwitchingKey<Parameters>;
/// CKKS's encoded vector: one polynomial in the evaluation domain, modulo its level's Q_l.
pub type Plaintext = vectors::Plaintext<Parameters>;
/// CKKS's encrypted vector: two polynomials over Q_l in the evaluation domain, three before
/// relinearisation. Q_l is the modulus of level l.
pub type Ciphertext = vectors::Ciphertext<Parameters>;
/// Computes on CKKS's ciphertexts.
pub type Evaluator = vectors::Evaluator<Parameters>;
/// The keys that a server computes with on CKKS's ciphertexts.
pub type EvaluationKeys = rlwe::keyswitch::EvaluationKeys<SwitchingKey>;

pub use matrices::transposition_steps;
pub use noise::precision_bits;

pub use crate::approximate::Values;
pub use crate::noise::{Scale, drowned, precision_text};
