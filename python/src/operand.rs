//! The other side of an operator.

use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt, PyList, PyTuple};
use ringjet::Error;
use ringjet_math::fft::Complex64;

use crate::ciphertext::Ciphertext;
use crate::errors::raise;
use crate::values::Array;

/// What can stand beside a ciphertext.
pub enum Operand<'py> {
    Encrypted(Bound<'py, Ciphertext>),
    Scalar(f64),
    /// One value a slot.
    Vector(Vec<Complex64>),
}

impl<'py> Operand<'py> {
    /// `None` for what is no number, vector or ciphertext: Python then asks the other side. As in
    /// numpy a single value counts for every slot; other vectors with fewer values than slots are
    /// filled up with zeros, as `encrypt` does.
    pub fn new(x: &Bound<'py, PyAny>, slots: usize) -> PyResult<Option<Self>> {
        Self::read(x, slots, true)
    }

    /// The same to divide by: shorter vectors are refused, as the rest would be divided by zeros.
    pub fn divisor(x: &Bound<'py, PyAny>, slots: usize) -> PyResult<Option<Self>> {
        Self::read(x, slots, false)
    }

    fn read(x: &Bound<'py, PyAny>, slots: usize, fill: bool) -> PyResult<Option<Self>> {
        if let Ok(ct) = x.cast::<Ciphertext>() {
            return Ok(Some(Self::Encrypted(ct.clone())));
        }
        if x.is_instance_of::<PyFloat>() || x.is_instance_of::<PyInt>() {
            return Ok(Some(Self::Scalar(x.extract()?)));
        }
        if x.is_instance_of::<PyComplex>() {
            return Ok(Some(complex(x, slots)?));
        }
        let array = x.hasattr("__array__")? || x.is_instance_of::<PyList>() || x.is_instance_of::<PyTuple>();
        if array {
            return Self::from_array(&Array::new(x)?, slots, fill).map(Some);
        }
        if x.hasattr("__float__")? {
            return Ok(Some(Self::Scalar(x.extract()?)));
        }
        Ok(None)
    }

    fn from_array(array: &Array<'py>, slots: usize, fill: bool) -> PyResult<Self> {
        let inner = array.inner();
        let size: usize = inner.getattr("size")?.extract()?;
        let dimensions: usize = inner.getattr("ndim")?.extract()?;
        if dimensions == 0 || (dimensions == 1 && size == 1 && slots != 1) {
            let item = inner.call_method0("item")?;
            return match array {
                Array::Real(_) => Ok(Self::Scalar(item.extract()?)),
                Array::Complex(_) => complex(&item, slots),
            };
        }
        let fits = if fill { 1 <= size && size <= slots } else { size == slots };
        if dimensions != 1 || !fits {
            return Err(raise(Error::SlotMismatch { lhs: slots, rhs: size }));
        }
        let mut values = array.elements()?;
        values.resize(slots, Complex64 { re: 0.0, im: 0.0 });
        Ok(Self::Vector(values))
    }
}

fn complex<'py>(x: &Bound<'py, PyAny>, slots: usize) -> PyResult<Operand<'py>> {
    let (re, im): (f64, f64) = (x.getattr("real")?.extract()?, x.getattr("imag")?.extract()?);
    if im == 0.0 {
        return Ok(Operand::Scalar(re));
    }
    Ok(Operand::Vector(vec![Complex64 { re, im }; slots]))
}
