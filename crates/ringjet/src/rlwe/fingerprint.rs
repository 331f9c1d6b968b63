//! Sixteen bytes that identify a parameter set.

/// Sixteen bytes that stand for a text: two lanes of FNV-1a.
pub(crate) fn fingerprint_of(text: &str) -> [u8; 16] {
    let lane = |offset: u64| text.bytes().fold(offset, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    let mut out = [0; 16];
    out[..8].copy_from_slice(&lane(0xcbf2_9ce4_8422_2325).to_le_bytes());
    out[8..].copy_from_slice(&lane(0x6c62_272e_07bb_0142).to_le_bytes());
    out
}

/// A fingerprint as text.
pub(crate) fn hexadecimal(fingerprint: &[u8; 16]) -> String {
    fingerprint.iter().map(|b| format!("{b:02x}")).collect()
}
