//! Secret keys as bytes: two bits a coefficient, no branch and no address that depends on one.

use zeroize::Zeroizing;

use super::Limits;
use super::fields::Field;
use super::header::{HEADER_LEN, Object, malformed};
use super::object::{ParameterSet, crc32, header_of, open};
use super::stream::Input;
use crate::Result;
use crate::rlwe::SecretKey;

const ANSWERS_LEN: usize = 8;

impl<P: ParameterSet> SecretKey<P> {
    /// The key in the wire format, in memory that is wiped when dropped. **Whoever has these bytes reads everything that was
    /// ever encrypted under this key.** They are not encrypted and not authenticated: where they are stored is up to the
    /// caller.
    pub fn to_secret_bytes(&self) -> Zeroizing<Vec<u8>> {
        let header =
            header_of(Object::SecretKey, self.params(), self.key_id(), self.coefficients().len() / 4 + ANSWERS_LEN);
        // of the final size from the start: a vector that grows leaves copies behind
        let mut out = Zeroizing::new(Vec::with_capacity(header.bytes as usize));
        out.extend_from_slice(&header.encode());
        let pack = |four: &[i8; 4]| four.iter().rev().fold(0, |byte, &c| byte << 2 | (c as u8 & 3));
        out.extend(self.coefficients().as_chunks::<4>().0.iter().map(pack));
        out.extend_from_slice(&self.answers_given().to_le_bytes());
        let checksum = crc32(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }

    /// Reads what `to_secret_bytes` wrote, and nothing else.
    ///
    /// # Errors
    /// [`ParameterMismatch`](crate::Error::ParameterMismatch) for a key of other parameters;
    /// [`Malformed`](crate::Error::Malformed), also for another weight than that of the parameters;
    /// [`OldVersion`](crate::Error::OldVersion), [`NewerVersion`](crate::Error::NewerVersion),
    /// [`TooManyBytes`](crate::Error::TooManyBytes).
    pub fn from_secret_bytes(params: &P, bytes: &[u8], limits: Limits) -> Result<Self> {
        let n = params.ring().n();
        let (header, mut r) = open(Object::SecretKey, params, bytes, limits)?;
        let refuse = |reason: String| Err(malformed(Object::SecretKey.name(), HEADER_LEN, reason));
        r.expect_remaining(n / 4 + ANSWERS_LEN)?;
        let mut coefficients = Zeroizing::new(vec![0i8; n]);
        let (mut invalid, mut weight) = (0, 0);
        for (byte, out) in r.next(n / 4)?.iter().zip(coefficients.as_chunks_mut::<4>().0) {
            for (i, out) in out.iter_mut().enumerate() {
                let pair = byte >> (2 * i) & 3;
                invalid |= pair >> 1 & !pair; // 2 is no coefficient
                weight += u32::from(pair & 1);
                *out = ((pair << 6) as i8) >> 6;
            }
        }
        let answers = u64::read(&mut r)?;
        if invalid & 1 == 1 {
            return refuse("a coefficient is none of -1, 0, 1".into());
        }
        match params.secret_weight() {
            Some(expected) if expected != weight => {
                refuse(format!("the secret has not {expected} non-zero coefficients"))
            }
            _ => Ok(Self::from_coefficients(params, header.key, coefficients, answers)),
        }
    }
}
