//! Lists from Python.

use pyo3::prelude::*;

use crate::errors::argument;

/// The largest number of elements of a list: more than slots, keys or levels in any parameters.
const MOST: usize = 1 << 20;

/// The elements of a Python sequence, at most [`MOST`]. The length is checked before there is memory
/// for them: `range(10**12)` takes none in Python.
pub struct List<T>(pub Vec<T>);

impl<'a, 'py, T> FromPyObject<'a, 'py> for List<T>
where
    Vec<T>: FromPyObject<'a, 'py, Error = PyErr>,
{
    type Error = PyErr;

    fn extract(list: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match list.len() {
            Ok(len) if len > MOST => Err(argument("list", format!("{len} elements"), &format!("at most {MOST}"))),
            _ => list.extract().map(Self),
        }
    }
}
