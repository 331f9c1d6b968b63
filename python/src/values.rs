//! Converts vectors between numpy and the library.

use numpy::{Complex64 as NumpyComplex, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyComplex, PyFloat};
use ringjet::Stated;
use ringjet::dynamic::{self, Values};
use ringjet_backend::host;
use ringjet_math::fft::Complex64;

use crate::arrays::{call, contiguous, expect_few, expect_vector};
use crate::errors::{argument, raise};
use crate::integers::Integers;
use crate::lists::List;

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
    pub fn of(params: &dynamic::Parameters) -> Self {
        params.residues().map_or(Self::Any, |residues| Self::Integers(Integers(residues)))
    }

    /// The elements of a vector and their number. The slots that remain of `slots` are filled with
    /// `fill`, by default with `padding`; where that is 0, the vector stays as short as it is, since
    /// encoding adds zeros.
    pub fn filled(
        self,
        given: &Bound<'_, PyAny>,
        slots: usize,
        fill: Option<&Bound<'_, PyAny>>,
        padding: f64,
    ) -> PyResult<(Values, usize)> {
        Ok(match self {
            Self::Any => {
                let (given, fill) = (vector(given, "values", slots)?, fill.map_or(Ok(padding.into()), number)?);
                let count = given.len();
                (Values::Numbers(filled(given, slots, fill)), count)
            }
            Self::Integers(integers) => {
                let given = integers.vector(given, slots)?;
                let (count, fill) = (given.len(), fill.map_or(Ok(0), |fill| integers.residue(given.len(), fill))?);
                (Values::Integers(filled(given, slots, fill)), count)
            }
        })
    }
}

/// Fills a vector up, unless it is empty or zeros would fill it.
fn filled<T: Copy + Default + PartialEq>(mut given: Vec<T>, slots: usize, fill: T) -> Vec<T> {
    if !given.is_empty() && fill != T::default() {
        given.resize(slots.max(given.len()), fill);
    }
    given
}

/// Bounds that a caller states of values: one number for real and imaginary parts, or (low, high)
/// for real values.
#[derive(Clone, Copy)]
pub struct Bounds(pub Stated);

impl<'py> FromPyObject<'_, 'py> for Bounds {
    type Error = PyErr;

    fn extract(x: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let stated = match x.len() {
            Ok(2) => Stated::Interval(x.get_item(0)?.extract()?, x.get_item(1)?.extract()?),
            Ok(_) => return Err(argument("magnitude", x.repr()?, "a number, or a pair (low, high)")),
            Err(_) => Stated::Magnitude(x.extract()?),
        };
        stated.expect_valid().map_err(raise)?;
        Ok(Self(stated))
    }
}

/// The bounds of values of which none are stated.
pub const UNSTATED: Stated = Stated::Magnitude(1.0);

/// Converts any value that numpy can turn into an array of finite numbers to a complex128 array of
/// the same shape. `name` is the argument's name in errors.
pub fn array<'py>(values: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    contiguous(&call(values.py(), "numbers", (values, name))?, "complex128")
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
    let x = if x.is_exact_instance_of::<PyFloat>() { x.clone() } else { call(x.py(), "number", (x,))? };
    match x.cast::<PyComplex>() {
        Ok(z) => Ok(Complex64 { re: z.real(), im: z.imag() }),
        Err(_) => Ok(Complex64 { re: x.extract()?, im: 0.0 }),
    }
}

/// The elements of a vector, in memory for at least `room` elements. Arrays of other shapes are
/// refused. `name` is the argument's name in errors.
pub fn vector(values: &Bound<'_, PyAny>, name: &'static str, room: usize) -> PyResult<Vec<Complex64>> {
    expect_few(values)?;
    let array = array(values, name)?;
    expect_vector(&array, name)?;
    elements(&array, room)
}

/// A matrix in row-major order, with its numbers of rows and columns.
pub fn matrix(values: &Bound<'_, PyAny>) -> PyResult<((usize, usize), Vec<Complex64>)> {
    let array = array(values, "matrix")?;
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

/// Real numbers from an array, which may be infinite or not a number; complex ones are refused.
pub fn reals(values: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Vec<f64>> {
    let options = [("finite", false)].into_py_dict(values.py())?;
    let array = values.py().import("ringjet._arrays")?.getattr("reals")?.call((values, name), Some(&options))?;
    expect_vector(&array, name)?;
    let array: PyReadonlyArray1<'_, f64> = contiguous(&array, "float64")?.extract()?;
    Ok(array.as_slice()?.to_vec())
}

/// The use of a key by its name: of a rotation its number of slots, as a number or as text.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Purpose(pub String);

impl<'py> FromPyObject<'_, 'py> for Purpose {
    type Error = PyErr;

    fn extract(x: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        x.extract::<i64>().map(|steps| steps.to_string()).or_else(|_| x.extract()).map(Self)
    }
}

/// Numbers of slots to rotate by: any sequence of integers.
#[derive(Default)]
pub struct Steps(pub Vec<i64>);

impl<'py> FromPyObject<'_, 'py> for Steps {
    type Error = PyErr;

    fn extract(x: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(single) = x.extract::<i64>() {
            return Err(argument("rotations", single, &format!("a list of numbers of slots, such as [{single}]")));
        }
        x.extract::<List<i64>>().map(|list| Self(list.0))
    }
}
