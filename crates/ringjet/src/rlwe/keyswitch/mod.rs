//! Hybrid key switching: seeded keys, their generation, and their application.

mod apply;
mod generate;
mod key;
mod keyset;
mod request;
mod uncomputed;

pub(crate) use crate::host::{Check, Progress};
pub use crate::rlwe::context::KeyMemory;
pub use crate::rlwe::ring::KeyUse;
pub(crate) use crate::rlwe::ring::RELINEARIZATION;
pub(crate) use apply::{Finish, apply, hoist, rotations};
pub(crate) use key::{Encapsulation, KeyAt};
pub use key::{Key, SwitchingKey};
pub use keyset::EvaluationKeys;
pub(crate) use request::expect_rotations;
pub use request::{KeyPlan, KeySizes};
pub(crate) use uncomputed::expect_no_values;
