//! Parameter sets.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use ringjet::any::{self, Bootstrapping, Level};
use ringjet::wire::Limits;
use ringjet::{SecurityLevel, Unit};
use ringjet_model::CountingBackend;

use crate::backend::Machine;
use crate::bytes;
use crate::errors::{argument, raise, run};

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
pub fn given(params: &Bound<'_, PyAny>) -> PyResult<any::Parameters> {
    if let Ok(params) = params.cast::<Parameters>() {
        return Ok(params.get().0.clone());
    }
    let Ok(name) = params.extract::<String>() else {
        let message = format!("params takes Parameters or the name of a preset, not {}", params.get_type().name()?);
        return Err(PyTypeError::new_err(message));
    };
    run(params.py(), || any::Parameters::preset(&name))
}

/// The number of slots asked for, or that of the parameters, as a power of two.
pub fn log_slots(params: &any::Parameters, slots: Option<usize>) -> PyResult<u32> {
    let slots = slots.unwrap_or(params.slots());
    if !slots.is_power_of_two() || slots > params.max_slots() {
        return Err(argument("slots", slots, &format!("a power of two up to {}", params.max_slots())));
    }
    Ok(slots.trailing_zeros())
}

#[pymethods]
impl Parameters {
    /// "ckks" or "heaan".
    #[getter]
    fn scheme(&self) -> &'static str {
        self.0.scheme()
    }

    /// The name of the property of ciphertexts that says what they have left to spend.
    #[getter]
    fn _unit(&self) -> &'static str {
        self.0.unit().property()
    }

    /// Number of slots unless a client asks for another one: half the ring degree, or what HEAAN's
    /// say.
    #[getter]
    fn slots(&self) -> usize {
        self.0.slots()
    }

    /// How many multiplications in a row a fresh ciphertext allows: its top level, where there are
    /// levels.
    #[getter]
    fn depth(&self) -> usize {
        self.0.depth()
    }

    /// Bits of the largest modulus of ciphertexts, of HEAAN's.
    #[getter]
    fn log_q(&self) -> PyResult<u32> {
        self.0.log_q().map_err(raise)
    }

    /// Binary logarithm of the default scale, of HEAAN's, and bits of a rescaling.
    #[getter]
    fn log_p(&self) -> PyResult<u32> {
        self.0.log_p().map_err(raise)
    }

    /// Whether ciphertexts can be bootstrapped, with keys for it; of HEAAN's those of `slots`
    /// slots.
    #[getter]
    fn can_bootstrap(&self) -> bool {
        self.0.can_bootstrap()
    }

    /// The level that a ciphertext must have left to be bootstrapped. HEAAN's parameters have
    /// `bootstrap_input_log_q`.
    #[getter]
    fn bootstrap_input_level(&self) -> Option<usize> {
        self.bootstrapping(Unit::Levels).map(|boot| boot.input)
    }

    /// The least number of slots that can be bootstrapped; None where the parameters do not.
    #[getter]
    fn bootstrap_least_slots(&self) -> Option<usize> {
        self.0.least_bootstrapping_slots()
    }

    /// Bits of the modulus that a ciphertext of HEAAN with `slots` slots must have left to be
    /// bootstrapped, at a scale of at most `2**log_p`.
    #[getter]
    fn bootstrap_input_log_q(&self) -> Option<usize> {
        self.bootstrapping(Unit::Bits).map(|boot| boot.input)
    }

    /// Bits of the modulus of a ciphertext of HEAAN with `slots` slots that has been bootstrapped.
    /// CKKS's are at level `depth`.
    #[getter]
    fn bootstrap_output_log_q(&self) -> Option<usize> {
        self.bootstrapping(Unit::Bits).map(|boot| boot.output)
    }

    /// The highest level of all: `depth`, or where bootstrapping starts.
    #[getter]
    fn max_level(&self) -> PyResult<usize> {
        Ok(self.0.levels().map_err(raise)?.len() - 1)
    }

    /// Every level, the lowest first: what it is for, sizes of its modulus, scale and rescaling in
    /// bits, number of primes.
    #[getter]
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let row = |level: Level| {
            let row = PyDict::new(py);
            row.set_item("level", level.level)?;
            row.set_item("purpose", level.purpose)?;
            row.set_item("modulus_bits", level.modulus_bits)?;
            row.set_item("scale_bits", level.scale_bits)?;
            row.set_item("rescale_bits", level.rescale_bits)?;
            row.set_item("primes", level.primes)?;
            Ok(row)
        };
        self.0.levels().map_err(raise)?.into_iter().map(row).collect()
    }

    /// Binary logarithm of the ring degree.
    #[getter]
    fn log_n(&self) -> u32 {
        self.0.log_n()
    }

    /// Size in bits of the largest modulus under which anything is encrypted: with HEAAN twice
    /// `log_q`.
    #[getter]
    fn log_qp(&self) -> f64 {
        self.0.log_qp()
    }

    /// Binary logarithm of the scale of what is encrypted.
    #[getter]
    fn scale_bits(&self) -> u32 {
        self.0.scale_bits()
    }

    /// Bits of security reached by the 2024 guidelines: 128, 192 or 256; 0 for less, and for sparse
    /// secrets.
    #[getter]
    fn security(&self) -> u32 {
        self.0.security().and_then(|e| e.level).map_or(0, SecurityLevel::bits)
    }

    /// Bits of modulus to spare at that security; negative when there are too many, and nan for
    /// sparse secrets, which the guidelines do not judge.
    #[getter]
    fn security_margin(&self) -> f64 {
        self.0.security().map_or(f64::NAN, |e| e.margin_bits)
    }

    /// Whether parameters weaker than asked for were accepted.
    #[getter]
    fn allow_insecure(&self) -> bool {
        self.0.allow_insecure()
    }

    /// The ciphertext primes; each but the first is a level.
    #[getter]
    fn q(&self) -> PyResult<Vec<u64>> {
        self.0.primes().map(|[q, _]| q).map_err(raise)
    }

    /// The special primes of key switching.
    #[getter]
    fn p(&self) -> PyResult<Vec<u64>> {
        self.0.primes().map(|[_, p]| p).map_err(raise)
    }

    /// Estimated precision in bits of a product of two fresh ciphertexts with values up to 1.
    #[getter]
    fn precision_bits(&self) -> PyResult<f64> {
        self.0.precision_bits(Arc::new(CountingBackend::default())).map_err(raise)
    }

    /// Bytes of each kind of object at the top level, headers aside; HEAAN's keys in the form that
    /// `backend="auto"` keeps them in.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let bytes = self.0.sizes(&*Machine::default()?.backend()).map_err(raise)?;
        let sizes = PyDict::new(py);
        sizes.set_item("ciphertext", bytes.ciphertext_at_rest)?;
        sizes.set_item("fresh_ciphertext", bytes.ciphertext_seeded_at_rest)?;
        sizes.set_item("evaluation_key", SEED_BYTES + bytes.switching_key_at_rest)?;
        sizes.set_item("evaluation_key_in_memory", bytes.switching_key_in_memory)?;
        Ok(sizes)
    }

    /// Sixteen bytes that identify the parameter set, in hexadecimal.
    #[getter]
    fn fingerprint(&self) -> String {
        self.0.fingerprint_hex()
    }

    /// A description that [`Parameters.from_json`] takes.
    fn to_json(&self) -> PyResult<String> {
        self.0.to_json().map_err(raise)
    }

    /// Checks and takes a description; parameters weaker than they say take `allow_insecure`.
    #[staticmethod]
    #[pyo3(signature = (text, *, allow_insecure=false))]
    fn from_json(py: Python<'_>, text: &str, allow_insecure: bool) -> PyResult<Self> {
        run(py, || any::Parameters::from_json(text, allow_insecure)).map(Self)
    }

    /// The parameters in the wire format.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        crate::bytes::copied(py, &self.0.to_bytes().map_err(raise)?)
    }

    /// Reads and checks parameters; those weaker than they say take `allow_insecure`.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=bytes::SECRET_LIMIT, allow_insecure=false))]
    fn from_bytes(py: Python<'_>, data: bytes::Input, max_bytes: u64, allow_insecure: bool) -> PyResult<Self> {
        let limits = Limits { max_bytes: Some(max_bytes), allow_insecure };
        run(py, || any::Parameters::from_bytes(&data, limits)).map(Self)
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        Ok((slf.py().import("ringjet._restore")?.getattr("parameters")?.unbind(), (slf.get().to_json()?,)))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        let security = match self.security() {
            0 => "below 128".to_string(),
            bits => bits.to_string(),
        };
        format!(
            "Parameters({}n=2^{}, slots={}, depth={}{}, scale=2^{}, {}, security={security} bits{})",
            if self.scheme() == "ckks" { String::new() } else { format!("{}, ", self.scheme()) },
            self.log_n(),
            self.slots(),
            self.depth(),
            if self.can_bootstrap() { ", bootstraps" } else { "" },
            self.scale_bits(),
            self.0.modulus_text(),
            mark(&self.0)
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
