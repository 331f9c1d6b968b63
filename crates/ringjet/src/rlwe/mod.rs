//! Secret and public keys, encryption and decryption.

mod decrypt;
mod encrypt;
mod key_id;
mod public;
mod secret;
mod sharing;

pub use key_id::KeyId;
pub use public::PublicKey;
pub use secret::SecretKey;
pub(crate) use sharing::Answers;
pub use sharing::Sharing;
