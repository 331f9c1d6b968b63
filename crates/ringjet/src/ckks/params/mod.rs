//! Parameters: a public *spec* becomes immutable, checked [`Parameters`], which all calls take.

mod bootstrap_chain;
mod checked;
mod depth;
mod keyed;
mod level_primes;
mod presets;
mod rise;
mod spec;

pub use crate::rlwe::ModulusSpec;
pub(crate) use bootstrap_chain::SINE_ROOM;
pub use bootstrap_chain::{BootstrapChain, ExplainedLevel, Explanation, UpperLevels};
pub(crate) use checked::BootstrapTransform;
pub use checked::Parameters;
pub(crate) use keyed::{FIRST_FACTOR, turned_apart};
pub use presets::{PRESET_NAMES, bootstrap_chain, preset};
pub(crate) use rise::Rise;
pub use spec::{BootstrapSpec, LevelSpec, ParamSpec};
