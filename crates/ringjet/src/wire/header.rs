//! The first 48 bytes of every object.

use std::fmt;

use super::{CHECKSUM_LEN, HEADER_LEN, Input, MAGIC, ParameterSet, Reader, VERSION};
use crate::rlwe::hexadecimal;
use crate::{Error, KeyId, Result};

/// A scheme, as headers name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// CKKS.
    Ckks = 1,
    /// HEAAN.
    Heaan = 2,
}

impl Scheme {
    const ALL: [Self; 2] = [Self::Ckks, Self::Heaan];

    /// What it is called in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ckks => "CKKS",
            Self::Heaan => "HEAAN",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an object is in its scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Object {
    /// A parameter set.
    Parameters = 1,
    /// A secret key. Loaded by one function only, which loads nothing else.
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
}

impl Object {
    const ALL: [Self; 7] = [
        Self::Parameters,
        Self::SecretKey,
        Self::PublicKey,
        Self::EvaluationKeys,
        Self::SwitchingKey,
        Self::Plaintext,
        Self::Ciphertext,
    ];

    /// What it is called in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::SecretKey => "secret key",
            Self::PublicKey => "public key",
            Self::EvaluationKeys => "evaluation keys",
            Self::SwitchingKey => "switching key",
            Self::Plaintext => "plaintext",
            Self::Ciphertext => "ciphertext",
        }
    }

    /// Whether it may belong to this secret: parameters and plaintexts belong to none, keys to one.
    fn key_fits(self, key: KeyId) -> bool {
        match self {
            Self::Parameters | Self::Plaintext => key.is_any(),
            Self::SecretKey | Self::PublicKey | Self::SwitchingKey => !key.is_any(),
            Self::EvaluationKeys | Self::Ciphertext => true,
        }
    }
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind {
    /// Of which scheme.
    pub scheme: Scheme,
    /// What it is there.
    pub object: Object,
}

impl Kind {
    /// What it is called in messages, without its scheme.
    pub fn name(self) -> &'static str {
        self.object.name()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.scheme, self.object.name())
    }
}

/// What the first bytes of an object say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What it is.
    pub kind: Kind,
    /// Format version.
    pub version: u16,
    /// Fingerprint of the parameter set it belongs to.
    pub fingerprint: [u8; 16],
    /// Length of the whole object in bytes, header and checksum included.
    pub bytes: u64,
    /// The identity of the secret it belongs to; [`KeyId::ANY`] where that is none.
    pub key: KeyId,
}

impl Header {
    /// The header of an object with a body of `body` bytes, which belongs to the secret `key`.
    pub(super) fn new<P: ParameterSet>(object: Object, params: &P, key: KeyId, body: usize) -> Self {
        let kind = Kind { scheme: P::SCHEME, object };
        let bytes = (HEADER_LEN + body + CHECKSUM_LEN) as u64;
        Self { kind, version: VERSION, fingerprint: *params.ring().fingerprint(), bytes, key }
    }

    /// The fingerprint in hexadecimal.
    pub fn fingerprint_hex(&self) -> String {
        hexadecimal(&self.fingerprint)
    }

    pub(super) fn encode(&self) -> [u8; HEADER_LEN] {
        let mut out = [0; HEADER_LEN];
        out[..4].copy_from_slice(&MAGIC);
        out[4..6].copy_from_slice(&self.version.to_le_bytes());
        out[6] = self.kind.scheme as u8;
        out[7] = self.kind.object as u8;
        out[8..24].copy_from_slice(&self.fingerprint);
        out[24..32].copy_from_slice(&self.bytes.to_le_bytes());
        out[32..].copy_from_slice(self.key.as_bytes());
        out
    }

    pub(super) fn decode(bytes: &[u8], what: &'static str) -> Result<Self> {
        let mut r = Reader::new(bytes, 0, what);
        if r.array::<4>()? != MAGIC {
            return Err(malformed(what, 0, "does not begin with RJET: not an object of ringjet"));
        }
        let version = u16::from_le_bytes(r.array()?);
        expect_version(version, what)?;
        let [scheme, object] = r.array()?;
        let Some(scheme) = Scheme::ALL.into_iter().find(|&s| s as u8 == scheme) else {
            return Err(malformed(what, 6, format!("unknown scheme {scheme}")));
        };
        let Some(object) = Object::ALL.into_iter().find(|&o| o as u8 == object) else {
            return Err(malformed(what, 7, format!("unknown object {object}")));
        };
        let kind = Kind { scheme, object };
        let fingerprint = r.array()?;
        let total = u64::from_le_bytes(r.array()?);
        if total < (HEADER_LEN + CHECKSUM_LEN) as u64 {
            return Err(malformed(what, 24, format!("a length of {total} bytes is shorter than header and checksum")));
        }
        let key = KeyId::from_bytes(r.array()?);
        if !object.key_fits(key) {
            let reason = if key.is_any() { "has no key identity" } else { "has a key identity, and belongs to no key" };
            return Err(malformed(what, 32, format!("this {kind} {reason}")));
        }
        Ok(Self { kind, version, fingerprint, bytes: total, key })
    }

    /// Refuses another kind, and more bytes than `limit`.
    pub(super) fn expect(&self, kind: Kind, limit: u64) -> Result<()> {
        let what = kind.name();
        if self.kind != kind {
            let at = if self.kind.scheme == kind.scheme { 7 } else { 6 };
            return Err(malformed(what, at, format!("this is a {}, not a {kind}", self.kind)));
        }
        if self.bytes > limit {
            return Err(Error::TooManyBytes { what, bytes: self.bytes, limit });
        }
        Ok(())
    }

    /// Refuses other parameters.
    pub(super) fn expect_params(&self, params: &impl ParameterSet) -> Result<()> {
        expect_same(self.kind.name(), params.ring().fingerprint(), &self.fingerprint)
    }
}

fn expect_version(found: u16, what: &'static str) -> Result<()> {
    let supported = VERSION;
    match found {
        0 => Err(malformed(what, 4, "format version 0 does not exist")),
        1..VERSION => Err(Error::OldVersion { what, found, supported }),
        VERSION => Ok(()),
        _ => Err(Error::NewerVersion { what, found, supported }),
    }
}

/// Refuses another fingerprint than the `expected` one.
pub(super) fn expect_same(what: &'static str, expected: &[u8; 16], found: &[u8; 16]) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::ParameterMismatch { what, expected: hexadecimal(expected), found: hexadecimal(found) })
}

/// Reads the header at the start of `bytes` (48 bytes are enough) without looking at the rest.
///
/// # Errors
/// [`Error::Malformed`], [`Error::OldVersion`] and [`Error::NewerVersion`].
pub fn peek(bytes: &[u8]) -> Result<Header> {
    Header::decode(bytes, "object")
}

/// The checksum at `offset` is another one than that of the bytes before it.
pub(super) fn damaged(what: &'static str, offset: usize) -> Error {
    malformed(what, offset, "the checksum does not match: the bytes were damaged")
}

pub(crate) fn malformed(what: &'static str, offset: usize, reason: impl Into<String>) -> Error {
    Error::Malformed { what, reason: reason.into(), offset }
}
