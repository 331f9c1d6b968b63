//! Integers of exact schemes, from Python and numpy. None of them passes through a double.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use ringjet::Number;
use ringjet::bgv::Residues;

use crate::arrays::{expect_few, expect_vector, kind, no_numbers, plain_array};
use crate::errors::raise;
use ringjet_backend::host;

/// Converts integers for parameters whose messages are these residues. Integers that are no `i64`
/// are refused here, and smaller ones that are no messages by the library.
#[derive(Clone, Copy)]
pub struct Integers(pub Residues);

impl Integers {
    /// The int64 array of any value that numpy can turn into an array of integers, in the same
    /// shape. Masked arrays, and floats and complex numbers are refused.
    pub fn array<'py>(self, values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (numpy, mut array) = (values.py().import("numpy")?, plain_array(values)?);
        // numpy turns a list of negative integers and integers above 2^63 into floats
        if kind(&array)? == 'f' && (values.is_instance_of::<PyList>() || values.is_instance_of::<PyTuple>()) {
            array = numpy.call_method1("asarray", (values, "object"))?;
        }
        match kind(&array)? {
            'b' | 'i' => {}
            'u' => self.expect_signed(&array)?,
            'O' => self.expect_objects(&array)?,
            'f' | 'c' => return Err(not_integers(&format!("values of type {}", array.getattr("dtype")?))),
            _ => return Err(no_numbers(&array)),
        }
        numpy.call_method1("asarray", (array, "int64", "C"))
    }

    /// The elements of a vector, in memory for at least `room` elements. Arrays of other shapes are
    /// refused.
    pub fn vector(self, values: &Bound<'_, PyAny>, room: usize) -> PyResult<Vec<i64>> {
        expect_few(values)?;
        let array = self.array(values)?;
        expect_vector(&array)?;
        elements(&array, room)
    }

    /// The integer x, a message for the slot `index`.
    pub fn residue(self, index: usize, x: &Bound<'_, PyAny>) -> PyResult<i64> {
        let x = self.integer(index, x)?;
        self.0.expect(index, x).map(|()| x).map_err(raise)
    }

    /// The integer x, which is for the slot `index`.
    pub fn integer(self, index: usize, x: &Bound<'_, PyAny>) -> PyResult<i64> {
        if !x.hasattr("__index__")? {
            return Err(not_integers(&format!("a number of type {}", x.get_type().name()?)));
        }
        let x = x.call_method0("__index__")?;
        if let Ok(small) = x.extract::<i64>() {
            return Ok(small);
        }
        let large = x.extract::<i128>().map(Number::Integer);
        // the float of an integer beyond 2^1024 does not exist
        let number = large.or_else(|_| x.extract().map(Number::Real)).unwrap_or(Number::Real(f64::INFINITY));
        Err(raise(self.0.refusal(index, number)))
    }

    /// Refuses unsigned integers above 2^63 - 1.
    fn expect_signed(self, array: &Bound<'_, PyAny>) -> PyResult<()> {
        let flat = array.call_method1("reshape", (-1,))?.call_method1("astype", ("uint64",))?;
        let all: PyReadonlyArray1<'_, u64> = flat.extract()?;
        let all = all.as_array();
        match all.iter().position(|&x| i64::try_from(x).is_err()) {
            Some(index) => Err(raise(self.0.refusal(index, Number::Integer(all[index].into())))),
            None => Ok(()),
        }
    }

    /// Refuses objects that are no integers of 64 bits with sign.
    fn expect_objects(self, array: &Bound<'_, PyAny>) -> PyResult<()> {
        for (index, x) in array.getattr("flat")?.try_iter()?.enumerate() {
            self.integer(index, &x?)?;
        }
        Ok(())
    }
}

/// The elements of a vector of type int64, in memory for at least `room` elements.
pub fn elements(vector: &Bound<'_, PyAny>, room: usize) -> PyResult<Vec<i64>> {
    let vector: PyReadonlyArray1<'_, i64> = vector.extract()?;
    let vector = vector.as_slice()?;
    let mut all = host::capacity(room.max(vector.len())).map_err(|e| raise(e.into()))?;
    all.extend_from_slice(vector);
    Ok(all)
}

/// The exception for numbers that are no integers, where the scheme computes with integers.
fn not_integers(found: &str) -> PyErr {
    let instead = "round them, as in np.rint(values).astype(int), or take parameters of CKKS";
    PyTypeError::new_err(format!("{found}, and these parameters compute with integers: {instead}"))
}
