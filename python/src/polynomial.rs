//! Polynomials from Python.

use pyo3::prelude::*;
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
    let unit = [-1.0, 1.0];
    if p.is_instance(&series.getattr("Polynomial")?)? {
        // without its map from domain to window
        let kwargs = pyo3::types::PyDict::new(p.py());
        kwargs.set_item("domain", unit)?;
        kwargs.set_item("kind", series.getattr("Polynomial")?)?;
        kwargs.set_item("window", unit)?;
        let plain = p.call_method("convert", (), Some(&kwargs))?;
        return Polynomial::new(Basis::Power, &real(&plain.getattr("coef")?)?).map_err(raise);
    }
    // any other series as Chebyshev polynomials on its own domain
    let domain: [f64; 2] = p.getattr("domain")?.call_method0("tolist")?.extract()?;
    let kwargs = pyo3::types::PyDict::new(p.py());
    kwargs.set_item("domain", domain)?;
    kwargs.set_item("kind", series.getattr("Chebyshev")?)?;
    kwargs.set_item("window", unit)?;
    let converted = p.call_method("convert", (), Some(&kwargs))?;
    let basis = Basis::Chebyshev { a: domain[0], b: domain[1] };
    Polynomial::new(basis, &real(&converted.getattr("coef")?)?).map_err(raise)
}

fn real(coefficients: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let c = values::vector(coefficients)?;
    if let Some(i) = c.iter().position(|z| z.im != 0.0) {
        return Err(argument("coefficients", format!("{}{:+}j at index {i}", c[i].re, c[i].im), "real numbers"));
    }
    Ok(c.iter().map(|z| z.re).collect())
}
