//! Parameter sets as bytes.

use std::io::Write;

use super::header::{malformed, open};
use super::{CHECKSUM_LEN, HEADER_LEN, Header, Input, Kind, Limits, Writer};
use crate::params::{ModulusSpec, ParamSpec};
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
        let json = serde_json::to_vec(self.spec()).map_err(|e| Error::Parameters(e.to_string()))?;
        let mut w = Writer::new(out, &Header::new(Kind::Parameters, false, self, json.len()))?;
        w.put(&json)?;
        w.finish()
    }

    /// Reads a parameter set and checks it as [`Parameters::new`] does, security included.
    ///
    /// # Errors
    /// What [`Parameters::new`] refuses; [`Error::Insecure`] also for a set that asks to be accepted as insecure,
    /// unless [`Limits::allow_insecure`] does; [`Error::Malformed`], [`Error::NewerVersion`],
    /// [`Error::TooManyBytes`].
    pub fn from_bytes(bytes: &[u8], limits: Limits) -> Result<Self> {
        let what = Kind::Parameters.name();
        let most = (HEADER_LEN + MAX_JSON + CHECKSUM_LEN) as u64;
        let limit = Limits::max_bytes(limits.max_bytes.map_or(most, |limit| limit.min(most)));
        let (header, mut r) = open(Kind::Parameters, None, bytes, limit)?;
        let json = r.take(r.remaining())?;
        let spec: ParamSpec = serde_json::from_slice(json)
            .map_err(|e| malformed(what, HEADER_LEN, format!("not a parameter set: {e}")))?;
        if !matches!((&spec.q, &spec.p, spec.alpha), (ModulusSpec::Primes(_), ModulusSpec::Primes(_), Some(_))) {
            return Err(malformed(what, HEADER_LEN, "primes and alpha must be spelt out"));
        }
        if spec.allow_insecure && !limits.allow_insecure {
            Self::new(&ParamSpec { allow_insecure: false, ..spec.clone() })?;
        }
        let params = Self::new(&spec)?;
        if *params.fingerprint() != header.fingerprint {
            let (expected, found) = (params.fingerprint_hex(), header.fingerprint_hex());
            return Err(Error::ParameterMismatch { what, expected, found });
        }
        Ok(params)
    }
}
