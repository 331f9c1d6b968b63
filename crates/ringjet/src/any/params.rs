//! Parameters and contexts of whichever scheme.

use std::io::Write;
use std::sync::Arc;

use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

use super::objects::{Ciphertext, Context, EvaluationKeys, Parameters, Plaintext};
use super::scheme::{self, At, Bootstrapping, Level, Scheme, Sizes};
use crate::rlwe::security::Estimate;
use crate::wire::{Limits, ParameterSet, peek};
use crate::{Error, KeyMemory, KeyPlan, Result, Unit};

getters! { Parameters:
    /// Sixteen bytes that identify the parameter set.
    fn own.fingerprint() -> &[u8; 16];
    /// The fingerprint in hexadecimal.
    fn own.fingerprint_hex() -> String;
    /// Binary logarithm of the ring degree.
    fn own.log_n() -> u32;
    /// Largest number of slots, half the ring degree.
    fn own.max_slots() -> usize;
    /// Galois element of a rotation by so many of all slots to the left.
    fn own.rotation_element(steps: i64) -> u32;
    /// Galois element of complex conjugation.
    fn own.conjugation_element() -> u32;
    /// Slots of a ciphertext unless another number is asked for.
    fn own.slots() -> usize;
    /// Multiplications in a row.
    fn own.depth() -> usize;
    /// Size in bits of the largest modulus under which anything is encrypted.
    fn own.log_qp() -> f64;
    /// Binary logarithm of the scale of what is encrypted.
    fn own.scale_bits() -> u32;
    /// By the 2024 guidelines; nothing for sparse secrets, which they do not judge.
    fn own.security() -> Option<Estimate>;
    /// What tells the modulus, for one line.
    fn Own::modulus_text() -> String;
    /// The least number of slots that can be bootstrapped.
    fn Own::least_bootstrapping_slots() -> Option<usize>;
}

impl Parameters {
    /// The keys for products, for conjugation, for these rotations, and to bootstrap `2^log_slots` slots for each of
    /// `bootstrapping`.
    pub fn key_plan(
        &self,
        relinearization: bool,
        conjugation: bool,
        rotations: &[i64],
        bootstrapping: &[u32],
    ) -> Result<KeyPlan> {
        let plan = if relinearization { KeyPlan::default() } else { KeyPlan::none() };
        let plan = plan.and_rotations(rotations.iter().copied());
        let plan = if conjugation { plan.conjugation() } else { plan };
        bootstrapping.iter().try_fold(plan, |plan, &log_slots| Ok(plan.and(self.bootstrap_keys(log_slots)?)))
    }
}

methods! { Parameters:
    /// The parameters in the wire format.
    fn own.to_bytes(;) -> Vec<u8>;
    /// Writes the same.
    fn own.write_to(; out: &mut dyn Write) -> ();
    /// Estimated precision in bits of a product of two fresh ciphertexts with values up to 1.
    /// `counting`: a backend that computes nothing.
    fn Own::precision_bits(; counting: Arc<dyn Backend>) -> f64;
    /// Bytes of each kind of object on `backend`.
    fn Own::sizes(; backend: &dyn Backend) -> Sizes;
    /// How `2^log_slots` slots are bootstrapped. What CKKS cannot bootstrap for that number alone
    /// is refused when keys are made.
    fn Own::bootstrapping(; log_slots: u32) -> Bootstrapping;
    /// The keys that bootstrapping `2^log_slots` slots takes.
    fn own.bootstrap_keys(; log_slots: u32) -> KeyPlan;
    /// The levels, the lowest first.
    fn Own::levels(;) -> Vec<Level>;
    /// The ciphertext primes, and the special primes of key switching.
    fn Own::primes(;) -> [Vec<u64>; 2];
}

/// The first of all schemes for which `$test` holds makes the parameters.
macro_rules! choose {
    ([$($S:ident)*] ($test:expr, $made:expr)) => {{
        $({
            #[allow(dead_code, reason = "not every expression names the scheme")]
            type Own = crate::any::$S;
            if $test {
                return $made.map(Parameters::$S);
            }
        })*
    }};
}

/// A value of every scheme.
macro_rules! each {
    ([$($S:ident)*] ($value:ident)) => {
        [$(crate::any::$S::$value),*]
    };
}

impl Parameters {
    /// The scheme's name for users of Python and the command.
    pub fn scheme(&self) -> &'static str {
        dispatch!(self, Parameters, _own => Own::ID)
    }

    /// In what ciphertexts count what they have left.
    pub fn unit(&self) -> Unit {
        dispatch!(self, Parameters, _own => Own::UNIT)
    }

    fn of_bits<T>(&self, op: &'static str, value: T) -> Result<T> {
        if self.unit() == Unit::Bits { Ok(value) } else { dispatch!(self, Parameters, _own => Own::lacks(op)) }
    }

    /// Bits of the largest modulus of ciphertexts, where it is a power of two: half those of keys.
    pub fn log_q(&self) -> Result<u32> {
        self.of_bits("log_q", self.log_qp() as u32 / 2)
    }

    /// Binary logarithm of the default scale and bits of a rescaling, where these are one number.
    pub fn log_p(&self) -> Result<u32> {
        self.of_bits("log_p", self.scale_bits())
    }

    /// Whether parameters weaker than they say were accepted.
    pub fn allow_insecure(&self) -> bool {
        dispatch!(self, Parameters, own => own.spec().allow_insecure)
    }

    /// Whether ciphertexts of as many slots as there are by default can be bootstrapped.
    pub fn can_bootstrap(&self) -> bool {
        self.bootstrapping(self.slots().ilog2()).is_ok()
    }

    /// The preset of this name, of any scheme.
    pub fn preset(name: &str) -> Result<Self> {
        schemes! { choose! (Own::PRESETS.contains(&name), (Own::PRESET)(name)) }
        Err(Error::UnknownPreset { name: name.into(), known: preset_names().join(", ") })
    }

    /// A description that [`Parameters::from_json`] takes.
    pub fn to_json(&self) -> Result<String> {
        dispatch!(self, Parameters, own => serde_json::to_string(own.spec())).map_err(json)
    }

    /// Checks and takes a description. Parameters weaker than they say are refused unless the
    /// reader allows them, whatever they ask for.
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
}

/// Names of the presets of all schemes.
pub fn preset_names() -> Vec<&'static str> {
    schemes! { each! (PRESETS) }.concat()
}

/// A JSON text that is no parameter set.
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
    /// These parameters on this machine.
    pub fn new(params: &Parameters, backend: Arc<dyn Backend>) -> Self {
        dispatch!(params, Parameters, own => scheme::Context::<Own>::new(own, backend).into())
    }
}

methods! { Context:
    /// The same, for keys that are kept in this form.
    fn Own::with_key_memory(; memory: KeyMemory) -> Context;
    /// Encodes values up to `magnitude`, one a slot.
    fn Own::encode(; values: &[Complex64], magnitude: f64, at: At, log_slots: u32) -> Plaintext;
    /// A ciphertext without values, on a backend that computes nothing.
    fn Own::uncomputed(; at: At, log_slots: u32) -> Ciphertext;
    /// Keys for everything, of which only the shapes are right, on a backend that computes nothing;
    /// without `bootstrapping`, none for that.
    fn Own::uncomputed_keys(; bootstrapping: bool) -> EvaluationKeys;
}
