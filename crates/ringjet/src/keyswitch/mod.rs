//! Hybrid key switching: seeded keys, their generation, and their application.

mod apply;
mod generate;
mod keyset;

pub(crate) use apply::{Finish, apply, apply_hoisted, hoist};
pub(crate) use keyset::{Encapsulation, KeyAt};
pub use keyset::{EvaluationKeys, KeyRequest, SwitchingKey};
