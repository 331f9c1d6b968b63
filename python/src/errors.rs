//! Turns each error of the library into an exception of `ringjet.errors`. The values of the error
//! become attributes of the exception.

use std::path::Path;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use ringjet::{Error, Field, Number};

/// The class of an exception, and its attributes.
type Description = (&'static str, Vec<(&'static str, Py<PyAny>)>);

/// The exception for an error of the library.
pub fn raise(error: Error) -> PyErr {
    match error {
        Error::CountMismatch { .. } => raise_with(error, "x.with_count(n) states how many"),
        _ => described(error.to_string(), error),
    }
}

/// The exception for an error of the library, with advice in calls of Python.
pub fn raise_with(error: Error, advice: &str) -> PyErr {
    described(format!("{error}: {advice}"), error)
}

fn described(message: String, error: Error) -> PyErr {
    exception(message, |py| {
        let described = error.describe();
        let fields = described.fields.into_iter().map(|(name, field)| Ok((name, python_value(py, field)?)));
        Ok((described.class, fields.collect::<PyResult<_>>()?))
    })
}

/// An exception that has no error in the library.
pub fn raise_as(class: &'static str, message: String) -> PyErr {
    exception(message, |_| Ok((class, vec![])))
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
    let found = key.map(str::to_owned);
    exception(message, |py| {
        Ok(("OverwriteError", vec![("path", path.into_py_any(py)?), ("key_id", found.into_py_any(py)?)]))
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
    exception(message, |py| Ok(("DeviceError", vec![("device", device.into_py_any(py)?)])))
}

fn exception(message: String, describe: impl FnOnce(Python<'_>) -> PyResult<Description>) -> PyErr {
    let build = |py: Python<'_>| {
        let (class, fields) = describe(py)?;
        let value = py.import("ringjet.errors")?.getattr(class)?.call1((message,))?;
        fields.into_iter().try_for_each(|(name, field)| value.setattr(name, field))?;
        Ok(PyErr::from_value(value))
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
