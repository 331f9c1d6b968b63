//! Matrices that act on the slots.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use ringjet::circuits::EncodedTransform;
use ringjet::{Context, Error, Evaluator};

use crate::errors::{raise, raise_as, run};
use crate::live::Live;
use crate::scheme::Either;
use crate::values;

/// A square matrix prepared for `Ciphertext.matmul`; it says which rotation keys it needs, and keeps what it encodes.
#[pyclass(frozen, module = "ringjet")]
pub struct LinearTransform {
    transform: ringjet::circuits::LinearTransform,
    encoded: Mutex<HashMap<Key, Arc<EncodedTransform>>>,
}

/// Parameters, backend and level.
type Key = ([u8; 16], String, usize);

impl LinearTransform {
    /// Refuses a ciphertext of another packing, and one whose server lacks keys, naming them all.
    pub fn check(&self, live: &Live) -> PyResult<()> {
        let slots = self.transform.slots();
        if live.ct.slots() != slots {
            return Err(raise(Error::SlotMismatch { lhs: slots, rhs: live.ct.slots() }));
        }
        let Some(server) = &live.server else { return Ok(()) };
        let Either::Ckks(keys) = &server.keys else { return Ok(()) };
        let missing: Vec<i64> = self.transform.rotations().into_iter().filter(|&r| !keys.has_rotation(r)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!(
            "no keys for the rotations {missing:?} of this matrix: make the keys with \
             rotations=LinearTransform(matrix).rotations"
        );
        let error = raise_as("MissingRotationKeyError", message);
        Python::attach(|py| {
            error.value(py).setattr("rotation", missing[0])?;
            error.value(py).setattr("rotations", missing)
        })?;
        Err(error)
    }

    /// The transform of `x`, one level down.
    pub fn apply(&self, eval: &Evaluator, x: &ringjet::Ciphertext) -> ringjet::Result<ringjet::Ciphertext> {
        let x = eval.with_levels(x, 1)?;
        self.encoded(eval.context(), x.level())?.apply(eval, &x)
    }

    fn encoded(&self, context: &Context, level: usize) -> ringjet::Result<Arc<EncodedTransform>> {
        let key = (*context.params().fingerprint(), format!("{:?}", context.backend().id()), level);
        let lock = || self.encoded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(encoded) = lock().get(&key) {
            return Ok(Arc::clone(encoded));
        }
        let encoded = Arc::new(self.transform.encode(context, level)?);
        lock().insert(key, Arc::clone(&encoded));
        Ok(encoded)
    }
}

#[pymethods]
impl LinearTransform {
    /// From a square matrix: as many rows as the ciphertexts have slots. Zero diagonals cost nothing.
    #[new]
    fn new(py: Python<'_>, matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (rows, elements) = values::matrix(matrix)?;
        let transform = run(py, || ringjet::circuits::LinearTransform::from_matrix(rows, &elements))?;
        Ok(Self { transform, encoded: Mutex::default() })
    }

    /// Number of slots.
    #[getter]
    fn slots(&self) -> usize {
        self.transform.slots()
    }

    /// The rotations whose keys it needs.
    #[getter]
    fn rotations(&self) -> Vec<i64> {
        self.transform.rotations()
    }

    /// The transform of values in the clear, one a slot.
    fn _apply(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let values = values::vector(values)?;
        if values.len() != self.slots() {
            return Err(raise(Error::SlotMismatch { lhs: self.slots(), rhs: values.len() }));
        }
        let made = py.detach(|| self.transform.eval(&values));
        Ok(values::to_numpy(py, ringjet::Values(made), true))
    }

    fn __repr__(&self) -> String {
        let (slots, rotations) = (self.transform.slots(), self.transform.rotations().len());
        format!("LinearTransform({slots} x {slots}, {rotations} rotations)")
    }
}

/// A transform given as one, or as a matrix.
pub enum Source {
    Prepared(Py<LinearTransform>),
    Matrix(LinearTransform),
}

impl Source {
    pub fn new(matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        match matrix.cast::<LinearTransform>() {
            Ok(prepared) => Ok(Self::Prepared(prepared.clone().unbind())),
            Err(_) => LinearTransform::new(matrix.py(), matrix).map(Self::Matrix),
        }
    }

    pub fn transform(&self) -> &LinearTransform {
        match self {
            Self::Prepared(prepared) => prepared.get(),
            Self::Matrix(matrix) => matrix,
        }
    }
}
