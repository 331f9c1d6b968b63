//! The first 48 bytes of every object, and its last four.

use std::fmt;

use super::{CHECKSUM_LEN, HEADER_LEN, Input, Limits, MAGIC, Reader, VERSION};
use crate::rlwe::hexadecimal;
use crate::{Error, KeyId, Parameters, Result};

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
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
    /// A parameter set of HEAAN.
    HeaanParameters = 17,
    /// A secret key of HEAAN. Loaded by one function only, which loads nothing else.
    HeaanSecretKey = 18,
    /// A public encryption key of HEAAN.
    HeaanPublicKey = 19,
    /// Relinearisation and Galois keys of HEAAN.
    HeaanEvaluationKeys = 20,
    /// One switching key of HEAAN.
    HeaanSwitchingKey = 21,
    /// A plaintext of HEAAN.
    HeaanPlaintext = 22,
    /// A ciphertext of HEAAN.
    HeaanCiphertext = 23,
}

impl Kind {
    const ALL: [Self; 14] = [
        Self::Parameters,
        Self::SecretKey,
        Self::PublicKey,
        Self::EvaluationKeys,
        Self::SwitchingKey,
        Self::Plaintext,
        Self::Ciphertext,
        Self::HeaanParameters,
        Self::HeaanSecretKey,
        Self::HeaanPublicKey,
        Self::HeaanEvaluationKeys,
        Self::HeaanSwitchingKey,
        Self::HeaanPlaintext,
        Self::HeaanCiphertext,
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
            Self::HeaanParameters => "HEAAN parameters",
            Self::HeaanSecretKey => "HEAAN secret key",
            Self::HeaanPublicKey => "HEAAN public key",
            Self::HeaanEvaluationKeys => "HEAAN evaluation keys",
            Self::HeaanSwitchingKey => "HEAAN switching key",
            Self::HeaanPlaintext => "HEAAN plaintext",
            Self::HeaanCiphertext => "HEAAN ciphertext",
        }
    }

    /// Flags an object of this kind may have; those of keys are fixed.
    fn flags_fit(self, flags: u8) -> bool {
        match self {
            Self::PublicKey | Self::EvaluationKeys | Self::SwitchingKey => flags == SEEDED,
            Self::HeaanPublicKey | Self::HeaanEvaluationKeys | Self::HeaanSwitchingKey => flags == SEEDED,
            Self::Ciphertext | Self::HeaanCiphertext => flags & !SEEDED == 0,
            Self::Parameters | Self::SecretKey | Self::Plaintext => flags == 0,
            Self::HeaanParameters | Self::HeaanSecretKey | Self::HeaanPlaintext => flags == 0,
        }
    }
}

impl Kind {
    /// Whether objects of this kind may have this identity: what has no secret has none, and keys have one.
    fn key_fits(self, key: KeyId) -> bool {
        match self {
            Self::Parameters | Self::Plaintext | Self::HeaanParameters | Self::HeaanPlaintext => key.is_any(),
            Self::SecretKey | Self::PublicKey | Self::SwitchingKey => !key.is_any(),
            Self::HeaanSecretKey | Self::HeaanPublicKey | Self::HeaanSwitchingKey => !key.is_any(),
            Self::EvaluationKeys | Self::Ciphertext | Self::HeaanEvaluationKeys | Self::HeaanCiphertext => true,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Flag: uniform polynomials are replaced by the 32-byte seed they expand from.
pub(super) const SEEDED: u8 = 1;

/// What the first bytes of an object say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What it is.
    pub kind: Kind,
    /// Format version.
    pub version: u16,
    /// Whether uniform polynomials are given by their seeds.
    pub seeded: bool,
    /// Fingerprint of the parameter set it belongs to.
    pub fingerprint: [u8; 16],
    /// Length of the whole object in bytes, header and checksum included.
    pub bytes: u64,
    /// The identity of the secret it belongs to; [`KeyId::ANY`] where that is none.
    pub key: KeyId,
}

impl Header {
    /// The header of an object with a body of `body` bytes.
    pub(super) fn new(kind: Kind, seeded: bool, params: &impl ParameterSet, body: usize) -> Self {
        let bytes = (HEADER_LEN + body + CHECKSUM_LEN) as u64;
        Self { kind, version: VERSION, seeded, fingerprint: *params.fingerprint(), bytes, key: KeyId::ANY }
    }

    /// The same of an object that belongs to a secret.
    pub(super) fn with_key(self, key: KeyId) -> Self {
        Self { key, ..self }
    }

    /// The fingerprint in hexadecimal.
    pub fn fingerprint_hex(&self) -> String {
        hexadecimal(&self.fingerprint)
    }

    pub(super) fn encode(&self) -> [u8; HEADER_LEN] {
        let mut out = [0; HEADER_LEN];
        out[..4].copy_from_slice(&MAGIC);
        out[4..6].copy_from_slice(&self.version.to_le_bytes());
        out[6] = self.kind as u8;
        out[7] = if self.seeded { SEEDED } else { 0 };
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
        let version = r.u16()?;
        if version > VERSION {
            return Err(Error::NewerVersion { what, found: version, supported: VERSION });
        }
        if version == 0 {
            return Err(malformed(what, 4, "format version 0 does not exist"));
        }
        let [kind, flags] = r.array()?;
        let Some(kind) = Kind::ALL.into_iter().find(|&k| k as u8 == kind) else {
            return Err(malformed(what, 6, format!("unknown kind {kind}")));
        };
        if !kind.flags_fit(flags) {
            return Err(malformed(what, 7, format!("flags {flags:#04x} do not belong to a {kind}")));
        }
        let fingerprint = r.array()?;
        let total = u64::from_le_bytes(r.array()?);
        if total < (HEADER_LEN + CHECKSUM_LEN) as u64 {
            return Err(malformed(what, 24, format!("a length of {total} bytes is shorter than header and checksum")));
        }
        let key = KeyId::from_bytes(r.array()?);
        if !kind.key_fits(key) {
            let reason = if key.is_any() { "has no key identity" } else { "has a key identity, and belongs to no key" };
            return Err(malformed(what, 32, format!("this {kind} {reason}")));
        }
        Ok(Self { kind, version, seeded: flags & SEEDED != 0, fingerprint, bytes: total, key })
    }

    /// Refuses another kind, more bytes than `limit`, and, where given, other parameters.
    pub(super) fn expect(&self, kind: Kind, params: Option<&impl ParameterSet>, limit: u64) -> Result<()> {
        let what = kind.name();
        if self.kind != kind {
            return Err(malformed(what, 6, format!("this is a {}, not a {kind}", self.kind)));
        }
        if self.bytes > limit {
            return Err(Error::TooManyBytes { what, bytes: self.bytes, limit });
        }
        if let Some(params) = params.filter(|p| *p.fingerprint() != self.fingerprint) {
            let (expected, found) = (hexadecimal(params.fingerprint()), self.fingerprint_hex());
            return Err(Error::ParameterMismatch { what, expected, found });
        }
        Ok(())
    }
}

/// What objects belong to.
pub(super) trait ParameterSet {
    /// What identifies it.
    fn fingerprint(&self) -> &[u8; 16];

    /// [`Limits::max_bytes`] of an object of this kind, where none is given.
    fn default_limit(&self, kind: Kind) -> u64;
}

/// Reads the header at the start of `bytes` (48 bytes are enough) without looking at the rest.
///
/// # Errors
/// [`Error::Malformed`] and [`Error::NewerVersion`].
pub fn peek(bytes: &[u8]) -> Result<Header> {
    Header::decode(bytes, "object")
}

/// Checks header, length, parameters and checksum, in this order; gives a reader of the body.
///
/// `params` is `None` for parameters themselves, which check their own fingerprint.
pub(super) fn open<'a>(
    kind: Kind,
    params: Option<&impl ParameterSet>,
    bytes: &'a [u8],
    limits: Limits,
) -> Result<(Header, Reader<'a>)> {
    let what = kind.name();
    let (given, limit) = (bytes.len() as u64, limits.of(kind, params));
    if given > limit {
        return Err(Error::TooManyBytes { what, bytes: given, limit });
    }
    let header = Header::decode(bytes, what)?;
    header.expect(kind, None::<&Parameters>, limit)?;
    if header.bytes > given {
        return Err(malformed(what, bytes.len(), format!("truncated: {given} of {} bytes", header.bytes)));
    }
    if header.bytes < given {
        let reason = format!("{} bytes too many at the end", given - header.bytes);
        return Err(malformed(what, header.bytes as usize, reason));
    }
    header.expect(kind, params, limit)?;
    let end = bytes.len() - CHECKSUM_LEN;
    if super::checksum(kind, &bytes[..end]).to_le_bytes() != bytes[end..] {
        return Err(damaged(what, end));
    }
    Ok((header, Reader::new(&bytes[HEADER_LEN..end], HEADER_LEN, what)))
}

/// The checksum at `offset` is another one than that of the bytes before it.
pub(super) fn damaged(what: &'static str, offset: usize) -> Error {
    malformed(what, offset, "the checksum does not match: the bytes were damaged")
}

pub(super) fn malformed(what: &'static str, offset: usize, reason: impl Into<String>) -> Error {
    Error::Malformed { what, reason: reason.into(), offset }
}
