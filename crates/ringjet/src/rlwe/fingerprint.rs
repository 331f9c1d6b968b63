//! Sixteen bytes that identify a parameter set.

use sha2::{Digest, Sha256};

/// The first 16 bytes of SHA-256 of `domain`, a name that ends in a zero byte, and `bytes`.
pub(crate) fn digest(domain: &str, bytes: &[u8]) -> [u8; 16] {
    let hash: [u8; 32] = Sha256::new().chain_update(domain).chain_update([0]).chain_update(bytes).finalize().into();
    std::array::from_fn(|i| hash[i])
}

/// A fingerprint as text.
pub(crate) fn hexadecimal(fingerprint: &[u8; 16]) -> String {
    fingerprint.iter().map(|b| format!("{b:02x}")).collect()
}
