//! The operators of ciphertexts, and sums of products with one relinearisation or rescaling.

use std::sync::Arc;

use crate::lists::List;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyTypeError, PyZeroDivisionError};
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyList, PyTuple};
use ringjet::dynamic::{self, Scalar, Values};
use ringjet::program::Op;
use ringjet_math::fft::Complex64;

use crate::apply::{observed, one};
use crate::arrays::{axes, call, contiguous, expect_few};
use crate::ciphertext::Ciphertext;
use crate::errors::{argument, worded};
use crate::integers;
use crate::progress::Progress;
use crate::values::{Numbers, elements, number, vector};

#[derive(Clone, Copy)]
enum Binary {
    Add,
    Sub,
    Mul,
}

impl Ciphertext {
    fn binary(&self, other: &Operand<'_>, op: Binary) -> PyResult<Self> {
        match other {
            Operand::Encrypted(other) => {
                let op = match op {
                    Binary::Add => Op::Add {},
                    Binary::Sub => Op::Sub {},
                    Binary::Mul => Op::Mul {},
                };
                one(&op, &[self, other.get()])
            }
            Operand::Clear(other) => {
                let neutral = if matches!(op, Binary::Mul) { 1 } else { 0 };
                self.binary_clear(Clear::new(other, &self.loaded()?.ct, neutral)?, op)
            }
        }
    }

    fn binary_clear(&self, other: Clear, op: Binary) -> PyResult<Self> {
        let op = match (op, other) {
            (Binary::Add, Clear::Scalar(c)) => Op::AddScalar { c },
            (Binary::Sub, Clear::Scalar(c)) => Op::SubScalar { c },
            (Binary::Mul, Clear::Scalar(c)) => Op::MulScalar { c },
            (Binary::Add, Clear::Vector(v)) => Op::AddValues { v: Arc::new(v) },
            (Binary::Sub, Clear::Vector(v)) => Op::SubValues { v: Arc::new(v) },
            (Binary::Mul, Clear::Vector(v)) => Op::MulValues { v: Arc::new(v) },
        };
        one(&op, &[self])
    }
}

#[pymethods]
impl Ciphertext {
    fn __add__(&self, other: Operand<'_>) -> PyResult<Self> {
        self.binary(&other, Binary::Add)
    }

    fn __radd__(&self, other: Operand<'_>) -> PyResult<Self> {
        self.binary(&other, Binary::Add)
    }

    fn __sub__(&self, other: Operand<'_>) -> PyResult<Self> {
        self.binary(&other, Binary::Sub)
    }

    fn __rsub__(&self, other: Operand<'_>) -> PyResult<Self> {
        self.binary(&other, Binary::Sub)?.__neg__()
    }

    fn __mul__(&self, other: Operand<'_>) -> PyResult<Self> {
        self.binary(&other, Binary::Mul)
    }

    fn __rmul__(&self, other: Operand<'_>) -> PyResult<Self> {
        self.binary(&other, Binary::Mul)
    }

    /// Division by numbers in the clear, none of them zero.
    fn __truediv__(slf: &Bound<'_, Self>, other: Operand<'_>) -> PyResult<Self> {
        let this = slf.get();
        let Operand::Clear(other) = other else {
            return Err(worded(slf, "unanswered", "x / y"));
        };
        let divisor = Clear::new(&other, &this.loaded()?.ct, 1)?;
        this.binary_clear(divisor.inverse()?, Binary::Mul)
    }

    fn __neg__(&self) -> PyResult<Self> {
        one(&Op::Neg {}, &[self])
    }

    fn __pos__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// A non-negative integer power. It takes the fewest levels that are possible.
    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        exponent: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if modulo.is_some() {
            return Ok(py.NotImplemented().into_bound(py));
        }
        let Ok(n) = exponent.extract::<u32>() else {
            return Err(worded(slf, "bad_exponent", exponent));
        };
        Ok(Bound::new(py, one(&Op::Power { n }, &[slf.get()])?)?.into_any())
    }

    /// `matrix @ ciphertext`.
    fn __rmatmul__(&self, matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.matmul(matrix)
    }
}

/// `1/z`, not finite for z = 0.
fn inverse(z: &Complex64) -> Complex64 {
    if z.im == 0.0 {
        return Complex64 { re: 1.0 / z.re, im: 0.0 };
    }
    let norm = z.re * z.re + z.im * z.im;
    Complex64 { re: z.re / norm, im: -z.im / norm }
}

/// The other operand of a ciphertext. For other types Python tries the operator of the other
/// operand.
enum Operand<'py> {
    Encrypted(Bound<'py, Ciphertext>),
    Clear(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Operand<'py> {
    type Error = PyErr;

    fn extract(x: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(ct) = x.cast::<Ciphertext>() {
            return Ok(Self::Encrypted(ct.to_owned()));
        }
        // ciphertexts of other classes know operators for ciphertexts
        if !is_scalar(&x) && x.hasattr("_is_encrypted")? {
            return Err(PyTypeError::new_err("not a ciphertext of this class"));
        }
        if is_scalar(&x) || x.is_instance_of::<PyComplex>() || is_array(&x)? || x.hasattr("__float__")? {
            return Ok(Self::Clear(x.to_owned()));
        }
        Err(PyTypeError::new_err("neither a ciphertext nor numbers"))
    }
}

fn is_scalar(x: &Bound<'_, PyAny>) -> bool {
    x.is_instance_of::<PyFloat>() || x.is_instance_of::<PyInt>()
}

fn is_array(x: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(x.hasattr("__array__")? || x.is_instance_of::<PyList>() || x.is_instance_of::<PyTuple>())
}

/// Numbers in the clear: one for all slots, or one for each slot.
enum Clear {
    Scalar(Scalar),
    Vector(Values),
}

impl Clear {
    /// As in numpy, a single value counts for every slot. A vector has a value for each slot, or one
    /// for each value of the ciphertext: the other slots then get `neutral`.
    fn new(x: &Bound<'_, PyAny>, ct: &dynamic::Ciphertext, neutral: i64) -> PyResult<Self> {
        let (slots, numbers) = (ct.slots(), Numbers::of(&ct.params()));
        if is_scalar(x) {
            return Self::scalar(x, slots, numbers);
        }
        expect_few(x)?;
        let exact = matches!(numbers, Numbers::Integers(_));
        let array = call(x.py(), "operand", (x, exact, slots, ct.count()))?;
        if axes(&array)? == 0 {
            return Self::scalar(&array.call_method0("item")?, slots, numbers);
        }
        // slots without a value stay as they are; where they are 0, so they do with 0
        let slots = if neutral == 0 || ct.is_zero_padded() { 0 } else { slots };
        Ok(Self::Vector(match numbers {
            Numbers::Any => {
                let mut all = elements(&contiguous(&array, "complex128")?, slots)?;
                all.resize(slots.max(all.len()), Complex64::new(1.0, 0.0));
                Values::Numbers(all)
            }
            Numbers::Integers(integers) => {
                let mut all = integers::elements(&integers.array(&array)?, slots)?;
                all.resize(slots.max(all.len()), 1);
                Values::Integers(all)
            }
        }))
    }

    fn scalar(x: &Bound<'_, PyAny>, slots: usize, numbers: Numbers) -> PyResult<Self> {
        match numbers {
            Numbers::Any => Self::complex(x, slots),
            Numbers::Integers(integers) => Ok(Self::Scalar(Scalar::Integer(integers.integer(0, x)?))),
        }
    }

    fn complex(x: &Bound<'_, PyAny>, slots: usize) -> PyResult<Self> {
        let z = number(x)?;
        let real = z.im == 0.0;
        Ok(if real { Self::Scalar(Scalar::Number(z.re)) } else { Self::Vector(Values::Numbers(vec![z; slots])) })
    }

    /// The multiplicative inverses of numbers. Refuses zero for all slots, and integers.
    fn inverse(self) -> PyResult<Self> {
        match self {
            Self::Scalar(Scalar::Number(0.0)) => Err(PyZeroDivisionError::new_err("division of a ciphertext by zero")),
            Self::Scalar(Scalar::Number(c)) => Ok(Self::Scalar(Scalar::Number(1.0 / c))),
            Self::Vector(Values::Numbers(v)) => Ok(Self::Vector(Values::Numbers(v.iter().map(inverse).collect()))),
            Self::Scalar(Scalar::Integer(_)) | Self::Vector(Values::Integers(_)) => {
                let message =
                    "no division of integers modulo t: multiply by the inverse modulo t, as in pow(c, -1, params.t)";
                Err(PyTypeError::new_err(message))
            }
        }
    }
}

/// The result of an operation on a list of ciphertexts. An empty list is refused; `name` is the
/// argument's name in the error.
fn sum(name: &'static str, all: &[Py<Ciphertext>], op: &Op) -> PyResult<Ciphertext> {
    if all.is_empty() {
        return Err(argument(name, "[]", "at least one"));
    }
    one(op, &all.iter().map(Py::get).collect::<Vec<_>>())
}

/// The sum of `x * y` over the pairs of two lists of ciphertexts, of the same length and not empty.
/// It relinearises once, and is cheaper than the operators. With HEAAN it costs the same.
#[pyfunction]
pub fn sum_of_products(xs: List<Py<Ciphertext>>, ys: List<Py<Ciphertext>>) -> PyResult<Ciphertext> {
    let (List(mut xs), List(ys)) = (xs, ys);
    let count = xs.len();
    if count != ys.len() && count > 0 {
        return Err(argument("ys", format!("{} ciphertexts", ys.len()), &count.to_string()));
    }
    xs.extend(ys);
    sum("xs", &xs[..2 * count], &Op::SumOfProducts {})
}

/// For each row of `weights` the sum of `weight * ciphertext`, as [`weighted_sum`] of it, with all rows at once.
#[pyfunction]
#[pyo3(signature = (ciphertexts, weights, bias, rows, bits, level, progress=None))]
pub fn _weighted_sums(
    ciphertexts: List<Py<Ciphertext>>,
    weights: PyReadonlyArray1<'_, f64>,
    bias: PyReadonlyArray1<'_, f64>,
    rows: usize,
    bits: Option<u32>,
    level: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Ciphertext>> {
    let values = |given: &[f64]| Arc::new(Values::Numbers(given.iter().map(|&x| x.into()).collect()));
    let op = Op::WeightedSums { weights: values(weights.as_slice()?), bias: values(bias.as_slice()?), bits, level };
    let all: Vec<_> = ciphertexts.0.iter().map(Py::get).collect();
    if rows == 0 || all.is_empty() {
        return Ok(vec![]);
    }
    observed(&op, &all, None, Progress::new(progress, "weighted sums")?)
}

/// `sine` of each ciphertext, in order. Two real ones share much of a bootstrap. All must have the same
/// number of slots; where one cannot be bootstrapped, nothing is done. wraps: True takes values of any
/// size, not only up to 1. progress: True for a bar, or a callable taking (done, total).
#[pyfunction]
#[pyo3(signature = (ciphertexts, *, wraps=false, progress=None))]
pub fn sines(
    ciphertexts: List<Py<Ciphertext>>,
    wraps: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Ciphertext>> {
    let all: Vec<_> = ciphertexts.0.iter().map(Py::get).collect();
    if all.is_empty() {
        return Ok(vec![]);
    }
    observed(&Op::Sines { wraps }, &all, None, Progress::new(progress, "sine")?)
}

/// The rows of transposed matrices, from one ciphertext for a row of all matrices. No entry is larger than `entries`.
#[pyfunction]
pub fn _transpose_rows(rows: List<Py<Ciphertext>>, entries: f64) -> PyResult<Vec<Ciphertext>> {
    all("rows", &rows.0, &Op::TransposeRows { entries })
}

/// The rows of products of matrices, from the columns of the first factors and the rows of the second ones. No
/// entry of the factors is larger than `left` and `right`.
#[pyfunction]
pub fn _mul_rows(
    columns: List<Py<Ciphertext>>,
    rows: List<Py<Ciphertext>>,
    left: f64,
    right: f64,
) -> PyResult<Vec<Ciphertext>> {
    let (List(mut columns), List(rows)) = (columns, rows);
    if columns.len() != rows.len() {
        return Err(argument("columns", format!("{} ciphertexts", columns.len()), &rows.len().to_string()));
    }
    columns.extend(rows);
    all("rows", &columns, &Op::MulRows { left, right })
}

/// All results of an operation on a list of ciphertexts. An empty list is refused.
fn all(name: &'static str, operands: &[Py<Ciphertext>], op: &Op) -> PyResult<Vec<Ciphertext>> {
    if operands.is_empty() {
        return Err(argument(name, "[]", "at least one"));
    }
    let operands: Vec<_> = operands.iter().map(Py::get).collect();
    observed(op, &operands, None, Progress::new(None, op.name())?)
}

/// The sum of `weight * ciphertext`. It rescales once, and is cheaper and more precise than the
/// operators. weights: one real or complex number for each ciphertext; with BGV and BFV a whole
/// number below 2**53 in size, taken modulo t. level: the level of the result, by default one below
/// the lowest ciphertext; not with HEAAN.
#[pyfunction]
#[pyo3(signature = (ciphertexts, weights, level=None))]
pub fn weighted_sum(
    ciphertexts: List<Py<Ciphertext>>,
    weights: &Bound<'_, PyAny>,
    level: Option<usize>,
) -> PyResult<Ciphertext> {
    let (ciphertexts, weights) = (ciphertexts.0, vector(weights, "weights", 0)?);
    if weights.len() != ciphertexts.len() && !ciphertexts.is_empty() {
        return Err(argument("weights", format!("{} numbers", weights.len()), &ciphertexts.len().to_string()));
    }
    sum("ciphertexts", &ciphertexts, &Op::WeightedSum { weights, level })
}
