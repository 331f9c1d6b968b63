//! Turns each error of the library into an exception of `ringjet.errors`. The values of the error
//! become attributes of the exception.

use std::path::Path;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringjet::{Error, Field, Number};

/// The exception for an error of the library.
pub fn raise(error: Error) -> PyErr {
    let message = error.to_string();
    let described = error.describe();
    exception(described.class, message, |py, fields| {
        described.fields.into_iter().try_for_each(|(name, field)| fields.set_item(name, python_value(py, field)?))
    })
}

/// An exception that has no error in the library.
pub fn raise_as(class: &'static str, message: String) -> PyErr {
    exception(class, message, |_, _| Ok(()))
}

pub fn argument(name: &'static str, value: impl std::fmt::Display, expected: &str) -> PyErr {
    raise(Error::Argument { name, value: value.to_string(), expected: expected.into() })
}

/// The exception for an object of a wrong class. `expected` says which classes are accepted.
pub fn wrong_type(expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let message = |name| PyTypeError::new_err(format!("{expected}, not {name}"));
    found.get_type().name().map_or_else(|e| e, message)
}

/// The refusal to replace the file `path`. `key`: the identity of the secret key in it, None for a
/// file that is no secret key.
pub fn overwrite(path: &Path, key: Option<&str>, advice: &str) -> PyErr {
    let path = path.display().to_string();
    let message = match key {
        Some(key) => {
            format!("{path} holds the secret key {key}, and what was encrypted for it would be lost: {advice}")
        }
        None => format!("{path} is there and is no secret key: {advice}"),
    };
    exception("OverwriteError", message, |_, fields| {
        fields.set_item("path", path)?;
        fields.set_item("key_id", key)
    })
}

/// The exception that the function `name` of `ringjet._idioms` makes for the ciphertext `x` and an
/// argument.
pub fn worded<'py>(x: &Bound<'py, PyAny>, name: &str, argument: impl IntoPyObject<'py>) -> PyErr {
    let made = || {
        let argument = argument.into_bound_py_any(x.py())?;
        PyResult::Ok(PyErr::from_value(x.py().import("ringjet._idioms")?.call_method1(name, (x, argument))?))
    };
    made().unwrap_or_else(|e| e)
}

/// The exception for a device that is unknown or whose profile is unusable.
pub fn device(device: String, message: String) -> PyErr {
    exception("DeviceError", message, |_, fields| fields.set_item("device", device))
}

/// The refusal of an input without values in a simulation.
pub fn no_values(backend: &str) -> PyErr {
    let message = "a simulation needs values: give the arrays of all inputs to simulate()".into();
    exception("NoValuesError", message, |_, fields| {
        fields.set_item("op", "input")?;
        fields.set_item("backend", backend)
    })
}

/// The exception that `ringjet.errors` makes of a class's name, a message and attributes.
fn exception(
    class: &str,
    message: String,
    describe: impl FnOnce(Python<'_>, &Bound<'_, PyDict>) -> PyResult<()>,
) -> PyErr {
    let build = |py: Python<'_>| {
        let fields = PyDict::new(py);
        describe(py, &fields)?;
        let made = py.import("ringjet.errors")?.call_method1("_made", (class, message, fields))?;
        Ok(PyErr::from_value(made))
    };
    Python::attach(build).unwrap_or_else(|e| e)
}

fn python_value(py: Python<'_>, field: Field) -> PyResult<Py<PyAny>> {
    match field {
        Field::None => Ok(py.None()),
        Field::Text(text) => text.into_py_any(py),
        Field::Number(number) => python_number(py, number),
        Field::Integers(all) => all.into_py_any(py),
        Field::Texts(all) => all.into_py_any(py),
    }
}

/// An integer for integers of any size, otherwise a float.
fn python_number(py: Python<'_>, number: Number) -> PyResult<Py<PyAny>> {
    match number {
        Number::Integer(x) => x.into_py_any(py),
        Number::Real(x) => x.into_py_any(py),
    }
}

/// Lets other Python threads run while the library works.
pub fn run<T: Send>(work: impl FnOnce() -> ringjet::Result<T> + Send) -> PyResult<T> {
    Python::attach(|py| py.detach(work)).map_err(raise)
}
