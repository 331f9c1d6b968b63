//! The trait `Scheme` for HEAAN.

use std::sync::Arc;

use ringjet_backend::Backend;
use ringjet_math::big::words;

use super::scheme::{Bootstrapping, Budget, Scheme, Sizes, StartModulus, approximate};
use super::values::Values;
use crate::heaan::{self, Context, ParamSpec, Parameters, Plaintext};
use crate::{KeyPlan, KeySizes, Result, Stated, Unit, wire};

/// HEAAN: moduli are powers of two.
#[derive(Debug, Clone, Copy)]
pub struct Heaan;

type Ct = heaan::Ciphertext;
type Eval = heaan::Evaluator;

/// Bits of the modulus that `at` asks for, by default those of the largest.
fn log_q(params: &Parameters, at: StartModulus) -> Result<u32> {
    if at.level.is_some() { Heaan::lacks("level") } else { Ok(at.log_q.unwrap_or(params.log_q())) }
}

impl Scheme for Heaan {
    const SCHEME: wire::Scheme = wire::Scheme::Heaan;
    const ID: &'static str = "heaan";
    const PRESETS: &'static [&'static str] = &heaan::PRESET_NAMES;
    const PRESET: fn(&str) -> Result<Parameters> = heaan::preset;
    const UNIT: Unit = Unit::Bits;
    const FIELD: &'static str = "log_q";

    type Spec = ParamSpec;
    type Parameters = Parameters;
    type EvaluationKeys = heaan::EvaluationKeys;
    type Plaintext = Plaintext;
    type Ciphertext = Ct;
    type Evaluator = Eval;

    approximate!();

    fn precision_bits(params: &Parameters, counting: Arc<dyn Backend>) -> Result<f64> {
        let ctx = Context::new(params, counting);
        let one = || Self::uncomputed(&ctx, StartModulus::default(), params.log_slots(), false);
        let (fresh, other) = (one()?, one()?);
        if params.depth() == 0 {
            return Ok(fresh.noise().precision_bits());
        }
        let keys = heaan::EvaluationKeys::uncomputed(&ctx, &KeyPlan::default())?;
        let eval = Eval::new(&ctx, Arc::new(keys))?;
        Ok(eval.rescale(&eval.mul(&fresh, &other)?, params.log_p())?.noise().precision_bits())
    }

    fn sizes(params: &Parameters, backend: &dyn Backend) -> Result<Sizes> {
        let n = params.n() as u64;
        let packed = |bits: u32| (n * u64::from(bits)).div_ceil(8);
        let one = packed(params.log_q());
        let two_in_memory = 2 * words(params.log_q()) as u64 * n * 8;
        Ok(Sizes {
            switching_key_at_rest: packed(2 * params.log_q()),
            switching_key_in_memory: params.key_sizes(backend, &KeyPlan::default()).memory_bytes,
            public_key_at_rest: one,
            public_key_in_memory: two_in_memory,
            ciphertext_at_rest: 2 * one,
            ciphertext_seeded_at_rest: one,
            ciphertext_in_memory: two_in_memory,
        })
    }

    fn modulus_text(params: &Parameters) -> String {
        format!("log_q={}", params.log_q())
    }

    fn bootstrapping(params: &Parameters, log_slots: u32) -> Result<Bootstrapping> {
        let (spec, budget) = params.bootstrapping(log_slots)?;
        let (input, output) = (spec.log_q as usize, budget.log_q as usize);
        Ok(Bootstrapping { unit: Self::UNIT, input, output, passes: 1, sine: false })
    }

    fn most_bootstrapping_slots(params: &Parameters) -> Option<usize> {
        (0..params.log_n()).rfind(|&log_slots| params.bootstrapping(log_slots).is_ok()).map(|log_slots| 1 << log_slots)
    }

    fn encode(ctx: &Context, values: &Values, stated: Stated, at: StartModulus, log_slots: u32) -> Result<Plaintext> {
        let log_q = log_q(ctx.params(), at)?;
        Ok(Plaintext::encode(ctx, values.numbers(Self::SCHEME)?, ctx.params().log_p(), log_slots)?
            .with_magnitude(stated)?
            .at(log_q))
    }

    fn uncomputed(ctx: &Context, at: StartModulus, log_slots: u32, public: bool) -> Result<Ct> {
        let ct = Ct::uncomputed(ctx, log_q(ctx.params(), at)?, ctx.params().log_p(), log_slots)?;
        Ok(if public { ct.publicly_encrypted() } else { ct })
    }

    fn uncomputed_keys(ctx: &Context, bootstrapping: bool) -> Result<Self::EvaluationKeys> {
        if !bootstrapping {
            return Self::lacks("server without keys for bootstrapping");
        }
        heaan::EvaluationKeys::uncomputed_for_all(ctx)
    }

    fn budget(ct: &Ct) -> Budget {
        let (left, of) = (ct.log_q() as usize, ct.params().log_q() as usize);
        let (modulus_log2, scale_log2) = (ct.log_q().into(), ct.log_scale().into());
        Budget { unit: Self::UNIT, left, of, modulus_log2, scale_log2 }
    }

    fn rotation_sum(eval: &Eval, x: &Ct, steps: &[i64]) -> Result<Ct> {
        let turned = eval.rotate_hoisted(x, steps)?.into_iter().map(Ok);
        turned.reduce(|a, b| eval.add_auto(&a?, &b?)).ok_or_else(|| crate::Error::none("steps"))?
    }

    fn weighted_sum(eval: &Eval, terms: &[(&Ct, f64)], level: Option<usize>) -> Result<Ct> {
        if level.is_some() {
            return Self::lacks("level of a weighted sum");
        }
        let terms = terms.iter().map(|(x, weight)| eval.mul_scalar_auto(x, *weight));
        terms.reduce(|sum, x| eval.add_auto(&sum?, &x?)).ok_or_else(|| crate::Error::none("terms"))?
    }

    fn rescale(eval: &Eval, x: &Ct, bits: Option<u32>) -> Result<Ct> {
        eval.rescale(x, bits.unwrap_or(eval.context().params().log_p()))
    }

    fn mod_down_to(eval: &Eval, x: &Ct, log_q: u32) -> Result<Ct> {
        eval.mod_down_to(x, log_q)
    }

    fn bootstrap(eval: &Eval, x: &Ct, _: bool, mut step: impl FnMut(usize, usize) -> bool) -> Result<Ct> {
        let boot = eval.bootstrapper(x.log_slots())?;
        let mut done = 0;
        let after = |_| {
            done += 1;
            step(done, boot.phases())
        };
        boot.bootstrap_observed(eval, &eval.rescale_to_default(x)?, after)
    }

    fn bootstrap_many(eval: &Eval, all: &[&Ct], _: bool, step: impl FnMut(usize) -> bool) -> Result<Vec<Ct>> {
        let rescaled = all.iter().map(|x| eval.rescale_to_default(x)).collect::<Result<Vec<_>>>()?;
        let boot = eval.bootstrapper(rescaled[0].log_slots())?;
        boot.bootstrap_many(eval, &rescaled.iter().collect::<Vec<_>>(), step)
    }

    fn key_sizes(params: &Parameters, plan: &KeyPlan, backend: &dyn Backend) -> Result<KeySizes> {
        Ok(params.key_sizes(backend, plan))
    }

    fn key_level(_: &Parameters, _: usize) -> Option<usize> {
        None
    }
}
