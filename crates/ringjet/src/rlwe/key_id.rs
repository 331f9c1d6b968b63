//! Which secret an object belongs to.

use std::fmt;

use crate::rng::Seed;
use crate::{Error, Result};

/// 16 public bytes made with each secret, and carried by everything that belongs to it: its public key, its evaluation
/// keys, and ciphertexts. They tell honest objects apart. They prove nothing, as whoever has the bytes of an object can
/// change them.
///
/// [`KeyId::ANY`] belongs to objects that no secret made: transparent ciphertexts, empty sets of keys, and objects
/// without values on a backend that computes nothing. It goes with every other one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId([u8; 16]);

impl KeyId {
    /// Of what belongs to no secret in particular: all zeros.
    pub const ANY: Self = Self([0; 16]);

    /// The identity of these bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Of the secret that expands from `seed`. It is a public derivation, which tells nothing about the secret; of a
    /// random seed it is [`KeyId::ANY`] with probability 2^-128.
    pub(crate) fn of_secret(seed: &Seed) -> Self {
        let public = seed.derive_public(b"ringjet key identity", 0);
        Self(std::array::from_fn(|i| public.as_bytes()[i]))
    }

    /// Whether it is [`KeyId::ANY`].
    pub fn is_any(&self) -> bool {
        *self == Self::ANY
    }

    /// This one, or `other` where this is [`KeyId::ANY`].
    pub fn or(self, other: Self) -> Self {
        if self.is_any() { other } else { self }
    }

    /// The identity of what is made of both; `what` has the identity `other`.
    /// Fails with [`Error::KeyMismatch`] for identities of two secrets.
    pub fn join(self, what: &'static str, other: Self) -> Result<Self> {
        if self == other || other.is_any() {
            return Ok(self);
        }
        if self.is_any() {
            return Ok(other);
        }
        Err(Error::KeyMismatch { what, expected: self.to_string(), found: other.to_string() })
    }
}

/// A fingerprint or an identity as text.
pub(crate) fn hexadecimal(bytes: &[u8; 16]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hexadecimal(&self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_any() { f.write_str("KeyId(any)") } else { write!(f, "KeyId({}..)", &self.to_string()[..8]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_goes_with_all_and_no_other_two_go_together() {
        let [a, b] = [1, 2].map(|i| KeyId::of_secret(&Seed::from_bytes([i; 32])));
        assert!(a != b && !a.is_any());
        for (x, y, made) in [(a, a, a), (a, KeyId::ANY, a), (KeyId::ANY, b, b), (KeyId::ANY, KeyId::ANY, KeyId::ANY)] {
            assert_eq!((x.join("ciphertext", y), x.or(y)), (Ok(made), made));
        }
        let refused = Error::KeyMismatch { what: "ciphertext", expected: a.to_string(), found: b.to_string() };
        assert_eq!(a.join("ciphertext", b), Err(refused));
        assert_eq!(KeyId::from_bytes([0xab; 16]).to_string(), "ab".repeat(16));
        assert_eq!(format!("{:?} {:?}", KeyId::from_bytes([0xab; 16]), KeyId::ANY), "KeyId(abababab..) KeyId(any)");
    }
}
