//! Secret and public keys, encryption and decryption.

mod decrypt;
mod encrypt;
mod key_id;
mod public;
mod secret;

pub(crate) use decrypt::flooding_bits;
pub use key_id::KeyId;
pub use public::PublicKey;
pub use secret::SecretKey;
