//! ringjet computes on encrypted vectors of numbers.
//!
//! A client encrypts, an untrusted server computes, and only the client can read the result. This
//! crate holds the schemes (CKKS, and HEAAN in [`heaan`]) and their circuits. It knows no machine:
//! a [`Context`] is made from [`Parameters`] and any [`ringjet_backend::Backend`].
#![forbid(unsafe_code)]

pub mod approximate;
pub mod bgv;
pub mod circuits;
pub mod ckks;
mod diagonals;
pub mod dynamic;
mod error;
pub mod files;
pub mod heaan;
mod host;
pub mod noise;
pub mod parties;
pub mod program;
pub mod rlwe;
pub mod rng;
pub mod steps;
pub mod vectors;
pub mod wire;

pub use approximate::Values;
pub use circuits::Bootstrapper;
pub use ckks::params::{self, ParamSpec, Parameters, preset};
pub use ckks::{Ciphertext, Context, EvaluationKeys, Evaluator, Plaintext, PublicKey, SecretKey, SwitchingKey};
pub use error::{Description, Error, Field, Number, Result, Unit};
pub use noise::{Noise, Range, Scale, Stated};
pub use rlwe::keyswitch::{KeyMemory, KeyPlan, KeySizes, KeyUse};
pub use rlwe::{KeyId, Scope, SecurityLevel};
pub use vectors::{Refresh, Rows};
