//! Encrypted vectors.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringjet::dynamic::{self, Context, Evaluator};

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
        Live { ct, machine: server.machine.clone(), server: Some(Arc::clone(server)) }.into()
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

    /// Runs one operation of the server's evaluator.
    pub fn step(
        &self,
        work: impl FnOnce(&Evaluator, &dynamic::Ciphertext) -> ringjet::Result<dynamic::Ciphertext> + Send,
    ) -> PyResult<Self> {
        let live = self.live()?;
        let server = live.server()?;
        let ct = run(|| work(&server.eval, &live.ct))?;
        Ok(Live { ct, ..live.clone() }.into())
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
    /// Whether the estimated errors drown the values, of which no digit is right then.
    _is_drowned: bool = {
        let ct = &this.live()?.ct;
        !ct.params().is_exact() && ct.noise().is_drowned()
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

/// Methods that call an operation of the server's evaluator with the same name and arguments.
macro_rules! steps {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $T:ty),*);)*) => {
        #[pymethods]
        impl Ciphertext { $(
            $(#[$meta])*
            fn $name(&self, $($arg: $T),*) -> PyResult<Self> {
                self.step(|eval, x| eval.$name(x, $($arg),*))
            }
        )* }
    };
}

steps! {
    /// Rotates the slots by `k` to the left: slot j gets the value of slot j + k, as `np.roll(v,
    /// -k)` does. With BGV and BFV both rows are rotated.
    fn rotate(k: i64);
    /// The complex conjugate of every slot. Not with BGV and BFV.
    fn conjugate();
    /// BGV and BFV only: swaps the two rows of slots. It needs the key of conjugation.
    fn swap_rows();
    /// The same values at the lower level `level`: fewer bytes, and faster to compute with. HEAAN
    /// has `mod_down_to` instead.
    fn to_level(level: usize);
    /// HEAAN only: divides modulus and scale by `2**bits`. bits: at most those of the scale, by
    /// default `params.log_p`. Operators rescale by themselves, before a product where the scale is
    /// larger than `2**log_p`.
    #[pyo3(signature = (bits=None))]
    fn rescale(bits: Option<u32>);
    /// HEAAN only: the same values and scale modulo the smaller `2**log_q`, exactly: fewer bytes,
    /// and faster to compute with.
    fn mod_down_to(log_q: u32);
    /// The values times the imaginary unit, exactly: no level is spent. Not with BGV and BFV.
    fn times_i();
}

#[pymethods]
impl Ciphertext {
    /// Tells pandas to use the operators of this class: the priorities of its own types are at most
    /// 4000. A `Series` then counts as the array of its values.
    #[classattr]
    fn __pandas_priority__() -> u32 {
        5000
    }

    /// Bits between the largest coefficient of `values` (one a slot), encoded at this ciphertext's
    /// scale, and half the modulus. Negative where the values do not fit.
    fn _room(&self, values: &Bound<'_, PyAny>) -> PyResult<f64> {
        let (values, ct) = (values::vector(values, "values", 0)?, &self.live()?.ct);
        if values.len() != ct.slots() {
            return Err(raise(ringjet::Error::SlotMismatch { lhs: ct.slots(), rhs: values.len() }));
        }
        run(|| ct.room(values))
    }

    /// Slot j gets the sum of the `count` slots j, j + stride, j + 2 * stride, ... of its row, which
    /// goes on at its beginning. A sum that would meet a slot twice is refused. It needs the keys of
    /// the rotations `inner_sum_rotations(stride, count)`. terms: states that at most so many of them
    /// are not zero; bounds of the sum rely on it.
    #[pyo3(signature = (stride, count, *, terms=None))]
    fn inner_sum(&self, stride: i64, count: usize, terms: Option<usize>) -> PyResult<Self> {
        let terms = terms.unwrap_or(count);
        let live = self.live()?;
        let server = live.server()?;
        let ct = run(|| server.eval.inner_sum_of(&live.ct, stride, count, terms))?;
        Ok(Live { ct, ..live.clone() }.into())
    }

    /// The rotations of this ciphertext by each of `ks` slots to the left. They share one
    /// decomposition (hoisting), which is faster than single rotations; HEAAN's do not.
    fn rotations(&self, ks: Steps) -> PyResult<Vec<Self>> {
        let live = self.live()?;
        let server = live.server()?;
        let all = run(|| server.eval.rotations(&live.ct, &ks.0))?;
        Ok(all.into_iter().map(|ct| Live { ct, ..live.clone() }.into()).collect())
    }

    /// Evaluates a polynomial in every slot. p: real coefficients with the constant first, a
    /// `numpy.polynomial` series, a `numpy.poly1d` or an `Approximation`; with BGV and BFV whole
    /// numbers below 2**53 in size, taken modulo t. Not with HEAAN, which has `x**n`. slope: states
    /// that the derivative is at most that large at all values that matter; the estimates of errors
    /// rely on it, and without it they are for the steepest part of the interval.
    #[pyo3(signature = (p, *, slope=None))]
    fn polynomial(&self, p: &Bound<'_, PyAny>, slope: Option<f64>) -> PyResult<Self> {
        let mut p = function::polynomial(p, &self.live()?.ct.params())?;
        if let Some(slope) = slope {
            if !(slope >= 0.0 && slope.is_finite()) {
                return Err(argument("slope", slope, "a number that is not negative"));
            }
            p = p.with_slope(slope);
        }
        self.step(|eval, x| eval.polynomial(x, &p))
    }

    /// `matrix @ x`. matrix: a matrix with a column for each slot, and at most as many rows, or a
    /// `LinearTransform`. Slots of no row are zero in the product. With BGV and BFV it multiplies
    /// each row of slots. Not with HEAAN.
    pub fn matmul(&self, matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        let ct = &self.live()?.ct;
        let matrix = LinearTransform::given(matrix, ct.slots() / ct.params().rows())?;
        self.step(|eval, x| eval.matmul(x, &matrix.get().0))
    }

    /// Bootstraps, as `Server.bootstrap` does: the same values with levels, or bits of HEAAN's
    /// modulus, to spend again.
    #[pyo3(signature = (real=false))]
    fn bootstrap(&self, real: bool) -> PyResult<Self> {
        let live = self.live()?;
        let ct = live.server()?.bootstrap(&live.ct, real, Progress::default())?;
        Ok(Live { ct, ..live.clone() }.into())
    }

    /// The same ciphertext as a vector of `slots` values, a power of two. More slots repeat the
    /// values. Fewer slots assume that the values repeat; the caller must know that they do. Fewer
    /// slots are faster to bootstrap.
    fn with_slots(&self, slots: usize) -> PyResult<Self> {
        let live = self.live()?;
        let log_slots = params::log_slots(&live.ct.params(), Some(slots))?;
        Ok(Live { ct: live.ct.with_log_slots(log_slots).map_err(raise)?, ..live.clone() }.into())
    }

    /// States that the first `count` slots hold values, where the caller knows it better than the rule
    /// that `count` follows: 1 to `slots`.
    fn with_count(&self, count: usize) -> PyResult<Self> {
        let live = self.live()?;
        Ok(Live { ct: live.ct.counted(count).map_err(raise)?, ..live.clone() }.into())
    }

    /// States that real and imaginary parts are at most `magnitude`, where the caller knows a
    /// smaller bound than the one derived by the operations. Later checks and estimates rely on it.
    fn with_magnitude(&self, magnitude: f64) -> PyResult<Self> {
        ringjet::Stated::Magnitude(magnitude).expect_valid().map_err(raise)?;
        let live = self.live()?;
        Ok(Live { ct: live.ct.with_magnitude(magnitude).map_err(raise)?, ..live.clone() }.into())
    }

    /// States that all values are real and between `low` and `high`, as `with_magnitude` does.
    fn with_range(&self, low: f64, high: f64) -> PyResult<Self> {
        if !(low <= high && low.is_finite() && high.is_finite()) {
            return Err(argument("range", format!("[{low}, {high}]"), "finite ends with low <= high"));
        }
        let live = self.live()?;
        let ct = live.ct.with_range(ringjet::Range::real(low, high)).map_err(raise)?;
        Ok(Live { ct, ..live.clone() }.into())
    }

    /// States the standard deviation of the errors of real parts, where the caller knows it better
    /// than the estimate: errors that ringjet takes for dependent may be independent. Estimates from
    /// here on rely on it. Bounds of errors, and what is added before results are shared, do not.
    fn with_error(&self, deviation: f64) -> PyResult<Self> {
        if !(deviation > 0.0 && deviation.is_finite()) {
            return Err(argument("deviation", deviation, "a positive number"));
        }
        let live = self.live()?;
        Ok(Live { ct: live.ct.with_deviation(deviation).map_err(raise)?, ..live.clone() }.into())
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
