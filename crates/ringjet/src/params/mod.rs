//! Parameters: a public *spec* becomes an immutable, checked [`Parameters`]; nothing else accepts a spec.

mod chain;
mod checked;
mod derive;
pub(crate) mod ephemeral;
mod noisy;
mod paper;
mod presets;
mod ring;
pub mod security;
mod spec;

pub use chain::{BootstrapChain, ExplainedLevel, Explanation, UpperLevels};
pub(crate) use checked::Descent;
pub use checked::{LevelPlans, Parameters};
pub(crate) use derive::{fingerprint_of, hexadecimal};
pub use ephemeral::ephemeral_security;
pub use paper::{DIFFERENCES as PAPER_DIFFERENCES, PAPER_NAMES, PaperSet, paper_set};
pub use presets::{PRESET_NAMES, Preset, bootstrap_chain, preset, presets};
pub(crate) use ring::{Cache, Ring, cached};
pub use security::SecurityLevel;
pub use spec::{BootstrapSpec, LevelSpec, ModulusSpec, ParamSpec};
