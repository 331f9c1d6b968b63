//! Encrypted vectors.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringjet::dynamic::{self, Context};
use ringjet::program::Op;

use crate::apply::{apply, first, observed, one, place, recorded};
use crate::backend::Machine;
use crate::bytes;
use crate::errors::{argument, raise, run};
use crate::function;
use crate::live::{Inner, Live};
use crate::params::{self, Parameters};
use crate::progress::Progress;
use crate::transform::LinearTransform;
use crate::values::{self, Steps};

/// An encrypted vector. Immutable: every operation makes a new one.
///
/// The operators take ciphertexts, and in the clear a number, which counts for every slot, also in an
/// array of length 1; or an array with a number for each slot, or for each of the first `count`
/// slots: the others then stay as they are. With BGV and BFV
/// these are integers with the range of messages: others raise `NotResidueError`, also where they
/// stand for every slot.
#[pyclass(frozen, module = "ringjet")]
pub struct Ciphertext {
    live: OnceLock<Live>,
    /// The bytes of a ciphertext that was unpickled and has no server yet.
    stored: Vec<u8>,
}

impl From<Live> for Ciphertext {
    fn from(live: Live) -> Self {
        Self { live: OnceLock::from(live), stored: Vec::new() }
    }
}

impl Ciphertext {
    /// A ciphertext of a server.
    pub fn of(server: &Arc<Inner>, ct: dynamic::Ciphertext) -> Self {
        Live { ct, machine: server.machine.clone(), server: Some(Arc::clone(server)), trace: None }.into()
    }

    /// The ciphertext with its server. An unpickled ciphertext joins the only living server that
    /// has its client's keys.
    pub fn live(&self) -> PyResult<&Live> {
        if let Some(live) = self.live.get() {
            return Ok(live);
        }
        let live = Live::join(&self.stored)?;
        Ok(self.live.get_or_init(|| live))
    }

    /// The ciphertext in the memory of `machine`, copied where it is in another one.
    pub fn on(&self, machine: &Machine, context: &Context) -> PyResult<dynamic::Ciphertext> {
        if let Some(live) = self.live.get() {
            live.machine.check()?;
        }
        match self.live.get() {
            Some(live) if live.machine.same(machine) => Ok(live.ct.clone()),
            Some(live) => run(|| {
                let data = live.ct.to_bytes(&live.context())?;
                bytes::ciphertext(context, &data, u64::MAX)
            }),
            None => run(|| bytes::ciphertext(context, &self.stored, u64::MAX)),
        }
    }
}

properties! { Ciphertext, this, py:
    /// How many rescalings are left. HEAAN's ciphertexts have `log_q` instead.
    level: usize = this.live()?.ct.level().map_err(raise)?;
    /// HEAAN only: bits of the modulus that are left.
    log_q: usize = this.live()?.ct.log_q().map_err(raise)?;
    /// Levels or bits of the modulus that are left; `params._unit` says which.
    _left: usize = this.live()?.ct.budget().left;
    /// HEAAN only: binary logarithm of the scale, a whole number.
    log_scale: u32 = this.live()?.ct.log_scale().map_err(raise)?;
    /// Binary logarithm of the scale.
    scale: f64 = this.live()?.ct.budget().scale_log2;
    /// BGV and BFV only: the noise budget in bits, which says how often the noise may double. It is a
    /// lower bound for every key; `Client.noise_budget` measures it.
    noise_budget: f64 = this.live()?.ct.noise_budget().map_err(raise)?;
    /// Number of slots.
    slots: usize = this.live()?.ct.slots();
    /// How many of the first slots hold values: those that were encrypted, or every slot. It is not
    /// secret. Statistics are over so many values by default, and `Client.decrypt` returns so many.
    /// Operations on single slots keep it; of two operands with different counts one must hold a
    /// value in every slot, and the result has the count of the other. What moves values, as
    /// `rotate`, `inner_sum` and `swap_rows` do, or repeats a result, as `sum` does, has a value in
    /// every slot.
    count: usize = this.live()?.ct.count();
    /// Whether the slots after the first `count` are known to hold 0.
    _zero_padded: bool = this.live()?.ct.is_zero_padded();
    /// Estimated precision in bits: -log2 of the standard deviation of the error of a slot's real
    /// part, for values as large as their stated bounds allow. Infinite with BGV and BFV.
    precision_bits: f64 = {
        let ct = &this.live()?.ct;
        if ct.params().is_exact() { f64::INFINITY } else { ct.noise().precision_bits() }
    };
    /// Bound on real and imaginary parts: stated at encryption, then derived by each operation.
    /// With BGV and BFV (t-1)/2: their values wrap around.
    magnitude: f64 = {
        let ct = &this.live()?.ct;
        let whole = ct.params().plaintext_modulus().map(|t| (t / 2) as f64);
        whole.unwrap_or(ct.noise().range().largest_part())
    };
    /// Bounds on the real parts of the values, (low, high).
    range: (f64, f64) = {
        let range = this.live()?.ct.noise().range();
        (range.low(), range.high())
    };
    /// Whether all values are real.
    is_real: bool = this.live()?.ct.noise().range().is_real();
    /// Proven bound on the error of every value; it fails with a probability of at most 2**-64.
    /// Infinite after bootstrapping, which has no proven bound. The noise of `decrypt_for_sharing`
    /// hides an error of this size. It does not count that values are rounded to doubles while they
    /// are encoded, which depends on no secret; `precision_bits` counts it.
    error_bound: f64 = {
        let ct = &this.live()?.ct;
        let bound = if ct.params().is_exact() { 0.0 } else { ct.noise().bound() };
        if bound >= f64::MAX { f64::INFINITY } else { bound * (-ct.budget().scale_log2).exp2() }
    };
    /// The backend, such as `cpu-ifma`.
    backend: String = this.live()?.machine.name().into();
    /// The parameters.
    params: Parameters = Parameters(this.live()?.ct.params());
    /// The identity of the client's key under which it is encrypted, in hexadecimal; all zeros on a
    /// model server.
    key_id: String = this.live()?.ct.key_id().to_string();
}

value_class! { Ciphertext: to_bytes, ciphertext }

/// Methods that are one operation each.
macro_rules! operations {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $T:ty),*) = $op:expr;)*) => {
        #[pymethods]
        impl Ciphertext { $(
            $(#[$meta])*
            fn $name(&self, $($arg: $T),*) -> PyResult<Self> {
                one(&$op, &[self])
            }
        )* }
    };
}

operations! {
    /// Rotates the slots by `k` to the left: slot j gets the value of slot j + k, as `np.roll(v,
    /// -k)` does. With BGV and BFV both rows are rotated.
    fn rotate(k: i64) = Op::Rotate { k };
    /// The complex conjugate of every slot. Not with BGV and BFV.
    fn conjugate() = Op::Conjugate {};
    /// BGV and BFV only: swaps the two rows of slots. It needs the key of conjugation.
    fn swap_rows() = Op::SwapRows {};
    /// The same values at the lower level `level`: fewer bytes, and faster to compute with. HEAAN
    /// has `mod_down_to` instead.
    fn to_level(level: usize) = Op::ToLevel { level };
    /// HEAAN only: divides modulus and scale by `2**bits`. bits: at most those of the scale, by
    /// default `params.log_p`. Operators rescale by themselves, before a product where the scale is
    /// larger than `2**log_p`.
    #[pyo3(signature = (bits=None))]
    fn rescale(bits: Option<u32>) = Op::Rescale { bits };
    /// HEAAN only: the same values and scale modulo the smaller `2**log_q`, exactly: fewer bytes,
    /// and faster to compute with.
    fn mod_down_to(log_q: u32) = Op::ModDownTo { log_q };
    /// The values times the imaginary unit, exactly: no level is spent. Not with BGV and BFV.
    fn times_i() = Op::TimesI {};
    /// Bootstraps, as `Server.bootstrap` does: the same values with levels, or bits of HEAAN's
    /// modulus, to spend again.
    #[pyo3(signature = (real=false))]
    fn bootstrap(real: bool) = Op::Bootstrap { real };
    /// States that the first `count` slots hold values, where the caller knows it better than the rule
    /// that `count` follows: 1 to `slots`.
    fn with_count(count: usize) = Op::Count { count };
}

#[pymethods]
impl Ciphertext {
    /// Tells pandas to use the operators of this class: the priorities of its own types are at most
    /// 4000. A `Series` then counts as the array of its values.
    #[classattr]
    fn __pandas_priority__() -> u32 {
        5000
    }

    /// Slot j gets the sum of the `count` slots j, j + stride, j + 2 * stride, ... of its row, which
    /// goes on at its beginning. A sum that would meet a slot twice is refused. It needs the keys of
    /// the rotations `inner_sum_rotations(stride, count)`. terms: states that at most so many of them
    /// are not zero; bounds of the sum rely on it.
    #[pyo3(signature = (stride, count, *, terms=None))]
    fn inner_sum(&self, stride: i64, count: usize, terms: Option<usize>) -> PyResult<Self> {
        one(&Op::InnerSum { stride, count, terms: terms.unwrap_or(count) }, &[self])
    }

    /// The rotations of this ciphertext by each of `ks` slots to the left. They share one
    /// decomposition (hoisting), which is faster than single rotations; HEAAN's do not.
    fn rotations(&self, ks: Steps) -> PyResult<Vec<Self>> {
        apply(&Op::Rotations { ks: ks.0 }, &[self])
    }

    /// Evaluates a polynomial in every slot. p: real coefficients with the constant first, a
    /// `numpy.polynomial` series, a `numpy.poly1d` or an `Approximation`; with BGV and BFV whole
    /// numbers below 2**53 in size, taken modulo t. Not with HEAAN, which has `x**n`. slope: states
    /// that the derivative is at most that large at all values that matter; the estimates of errors
    /// rely on it, and without it they are for the steepest part of the interval.
    #[pyo3(signature = (p, *, slope=None))]
    fn polynomial(&self, py: Python<'_>, p: &Bound<'_, PyAny>, slope: Option<f64>) -> PyResult<Self> {
        let mut found = function::polynomial(p, &self.live()?.ct.params())?;
        if let Some(slope) = slope {
            if !(slope >= 0.0 && slope.is_finite()) {
                return Err(argument("slope", slope, "a number that is not negative"));
            }
            found = found.with_slope(slope);
        }
        let error = match self._simulated(py)? {
            Some(seen) => py.import("ringjet.program._simulate")?.getattr("approximation_error")?.call1((p, seen))?,
            None => py.None().into_bound(py),
        };
        observed(&Op::Polynomial { p: Arc::new(found) }, &[self], error.extract()?, Progress::default()).map(first)
    }

    /// `matrix @ x`. matrix: a matrix with a column for each slot, and at most as many rows, or a
    /// `LinearTransform`. Slots of no row are zero in the product. With BGV and BFV it multiplies
    /// each row of slots. Not with HEAAN.
    pub fn matmul(&self, matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        let ct = &self.live()?.ct;
        let matrix = LinearTransform::given(matrix, ct.slots() / ct.params().rows())?;
        one(&Op::Matmul { matrix: Arc::clone(&matrix.get().0) }, &[self])
    }

    /// The same ciphertext as a vector of `slots` values, a power of two. More slots repeat the
    /// values. Fewer slots assume that the values repeat; the caller must know that they do. Fewer
    /// slots are faster to bootstrap.
    fn with_slots(&self, slots: usize) -> PyResult<Self> {
        let log_slots = params::log_slots(&self.live()?.ct.params(), Some(slots))?;
        one(&Op::Slots { log_slots }, &[self])
    }

    /// States that real and imaginary parts are at most `magnitude`, where the caller knows a
    /// smaller bound than the one derived by the operations. Later checks and estimates rely on it.
    fn with_magnitude(&self, magnitude: f64) -> PyResult<Self> {
        ringjet::Stated::Magnitude(magnitude).expect_valid().map_err(raise)?;
        one(&Op::Magnitude { magnitude }, &[self])
    }

    /// States that all values are real and between `low` and `high`, as `with_magnitude` does.
    fn with_range(&self, low: f64, high: f64) -> PyResult<Self> {
        if !(low <= high && low.is_finite() && high.is_finite()) {
            return Err(argument("range", format!("[{low}, {high}]"), "finite ends with low <= high"));
        }
        one(&Op::Within { low, high }, &[self])
    }

    /// States the standard deviation of the errors of real parts, where the caller knows it better
    /// than the estimate: errors that ringjet takes for dependent may be independent. Estimates from
    /// here on rely on it. Bounds of errors, and what is added before results are shared, do not.
    fn with_error(&self, deviation: f64) -> PyResult<Self> {
        if !(deviation > 0.0 && deviation.is_finite()) {
            return Err(argument("deviation", deviation, "a positive number"));
        }
        one(&Op::Deviation { deviation }, &[self])
    }

    /// States that the comparison `op` needs values at least `gap` away from 0 in the slots `used`
    /// (all by default). unit: what its user calls 1; zeros: 0 is told apart.
    #[pyo3(signature = (op, gap, unit, zeros, used=None))]
    fn _states_gap(
        slf: Py<Self>,
        op: String,
        gap: f64,
        unit: f64,
        zeros: bool,
        used: Option<Vec<bool>>,
    ) -> PyResult<Py<Self>> {
        let this = slf.get();
        if this.live()?.trace.is_none() {
            return Ok(slf);
        }
        let made = one(&Op::Gap { of: op, gap, unit, zeros, used: used.unwrap_or_default() }, &[this])?;
        Python::attach(|py| Py::new(py, made))
    }

    /// In a simulation, the same values with at least `needed` levels, after the warning `text`; None
    /// where that is impossible.
    fn _afresh(&self, op: &str, needed: usize, text: &str) -> PyResult<Option<Self>> {
        let live = self.live()?;
        let Some(server) = live.server.as_ref().filter(|_| live.trace.is_some()) else { return Ok(None) };
        let (traced, place) = (live.traced(server)?, place()?);
        let Some(mut recorder) = server.recorder() else { return Ok(None) };
        let made = recorder.afresh(&traced, op, needed, text, &place).map_err(raise)?;
        Ok(made.map(|made| recorded(server, made)))
    }

    /// Of a ciphertext of a recording server: the place in the user's code that made it.
    fn _place(&self) -> PyResult<Option<String>> {
        let live = self.live()?;
        let (Some(server), Some(trace)) = (&live.server, &live.trace) else { return Ok(None) };
        Ok(server.recorder().and_then(|recorder| recorder.place(trace.value).map(String::from)))
    }

    /// In a simulation: the values of all slots as decryption returns them, which slots are padding,
    /// and whether a warning said that errors drown the values.
    fn _simulated(&self, py: Python<'_>) -> PyResult<Option<(Py<PyAny>, Vec<bool>, bool)>> {
        let Some(seen) = self.live()?.trace.as_ref().and_then(|trace| trace.seen.as_ref()) else { return Ok(None) };
        let clear = seen.clear();
        let real = clear.is_real();
        let values = values::to_numpy(py, clear.decrypted().map_err(raise)?, !real);
        Ok(Some((values, clear.padding().to_vec(), seen.is_drowned())))
    }

    /// The ciphertext as bytes. A fresh one from the secret key takes half the size: the other half
    /// is 32 bytes of seed.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let Some(live) = self.live.get() else {
            return bytes::copied(py, &self.stored);
        };
        live.machine.check()?;
        let data = run(|| live.ct.to_bytes(&live.context()))?;
        bytes::copied(py, &data)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> isize {
        slf.as_ptr() as isize >> 4
    }

    fn __repr__(&self) -> String {
        let Ok(live) = self.live() else {
            return format!("Ciphertext({} bytes from a pickle, with no server)", self.stored.len());
        };
        live.text()
    }

    fn _repr_html_(&self) -> PyResult<String> {
        let Ok(live) = self.live() else {
            return Ok(format!("<code>{}</code>", self.__repr__()));
        };
        Ok(live.html())
    }
}

/// Makes a ciphertext from its pickled bytes.
#[pyfunction]
pub fn restore_ciphertext(data: bytes::Input) -> Ciphertext {
    Ciphertext { live: OnceLock::new(), stored: data.to_vec() }
}
