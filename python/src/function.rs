//! Polynomials: those that stand for functions, and those of numpy.

use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyTuple};
use ringjet::Error;
use ringjet::circuits::{self, Basis, Polynomial, function};
use ringjet::dynamic::Parameters;

use crate::arrays::call;
use crate::errors::{argument, raise};
use crate::values::reals;

/// A polynomial that stands for a function on an interval; `approximate` makes it. Call it with
/// numbers or arrays, or give it to `Ciphertext.polynomial`.
#[pyclass(frozen, module = "ringjet")]
pub struct Approximation {
    found: circuits::Approximation,
    /// The function, if it was not given by its name.
    function: Option<Py<PyAny>>,
}

properties! { Approximation, this, py:
    /// The largest distance from the function on the interval.
    error: f64 = this.found.error();
    /// The interval: (low, high).
    domain: (f64, f64) = this.found.interval();
    /// Degree of the polynomial.
    degree: usize = this.polynomial().degree();
    /// Levels that its evaluation takes.
    depth: usize = this.polynomial().depth();
    /// Coefficients of the Chebyshev polynomials on the interval, constant first.
    coef: Vec<f64> = this.polynomial().coefficients().to_vec();
    /// The function; None if it was given by its name.
    function: Option<Py<PyAny>> = this.function.as_ref().map(|f| f.clone_ref(py));
}

#[pymethods]
impl Approximation {
    /// The polynomial's values at `x`, a number or an array.
    fn __call__<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let x = call(py, "plain", (x, "x"))?;
        let values: Vec<f64> =
            reals(&x.call_method0("ravel")?, "x")?.into_iter().map(|x| self.polynomial().eval(x)).collect();
        let values = PyArray1::from_vec(py, values).call_method1("reshape", (x.getattr("shape")?,))?;
        values.get_item(PyTuple::empty(py)) // a number for a number
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (low, high) = self.domain(py)?;
        let (degree, depth, error) = (self.degree(py)?, self.depth(py)?, self.found.error());
        Ok(format!("Approximation(degree={degree}, depth={depth}, error={error:.1e}, domain=({low}, {high}))"))
    }
}

impl Approximation {
    pub fn polynomial(&self) -> &circuits::Polynomial {
        self.found.polynomial()
    }
}

/// What stops an approximation: an error of the library, or an exception of the user's function.
struct Stopped(PyErr);

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self(raise(error))
    }
}

/// The polynomial of the least degree that is within `error` of a function on an interval.
///
/// f: a function of numpy arrays or of numbers, or one of the names "abs", "cos", "erf", "exp",
/// "gelu", "inverse_sqrt", "log", "reciprocal", "relu", "sigmoid", "silu", "sin", "softplus",
/// "sqrt", "square" and "tanh". interval: (low, high). error: the largest distance that is allowed.
/// What f does between its samples, 16,385 to 65,537 of them, is not seen. Refused: an error that no
/// polynomial reaches, naming the least possible, and functions that are not finite on the
/// interval.
#[pyfunction]
#[pyo3(signature = (f, interval, error=1e-4))]
pub fn approximate(f: &Bound<'_, PyAny>, interval: Interval, error: f64) -> PyResult<Approximation> {
    let interval = (interval.0, interval.1);
    let found = if let Ok(name) = f.extract::<String>() {
        let Some(named) = function::named(&name) else {
            return Err(argument(
                "f",
                format!("{name:?}"),
                &format!("a function, or one of {}", function::NAMES.join(", ")),
            ));
        };
        let values = |x: &[f64]| Ok::<_, Stopped>(x.iter().map(|&x| named(x)).collect());
        f.py().detach(|| circuits::Approximation::new(values, interval, error)).map(|found| (found, None))
    } else {
        let found = circuits::Approximation::new(|x| values(f, x).map_err(Stopped), interval, error);
        found.map(|found| (found, Some(f.clone().unbind())))
    };
    found.map(|(found, function)| Approximation { found, function }).map_err(|Stopped(e)| e)
}

/// The values of a function of Python, which may or may not take arrays.
fn values(f: &Bound<'_, PyAny>, x: &[f64]) -> PyResult<Vec<f64>> {
    let py = f.py();
    let array = PyArray1::from_slice(py, x);
    let found = match f.call1((&array,)) {
        Ok(found) if found.hasattr("__len__")? => found,
        // a constant, or a function of numbers such as math.sin
        Err(e) if !e.is_instance_of::<PyTypeError>(py) && !e.is_instance_of::<PyValueError>(py) => return Err(e),
        _ => {
            let each = x.iter().map(|&x| f.call1((x,))).collect::<PyResult<Vec<_>>>()?;
            each.into_bound_py_any(py)?
        }
    };
    reals(&found, "f")
}

/// An interval, (low, high).
pub struct Interval(pub f64, pub f64);

impl<'py> FromPyObject<'_, 'py> for Interval {
    type Error = PyErr;

    fn extract(x: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match x.extract::<Vec<f64>>().as_deref() {
            Ok(&[low, high]) => Ok(Self(low, high)),
            _ => Err(argument("interval", x.repr()?, "(low, high), such as (-8, 8)")),
        }
    }
}

/// Refuses functions of real numbers in the schemes of integers.
fn expect_real(params: &Parameters) -> PyResult<()> {
    if params.is_exact() { params.lacks("approximations").map_err(raise) } else { Ok(()) }
}

/// A polynomial for ciphertexts of these parameters, from coefficients (constant first), a
/// `numpy.polynomial` series, a `numpy.poly1d` or an [`Approximation`].
pub fn polynomial(p: &Bound<'_, PyAny>, params: &Parameters) -> PyResult<Polynomial> {
    if let Ok(approximation) = p.cast::<Approximation>() {
        expect_real(params)?;
        return Ok(approximation.get().polynomial().clone());
    }
    let (p, series) = (call(p.py(), "polynomial", (p,))?, p.py().import("numpy.polynomial")?);
    let coefficients = |c: &Bound<'_, PyAny>| reals(c, "coefficients");
    if !p.hasattr("coef")? || !p.hasattr("domain")? {
        return Polynomial::new(Basis::Power, &coefficients(&p)?).map_err(raise);
    }
    // composed with the series' map from its domain to its window
    let converted = |kind: &str, domain: [f64; 2]| -> PyResult<Vec<f64>> {
        let kwargs = [("domain", domain), ("window", [-1.0, 1.0])].into_py_dict(p.py())?;
        kwargs.set_item("kind", series.getattr(kind)?)?;
        coefficients(&p.call_method("convert", (), Some(&kwargs))?.getattr("coef")?)
    };
    let (basis, found) = if p.is_instance(&series.getattr("Polynomial")?)? {
        (Basis::Power, converted("Polynomial", [-1.0, 1.0])?)
    } else {
        let [a, b]: [f64; 2] = p.getattr("domain")?.call_method0("tolist")?.extract()?;
        let window: [f64; 2] = p.getattr("window")?.call_method0("tolist")?.extract()?;
        let is_ready = p.is_instance(&series.getattr("Chebyshev")?)? && window == [-1.0, 1.0];
        // converts any other series to Chebyshev polynomials on its own domain
        let found = if is_ready { coefficients(&p.getattr("coef")?)? } else { converted("Chebyshev", [a, b])? };
        (Basis::Chebyshev { a, b }, found)
    };
    Polynomial::new(basis, &found).map_err(raise)
}

/// The largest error of a table's result where a value is at most `within` away from that of a number.
#[pyfunction]
pub fn table_error(py: Python<'_>, values: Vec<f64>, within: f64) -> PyResult<f64> {
    let table = py.detach(|| Polynomial::table(&values, 0.0)).map_err(raise)?;
    let p = values.len();
    Ok(py.detach(|| ringjet_math::tables::bend(table.coefficients(), p, within * p as f64 / 2.0)))
}

/// The sign of numbers in [-1, 1], as polynomials that are applied one after the other: the
/// coefficients of each in Chebyshev polynomials, and its largest slope for numbers beyond the gap.
/// The composition is within `error` of the sign for absolute values from `gap` to 1. It stays
/// within [-1, 1], and is 0 at 0. It takes the fewest levels, and of those the fewest products. gap:
/// 2**-36 to 1. error: 1e-10 to 1.
#[pyfunction]
pub fn sign_stages(py: Python<'_>, gap: f64, error: f64) -> PyResult<Vec<(Vec<f64>, f64)>> {
    let sign = py.detach(|| circuits::Sign::new(gap, error)).map_err(raise)?;
    Ok(sign.stages().iter().map(|p| (p.coefficients().to_vec(), p.slope().unwrap_or(0.0))).collect())
}
