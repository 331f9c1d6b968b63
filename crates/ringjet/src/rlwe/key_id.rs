//! The identity of a secret, and seeds bound to it. Every object has its own seed, bound to the
//! parameters, the secret and, if the object hides a message, to the message. The construction and
//! the argument are in `docs/design/randomness.md`, "Seeds bound to what they make".

use std::fmt;
use std::io::Write;

use ringjet_backend::BackendError;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::rng::Seed;
use crate::{Error, Result};

/// 16 public bytes that are made with each secret. The secret's public key, evaluation keys and
/// ciphertexts carry them. They tell honest objects apart. They prove nothing, as whoever has the
/// bytes of an object can change them.
///
/// [`KeyId::ANY`] belongs to objects that no secret made: transparent ciphertexts, empty sets of
/// keys, and objects without values on a backend that computes nothing. It matches every identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId([u8; 16]);

impl KeyId {
    /// The identity of objects that belong to no secret in particular: all zeros.
    pub const ANY: Self = Self([0; 16]);

    /// The identity of these bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The identity of the secret that expands from `seed`: a public derivation, which reveals
    /// nothing about the secret. For a random seed it is [`KeyId::ANY`] with probability 2^-128.
    pub(crate) fn of_secret(seed: &Seed) -> Self {
        let public = seed.derive_public(b"ringjet key identity", 0);
        Self(std::array::from_fn(|i| public.as_bytes()[i]))
    }

    /// Whether this identity is [`KeyId::ANY`].
    pub fn is_any(&self) -> bool {
        *self == Self::ANY
    }

    /// This identity, or `other` if this is [`KeyId::ANY`].
    pub(crate) fn or(self, other: Self) -> Self {
        if self.is_any() { other } else { self }
    }

    /// The identity of a result computed from objects with the identities `self` and `other`;
    /// `what` names the object with the identity `other`. Fails with [`Error::KeyMismatch`] for two
    /// different secrets.
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

/// A kind of object, with the parameters and the secret that it belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purpose<'a> {
    pub kind: &'static [u8],
    pub fingerprint: &'a [u8; 16],
    /// Key id of the secret; [`KeyId::ANY`] if the object is the secret itself.
    pub key: KeyId,
}

impl Purpose<'_> {
    /// The seed for this purpose, derived from `seed`.
    pub fn seed(&self, seed: &Seed) -> Seed {
        seed.bind(self.kind, &self.name())
    }

    /// The seed for this purpose, also bound to `context` and to the hash of the bytes that
    /// `content` writes. `content` is the message; `context` is the other input that the object is
    /// made from.
    ///
    /// If `seed` came straight from the operating system and is used for the first time, `content`
    /// is neither called nor hashed, as no other message can have this seed.
    pub fn seed_of(
        &self,
        seed: &Seed,
        context: &[u8],
        content: impl FnOnce(&mut dyn Write) -> Result<()>,
    ) -> Result<Seed> {
        let mut name = Zeroizing::new(self.name().to_vec());
        name.extend_from_slice(context);
        if !seed.take_fresh() {
            let mut hash = Hashing(Sha256::new());
            match content(&mut hash) {
                // a backend that only counts has no bytes to hash, and draws nothing from the seed
                Err(Error::Backend(BackendError::NoValues { .. })) => {}
                written => written?,
            }
            let digest: Zeroizing<[u8; 32]> = Zeroizing::new(hash.0.finalize().into());
            name.extend_from_slice(&*digest);
        }
        Ok(seed.bind(self.kind, &name))
    }

    fn name(&self) -> [u8; 32] {
        let mut name = [0; 32];
        name[..16].copy_from_slice(self.fingerprint);
        name[16..].copy_from_slice(self.key.as_bytes());
        name
    }
}

struct Hashing(Sha256);

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

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

    fn made(seed: &Seed, purpose: &Purpose<'_>, context: &[u8], content: &'static [u8]) -> [u8; 32] {
        let write = |out: &mut dyn Write| {
            out.write_all(content).unwrap();
            Ok(())
        };
        *purpose.seed_of(seed, context, write).unwrap().expose()
    }

    #[test]
    fn every_part_of_a_name_counts() {
        let fingerprints = [[0; 16], [1; 16]];
        let mut seen = HashSet::new();
        for seed in [1, 2].map(|i| Seed::from_bytes([i; 32])) {
            for kind in [&b"a"[..], b"b"] {
                for fingerprint in &fingerprints {
                    for key in [KeyId::ANY, KeyId::from_bytes([1; 16])] {
                        let purpose = Purpose { kind, fingerprint, key };
                        assert!(seen.insert(*purpose.seed(&seed).expose()));
                        for context in [&b""[..], &[7; 32]] {
                            for content in [&b""[..], b"x", b"y"] {
                                assert!(seen.insert(made(&seed, &purpose, context, content)));
                                assert!(seen.contains(&made(&seed, &purpose, context, content)));
                            }
                        }
                    }
                }
            }
        }
    }

    /// A seed from the operating system is used for one message without hashing it. Later uses, and
    /// copies of the seed, are bound to the message.
    #[test]
    fn only_the_first_content_of_a_fresh_seed_is_not_hashed() {
        let purpose = Purpose { kind: b"a", fingerprint: &[3; 16], key: KeyId::ANY };
        let fresh = Seed::from_os().unwrap();
        let copy = fresh.clone();
        let called = |seed: &Seed| {
            let mut called = false;
            let made = purpose.seed_of(seed, b"", |_| {
                called = true;
                Ok(())
            });
            (called, *made.unwrap().expose())
        };
        let (hashed, first) = called(&fresh);
        assert!(!hashed);
        let (hashed, second) = called(&fresh);
        assert!(hashed && first != second);
        assert_eq!(called(&copy), (true, second));
        assert_eq!(called(&Seed::from_bytes(*copy.expose())), (true, second));
        assert!(called(&Seed::from_os().unwrap().derive(b"", 0)).0);
    }
}
