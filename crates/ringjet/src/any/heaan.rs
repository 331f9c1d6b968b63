//! HEAAN as one of the schemes.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use ringjet_backend::Backend;
use ringjet_math::big::words;
use ringjet_math::fft::Complex64;
use serde_json::Value;

use super::params::json;
use super::{At, Left, Scheme, Sizes};
use crate::Unit;
use crate::heaan::{self, Ciphertext, Context, Evaluator, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey};
use crate::rlwe::security::Estimate;
use crate::rng::Seed;
use crate::wire::Kind;
use crate::{Error, KeyMemory, KeyRequest, KeySizes, Result, Values};

/// HEAAN: moduli are powers of two.
#[derive(Debug, Clone, Copy)]
pub struct Heaan;

/// Encoded values, and the bits of the modulus under which they are to be encrypted.
#[derive(Debug, Clone)]
pub struct PlaintextAt {
    plain: Plaintext,
    log_q: u32,
}

impl PlaintextAt {
    /// The parameters.
    pub fn params(&self) -> &Parameters {
        self.plain.params()
    }
}

/// Bits of the modulus that is asked for, the largest where none is.
fn log_q(params: &Parameters, at: At) -> Result<u32> {
    if at.level.is_some() { Heaan::lacks("level") } else { Ok(at.log_q.unwrap_or(params.log_q())) }
}

/// Refuses keys in a form that they do not have.
fn expect_expanded(memory: KeyMemory) -> Result<()> {
    if memory == KeyMemory::Expanded {
        return Ok(());
    }
    let expected = "expanded for HEAAN, whose keys are kept in no other form".into();
    Err(Error::Argument { name: "key_memory", value: "compressed".into(), expected })
}

impl Scheme for Heaan {
    const NAME: &'static str = "HEAAN";
    const ID: &'static str = "heaan";
    const PRESETS: &'static [&'static str] = &heaan::PRESET_NAMES;
    const PARAMETERS: Kind = Kind::HeaanParameters;
    const CIPHERTEXT: Kind = Kind::HeaanCiphertext;

    type Parameters = Parameters;
    type Context = Context;
    type SecretKey = SecretKey;
    type PublicKey = PublicKey;
    type EvaluationKeys = heaan::EvaluationKeys;
    type Plaintext = PlaintextAt;
    type Ciphertext = Ciphertext;
    type Evaluator = Evaluator;

    fn instead(op: &str) -> &'static str {
        match op {
            "level" | "levels" | "max_level" => "log_q says how many bits the modulus has",
            "level of a weighted sum" => "the sum is rescaled before it is multiplied",
            "q" | "p" => "its modulus is 2**log_q",
            "polynomial" => "write it with `*`, `+` and `**`",
            "matmul" => "sum up diagonals times x.rotate(k)",
            "to_level" => "mod_down_to(log_q) takes a smaller modulus",
            "server without keys for bootstrapping" => "its keys for rotations are what bootstraps",
            _ => "see the documentation of its parameters",
        }
    }

    fn preset(name: &str) -> Result<Parameters> {
        heaan::preset(name)
    }

    fn describes(spec: &Value) -> bool {
        spec.get("log_q").is_some()
    }

    fn from_spec(spec: Value, allow_insecure: bool) -> Result<Parameters> {
        let spec: ParamSpec = serde_json::from_value(spec).map_err(json)?;
        if spec.allow_insecure && !allow_insecure {
            Parameters::new(&ParamSpec { allow_insecure: false, ..spec.clone() })?;
        }
        Parameters::new(&spec)
    }

    fn spec(params: &Parameters) -> serde_json::Result<String> {
        serde_json::to_string(params.spec())
    }

    fn slots(params: &Parameters) -> usize {
        1 << params.log_slots()
    }

    fn depth(params: &Parameters) -> usize {
        params.depth()
    }

    fn allow_insecure(params: &Parameters) -> bool {
        params.spec().allow_insecure
    }

    fn log_qp(params: &Parameters) -> f64 {
        f64::from(2 * params.log_q())
    }

    fn scale_bits(params: &Parameters) -> u32 {
        params.log_p()
    }

    fn security(params: &Parameters) -> Option<Estimate> {
        params.security()
    }

    fn precision_bits(params: &Parameters, counting: Arc<dyn Backend>) -> Result<f64> {
        let ctx = Context::new(params, counting);
        let one = || Self::uncomputed(&ctx, At::default(), params.log_slots());
        let (fresh, other) = (one()?, one()?);
        if params.depth() == 0 {
            return Ok(fresh.noise().precision_bits());
        }
        let keys = heaan::EvaluationKeys::uncomputed(&ctx, &KeyRequest::default())?;
        let eval = Evaluator::new(&ctx, Arc::new(keys))?;
        Ok(eval.rescale(&eval.mul(&fresh, &other)?, params.log_p())?.noise().precision_bits())
    }

    fn sizes(params: &Parameters, backend: &dyn Backend) -> Result<Sizes> {
        let n = params.n() as u64;
        let packed = |bits: u32| (n * u64::from(bits)).div_ceil(8);
        let one = packed(params.log_q());
        let two_in_memory = 2 * words(params.log_q()) as u64 * n * 8;
        Ok(Sizes {
            switching_key_at_rest: packed(2 * params.log_q()),
            switching_key_in_memory: params.key_sizes(backend, &KeyRequest::default())?.memory_bytes,
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

    fn expect_bootstrapping(params: &Parameters, log_slots: u32) -> Result<()> {
        params.bootstrapping(log_slots).map(|_| ())
    }

    fn least_bootstrapping_slots(params: &Parameters) -> Option<usize> {
        (0..params.log_n()).find(|&log_slots| params.bootstrapping(log_slots).is_ok()).map(|log_slots| 1 << log_slots)
    }

    fn bootstrap_bits(params: &Parameters) -> Option<(u32, u32)> {
        params.bootstrapping(params.log_slots()).ok().map(|(spec, budget)| (spec.log_q, budget.log_q))
    }

    fn log_q(params: &Parameters) -> Result<u32> {
        Ok(params.log_q())
    }

    fn log_p(params: &Parameters) -> Result<u32> {
        Ok(params.log_p())
    }

    fn context(params: &Parameters, backend: Arc<dyn Backend>) -> Context {
        Context::new(params, backend)
    }

    fn with_key_memory(ctx: &Context, memory: KeyMemory) -> Result<Context> {
        expect_expanded(memory).map(|()| ctx.clone())
    }

    fn encode(ctx: &Context, values: &[Complex64], magnitude: f64, at: At, log_slots: u32) -> Result<PlaintextAt> {
        let log_q = log_q(ctx.params(), at)?;
        let plain = Plaintext::encode(ctx, values, ctx.params().log_p(), log_slots)?.with_magnitude(magnitude)?;
        Ok(PlaintextAt { plain, log_q })
    }

    fn uncomputed(ctx: &Context, at: At, log_slots: u32) -> Result<Ciphertext> {
        Ciphertext::uncomputed(ctx, log_q(ctx.params(), at)?, ctx.params().log_p(), log_slots)
    }

    fn uncomputed_keys(ctx: &Context, bootstrapping: bool) -> Result<Self::EvaluationKeys> {
        if !bootstrapping {
            return Self::lacks("server without keys for bootstrapping");
        }
        heaan::EvaluationKeys::uncomputed_for_all(ctx)
    }

    fn evaluator(ctx: &Context, keys: Arc<heaan::EvaluationKeys>) -> Result<Evaluator> {
        Evaluator::new(ctx, keys)
    }

    fn secret_key(params: &Parameters, seed: &Seed) -> Result<SecretKey> {
        SecretKey::from_seed(params, seed)
    }

    fn encrypt(key: &SecretKey, ctx: &Context, plain: &PlaintextAt, seed: &Seed) -> Result<Ciphertext> {
        key.encrypt_at(ctx, &plain.plain, plain.log_q, seed)
    }

    fn encrypt_public(key: &PublicKey, ctx: &Context, plain: &PlaintextAt, seed: &Seed) -> Result<Ciphertext> {
        key.encrypt_at(ctx, &plain.plain, plain.log_q, seed)
    }

    fn decrypt_unchecked(key: &SecretKey, ctx: &Context, ct: &Ciphertext) -> Result<Values> {
        key.decrypt(ctx, ct)?.decode(ctx)
    }

    fn has_rotation(keys: &Self::EvaluationKeys, steps: i64) -> bool {
        keys.rotation(steps).is_ok()
    }

    fn memory(_: &Self::EvaluationKeys) -> KeyMemory {
        KeyMemory::Expanded
    }

    fn kept(keys: &Self::EvaluationKeys, memory: KeyMemory) -> Result<Self::EvaluationKeys> {
        expect_expanded(memory).map(|()| keys.clone())
    }

    fn write_keys(
        keys: &Self::EvaluationKeys,
        ctx: &Context,
        out: &mut dyn Write,
        step: impl FnMut(u64, u64) -> bool,
    ) -> Result<()> {
        keys.write_to(ctx, out, step)
    }

    fn scale_log2(ct: &Ciphertext) -> f64 {
        ct.log_scale().into()
    }

    fn modulus_log2(ct: &Ciphertext) -> f64 {
        ct.log_q().into()
    }

    fn left(ct: &Ciphertext) -> Left {
        Left { unit: Unit::Bits, left: ct.log_q() as usize, of: ct.params().log_q() as usize }
    }

    fn add_scalar(eval: &Evaluator, x: &Ciphertext, c: f64) -> Result<Ciphertext> {
        eval.add_const(x, c)
    }

    fn mul_scalar(eval: &Evaluator, x: &Ciphertext, c: f64) -> Result<Ciphertext> {
        eval.mul_const_auto(x, c)
    }

    fn rotations(eval: &Evaluator, x: &Ciphertext, steps: &[i64]) -> Result<Vec<Ciphertext>> {
        eval.expect_rotations(x, steps)?;
        steps.iter().map(|&k| eval.rotate(x, k)).collect()
    }

    fn mul_sum(eval: &Evaluator, pairs: &[(&Ciphertext, &Ciphertext)]) -> Result<Ciphertext> {
        sum(eval, pairs.iter().map(|(x, y)| eval.mul_auto(x, y)))
    }

    fn weighted_sum(eval: &Evaluator, terms: &[(&Ciphertext, f64)], level: Option<usize>) -> Result<Ciphertext> {
        if level.is_some() {
            return Self::lacks("level of a weighted sum");
        }
        sum(eval, terms.iter().map(|(x, weight)| eval.mul_const_auto(x, *weight)))
    }

    fn rescale(eval: &Evaluator, x: &Ciphertext, bits: Option<u32>) -> Result<Ciphertext> {
        eval.rescale(x, bits.unwrap_or(eval.context().params().log_p()))
    }

    fn mod_down_to(eval: &Evaluator, x: &Ciphertext, log_q: u32) -> Result<Ciphertext> {
        eval.mod_down_to(x, log_q)
    }

    fn can_bootstrap(eval: &Evaluator) -> bool {
        eval.keys().can_bootstrap()
    }

    fn prepare(eval: &Evaluator, log_slots: u32, step: impl FnMut(usize, usize) -> bool) -> Result<()> {
        eval.bootstrapper_observed(log_slots, step).map(|_| ())
    }

    fn bootstrap(
        eval: &Evaluator,
        x: &Ciphertext,
        _: bool,
        mut step: impl FnMut(usize, usize) -> bool,
    ) -> Result<Ciphertext> {
        let boot = eval.bootstrapper(x.log_slots())?;
        let mut done = 0;
        let after = |_| {
            done += 1;
            step(done, boot.phases())
        };
        boot.bootstrap_observed(eval, &eval.settle(x)?, after)
    }

    fn bootstrap_many(
        eval: &Evaluator,
        all: &[&Ciphertext],
        _: bool,
        step: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        let settled = all.iter().map(|x| eval.settle(x)).collect::<Result<Vec<_>>>()?;
        let boot = eval.bootstrapper(settled[0].log_slots())?;
        boot.bootstrap_many(eval, &settled.iter().collect::<Vec<_>>(), step)
    }

    fn key_sizes(eval: &Evaluator, request: &KeyRequest, _: &BTreeMap<u32, usize>) -> Result<KeySizes> {
        eval.context().params().key_sizes(eval.context().backend(), request)
    }
}

/// The sum of at least one term.
fn sum(eval: &Evaluator, mut terms: impl Iterator<Item = Result<Ciphertext>>) -> Result<Ciphertext> {
    let first = terms.next().expect("the caller has refused an empty sum")?;
    terms.try_fold(first, |sum, x| eval.add_auto(&sum, &x?))
}
