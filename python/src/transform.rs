//! Matrices that multiply the slots.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use ringjet::circuits::{DiagonalForm, DiagonalValues};
use ringjet::dynamic::{Transform, Values};
use ringjet::{Error, circuits};
use ringjet_backend::host;
use ringjet_math::fft::Complex64;

use crate::bytes::{self, Front, Input};
use crate::errors::{argument, raise, run};
use crate::files;
use crate::values;

/// A matrix for `Ciphertext.matmul`. It knows which rotation keys it needs, and caches its
/// encodings.
///
/// `LinearTransform(matrix, slots=None, *, batch=1, keep="encoded")` takes a matrix of real or complex numbers.
/// Element i of the vector is in slot `i * batch`, and `batch` vectors are side by side: element i
/// of vector b in slot `i * batch + b`. slots: those of the ciphertexts, by default the larger
/// number of rows and columns, rounded up to a power of two, times batch; then the product is
/// fastest. Slots of no row are zero in the product. Diagonals of zeros cost nothing. With BGV and
/// BFV `slots` are those of a row, and elements are whole numbers below 2**53 in size with the
/// range of messages.
///
/// keep: what a server keeps of a diagonal for each level of CKKS ciphertexts that it multiplies.
/// "encoded": polynomials, ready for use: for n slots `16 * n` bytes for each prime of the level's
/// modulus and, unless there are hundreds of diagonals, each special prime. "coefficients": integers,
/// `8 * n` or `16 * n` bytes; each product makes the polynomials again, in parts of at most 256 MB,
/// which takes longer. Results are the same.
#[pyclass(frozen, module = "ringjet")]
pub struct LinearTransform(pub Arc<Transform>);

impl LinearTransform {
    /// Accepts a `LinearTransform`, or a matrix to make one from, with a column for each of the
    /// `slots` slots.
    pub fn given(matrix: &Bound<'_, PyAny>, slots: usize) -> PyResult<Py<Self>> {
        if let Ok(prepared) = matrix.cast::<Self>() {
            return Ok(prepared.clone().unbind());
        }
        let ((rows, columns), elements) = values::matrix(matrix)?;
        if columns != slots {
            let expected = format!("{slots} columns, one for each slot; LinearTransform(matrix, slots) takes fewer");
            return Err(argument("matrix", format!("{rows} x {columns}"), &expected));
        }
        let made = run(|| circuits::LinearTransform::from_rectangle((rows, columns), &elements, slots, 1))?;
        Py::new(matrix.py(), Self(Arc::new(made.into())))
    }
}

properties! { LinearTransform, this, py:
    /// Number of slots.
    slots: usize = this.0.linear().slots();
    /// The rotations that need keys, in slots to the left.
    rotations: Vec<i64> = this.0.linear().rotations();
    /// What a server keeps of the diagonals: "encoded" or "coefficients".
    keep: &'static str = form_name(this.0.linear().form());
}

value_class! { LinearTransform: to_bytes, transform }

#[pymethods]
impl LinearTransform {
    #[new]
    #[pyo3(signature = (matrix, slots=None, *, batch=1, keep="encoded"))]
    fn new(matrix: &Bound<'_, PyAny>, slots: Option<usize>, batch: usize, keep: &str) -> PyResult<Self> {
        let form = form(keep)?;
        let ((rows, columns), elements) = values::matrix(matrix)?;
        let slots = slots.unwrap_or_else(|| rows.max(columns).next_power_of_two().saturating_mul(batch));
        let made = run(|| circuits::LinearTransform::from_rectangle((rows, columns), &elements, slots, batch))?;
        Ok(Self(Arc::new(made.with_form(form).into())))
    }

    /// From diagonals: `diagonals[k][j]` is the element of row j and column j + k, modulo slots. k
    /// may be negative. The vectors have `slots` elements, a power of two. shape: (rows, columns) of
    /// the matrix, by default `slots` each; elements beyond them must be 0. keep: see the class.
    #[staticmethod]
    #[pyo3(signature = (slots, diagonals, *, shape=None, keep="encoded"))]
    fn from_diagonals(
        slots: usize,
        diagonals: &Bound<'_, PyDict>,
        shape: Option<(usize, usize)>,
        keep: &str,
    ) -> PyResult<Self> {
        let form = form(keep)?;
        circuits::LinearTransform::expect_slots(slots).map_err(raise)?;
        let mut all = BTreeMap::new();
        for (k, diagonal) in diagonals.iter() {
            let given: i64 = k.extract()?;
            let k = given.rem_euclid(slots as i64) as usize;
            let values = values::vector(&diagonal, "diagonals", slots)?;
            if all.insert(k, run(|| DiagonalValues::try_from(values))?).is_some() {
                return Err(argument("diagonals", given, "each diagonal once"));
            }
        }
        let made =
            run(|| circuits::LinearTransform::from_values(slots, all)?.with_shape(shape.unwrap_or((slots, slots))));
        Ok(Self(Arc::new(made?.with_form(form).into())))
    }

    /// The nonzero diagonals of the matrix as bytes. They are not encrypted.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let matrix = self.0.linear();
        let front = TRANSFORM.bytes(matrix.slots().ilog2());
        let words = |d: &DiagonalValues| if matches!(d, DiagonalValues::Real(_)) { 1 } else { 2 };
        let each = matrix.diagonals().values().map(|d| 5 + 8 * words(d) * matrix.slots());
        let len = front.len() + 9 + each.sum::<usize>();
        bytes::python(py, len, |out| {
            let mut put = |bytes: &[u8]| {
                out.split_off_mut(..bytes.len()).expect("as long as its parts").copy_from_slice(bytes);
            };
            put(&front);
            put(&[u8::from(matrix.form() == DiagonalForm::Coefficients)]);
            let (rows, columns) = matrix.shape();
            [rows, columns].iter().for_each(|&n| put(&(n as u32).to_le_bytes()));
            for (&k, diagonal) in matrix.diagonals() {
                put(&(k as u32).to_le_bytes());
                put(&[words(diagonal) as u8 - 1]);
                for z in diagonal.iter() {
                    [z.re, z.im][..words(diagonal)].iter().for_each(|x| put(&x.to_le_bytes()));
                }
            }
            Ok(())
        })
    }

    /// Reads the bytes of `to_bytes`; more than `max_bytes` are refused.
    #[staticmethod]
    #[pyo3(signature = (data, *, max_bytes=bytes::CIPHERTEXT_LIMIT))]
    fn from_bytes(data: Input, max_bytes: u64) -> PyResult<Self> {
        Self::read(&data, max_bytes)
    }

    /// Writes `to_bytes` to a file, as `Ciphertext.save` does.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let data = self.to_bytes(py)?;
        let data = data.as_bytes();
        py.detach(|| files::save(&path, TRANSFORM.name, data))
    }

    /// Reads a file that `save` wrote, of at most `max_bytes`.
    #[staticmethod]
    #[pyo3(signature = (path, *, max_bytes=bytes::CIPHERTEXT_LIMIT))]
    fn load(path: PathBuf, max_bytes: u64) -> PyResult<Self> {
        Self::read(&files::read(&path, TRANSFORM.name, max_bytes)?, max_bytes)
    }

    /// The matrix times values in the clear, one a slot.
    fn _apply(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let values = values::vector(values, "values", 0)?;
        let (lhs, rhs) = (self.0.linear().slots(), values.len());
        if lhs != rhs {
            return Err(raise(Error::SlotMismatch { lhs, rhs }));
        }
        let made = run(|| self.0.linear().eval(&values))?;
        Ok(values::to_numpy(py, Values::Numbers(made), true))
    }

    fn __repr__(&self) -> String {
        let (slots, rotations) = (self.0.linear().slots(), self.0.linear().rotations().len());
        format!("LinearTransform({slots} x {slots}, {rotations} rotations)")
    }
}

impl LinearTransform {
    fn read(data: &[u8], max_bytes: u64) -> PyResult<Self> {
        let transform = run(|| {
            let (log_slots, rest) = TRANSFORM.split(data, max_bytes)?;
            read_diagonals(1 << log_slots, rest)
        })?;
        Ok(Self(Arc::new(transform.into())))
    }
}

const TRANSFORM: Front = Front { name: "linear transform", magic: *b"RJLT" };

const ENCODED: &str = "encoded";
const COEFFICIENTS: &str = "coefficients";

fn form(name: &str) -> PyResult<DiagonalForm> {
    match name {
        ENCODED => Ok(DiagonalForm::Encoded),
        COEFFICIENTS => Ok(DiagonalForm::Coefficients),
        _ => Err(argument("keep", format!("{name:?}"), "encoded or coefficients")),
    }
}

fn form_name(form: DiagonalForm) -> &'static str {
    if form == DiagonalForm::Encoded { ENCODED } else { COEFFICIENTS }
}

/// Reads how diagonals are kept, the numbers of rows and columns, then diagonals, each after its index. Indices must increase.
fn read_diagonals(slots: usize, rest: &[u8]) -> ringjet::Result<circuits::LinearTransform> {
    let (what, len) = ("linear transform", rest.len());
    let wrong = |reason: &str, left: usize| Error::Malformed { what, reason: reason.into(), offset: 8 + len - left };
    let Some((front, mut rest)) = rest.split_first_chunk::<9>() else { return Err(wrong("truncated", rest.len())) };
    let form = match front[0] {
        0 => DiagonalForm::Encoded,
        1 => DiagonalForm::Coefficients,
        _ => return Err(wrong("no form of diagonals", len)),
    };
    let shape = &front[1..];
    let [rows, columns] =
        [0, 4].map(|i| u32::from_le_bytes([shape[i], shape[i + 1], shape[i + 2], shape[i + 3]]) as usize);
    let mut diagonals = BTreeMap::new();
    while !rest.is_empty() {
        let words = rest.get(4).map(|&kind| 1 + usize::from(kind)).filter(|words| [1, 2].contains(words));
        let words = words.ok_or_else(|| wrong("a diagonal of no kind of numbers", rest.len()))?;
        let Some((one, following)) = rest.split_at_checked(5 + 8 * words * slots) else {
            return Err(wrong("truncated", rest.len()));
        };
        let (index, values) = (&one[..4], &one[5..]);
        let k = u32::from_le_bytes([index[0], index[1], index[2], index[3]]) as usize;
        if k >= slots || diagonals.last_key_value().is_some_and(|(&last, _)| k <= last) {
            return Err(wrong("diagonals are not in order", rest.len()));
        }
        let number = |b: &[u8]| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]);
        let complex = |z: &[u8]| Complex64 { re: number(&z[..8]), im: number(&z[8..]) };
        let diagonal = match words {
            1 => DiagonalValues::Real(host::collected(values.chunks_exact(8).map(number))?),
            _ => host::collected(values.chunks_exact(16).map(complex))?.try_into()?,
        };
        diagonals.insert(k, diagonal);
        rest = following;
    }
    circuits::LinearTransform::from_values(slots, diagonals)?
        .with_form(form)
        .with_shape((rows, columns))
        .map_err(|_| wrong("elements outside the stated rows and columns", len))
}
