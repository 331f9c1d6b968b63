//! Polynomials from Python.

use pyo3::prelude::*;
use pyo3::types::IntoPyDict;
use ringjet::circuits::{Basis, Polynomial};

use crate::errors::{argument, raise};
use crate::values;

/// From coefficients (constant first), a `numpy.polynomial` series or a `numpy.poly1d`.
pub fn from_python(p: &Bound<'_, PyAny>) -> PyResult<Polynomial> {
    let numpy = p.py().import("numpy")?;
    if p.is_instance(&numpy.getattr("poly1d")?)? {
        let mut c = real(&p.getattr("coeffs")?)?;
        c.reverse();
        return Polynomial::new(Basis::Power, &c).map_err(raise);
    }
    let series = p.py().import("numpy.polynomial")?;
    if !p.hasattr("coef")? || !p.hasattr("domain")? {
        return Polynomial::new(Basis::Power, &real(p)?).map_err(raise);
    }
    // without its map from its domain to a window
    let converted = |kind: &str, domain: [f64; 2]| -> PyResult<Vec<f64>> {
        let kwargs = [("domain", domain), ("window", [-1.0, 1.0])].into_py_dict(p.py())?;
        kwargs.set_item("kind", series.getattr(kind)?)?;
        real(&p.call_method("convert", (), Some(&kwargs))?.getattr("coef")?)
    };
    let (basis, coefficients) = if p.is_instance(&series.getattr("Polynomial")?)? {
        (Basis::Power, converted("Polynomial", [-1.0, 1.0])?)
    } else {
        // any other series as Chebyshev polynomials on its own domain
        let [a, b]: [f64; 2] = p.getattr("domain")?.call_method0("tolist")?.extract()?;
        (Basis::Chebyshev { a, b }, converted("Chebyshev", [a, b])?)
    };
    Polynomial::new(basis, &coefficients).map_err(raise)
}

fn real(coefficients: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let c = values::vector(coefficients)?;
    if let Some(i) = c.iter().position(|z| z.im != 0.0) {
        return Err(argument("coefficients", format!("{}{:+}j at index {i}", c[i].re, c[i].im), "real numbers"));
    }
    Ok(c.iter().map(|z| z.re).collect())
}
