//! Objects of CKKS.

use std::sync::Arc;

use ringjet::params::{BootstrapChain, BootstrapSpec, ModulusSpec};
use ringjet::rng::Seed;
use ringjet::wire::{Limits, Object};
use ringjet::{
    Bootstrapper, Ciphertext, Context, EvaluationKeys, Evaluator, KeyMemory, KeyPlan, ParamSpec, Parameters, Plaintext,
    PublicKey, Result, SecretKey, SwitchingKey,
};
use ringjet_math::fft::Complex64;
use serde_json::{Value, json};

use super::objects::{COUNT, LIMITS, ROTATIONS, bits, close, complex_values, objects, slots};

objects!();

/// A ring of degree 32 with three levels, two digits, and primes of 36 to 60 bits.
pub fn tiny() -> ParamSpec {
    ParamSpec {
        log_n: 5,
        q: ModulusSpec::Bits(vec![55, 36, 36]),
        p: ModulusSpec::Bits(vec![60, 42]),
        scale_bits: 36,
        ..ParamSpec::uniform(5, 36, 2, 36, 2).allow_insecure()
    }
}

/// A ring of degree 1024, whose evaluation domain is ordered as in large rings.
pub fn n10() -> ParamSpec {
    ParamSpec::uniform(10, 50, 2, 40, 2).allow_insecure()
}

/// A ring of degree 32 that bootstraps.
pub fn boot() -> ParamSpec {
    let chain = BootstrapChain {
        message_levels: 1,
        log_ratio: 12.0,
        eval_mod_bits: 58.0,
        special: 5,
        bootstrap: BootstrapSpec { secret_weight: 8, ..BootstrapSpec::standard(5, 1) },
        ..BootstrapChain::standard(5)
    };
    chain.generate().unwrap().0.allow_insecure()
}

fn key_plan(params: &Parameters) -> KeyPlan {
    let plan = KeyPlan::rotations(ROTATIONS).conjugation();
    match params.bootstrap() {
        Some(_) => plan.and(Bootstrapper::key_plan(params, params.log_n() - 1).unwrap()),
        None => plan,
    }
}

fn evaluator(ctx: &Context, keys: Arc<EvaluationKeys>) -> Evaluator {
    Evaluator::bootstrapping(ctx, keys).unwrap()
}

fn plaintext(ctx: &Context) -> Plaintext {
    let top = ctx.params().top_level();
    let plain = Plaintext::encode(ctx, &complex_values(), top, ctx.params().scale(top), 4);
    plain.and_then(|p| p.with_count(COUNT)).unwrap()
}

fn results(set: &Set) -> Vec<(&'static str, Ciphertext)> {
    let bootstrapped = set.bootstrapped().map(|c| ("ciphertext_bootstrapped", c));
    [("ciphertext_3", set.square()), ("ciphertext_low", set.product())].into_iter().chain(bootstrapped).collect()
}

impl Set {
    /// A square before relinearisation: three polynomials.
    pub fn square(&self) -> Ciphertext {
        self.eval.mul(&self.fresh(), &self.fresh()).unwrap()
    }

    /// A relinearised and rescaled product, at a lower level and a scale that is no power of two.
    pub fn product(&self) -> Ciphertext {
        self.eval.mul_auto(&self.fresh(), &self.full()).unwrap()
    }

    /// A bootstrapped ciphertext, where the parameters allow it.
    pub fn bootstrapped(&self) -> Option<Ciphertext> {
        self.keys.can_bootstrap().then(|| self.eval.bootstrap(&self.fresh()).unwrap())
    }

    pub fn decrypt(&self, ct: &Ciphertext) -> Vec<Complex64> {
        self.secret.decrypt_values(&self.ctx, ct).unwrap().0
    }
}

fn about_plaintext(set: &Set, p: &Plaintext) -> Value {
    let (hi, lo) = p.scale().parts();
    let values = slots(&p.decode(&set.ctx).unwrap().0);
    json!({
        "count": p.count(),
        "level": p.level(),
        "scale": [bits(hi), bits(lo)],
        "log_slots": p.log_slots(),
        "values": values
    })
}

fn about_ciphertext(set: &Set, c: &Ciphertext) -> Value {
    let (hi, lo) = c.scale().parts();
    json!({
        "count": c.count(),
        "polynomials": c.polys(),
        "level": c.level(),
        "scale": [bits(hi), bits(lo)],
        "log_slots": c.log_slots(),
        "noise": [bits(c.noise().variance()), bits(c.noise().bound()), bits(c.noise().magnitude())],
        "seed": c.seed().map(|s| s.to_string()),
        "values": slots(&set.decrypt(c)),
    })
}

fn compute(set: &Set) {
    let (eval, fresh) = (&set.eval, set.fresh());
    let x = set.decrypt(&fresh);
    let n = x.len() as i64;
    let expect = |ct: Result<Ciphertext>, want: Vec<Complex64>| close(&set.decrypt(&ct.unwrap()), &want, 1e-4);
    for by in ROTATIONS {
        expect(eval.rotate(&fresh, by), (0..n).map(|i| x[(i + by).rem_euclid(n) as usize]).collect());
    }
    expect(eval.conjugate(&fresh), x.iter().map(|z| z.conj()).collect());
    expect(eval.mul_auto(&fresh, &fresh), x.iter().map(|&z| z * z).collect());
    expect(set.public.encrypt(&set.ctx, &set.plaintext, &Seed::from_bytes([1; 32])), x.clone());
    let Some(bootstrapped) = set.bootstrapped() else { return };
    // the form of the keys does not change a bit
    let ctx = set.ctx.clone().with_key_memory(KeyMemory::Compressed);
    let keys = EvaluationKeys::from_bytes(&ctx, &set.keys.to_bytes(&set.ctx).unwrap(), LIMITS).unwrap();
    let again = evaluator(&ctx, Arc::new(keys)).bootstrap(&fresh).unwrap();
    assert_eq!(again.to_bytes(&ctx).unwrap(), bootstrapped.to_bytes(&set.ctx).unwrap());
    expect(Ok(bootstrapped), x);
}
