//! Hybrid key switching: seeded keys, their generation, and their application.

mod generate;
mod key;
mod keyset;
mod request;

pub(crate) use crate::host::{Check, Progress};
pub use crate::rlwe::context::KeyMemory;
pub use crate::rlwe::ring::KeyUse;
pub(crate) use crate::rlwe::ring::RELINEARIZATION;
pub(crate) use key::{Encapsulation, Finish, KeyAt, apply, hoist, rotations};
pub use key::{Key, SwitchingKey};
pub use keyset::EvaluationKeys;
pub(crate) use keyset::expect_no_values;
pub(crate) use request::expect_rotations;
pub use request::{KeyPlan, KeySizes};
