//! The trait `Scheme` for BGV and BFV.

use std::sync::Arc;

use ringjet_backend::Backend;
use ringjet_math::Basis;

use super::scheme::{self, Bootstrapping, Budget, Level, Scheme, Sizes, StartModulus};
use super::transform::Transform;
use super::values::{Scalar, Values};
use crate::bgv::{self, Context, ParamSpec, Parameters, Plaintext, Product};
use crate::circuits::Polynomial;
use crate::rlwe::Sharing;
use crate::rng::Seed;
use crate::{Error, KeyMemory, KeyPlan, KeySizes, Result, Rows, Stated, Unit, wire};

/// BGV and BFV: integers modulo a prime, exactly.
#[derive(Debug, Clone, Copy)]
pub struct Bgv;

type Ct = bgv::Ciphertext;
type Eval = bgv::Evaluator;

/// The level that `at` asks for, by default the top one.
fn level(params: &Parameters, at: StartModulus) -> Result<usize> {
    match at {
        StartModulus { log_q: Some(_), .. } => Bgv::lacks("log_q"),
        StartModulus { level: Some(level), .. } => expect_levels(params).map(|()| level),
        _ => Ok(params.top_level()),
    }
}

/// Refuses levels in BFV.
fn expect_levels(params: &Parameters) -> Result<()> {
    if params.product() == Product::Bgv {
        return Ok(());
    }
    Err(Error::Unsupported { scheme: "BFV", op: "level" })
}

/// A constant in the clear. It has the range of messages, as vectors in the clear have.
fn constant(params: &Parameters, c: Scalar) -> Result<i64> {
    let c = c.integer(Bgv::SCHEME)?;
    params.residues().expect(0, c).map(|()| c)
}

/// A vector in the clear, for a ciphertext.
fn encoded(eval: &Eval, x: &Ct, values: &Values) -> Result<Plaintext> {
    Plaintext::encode(eval.context(), values.integers(Bgv::SCHEME)?, x.level())
}

impl Scheme for Bgv {
    const SCHEME: wire::Scheme = wire::Scheme::Bgv;
    const ID: &'static str = "bgv";
    const PRESETS: &'static [&'static str] = &bgv::PRESET_NAMES;
    const PRESET: fn(&str) -> Result<Parameters> = bgv::preset;
    const UNIT: Unit = Unit::Levels;
    const FIELD: &'static str = "t";
    const EXACT: bool = true;

    type Spec = ParamSpec;
    type Parameters = Parameters;
    type EvaluationKeys = bgv::EvaluationKeys;
    type Plaintext = Plaintext;
    type Ciphertext = Ct;
    type Evaluator = Eval;

    fn id(params: &Parameters) -> &'static str {
        if params.product() == Product::Bfv { "bfv" } else { Self::ID }
    }

    /// Integers are exact.
    fn precision_bits(_: &Parameters, _: Arc<dyn Backend>) -> Result<f64> {
        Ok(f64::INFINITY)
    }

    fn sizes(params: &Parameters, _: &dyn Backend) -> Result<Sizes> {
        let (one, components) = (scheme::chain_sizes(params), params.spec().t.len() as u64);
        Ok(Sizes {
            ciphertext_at_rest: components * one.ciphertext_at_rest,
            ciphertext_seeded_at_rest: components * one.ciphertext_seeded_at_rest,
            ciphertext_in_memory: components * one.ciphertext_in_memory,
            ..one
        })
    }

    fn modulus_text(params: &Parameters) -> String {
        format!("t={}, log_qp={:.0}, dnum={}", params.t(), params.log_qp(), params.dnum())
    }

    fn bootstrapping(params: &Parameters, log_slots: u32) -> Result<Bootstrapping> {
        params.bootstrap_keys(log_slots)?;
        Self::lacks("bootstrap")
    }

    fn most_bootstrapping_slots(_: &Parameters) -> Option<usize> {
        None
    }

    fn levels(params: &Parameters) -> Result<Vec<Level>> {
        let bits = |level: usize| params.level(level).basis.log2();
        let row = |level| Level {
            level,
            purpose: "messages",
            modulus_bits: bits(level),
            scale_bits: 0.0,
            rescale_bits: if level > 0 { bits(level) - bits(level - 1) } else { 0.0 },
            primes: params.limbs(level),
        };
        Ok((0..=params.top_level()).map(row).collect())
    }

    fn with_t_bits(params: &Parameters, bits: u32) -> Result<Parameters> {
        Parameters::new(&params.spec().clone().t_bits(bits)?)
    }

    fn primes(params: &Parameters) -> Result<[Vec<u64>; 2]> {
        Ok([params.q(), params.p()].map(|basis: &Basis| basis.values().collect()))
    }

    fn with_key_memory(ctx: &Context, memory: KeyMemory) -> Result<Context> {
        Ok(ctx.clone().with_key_memory(memory))
    }

    fn encode(ctx: &Context, values: &Values, stated: Stated, at: StartModulus, _: u32) -> Result<Plaintext> {
        if matches!(stated, Stated::Interval(..)) {
            return Self::lacks("magnitude");
        }
        Plaintext::encode(ctx, values.integers(Self::SCHEME)?, level(ctx.params(), at)?)
    }

    fn uncomputed(ctx: &Context, at: StartModulus, _: u32, public: bool) -> Result<Ct> {
        let ct = Ct::uncomputed(ctx, level(ctx.params(), at)?)?;
        Ok(if public { ct.publicly_encrypted() } else { ct })
    }

    fn uncomputed_keys(ctx: &Context, _: bool) -> Result<Self::EvaluationKeys> {
        bgv::EvaluationKeys::uncomputed_for_all(ctx)
    }

    fn memory(keys: &Self::EvaluationKeys) -> KeyMemory {
        // a key that parties made together can be expanded where the others are not
        keys.keys().map(|(_, key)| key.memory()).find(|&m| m == KeyMemory::Compressed).unwrap_or_default()
    }

    fn in_memory_form(keys: &Self::EvaluationKeys, memory: KeyMemory) -> Result<Self::EvaluationKeys> {
        keys.clone().in_memory_form(memory)
    }

    fn decrypt_values(secret: &bgv::SecretKey, ctx: &Context, ct: &Ct) -> Result<Values> {
        secret.decrypt_integers(ctx, ct).map(Values::from)
    }

    fn decrypt_unchecked(secret: &bgv::SecretKey, ctx: &Context, ct: &Ct) -> Result<Values> {
        secret.decrypt_unchecked(ctx, ct)?.decode(ctx).map(Values::from)
    }

    fn decrypt_for_sharing(
        secret: &bgv::SecretKey,
        ctx: &Context,
        ct: &Ct,
        plan: &Ct,
        _: Option<u32>,
        sharing: &Sharing,
        seed: &Seed,
    ) -> Result<Values> {
        secret.decrypt_for_sharing(ctx, ct, plan, sharing, seed).map(Values::from)
    }

    fn measured_budget(secret: &bgv::SecretKey, ctx: &Context, ct: &Ct) -> Result<f64> {
        secret.noise_budget(ctx, ct)
    }

    fn budget(ct: &Ct) -> Budget {
        let (left, of) = (ct.level(), ct.params().top_level());
        let modulus_log2 = ct.params().level(left).basis.log2();
        Budget { unit: Self::UNIT, left, of, modulus_log2, scale_log2: 0.0 }
    }

    fn level(ct: &Ct) -> Result<usize> {
        expect_levels(ct.params()).map(|()| ct.level())
    }

    fn noise_budget(ct: &Ct) -> Result<f64> {
        Ok(ct.noise_budget())
    }

    fn add_scalar(eval: &Eval, x: &Ct, c: Scalar) -> Result<Ct> {
        eval.add_integer(x, constant(x.params(), c)?)
    }

    fn sub_scalar(eval: &Eval, x: &Ct, c: Scalar) -> Result<Ct> {
        match constant(x.params(), c)?.checked_neg() {
            Some(c) => eval.add_integer(x, c),
            // 2^63 is no `i64`
            None => eval.add_integer(&eval.add_integer(x, i64::MAX)?, 1),
        }
    }

    fn mul_scalar(eval: &Eval, x: &Ct, c: Scalar) -> Result<Ct> {
        eval.mul_integer(x, constant(x.params(), c)?)
    }

    fn add_values(eval: &Eval, x: &Ct, values: &Values) -> Result<Ct> {
        eval.add_plain(x, &encoded(eval, x, values)?)
    }

    fn sub_values(eval: &Eval, x: &Ct, values: &Values) -> Result<Ct> {
        eval.sub_plain(x, &encoded(eval, x, values)?)
    }

    fn mul_values(eval: &Eval, x: &Ct, values: &Values) -> Result<Ct> {
        eval.mul_integers(x, values.integers(Self::SCHEME)?)
    }

    fn weighted_sum(eval: &Eval, terms: &[(&Ct, f64)], level: Option<usize>) -> Result<Ct> {
        let sum = eval.weighted_sum(terms)?;
        level.map_or(Ok(sum.clone()), |level| Self::to_level(eval, &sum, level))
    }

    fn weighted_sums(
        eval: &Eval,
        terms: &[&Ct],
        rows: &Rows<'_>,
        level: Option<usize>,
        step: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Ct>> {
        rows.bias.iter().try_for_each(|&c| constant(eval.context().params(), Scalar::of(c, true)?).map(drop))?;
        let sums = eval.weighted_sums(terms, rows, step)?;
        let lowered = |sum: Ct| level.map_or(Ok(sum.clone()), |level| Self::to_level(eval, &sum, level));
        sums.into_iter().map(lowered).collect()
    }

    fn rotation_sum(eval: &Eval, x: &Ct, steps: &[i64]) -> Result<Ct> {
        let turned = eval.rotate_hoisted(x, steps)?.into_iter().map(Ok);
        turned.reduce(|a, b| eval.add_auto(&a?, &b?)).ok_or_else(|| Error::none("steps"))?
    }

    fn swap_rows(eval: &Eval, x: &Ct) -> Result<Ct> {
        eval.swap_rows(x)
    }

    fn polynomial(eval: &Eval, x: &Ct, p: &Polynomial) -> Result<Ct> {
        eval.polynomial(x, p)
    }

    fn matmul(eval: &Eval, x: &Ct, matrix: &Transform) -> Result<Ct> {
        scheme::counted(x, matrix.linear(), || matrix.linear().apply(eval, x))
    }

    fn to_level(eval: &Eval, x: &Ct, level: usize) -> Result<Ct> {
        expect_levels(x.params())?;
        eval.switch_to(x, level)
    }

    fn bootstrap(_: &Eval, x: &Ct, _: bool, _: impl FnMut(usize, usize) -> bool) -> Result<Ct> {
        x.params().bootstrap_keys(x.log_slots())?;
        Self::lacks("bootstrap")
    }

    fn bootstrap_many(_: &Eval, all: &[&Ct], _: bool, _: impl FnMut(usize) -> bool) -> Result<Vec<Ct>> {
        all[0].params().bootstrap_keys(all[0].log_slots())?;
        Self::lacks("bootstrap")
    }

    fn key_sizes(params: &Parameters, plan: &KeyPlan, _: &dyn Backend) -> Result<KeySizes> {
        plan.sizes(params)
    }

    fn key_level(params: &Parameters, limbs: usize) -> Option<usize> {
        scheme::chain_key_level(params, limbs)
    }
}
