//! Parameters: a public *spec* becomes an immutable, checked [`Parameters`]; nothing else accepts a spec.

mod checked;
mod noisy;
mod presets;
pub mod security;
mod spec;

pub use checked::{LevelPlans, Parameters};
pub use presets::{PRESET_NAMES, Preset, preset, presets};
pub use security::SecurityLevel;
pub use spec::{ModulusSpec, ParamSpec};
