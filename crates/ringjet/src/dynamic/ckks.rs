//! The trait `Scheme` for CKKS.

use std::sync::Arc;

use ringjet_backend::{Backend, Width};

use super::scheme::{self, Bootstrapping, Budget, Level, Scheme, Sizes, StartModulus, approximate};
use super::transform::Transform;
use super::values::Values;
use crate::Unit;
use crate::circuits::{Polynomial, most_at_once, slots_of_several};
use crate::{Context, Error, KeyMemory, KeyPlan, KeySizes, ParamSpec, Plaintext, Result, Rows, Stated, params, wire};

/// CKKS: moduli are products of primes, and a level is a set of them.
#[derive(Debug, Clone, Copy)]
pub struct Ckks;

type Ct = crate::Ciphertext;
type Eval = crate::Evaluator;
type Params = crate::Parameters;

/// The level that `at` asks for, by default the top one.
fn level(params: &Params, at: StartModulus) -> Result<usize> {
    let (level, top) = (at.level.unwrap_or(params.top_level()), params.top_level());
    match at.log_q {
        Some(_) => Ckks::lacks("log_q"),
        None if level > top => Err(Error::NoSuchLevel { level, top }),
        None => Ok(level),
    }
}

impl Scheme for Ckks {
    const SCHEME: wire::Scheme = wire::Scheme::Ckks;
    const ID: &'static str = "ckks";
    const PRESETS: &'static [&'static str] = &params::PRESET_NAMES;
    const PRESET: fn(&str) -> Result<Params> = params::preset;
    const UNIT: Unit = Unit::Levels;
    const FIELD: &'static str = "scale_bits";

    type Spec = ParamSpec;
    type Parameters = Params;
    type EvaluationKeys = crate::EvaluationKeys;
    type Plaintext = Plaintext;
    type Ciphertext = Ct;
    type Evaluator = Eval;

    approximate!();

    fn precision_bits(params: &Params, _: Arc<dyn Backend>) -> Result<f64> {
        Ok(crate::ckks::precision_bits(params))
    }

    fn sizes(params: &Params, _: &dyn Backend) -> Result<Sizes> {
        Ok(scheme::chain_sizes(params))
    }

    fn modulus_text(params: &Params) -> String {
        format!("log_qp={:.0}, dnum={}", params.log_qp(), params.dnum())
    }

    fn bootstrapping(params: &Params, _: u32) -> Result<Bootstrapping> {
        let boot = params.bootstrap().ok_or_else(|| Error::no_bootstrapping(params))?;
        let (input, output, passes) = (boot.input_level(), params.top_level(), boot.passes.max(1));
        Ok(Bootstrapping { unit: Self::UNIT, input, output, passes, sine: boot.sine })
    }

    fn most_bootstrapping_slots(params: &Params) -> Option<usize> {
        params.bootstrap().map(|boot| 1 << boot.most_log_slots())
    }

    fn residue_width(params: &Params) -> Width {
        Width::of(params.extended())
    }

    fn levels(params: &Params) -> Result<Vec<Level>> {
        let top = params.max_level();
        let purpose = |level| params.bootstrap().map_or("messages", |boot| boot.purpose(level, top));
        let row = |level| Level {
            level,
            purpose: purpose(level),
            modulus_bits: params.level(level).basis.log2(),
            scale_bits: params.scale(level).log2(),
            rescale_bits: if level > 0 { params.ratio(level).log2() } else { 0.0 },
            primes: params.limbs(level),
        };
        Ok((0..=top).map(row).collect())
    }

    fn primes(params: &Params) -> Result<[Vec<u64>; 2]> {
        Ok([params.q(), params.p()].map(|basis| basis.values().collect()))
    }

    fn with_key_memory(ctx: &Context, memory: KeyMemory) -> Result<Context> {
        Ok(ctx.clone().with_key_memory(memory))
    }

    fn encode(ctx: &Context, values: &Values, stated: Stated, at: StartModulus, log_slots: u32) -> Result<Plaintext> {
        let level = level(ctx.params(), at)?;
        let plain = Plaintext::encode(ctx, values.numbers(Self::SCHEME)?, level, ctx.params().scale(level), log_slots)?;
        plain.with_magnitude(stated)
    }

    fn uncomputed(ctx: &Context, at: StartModulus, log_slots: u32, public: bool) -> Result<Ct> {
        let ct = Ct::uncomputed(ctx, level(ctx.params(), at)?, log_slots)?;
        Ok(if public { ct.publicly_encrypted() } else { ct })
    }

    fn uncomputed_keys(ctx: &Context, bootstrapping: bool) -> Result<Self::EvaluationKeys> {
        if bootstrapping {
            return crate::EvaluationKeys::uncomputed_for_all(ctx);
        }
        let plan = KeyPlan::rotations(1..ctx.params().max_slots() as i64).conjugation();
        crate::EvaluationKeys::uncomputed(ctx, &plan)
    }

    fn memory(keys: &Self::EvaluationKeys) -> KeyMemory {
        // a key that parties made together can be expanded where the others are not
        keys.keys().map(|(_, key)| key.memory()).find(|&m| m == KeyMemory::Compressed).unwrap_or_default()
    }

    fn in_memory_form(keys: &Self::EvaluationKeys, memory: KeyMemory) -> Result<Self::EvaluationKeys> {
        keys.clone().in_memory_form(memory)
    }

    fn budget(ct: &Ct) -> Budget {
        let modulus_log2 = ct.params().level(ct.level()).basis.log2();
        let (left, of) = (ct.level(), ct.params().top_level());
        Budget { unit: Self::UNIT, left, of, modulus_log2, scale_log2: ct.scale().log2() }
    }

    fn weighted_sum(eval: &Eval, terms: &[(&Ct, f64)], level: Option<usize>) -> Result<Ct> {
        let lowest = terms.iter().map(|(x, _)| x.level()).min().unwrap_or(0);
        let none = Error::levels_exhausted("weighted_sum", 1, 0);
        eval.weighted_sum(terms, level.or(lowest.checked_sub(1)).ok_or(none)?)
    }

    fn weighted_sums(
        eval: &Eval,
        terms: &[&Ct],
        rows: &Rows<'_>,
        level: Option<usize>,
        step: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<Ct>> {
        let lowest = terms.iter().map(|x| x.level()).min().unwrap_or(0);
        let none = Error::levels_exhausted("weighted_sums", 1, 0);
        eval.weighted_sums(terms, rows, level.or(lowest.checked_sub(1)).ok_or(none)?, step)
    }

    fn transpose_rows(eval: &Eval, rows: &[&Ct], entries: f64) -> Result<Vec<Ct>> {
        eval.transpose_rows(rows, entries)
    }

    fn mul_rows(eval: &Eval, columns: &[&Ct], rows: &[&Ct], entries: [f64; 2]) -> Result<Vec<Ct>> {
        eval.mul_rows(columns, rows, entries)
    }

    fn rotation_sum(eval: &Eval, x: &Ct, steps: &[i64]) -> Result<Ct> {
        eval.expect_rotations(x, steps)?;
        eval.rotation_sum(x, steps)
    }

    fn polynomial(eval: &Eval, x: &Ct, p: &Polynomial) -> Result<Ct> {
        eval.polynomial(x, p)
    }

    fn polynomials(eval: &Eval, x: &Ct, ps: &[&Polynomial]) -> Result<Vec<Ct>> {
        eval.polynomials(x, ps)
    }

    fn matmul(eval: &Eval, x: &Ct, matrix: &Transform) -> Result<Ct> {
        let transform = matrix.linear();
        if x.slots() != transform.slots() {
            return Err(Error::SlotMismatch { lhs: transform.slots(), rhs: x.slots() });
        }
        eval.expect_rotations(x, &transform.rotations())?;
        let x = eval.with_left(x, 1)?;
        scheme::counted(&x, transform, || matrix.encoded(eval.context(), x.level())?.apply(eval, &x))
    }

    fn to_level(eval: &Eval, x: &Ct, level: usize) -> Result<Ct> {
        eval.align(x, level)
    }

    fn bootstrap(eval: &Eval, x: &Ct, real: bool, mut step: impl FnMut(usize, usize) -> bool) -> Result<Ct> {
        let boot = eval.bootstrapper(x.log_slots())?;
        let (total, mut done) = (boot.phases(real), 0);
        let after = |_| {
            done += 1;
            step(done, total)
        };
        boot.bootstrap_observed(eval, x, real, after)
    }

    fn bootstrap_many(eval: &Eval, all: &[&Ct], real: bool, mut step: impl FnMut(usize) -> bool) -> Result<Vec<Ct>> {
        // made in both cases: plans ask for the keys of all bootstrappers, and several that share a bootstrap
        // are taken apart with keys for their own slots
        let own = eval.bootstrapper(all[0].log_slots())?;
        all.iter().try_for_each(|ct| own.check(eval, ct))?;
        let mut made = Vec::with_capacity(all.len());
        for group in all.chunks(most_at_once(eval, all[0].log_slots(), real)) {
            let before = made.len();
            let step = |done| step(before + done);
            made.extend(match slots_of_several(eval, group, real)? {
                Some(wide) => eval.bootstrapper(wide)?.bootstrap_packed(eval, group, real, step)?,
                None => own.bootstrap_many(eval, group, real, step)?,
            });
        }
        Ok(made)
    }

    fn sines(eval: &Eval, all: &[&Ct], wraps: bool, step: impl FnMut(usize) -> bool) -> Result<Vec<Ct>> {
        let params = eval.context().params();
        if !params.expect_bootstrap()?.sine {
            return Err(Error::no_sine(params));
        }
        eval.bootstrapper(all[0].log_slots())?.sines(eval, all, wraps, step)
    }

    fn key_sizes(params: &Params, plan: &KeyPlan, _: &dyn Backend) -> Result<KeySizes> {
        plan.sizes(params)
    }

    fn key_level(params: &Params, limbs: usize) -> Option<usize> {
        scheme::chain_key_level(params, limbs)
    }
}
