//! Vectors between numpy and the library.

use numpy::{Complex64 as NumpyComplex, PyArray1, PyReadonlyArray1};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyComplex;
use ringjet::Values;
use ringjet_math::fft::Complex64;

use crate::errors::argument;

/// An array of any shape with elements of type float64 or complex128.
pub enum Array<'py> {
    Real(Bound<'py, PyAny>),
    Complex(Bound<'py, PyAny>),
}

impl<'py> Array<'py> {
    /// From anything that numpy makes an array of numbers of.
    pub fn new(values: &Bound<'py, PyAny>) -> PyResult<Self> {
        let numpy = values.py().import("numpy")?;
        // as an array it would lose its mask, and what the mask hides would be computed with
        if values.is_instance(&numpy.getattr("ma")?.getattr("MaskedArray")?)? {
            return Err(argument("values", "a masked array", "an array without a mask: filled(...) makes one"));
        }
        let array = numpy.call_method1("asarray", (values,))?;
        let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
        match kind.as_str() {
            "b" | "i" | "u" | "f" => Ok(Self::Real(numpy.call_method1("asarray", (array, "float64", "C"))?)),
            "c" => Ok(Self::Complex(numpy.call_method1("asarray", (array, "complex128", "C"))?)),
            _ => {
                let dtype = array.getattr("dtype")?;
                Err(PyTypeError::new_err(format!("values of type {dtype} are no numbers that can be encrypted")))
            }
        }
    }

    /// The numpy array.
    pub fn inner(&self) -> &Bound<'py, PyAny> {
        match self {
            Self::Real(a) | Self::Complex(a) => a,
        }
    }

    /// The elements of a vector.
    pub fn elements(&self) -> PyResult<Vec<Complex64>> {
        match self {
            Self::Real(a) => {
                let a: PyReadonlyArray1<'_, f64> = a.extract()?;
                Ok(a.as_slice()?.iter().map(|&re| Complex64 { re, im: 0.0 }).collect())
            }
            Self::Complex(a) => {
                let a: PyReadonlyArray1<'_, NumpyComplex> = a.extract()?;
                Ok(a.as_slice()?.iter().map(|z| Complex64 { re: z.re, im: z.im }).collect())
            }
        }
    }
}

/// A number, real or complex.
pub fn number(x: &Bound<'_, PyAny>) -> PyResult<Complex64> {
    let complex = x.py().get_type::<PyComplex>().call1((x,))?;
    Ok(Complex64 { re: complex.getattr("real")?.extract()?, im: complex.getattr("imag")?.extract()? })
}

/// A vector; other shapes are refused.
pub fn vector(values: &Bound<'_, PyAny>) -> PyResult<Vec<Complex64>> {
    let array = Array::new(values)?;
    let shape: Vec<usize> = array.inner().getattr("shape")?.extract()?;
    if shape.len() != 1 {
        return Err(argument("values", format!("an array of shape {shape:?}"), "a vector: one value a slot"));
    }
    array.elements()
}

/// A square matrix in row-major order, with its number of rows.
pub fn matrix(values: &Bound<'_, PyAny>) -> PyResult<(usize, Vec<Complex64>)> {
    let array = Array::new(values)?;
    let shape: Vec<usize> = array.inner().getattr("shape")?.extract()?;
    let [rows, columns] = shape[..] else {
        return Err(argument("matrix", format!("an array of shape {shape:?}"), "a square matrix"));
    };
    if rows != columns {
        return Err(argument("matrix", format!("{rows} x {columns}"), "a square matrix, one row a slot"));
    }
    let py = values.py();
    let flat = array.inner().call_method1("reshape", (-1,))?.into_bound_py_any(py)?;
    let flat = if matches!(array, Array::Real(_)) { Array::Real(flat) } else { Array::Complex(flat) };
    Ok((rows, flat.elements()?))
}

/// Real parts, or complex values, as a numpy array.
pub fn to_numpy(py: Python<'_>, values: Values, complex: bool) -> Py<PyAny> {
    if complex {
        let values = values.0.iter().map(|z| NumpyComplex::new(z.re, z.im)).collect();
        PyArray1::from_vec(py, values).into_any().unbind()
    } else {
        PyArray1::from_vec(py, values.real()).into_any().unbind()
    }
}

/// Refuses a bound on values that is not a positive number.
pub fn expect_magnitude(magnitude: f64) -> PyResult<()> {
    if magnitude > 0.0 && magnitude.is_finite() {
        return Ok(());
    }
    Err(argument("magnitude", magnitude, "a positive number"))
}
