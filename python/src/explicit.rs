//! The operations of `ringjet.explicit`: those of CKKS that choose no level and no scale by
//! themselves.

use pyo3::prelude::*;
use ringjet::ckks::{Ciphertext as Ckks, Evaluator, Plaintext};
use ringjet::{Error, Result, Scale, dynamic};

use crate::apply::{computing, first};
use crate::caller::place;
use crate::ciphertext::Ciphertext;
use crate::errors::{argument, raise, run};
use crate::lists::List;
use crate::params::Parameters;
use crate::values::{Steps, vector};

/// The name of the operations in the refusal of another scheme.
const NAME: &str = "explicit operations";

/// A scale as the two doubles of which it is the sum.
type Parts = (f64, f64);

/// Operations of CKKS that change levels, scales and numbers of polynomials only where they say so;
/// `ringjet.explicit` describes them. A scale is a pair of doubles whose sum it is.
#[pyclass(frozen, module = "ringjet._ringjet")]
pub struct Explicit;

/// Operations on ciphertexts, one method of the evaluator each.
macro_rules! operations {
    ($($name:ident($($x:ident),+ $(; $($arg:ident: $T:ty),+)?) = |$eval:ident| $made:expr;)*) => {
        #[pymethods]
        impl Explicit { $(
            #[staticmethod]
            fn $name($($x: &Bound<'_, Ciphertext>,)+ $($($arg: $T),+)?) -> PyResult<Ciphertext> {
                compute(concat!("explicit.", stringify!($name)), &[$($x.get()),+], |$eval, all| {
                    let [$($x),+] = *all else { unreachable!("as many as were given") };
                    $made.map(|made| vec![made])
                })
                .map(first)
            }
        )* }
    };
}

operations! {
    add(x, y) = |eval| eval.add(x, y);
    sub(x, y) = |eval| eval.sub(x, y);
    neg(x) = |eval| eval.neg(x);
    mul(x, y) = |eval| eval.mul(x, y);
    relinearize(x) = |eval| eval.relinearize(x);
    rescale(x) = |eval| eval.rescale(x);
    relinearize_rescale(x) = |eval| eval.relinearize_rescale(x);
    rescale_to(x; level: usize) = |eval| eval.rescale_to(x, level);
    drop_level(x; level: usize) = |eval| eval.drop_level(x, level);
    mul_integer(x; integer: i64) = |eval| eval.mul_integer(x, integer);
    rotate(x; k: i64) = |eval| eval.rotate(x, k);
    conjugate(x) = |eval| eval.conjugate(x);
}

#[pymethods]
impl Explicit {
    #[staticmethod]
    fn rotations(x: &Bound<'_, Ciphertext>, ks: Steps) -> PyResult<Vec<Ciphertext>> {
        compute("explicit.rotations", &[x.get()], |eval, all| eval.rotate_hoisted(all[0], &ks.0))
    }

    #[staticmethod]
    fn rotation_sum(x: &Bound<'_, Ciphertext>, ks: Steps) -> PyResult<Ciphertext> {
        compute("explicit.rotation_sum", &[x.get()], |eval, all| Ok(vec![eval.rotation_sum(all[0], &ks.0)?])).map(first)
    }

    #[staticmethod]
    fn add_plain(x: &Bound<'_, Ciphertext>, values: &Bound<'_, PyAny>) -> PyResult<Ciphertext> {
        let values = vector(values, "values", 0)?;
        compute("explicit.add_plain", &[x.get()], |eval, all| {
            let x = all[0];
            let p = Plaintext::encode(eval.context(), &values, x.level(), x.scale(), x.log_slots())?;
            Ok(vec![eval.add_plain(x, &p)?])
        })
        .map(first)
    }

    #[staticmethod]
    fn mul_plain(x: &Bound<'_, Ciphertext>, values: &Bound<'_, PyAny>, scale: Parts) -> PyResult<Ciphertext> {
        let (values, scale) = (vector(values, "values", 0)?, of_parts(scale)?);
        compute("explicit.mul_plain", &[x.get()], |eval, all| {
            let x = all[0];
            let p = Plaintext::encode(eval.context(), &values, x.level(), scale, x.log_slots())?;
            Ok(vec![eval.mul_plain(x, &p)?])
        })
        .map(first)
    }

    #[staticmethod]
    fn mul_plain_sum(xs: List<Py<Ciphertext>>, values: List<Bound<'_, PyAny>>, scale: Parts) -> PyResult<Ciphertext> {
        let values = values.0.iter().map(|v| vector(v, "values", 0)).collect::<PyResult<Vec<_>>>()?;
        let (xs, scale): (Vec<_>, _) = (xs.0.iter().map(Py::get).collect(), of_parts(scale)?);
        compute("explicit.mul_plain_sum", &xs, |eval, all| {
            let encode = |x: &Ckks, v| Plaintext::encode(eval.context(), v, x.level(), scale, x.log_slots());
            let plain = all.iter().zip(&values).map(|(x, v)| encode(x, v)).collect::<Result<Vec<_>>>()?;
            Ok(vec![eval.mul_plain_sum(&all.iter().copied().zip(&plain).collect::<Vec<_>>())?])
        })
        .map(first)
    }

    #[staticmethod]
    fn with_scale(x: &Bound<'_, Ciphertext>, scale: Parts) -> PyResult<Ciphertext> {
        let scale = of_parts(scale)?;
        compute("explicit.with_scale", &[x.get()], |_, all| Ok(vec![all[0].with_scale(scale)])).map(first)
    }

    #[staticmethod]
    fn scale(x: &Bound<'_, Ciphertext>) -> PyResult<Parts> {
        own(&x.get().loaded()?.ct).map(|x| x.scale().parts()).map_err(raise)
    }

    #[staticmethod]
    fn parts(x: &Bound<'_, Ciphertext>) -> PyResult<usize> {
        own(&x.get().loaded()?.ct).map(|x| x.polys()).map_err(raise)
    }

    #[staticmethod]
    fn scale_of_level(params: &Parameters, level: usize) -> PyResult<Parts> {
        Ok(params_at(params, level)?.scale(level).parts())
    }

    #[staticmethod]
    fn divisor_of_level(params: &Parameters, level: usize) -> PyResult<Parts> {
        match level {
            0 => Err(raise(Error::levels_exhausted("rescale", 1, 0))),
            _ => Ok(params_at(params, level)?.ratio(level).parts()),
        }
    }
}

/// The results of `work` on ciphertexts of CKKS, on the server of the first one that has one. A profile calls it
/// `name`.
fn compute(
    name: &'static str,
    operands: &[&Ciphertext],
    work: impl Fn(&Evaluator, &[&Ckks]) -> Result<Vec<Ckks>> + Sync,
) -> PyResult<Vec<Ciphertext>> {
    let (server, found) = computing(operands)?;
    let profile = server.profile().map(|profile| Ok::<_, PyErr>((profile, place()?))).transpose()?;
    let work = |eval: &dynamic::Evaluator, operands: &[&dynamic::Ciphertext]| {
        let operands = operands.iter().copied().map(own).collect::<Result<Vec<_>>>()?;
        match eval {
            dynamic::Evaluator::Ckks(eval) => Ok(work(eval, &operands)?.into_iter().map(Into::into).collect()),
            other => other.params().lacks(NAME),
        }
    };
    let made: Vec<dynamic::Ciphertext> = run(|| {
        let operands: Vec<_> = found.iter().collect();
        match &profile {
            None => work(&server.eval, &operands),
            Some((profile, place)) => profile.explicit(&server.eval, (place, name), &operands, work),
        }
    })?;
    Ok(made.into_iter().map(|ct| Ciphertext::of(server, ct)).collect())
}

/// The scheme's own ciphertext.
fn own(ct: &dynamic::Ciphertext) -> Result<&Ckks> {
    match ct {
        dynamic::Ciphertext::Ckks(own) => Ok(own),
        other => other.params().lacks(NAME),
    }
}

/// Parameters of CKKS that have `level`.
fn params_at(params: &Parameters, level: usize) -> PyResult<&ringjet::Parameters> {
    let dynamic::Parameters::Ckks(own) = &params.0 else { return params.0.lacks(NAME).map_err(raise) };
    let top = own.max_level();
    if level > top { Err(raise(Error::NoSuchLevel { level, top })) } else { Ok(own) }
}

fn of_parts((hi, lo): Parts) -> PyResult<Scale> {
    Scale::from_parts(hi, lo).ok_or_else(|| argument("scale", hi + lo, "2**-300 to 2**300"))
}
