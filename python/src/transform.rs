//! Matrices that multiply the slots.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use ringjet::Error;
use ringjet::any::{Transform, Values};
use ringjet_math::fft::Complex64;

use crate::bytes::{self, Front, Input};
use crate::errors::{raise, run};
use crate::values;

/// A square matrix for `Ciphertext.matmul`. It knows which rotation keys it needs, and caches its
/// encodings.
///
/// `LinearTransform(matrix)` takes a square matrix of real or complex numbers, with as many rows as
/// the ciphertexts have slots. Diagonals of zeros cost nothing. With BGV and BFV it has as many
/// rows as a row has slots, and whole numbers below 2**53 in size with the range of messages.
#[pyclass(frozen, module = "ringjet")]
pub struct LinearTransform(pub Transform);

impl LinearTransform {
    /// Accepts a `LinearTransform`, or a matrix to make one from.
    pub fn given(matrix: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        match matrix.cast::<Self>() {
            Ok(prepared) => Ok(prepared.clone().unbind()),
            Err(_) => Py::new(matrix.py(), Self::new(matrix)?),
        }
    }
}

properties! { LinearTransform, this, py:
    /// Number of slots.
    slots: usize = this.0.linear().slots();
    /// The rotations that need keys, in slots to the left.
    rotations: Vec<i64> = this.0.linear().rotations();
}

value_class! { LinearTransform: to_bytes, transform }

#[pymethods]
impl LinearTransform {
    #[new]
    fn new(matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (rows, elements) = values::matrix(matrix)?;
        let transform = run(|| ringjet::circuits::LinearTransform::from_matrix(rows, &elements))?;
        Ok(Self(transform.into()))
    }

    /// The nonzero diagonals of the matrix as bytes. They are not encrypted.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let data = py.detach(|| {
            let mut out = TRANSFORM.bytes(self.0.linear().slots().ilog2());
            for (&k, diagonal) in self.0.linear().diagonals() {
                out.extend((k as u32).to_le_bytes());
                out.extend(diagonal.iter().flat_map(|z| [z.re.to_le_bytes(), z.im.to_le_bytes()]).flatten());
            }
            out
        });
        Ok(PyBytes::new(py, &data))
    }

    /// Reads the bytes of `to_bytes`; more than `max_bytes` are refused.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=bytes::CIPHERTEXT_LIMIT))]
    fn from_bytes(data: Input, max_bytes: u64) -> PyResult<Self> {
        let transform = run(|| {
            let (log_slots, rest) = TRANSFORM.split(&data, max_bytes)?;
            read_diagonals(1 << log_slots, rest)
        })?;
        Ok(Self(transform.into()))
    }

    /// The matrix times values in the clear, one a slot.
    fn _apply(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let values = values::vector(values, 0)?;
        let (lhs, rhs) = (self.0.linear().slots(), values.len());
        if lhs != rhs {
            return Err(raise(Error::SlotMismatch { lhs, rhs }));
        }
        let made = py.detach(|| self.0.linear().eval(&values));
        Ok(values::to_numpy(py, Values::Numbers(made), true))
    }

    /// The non-zero diagonals with their indices. Diagonal k has in row j the entry of column
    /// j + k.
    fn _diagonals(&self, py: Python<'_>) -> Vec<(usize, Py<PyAny>)> {
        let array = |d: &Vec<Complex64>| values::to_numpy(py, Values::Numbers(d.clone()), true);
        self.0.linear().diagonals().iter().map(|(&k, diagonal)| (k, array(diagonal))).collect()
    }

    fn __repr__(&self) -> String {
        let (slots, rotations) = (self.0.linear().slots(), self.0.linear().rotations().len());
        format!("LinearTransform({slots} x {slots}, {rotations} rotations)")
    }
}

const TRANSFORM: Front = Front { name: "linear transform", magic: *b"RJLT" };

/// Reads diagonals, each after its index. Indices must increase.
fn read_diagonals(slots: usize, mut rest: &[u8]) -> ringjet::Result<ringjet::circuits::LinearTransform> {
    let (what, len) = ("linear transform", rest.len());
    let wrong = |reason: &str, left: usize| Error::Malformed { what, reason: reason.into(), offset: 8 + len - left };
    let mut diagonals = BTreeMap::new();
    while !rest.is_empty() {
        let Some((one, following)) = rest.split_at_checked(4 + 16 * slots) else {
            return Err(wrong("truncated", rest.len()));
        };
        let (index, values) = one.split_at(4);
        let k = u32::from_le_bytes([index[0], index[1], index[2], index[3]]) as usize;
        if k >= slots || diagonals.last_key_value().is_some_and(|(&last, _)| k <= last) {
            return Err(wrong("diagonals are not in order", rest.len()));
        }
        let number = |b: &[u8]| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
        let diagonal = values.chunks_exact(16).map(|z| Complex64 { re: number(&z[..8]), im: number(&z[8..]) });
        diagonals.insert(k, diagonal.collect());
        rest = following;
    }
    ringjet::circuits::LinearTransform::from_diagonals(slots, diagonals)
}
