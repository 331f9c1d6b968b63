//! Converts vectors between numpy and the library.

use numpy::{Complex64 as NumpyComplex, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyComplex;
use ringjet::any::{self, Values};
use ringjet_backend::host;
use ringjet_math::fft::Complex64;

use crate::arrays::{expect_few, expect_vector, kind, no_numbers, plain_array};
use crate::errors::{argument, raise};
use crate::integers::Integers;

/// Which numbers are accepted.
#[derive(Clone, Copy)]
pub enum Numbers {
    /// Real and complex numbers.
    Any,
    /// Integers only: arrays of floats are refused, even if all values are whole.
    Integers(Integers),
}

impl Numbers {
    /// The numbers that parameters encrypt.
    pub fn of(params: &any::Parameters) -> Self {
        params.residues().map_or(Self::Any, |residues| Self::Integers(Integers(residues)))
    }

    /// The elements of a vector, filled up to `slots` elements, by default with zeros. An empty
    /// vector stays empty.
    pub fn filled(self, given: &Bound<'_, PyAny>, slots: usize, fill: Option<&Bound<'_, PyAny>>) -> PyResult<Values> {
        Ok(match self {
            Self::Any => {
                let fill = |_| fill.map_or(Ok(Complex64::default()), number);
                Values::Numbers(filled(vector(given, slots)?, slots, fill)?)
            }
            Self::Integers(integers) => {
                let fill = |index| fill.map_or(Ok(0), |fill| integers.residue(index, fill));
                Values::Integers(filled(integers.vector(given, slots)?, slots, fill)?)
            }
        })
    }
}

/// Fills a vector up. `fill` gets the index of the first new element.
fn filled<T: Copy>(mut given: Vec<T>, slots: usize, fill: impl FnOnce(usize) -> PyResult<T>) -> PyResult<Vec<T>> {
    if !given.is_empty() {
        let fill = fill(given.len())?;
        given.resize(slots.max(given.len()), fill);
    }
    Ok(given)
}

/// Converts any value that numpy can turn into an array of numbers to a complex128 array of the
/// same shape. Masked arrays are refused.
pub fn array<'py>(values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let array = plain_array(values)?;
    if !"biufc".contains(kind(&array)?) {
        return Err(no_numbers(&array));
    }
    values.py().import("numpy")?.call_method1("asarray", (array, "complex128", "C"))
}

/// The elements of a vector of type complex128, in memory for at least `room` elements: secrets
/// leave no copy behind where the vector grows.
pub fn elements(vector: &Bound<'_, PyAny>, room: usize) -> PyResult<Vec<Complex64>> {
    let vector: PyReadonlyArray1<'_, NumpyComplex> = vector.extract()?;
    let vector = vector.as_slice()?;
    let mut all = host::capacity(room.max(vector.len())).map_err(|e| raise(e.into()))?;
    all.extend(vector.iter().map(|z| Complex64 { re: z.re, im: z.im }));
    Ok(all)
}

/// The number x.
pub fn number(x: &Bound<'_, PyAny>) -> PyResult<Complex64> {
    let complex = x.py().get_type::<PyComplex>().call1((x,))?;
    Ok(Complex64 { re: complex.getattr("real")?.extract()?, im: complex.getattr("imag")?.extract()? })
}

/// The elements of a vector, in memory for at least `room` elements. Arrays of other shapes are
/// refused.
pub fn vector(values: &Bound<'_, PyAny>, room: usize) -> PyResult<Vec<Complex64>> {
    expect_few(values)?;
    let array = array(values)?;
    expect_vector(&array)?;
    elements(&array, room)
}

/// A matrix in row-major order, with its numbers of rows and columns.
pub fn matrix(values: &Bound<'_, PyAny>) -> PyResult<((usize, usize), Vec<Complex64>)> {
    let array = array(values)?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let [rows, columns] = shape[..] else {
        return Err(argument("matrix", format!("an array of shape {shape:?}"), "an array with two axes"));
    };
    if rows * columns == 0 {
        return Err(argument("matrix", format!("{rows} x {columns}"), "at least one row and one column"));
    }
    Ok(((rows, columns), elements(&array.call_method1("reshape", (-1,))?, 0)?))
}

/// The values as a numpy array: integers as int64, numbers complex or only their real parts.
pub fn to_numpy(py: Python<'_>, values: Values, complex: bool) -> Py<PyAny> {
    match values {
        Values::Integers(all) => PyArray1::from_vec(py, all).into_any().unbind(),
        Values::Numbers(all) if complex => {
            let all = all.iter().map(|z| NumpyComplex::new(z.re, z.im)).collect();
            PyArray1::from_vec(py, all).into_any().unbind()
        }
        Values::Numbers(all) => {
            PyArray1::from_vec(py, all.iter().map(|z| z.re).collect::<Vec<_>>()).into_any().unbind()
        }
    }
}

/// Refuses a magnitude that is not a positive, finite number.
pub fn expect_magnitude(magnitude: f64) -> PyResult<()> {
    if magnitude > 0.0 && magnitude.is_finite() {
        return Ok(());
    }
    Err(argument("magnitude", magnitude, "a positive number"))
}

/// Real numbers from an array; complex ones are refused.
pub fn real(coefficients: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let c = vector(coefficients, 0)?;
    if let Some(i) = c.iter().position(|z| z.im != 0.0) {
        return Err(argument("coefficients", format!("{}{:+}j at index {i}", c[i].re, c[i].im), "real numbers"));
    }
    Ok(c.iter().map(|z| z.re).collect())
}
