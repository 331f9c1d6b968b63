//! The methods of ciphertexts that are operations of programs.

use std::sync::Arc;

use pyo3::prelude::*;
use ringjet::circuits::Polynomial;
use ringjet::program::Op;

use crate::apply::{apply, first, observed, one, recorded};
use crate::caller::place;
use crate::ciphertext::Ciphertext;
use crate::errors::{argument, raise, run};
use crate::function;
use crate::lists::List;
use crate::params;
use crate::progress::Progress;
use crate::transform::LinearTransform;
use crate::values::{self, Steps};

/// How many standard deviations of its errors a sine may be away from that of a number.
const DEVIATIONS: f64 = 48.0;

/// Values of all slots, which slots are padding, and whether errors drown the values.
type Simulated = (Py<PyAny>, Vec<bool>, bool);

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
    /// `sin(pi / 2 * z)` of every value z, at the highest level of messages: a bootstrap of parameters with
    /// `has_sine`. Values must be between -1 and 1; of complex ones it is the sine of each part. It needs
    /// keys made with `bootstrapping=True`, and a level of at least `params.bootstrap_input_level`.
    fn sine() = Op::Sines { wraps: false };
    /// States that the first `count` slots hold values, where the caller knows it better than the rule
    /// that `count` follows: 1 to `slots`.
    fn with_count(count: usize) = Op::Count { count };
}

#[pymethods]
impl Ciphertext {
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
        let found = with_slope(function::polynomial(p, &self.loaded()?.ct.params())?, slope)?;
        let error = match self._simulated(py)? {
            Some(seen) => py.import("ringjet.program._simulate")?.getattr("approximation_error")?.call1((p, seen))?,
            None => py.None().into_bound(py),
        };
        observed(&Op::Polynomial { p: Arc::new(found) }, &[self], error.extract()?, Progress::default()).map(first)
    }

    /// Several polynomials of every slot, as `polynomial` evaluates each. With CKKS they share the powers of
    /// this ciphertext. slopes: one for each polynomial. near: states that all values that matter are close to
    /// these numbers; with slopes, the estimates of errors of Chebyshev series on [-1, 1] rely on it.
    #[pyo3(signature = (ps, *, slopes=None, near=None))]
    fn polynomials(
        &self,
        ps: List<Bound<'_, PyAny>>,
        slopes: Option<List<f64>>,
        near: Option<List<f64>>,
    ) -> PyResult<Vec<Self>> {
        let params = self.loaded()?.ct.params();
        let slopes = slopes.map(|slopes| slopes.0);
        if let Some(slopes) = slopes.as_ref().filter(|slopes| slopes.len() != ps.0.len()) {
            return Err(argument("slopes", format!("{} numbers", slopes.len()), &ps.0.len().to_string()));
        }
        let stated = |i: usize| slopes.as_ref().map(|slopes| slopes[i]);
        let found = ps.0.iter().enumerate().map(|(i, p)| with_slope(function::polynomial(p, &params)?, stated(i)));
        let points = near.map_or(vec![], |near| near.0);
        let near = |p: Polynomial| p.with_points(points.clone()).map(Arc::new).map_err(raise);
        let found = found.map(|p| p.and_then(near)).collect::<PyResult<Vec<_>>>()?;
        if found.is_empty() {
            return Ok(vec![]);
        }
        apply(&Op::Polynomials { ps: found }, &[self])
    }

    /// Tables of numbers whose sines this ciphertext holds: the number m of p is encoded as `(2 * m + 1 - p) /
    /// p`, and the result is `table[m]`. They share the powers of this ciphertext.
    fn _tables(&self, tables: List<Vec<f64>>) -> PyResult<Vec<Self>> {
        let noise = self.loaded()?.ct.noise();
        let within = (DEVIATIONS * (-noise.precision_bits()).exp2()).min(1.0);
        let made = run(|| tables.0.iter().map(|table| Polynomial::table(table, within).map(Arc::new)).collect());
        let made: Vec<_> = made?;
        if made.is_empty() {
            return Ok(vec![]);
        }
        apply(&Op::Polynomials { ps: made }, &[self])
    }

    /// `matrix @ x`. matrix: a matrix with a column for each slot, and at most as many rows, or a
    /// `LinearTransform`. Slots of no row are zero in the product. With BGV and BFV it multiplies
    /// each row of slots. Not with HEAAN.
    pub fn matmul(&self, matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        let ct = &self.loaded()?.ct;
        let matrix = LinearTransform::given(matrix, ct.slots() / ct.params().rows())?;
        one(&Op::Matmul { matrix: Arc::clone(&matrix.get().0) }, &[self])
    }

    /// The same ciphertext as a vector of `slots` values, a power of two. More slots repeat the
    /// values. Fewer slots assume that the values repeat; the caller must know that they do. Fewer
    /// slots are faster to bootstrap.
    fn with_slots(&self, slots: usize) -> PyResult<Self> {
        let log_slots = params::log_slots(&self.loaded()?.ct.params(), Some(slots))?;
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
        if this.loaded()?.trace.is_none() {
            return Ok(slf);
        }
        let made = one(&Op::Gap { of: op, gap, unit, zeros, used: used.unwrap_or_default() }, &[this])?;
        Python::attach(|py| Py::new(py, made))
    }

    /// In a simulation, the same values with at least `needed` levels, after the warning `text`; None
    /// where that is impossible.
    fn _afresh(&self, op: &str, needed: usize, text: &str) -> PyResult<Option<Self>> {
        let loaded = self.loaded()?;
        let Some(server) = loaded.server.as_ref().filter(|_| loaded.trace.is_some()) else { return Ok(None) };
        let (traced, place) = (loaded.traced(server)?, place()?);
        let Some(mut recorder) = server.recorder() else { return Ok(None) };
        let made = recorder.afresh(&traced, op, needed, text, &place).map_err(raise)?;
        Ok(made.map(|made| recorded(server, made)))
    }

    /// Of a ciphertext of a recording server: the place in the user's code that made it.
    fn _place(&self) -> PyResult<Option<String>> {
        let loaded = self.loaded()?;
        let (Some(server), Some(trace)) = (&loaded.server, &loaded.trace) else { return Ok(None) };
        Ok(server.recorder().and_then(|recorder| recorder.place(trace.value).map(String::from)))
    }

    /// In a simulation: the values of all slots as decryption returns them, which slots are padding,
    /// and whether a warning said that errors drown the values.
    fn _simulated(&self, py: Python<'_>) -> PyResult<Option<Simulated>> {
        let Some(seen) = self.loaded()?.trace.as_ref().and_then(|trace| trace.seen.as_ref()) else { return Ok(None) };
        let clear = seen.clear();
        let real = clear.is_real();
        let values = values::to_numpy(py, clear.decrypted().map_err(raise)?, !real);
        Ok(Some((values, clear.padding().to_vec(), seen.is_drowned())))
    }
}

/// `p` with the largest derivative that matters, where it is stated.
fn with_slope(p: Polynomial, slope: Option<f64>) -> PyResult<Polynomial> {
    match slope {
        None => Ok(p),
        Some(slope) if slope >= 0.0 && slope.is_finite() => Ok(p.with_slope(slope)),
        Some(slope) => Err(argument("slope", slope, "a number that is not negative")),
    }
}
