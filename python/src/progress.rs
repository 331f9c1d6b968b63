//! Progress of long calls: a Python callback, and Ctrl-C.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// Calls back after each step of a long call. Without a callback, Ctrl-C still stops the work.
#[derive(Default)]
pub struct Progress {
    callback: Option<Py<PyAny>>,
    /// The `done` of the last call.
    done: usize,
    failure: Option<PyErr>,
}

impl Progress {
    /// Reads the argument `progress`: None, `True` for a bar on stderr, or a callable taking (done,
    /// total).
    pub fn new(progress: Option<&Bound<'_, PyAny>>, label: &str) -> PyResult<Self> {
        let callback = match progress {
            None => None,
            Some(x) if x.is_instance_of::<PyBool>() => {
                let bar = || x.py().import("ringjet.progress")?.call_method1("bar", (label,));
                if x.extract()? { Some(bar()?.unbind()) } else { None }
            }
            Some(x) if x.is_none() => None,
            Some(x) if x.is_callable() => Some(x.clone().unbind()),
            Some(x) => {
                let message = format!("progress = {}: give True or a callable taking (done, total)", x.repr()?);
                return Err(PyTypeError::new_err(message));
            }
        };
        Ok(Self { callback, ..Self::default() })
    }

    /// The result, or the exception that stopped the work.
    pub fn finish<T>(self, result: PyResult<T>) -> PyResult<T> {
        match (result, self.failure) {
            (_, Some(failure)) => Err(failure),
            (result, None) => result,
        }
    }

    /// Called after each step, without the interpreter lock; false stops the work. A call with the
    /// same `done` as before only looks for Ctrl-C and does not reach the callback.
    pub fn step(&mut self, done: usize, total: usize) -> bool {
        let told = Python::attach(|py| {
            py.check_signals()?;
            if let Some(callback) = self.callback.as_ref().filter(|_| done != self.done) {
                callback.call1(py, (done, total))?;
            }
            Ok(())
        });
        self.done = done;
        self.failure = told.err();
        self.failure.is_none()
    }
}
