//! Secret and public seeds, and the derivation of seeds from seeds.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// An error of a random generator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message above each variant says what its fields are")]
pub enum RngError {
    /// The operating system refused to give random bytes.
    #[error("the operating system gives no random bytes: {reason}")]
    Entropy { reason: String },
    /// The Hamming weight is zero or larger than the number of coefficients.
    #[error("a Hamming weight of {weight} is outside 1..={n}")]
    Weight { weight: usize, n: usize },
    /// The flooding noise is too wide for the integers that hold it.
    #[error("flooding noise of {bits} bits is wider than the {max} bits supported")]
    Flooding { bits: u32, max: u32 },
}

/// 32 secret bytes, the key of a ChaCha20 stream. Zeroized on drop and never printed.
///
/// The type is not `Copy`, so that each copy is visible in the code. It has no comparison, which
/// would not be constant time.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Seed {
    bytes: [u8; 32],
    /// Whether the seed came from the operating system and has not been used for a message yet.
    #[zeroize(skip)]
    fresh: AtomicBool,
}

impl Clone for Seed {
    /// The copy is not fresh, so that two messages never use the same seed.
    fn clone(&self) -> Self {
        Self::from_bytes(self.bytes)
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

/// Flag of the inputs of derivation. Streams of samples use block counters below 2^32.
const DERIVE: u64 = 1 << 63;
const PUBLIC: u64 = 1 << 62;
const BIND: u64 = 1 << 61;

impl Seed {
    /// A new seed from the operating system.
    /// Fails with [`RngError::Entropy`] if the system gives no random bytes.
    pub fn from_os() -> Result<Self, RngError> {
        let mut seed = Self::from_bytes([0; 32]);
        getrandom::fill(&mut seed.bytes).map_err(|e| RngError::Entropy { reason: e.to_string() })?;
        seed.fresh = AtomicBool::new(true);
        Ok(seed)
    }

    /// A seed with the given bytes: a stored one, or a fixed one in a test. Bytes that can be
    /// guessed give no security.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self { bytes, fresh: AtomicBool::new(false) }
    }

    /// Whether the seed came from the operating system; true at most once, at the first call.
    pub(crate) fn take_fresh(&self) -> bool {
        self.fresh.swap(false, Ordering::Relaxed)
    }

    /// The secret bytes, for storing them or for use as the key of a cipher.
    pub fn expose(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// The secret seed that (`label`, `index`) names under this seed.
    ///
    /// Seeds of different names are independent and uniform to everyone who does not know `self`,
    /// even to those who know all other derived seeds and all streams sampled from `self`, as long
    /// as ChaCha20's block function is a PRF. `docs/design/randomness.md`, "Seeds from seeds",
    /// defines the construction and gives the argument.
    pub fn derive(&self, label: &[u8], index: u64) -> Seed {
        Self::from_key(&self.cascade(DERIVE, label, index, &[]))
    }

    /// The secret seed that (`label`, `data`) names under this seed; `data` may have any length. It
    /// is independent of all other derived seeds, as in [`Seed::derive`].
    pub(crate) fn bind(&self, label: &[u8], data: &[u8]) -> Seed {
        Self::from_key(&self.cascade(DERIVE | BIND, label, data.len() as u64, data))
    }

    fn from_key(key: &[u8; 32]) -> Self {
        let mut seed = Self::from_bytes([0; 32]);
        seed.bytes.copy_from_slice(key);
        seed
    }

    /// The public seed that (`label`, `index`) names under this seed. Publishing it reveals nothing
    /// about `self` or any other derived seed. It differs from the seed that [`Seed::derive`]
    /// returns for the same name.
    pub(crate) fn derive_public(&self, label: &[u8], index: u64) -> PublicSeed {
        PublicSeed(*self.cascade(DERIVE | PUBLIC, label, index, &[]))
    }

    /// The cascade `K <- first 32 bytes of block(K, input)` over blocks of 16 bytes: `kind +
    /// len(label) | index`, then the label and the data, each padded with zeros.
    fn cascade(&self, kind: u64, label: &[u8], index: u64, data: &[u8]) -> Zeroizing<[u8; 32]> {
        let mut key = Zeroizing::new(self.bytes);
        prf(&mut key, kind | label.len() as u64, index);
        for chunk in label.chunks(16).chain(data.chunks(16)) {
            let mut block = [0u8; 16];
            block[..chunk.len()].copy_from_slice(chunk);
            let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|j| block[8 * i + j]));
            prf(&mut key, word(0), word(1));
        }
        key
    }
}

/// Replaces `key` by the first 32 bytes of its ChaCha20 block with this counter and nonce.
fn prf(key: &mut [u8; 32], counter: u64, nonce: u64) {
    let mut rng = ChaCha20Rng::from_seed(*key);
    rng.set_stream(nonce);
    rng.set_word_pos(u128::from(counter) << 4);
    rng.fill_bytes(key);
    rng = ChaCha20Rng::from_seed([0; 32]);
    std::hint::black_box(&rng);
}

/// 32 public bytes that expand to the uniform half of a key or ciphertext.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PublicSeed([u8; 32]);

impl PublicSeed {
    /// A seed with the given bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes of the seed.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for PublicSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for PublicSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicSeed({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// An independent implementation computed these values.
    #[test]
    fn known_answers() {
        let root = Seed::from_bytes(std::array::from_fn(|i| i as u8));
        let hex = |s: Seed| PublicSeed(*s.expose()).to_string();
        let empty = "375a9ca8c00440c8c36bab6a7925353cc99f1eaf6b83748da6e081b2d2230e94";
        assert_eq!(hex(root.derive(b"", 0)), empty);
        let secret = "9cd436529183e2473de03be87b13f01e7564797e64a1b8e1cc5cfdbce07d1114";
        assert_eq!(hex(root.derive(b"relinearization key", 3)), secret);
        let public = "f4e829939d0f87fe9d9ee87ae50fcf42e806d8e93957607646181a52fee28615";
        assert_eq!(root.derive_public(b"relinearization key", 3).to_string(), public);
        let bound = "da22844a7f8b78a18ebecee30660e68d8986f5860cdfd9f1bf15dbe887ac5366";
        assert_eq!(hex(root.bind(b"relinearization key", b"01234567890123456789")), bound);
    }

    #[test]
    fn secrets_are_not_printed() {
        assert_eq!(format!("{:?}", Seed::from_bytes([0xab; 32])), "Seed(..)");
        assert!(format!("{:?}", PublicSeed::from_bytes([0xab; 32])).contains("abab"));
    }

    #[test]
    fn names_do_not_collide() {
        let root = Seed::from_bytes([7; 32]);
        let mut seen = HashSet::new();
        // Some of these names would collide under a careless encoding: of padding, of order, or of
        // label against index.
        let labels: [&[u8]; 10] = [
            b"",
            b"\0",
            b"\0\0",
            b"a",
            b"a\0",
            b"b",
            b"0123456789abcdef",
            b"0123456789abcdef\0",
            b"0123456789abcdefg",
            b"0123456789abcdef0123456789abcdef",
        ];
        for label in labels {
            for index in [0, 1, 2, 255, 1 << 32, 1 << 62, 1 << 63, u64::MAX] {
                assert!(seen.insert(*root.derive(label, index).expose()), "{label:?} {index}");
                assert!(seen.insert(*root.derive_public(label, index).as_bytes()), "{label:?} {index}");
                assert_eq!(root.derive(label, index).expose(), root.derive(label, index).expose());
            }
            // The same bytes divided differently, and bytes with zeros at the end.
            for data in [&b""[..], b"\0", b"a", b"a\0", b"0123456789abcdef", b"0123456789abcdef\0", &[0; 33]] {
                assert!(seen.insert(*root.bind(label, data).expose()), "{label:?} {data:?}");
            }
        }
    }

    #[test]
    fn one_step_is_the_chacha20_block() {
        // The key of RFC 8439, section 2.3.2, with counter and nonce as this crate lays them out:
        // an empty label is one block with counter 2^63 and nonce = index.
        let key: [u8; 32] = std::array::from_fn(|i| i as u8);
        let mut rng = ChaCha20Rng::from_seed(key);
        rng.set_stream(5);
        rng.set_word_pos((1u128 << 63) << 4);
        let mut want = [0; 32];
        rng.fill_bytes(&mut want);
        assert_eq!(Seed::from_bytes(key).derive(b"", 5).expose(), &want);
    }

    #[test]
    fn the_operating_system_gives_different_seeds() {
        assert_ne!(Seed::from_os().unwrap().expose(), Seed::from_os().unwrap().expose());
    }
}
