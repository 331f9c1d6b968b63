//! Parameter sets.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use ringjet::KeyRequest;
use ringjet::SecurityLevel;
use ringjet::params::{BootstrapChain, BootstrapSpec, ModulusSpec, ParamSpec};
use ringjet::rlwe::security::Estimate;
use ringjet::wire::Limits;

use crate::backend::Machine;
use crate::bytes;
use crate::errors::{argument, raise, run};
use crate::heaan;
use crate::scheme::{self, Either};

/// A checked, immutable parameter set: ring, modulus, scale, security. CKKS's has primes and levels, HEAAN's `log_q`.
#[pyclass(frozen, eq, hash, module = "ringjet")]
#[derive(Clone, PartialEq, Eq)]
pub struct Parameters(pub scheme::Parameters);

impl std::hash::Hash for Parameters {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.fingerprint().hash(state);
    }
}

/// What every representation of an object made from insecure parameters carries.
pub fn mark(params: &scheme::Parameters) -> &'static str {
    if params.allow_insecure() { ", allow_insecure" } else { "" }
}

/// [`given`], where they need not be.
pub fn given_or_none(params: Option<&Bound<'_, PyAny>>) -> PyResult<Option<scheme::Parameters>> {
    params.map(given).transpose()
}

/// Parameters given as such or by the name of a preset.
pub fn given(params: &Bound<'_, PyAny>) -> PyResult<scheme::Parameters> {
    if let Ok(params) = params.cast::<Parameters>() {
        return Ok(params.get().0.clone());
    }
    let Ok(name) = params.extract::<String>() else {
        let message = format!("params takes Parameters or the name of a preset, not {}", params.get_type().name()?);
        return Err(PyTypeError::new_err(message));
    };
    run(params.py(), || scheme::Parameters::preset(&name))
}

/// The number of slots asked for, or that of the parameters, as a power of two.
pub fn log_slots(params: &scheme::Parameters, slots: Option<usize>) -> PyResult<u32> {
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

    /// Number of slots unless a client asks for another one: half the ring degree, or what HEAAN's say.
    #[getter]
    fn slots(&self) -> usize {
        self.0.slots()
    }

    /// How many multiplications in a row a fresh ciphertext allows: its top level, where there are levels.
    #[getter]
    fn depth(&self) -> usize {
        self.0.depth()
    }

    /// Bits of the largest modulus of ciphertexts, of HEAAN's.
    #[getter]
    fn log_q(&self) -> PyResult<u32> {
        Ok(self.0.heaan("log_q", "levels says how many bits the modulus of each level has")?.log_q())
    }

    /// Binary logarithm of the default scale, of HEAAN's, and bits of a rescaling.
    #[getter]
    fn log_p(&self) -> PyResult<u32> {
        Ok(self.0.heaan("log_p", "scale_bits is the binary logarithm of the scale")?.log_p())
    }

    /// Whether ciphertexts can be bootstrapped, with keys for it; of HEAAN's those of `slots` slots.
    #[getter]
    fn can_bootstrap(&self) -> bool {
        self.0.can_bootstrap()
    }

    /// The level that a ciphertext must have left to be bootstrapped. HEAAN's parameters have `bootstrap_input_log_q`.
    #[getter]
    fn bootstrap_input_level(&self) -> Option<usize> {
        match &self.0 {
            Either::Ckks(params) => params.bootstrap().map(BootstrapSpec::input_level),
            Either::Heaan(_) => None,
        }
    }

    /// Bits of the modulus that a ciphertext of HEAAN with `slots` slots must have left to be bootstrapped, at a scale of at most
    /// `2**log_p`.
    #[getter]
    fn bootstrap_input_log_q(&self) -> Option<u32> {
        self.0.bootstrapping_bits().map(|(before, _)| before)
    }

    /// Bits of the modulus of a ciphertext of HEAAN with `slots` slots that has been bootstrapped. CKKS's are at level `depth`.
    #[getter]
    fn bootstrap_output_log_q(&self) -> Option<u32> {
        self.0.bootstrapping_bits().map(|(_, after)| after)
    }

    /// The highest level of all: `depth`, or where bootstrapping starts.
    #[getter]
    fn max_level(&self) -> PyResult<usize> {
        Ok(self.0.ckks("max_level", LEVELS)?.max_level())
    }

    /// Every level, the lowest first: what it is for, sizes of its modulus, scale and rescaling in bits, number of primes.
    #[getter]
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let params = self.0.ckks("levels", LEVELS)?;
        let row = |l: usize| {
            let row = PyDict::new(py);
            row.set_item("level", l)?;
            row.set_item("purpose", purpose(params, l))?;
            row.set_item("modulus_bits", params.level(l).basis.log2())?;
            row.set_item("scale_bits", params.scale(l).log2())?;
            row.set_item("rescale_bits", if l > 0 { params.ratio(l).log2() } else { 0.0 })?;
            row.set_item("primes", params.limbs(l))?;
            Ok(row)
        };
        (0..=params.max_level()).map(row).collect()
    }

    /// Binary logarithm of the ring degree.
    #[getter]
    fn log_n(&self) -> u32 {
        self.0.log_n()
    }

    /// Size in bits of the largest modulus under which anything is encrypted: with HEAAN twice `log_q`.
    #[getter]
    fn log_qp(&self) -> f64 {
        match &self.0 {
            Either::Ckks(params) => params.log_qp(),
            Either::Heaan(params) => f64::from(2 * params.log_q()),
        }
    }

    /// Binary logarithm of the scale of what is encrypted.
    #[getter]
    fn scale_bits(&self) -> u32 {
        match &self.0 {
            Either::Ckks(params) => params.spec().scale_bits,
            Either::Heaan(params) => params.log_p(),
        }
    }

    /// Bits of security reached by the 2024 guidelines: 128, 192 or 256; 0 for less, and for sparse secrets.
    #[getter]
    fn security(&self) -> u32 {
        self.estimate().and_then(|e| e.level).map_or(0, SecurityLevel::bits)
    }

    /// Bits of modulus to spare at that security; negative when there are too many, and nan for sparse secrets, which the
    /// guidelines do not judge.
    #[getter]
    fn security_margin(&self) -> f64 {
        self.estimate().map_or(f64::NAN, |e| e.margin_bits)
    }

    /// Whether parameters weaker than asked for were accepted.
    #[getter]
    fn allow_insecure(&self) -> bool {
        self.0.allow_insecure()
    }

    /// The ciphertext primes; each but the first is a level.
    #[getter]
    fn q(&self) -> PyResult<Vec<u64>> {
        Ok(self.0.ckks("q", PRIMES)?.q().values().collect())
    }

    /// The special primes of key switching.
    #[getter]
    fn p(&self) -> PyResult<Vec<u64>> {
        Ok(self.0.ckks("p", PRIMES)?.p().values().collect())
    }

    /// Estimated precision in bits of a product of two fresh ciphertexts with values up to 1.
    #[getter]
    fn precision_bits(&self) -> PyResult<f64> {
        match &self.0 {
            Either::Ckks(params) => Ok(ringjet::ckks::precision_bits(params)),
            Either::Heaan(params) => heaan::precision_bits(params).map_err(raise),
        }
    }

    /// Bytes of each kind of object at the top level, headers aside; HEAAN's keys in the form that `backend="auto"` keeps them in.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (polynomial, key, in_memory) = match &self.0 {
            Either::Ckks(p) => {
                let polynomial = bytes::poly_len(&p.level(p.top_level()).basis, p.n());
                (polynomial, bytes::key_len(p), (2 * p.dnum() * p.extended().len() * p.n() * 8) as u64)
            }
            Either::Heaan(p) => {
                let polynomial = |bits: u32| (p.n() * bits as usize).div_ceil(8);
                let in_memory = p.key_sizes(&*Machine::default()?.backend(), &KeyRequest::default());
                let in_memory = in_memory.map_err(raise)?.memory_bytes;
                (polynomial(p.log_q()), 32 + polynomial(2 * p.log_q()), in_memory)
            }
        };
        let sizes = PyDict::new(py);
        sizes.set_item("ciphertext", 2 * polynomial)?;
        sizes.set_item("fresh_ciphertext", polynomial)?;
        sizes.set_item("evaluation_key", key)?;
        sizes.set_item("evaluation_key_in_memory", in_memory)?;
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
        run(py, || scheme::Parameters::from_json(text, allow_insecure)).map(Self)
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
        run(py, || scheme::Parameters::from_bytes(&data, limits)).map(Self)
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
        let rest = match &self.0 {
            Either::Ckks(p) => format!("log_qp={:.0}, dnum={}", p.log_qp(), p.dnum()),
            Either::Heaan(p) => format!("log_q={}", p.log_q()),
        };
        format!(
            "Parameters({}n=2^{}, slots={}, depth={}{}, scale=2^{}, {rest}, security={security} bits{})",
            if let Either::Heaan(_) = self.0 { "heaan, " } else { "" },
            self.log_n(),
            self.slots(),
            self.depth(),
            if self.can_bootstrap() { ", bootstraps" } else { "" },
            self.scale_bits(),
            mark(&self.0)
        )
    }
}

impl Parameters {
    /// By the 2024 guidelines, where they judge.
    fn estimate(&self) -> Option<Estimate> {
        match &self.0 {
            Either::Ckks(params) => Some(params.security()),
            Either::Heaan(params) => params.security(),
        }
    }
}

/// What HEAAN has instead.
const LEVELS: &str = "log_q says how many bits the modulus has";
const PRIMES: &str = "its modulus is 2**log_q";

/// The parameter set called `name`; `presets()` lists them.
#[pyfunction]
pub fn preset(py: Python<'_>, name: &str) -> PyResult<Parameters> {
    run(py, || scheme::Parameters::preset(name)).map(Parameters)
}

/// Names of the presets: those of CKKS, then those of HEAAN.
#[pyfunction]
pub fn preset_names() -> Vec<&'static str> {
    ringjet::params::PRESET_NAMES.into_iter().chain(ringjet::heaan::PRESET_NAMES).collect()
}

/// Parameters of one's own: prime sizes in bits (or the primes themselves), checked for security.
///
/// log_n: binary logarithm of the ring degree, 10 to 17. q_bits: sizes of the ciphertext primes, the first stays to the
/// end and each further one is a level. p_bits: sizes of the special primes; together they must be as large as `alpha`
/// ciphertext primes. scale_bits: binary logarithm of the scale, by default the size of the last ciphertext prime.
#[pyfunction]
#[pyo3(signature = (log_n, q_bits=None, p_bits=None, scale_bits=None, *, q=None, p=None, alpha=None, security=128, allow_insecure=false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn params(
    py: Python<'_>,
    log_n: u32,
    q_bits: Option<Vec<u32>>,
    p_bits: Option<Vec<u32>>,
    scale_bits: Option<u32>,
    q: Option<Vec<u64>>,
    p: Option<Vec<u64>>,
    alpha: Option<usize>,
    security: u32,
    allow_insecure: bool,
) -> PyResult<Parameters> {
    let last = q_bits.as_ref().and_then(|bits| bits.last().copied());
    let Some(scale_bits) = scale_bits.or(last) else {
        return Err(argument("scale_bits", "None", "a number of bits where no q_bits are given"));
    };
    let spec = ParamSpec {
        log_n,
        q: modulus("q", q_bits, q)?,
        p: modulus("p", p_bits, p)?,
        scale_bits,
        levels: None,
        bootstrap: None,
        digits: None,
        alpha,
        security,
        allow_insecure,
    };
    run(py, || ringjet::Parameters::new(&spec)).map(ckks)
}

/// Parameters of one's own that bootstrap. Messages have `message_levels` levels of `scale_bits` between two bootstraps,
/// above a lowest prime of `first_bits`.
///
/// log_ratio: how many bits of room a message has below the lowest prime while the modulus is raised; the sine's error is
/// about `7 - 2 log_ratio` bits. eval_mod_bits, coeffs_to_slots_bits: scales of the levels for bootstrapping alone.
/// special: number of special primes, of 50 bits. slots_to_coeffs, coeffs_to_slots: how the `log_n - 1` stages of the
/// Fourier transform are grouped into levels, by default three as even as they get. slots_to_coeffs_first: at the lowest
/// levels, or else right below EvalMod; then log_ratio is `first_bits - scale_bits`. k, degree, double_angles, arcsine: the
/// approximation of the sine. secret_weight: non-zero coefficients of the ephemeral secret.
#[pyfunction]
#[pyo3(signature = (*, log_n, message_levels, scale_bits=40, first_bits=50, log_ratio=13.5, eval_mod_bits=61.5, coeffs_to_slots_bits=50.0,
    special=7, slots_to_coeffs=None, coeffs_to_slots=None, slots_to_coeffs_first=true, k=16, degree=31, double_angles=3, arcsine=1, passes=1,
    secret_weight=32,
    security=128, allow_insecure=false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn bootstrap_chain(
    py: Python<'_>,
    log_n: u32,
    message_levels: usize,
    scale_bits: u32,
    first_bits: u32,
    log_ratio: f64,
    eval_mod_bits: f64,
    coeffs_to_slots_bits: f64,
    special: usize,
    slots_to_coeffs: Option<Vec<u32>>,
    coeffs_to_slots: Option<Vec<u32>>,
    slots_to_coeffs_first: bool,
    k: u32,
    degree: usize,
    double_angles: u32,
    arcsine: usize,
    passes: u32,
    secret_weight: u32,
    security: u32,
    allow_insecure: bool,
) -> PyResult<Parameters> {
    if !(4..=17).contains(&log_n) {
        return Err(argument("log_n", log_n, "4 to 17"));
    }
    let standard = BootstrapSpec::standard(log_n, 3);
    let chain = BootstrapChain {
        log_n,
        message_levels,
        scale_bits,
        first_bits,
        log_ratio,
        eval_mod_bits,
        coeffs_to_slots_bits,
        special,
        bootstrap: BootstrapSpec {
            slots_to_coeffs: slots_to_coeffs.unwrap_or(standard.slots_to_coeffs),
            coeffs_to_slots: coeffs_to_slots.unwrap_or(standard.coeffs_to_slots),
            slots_to_coeffs_first,
            k,
            degree,
            double_angles,
            arcsine,
            passes,
            levelled: standard.levelled,
            secret_weight,
        },
    };
    run(py, || {
        let (spec, _) = chain.generate()?;
        ringjet::Parameters::new(&ParamSpec { security, allow_insecure, ..spec })
    })
    .map(ckks)
}

fn ckks(params: ringjet::Parameters) -> Parameters {
    Parameters(Either::Ckks(params))
}

/// What a level is for.
fn purpose(params: &ringjet::Parameters, level: usize) -> &'static str {
    params.bootstrap().map_or("messages", |boot| boot.purpose(level, params.max_level()))
}

fn modulus(name: &'static str, bits: Option<Vec<u32>>, primes: Option<Vec<u64>>) -> PyResult<ModulusSpec> {
    match (bits, primes) {
        (Some(bits), None) => Ok(ModulusSpec::Bits(bits)),
        (None, Some(primes)) => Ok(ModulusSpec::Primes(primes)),
        (Some(_), Some(_)) => Err(argument(name, "both", &format!("either {name}_bits or {name}"))),
        (None, None) => Err(argument(name, "None", &format!("{name}_bits, or the primes themselves as {name}"))),
    }
}
