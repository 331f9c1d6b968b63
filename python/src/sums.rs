//! Sums of products, with one relinearisation or rescaling in all.

use pyo3::prelude::*;
use ringjet::any::{self, Evaluator};

use crate::ciphertext::Ciphertext;
use crate::errors::{argument, run};
use crate::live::Live;
use crate::values;

/// A sum over `all`, of which `name` is at least one, on the server of the first one.
fn sum(
    name: &'static str,
    all: &[Py<Ciphertext>],
    work: impl FnOnce(&Evaluator, &[any::Ciphertext]) -> ringjet::Result<any::Ciphertext> + Send,
) -> PyResult<Ciphertext> {
    let Some(first) = all.first() else {
        return Err(argument(name, "[]", "at least one"));
    };
    let live = first.get().live()?;
    let server = live.server()?;
    let on = |ct: &Py<Ciphertext>| {
        ct.get().live()?;
        ct.get().on(&server.machine, &server.eval.context())
    };
    let own = all.iter().map(on).collect::<PyResult<Vec<_>>>()?;
    let ct = run(|| work(&server.eval, &own))?;
    Ok(Live { ct, ..live.clone() }.into())
}

/// The sum of `x * y` over two lists of ciphertexts. With one relinearisation in all it is cheaper
/// than the operators; with HEAAN it does as they do.
#[pyfunction]
pub fn sum_of_products(mut xs: Vec<Py<Ciphertext>>, ys: Vec<Py<Ciphertext>>) -> PyResult<Ciphertext> {
    let count = xs.len();
    if count != ys.len() && count > 0 {
        return Err(argument("ys", format!("{} ciphertexts", ys.len()), &count.to_string()));
    }
    xs.extend(ys);
    sum("xs", &xs[..2 * count], |eval, all| {
        let (xs, ys) = all.split_at(count);
        eval.mul_sum(&xs.iter().zip(ys).collect::<Vec<_>>())
    })
}

/// The sum of `weight * ciphertext`, with one rescaling in all: cheaper and more precise than the
/// operators. The result is at `level`, by default one below the lowest ciphertext; HEAAN has none.
/// Weights may be complex.
#[pyfunction]
#[pyo3(signature = (ciphertexts, weights, level=None))]
pub fn weighted_sum(
    ciphertexts: Vec<Py<Ciphertext>>,
    weights: &Bound<'_, PyAny>,
    level: Option<usize>,
) -> PyResult<Ciphertext> {
    let weights = values::vector(weights)?;
    if weights.len() != ciphertexts.len() && !ciphertexts.is_empty() {
        return Err(argument("weights", format!("{} numbers", weights.len()), &ciphertexts.len().to_string()));
    }
    sum("ciphertexts", &ciphertexts, |eval, all| {
        eval.complex_weighted_sum(&all.iter().zip(weights).collect::<Vec<_>>(), level)
    })
}
