//! The first 48 bytes of every object.

use std::fmt;

use crate::rlwe::hexadecimal;
use crate::{Error, KeyId, Result};

/// The first four bytes of every object.
pub const MAGIC: [u8; 4] = *b"RJET";

/// The format version that is written; no other version is read.
pub const VERSION: u16 = 2;

/// The size of a header in bytes.
pub const HEADER_LEN: usize = 48;

/// The size in bytes of the checksum at the end of an object.
pub const CHECKSUM_LEN: usize = 4;

/// The scheme of an object, as its header states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// CKKS.
    Ckks = 1,
    /// HEAAN.
    Heaan = 2,
    /// BGV and BFV.
    Bgv = 3,
}

impl Scheme {
    /// All schemes with their names, in the order of their numbers from 1 on.
    const ALL: [(Self, &'static str); 3] = [(Self::Ckks, "CKKS"), (Self::Heaan, "HEAAN"), (Self::Bgv, "BGV")];

    /// The name of the scheme in messages.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize - 1].1
    }
}

/// The type of an object in its scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Object {
    /// A parameter set.
    Parameters = 1,
    /// A secret key. Only one function loads it, and that function loads nothing else.
    SecretKey = 2,
    /// A public encryption key.
    PublicKey = 3,
    /// Relinearisation and Galois keys.
    EvaluationKeys = 4,
    /// One switching key.
    SwitchingKey = 5,
    /// A plaintext.
    Plaintext = 6,
    /// A ciphertext.
    Ciphertext = 7,
    /// What one of several parties keeps: its pieces of a secret, and the answers that it gave. Only one
    /// function loads it.
    Party = 8,
    /// What one party sends to another in private: pieces of a secret.
    PartyHello = 9,
    /// What a party sends to all in a round in which keys are made.
    KeyMessage = 10,
    /// A party's shares of the answer to a ciphertext.
    AnswerShare = 11,
    /// A point of a piece that one party deals to another in private.
    PartyDeal = 12,
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Object {
    /// All types of objects with their names, in the order of their numbers from 1 on.
    const ALL: [(Self, &'static str); 12] = [
        (Self::Parameters, "parameters"),
        (Self::SecretKey, "secret key"),
        (Self::PublicKey, "public key"),
        (Self::EvaluationKeys, "evaluation keys"),
        (Self::SwitchingKey, "switching key"),
        (Self::Plaintext, "plaintext"),
        (Self::Ciphertext, "ciphertext"),
        (Self::Party, "party"),
        (Self::PartyHello, "hello of a party"),
        (Self::KeyMessage, "key message"),
        (Self::AnswerShare, "answer share"),
        (Self::PartyDeal, "deal of a party"),
    ];

    /// The name of the type in messages.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize - 1].1
    }

    /// Whether it holds secrets, which its checksum must not reveal.
    pub(crate) fn is_secret(self) -> bool {
        matches!(self, Self::SecretKey | Self::Party | Self::PartyHello | Self::PartyDeal)
    }

    /// Whether `key` is allowed: none for parameters, plaintexts and what comes before a session, one for
    /// single keys and in a session, else either.
    fn key_fits(self, key: KeyId) -> bool {
        match self {
            Self::Parameters | Self::Plaintext | Self::PartyHello => key.is_any(),
            Self::SecretKey
            | Self::PublicKey
            | Self::SwitchingKey
            | Self::KeyMessage
            | Self::AnswerShare
            | Self::PartyDeal => !key.is_any(),
            Self::EvaluationKeys | Self::Ciphertext | Self::Party => true,
        }
    }
}

/// The scheme and the type of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind {
    /// The scheme of the object.
    pub scheme: Scheme,
    /// The type of the object in its scheme.
    pub object: Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.scheme, self.object.name())
    }
}

/// The header of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The scheme and the type of the object.
    pub kind: Kind,
    /// The format version.
    pub version: u16,
    /// The fingerprint of the parameter set that the object belongs to.
    pub fingerprint: [u8; 16],
    /// The length of the whole object in bytes, including header and checksum.
    pub bytes: u64,
    /// The identity of the secret that the object belongs to; [`KeyId::ANY`] if there is none.
    pub key: KeyId,
}

impl Header {
    /// The fingerprint in hexadecimal.
    pub fn fingerprint_hex(&self) -> String {
        hexadecimal(&self.fingerprint)
    }

    pub(crate) fn encode(&self) -> [u8; HEADER_LEN] {
        let mut out = [0; HEADER_LEN];
        out[..4].copy_from_slice(&MAGIC);
        out[4..6].copy_from_slice(&self.version.to_le_bytes());
        out[6..8].copy_from_slice(&[self.kind.scheme as u8, self.kind.object as u8]);
        out[8..24].copy_from_slice(&self.fingerprint);
        out[24..32].copy_from_slice(&self.bytes.to_le_bytes());
        out[32..].copy_from_slice(self.key.as_bytes());
        out
    }

    pub(super) fn decode(bytes: &[u8], what: &'static str) -> Result<Self> {
        let refuse = |offset, reason: String| Err(malformed(what, offset, reason));
        if field(bytes, 0, what)? != MAGIC {
            return refuse(0, "does not begin with RJET: not an object of ringjet".into());
        }
        let (version, supported) = (u16::from_le_bytes(field(bytes, 4, what)?), VERSION);
        match version {
            0 => return refuse(4, "format version 0 does not exist".into()),
            1..VERSION => return Err(Error::OldVersion { what, found: version, supported }),
            VERSION => {}
            _ => return Err(Error::NewerVersion { what, found: version, supported }),
        }
        let [scheme, object] = field(bytes, 6, what)?;
        let Some(&(scheme, _)) = Scheme::ALL.iter().find(|(known, _)| *known as u8 == scheme) else {
            return refuse(6, format!("unknown scheme {scheme}"));
        };
        let Some(&(object, _)) = Object::ALL.iter().find(|(known, _)| *known as u8 == object) else {
            return refuse(7, format!("unknown object {object}"));
        };
        let (kind, fingerprint) = (Kind { scheme, object }, field(bytes, 8, what)?);
        let total = u64::from_le_bytes(field(bytes, 24, what)?);
        if total < (HEADER_LEN + CHECKSUM_LEN) as u64 {
            return refuse(24, format!("a length of {total} bytes is shorter than header and checksum"));
        }
        let key = KeyId::from_bytes(field(bytes, 32, what)?);
        if !object.key_fits(key) {
            let reason = if key.is_any() { "has no key identity" } else { "has a key identity, and belongs to no key" };
            return refuse(32, format!("this {kind} {reason}"));
        }
        Ok(Self { kind, version, fingerprint, bytes: total, key })
    }

    /// Refuses an object of another kind, and an object of more than `limit` bytes.
    pub(super) fn expect(&self, kind: Kind, limit: u64) -> Result<()> {
        let what = kind.object.name();
        if self.kind != kind {
            let at = if self.kind.scheme == kind.scheme { 7 } else { 6 };
            return Err(malformed(what, at, format!("this is a {}, not a {kind}", self.kind)));
        }
        if self.bytes > limit {
            return Err(Error::TooManyBytes { what, bytes: self.bytes, limit });
        }
        Ok(())
    }
}

fn field<const L: usize>(bytes: &[u8], start: usize, what: &'static str) -> Result<[u8; L]> {
    let left = bytes.get(start..).unwrap_or_default();
    let refusal = || malformed(what, start, format!("truncated: {L} bytes wanted, {} left", left.len()));
    left.first_chunk().copied().ok_or_else(refusal)
}

/// Reads the header at the start of `bytes` (48 bytes are enough) without looking at the rest.
/// Fails with [`Error::Malformed`], [`Error::OldVersion`] and [`Error::NewerVersion`].
pub fn peek(bytes: &[u8]) -> Result<Header> {
    Header::decode(bytes, "object")
}

/// The error if the checksum at `offset` is not that of the bytes before it.
pub(super) fn damaged(what: &'static str, offset: usize) -> Error {
    malformed(what, offset, "the checksum does not match: the bytes were damaged")
}

pub(crate) fn malformed(what: &'static str, offset: usize, reason: impl Into<String>) -> Error {
    Error::Malformed { what, reason: reason.into(), offset }
}
