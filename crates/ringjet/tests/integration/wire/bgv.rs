//! Objects of BGV and BFV: round trips, damage, refusals.

use std::sync::Arc;

use ringjet::bgv::{
    Ciphertext, Context, EvaluationKeys, Evaluator, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey,
    SwitchingKey,
};
use ringjet::rng::Seed;
use ringjet::wire::{HEADER_LEN, Limits, Object, peek};
use ringjet::{Error, KeyId, KeyPlan, Result};
use ringjet_backend::{Backend, Reference};

use super::damage::sequence;
use super::objects::{COUNT, LIMITS, ROTATIONS, mend};

/// A ring of degree 32 with three levels and two digits.
pub fn tiny() -> ParamSpec {
    ParamSpec { alpha: Some(2), ..ParamSpec::uniform(5, 65537, &[45, 36, 36], &[60, 42]).allow_insecure() }
}

/// The same with three primes of the plaintext modulus.
pub fn several() -> ParamSpec {
    ParamSpec { t: vec![65537, 12289, 40961], ..tiny() }
}

pub struct Set {
    pub ctx: Context,
    pub secret: SecretKey,
    pub public: PublicKey,
    pub eval: Evaluator,
    pub plaintext: Plaintext,
    seed: Seed,
}

impl Set {
    pub fn new(spec: &ParamSpec, seed: u8) -> Self {
        Self::on(spec, seed, Arc::new(Reference::default()))
    }

    pub fn on(spec: &ParamSpec, seed: u8, backend: Arc<dyn Backend>) -> Self {
        let params = Parameters::new(spec).unwrap();
        let ctx = Context::new(&params, backend);
        let seed = Seed::from_bytes([seed; 32]);
        let secret = SecretKey::from_seed(&params, &seed.derive(b"secret", 0)).unwrap();
        let public = PublicKey::generate(&ctx, &secret, &seed.derive(b"public", 0)).unwrap();
        let request = KeyPlan::rotations(ROTATIONS).conjugation();
        let keys = secret.evaluation_keys(&ctx, &request, &seed.derive(b"keys", 0), |_, _| true).unwrap();
        let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
        let values: Vec<i64> = (0..params.slots() as i64).map(|i| i * i * 2357 % 65537 - 32768).collect();
        let plaintext = Plaintext::encode(&ctx, &values, params.top_level()).and_then(|p| p.with_count(COUNT)).unwrap();
        Self { ctx, secret, public, eval, plaintext, seed }
    }

    /// Encrypted with the secret key: the second polynomial is a seed.
    pub fn fresh(&self) -> Ciphertext {
        self.secret.encrypt(&self.ctx, &self.plaintext, &self.seed.derive(b"fresh", 0)).unwrap()
    }

    /// Encrypted with the public key: two polynomials.
    pub fn full(&self) -> Ciphertext {
        self.public.encrypt(&self.ctx, &self.plaintext, &self.seed.derive(b"full", 0)).unwrap()
    }

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

    /// Every object as bytes.
    pub fn bytes(&self) -> Vec<(&'static str, Vec<u8>)> {
        let (ctx, keys) = (&self.ctx, self.eval.keys());
        vec![
            ("parameters", ctx.params().to_bytes().unwrap()),
            ("secret_key", self.secret.to_secret_bytes().to_vec()),
            ("public_key", self.public.to_bytes(ctx).unwrap()),
            ("evaluation_keys", keys.to_bytes(ctx).unwrap()),
            ("switching_key", keys.relinearization().unwrap().to_bytes(ctx).unwrap()),
            ("plaintext", self.plaintext.to_bytes(ctx).unwrap()),
            ("ciphertext_seeded", self.fresh().to_bytes(ctx).unwrap()),
            ("ciphertext", self.full().to_bytes(ctx).unwrap()),
            ("ciphertext_3", self.square().to_bytes(ctx).unwrap()),
            ("ciphertext_low", self.product().to_bytes(ctx).unwrap()),
        ]
    }
}

/// Loads `bytes` as the kind that a good object has and writes it again.
pub fn reload_as(kind: Object, ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Vec<u8>> {
    match kind {
        Object::Parameters => Parameters::from_bytes(bytes, limits)?.to_bytes(),
        Object::SecretKey => Ok(SecretKey::from_secret_bytes(ctx.params(), bytes, limits)?.to_secret_bytes().to_vec()),
        Object::PublicKey => PublicKey::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
        Object::EvaluationKeys => EvaluationKeys::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
        Object::SwitchingKey => SwitchingKey::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
        Object::Plaintext => Plaintext::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
        Object::Ciphertext => Ciphertext::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
        _ => unreachable!(),
    }
}

#[test]
fn every_object_comes_back_to_the_same_bytes() {
    let levels = Some(vec![vec![0], vec![0, 2], vec![0, 1, 2]]);
    for spec in [tiny(), tiny().bfv(), several(), ParamSpec { levels, ..tiny() }] {
        let set = Set::new(&spec, 41);
        for (name, bytes) in set.bytes() {
            let header = peek(&bytes).unwrap();
            assert_eq!(reload_as(header.kind.object, &set.ctx, &bytes, LIMITS).unwrap(), bytes, "{name}");
            assert_eq!((header.bytes, header.version), (bytes.len() as u64, 2), "{name}");
            let owned = !matches!(header.kind.object, Object::Parameters | Object::Plaintext);
            assert_eq!(header.key, if owned { set.secret.key_id() } else { KeyId::ANY }, "{name}");
        }
        let params = Parameters::from_bytes(&set.bytes()[0].1, LIMITS).unwrap();
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
fn damaged_bytes_are_refused() {
    for spec in [tiny(), tiny().bfv(), several()] {
        let set = Set::new(&spec, 42);
        for (name, good) in set.bytes() {
            let kind = peek(&good).unwrap().kind.object;
            let mut next = sequence(good.len() as u64);
            let (mut accepted, mut unchanged) = (0, 0);
            for _ in 0..2000 {
                let (at, bit) = (next(good.len() - 4), next(8));
                let mut bytes = good.clone();
                bytes[at] ^= 1 << bit;
                assert!(reload_as(kind, &set.ctx, &bytes, LIMITS).is_err(), "{name}: bit {bit} of byte {at}");
                // with a mended checksum: refused, or read exactly as the bytes say
                mend(&mut bytes);
                unchanged += usize::from(bytes == good);
                if let Ok(again) = reload_as(kind, &set.ctx, &bytes, LIMITS) {
                    assert_eq!(again, bytes, "{name}: bit {bit} of byte {at}");
                    accepted += 1;
                }
            }
            assert!(name == "parameters" || (unchanged < accepted && accepted < 2000), "{name}: {accepted}");
            for len in (0..good.len()).step_by(if good.len() > 2000 { 37 } else { 1 }) {
                let mut bytes = good[..len].to_vec();
                assert!(reload_as(kind, &set.ctx, &bytes, LIMITS).is_err(), "{name}: {len}");
                if len >= HEADER_LEN + 4 {
                    mend(&mut bytes);
                    assert!(reload_as(kind, &set.ctx, &bytes, LIMITS).is_err(), "{name}: {len}, mended");
                }
            }
        }
    }
}

#[test]
fn objects_of_other_schemes_and_products_are_refused() {
    let (set, bfv) = (Set::new(&tiny(), 43), Set::new(&tiny().bfv(), 43));
    assert_ne!(set.ctx.params().fingerprint(), bfv.ctx.params().fingerprint());
    let ckks = super::objects::Set::new(&super::objects::tiny(), 43);
    for (name, bytes) in bfv.bytes().into_iter().skip(1) {
        let refused = reload_as(peek(&bytes).unwrap().kind.object, &set.ctx, &bytes, LIMITS);
        assert!(matches!(refused, Err(Error::ParameterMismatch { .. })), "{name}: {refused:?}");
    }
    for (name, bytes) in ckks.bytes() {
        let refused = reload_as(peek(&bytes).unwrap().kind.object, &set.ctx, &bytes, LIMITS);
        assert!(matches!(refused, Err(Error::Malformed { offset: 6, .. })), "{name}: {refused:?}");
    }
}

#[track_caller]
fn refused(kind: Object, ctx: &Context, good: &[u8], at: usize, new: &[u8], why: &str) {
    let mut bytes = good.to_vec();
    bytes[at..at + new.len()].copy_from_slice(new);
    mend(&mut bytes);
    match reload_as(kind, ctx, &bytes, LIMITS) {
        Err(Error::Malformed { reason, .. }) => assert!(reason.contains(why), "{reason}"),
        other => panic!("{other:?} where {why:?} was expected"),
    }
}

#[test]
fn fields_out_of_range() {
    let set = Set::new(&tiny(), 44);
    let (ctx, body) = (&set.ctx, HEADER_LEN);
    let ct = set.full().to_bytes(ctx).unwrap();
    let kind = Object::Ciphertext;
    refused(kind, ctx, &ct, body, &[5], "2^5 slots");
    refused(kind, ctx, &ct, body + 1, &[33, 0, 0, 0], "33 values do not fit 32 slots");
    refused(kind, ctx, &ct, body + 6, &[3, 0], "level 3 is above the highest level 2");
    refused(kind, ctx, &ct, body + 8, &[0; 4], "a correction factor of 0");
    refused(kind, ctx, &ct, body + 8, &65537u32.to_le_bytes(), "a correction factor of 65537");
    refused(kind, ctx, &ct, body + 12, &[2, 0, 0, 0], "a correction factor of 2, outside 1 to 1");
    refused(kind, ctx, &ct, body + 24, &[1], "a plaintext where a ciphertext belongs");
    refused(kind, ctx, &ct, body + 25, &f64::NAN.to_le_bytes(), "no bounds on noise");
    // a length above the largest slot
    refused(kind, ctx, &ct, body + 33, &1e300f64.to_le_bytes(), "no bounds on noise");
    refused(kind, ctx, &ct, body + 81, &[4], "4 polynomials");
    refused(kind, ctx, &ct, ct.len() - 9, &[255; 5], "");
    let plain = set.plaintext.to_bytes(ctx).unwrap();
    refused(Object::Plaintext, ctx, &plain, body + 8, &[2, 0, 0, 0], "a correction factor of 2");
    refused(Object::Plaintext, ctx, &plain, body + 24, &[0], "or the reverse");
    refused(Object::Plaintext, ctx, &plain, body + 57, &[255; 3], "");
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
