//! What all schemes over rings have in common: secrets, keys, key switching, and the contexts they live in.

mod context;
pub(crate) mod ephemeral;
mod fingerprint;
mod key_id;
pub mod keyswitch;
mod noisy;
mod public;
mod ring;
mod secret;
pub mod security;
mod sharing;

pub(crate) use context::upload_each;
pub use context::{Context, Scope};
pub use ephemeral::ephemeral_security;
pub(crate) use fingerprint::{digest, hexadecimal};
pub use key_id::KeyId;
pub(crate) use noisy::NoisyDivision;
pub use public::PublicKey;
pub(crate) use ring::{Cache, Ring, cached};
pub use secret::SecretKey;
pub use security::SecurityLevel;
pub(crate) use sharing::Answers;
pub use sharing::Sharing;
