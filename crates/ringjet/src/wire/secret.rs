//! Secret keys as bytes: two bits a coefficient, no branch and no address that depends on one.

use zeroize::Zeroizing;

use super::object::{open, total};
use super::{Field, HEADER_LEN, Header, Input, Limits, Object, ParameterSet, malformed};
use crate::rlwe::SecretKey;
use crate::{KeyId, Result};

const NO_COEFFICIENT: &str = "a coefficient is none of -1, 0, 1";

impl<P: ParameterSet> SecretKey<P> {
    /// The key in the wire format, in memory that is wiped when dropped. **Whoever has these bytes reads everything that was
    /// ever encrypted under this key.** They are not encrypted and not authenticated: where they are stored is up to the
    /// caller.
    pub fn to_secret_bytes(&self) -> Zeroizing<Vec<u8>> {
        write(self.params(), self.key_id(), self.coefficients(), self.answers_given())
    }

    /// Reads what `to_secret_bytes` wrote, and nothing else.
    ///
    /// # Errors
    /// [`ParameterMismatch`](crate::Error::ParameterMismatch) for a key of other parameters;
    /// [`Malformed`](crate::Error::Malformed), also for another weight than that of the parameters;
    /// [`OldVersion`](crate::Error::OldVersion), [`NewerVersion`](crate::Error::NewerVersion),
    /// [`TooManyBytes`](crate::Error::TooManyBytes).
    pub fn from_secret_bytes(params: &P, bytes: &[u8], limits: Limits) -> Result<Self> {
        let Stored { key, coefficients, weight, answers } = read(params, bytes, limits)?;
        match params.secret_weight() {
            Some(expected) if expected != weight => {
                let reason = format!("the secret has not {expected} non-zero coefficients");
                Err(malformed(Object::SecretKey.name(), HEADER_LEN, reason))
            }
            _ => Ok(Self::from_coefficients(params, key, coefficients, answers)),
        }
    }
}

/// Bytes of the number of answers.
const ANSWERS_LEN: usize = 8;

/// What the bytes of a secret key  say.
struct Stored {
    key: KeyId,
    /// In {-1, 0, 1}.
    coefficients: Zeroizing<Vec<i8>>,
    /// How many of them are not 0.
    weight: u32,
    /// How many decryptions were shared.
    answers: u64,
}

/// Writes a secret key of any scheme.
fn write(params: &impl ParameterSet, key: KeyId, coefficients: &[i8], answers: u64) -> Zeroizing<Vec<u8>> {
    let body = coefficients.len() / 4 + ANSWERS_LEN;
    let header = Header::new(Object::SecretKey, params, key, body);
    // of the final size from the start: a vector that grows leaves copies behind
    let mut out = Zeroizing::new(Vec::with_capacity(total(body)));
    out.extend_from_slice(&header.encode());
    let pack = |four: &[i8; 4]| four.iter().rev().fold(0, |byte, &c| byte << 2 | (c as u8 & 3));
    out.extend(coefficients.as_chunks::<4>().0.iter().map(pack));
    out.extend_from_slice(&answers.to_le_bytes());
    let checksum = crc32(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

/// Reads a secret key of any scheme.
fn read(params: &impl ParameterSet, bytes: &[u8], limits: Limits) -> Result<Stored> {
    let n = params.ring().n();
    let (header, mut r) = open(Object::SecretKey, params, bytes, limits)?;
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
    let answers = u64::read(&mut r)?;
    if invalid & 1 == 1 { Err(refused) } else { Ok(Stored { key: header.key, coefficients, weight, answers }) }
}

/// CRC-32 (IEEE) bit by bit: `crc32fast` would look up secret bytes in a table where the processor
/// has no carry-less multiplication.
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
