//! Both schemes under one set of names: what the Python classes hold. CKKS's objects and HEAAN's have the same methods as far
//! as they do the same. Objects of two schemes are objects of two parameter sets, and are refused as such.

use std::io::Write;
use std::sync::Arc;

use pyo3::prelude::*;
use ringjet::wire::{Limits, Scheme, peek};
use ringjet::{Error, KeyId, KeyMemory, ParamSpec, Result, heaan};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

use crate::errors::raise_without;

/// An object of CKKS, or the one of HEAAN that does the same.
#[derive(Clone)]
pub enum Either<C, H> {
    Ckks(C),
    Heaan(H),
}
use Either::{Ckks, Heaan};

pub type Parameters = Either<ringjet::Parameters, heaan::Parameters>;
pub type Context = Either<ringjet::Context, heaan::Context>;
pub type SecretKey = Either<ringjet::SecretKey, heaan::SecretKey>;
pub type PublicKey = Either<ringjet::PublicKey, heaan::PublicKey>;
pub type EvaluationKeys = Either<Arc<ringjet::EvaluationKeys>, Arc<heaan::EvaluationKeys>>;
/// With HEAAN's the bits of the modulus under which it is to be encrypted.
pub type Plaintext = Either<ringjet::Plaintext, (heaan::Plaintext, u32)>;
pub type Ciphertext = Either<ringjet::Ciphertext, heaan::Ciphertext>;
pub type Evaluator = Either<ringjet::Evaluator, heaan::Evaluator>;

/// The same expression of either.
macro_rules! both {
    ($either:expr, $x:pat => $body:expr) => {
        match $either {
            Ckks($x) => $body,
            Heaan($x) => $body,
        }
    };
}

/// The same fallible expression of either, and of others of the same scheme: its value is again of that scheme.
macro_rules! each {
    ($either:expr, $x:pat => $body:expr) => {
        match $either {
            Ckks($x) => Ok(Ckks($body?)),
            Heaan($x) => Ok(Heaan($body?)),
        }
    };
    ($e:expr, $a:expr; $x:pat, $y:pat => $body:expr) => {
        match ($e, $a) {
            (Ckks($x), Ckks($y)) => Ok(Ckks($body?)),
            (Heaan($x), Heaan($y)) => Ok(Heaan($body?)),
            (e, a) => Err(foreign(&e.params(), a.what(), &a.params())),
        }
    };
}

mod bootstrap;
mod eval;
mod keys;

fn foreign(expected: &Parameters, what: &'static str, found: &Parameters) -> Error {
    Error::ParameterMismatch { what, expected: expected.fingerprint_hex(), found: found.fingerprint_hex() }
}

impl<C, H> Either<C, H> {
    /// That of CKKS, for an operation that HEAAN lacks; `instead` says what there is.
    pub fn ckks(&self, op: &'static str, instead: &str) -> PyResult<&C> {
        match self {
            Ckks(x) => Ok(x),
            Heaan(_) => Err(raise_without("HEAAN", op, instead)),
        }
    }

    /// That of HEAAN, for an operation that CKKS lacks.
    pub fn heaan(&self, op: &'static str, instead: &str) -> PyResult<&H> {
        match self {
            Heaan(x) => Ok(x),
            Ckks(_) => Err(raise_without("CKKS", op, instead)),
        }
    }
}

/// Names and parameters of objects, for messages.
macro_rules! object {
    ($($of:ty, $what:literal, $x:ident => $params:expr;)*) => { $(
        impl $of {
            /// The parameters.
            pub fn params(&self) -> Parameters {
                match self {
                    Ckks($x) => Ckks($params.clone()),
                    Heaan($x) => Heaan($params.clone()),
                }
            }

            fn what(&self) -> &'static str {
                $what
            }
        }
    )* };
}
object! {
    Context, "context", x => x.params();
    SecretKey, "secret key", x => x.params();
    PublicKey, "public key", x => x.params();
    EvaluationKeys, "evaluation keys", x => x.params();
    Ciphertext, "ciphertext", x => x.params();
}

/// Identities of objects that belong to a secret.
macro_rules! owned {
    ($($of:ty)*) => { $(
        impl $of {
            /// The identity of the secret it belongs to.
            pub fn key_id(&self) -> KeyId {
                both!(self, x => x.key_id())
            }
        }
    )* };
}
owned! { SecretKey PublicKey EvaluationKeys Ciphertext }

impl Plaintext {
    fn params(&self) -> Parameters {
        match self {
            Ckks(x) => Ckks(x.params().clone()),
            Heaan((x, _)) => Heaan(x.params().clone()),
        }
    }

    fn what(&self) -> &'static str {
        "plaintext"
    }
}

impl Parameters {
    /// As Python spells it.
    pub fn scheme(&self) -> &'static str {
        match self {
            Ckks(_) => "ckks",
            Heaan(_) => "heaan",
        }
    }

    pub fn fingerprint(&self) -> &[u8; 16] {
        both!(self, p => p.fingerprint())
    }

    pub fn fingerprint_hex(&self) -> String {
        both!(self, p => p.fingerprint_hex())
    }

    pub fn log_n(&self) -> u32 {
        both!(self, p => p.log_n())
    }

    pub fn max_slots(&self) -> usize {
        both!(self, p => p.max_slots())
    }

    /// Slots of a ciphertext unless another number is asked for.
    pub fn slots(&self) -> usize {
        match self {
            Ckks(p) => p.max_slots(),
            Heaan(p) => 1 << p.log_slots(),
        }
    }

    /// Multiplications in a row.
    pub fn depth(&self) -> usize {
        match self {
            Ckks(p) => p.top_level(),
            Heaan(p) => p.depth(),
        }
    }

    pub fn allow_insecure(&self) -> bool {
        both!(self, p => p.spec().allow_insecure)
    }

    /// Refuses an object of other parameters.
    pub fn expect_same(&self, what: &'static str, other: &Self) -> Result<()> {
        if self.fingerprint() == other.fingerprint() { Ok(()) } else { Err(foreign(self, what, other)) }
    }

    /// The preset of this name, of either scheme.
    pub fn preset(name: &str) -> Result<Self> {
        if name.starts_with("heaan-") {
            return heaan::preset(name).map(Heaan);
        }
        match ringjet::preset(name) {
            Err(Error::UnknownPreset { name, known }) => {
                Err(Error::UnknownPreset { name, known: format!("{known}, {}", heaan::PRESET_NAMES.join(", ")) })
            }
            other => other.map(Ckks),
        }
    }

    pub fn to_json(&self) -> Result<String> {
        both!(self, p => serde_json::to_string(p.spec())).map_err(|e| Error::Parameters(e.to_string()))
    }

    /// HEAAN's have `log_q`, CKKS's a list of primes `q`. Those weaker than they say are refused unless the reader allows
    /// them, whatever they ask for.
    pub fn from_json(text: &str, allow_insecure: bool) -> Result<Self> {
        let wrong = |e: serde_json::Error| Error::Parameters(e.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(wrong)?;
        if value.get("log_q").is_some() {
            let spec: heaan::ParamSpec = serde_json::from_value(value).map_err(wrong)?;
            if spec.allow_insecure && !allow_insecure {
                heaan::Parameters::new(&heaan::ParamSpec { allow_insecure: false, ..spec.clone() })?;
            }
            return heaan::Parameters::new(&spec).map(Heaan);
        }
        let spec: ParamSpec = serde_json::from_str(text).map_err(wrong)?;
        if spec.allow_insecure && !allow_insecure {
            ringjet::Parameters::new(&ParamSpec { allow_insecure: false, ..spec.clone() })?;
        }
        ringjet::Parameters::new(&spec).map(Ckks)
    }

    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        both!(self, p => p.to_bytes())
    }

    pub fn write_to(&self, out: &mut dyn Write) -> Result<()> {
        both!(self, p => p.write_to(out))
    }

    pub fn from_bytes(data: &[u8], limits: Limits) -> Result<Self> {
        if peek(data).is_ok_and(|header| header.kind.scheme == Scheme::Heaan) {
            return heaan::Parameters::from_bytes(data, limits).map(Heaan);
        }
        ringjet::Parameters::from_bytes(data, limits).map(Ckks)
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint() == other.fingerprint()
    }
}

impl Eq for Parameters {}

impl Context {
    pub fn new(params: &Parameters, backend: Arc<dyn Backend>) -> Self {
        match params {
            Ckks(p) => Ckks(ringjet::Context::new(p, backend)),
            Heaan(p) => Heaan(heaan::Context::new(p, backend)),
        }
    }

    /// Refuses HEAAN's keys in a form that they do not have.
    pub fn with_key_memory(self, memory: KeyMemory) -> Result<Self> {
        match (self, memory) {
            (Ckks(ctx), memory) => Ok(Ckks(ctx.with_key_memory(memory))),
            (ctx, KeyMemory::Expanded) => Ok(ctx),
            (Heaan(_), KeyMemory::Compressed) => Err(compressed()),
        }
    }

    /// Values up to `magnitude`, for a level of CKKS, or a modulus of so many bits of HEAAN; the largest where nothing is said.
    pub fn encode(&self, values: &[Complex64], magnitude: f64, at: At, log_slots: u32) -> Result<Plaintext> {
        match self {
            Ckks(ctx) => {
                let top = ctx.params().top_level();
                let level = at.level.unwrap_or(top);
                if level > top {
                    return Err(Error::NoSuchLevel { level, top });
                }
                let p = ringjet::Plaintext::encode(ctx, values, level, ctx.params().scale(level), log_slots)?;
                p.with_magnitude(magnitude).map(Ckks)
            }
            Heaan(ctx) => {
                let p = heaan::Plaintext::encode(ctx, values, ctx.params().log_p(), log_slots)?;
                let p = p.with_magnitude(magnitude)?;
                Ok(Heaan((p, at.log_q.unwrap_or(ctx.params().log_q()))))
            }
        }
    }
}

/// HEAAN's keys have one form.
fn compressed() -> Error {
    let expected = "expanded for HEAAN, whose keys are kept in no other form".into();
    Error::Argument { name: "key_memory", value: "compressed".into(), expected }
}

/// Where a fresh ciphertext starts: at a level (CKKS), or modulo so many bits (HEAAN).
#[derive(Clone, Copy)]
pub struct At {
    level: Option<usize>,
    log_q: Option<u32>,
}

impl At {
    /// Refuses what the scheme does not have.
    pub fn new(params: &Parameters, level: Option<usize>, log_q: Option<u32>) -> PyResult<Self> {
        if level.is_some() {
            params.ckks("level", "log_q=... says how many bits the modulus has")?;
        }
        if log_q.is_some() {
            params.heaan("log_q", "level=... says how many rescalings are left")?;
        }
        Ok(Self { level, log_q })
    }

    /// A ciphertext without values on a backend that computes nothing.
    pub fn uncomputed(self, context: &Context, log_slots: u32) -> Result<Ciphertext> {
        match context {
            Ckks(ctx) => {
                let (level, top) = (self.level.unwrap_or(ctx.params().top_level()), ctx.params().top_level());
                if level > top {
                    return Err(Error::NoSuchLevel { level, top });
                }
                ringjet::Ciphertext::uncomputed(ctx, level, log_slots).map(Ckks)
            }
            Heaan(ctx) => {
                let log_q = self.log_q.unwrap_or(ctx.params().log_q());
                heaan::Ciphertext::uncomputed(ctx, log_q, ctx.params().log_p(), log_slots).map(Heaan)
            }
        }
    }
}
