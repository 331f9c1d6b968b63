//! Sizes of keys and ciphertexts.

use ringjet::{Bootstrapper, Parameters};
use ringjet_math::Basis;
use serde::Serialize;

use crate::Result;

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
        let packed = |basis: &Basis| packed(basis, params);
        let top = &params.level(params.top_level()).basis;
        let encryption = params.encryption_basis();
        let (q, extended) = (top.len() as u64, params.extended().len() as u64);
        let dnum = params.dnum() as u64;
        Self {
            switching_key_at_rest: dnum * packed(params.extended()),
            switching_key_in_memory: 2 * dnum * extended * limb,
            public_key_at_rest: packed(&encryption),
            public_key_in_memory: 2 * encryption.len() as u64 * limb,
            ciphertext_at_rest: 2 * packed(top),
            ciphertext_seeded_at_rest: packed(top),
            ciphertext_in_memory: 2 * q * limb,
        }
    }
}

/// Bytes of a polynomial whose residues take the bits of their prime.
fn packed(basis: &Basis, params: &Parameters) -> u64 {
    let bits: u64 = basis.primes().iter().map(|q| u64::from(q.modulus().bits())).sum();
    bits * params.n() as u64 / 8
}

/// All evaluation keys for bootstrapping ciphertexts with all slots, each for the levels at which it is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct BootstrapKeys {
    /// Relinearisation, automorphisms, and two for the ephemeral secret.
    pub count: usize,
    pub at_rest: u64,
    pub in_memory: u64,
    /// With one half of each as a seed.
    pub in_memory_compressed: u64,
}

impl BootstrapKeys {
    /// Of `params`; `None` where they cannot bootstrap.
    pub fn of(params: &Parameters) -> Result<Option<Self>> {
        if params.bootstrap().is_none() {
            return Ok(None);
        }
        let request = Bootstrapper::key_plan(params, params.log_n() - 1)?;
        let sizes = request.sizes(params)?;
        Ok(Some(Self {
            count: sizes.count,
            at_rest: sizes.bytes_at_rest,
            in_memory: sizes.memory_bytes,
            in_memory_compressed: sizes.compressed_memory_bytes,
        }))
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
