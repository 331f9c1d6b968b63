//! Parameter sets as bytes.

use std::io::Write;

use super::header::{malformed, open};
use super::{CHECKSUM_LEN, HEADER_LEN, Header, Input, Kind, Limits, ParameterSet, Writer};
use crate::ckks::params::{ModulusSpec, ParamSpec};
use crate::{Error, Parameters, Result};

/// Largest description accepted: 512 primes of 19 digits take a sixth of it.
const MAX_JSON: usize = 1 << 16;

impl Parameters {
    /// The parameter set in the wire format: its spec, with every prime spelt out.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.write_to(&mut out)?;
        Ok(out)
    }

    /// Writes what [`Parameters::to_bytes`] gives.
    pub fn write_to(&self, out: &mut dyn Write) -> Result<()> {
        write(Kind::Parameters, self, self.spec(), out)
    }

    /// Reads a parameter set and checks it as [`Parameters::new`] does, security included.
    ///
    /// # Errors
    /// What [`Parameters::new`] refuses; [`Error::Insecure`] and [`Error::EphemeralSecret`] also for a set that asks to be
    /// accepted as insecure, unless [`Limits::allow_insecure`] does; [`Error::Malformed`], [`Error::NewerVersion`],
    /// [`Error::TooManyBytes`].
    pub fn from_bytes(bytes: &[u8], limits: Limits) -> Result<Self> {
        let (header, spec): (_, ParamSpec) = read::<Self, _>(Kind::Parameters, bytes, limits)?;
        if !matches!((&spec.q, &spec.p, spec.alpha), (ModulusSpec::Primes(_), ModulusSpec::Primes(_), Some(_))) {
            return Err(malformed(Kind::Parameters.name(), HEADER_LEN, "primes and alpha must be spelt out"));
        }
        if spec.allow_insecure && !limits.allow_insecure {
            Self::new(&ParamSpec { allow_insecure: false, ..spec.clone() })?;
        }
        let params = Self::new(&spec)?;
        header.expect(Kind::Parameters, Some(&params), u64::MAX)?;
        Ok(params)
    }
}

/// A parameter set of either scheme: its spec as JSON.
pub(super) fn write(
    kind: Kind,
    params: &impl ParameterSet,
    spec: &impl serde::Serialize,
    out: &mut dyn Write,
) -> Result<()> {
    let json = serde_json::to_vec(spec).map_err(|e| Error::Parameters(e.to_string()))?;
    let mut w = Writer::new(out, &Header::new(kind, false, params, json.len()))?;
    w.put(&json)?;
    w.finish()
}

/// Its header and its spec, of which nothing is checked yet.
pub(super) fn read<P: ParameterSet, S: serde::de::DeserializeOwned>(
    kind: Kind,
    bytes: &[u8],
    limits: Limits,
) -> Result<(Header, S)> {
    let most = (HEADER_LEN + MAX_JSON + CHECKSUM_LEN) as u64;
    let limit = Limits::max_bytes(limits.max_bytes.map_or(most, |limit| limit.min(most)));
    let (header, mut r) = open(kind, None::<&P>, bytes, limit)?;
    let json = r.take(r.remaining())?;
    let spec = serde_json::from_slice(json)
        .map_err(|e| malformed(kind.name(), HEADER_LEN, format!("not a parameter set: {e}")))?;
    Ok((header, spec))
}
