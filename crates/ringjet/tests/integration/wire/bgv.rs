//! Objects of BGV and BFV: values, and fields out of range.

use std::sync::Arc;

use ringjet::bgv::{
    Ciphertext, Context, EvaluationKeys, Evaluator, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey,
    SwitchingKey,
};
use ringjet::rng::Seed;
use ringjet::wire::{HEADER_LEN, Limits, Object};
use ringjet::{Error, KeyPlan, Result};
use serde_json::{Value, json};

use super::objects::{COUNT, LIMITS, ROTATIONS, bits, objects, refused};

objects!();

/// A ring of degree 32 with three levels and two digits.
pub fn tiny() -> ParamSpec {
    ParamSpec { alpha: Some(2), ..ParamSpec::uniform(5, 65537, &[45, 36, 36], &[60, 42]).allow_insecure() }
}

/// The same with three primes of the plaintext modulus.
pub fn several() -> ParamSpec {
    ParamSpec { t: vec![65537, 12289, 40961], ..tiny() }
}

/// [`tiny`] with levels that are sets of primes.
pub fn levels() -> ParamSpec {
    ParamSpec { levels: Some(vec![vec![0], vec![0, 2], vec![0, 1, 2]]), ..tiny() }
}

fn key_plan(_: &Parameters) -> KeyPlan {
    KeyPlan::rotations(ROTATIONS).conjugation()
}

fn evaluator(ctx: &Context, keys: Arc<EvaluationKeys>) -> Evaluator {
    Evaluator::new(ctx, keys).unwrap()
}

fn plaintext(ctx: &Context) -> Plaintext {
    let values: Vec<i64> = (0..ctx.params().slots() as i64).map(|i| i * i * 2357 % 65537 - 32768).collect();
    Plaintext::encode(ctx, &values, ctx.params().top_level()).and_then(|p| p.with_count(COUNT)).unwrap()
}

fn results(set: &Set) -> Vec<(&'static str, Ciphertext)> {
    vec![("ciphertext_3", set.square()), ("ciphertext_low", set.product())]
}

impl Set {
    /// A square before relinearisation: three polynomials.
    pub fn square(&self) -> Ciphertext {
        self.eval.mul(&self.fresh(), &self.fresh()).unwrap()
    }

    /// A product one level lower, with a correction factor; in BFV, which has one level, at that
    /// level.
    pub fn product(&self) -> Ciphertext {
        let raw = self.eval.mul(&self.fresh(), &self.full()).unwrap();
        let top = self.ctx.params().top_level();
        if top > 0 { self.eval.relinearize_switch(&raw) } else { self.eval.relinearize(&raw) }.unwrap()
    }

    pub fn decrypt(&self, ct: &Ciphertext) -> Vec<i64> {
        self.secret.decrypt_integers(&self.ctx, ct).unwrap()
    }
}

fn about_plaintext(set: &Set, p: &Plaintext) -> Value {
    json!({"count": p.count(), "level": p.level(), "values": p.decode(&set.ctx).unwrap()})
}

fn about_ciphertext(set: &Set, c: &Ciphertext) -> Value {
    json!({
        "count": c.count(),
        "polynomials": c.polys(),
        "level": c.level(),
        "factors": c.factors(),
        "noise": [bits(c.noise().bound()), bits(c.noise().length()), bits(c.noise().largest())],
        "seed": c.seed().map(|s| s.to_string()),
        "values": set.decrypt(c),
    })
}

fn compute(set: &Set) {
    let (eval, fresh, x) = (&set.eval, set.fresh(), set.plaintext.decode(&set.ctx).unwrap());
    for by in ROTATIONS {
        let turned: Vec<i64> = (0..32i64).map(|i| x[(i / 16 * 16 + (i + by).rem_euclid(16)) as usize]).collect();
        assert_eq!(set.decrypt(&eval.rotate(&fresh, by).unwrap()), turned);
    }
    assert_eq!(set.decrypt(&eval.swap_rows(&fresh).unwrap()), [&x[16..], &x[..16]].concat());
    let again = set.public.encrypt(&set.ctx, &set.plaintext, &Seed::from_bytes([1; 32])).unwrap();
    assert_eq!(set.decrypt(&again), x);
}

#[test]
fn loaded_ciphertexts_decrypt_to_the_same_values() {
    for spec in [tiny(), tiny().bfv(), several(), levels()] {
        let set = Set::new(&spec, 41);
        let params = Parameters::from_bytes(&set.params().to_bytes().unwrap(), LIMITS).unwrap();
        assert_eq!((&params, params.spec()), (set.ctx.params(), set.ctx.params().spec()));
        let values = set.plaintext.decode(&set.ctx).unwrap();
        let t = set.ctx.params().t() as i64;
        let squares: Vec<i64> = values.iter().map(|x| (x * x + t / 2).rem_euclid(t) - t / 2).collect();
        for (ct, want) in
            [(set.fresh(), &values), (set.full(), &values), (set.square(), &squares), (set.product(), &squares)]
        {
            let back = Ciphertext::from_bytes(&set.ctx, &ct.to_bytes(&set.ctx).unwrap(), LIMITS).unwrap();
            assert_eq!(format!("{back:?}"), format!("{ct:?}"));
            assert_eq!((back.noise(), back.seed(), back.factors()), (ct.noise(), ct.seed(), ct.factors()));
            assert_eq!((set.decrypt(&back), set.decrypt(&ct)), (want.clone(), want.clone()));
        }
    }
}

#[test]
fn fields_out_of_range() {
    let set = Set::new(&tiny(), 44);
    let (ctx, body) = (&set.ctx, HEADER_LEN);
    let ct = set.full().to_bytes(ctx).unwrap();
    let kind = Object::Ciphertext;
    refused(&set, kind, &ct, body, &[5], "2^5 slots");
    refused(&set, kind, &ct, body + 1, &[33, 0, 0, 0], "33 values do not fit 32 slots");
    refused(&set, kind, &ct, body + 6, &[3, 0], "level 3 is above the highest level 2");
    refused(&set, kind, &ct, body + 8, &[0; 4], "a correction factor of 0");
    refused(&set, kind, &ct, body + 8, &65537u32.to_le_bytes(), "a correction factor of 65537");
    refused(&set, kind, &ct, body + 12, &[2, 0, 0, 0], "a correction factor of 2, outside 1 to 1");
    refused(&set, kind, &ct, body + 24, &[1], "a plaintext where a ciphertext belongs");
    refused(&set, kind, &ct, body + 25, &f64::NAN.to_le_bytes(), "no bounds on noise");
    // a length above the largest slot
    refused(&set, kind, &ct, body + 33, &1e300f64.to_le_bytes(), "no bounds on noise");
    refused(&set, kind, &ct, body + 81, &[4], "4 polynomials");
    refused(&set, kind, &ct, ct.len() - 9, &[255; 5], "");
    let plain = set.plaintext.to_bytes(ctx).unwrap();
    refused(&set, Object::Plaintext, &plain, body + 8, &[2, 0, 0, 0], "a correction factor of 2");
    refused(&set, Object::Plaintext, &plain, body + 24, &[0], "or the reverse");
    refused(&set, Object::Plaintext, &plain, body + 57, &[255; 3], "");
}

#[test]
fn insecure_parameters_are_the_readers_decision() {
    let strict = Limits::default();
    let bytes = Parameters::new(&tiny()).unwrap().to_bytes().unwrap();
    assert!(matches!(Parameters::from_bytes(&bytes, strict), Err(Error::Insecure { .. })));
    assert!(Parameters::from_bytes(&bytes, strict.allow_insecure()).is_ok());
    for name in ["bgv-n12", "bfv-n13"] {
        let secure = ringjet::bgv::preset(name).unwrap();
        assert_eq!(Parameters::from_bytes(&secure.to_bytes().unwrap(), strict).unwrap(), secure);
    }
}
