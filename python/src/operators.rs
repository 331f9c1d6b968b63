//! The operators of ciphertexts.

use pyo3::exceptions::{PyTypeError, PyZeroDivisionError};
use pyo3::prelude::*;
use ringjet_math::fft::Complex64;

use crate::ciphertext::Ciphertext;
use crate::errors::{argument, run};
use crate::operand::{Clear, Operand};

#[derive(Clone, Copy)]
enum Binary {
    Add,
    Sub,
    Mul,
}

impl Ciphertext {
    fn binary(&self, other: &Operand<'_>, op: Binary) -> PyResult<Self> {
        let other = match other {
            Operand::Encrypted(other) => other.get(),
            Operand::Clear(other) => {
                let other = Clear::new(other, self.live()?.ct.slots(), true)?;
                return self.step(|eval, x| match (op, other) {
                    (Binary::Add, Clear::Scalar(c)) => eval.add_scalar(x, c),
                    (Binary::Sub, Clear::Scalar(c)) => eval.add_scalar(x, -c),
                    (Binary::Mul, Clear::Scalar(c)) => eval.mul_scalar_auto(x, c),
                    (Binary::Add, Clear::Vector(v)) => eval.add_values(x, &v),
                    (Binary::Sub, Clear::Vector(v)) => eval.add_values(x, &v.iter().map(|&z| -z).collect::<Vec<_>>()),
                    (Binary::Mul, Clear::Vector(v)) => eval.mul_values(x, &v),
                });
            }
        };
        let (a, b) = (self.live()?, other.live()?);
        let server = if a.server.is_some() { a.server()? } else { b.server()? };
        let on = |ct: &Self| ct.on(&server.machine, &server.eval.context());
        let (other, this, eval) = (on(other)?, on(self)?, &server.eval);
        let ct = run(|| match op {
            Binary::Add => eval.add_auto(&this, &other),
            Binary::Sub => eval.sub_auto(&this, &other),
            Binary::Mul => eval.mul_auto(&this, &other),
        })?;
        Ok(Self::of(server, ct))
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

    /// Division by numbers in the clear.
    fn __truediv__(&self, other: Operand<'_>) -> PyResult<Self> {
        let Operand::Clear(other) = other else {
            let message = "no division by a ciphertext: multiply by a polynomial that approximates 1/x";
            return Err(PyTypeError::new_err(message));
        };
        // a shorter vector is refused: the rest would be divided by zeros
        match Clear::new(&other, self.live()?.ct.slots(), false)? {
            Clear::Scalar(0.0) => Err(PyZeroDivisionError::new_err("division of a ciphertext by zero")),
            Clear::Scalar(c) => self.step(|eval, x| eval.mul_scalar_auto(x, 1.0 / c)),
            Clear::Vector(v) => {
                let inverse: Vec<_> = v.iter().map(inverse).collect();
                self.step(|eval, x| eval.mul_values(x, &inverse))
            }
        }
    }

    fn __neg__(&self) -> PyResult<Self> {
        self.step(|eval, x| eval.neg(x))
    }

    fn __pos__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// A non-negative integer power, at the least depth.
    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        exponent: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if modulo.is_some() {
            return Ok(py.NotImplemented().into_bound(py));
        }
        let Ok(exponent) = exponent.extract::<u32>() else {
            return Err(argument("exponent", exponent.repr()?, "a non-negative integer"));
        };
        Ok(Bound::new(py, slf.get().step(|eval, x| eval.power(x, exponent))?)?.into_any())
    }

    /// `matrix @ ciphertext`.
    fn __rmatmul__(&self, matrix: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.matmul(matrix)
    }
}

/// `1/z`; not finite where z is 0.
fn inverse(z: &Complex64) -> Complex64 {
    if z.im == 0.0 {
        return Complex64 { re: 1.0 / z.re, im: 0.0 };
    }
    let norm = z.re * z.re + z.im * z.im;
    Complex64 { re: z.re / norm, im: -z.im / norm }
}
