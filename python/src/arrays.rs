//! Calls of `ringjet._arrays`, the one conversion of numbers that users give.

use pyo3::IntoPyObject;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use ringjet::Error;

use crate::errors::{argument, raise};

/// Calls a function of `ringjet._arrays`.
pub fn call<'py>(
    py: Python<'py>,
    function: &str,
    args: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("ringjet._arrays")?.getattr(function)?.call1(args.into_pyobject(py)?)
}

/// The array in memory without gaps, with elements of this type. It keeps its shape.
pub fn contiguous<'py>(array: &Bound<'py, PyAny>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    array.py().import("numpy")?.call_method1("asarray", (array, dtype, "C"))
}

/// The largest number of slots of a ciphertext in any parameters.
const MOST_SLOTS: usize = 1 << 17;

/// Refuses more values than any ciphertext has slots, before they are converted: an array that is
/// broadcast, or a range, takes no memory until then.
pub fn expect_few(values: &Bound<'_, PyAny>) -> PyResult<()> {
    match values.len() {
        Ok(found) if found > MOST_SLOTS => Err(raise(Error::SlotCount { found, slots: MOST_SLOTS, max: MOST_SLOTS })),
        _ => Ok(()),
    }
}

/// The number of axes of an array.
pub fn axes(array: &Bound<'_, PyAny>) -> PyResult<usize> {
    array.getattr("ndim")?.extract()
}

/// Refuses arrays that are no vectors.
pub fn expect_vector(array: &Bound<'_, PyAny>, name: &'static str) -> PyResult<()> {
    if axes(array)? == 1 {
        return Ok(());
    }
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    Err(argument(name, format!("an array of shape {shape:?}"), "a vector: one value a slot"))
}
