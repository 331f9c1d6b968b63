//! Secret and public keys, encryption and decryption.

mod decrypt;
mod encrypt;
mod public;
mod secret;
mod sharing;

pub use public::PublicKey;
pub use secret::SecretKey;
pub(crate) use sharing::Answers;
pub use sharing::Sharing;
