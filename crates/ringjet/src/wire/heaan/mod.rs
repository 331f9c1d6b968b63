//! HEAAN's objects as bytes.

mod keys;
mod vectors;

pub(crate) use keys::keys_len;

use std::io::Write;

use ringjet_backend::{Buf, View};
use ringjet_math::big::{WORD_BITS, top_mask, words};
use zeroize::Zeroizing;

use super::header::malformed;
use super::pack::Width;
use super::residues::{limbs_len, read_limbs, write_limbs};
use super::{DEFAULT_BYTES, HEADER_LEN, Input, Kind, Limits, ParameterSet, Writer, parameters, secret};
use crate::heaan::{Context, ParamSpec, Parameters, Secret, SecretKey};
use crate::{KeyRequest, Result};

impl ParameterSet for Parameters {
    fn fingerprint(&self) -> &[u8; 16] {
        self.fingerprint()
    }

    fn default_limit(&self, kind: Kind) -> u64 {
        if kind == Kind::HeaanEvaluationKeys { DEFAULT_BYTES + bootstrapping_bytes(self) } else { DEFAULT_BYTES }
    }
}

/// Bytes of the keys to bootstrap as many slots as there are by default; 0 where the parameters do not.
fn bootstrapping_bytes(params: &Parameters) -> u64 {
    let log_slots = params.log_slots();
    let request = KeyRequest { bootstrapping: vec![log_slots], ..KeyRequest::default() };
    let count = params.bootstrapping(log_slots).and_then(|_| params.key_count(&request));
    count.map_or(0, |count| keys_len(params, count))
}

impl Parameters {
    /// The parameter set in the wire format: its spec.
    ///
    /// # Errors
    /// None is known: [`crate::Error::Parameters`] would say that a spec is no JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.write_to(&mut out)?;
        Ok(out)
    }

    /// Writes what [`Parameters::to_bytes`] gives.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    pub fn write_to(&self, out: &mut dyn Write) -> Result<()> {
        parameters::write(Kind::HeaanParameters, self, self.spec(), out)
    }

    /// Reads a parameter set and checks it as [`Parameters::new`] does, security included.
    ///
    /// # Errors
    /// What [`Parameters::new`] refuses; [`crate::Error::Insecure`] and [`crate::Error::SparseSecret`] also for a set that asks to be
    /// accepted as insecure, unless [`Limits::allow_insecure`] does; [`crate::Error::Malformed`], [`crate::Error::NewerVersion`],
    /// [`crate::Error::TooManyBytes`].
    pub fn from_bytes(bytes: &[u8], limits: Limits) -> Result<Self> {
        let (header, spec): (_, ParamSpec) = parameters::read::<Self, _>(Kind::HeaanParameters, bytes, limits)?;
        if spec.allow_insecure && !limits.allow_insecure {
            Self::new(&ParamSpec { allow_insecure: false, ..spec.clone() })?;
        }
        let params = Self::new(&spec)?;
        header.expect(Kind::HeaanParameters, Some(&params), u64::MAX)?;
        Ok(params)
    }
}

impl SecretKey {
    /// The key in the wire format, in memory that is wiped when dropped. **Whoever has these bytes reads everything that was
    /// ever encrypted under this key.** They are not encrypted and not authenticated: where they are stored is up to the
    /// caller.
    pub fn to_secret_bytes(&self) -> Zeroizing<Vec<u8>> {
        let (kind, answers) = (Kind::HeaanSecretKey, self.answers_given());
        secret::write(kind, self.params(), self.key_id(), self.coefficients(), answers)
    }

    /// Reads what [`SecretKey::to_secret_bytes`] wrote, and nothing else.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`] for a key of other parameters; [`crate::Error::Malformed`], also for another weight than that of
    /// the parameters; [`crate::Error::NewerVersion`], [`crate::Error::TooManyBytes`].
    pub fn from_secret_bytes(params: &Parameters, bytes: &[u8], limits: Limits) -> Result<Self> {
        let kind = Kind::HeaanSecretKey;
        let stored = secret::read(kind, params, params.n(), bytes, limits)?;
        match params.spec().secret {
            Secret::Weight(weight) if weight != stored.weight => {
                Err(malformed(kind.name(), HEADER_LEN, format!("the secret has not {weight} non-zero coefficients")))
            }
            _ => Ok(Self::from_coefficients(params, stored.key, stored.coefficients, stored.answers)),
        }
    }
}

/// The limbs of integers modulo `2^bits`: 52 bits each, and what remains in the last one.
fn widths(bits: u32) -> Vec<Width> {
    let top = top_mask(bits).count_ones();
    (1..=words(bits)).map(|k| Width::words(if k == words(bits) { top } else { WORD_BITS })).collect()
}

/// Bytes of a polynomial of integers modulo `2^bits`.
fn poly_len(params: &Parameters, bits: u32) -> usize {
    limbs_len(params.n(), &widths(bits))
}

/// Writes every polynomial of `view`.
fn write_poly(ctx: &Context, w: &mut Writer<'_>, view: View<'_>, bits: u32) -> Result<()> {
    write_limbs(ctx.backend(), w, view, &widths(bits), None)
}

/// Reads a polynomial into the limbs of `buf` from `first` on. Every string of bits is one.
fn read_poly(ctx: &Context, r: &mut impl Input, buf: &mut Buf, first: usize, bits: u32) -> Result<()> {
    read_limbs(ctx.backend(), r, buf, first, &widths(bits), None)
}
