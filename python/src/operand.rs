//! The other side of an operator.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyList, PyTuple};
use ringjet::Error;
use ringjet_math::fft::Complex64;

use crate::ciphertext::Ciphertext;
use crate::errors::raise;
use crate::values::{array, elements, number};

/// What can stand beside a ciphertext. Of anything else Python asks the other side.
pub enum Operand<'py> {
    Encrypted(Bound<'py, Ciphertext>),
    Clear(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Operand<'py> {
    type Error = PyErr;

    fn extract(x: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(ct) = x.cast::<Ciphertext>() {
            return Ok(Self::Encrypted(ct.to_owned()));
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

/// Numbers in the clear, for all slots.
pub enum Clear {
    Scalar(f64),
    Vector(Vec<Complex64>),
}

impl Clear {
    /// As in numpy a single value counts for every slot. Other vectors with fewer values than slots
    /// are filled up with zeros, as `encrypt` does, or refused without `fill`.
    pub fn new(x: &Bound<'_, PyAny>, slots: usize, fill: bool) -> PyResult<Self> {
        if !is_scalar(x) && is_array(x)? {
            return Self::from_array(&array(x)?, slots, fill);
        }
        if x.is_instance_of::<PyComplex>() { Self::complex(x, slots) } else { Ok(Self::Scalar(x.extract()?)) }
    }

    fn from_array(array: &Bound<'_, PyAny>, slots: usize, fill: bool) -> PyResult<Self> {
        let size: usize = array.getattr("size")?.extract()?;
        let dimensions: usize = array.getattr("ndim")?.extract()?;
        if dimensions == 0 || (dimensions == 1 && size == 1 && slots != 1) {
            return Self::complex(&array.call_method0("item")?, slots);
        }
        let fits = if fill { 1 <= size && size <= slots } else { size == slots };
        if dimensions != 1 || !fits {
            return Err(raise(Error::SlotMismatch { lhs: slots, rhs: size }));
        }
        let mut values = elements(array)?;
        values.resize(slots, Complex64 { re: 0.0, im: 0.0 });
        Ok(Self::Vector(values))
    }

    fn complex(x: &Bound<'_, PyAny>, slots: usize) -> PyResult<Self> {
        let z = number(x)?;
        Ok(if z.im == 0.0 { Self::Scalar(z.re) } else { Self::Vector(vec![z; slots]) })
    }
}
