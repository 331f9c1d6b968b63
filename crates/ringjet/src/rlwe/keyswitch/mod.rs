//! Hybrid key switching: seeded keys, their generation, and their application.

mod at;
mod generate;
mod key;
mod keyset;
mod matrix;
mod request;

pub(crate) use crate::host::{Check, Progress};
pub use crate::rlwe::context::KeyMemory;
pub use crate::rlwe::ring::KeyUse;
pub(crate) use crate::rlwe::ring::RELINEARIZATION;
pub(crate) use at::KeyAt;
pub(crate) use generate::{PairSeeds, Pairs, errors, inverse_element, key_for, key_limbs};
pub(crate) use key::{Encapsulation, Encapsulations, ReturnKeys, SwitchTail, apply, hoist, rotations};
pub use key::{Key, SwitchingKey};
pub use keyset::EvaluationKeys;
pub(crate) use keyset::expect_no_values;
pub(crate) use matrix::MatrixKeys;
pub(crate) use request::expect_rotations;
pub use request::{KeyPlan, KeySizes};

/// Most keys that are expanded at a time: all those of a bootstrapping matrix take gigabytes. Each
/// further batch passes over all sums again, in less time than expanding its keys.
pub(crate) const EXPANDED_AT_ONCE: usize = 4;
