//! Randomness: seeds, the public uniform stream, and the distributions of secrets.
//!
//! All random values are deterministic functions of 32-byte seeds, computed with ChaCha20 (20
//! rounds). So keys can be stored as seeds, and tests have known answers.
//! `docs/design/randomness.md` defines the functions bit for bit.
//!
//! * [`Seed`] is secret: it is zeroized on drop and never printed. [`PublicSeed`] is public: it can
//!   be printed and serialised.
//! * A sampler must use a seed for **one** object only. Derive another seed for the next object:
//!   [`Seed::derive`]. Keys and ciphertexts do so themselves: each seed is bound to the parameters,
//!   the secret, the kind of object and, if the object hides a message, to the message.
//! * Samplers of secrets take no branch and no memory address from a secret value, except
//!   [`flooding_gaussian`].

pub mod flooding;
pub(crate) mod gaussian;
pub mod seed;
pub mod seeds;
pub mod ternary;
pub mod uniform;
pub(crate) mod wide;

pub use flooding::flooding_gaussian;
pub(crate) use flooding::wide_gaussian;
pub(crate) use gaussian::gaussian;
pub use seed::{PublicSeed, RngError, Seed};
pub use seeds::Seeds;
pub(crate) use ternary::sparse_ternary;
pub use ternary::ternary;
pub use uniform::stream_id;
pub(crate) use uniform::{uniform_residues, uniform_words};

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use zeroize::Zeroizing;

/// Streams of the samplers: they differ, so no two samplers read the same words of a seed.
mod domain {
    pub(crate) const TERNARY: u64 = 1;
    pub(crate) const SPARSE: u64 = 2;
    pub(crate) const GAUSSIAN: u64 = 3;
    pub(crate) const FLOODING: u64 = 4;
    pub(crate) const UNIFORM: u64 = 5;
}

/// A ChaCha20 stream whose key is a secret seed; it is overwritten on drop.
struct SecretStream(ChaCha20Rng);

impl SecretStream {
    fn new(seed: &Seed, stream: u64) -> Self {
        let mut rng = ChaCha20Rng::from_seed(*seed.expose());
        rng.set_stream(stream);
        Self(rng)
    }

    /// Fills `out` with the next words of the stream, little-endian.
    fn fill(&mut self, out: &mut [u64]) {
        let mut bytes = Zeroizing::new([0u8; 1024]);
        for out in out.chunks_mut(128) {
            let bytes = &mut bytes[..8 * out.len()];
            self.0.fill_bytes(bytes);
            for (w, b) in out.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *w = u64::from_le_bytes(*b);
            }
        }
    }

    /// The next two words as one integer; the first word is the low half.
    fn next_u128(&mut self) -> u128 {
        let low = u128::from(self.0.next_u64());
        low | u128::from(self.0.next_u64()) << 64
    }
}

impl Drop for SecretStream {
    fn drop(&mut self) {
        // rand_chacha keeps key and buffer private, so a fresh generator overwrites them. black_box
        // keeps the compiler from removing the write, as nothing reads it.
        self.0 = ChaCha20Rng::from_seed([0; 32]);
        std::hint::black_box(&self.0);
    }
}

/// Fills `out` with independent secret residues below `q`, in constant time. Each is uniform up to a statistical
/// distance of `q * 2^-128`. Use a seed for one polynomial only.
pub(crate) fn secret_residues(seed: &Seed, q: u64, out: &mut [u64]) {
    let mut stream = SecretStream::new(seed, domain::UNIFORM);
    out.iter_mut().for_each(|x| *x = scale_to(stream.next_u128(), q));
}

/// `floor(x * bound / 2^128)`, in constant time. For uniform x it is uniform on `[0, bound)` up to
/// a statistical distance of `bound * 2^-128`.
#[inline]
fn scale_to(x: u128, bound: u64) -> u64 {
    let low = (x & u128::from(u64::MAX)) * u128::from(bound);
    let high = (x >> 64) * u128::from(bound);
    ((high + (low >> 64)) >> 64) as u64
}
