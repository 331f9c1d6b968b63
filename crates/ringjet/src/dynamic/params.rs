//! Parameters and contexts of any scheme.

use std::io::Write;
use std::sync::Arc;

use ringjet_backend::{Backend, Width};

use super::objects::{Ciphertext, Context, EvaluationKeys, Parameters, Plaintext};
use super::scheme::{self, Bootstrapping, Level, Scheme, Sizes, StartModulus};
use super::values::Values;
use crate::bgv::Residues;
use crate::rlwe::security::Estimate;
use crate::wire::{Limits, Object, ParameterSet, Shape, peek};
use crate::{Error, KeyMemory, KeyPlan, KeySizes, Result, Stated, Unit};

getters! { Parameters:
    /// Sixteen bytes that identify the parameter set.
    fn own.fingerprint() -> &[u8; 16];
    /// The fingerprint in hexadecimal.
    fn own.fingerprint_hex() -> String;
    /// Binary logarithm of the ring degree.
    fn own.log_n() -> u32;
    /// Largest number of slots, half the ring degree.
    fn own.max_slots() -> usize;
    /// Galois element of a rotation of a full vector by `steps` slots to the left.
    fn own.rotation_element(steps: i64) -> u32;
    /// Galois element of complex conjugation.
    fn own.conjugation_element() -> u32;
    /// Default number of slots of a ciphertext.
    fn own.slots() -> usize;
    /// Number of multiplications in a row on a fresh ciphertext; of CKKS parameters that bootstrap,
    /// between two bootstraps.
    fn own.depth() -> usize;
    /// Bits of the largest modulus under which anything is encrypted.
    fn own.log_qp() -> f64;
    /// Binary logarithm of the scale of fresh ciphertexts.
    fn own.scale_bits() -> u32;
    /// Security by the 2024 guidelines; `None` for sparse secrets, which the guidelines do not
    /// judge.
    fn own.security() -> Option<Estimate>;
    /// One line about the modulus.
    fn Own::modulus_text() -> String;
    /// The largest number of slots that can be bootstrapped.
    fn Own::most_bootstrapping_slots() -> Option<usize>;
    /// The least bytes in which a backend can store residues: fewer than 8 for CKKS with small
    /// primes.
    fn Own::residue_width() -> Width;
}

impl Parameters {
    /// The lowest level whose key switches are over `limbs` primes; `None` if it is the top level of
    /// messages, and where keys serve every modulus.
    pub fn key_level(&self, limbs: usize) -> Option<usize> {
        dispatch!(self, Parameters, own => Own::key_level(own, limbs))
    }
}

methods! { Parameters:
    /// The parameters in the wire format.
    fn own.to_bytes(;) -> Vec<u8>;
    /// Writes the parameters in the wire format.
    fn own.write_to(; out: &mut dyn Write) -> ();
    /// Estimated precision in bits of a product of two fresh ciphertexts with values up to 1.
    /// `counting`: a backend that computes nothing.
    fn Own::precision_bits(; counting: Arc<dyn Backend>) -> f64;
    /// Bytes of each kind of object on `backend`.
    fn Own::sizes(; backend: &dyn Backend) -> Sizes;
    /// How `2^log_slots` slots are bootstrapped. With CKKS a number of slots that is too small is
    /// refused only when keys are made.
    fn Own::bootstrapping(; log_slots: u32) -> Bootstrapping;
    /// The sizes of the keys of `plan`; in memory as `backend` keeps them.
    fn Own::key_sizes(; plan: &KeyPlan, backend: &dyn Backend) -> KeySizes;
    /// The keys that bootstrapping `2^log_slots` slots takes.
    fn own.bootstrap_keys(; log_slots: u32) -> KeyPlan;
    /// The levels, the lowest first.
    fn Own::levels(;) -> Vec<Level>;
    /// The same parameters with a plaintext modulus of at least `2^bits`, of several primes where one
    /// does not do. Only for exact schemes.
    fn Own::with_t_bits(; bits: u32) -> Parameters;
    /// The ciphertext primes, and the special primes of key switching.
    fn Own::primes(;) -> [Vec<u64>; 2];
}

/// Makes parameters with the first scheme for which `$test` holds.
macro_rules! choose {
    ([$($S:ident)*] ($test:expr, $made:expr)) => {{
        $({
            #[allow(dead_code, reason = "not every expression names the scheme")]
            type Own = crate::dynamic::$S;
            if $test {
                return $made.map(Parameters::$S);
            }
        })*
    }};
}

/// The constant `$value` of every scheme.
macro_rules! each {
    ([$($S:ident)*] ($value:ident)) => {
        [$(crate::dynamic::$S::$value),*]
    };
}

/// The error with the scheme's name as users of these parameters know it: BGV and BFV are one
/// scheme to the library.
pub(super) fn named(error: Error, params: &Parameters) -> Error {
    match error {
        Error::Unsupported { scheme: "BGV", op } if params.scheme() == "bfv" => {
            Error::Unsupported { scheme: "BFV", op }
        }
        other => other,
    }
}

impl Parameters {
    /// The scheme's name for users of Python and the command.
    pub fn scheme(&self) -> &'static str {
        dispatch!(self, Parameters, own => Own::id(own))
    }

    /// Whether values are integers, which are computed exactly.
    pub fn is_exact(&self) -> bool {
        dispatch!(self, Parameters, _own => Own::EXACT)
    }

    /// Refuses an operation that this scheme lacks.
    pub fn lacks<T>(&self, op: &'static str) -> Result<T> {
        dispatch!(self, Parameters, _own => Own::lacks(op)).map_err(|e| named(e, self))
    }

    /// Number of rows that slots are arranged in. Rotations move values within rows.
    pub fn rows(&self) -> usize {
        dispatch!(self, Parameters, _own => <scheme::Parameters<Own> as Shape>::ROWS)
    }

    /// The integers that an exact scheme encrypts.
    pub fn residues(&self) -> Option<Residues> {
        match self {
            Self::Bgv(own) => Some(own.residues()),
            _ => None,
        }
    }

    /// The scheme as headers of bytes state it.
    pub(crate) fn wire_scheme(&self) -> crate::wire::Scheme {
        dispatch!(self, Parameters, _own => Own::SCHEME)
    }

    /// How many independent secrets the secret is the sum of: 1 for a single client.
    pub fn pieces(&self) -> u32 {
        dispatch!(self, Parameters, own => crate::rlwe::SchemeParameters::pieces(own))
    }

    /// The same parameters for a secret of this many pieces; HEAAN has none.
    pub fn with_pieces(&self, pieces: u32) -> Result<Self> {
        match self {
            Self::Ckks(own) => Ok(crate::Parameters::new(&own.spec().clone().pieces(pieces))?.into()),
            Self::Bgv(own) => Ok(crate::bgv::Parameters::new(&own.spec().clone().pieces(pieces))?.into()),
            Self::Heaan(_) if pieces == 1 => Ok(self.clone()),
            Self::Heaan(_) => self.lacks("secret of several parties"),
        }
    }

    /// The level of a fresh ciphertext; `None` for HEAAN, which has none.
    pub fn top_level(&self) -> Option<usize> {
        match self {
            Self::Ckks(own) => Some(own.top_level()),
            Self::Bgv(own) => Some(own.top_level()),
            Self::Heaan(_) => None,
        }
    }

    /// The plaintext modulus of an exact scheme.
    pub fn plaintext_modulus(&self) -> Option<u128> {
        self.residues().map(|residues| residues.modulus())
    }

    /// The unit of the budget of ciphertexts.
    pub fn unit(&self) -> Unit {
        dispatch!(self, Parameters, _own => Own::UNIT)
    }

    /// The binary logarithm of a number of slots in a row, by default the parameters' number.
    /// Refuses numbers that no ciphertext has.
    pub fn log_slots_of(&self, slots: Option<usize>) -> Result<u32> {
        let (all, rows) = (self.slots(), self.rows());
        let slots = slots.unwrap_or(all);
        let refused = |expected| Error::Argument { name: "slots", value: slots.to_string(), expected };
        if self.is_exact() {
            let log = (slots == all).then_some((all / rows).trailing_zeros());
            return log.ok_or_else(|| refused(format!("{all}: every ciphertext has all slots")));
        }
        if !slots.is_power_of_two() || slots > self.max_slots() {
            return Err(refused(format!("a power of two up to {}", self.max_slots())));
        }
        Ok(slots.trailing_zeros())
    }

    fn of_bits<T>(&self, op: &'static str, value: T) -> Result<T> {
        if self.unit() == Unit::Bits { Ok(value) } else { dispatch!(self, Parameters, _own => Own::lacks(op)) }
    }

    /// Bits of the largest modulus of ciphertexts, which is half as many as keys have. Only for
    /// schemes whose moduli are powers of two.
    pub fn log_q(&self) -> Result<u32> {
        self.of_bits("log_q", self.log_qp() as u32 / 2)
    }

    /// Binary logarithm of the default scale, and bits of a rescaling. Only for schemes whose
    /// moduli are powers of two.
    pub fn log_p(&self) -> Result<u32> {
        self.of_bits("log_p", self.scale_bits())
    }

    /// Whether `allow_insecure` was set, which accepts parameters below their stated security.
    pub fn allow_insecure(&self) -> bool {
        dispatch!(self, Parameters, own => own.spec().allow_insecure)
    }

    /// Whether ciphertexts can be bootstrapped: of HEAAN those with the default number of slots, of CKKS those
    /// of some number.
    pub fn can_bootstrap(&self) -> bool {
        self.bootstrapping(self.slots().ilog2()).is_ok_and(|found| !found.sine)
    }

    /// Whether ciphertexts can be bootstrapped into sines of their values, of which tables are polynomials.
    pub fn has_sine(&self) -> bool {
        self.bootstrapping(self.slots().ilog2()).is_ok_and(|found| found.sine)
    }

    /// The preset called `name`, of any scheme.
    pub fn preset(name: &str) -> Result<Self> {
        schemes! { choose! (Own::PRESETS.contains(&name), (Own::PRESET)(name)) }
        Err(Error::unknown_preset(name, preset_names()))
    }

    /// The parameters as JSON, for [`Parameters::from_json`].
    pub fn to_json(&self) -> Result<String> {
        dispatch!(self, Parameters, own => serde_json::to_string(own.spec())).map_err(json)
    }

    /// Reads and checks parameters in JSON. Those below their stated security are refused unless
    /// `allow_insecure` is set, whatever the JSON says.
    pub fn from_json(text: &str, allow_insecure: bool) -> Result<Self> {
        let spec: serde_json::Value = serde_json::from_str(text).map_err(json)?;
        schemes! {
            choose! (spec.get(Own::FIELD).is_some(), {
                let spec: <Own as Scheme>::Spec = serde_json::from_value(spec).map_err(json)?;
                scheme::Parameters::<Own>::checked(&spec, allow_insecure)
            })
        }
        Err(Error::Parameters(format!("no scheme is known by these fields: {spec}")))
    }

    /// Reads and checks parameters in the wire format.
    pub fn from_bytes(data: &[u8], limits: Limits) -> Result<Self> {
        let scheme = peek(data).map(|header| header.kind.scheme).ok();
        schemes! {
            choose! (scheme == Some(Own::SCHEME), scheme::Parameters::<Own>::from_bytes(data, limits))
        }
        crate::Parameters::from_bytes(data, limits).map(Self::from)
    }

    /// Splits the bytes of a `what` that begin with its parameters, as clients write keys. Returns the
    /// parameters and the bytes that follow. Bytes without parameters in front belong to `given`;
    /// other parameters than `given` are refused.
    pub fn split<'a>(data: &'a [u8], what: Object, limits: Limits, given: Option<&Self>) -> Result<(Self, &'a [u8])> {
        let what = what.name();
        if let Some(limit) = limits.max_bytes.filter(|&limit| data.len() as u64 > limit) {
            return Err(Error::TooManyBytes { what, bytes: data.len() as u64, limit });
        }
        let header = peek(data)?;
        if header.kind.object == Object::Parameters {
            let end = usize::try_from(header.bytes).unwrap_or(usize::MAX);
            let Some((front, rest)) = data.split_at_checked(end) else {
                let reason = format!("truncated: {} of {end} bytes of its parameters", data.len());
                return Err(Error::Malformed { what, reason, offset: data.len() });
            };
            let params = Self::from_bytes(front, limits)?;
            if let Some(expected) = given {
                expected.expect_same(what, &params)?;
            }
            return Ok((params, rest));
        }
        match given {
            Some(params) => Ok((params.clone(), data)),
            None => {
                let reason = "its parameters are not in front of it: give them too".into();
                Err(Error::Malformed { what, reason, offset: 0 })
            }
        }
    }
}

/// Names of the presets of all schemes.
pub fn preset_names() -> Vec<&'static str> {
    schemes! { each! (PRESETS) }.concat()
}

/// The error for JSON that is no parameter set.
fn json(error: serde_json::Error) -> Error {
    Error::Parameters(error.to_string())
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint() == other.fingerprint()
    }
}

impl Eq for Parameters {}

impl Context {
    /// These parameters on `backend`.
    pub fn new(params: &Parameters, backend: Arc<dyn Backend>) -> Self {
        dispatch!(params, Parameters, own => scheme::Context::<Own>::new(own, backend).into())
    }

    /// The backend.
    pub fn backend(&self) -> &dyn Backend {
        dispatch!(self, Context, own => own.backend())
    }
}

methods! { Context:
    /// The same context, for keys that are stored in the form `memory`.
    fn Own::with_key_memory(; memory: KeyMemory) -> Context;
    /// Encodes values, one a slot. `stated` are bounds on numbers; exact schemes have none.
    fn Own::encode(; values: &Values, stated: Stated, at: StartModulus, log_slots: u32) -> Plaintext;
    /// A ciphertext without values, on a counting backend. `public`: it stands for one that was
    /// encrypted with the public key.
    fn Own::uncomputed(; at: StartModulus, log_slots: u32, public: bool) -> Ciphertext;
    /// Every key that can exist, without values, on a counting backend. Without `bootstrapping` the
    /// keys for bootstrapping are left out.
    fn Own::uncomputed_keys(; bootstrapping: bool) -> EvaluationKeys;
}
