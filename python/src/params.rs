//! Parameter sets.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{IntoPyDict, PyBytes, PyDict};
use ringjet::any::{self, Bootstrapping, Level};
use ringjet::wire::Limits;
use ringjet::{SecurityLevel, Unit};
use ringjet_model::CountingBackend;

use crate::backend::Machine;
use crate::errors::{argument, raise, run, wrong_type};

/// Most bytes that parameters are read from: more than any take.
pub const LIMIT: u64 = 1 << 20;
/// Bytes of the seed that half of a key comes from.
const SEED_BYTES: u64 = 32;

/// A checked, immutable parameter set: ring, modulus, scale, security. CKKS's has primes and
/// levels, HEAAN's `log_q`.
#[pyclass(frozen, eq, hash, module = "ringjet")]
#[derive(Clone, PartialEq, Eq)]
pub struct Parameters(pub any::Parameters);

impl std::hash::Hash for Parameters {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.fingerprint().hash(state);
    }
}

/// What every representation of an object made from insecure parameters carries.
pub fn mark(params: &any::Parameters) -> &'static str {
    if params.allow_insecure() { ", allow_insecure" } else { "" }
}

/// Parameters given as such or by the name of a preset.
pub struct Given(pub any::Parameters);

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(params: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(params) = params.cast::<Parameters>() {
            return Ok(Self(params.get().0.clone()));
        }
        let Ok(name) = params.extract::<String>() else {
            return Err(wrong_type("params takes Parameters or the name of a preset", &params));
        };
        run(|| any::Parameters::preset(&name)).map(Self)
    }
}

/// The number of slots asked for, or that of the parameters, as a power of two.
pub fn log_slots(params: &any::Parameters, slots: Option<usize>) -> PyResult<u32> {
    let slots = slots.unwrap_or(params.slots());
    if !slots.is_power_of_two() || slots > params.max_slots() {
        return Err(argument("slots", slots, &format!("a power of two up to {}", params.max_slots())));
    }
    Ok(slots.trailing_zeros())
}

properties! { Parameters, this, py:
    /// "ckks" or "heaan".
    scheme: &'static str = this.0.scheme();
    /// The name of the property of ciphertexts that says what they have left to spend.
    _unit: &'static str = this.0.unit().property();
    /// Number of slots unless a client asks for another one: half the ring degree, or what HEAAN's
    /// say.
    slots: usize = this.0.slots();
    /// How many multiplications in a row a fresh ciphertext allows: its top level, where there are
    /// levels.
    depth: usize = this.0.depth();
    /// Bits of the largest modulus of ciphertexts, of HEAAN's.
    log_q: u32 = this.0.log_q().map_err(raise)?;
    /// Binary logarithm of the default scale, of HEAAN's, and bits of a rescaling.
    log_p: u32 = this.0.log_p().map_err(raise)?;
    /// Whether ciphertexts can be bootstrapped, with keys for it; of HEAAN's those of `slots`
    /// slots.
    can_bootstrap: bool = this.0.can_bootstrap();
    /// The level that a ciphertext must have left to be bootstrapped. HEAAN's parameters have
    /// `bootstrap_input_log_q`.
    bootstrap_input_level: Option<usize> = this.bootstrapping(Unit::Levels).map(|boot| boot.input);
    /// The least number of slots that can be bootstrapped; None where the parameters do not.
    bootstrap_least_slots: Option<usize> = this.0.least_bootstrapping_slots();
    /// Bits of the modulus that a ciphertext of HEAAN with `slots` slots must have left to be
    /// bootstrapped, at a scale of at most `2**log_p`.
    bootstrap_input_log_q: Option<usize> = this.bootstrapping(Unit::Bits).map(|boot| boot.input);
    /// Bits of the modulus of a ciphertext of HEAAN with `slots` slots that has been bootstrapped.
    /// CKKS's are at level `depth`.
    bootstrap_output_log_q: Option<usize> = this.bootstrapping(Unit::Bits).map(|boot| boot.output);
    /// The highest level of all: `depth`, or where bootstrapping starts.
    max_level: usize = this.0.levels().map_err(raise)?.len() - 1;
    /// Every level, the lowest first: what it is for, sizes of its modulus, scale and rescaling in
    /// bits, number of primes.
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
    /// Size in bits of the largest modulus under which anything is encrypted: with HEAAN twice
    /// `log_q`.
    log_qp: f64 = this.0.log_qp();
    /// Binary logarithm of the scale of what is encrypted.
    scale_bits: u32 = this.0.scale_bits();
    /// Bits of security reached by the 2024 guidelines: 128, 192 or 256; 0 for less, and for sparse
    /// secrets.
    security: u32 = this.0.security().and_then(|e| e.level).map_or(0, SecurityLevel::bits);
    /// Bits of modulus to spare at that security; negative when there are too many, and nan for
    /// sparse secrets, which the guidelines do not judge.
    security_margin: f64 = this.0.security().map_or(f64::NAN, |e| e.margin_bits);
    /// Whether parameters weaker than asked for were accepted.
    allow_insecure: bool = this.0.allow_insecure();
    /// The ciphertext primes; each but the first is a level.
    q: Vec<u64> = this.0.primes().map(|[q, _]| q).map_err(raise)?;
    /// The special primes of key switching.
    p: Vec<u64> = this.0.primes().map(|[_, p]| p).map_err(raise)?;
    /// Estimated precision in bits of a product of two fresh ciphertexts with values up to 1.
    precision_bits: f64 = this.0.precision_bits(Arc::new(CountingBackend::default())).map_err(raise)?;
    /// Bytes of each kind of object at the top level, headers aside; HEAAN's keys in the form that
    /// `backend="auto"` keeps them in.
    sizes: Py<PyDict> = {
        let bytes = this.0.sizes(&*Machine::default()?.backend()).map_err(raise)?;
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
    /// A description that [`Parameters.from_json`] takes.
    fn to_json(&self) -> PyResult<String> {
        self.0.to_json().map_err(raise)
    }

    /// Checks and takes a description; parameters weaker than they say take `allow_insecure`.
    #[staticmethod]
    #[pyo3(signature = (text, *, allow_insecure=false))]
    fn from_json(text: &str, allow_insecure: bool) -> PyResult<Self> {
        run(|| any::Parameters::from_json(text, allow_insecure)).map(Self)
    }

    /// The parameters in the wire format.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_bytes().map_err(raise)?))
    }

    /// Reads and checks parameters; those weaker than they say take `allow_insecure`.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=LIMIT, allow_insecure=false))]
    fn from_bytes(data: PyBackedBytes, max_bytes: u64, allow_insecure: bool) -> PyResult<Self> {
        let limits = Limits { max_bytes: Some(max_bytes), allow_insecure };
        run(|| any::Parameters::from_bytes(&data, limits)).map(Self)
    }

    fn __repr__(&self) -> String {
        let p = &self.0;
        let level = p.security().and_then(|e| e.level);
        format!(
            "Parameters({}n=2^{}, slots={}, depth={}{}, scale=2^{}, {}, security={} bits{})",
            if p.scheme() == "ckks" { String::new() } else { format!("{}, ", p.scheme()) },
            p.log_n(),
            p.slots(),
            p.depth(),
            if p.can_bootstrap() { ", bootstraps" } else { "" },
            p.scale_bits(),
            p.modulus_text(),
            level.map_or("below 128".into(), |level| level.bits().to_string()),
            mark(p)
        )
    }
}

impl Parameters {
    /// How the default number of slots is bootstrapped, where what is left is counted in `unit`.
    fn bootstrapping(&self, unit: Unit) -> Option<Bootstrapping> {
        let boot = self.0.bootstrapping(self.0.slots().ilog2()).ok();
        boot.filter(|boot| boot.unit == unit)
    }
}
