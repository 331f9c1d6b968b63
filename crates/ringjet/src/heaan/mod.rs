//! HEAAN: CKKS modulo powers of two, with big-integer coefficients (Cheon, Kim, Kim and Song,
//! ASIACRYPT 2017). The arithmetic is that of Jung et al., "HEAAN Demystified", sections II to IV.
//!
//! A ciphertext is two polynomials (b, a) modulo `2^log_q`. It decrypts to `b + a * s`, the scaled
//! message plus an error. The modulus can have any number of bits, so rescaling divides by any
//! power of two, and scales are exact powers of two. Products are computed in residues, modulo as
//! many primes as the current modulus needs.
//!
//! The types have the same names as in [`crate::ckks`]: [`ParamSpec`], [`Parameters`], [`Context`],
//! [`SecretKey`], [`PublicKey`], [`EvaluationKeys`], [`Plaintext`], [`Ciphertext`], [`Evaluator`].
//! The evaluator's explicit methods align nothing; methods whose names end in `_auto` rescale,
//! align and bootstrap. A [`Bootstrapper`](crate::circuits::heaan::Bootstrapper) restores modulus.
//! See `docs/design/heaan.md`.
//!
//! ```
//! # use std::sync::Arc;
//! # use ringjet::{KeyPlan, heaan::*, rng::Seed};
//! # fn main() -> ringjet::Result<()> {
//! let params = Parameters::new(&ParamSpec::new(8, 120).allow_insecure())?;
//! let ctx = Context::new(&params, Arc::new(ringjet_backend::Reference::default()));
//! let secret = SecretKey::generate(&params)?;
//! let keys = secret.evaluation_keys(&ctx, &KeyPlan::rotations([1]), &Seed::from_os()?, |_, _| true)?;
//! let eval = Evaluator::new(&ctx, Arc::new(keys))?;
//!
//! let x = Plaintext::encode_real(&ctx, &[0.5, -0.25], 30, 1)?;
//! let x = secret.encrypt(&ctx, &x, &Seed::from_os()?)?;
//! let y = eval.rescale(&eval.mul(&x, &eval.rotate(&x, 1)?)?, 30)?;
//! assert_eq!((y.log_q(), y.log_scale()), (90, 30));
//! assert!((secret.decrypt_values(&ctx, &y)?.real()[0] + 0.125).abs() < 1e-3);
//! # Ok(()) }
//! ```

mod auto;
mod bootstrap;
mod bytes;
mod ciphertext;
mod context;
mod encrypt;
mod eval;
mod keys;
pub(crate) mod noise;
mod params;
mod spec;

pub use bootstrap::{BootstrapSpec, Budget, Step};
pub(crate) use bootstrap::{FLAT_GIANT_COST, GUARD_BITS, bootstrapped, expect_margin, groups};
pub(crate) use ciphertext::Position;
pub(crate) use eval::MAX_RAISE;
pub use keys::{EvaluationKeys, SwitchingKey};
pub(crate) use params::SPARE_BITS;
pub use params::{Context, PRESET_NAMES, Parameters, preset};
pub use spec::{ParamSpec, Secret};

use crate::{rlwe, vectors};

/// HEAAN's secret key.
pub type SecretKey = rlwe::SecretKey<Parameters>;
/// HEAAN's public key, modulo `2^log_q` of the parameters.
pub type PublicKey = rlwe::PublicKey<Parameters>;
/// HEAAN's encoded vector: one polynomial of integers. It can be combined with ciphertexts of every
/// modulus that has room for these integers.
pub type Plaintext = vectors::Plaintext<Parameters>;
/// HEAAN's encrypted vector: two polynomials of integers modulo `2^log_q`, with the exact scale
/// `2^log_scale`.
pub type Ciphertext = vectors::Ciphertext<Parameters>;
/// Computes on HEAAN's ciphertexts.
pub type Evaluator = vectors::Evaluator<Parameters>;
