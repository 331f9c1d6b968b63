//! The side that computes. It has no way to hold a secret.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use ringjet::{Context, Evaluator};

use crate::backend::Machine;
use crate::bytes::{self, Accept, Input};
use crate::ciphertext::Ciphertext;
use crate::errors::{raise, run};
use crate::keys::EvaluationKeys;
use crate::live::Live;
use crate::params::{Parameters, mark};

/// What ciphertexts keep of their server.
pub struct Inner {
    pub eval: Evaluator,
    pub machine: Machine,
}

/// Servers that are alive, for ciphertexts that come out of a pickle.
static ALIVE: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());

/// The servers that are alive.
pub fn alive() -> Vec<Arc<Inner>> {
    let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    alive.retain(|s| s.strong_count() > 0);
    alive.iter().filter_map(Weak::upgrade).collect()
}

/// Computes on ciphertexts with public keys.
#[pyclass(frozen, module = "ringjet")]
pub struct Server(Arc<Inner>);

#[pymethods]
impl Server {
    /// A server with these keys: evaluation keys, or their bytes as `EvaluationKeys.from_bytes` takes them.
    #[new]
    #[pyo3(signature = (keys, backend="auto", threads=None, *, max_bytes=bytes::KEYS_LIMIT, allow_insecure=false, params=None))]
    fn new(
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        backend: &str,
        threads: Option<usize>,
        max_bytes: u64,
        allow_insecure: bool,
        params: Option<&Parameters>,
    ) -> PyResult<Self> {
        let machine = Machine::open(backend, threads)?;
        let accept = Accept { max_bytes, allow_insecure, params: params.map(|p| &p.0) };
        let keys = if let Ok(keys) = keys.cast::<EvaluationKeys>() {
            let keys = keys.get();
            py.detach(|| keys.on(&machine))?.keys
        } else if let Ok(data) = keys.extract::<Input>() {
            Arc::new(run(py, || bytes::keys_from(&machine.backend(), &data, accept))?)
        } else {
            let message = format!("a server takes EvaluationKeys or their bytes, not {}", keys.get_type().name()?);
            return Err(PyTypeError::new_err(message));
        };
        let context = Context::new(keys.params(), machine.backend());
        let inner = Arc::new(Inner { eval: Evaluator::new(&context, keys).map_err(raise)?, machine });
        ALIVE.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&inner));
        Ok(Self(inner))
    }

    /// A ciphertext to compute with, from its bytes (at most `max_bytes`; every residue is checked) or from a
    /// ciphertext object of this process.
    #[pyo3(signature = (data, *, max_bytes=bytes::CIPHERTEXT_LIMIT))]
    fn load(&self, py: Python<'_>, data: &Bound<'_, PyAny>, max_bytes: u64) -> PyResult<Ciphertext> {
        self.0.machine.check()?;
        let ct = if let Ok(ct) = data.cast::<Ciphertext>() {
            ct.get().on(py, &self.0.machine, self.0.eval.context())?
        } else if let Ok(data) = data.extract::<Input>() {
            run(py, || bytes::ciphertext_from(self.0.eval.context(), &data, max_bytes))?
        } else {
            let message = format!("load takes bytes or a Ciphertext, not {}", data.get_type().name()?);
            return Err(PyTypeError::new_err(message));
        };
        self.0.eval.context().params().expect_same("ciphertext", ct.params()).map_err(raise)?;
        Ok(Live { ct, machine: self.0.machine.clone(), server: Some(Arc::clone(&self.0)) }.into())
    }

    /// What it computes on, such as `cpu-ifma`.
    #[getter]
    fn backend(&self) -> &str {
        self.0.machine.name()
    }

    /// Number of threads.
    #[getter]
    fn threads(&self) -> usize {
        self.0.machine.threads()
    }

    /// The parameters.
    #[getter]
    fn params(&self) -> Parameters {
        Parameters(self.0.eval.context().params().clone())
    }

    /// The rotations there are keys for.
    #[getter]
    fn rotations(&self, py: Python<'_>) -> Vec<i64> {
        py.detach(|| crate::keys::rotations(self.0.eval.keys()))
    }

    fn __repr__(&self) -> String {
        let params = self.0.eval.context().params();
        format!(
            "Server({}, {} thread(s), n=2^{}, {} keys{})",
            self.backend(),
            self.threads(),
            params.log_n(),
            self.0.eval.keys().len(),
            mark(params)
        )
    }
}
