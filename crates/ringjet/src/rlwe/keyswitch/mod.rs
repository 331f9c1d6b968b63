//! Hybrid key switching: seeded keys, their generation, and their application.

mod apply;
mod generate;
mod key;
mod keyset;
mod request;
mod uncomputed;

pub(crate) use apply::{Finish, apply, hoist, rotations};
pub(crate) use key::KeyAt;
pub use key::{KeyMemory, SwitchingKey};
pub(crate) use keyset::Encapsulation;
pub use keyset::EvaluationKeys;
pub use request::{KeyPlan, KeySizes, KeyUse};
pub(crate) use request::{RELINEARIZATION, expect_rotations};
pub(crate) use uncomputed::expect_no_values;
