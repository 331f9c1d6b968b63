//! Sizes of keys and ciphertexts.

use ringjet::Parameters;
use ringjet_math::Basis;
use serde::Serialize;

/// Bytes of each kind of object under one parameter set; at rest without the header, of about a hundred bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// A relinearisation, rotation or conjugation key as stored or sent: residues take the bits of their prime, and half
    /// of the key comes from 32 bytes.
    pub switching_key_at_rest: u64,
    /// The same, expanded for use.
    pub switching_key_in_memory: u64,
    /// The encryption key as stored or sent.
    pub public_key_at_rest: u64,
    /// The same, expanded for use.
    pub public_key_in_memory: u64,
    /// A ciphertext at the top level as stored or sent.
    pub ciphertext_at_rest: u64,
    /// The same, fresh from secret-key encryption: half of it comes from 32 bytes.
    pub ciphertext_seeded_at_rest: u64,
    /// A ciphertext at the top level in memory.
    pub ciphertext_in_memory: u64,
}

impl Sizes {
    /// Of `params`.
    pub fn of(params: &Parameters) -> Self {
        let limb = 8 * params.n() as u64;
        let packed = |basis: &Basis| {
            let bits: u64 = basis.primes().iter().map(|q| u64::from(q.modulus().bits())).sum();
            bits * params.n() as u64 / 8
        };
        let (q, extended) = (params.q().len() as u64, params.extended().len() as u64);
        let dnum = params.dnum() as u64;
        Self {
            switching_key_at_rest: dnum * packed(params.extended()),
            switching_key_in_memory: 2 * dnum * extended * limb,
            public_key_at_rest: packed(&params.encryption_basis()),
            public_key_in_memory: 2 * (q + 1) * limb,
            ciphertext_at_rest: 2 * packed(params.q()),
            ciphertext_seeded_at_rest: packed(params.q()),
            ciphertext_in_memory: 2 * q * limb,
        }
    }
}

/// Counts what is written and keeps nothing.
#[derive(Default)]
pub struct Counter(pub u64);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
