//! Secret keys as bytes: two bits a coefficient, no branch and no address that depends on one.

use zeroize::Zeroizing;

use super::header::open;
use super::{CHECKSUM_LEN, HEADER_LEN, Header, Input, Kind, Limits, ParameterSet};
use crate::{KeyId, Parameters, Result, SecretKey};

impl SecretKey {
    /// The key in the wire format, in memory that is wiped when dropped. **Whoever has these bytes reads everything
    /// that was ever encrypted under this key.** They are not encrypted and not authenticated: where they are stored
    /// is up to the caller.
    pub fn to_secret_bytes(&self) -> Zeroizing<Vec<u8>> {
        write(Kind::SecretKey, self.params(), self.key_id(), self.coefficients(), self.answers_given())
    }

    /// Reads what [`SecretKey::to_secret_bytes`] wrote, and nothing else.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`] for a key of other parameters; [`crate::Error::Malformed`],
    /// [`crate::Error::NewerVersion`], [`crate::Error::TooManyBytes`].
    pub fn from_secret_bytes(params: &Parameters, bytes: &[u8], limits: Limits) -> Result<Self> {
        let Stored { key, coefficients, answers, .. } = read(Kind::SecretKey, params, params.n(), bytes, limits)?;
        Ok(Self::from_coefficients(params, key, coefficients, answers))
    }
}

const NO_COEFFICIENT: &str = "a coefficient is none of -1, 0, 1";

/// Bytes of the number of answers.
const ANSWERS_LEN: usize = 8;

/// What the bytes of a secret key of either scheme say.
pub(super) struct Stored {
    pub(super) key: KeyId,
    /// In {-1, 0, 1}.
    pub(super) coefficients: Zeroizing<Vec<i8>>,
    /// How many of them are not 0.
    pub(super) weight: u32,
    /// How many decryptions were shared.
    pub(super) answers: u64,
}

/// A secret key of either scheme.
pub(super) fn write(
    kind: Kind,
    params: &impl ParameterSet,
    key: KeyId,
    coefficients: &[i8],
    answers: u64,
) -> Zeroizing<Vec<u8>> {
    let body = coefficients.len() / 4 + ANSWERS_LEN;
    let header = Header::new(kind, false, params, body).with_key(key);
    // of the final size from the start: a vector that grows leaves copies behind
    let mut out = Zeroizing::new(Vec::with_capacity(HEADER_LEN + body + CHECKSUM_LEN));
    out.extend_from_slice(&header.encode());
    let pack = |four: &[i8; 4]| four.iter().rev().fold(0, |byte, &c| byte << 2 | (c as u8 & 3));
    out.extend(coefficients.as_chunks::<4>().0.iter().map(pack));
    out.extend_from_slice(&answers.to_le_bytes());
    let checksum = crc32(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

/// Reads one of `n` coefficients.
pub(super) fn read(kind: Kind, params: &impl ParameterSet, n: usize, bytes: &[u8], limits: Limits) -> Result<Stored> {
    let (header, mut r) = open(kind, Some(params), bytes, limits)?;
    let refused = r.malformed(NO_COEFFICIENT);
    r.expect_remaining(n / 4 + ANSWERS_LEN)?;
    let mut coefficients = Zeroizing::new(vec![0i8; n]);
    let (mut invalid, mut weight) = (0, 0);
    for (byte, out) in r.take(n / 4)?.iter().zip(coefficients.as_chunks_mut::<4>().0) {
        for (i, out) in out.iter_mut().enumerate() {
            let pair = byte >> (2 * i) & 3;
            invalid |= pair >> 1 & !pair; // 2 is no coefficient
            weight += u32::from(pair & 1);
            *out = ((pair << 6) as i8) >> 6;
        }
    }
    let answers = u64::from_le_bytes(r.array()?);
    if invalid & 1 == 1 { Err(refused) } else { Ok(Stored { key: header.key, coefficients, weight, answers }) }
}

/// CRC-32 (IEEE) bit by bit: `crc32fast` would look up secret bytes in a table where the processor has no carry-less
/// multiplication.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |c, _| c >> 1 ^ 0xedb8_8320 & (c & 1).wrapping_neg())
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn crc32_agrees_with_the_fast_one() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926); // the check value of CRC-32/ISO-HDLC
        let bytes: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for len in [0, 1, 7, 63, 64, 999] {
            assert_eq!(super::crc32(&bytes[..len]), crc32fast::hash(&bytes[..len]));
        }
    }
}
