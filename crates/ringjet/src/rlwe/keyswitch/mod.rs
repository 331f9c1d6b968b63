//! Hybrid key switching: seeded keys, their generation, and their application.

mod apply;
mod generate;
mod key;
mod keyset;
mod progress;
mod request;
mod uncomputed;

pub(crate) use apply::{Finish, apply, hoist, rotations};
pub(crate) use key::KeyAt;
pub use key::{KeyMemory, SwitchingKey};
pub(crate) use keyset::{Encapsulation, RELINEARIZATION};
pub use keyset::{EvaluationKeys, Key};
pub(crate) use progress::{Check, Progress};
pub use request::{KeyRequest, KeySizes};
pub(crate) use uncomputed::expect_no_values;
