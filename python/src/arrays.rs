//! Arrays of numpy, whatever their elements are.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use ringjet::Error;

use crate::errors::{argument, raise};

/// Converts any value that numpy can turn into an array to an array. Masked arrays are refused.
pub fn plain_array<'py>(values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = values.py().import("numpy")?;
    // numpy would drop the mask, and the masked values would be computed with
    if values.is_instance(&numpy.getattr("ma")?.getattr("MaskedArray")?)? {
        return Err(argument("values", "a masked array", "an array without a mask: filled(...) makes one"));
    }
    numpy.call_method1("asarray", (values,))
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

/// The letter of an array's type of elements.
pub fn kind(array: &Bound<'_, PyAny>) -> PyResult<char> {
    array.getattr("dtype")?.getattr("kind")?.extract()
}

/// The exception for an array whose elements are no numbers.
pub fn no_numbers(array: &Bound<'_, PyAny>) -> PyErr {
    let refusal = |dtype| PyTypeError::new_err(format!("values of type {dtype} are no numbers that can be encrypted"));
    array.getattr("dtype").map_or_else(|e| e, refusal)
}

/// Refuses arrays that are no vectors.
pub fn expect_vector(array: &Bound<'_, PyAny>) -> PyResult<()> {
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    if shape.len() == 1 {
        return Ok(());
    }
    Err(argument("values", format!("an array of shape {shape:?}"), "a vector: one value a slot"))
}
