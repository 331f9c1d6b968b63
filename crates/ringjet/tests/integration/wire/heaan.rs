//! Objects of HEAAN: sizes, fields out of range, parameters.

use std::sync::Arc;

use ringjet::heaan::{
    Ciphertext, Context, EvaluationKeys, Evaluator, ParamSpec, Parameters, Plaintext, PublicKey, Secret, SecretKey,
    SwitchingKey,
};
use ringjet::rng::Seed;
use ringjet::wire::{HEADER_LEN, Limits, Object};
use ringjet::{Error, KeyPlan, Result};
use ringjet_math::fft::Complex64;
use serde_json::{Value, json};

use super::objects::{COUNT, LIMITS, ROTATIONS, bits, close, complex_values, mend, objects, refused, slots};

objects!();

/// A ring of degree 32, with coefficients of one word of 52 bits and one of 16 bits.
pub fn tiny() -> ParamSpec {
    ParamSpec::new(5, 120).allow_insecure()
}

/// The same with another modulus and a sparse secret.
pub fn sparse() -> ParamSpec {
    ParamSpec { secret: Secret::Weight(8), ..ParamSpec::new(5, 105).allow_insecure() }
}

fn key_plan(_: &Parameters) -> KeyPlan {
    KeyPlan::rotations(ROTATIONS).conjugation()
}

fn evaluator(ctx: &Context, keys: Arc<EvaluationKeys>) -> Evaluator {
    Evaluator::new(ctx, keys).unwrap()
}

fn plaintext(ctx: &Context) -> Plaintext {
    Plaintext::encode(ctx, &complex_values(), 30, 4).and_then(|p| p.with_count(COUNT)).unwrap()
}

fn results(set: &Set) -> Vec<(&'static str, Ciphertext)> {
    vec![("ciphertext_low", set.product())]
}

impl Set {
    /// A rescaled product, of fewer bits.
    pub fn product(&self) -> Ciphertext {
        self.eval.rescale(&self.eval.mul(&self.fresh(), &self.full()).unwrap(), 30).unwrap()
    }

    pub fn decrypt(&self, ct: &Ciphertext) -> Vec<Complex64> {
        self.secret.decrypt_values(&self.ctx, ct).unwrap().0
    }
}

fn about_plaintext(set: &Set, p: &Plaintext) -> Value {
    let values = slots(&p.decode(&set.ctx).unwrap().0);
    json!({
        "count": p.count(),
        "bits": p.bits(),
        "log_scale": p.log_scale(),
        "log_slots": p.log_slots(),
        "values": values
    })
}

fn about_ciphertext(set: &Set, c: &Ciphertext) -> Value {
    json!({
        "count": c.count(),
        "bits": c.log_q(),
        "log_scale": c.log_scale(),
        "log_slots": c.log_slots(),
        "noise": [bits(c.noise().variance()), bits(c.noise().bound()), bits(c.noise().magnitude())],
        "seed": c.seed().map(|s| s.to_string()),
        "values": slots(&set.decrypt(c)),
    })
}

fn compute(set: &Set) {
    let (eval, fresh, x) = (&set.eval, set.fresh(), set.plaintext.decode(&set.ctx).unwrap().0);
    let expect = |ct: Result<Ciphertext>, want: Vec<Complex64>| close(&set.decrypt(&ct.unwrap()), &want, 1e-4);
    for by in ROTATIONS {
        expect(eval.rotate(&fresh, by), (0..16).map(|j| x[(j + by).rem_euclid(16) as usize]).collect());
    }
    expect(eval.conjugate(&fresh), x.iter().map(|z| z.conj()).collect());
    expect(eval.square(&fresh), x.iter().map(|&z| z * z).collect());
    expect(set.public.encrypt(&set.ctx, &set.plaintext, &Seed::from_bytes([1; 32])), x);
}

#[test]
fn sizes_and_fields_come_back() {
    for spec in [tiny(), sparse()] {
        let set = Set::new(&spec, 31);
        let keys = set.eval.keys();
        assert_eq!(keys.bytes_at_rest(), keys.to_bytes(&set.ctx).unwrap().len() as u64);
        let request = KeyPlan::rotations(ROTATIONS).conjugation();
        let sizes = set.ctx.params().key_sizes(set.ctx.backend(), &request);
        assert_eq!((sizes.count, sizes.bytes_at_rest), (keys.len(), keys.bytes_at_rest()));
        assert_eq!(sizes.memory_bytes, keys.memory_bytes() as u64);
        let (ctx, fresh) = (&set.ctx, set.fresh());
        let loaded = Ciphertext::from_bytes(ctx, &fresh.to_bytes(ctx).unwrap(), LIMITS).unwrap();
        assert_eq!((loaded.log_q(), loaded.log_scale(), loaded.slots()), (spec.log_q, 30, 16));
        assert_eq!((loaded.seed(), loaded.noise()), (fresh.seed(), fresh.noise()));
        assert_eq!(set.decrypt(&loaded), set.decrypt(&fresh));
        // the sizes that the documentation states
        let poly = 32 * spec.log_q as usize / 8;
        assert_eq!(fresh.to_bytes(ctx).unwrap().len(), 52 + 10 + 68 + 32 + poly);
        assert_eq!(set.full().to_bytes(ctx).unwrap().len(), 52 + 10 + 68 + 2 * poly);
        assert_eq!(keys.to_bytes(ctx).unwrap().len(), 52 + 4 + 4 * (4 + 32 + 2 * poly) + 1);
    }
}

#[test]
fn fields_out_of_range() {
    let set = Set::new(&tiny(), 35);
    let (ctx, body) = (&set.ctx, HEADER_LEN);
    let ct = set.full().to_bytes(ctx).unwrap();
    let kind = Object::Ciphertext;
    refused(&set, kind, &ct, body, &[5], "2^5 slots");
    refused(&set, kind, &ct, body + 6, &[121, 0], "121 bits are outside 1 to 120");
    refused(&set, kind, &ct, body + 6, &[0, 0], "0 bits are outside");
    refused(&set, kind, &ct, body + 6, &[112, 0], "bytes follow where");
    refused(&set, kind, &ct, body + 8, &[145, 1], "above 2^400");
    refused(&set, kind, &ct, body + 8, &[119, 0], "no room for a scale of 2^119");
    refused(&set, kind, &ct, body + 76, &[3], "3 polynomials where 2..=2");
    refused(&set, kind, &ct, body + 10, &f64::NAN.to_le_bytes(), "no noise estimate");
    refused(&set, kind, &ct, body + 18, &(-1.0f64).to_le_bytes(), "no noise estimate");
    let plain = set.plaintext.to_bytes(ctx).unwrap();
    refused(&set, Object::Plaintext, &plain, body + 6, &[1, 1], "257 bits are outside");
    let keys = set.eval.keys().to_bytes(ctx).unwrap();
    let each = 4 + 32 + 32 * 240 / 8;
    refused(&set, Object::EvaluationKeys, &keys, body, &[3, 0, 0, 0], "");
    refused(&set, Object::EvaluationKeys, &keys, body, &[255; 4], "truncated");
    refused(&set, Object::EvaluationKeys, &keys, keys.len() - 5, &[1], "an ephemeral secret, which this scheme");
    refused(&set, Object::EvaluationKeys, &keys, keys.len() - 5, &[2], "an ephemeral secret, which this scheme");
    refused(&set, Object::EvaluationKeys, &keys, body + 4 + each, &[2, 0, 0, 0], "no Galois element");
    refused(&set, Object::EvaluationKeys, &keys, body + 4 + each, &[0, 0, 0, 0], "out of order");
    refused(&set, Object::SecretKey, &set.secret.to_secret_bytes(), body, &[0b10], "none of -1, 0, 1");
    let sparse = Set::new(&ParamSpec { secret: Secret::Weight(8), ..tiny() }, 36);
    let secret = sparse.secret.to_secret_bytes();
    refused(&sparse, Object::SecretKey, &secret, body, &[0x55; 4], "not 8 non-zero");
    // a scale that the reader would refuse is not written
    let ct = set.full().with_log_scale(119).unwrap().to_bytes(ctx);
    assert!(matches!(ct, Err(Error::ModulusExhausted { needed: 121, left: 120, .. })));
}

/// Any shape and estimate is either refused or computed with, and the result can be written again.
#[test]
fn whatever_is_accepted_can_be_used() {
    let set = Set::new(&tiny(), 37);
    let (ctx, e, fresh) = (&set.ctx, &set.eval, set.fresh());
    let again = |ct: Result<Ciphertext>| ct.map(|ct| (ct.to_bytes(ctx).unwrap(), format!("{ct:?}")));
    for (log_q, log_scale) in [(2, 0), (30, 28), (64, 1), (119, 60), (120, 118), (120, 0)] {
        for (log_slots, variance) in [(0, 0.0), (4, f64::MAX), (2, 1e-300)] {
            let low = e.rescale(&set.full(), 30).unwrap();
            let low = e.mod_down_to(&low, log_q.min(90)).unwrap_or(low);
            let mut bytes = low.with_log_slots(log_slots).unwrap().to_bytes(ctx).unwrap();
            if low.log_q() >= log_scale + 2 {
                bytes[HEADER_LEN + 8..][..2].copy_from_slice(&(log_scale as u16).to_le_bytes());
            }
            bytes[HEADER_LEN + 10..][..8].copy_from_slice(&f64::to_le_bytes(variance));
            bytes[HEADER_LEN + 18..][..8].copy_from_slice(&f64::to_le_bytes(variance));
            mend(&mut bytes);
            let c = Ciphertext::from_bytes(ctx, &bytes, LIMITS).unwrap();
            assert_eq!(c.to_bytes(ctx).unwrap(), bytes);
            let _ = set.secret.decrypt_values(ctx, &c);
            let sharing = ringjet::rlwe::Sharing::default();
            let _ = set.secret.decrypt_for_sharing(ctx, &c, &c, 4, &sharing, &Seed::from_bytes([1; 32]));
            let results = [
                e.add_auto(&c, &fresh),
                e.mul_auto(&c, &fresh),
                e.square(&c),
                e.rescale(&c, 7),
                e.mod_down_to(&c, 40),
                e.scale_up(&c, 20),
                e.rotate(&c, 1),
                e.mul_scalar_auto(&c, 0.3),
                e.mul_integer(&c, -7),
                e.add_scalar(&c, 0.5),
                e.times_i(&c),
                e.conjugate(&c),
            ];
            // an error that fills the modulus leaves no room for values
            let least = if variance > 1.0 { 0 } else { 4 };
            assert!(results.into_iter().map(again).filter(|r| r.is_ok()).count() >= least);
        }
    }
}

#[test]
fn insecure_parameters_are_the_readers_decision() {
    let strict = Limits::default();
    let bytes = Parameters::new(&tiny()).unwrap().to_bytes().unwrap();
    assert!(matches!(Parameters::from_bytes(&bytes, strict), Err(Error::Insecure { log_q: Some(120), .. })));
    assert!(Parameters::from_bytes(&bytes, strict.allow_insecure()).is_ok());
    let spec = ParamSpec { secret: Secret::Weight(64), ..ParamSpec::new(15, 300).allow_insecure() };
    let bytes = Parameters::new(&spec).unwrap().to_bytes().unwrap();
    assert!(matches!(Parameters::from_bytes(&bytes, strict), Err(Error::SparseSecret { weight: 64 })));
    let secure = ringjet::heaan::preset("heaan-n14-q210").unwrap();
    assert_eq!(Parameters::from_bytes(&secure.to_bytes().unwrap(), strict).unwrap(), secure);
    // a kind of secret other than 0 or 1, more slots than the ring has, one byte too many
    let good = Parameters::new(&tiny()).unwrap().to_bytes().unwrap();
    refused_parameters(&good, HEADER_LEN + 16, &[2], "where 0 or 1 belongs");
    let mut bytes = good.clone();
    bytes[HEADER_LEN + 12..][..4].copy_from_slice(&5u32.to_le_bytes());
    mend(&mut bytes);
    assert!(matches!(Parameters::from_bytes(&bytes, LIMITS), Err(Error::Parameters(_))));
    bytes[HEADER_LEN + 12..][..4].copy_from_slice(&3u32.to_le_bytes());
    mend(&mut bytes);
    assert!(matches!(Parameters::from_bytes(&bytes, LIMITS), Err(Error::ParameterMismatch { .. })));
    let mut bytes = good.clone();
    bytes.push(0);
    mend(&mut bytes);
    assert!(matches!(Parameters::from_bytes(&bytes, LIMITS), Err(Error::Malformed { .. })));
}

#[track_caller]
fn refused_parameters(good: &[u8], at: usize, new: &[u8], why: &str) {
    let mut bytes = good.to_vec();
    bytes[at..at + new.len()].copy_from_slice(new);
    mend(&mut bytes);
    match Parameters::from_bytes(&bytes, LIMITS) {
        Err(Error::Malformed { reason, offset, .. }) => assert!(reason.contains(why) && offset == at, "{reason}"),
        other => panic!("{other:?} where {why:?} was expected"),
    }
}

/// The default number of slots has the same bytes, whether it is given or left out.
#[test]
fn parameters_have_one_encoding() {
    let spec = ParamSpec { secret: Secret::Weight(8), log_slots: Some(2), log_p: 25, ..tiny() };
    let spelt_out = ParamSpec { log_slots: Some(4), ..tiny() };
    for (spec, read) in [(tiny(), tiny()), (spelt_out, tiny()), (spec.clone(), spec)] {
        let params = Parameters::new(&spec).unwrap();
        let again = Parameters::from_bytes(&params.to_bytes().unwrap(), LIMITS).unwrap();
        assert_eq!((again.spec(), again.fingerprint()), (&read, params.fingerprint()));
    }
}
