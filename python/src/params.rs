//! Parameter sets.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{IntoPyDict, PyBytes, PyDict};
use ringjet::dynamic::{self, Bootstrapping, Level};
use ringjet::wire::Limits;
use ringjet::{SecurityLevel, Unit};
use ringjet_model::CountingBackend;

use crate::backend::OpenBackend;
use crate::errors::{argument, raise, run, wrong_type};
use crate::integers::{self, Integers};

/// Default limit on the bytes of parameters: more than any parameters take.
pub const LIMIT: u64 = 1 << 20;
/// Bytes of the seed from which half of a key is generated.
const SEED_BYTES: u64 = 32;

/// A checked, immutable parameter set: ring, modulus, scale, security. CKKS has primes and levels,
/// HEAAN has `log_q`.
#[pyclass(frozen, eq, hash, module = "ringjet")]
#[derive(Clone, PartialEq, Eq)]
pub struct Parameters(pub dynamic::Parameters);

impl std::hash::Hash for Parameters {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.fingerprint().hash(state);
    }
}

/// The mark in the text of every object that was made from insecure parameters.
pub fn mark(params: &dynamic::Parameters) -> &'static str {
    if params.allow_insecure() { ", allow_insecure" } else { "" }
}

/// An argument that is `Parameters` or the name of a preset.
pub struct Given(pub dynamic::Parameters);

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(params: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(params) = params.cast::<Parameters>() {
            return Ok(Self(params.get().0.clone()));
        }
        let Ok(name) = params.extract::<String>() else {
            return Err(wrong_type("params takes Parameters or the name of a preset", &params));
        };
        run(|| dynamic::Parameters::preset(&name)).map(Self)
    }
}

/// Binary logarithm of `slots`, or of the parameters' number. Refuses numbers that are not a power
/// of two.
pub fn log_slots(params: &dynamic::Parameters, slots: Option<usize>) -> PyResult<u32> {
    params.log_slots_of(slots).map_err(raise)
}

/// The property of ciphertexts that says how much of their modulus is left.
pub fn property(unit: Unit) -> &'static str {
    match unit {
        Unit::Levels => "level",
        Unit::Bits => "log_q",
    }
}

#[pymethods]
impl Parameters {
    /// An array of type int64 of the same integers. Refuses any that BGV and BFV do not encrypt.
    fn _messages<'py>(&self, array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let residues = self.0.residues().ok_or_else(|| argument("params", self.0.scheme(), "bgv or bfv"))?;
        let array = Integers(residues).array(array)?;
        let flat = integers::elements(&array.call_method1("reshape", (-1,))?, 0)?;
        flat.iter().enumerate().try_for_each(|(i, &x)| residues.expect(i, x)).map_err(raise)?;
        Ok(array)
    }
}

properties! { Parameters, this, py:
    /// "ckks", "heaan", "bgv" or "bfv".
    scheme: &'static str = this.0.scheme();
    /// The property of ciphertexts that says how much is left to spend: `level` or `log_q`.
    _unit: &'static str = property(this.0.unit());
    /// Default number of slots: half the ring degree, or the number that HEAAN's parameters state.
    slots: usize = this.0.slots();
    /// Number of rows that slots are arranged in, one after the other: 2 with BGV and BFV, else 1.
    /// Rotations move values within each row.
    rows: usize = this.0.rows();
    /// The plaintext modulus of BGV and BFV, a prime or a product of primes: values are integers
    /// modulo it. None for CKKS and HEAAN.
    t: Option<u128> = this.0.plaintext_modulus();
    /// Number of multiplications in a row on a fresh ciphertext. Of CKKS parameters that bootstrap it is
    /// the number between two bootstraps: levels up to `bootstrap_input_level` are for bootstrapping.
    depth: usize = this.0.depth();
    /// The level of a fresh ciphertext; None for HEAAN, which has no levels.
    top_level: Option<usize> = this.0.top_level();
    /// HEAAN only: bits of the largest modulus of ciphertexts.
    log_q: u32 = this.0.log_q().map_err(raise)?;
    /// HEAAN only: binary logarithm of the default scale, and bits of a rescaling.
    log_p: u32 = this.0.log_p().map_err(raise)?;
    /// Whether ciphertexts of `slots` slots can be bootstrapped, given the keys.
    can_bootstrap: bool = this.0.can_bootstrap();
    /// Whether a bootstrap returns `sin(pi / 2 * z)` of the values, for tables of integers, given the keys.
    has_sine: bool = this.0.has_sine();
    /// The least level of a ciphertext that can be bootstrapped. HEAAN has `bootstrap_input_log_q`.
    bootstrap_input_level: Option<usize> = this.bootstrapping(Unit::Levels).map(|boot| boot.input);
    /// The largest number of slots that can be bootstrapped; None where no ciphertext can be.
    bootstrap_most_slots: Option<usize> = this.0.most_bootstrapping_slots();
    /// HEAAN only: bits of the modulus that a ciphertext of `slots` slots must have left to be
    /// bootstrapped, at a scale of at most `2**log_p`.
    bootstrap_input_log_q: Option<usize> = this.bootstrapping(Unit::Bits).map(|boot| boot.input);
    /// HEAAN only: bits of the modulus of a bootstrapped ciphertext of `slots` slots. CKKS's is at
    /// level `bootstrap_input_level + depth`.
    bootstrap_output_log_q: Option<usize> = this.bootstrapping(Unit::Bits).map(|boot| boot.output);
    /// The highest level: `top_level`, or the level at which bootstrapping starts.
    max_level: usize = this.0.levels().map_err(raise)?.len() - 1;
    /// Every level, the lowest first: purpose, bits of modulus, scale and rescaling, number of
    /// primes.
    levels: Vec<Py<PyDict>> = {
        let row = |level: Level| {
            let row = [("modulus_bits", level.modulus_bits), ("scale_bits", level.scale_bits)].into_py_dict(py)?;
            row.set_item("rescale_bits", level.rescale_bits)?;
            row.set_item("level", level.level)?;
            row.set_item("purpose", level.purpose)?;
            row.set_item("primes", level.primes)?;
            PyResult::Ok(row.unbind())
        };
        this.0.levels().map_err(raise)?.into_iter().map(row).collect::<PyResult<_>>()?
    };
    /// Binary logarithm of the ring degree.
    log_n: u32 = this.0.log_n();
    /// Bits of the largest modulus of keys; with HEAAN twice `log_q`.
    log_qp: f64 = this.0.log_qp();
    /// Binary logarithm of the scale of fresh ciphertexts.
    scale_bits: u32 = this.0.scale_bits();
    /// Security in bits by the 2024 guidelines: 128, 192 or 256; 0 for less, and for sparse
    /// secrets.
    security: u32 = this.0.security().and_then(|e| e.level).map_or(0, SecurityLevel::bits);
    /// Bits of modulus below the largest that has this security; negative where the modulus is too
    /// large, and nan for sparse secrets, which the guidelines do not judge.
    security_margin: f64 = this.0.security().map_or(f64::NAN, |e| e.margin_bits);
    /// How many independent secrets the secret is the sum of: 1 for a single client, more for several
    /// parties.
    pieces: u32 = this.0.pieces();
    /// Whether `allow_insecure` was set, which accepts parameters below their stated security.
    allow_insecure: bool = this.0.allow_insecure();
    /// The ciphertext primes. The first is the lowest; without bootstrapping each further one is a
    /// level.
    q: Vec<u64> = this.0.primes().map(|[q, _]| q).map_err(raise)?;
    /// The special primes of key switching.
    p: Vec<u64> = this.0.primes().map(|[_, p]| p).map_err(raise)?;
    /// Estimated precision in bits of a product of two fresh ciphertexts with values up to 1.
    precision_bits: f64 = this.0.precision_bits(Arc::new(CountingBackend::default())).map_err(raise)?;
    /// Bytes of a ciphertext and of a key at the top level, without headers. HEAAN's keys in memory
    /// have the form of `backend="auto"`.
    sizes: Py<PyDict> = {
        let bytes = this.0.sizes(&*OpenBackend::default()?.shared()).map_err(raise)?;
        let sizes = [
            ("ciphertext", bytes.ciphertext_at_rest),
            ("fresh_ciphertext", bytes.ciphertext_seeded_at_rest),
            ("evaluation_key", SEED_BYTES + bytes.switching_key_at_rest),
            ("evaluation_key_in_memory", bytes.switching_key_in_memory),
        ];
        sizes.into_py_dict(py)?.unbind()
    };
    /// Sixteen bytes that identify the parameter set, in hexadecimal.
    fingerprint: String = this.0.fingerprint_hex();
}

value_class! { Parameters: to_json, parameters }

#[pymethods]
impl Parameters {
    /// The parameters as JSON, for [`Parameters.from_json`].
    fn to_json(&self) -> PyResult<String> {
        self.0.to_json().map_err(raise)
    }

    /// Reads and checks parameters in JSON. Those below their stated security need
    /// `allow_insecure`.
    #[staticmethod]
    #[pyo3(signature = (text, *, allow_insecure=false))]
    fn from_json(text: &str, allow_insecure: bool) -> PyResult<Self> {
        run(|| dynamic::Parameters::from_json(text, allow_insecure)).map(Self)
    }

    /// The parameters in the wire format.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_bytes().map_err(raise)?))
    }

    /// Reads and checks parameters, of at most `max_bytes`. Those below their stated security need
    /// `allow_insecure`.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=LIMIT, allow_insecure=false))]
    fn from_bytes(data: PyBackedBytes, max_bytes: u64, allow_insecure: bool) -> PyResult<Self> {
        let limits = Limits { max_bytes: Some(max_bytes), allow_insecure };
        run(|| dynamic::Parameters::from_bytes(&data, limits)).map(Self)
    }

    fn __repr__(&self) -> String {
        let p = &self.0;
        let level = p.security().and_then(|e| e.level);
        format!(
            "Parameters({}n=2^{}, slots={}, depth={}{}{}{}, {}, security={} bits{})",
            if matches!(p, dynamic::Parameters::Ckks(_)) { String::new() } else { format!("{}, ", p.scheme()) },
            p.log_n(),
            p.slots(),
            p.depth(),
            if p.can_bootstrap() { ", bootstraps" } else { "" },
            if p.pieces() > 1 { format!(", {} pieces", p.pieces()) } else { String::new() },
            if p.is_exact() { String::new() } else { format!(", scale=2^{}", p.scale_bits()) },
            p.modulus_text(),
            level.map_or("below 128".into(), |level| level.bits().to_string()),
            mark(p)
        )
    }
}

impl Parameters {
    /// How the default number of slots is bootstrapped; `None` where it cannot be, or where the
    /// scheme's budget is not counted in `unit`.
    fn bootstrapping(&self, unit: Unit) -> Option<Bootstrapping> {
        let boot = self.0.bootstrapping(self.0.slots().ilog2()).ok();
        boot.filter(|boot| boot.unit == unit)
    }
}
