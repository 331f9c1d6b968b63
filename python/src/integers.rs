//! Integers of exact schemes, from Python and numpy. None of them passes through a double.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyInt;
use ringjet::Number;
use ringjet::bgv::Residues;

use crate::arrays::{call, contiguous, expect_few, expect_vector};
use crate::errors::raise;
use ringjet_backend::host;

/// Converts integers for parameters whose messages are these residues. Integers that are no `i64`
/// are refused here, and smaller ones that are no messages by the library.
#[derive(Clone, Copy)]
pub struct Integers(pub Residues);

impl Integers {
    /// The int64 array of an array that `ringjet._arrays` made of integers, in the same shape.
    pub fn array<'py>(self, array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if array.getattr("dtype")?.getattr("kind")?.extract::<char>()? == 'O' {
            for (index, x) in array.getattr("flat")?.try_iter()?.enumerate() {
                self.integer(index, &x?)?;
            }
        }
        contiguous(array, "int64")
    }

    /// The elements of a vector, in memory for at least `room` elements. Arrays of other shapes are
    /// refused.
    pub fn vector(self, values: &Bound<'_, PyAny>, room: usize) -> PyResult<Vec<i64>> {
        expect_few(values)?;
        let array = self.array(&call(values.py(), "integers", (values,))?)?;
        expect_vector(&array, "values")?;
        elements(&array, room)
    }

    /// The integer x, a message for the slot `index`.
    pub fn residue(self, index: usize, x: &Bound<'_, PyAny>) -> PyResult<i64> {
        let x = self.integer(index, x)?;
        self.0.expect(index, x).map(|()| x).map_err(raise)
    }

    /// The integer x, which is for the slot `index`.
    pub fn integer(self, index: usize, x: &Bound<'_, PyAny>) -> PyResult<i64> {
        let x = if x.is_exact_instance_of::<PyInt>() { x.clone() } else { call(x.py(), "integer", (x,))? };
        if let Ok(small) = x.extract::<i64>() {
            return Ok(small);
        }
        let large = x.extract::<i128>().map(Number::Integer);
        // the float of an integer beyond 2^1024 does not exist
        let number = large.or_else(|_| x.extract().map(Number::Real)).unwrap_or(Number::Real(f64::INFINITY));
        Err(raise(self.0.refusal(index, number)))
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
