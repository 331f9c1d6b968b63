//! Hybrid key switching: seeded keys, their generation, and their application.

mod apply;
mod generate;
mod keyset;

pub(crate) use apply::{apply, hoist, switch_digits};
pub use keyset::{EvaluationKeys, KeyRequest, SwitchingKey};
