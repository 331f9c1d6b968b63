//! What a seed is used for: every object has its own seed, bound to the parameters, the secret and, where it hides one,
//! the message. The construction and its argument: `docs/design/randomness.md`, "Seeds bound to what they make".

use std::io::Write;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::Seed;
use crate::Result;
use crate::rlwe::KeyId;

/// A kind of object, with the parameters and the secret that it belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purpose<'a> {
    /// Kind of object.
    pub kind: &'static [u8],
    /// Of the parameters.
    pub fingerprint: &'a [u8; 16],
    /// Of the secret; [`KeyId::ANY`] for the secret itself.
    pub key: KeyId,
}

impl Purpose<'_> {
    /// The seed for this purpose.
    pub fn seed(&self, seed: &Seed) -> Seed {
        seed.bind(self.kind, &self.name())
    }

    /// The seed for this purpose and for what `content` writes, which is hashed. `context` is bound as well: what else
    /// the object is made from.
    ///
    /// The first content of a seed that came straight from the operating system is not hashed and `content` not called:
    /// no other content can have the same seed.
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
            content(&mut hash)?;
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

/// Hashes what is written.
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

    /// The operating system's seed serves one content as it is; after that, and as a copy, it is bound to what it makes.
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
