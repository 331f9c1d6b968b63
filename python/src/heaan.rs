//! Parameters of HEAAN.

use std::sync::Arc;

use pyo3::prelude::*;
use ringjet::KeyRequest;
use ringjet::heaan::{Ciphertext, Context, EvaluationKeys, Evaluator, ParamSpec, Parameters, Secret};
use ringjet_model::CountingBackend;

use crate::errors::{argument, run};
use crate::params;
use ringjet::any::Either;

/// Parameters of HEAAN: CKKS modulo a power of two, in which a rescaling takes any number of bits.
///
/// log_n: binary logarithm of the ring degree, 4 to 17. log_q: bits of the largest modulus of ciphertexts, 20 to 4096; keys
/// live modulo `2**(2 * log_q)`, which is what security depends on. log_p: binary logarithm of the default scale, and bits of a
/// rescaling by default. slots: a power of two, by default half the ring degree. secret_weight: of secrets with so many
/// non-zero coefficients, which take `allow_insecure`; by default secrets are dense. security: 128, 192 or 256 bits.
#[pyfunction]
#[pyo3(name = "heaan", signature = (log_n=16, log_q=1200, log_p=30, slots=None, *, secret_weight=None, security=128, allow_insecure=false))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn heaan_params(
    py: Python<'_>,
    log_n: u32,
    log_q: u32,
    log_p: u32,
    slots: Option<usize>,
    secret_weight: Option<u32>,
    security: u32,
    allow_insecure: bool,
) -> PyResult<params::Parameters> {
    let log_slots = |slots: usize| match slots.is_power_of_two() {
        true => Ok(slots.trailing_zeros()),
        false => Err(argument("slots", slots, "a power of two up to half the ring degree")),
    };
    let spec = ParamSpec {
        log_p,
        log_slots: slots.map(log_slots).transpose()?,
        secret: secret_weight.map_or(Secret::Ternary, Secret::Weight),
        security,
        allow_insecure,
        ..ParamSpec::new(log_n, log_q)
    };
    run(py, || Parameters::new(&spec)).map(|p| params::Parameters(Either::Heaan(p)))
}

/// Of a product of two fresh ciphertexts, rescaled: as ciphertexts without values say it.
pub fn precision_bits(params: &Parameters) -> ringjet::Result<f64> {
    let context = Context::new(params, Arc::new(CountingBackend::default()));
    let one = || Ciphertext::uncomputed(&context, params.log_q(), params.log_p(), params.log_slots());
    let (fresh, other) = (one()?, one()?);
    if params.depth() == 0 {
        return Ok(fresh.noise().precision_bits());
    }
    let keys = EvaluationKeys::uncomputed(&context, &KeyRequest::default())?;
    let eval = Evaluator::new(&context, Arc::new(keys))?;
    Ok(eval.rescale(&eval.mul(&fresh, &other)?, params.log_p())?.noise().precision_bits())
}
