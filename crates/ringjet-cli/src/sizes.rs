//! Sizes of keys and ciphertexts.

use ringjet::Parameters;
use serde::Serialize;

/// Bytes of each kind of object under one parameter set, headers aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// A relinearisation, rotation or conjugation key as stored or sent: half of it comes from 32 bytes.
    pub switching_key_at_rest: u64,
    /// The same, expanded for use.
    pub switching_key_in_memory: u64,
    /// The encryption key as stored or sent.
    pub public_key_at_rest: u64,
    /// The same, expanded for use.
    pub public_key_in_memory: u64,
    /// A ciphertext at the top level.
    pub ciphertext: u64,
    /// The same, fresh from secret-key encryption: half of it comes from 32 bytes.
    pub ciphertext_seeded: u64,
}

impl Sizes {
    /// Of `params`.
    pub fn of(params: &Parameters) -> Self {
        let limb = 8 * params.n() as u64;
        let (q, extended) = (params.q().len() as u64, params.extended().len() as u64);
        let switching = params.dnum() as u64 * extended * limb;
        Self {
            switching_key_at_rest: switching,
            switching_key_in_memory: 2 * switching,
            public_key_at_rest: (q + 1) * limb,
            public_key_in_memory: 2 * (q + 1) * limb,
            ciphertext: 2 * q * limb,
            ciphertext_seeded: q * limb,
        }
    }
}
