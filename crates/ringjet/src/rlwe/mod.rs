//! The common part of all schemes over rings: secrets, keys, key switching, and contexts.

mod chain;
mod context;
pub(crate) mod ephemeral;
pub(crate) mod errors;
mod estimate;
mod key_id;
mod keys;
pub mod keyswitch;
mod modulus;
mod noisy;
pub(crate) mod pieces;
mod ring;
pub mod security;
mod sharing;

pub(crate) use chain::LevelSwitch;
pub use chain::{Chain, LevelPlans};
pub(crate) use chain::{ChainParts, MATRIX_BITS, MatrixPlans, RaisingPlans};
pub use context::{ChainParameters, Context, KeyMemory, SchemeParameters, Scope};
pub(crate) use context::{encrypt_zero, parameter_set};
pub use ephemeral::{certain_security, ephemeral_security};
pub use estimate::primal_security;
pub use key_id::KeyId;
pub(crate) use key_id::{Purpose, hexadecimal};
pub use keys::{PublicKey, SecretKey};
pub use modulus::ModulusSpec;
pub use noisy::NoisyDivision;
pub use ring::Ring;
pub(crate) use ring::{Cache, MAX_LOG_N, cached};
pub use security::SecurityLevel;
pub(crate) use sharing::{Answers, WIDEST, possible_bits};
pub use sharing::{CountAnswers, Sharing};
