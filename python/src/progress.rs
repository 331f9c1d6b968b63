//! Steps of a long call: a Python callback, and Ctrl-C.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// What is told of each step; by default nobody is, and Ctrl-C still stops the work.
#[derive(Default)]
pub struct Progress {
    callback: Option<Py<PyAny>>,
    /// What the callback was told last.
    done: usize,
    failure: Option<PyErr>,
}

impl Progress {
    /// From the argument `progress`: nothing, `True` for a bar on stderr, or a callable taking
    /// (done, total).
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

    /// What came out, unless the work was to stop.
    pub fn finish<T>(self, result: PyResult<T>) -> PyResult<T> {
        match (result, self.failure) {
            (_, Some(failure)) => Err(failure),
            (result, None) => result,
        }
    }

    /// Called after each step, without the interpreter; false when the work is to stop. Between two
    /// steps it is called with the same `done`, of which the callback is not told: Ctrl-C is
    /// answered then as well.
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
