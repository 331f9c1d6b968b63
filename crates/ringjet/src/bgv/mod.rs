//! BGV and BFV: exact arithmetic on vectors of integers modulo T.
//!
//! T is a prime t, or a product of up to four primes. A ciphertext has one component for each prime,
//! and what follows holds for each component.
//!
//! A component of level l decrypts to `t^-1 * f * m + e` modulo Q_l. Here m is the message, e the
//! error, and f the *correction factor*, a number modulo t that the ciphertext states. Times t this
//! is `w = f * m + t * e`. As long as w is smaller than Q_l / 2, it is known exactly, and m is
//! `w / f` modulo t. In this form a ciphertext of BGV is one of CKKS but for its message, so keys,
//! key switching and divisions are those of the module [`rlwe`]. A division by D
//! multiplies f by `1 / D`. `docs/design/bgv.md` derives all of this.
//!
//! A vector has N slots in two rows of N/2. Rotations move the values of both rows; the
//! automorphism X -> X^-1 swaps the rows.
//!
//! BGV and BFV have the same ciphertexts and keys. They differ in the product ([`Product`]): BGV
//! keeps noise small by switching to a lower level before products, BFV keeps the modulus.
//!
//! ```
//! # use std::sync::Arc;
//! # use ringjet::bgv::{Context, Evaluator, ParamSpec, Parameters, Plaintext, SecretKey};
//! # use ringjet::{KeyPlan, rng::Seed};
//! # fn main() -> ringjet::Result<()> {
//! let params = Parameters::new(&ParamSpec::uniform(8, 7681, &[50, 40], &[50]).allow_insecure())?;
//! let ctx = Context::new(&params, Arc::new(ringjet_backend::Reference::default()));
//! let secret = SecretKey::generate(&params)?;
//! let keys = secret.evaluation_keys(&ctx, &KeyPlan::rotations([1]), &Seed::from_os()?, |_, _| true)?;
//! let server = Evaluator::new(&ctx, Arc::new(keys))?;
//!
//! let x = secret.encrypt(&ctx, &Plaintext::encode(&ctx, &[3, -5, 7], params.top_level())?, &Seed::from_os()?)?;
//! let y = server.rotate(&server.mul_auto(&x, &x)?, 1)?;
//! assert_eq!(secret.decrypt_integers(&ctx, &y)?[..3], [25, 49, 0]);
//! # Ok(()) }
//! ```

mod auto;
mod bfv;
mod bytes;
mod ciphertext;
pub(crate) mod decrypt;
mod eval;
mod modulus;
pub(crate) mod noise;
mod params;
mod plaintext;
mod prepared;
mod presets;
mod residues;
mod spec;
mod sums;

use crate::{rlwe, vectors};

pub use params::Parameters;
pub(crate) use plaintext::integers;
pub use prepared::PreparedPlaintext;
pub use presets::{PRESET_NAMES, preset};
pub use residues::Residues;
pub use spec::{ParamSpec, Product};

/// BGV's parameters and the backend that computes on them.
pub type Context = rlwe::Context<Parameters>;
/// BGV's secret key.
pub type SecretKey = rlwe::SecretKey<Parameters>;
/// BGV's public key.
pub type PublicKey = rlwe::PublicKey<Parameters>;
/// BGV's switching key.
pub type SwitchingKey = rlwe::keyswitch::SwitchingKey<Parameters>;
/// BGV's encoded vector: one polynomial modulo T, as its values in the slots.
pub type Plaintext = vectors::Plaintext<Parameters>;
/// BGV's encrypted vector: in each component two polynomials over Q_l, or three before
/// relinearisation.
pub type Ciphertext = vectors::Ciphertext<Parameters>;
/// Computes on BGV's ciphertexts.
pub type Evaluator = vectors::Evaluator<Parameters>;
/// The keys that a server computes with on BGV's ciphertexts.
pub type EvaluationKeys = rlwe::keyswitch::EvaluationKeys<SwitchingKey>;
