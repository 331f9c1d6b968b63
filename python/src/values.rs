//! Converts vectors and polynomials between numpy and the library.

use numpy::{Complex64 as NumpyComplex, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyComplex};
use ringjet::Values;
use ringjet::any;
use ringjet::circuits::{Basis, Polynomial};
use ringjet_math::fft::Complex64;

use crate::errors::{argument, raise};

/// Which numbers are accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Real and complex numbers.
    Any,
    /// Integers only: arrays of floats are refused, even if all values are whole.
    Integers,
}

impl Numbers {
    /// The numbers that parameters encrypt.
    pub fn of(params: &any::Parameters) -> Self {
        if params.is_exact() { Self::Integers } else { Self::Any }
    }
}

/// Converts any value that numpy can turn into an array of numbers to a complex128 array of the
/// same shape. Masked arrays are refused.
pub fn array<'py>(values: &Bound<'py, PyAny>, numbers: Numbers) -> PyResult<Bound<'py, PyAny>> {
    let numpy = values.py().import("numpy")?;
    // numpy would drop the mask, and the masked values would be computed with
    if values.is_instance(&numpy.getattr("ma")?.getattr("MaskedArray")?)? {
        return Err(argument("values", "a masked array", "an array without a mask: filled(...) makes one"));
    }
    let array = numpy.call_method1("asarray", (values,))?;
    let dtype = array.getattr("dtype")?;
    let kind = dtype.getattr("kind")?.extract::<String>()?;
    if !"biufc".contains(&kind) {
        return Err(PyTypeError::new_err(format!("values of type {dtype} are no numbers that can be encrypted")));
    }
    if numbers == Numbers::Integers && !"biu".contains(&kind) {
        return Err(not_integers(&format!("values of type {dtype}")));
    }
    numpy.call_method1("asarray", (array, "complex128", "C"))
}

pub fn elements(vector: &Bound<'_, PyAny>) -> PyResult<Vec<Complex64>> {
    let vector: PyReadonlyArray1<'_, NumpyComplex> = vector.extract()?;
    Ok(vector.as_slice()?.iter().map(|z| Complex64 { re: z.re, im: z.im }).collect())
}

/// The exception for numbers that are no integers, where the scheme computes with integers.
fn not_integers(found: &str) -> PyErr {
    let instead = "round them, as in np.rint(values).astype(int), or take parameters of CKKS";
    PyTypeError::new_err(format!("{found}, and these parameters compute with integers: {instead}"))
}

/// Refuses a number that is no integer, where only integers are accepted.
pub fn expect_kind(x: &Bound<'_, PyAny>, numbers: Numbers) -> PyResult<()> {
    if numbers == Numbers::Any || x.hasattr("__index__")? {
        return Ok(());
    }
    Err(not_integers(&format!("a number of type {}", x.get_type().name()?)))
}

/// The number x.
pub fn number(x: &Bound<'_, PyAny>) -> PyResult<Complex64> {
    let complex = x.py().get_type::<PyComplex>().call1((x,))?;
    Ok(Complex64 { re: complex.getattr("real")?.extract()?, im: complex.getattr("imag")?.extract()? })
}

/// The elements of a vector. Arrays of other shapes are refused.
pub fn vector(values: &Bound<'_, PyAny>, numbers: Numbers) -> PyResult<Vec<Complex64>> {
    let array = array(values, numbers)?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape.len() != 1 {
        return Err(argument("values", format!("an array of shape {shape:?}"), "a vector: one value a slot"));
    }
    elements(&array)
}

/// A square matrix in row-major order, with its number of rows.
pub fn matrix(values: &Bound<'_, PyAny>) -> PyResult<(usize, Vec<Complex64>)> {
    let array = array(values, Numbers::Any)?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let [rows, columns] = shape[..] else {
        return Err(argument("matrix", format!("an array of shape {shape:?}"), "a square matrix"));
    };
    if rows != columns {
        return Err(argument("matrix", format!("{rows} x {columns}"), "a square matrix, one row a slot"));
    }
    Ok((rows, elements(&array.call_method1("reshape", (-1,))?)?))
}

/// The values as a numpy array: int64 in exact schemes, otherwise complex, or only their real
/// parts.
pub fn to_numpy(py: Python<'_>, values: Values, complex: bool, numbers: Numbers) -> Py<PyAny> {
    if numbers == Numbers::Integers {
        let values = values.0.iter().map(|z| z.re as i64).collect();
        PyArray1::from_vec(py, values).into_any().unbind()
    } else if complex {
        let values = values.0.iter().map(|z| NumpyComplex::new(z.re, z.im)).collect();
        PyArray1::from_vec(py, values).into_any().unbind()
    } else {
        PyArray1::from_vec(py, values.real()).into_any().unbind()
    }
}

/// Refuses a magnitude that is not a positive, finite number.
pub fn expect_magnitude(magnitude: f64) -> PyResult<()> {
    if magnitude > 0.0 && magnitude.is_finite() {
        return Ok(());
    }
    Err(argument("magnitude", magnitude, "a positive number"))
}

/// A polynomial from coefficients (constant first), a `numpy.polynomial` series or a
/// `numpy.poly1d`.
pub fn polynomial(p: &Bound<'_, PyAny>) -> PyResult<Polynomial> {
    let numpy = p.py().import("numpy")?;
    if p.is_instance(&numpy.getattr("poly1d")?)? {
        let mut c = real(&p.getattr("coeffs")?)?;
        c.reverse();
        return Polynomial::new(Basis::Power, &c).map_err(raise);
    }
    let series = p.py().import("numpy.polynomial")?;
    if !p.hasattr("coef")? || !p.hasattr("domain")? {
        return Polynomial::new(Basis::Power, &real(p)?).map_err(raise);
    }
    // composed with the series' map from its domain to its window
    let converted = |kind: &str, domain: [f64; 2]| -> PyResult<Vec<f64>> {
        let kwargs = [("domain", domain), ("window", [-1.0, 1.0])].into_py_dict(p.py())?;
        kwargs.set_item("kind", series.getattr(kind)?)?;
        real(&p.call_method("convert", (), Some(&kwargs))?.getattr("coef")?)
    };
    let (basis, coefficients) = if p.is_instance(&series.getattr("Polynomial")?)? {
        (Basis::Power, converted("Polynomial", [-1.0, 1.0])?)
    } else {
        // converts any other series to Chebyshev polynomials on its own domain
        let [a, b]: [f64; 2] = p.getattr("domain")?.call_method0("tolist")?.extract()?;
        (Basis::Chebyshev { a, b }, converted("Chebyshev", [a, b])?)
    };
    Polynomial::new(basis, &coefficients).map_err(raise)
}

fn real(coefficients: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let c = vector(coefficients, Numbers::Any)?;
    if let Some(i) = c.iter().position(|z| z.im != 0.0) {
        return Err(argument("coefficients", format!("{}{:+}j at index {i}", c[i].re, c[i].im), "real numbers"));
    }
    Ok(c.iter().map(|z| z.re).collect())
}
