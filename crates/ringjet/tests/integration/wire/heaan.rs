//! HEAAN's objects: round trips, damage, refusals.

use std::sync::Arc;

use ringjet::heaan::{
    Ciphertext, Context, EvaluationKeys, Evaluator, ParamSpec, Parameters, Plaintext, PublicKey, Secret, SecretKey,
    SwitchingKey,
};
use ringjet::rng::Seed;
use ringjet::wire::{HEADER_LEN, Limits, Object, peek};
use ringjet::{Error, KeyPlan, Result};
use ringjet_backend::{Backend, Reference};
use ringjet_math::fft::Complex64;

use super::damage::sequence;
use super::objects::{COUNT, LIMITS, ROTATIONS, mend};

/// A ring of degree 32, with coefficients of one word of 52 bits and one of 16 bits.
pub fn tiny() -> ParamSpec {
    ParamSpec::new(5, 120).allow_insecure()
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
        let values: Vec<Complex64> = (0..16)
            .map(|i| Complex64 { re: f64::from(i * 37 % 101 - 50) / 64.0, im: f64::from(i * 17 % 89 - 44) / 64.0 })
            .collect();
        let plaintext = Plaintext::encode(&ctx, &values, 30, 4).and_then(|p| p.with_count(COUNT)).unwrap();
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

    /// A rescaled product, of fewer bits.
    pub fn product(&self) -> Ciphertext {
        self.eval.rescale(&self.eval.mul(&self.fresh(), &self.full()).unwrap(), 30).unwrap()
    }

    pub fn decrypt(&self, ct: &Ciphertext) -> Vec<Complex64> {
        self.secret.decrypt_values(&self.ctx, ct).unwrap().0
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
        Object::EvaluationKeys => reload_keys(ctx, bytes, limits),
        Object::SwitchingKey => SwitchingKey::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
        Object::Plaintext => Plaintext::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
        Object::Ciphertext => Ciphertext::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
        _ => unreachable!(),
    }
}

/// Reads keys from memory and from a stream, which must agree. A stream leaves the bytes after an
/// object unread.
fn reload_keys(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Vec<u8>> {
    let keys = EvaluationKeys::from_bytes(ctx, bytes, limits);
    let mut rest = bytes;
    let streamed = EvaluationKeys::read_from(ctx, &mut rest, limits, |_, _| true);
    match (&keys, &streamed) {
        (Ok(keys), Ok(streamed)) => assert!(rest.is_empty() && keys.to_bytes(ctx)? == streamed.to_bytes(ctx)?),
        (Ok(_), Err(e)) => panic!("refused from a stream only: {e}"),
        (Err(e), Ok(_)) => assert!(!rest.is_empty(), "refused from memory only: {e}"),
        (Err(_), Err(_)) => {}
    }
    keys?.to_bytes(ctx)
}

#[test]
fn everything_comes_back() {
    for spec in [tiny(), ParamSpec { secret: Secret::Weight(8), ..ParamSpec::new(5, 105).allow_insecure() }] {
        let set = Set::new(&spec, 31);
        for (name, good) in set.bytes() {
            let header = peek(&good).unwrap();
            assert_eq!(header.bytes, good.len() as u64, "{name}");
            assert_eq!(reload_as(header.kind.object, &set.ctx, &good, LIMITS).unwrap(), good, "{name}");
        }
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
fn flipped_bits_are_refused_or_mean_what_they_say() {
    let set = Set::new(&tiny(), 32);
    for (name, good) in set.bytes() {
        let kind = peek(&good).unwrap().kind.object;
        let mut next = sequence(good.len() as u64);
        let mut accepted = 0;
        for _ in 0..2_000 {
            let (at, bit) = (next(good.len() - 4), next(8));
            let mut bytes = good.clone();
            bytes[at] ^= 1 << bit;
            assert!(reload_as(kind, &set.ctx, &bytes, LIMITS).is_err(), "{name}: bit {bit} of byte {at}");
            mend(&mut bytes);
            if let Ok(again) = reload_as(kind, &set.ctx, &bytes, LIMITS) {
                assert_eq!(again, bytes, "{name}: bit {bit} of byte {at}");
                accepted += 1;
            }
        }
        assert!(name == "parameters" || accepted < 2_000, "{name}: {accepted}");
    }
}

#[test]
fn truncated_at_every_length_and_oversized() {
    let set = Set::new(&tiny(), 33);
    let generous = Limits { max_bytes: Some(u64::MAX), ..LIMITS };
    for (name, good) in set.bytes() {
        let kind = peek(&good).unwrap().kind.object;
        for len in 0..good.len() {
            assert!(reload_as(kind, &set.ctx, &good[..len], LIMITS).is_err(), "{name}: {len}");
            if len >= HEADER_LEN + 4 {
                let mut bytes = good[..len].to_vec();
                mend(&mut bytes);
                assert!(reload_as(kind, &set.ctx, &bytes, LIMITS).is_err(), "{name}: {len}, mended");
            }
        }
        for length in [0, 35, good.len() as u64 + 1, 1 << 50, u64::MAX] {
            let mut bytes = good.clone();
            bytes[24..32].copy_from_slice(&length.to_le_bytes());
            assert!(reload_as(kind, &set.ctx, &bytes, generous).is_err(), "{name}: {length}");
        }
        let small = Limits { max_bytes: Some(good.len() as u64 - 1), ..LIMITS };
        let refused = reload_as(kind, &set.ctx, &good, small).unwrap_err();
        assert!(matches!(refused, Error::TooManyBytes { .. }), "{name}: {refused}");
    }
}

#[test]
fn other_kinds_and_parameters() {
    let (set, other) = (Set::new(&tiny(), 34), Set::new(&ParamSpec { log_p: 29, ..tiny() }, 34));
    let kinds: Vec<Object> = set.bytes().iter().map(|(_, bytes)| peek(bytes).unwrap().kind.object).collect();
    for (name, bytes) in other.bytes() {
        let own = peek(&bytes).unwrap().kind.object;
        for &kind in &kinds {
            let refused = reload_as(kind, &set.ctx, &bytes, LIMITS);
            match (kind == own, own) {
                (true, Object::Parameters) => assert!(refused.is_ok()),
                (true, _) => assert!(matches!(refused, Err(Error::ParameterMismatch { .. })), "{name}: {refused:?}"),
                _ => {
                    assert!(
                        matches!(refused, Err(Error::Malformed { offset: 7, .. })),
                        "{name} as {kind:?}: {refused:?}"
                    )
                }
            }
        }
    }
    // objects of CKKS are not read as HEAAN's
    let ckks = super::objects::Set::new(&super::objects::tiny(), 34);
    for (_, bytes) in set.bytes() {
        let refused = ringjet::Ciphertext::from_bytes(&ckks.ctx, &bytes, LIMITS).map(|_| ());
        assert!(matches!(refused, Err(Error::Malformed { offset: 6, .. })), "{refused:?}");
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
    let set = Set::new(&tiny(), 35);
    let (ctx, body) = (&set.ctx, HEADER_LEN);
    let ct = set.full().to_bytes(ctx).unwrap();
    let kind = Object::Ciphertext;
    refused(kind, ctx, &ct, body, &[5], "2^5 slots");
    refused(kind, ctx, &ct, body + 6, &[121, 0], "121 bits are outside 1 to 120");
    refused(kind, ctx, &ct, body + 6, &[0, 0], "0 bits are outside");
    refused(kind, ctx, &ct, body + 6, &[112, 0], "bytes follow where");
    refused(kind, ctx, &ct, body + 8, &[145, 1], "above 2^400");
    refused(kind, ctx, &ct, body + 8, &[119, 0], "no room for a scale of 2^119");
    refused(kind, ctx, &ct, body + 76, &[3], "3 polynomials where 2..=2");
    refused(kind, ctx, &ct, body + 10, &f64::NAN.to_le_bytes(), "no noise estimate");
    refused(kind, ctx, &ct, body + 18, &(-1.0f64).to_le_bytes(), "no noise estimate");
    let plain = set.plaintext.to_bytes(ctx).unwrap();
    refused(Object::Plaintext, ctx, &plain, body + 6, &[1, 1], "257 bits are outside");
    let keys = set.eval.keys().to_bytes(ctx).unwrap();
    let each = 4 + 32 + 32 * 240 / 8;
    refused(Object::EvaluationKeys, ctx, &keys, body, &[3, 0, 0, 0], "");
    refused(Object::EvaluationKeys, ctx, &keys, body, &[255; 4], "truncated");
    refused(Object::EvaluationKeys, ctx, &keys, keys.len() - 5, &[1], "an ephemeral secret, which this scheme");
    refused(Object::EvaluationKeys, ctx, &keys, keys.len() - 5, &[2], "an ephemeral secret, which this scheme");
    refused(Object::EvaluationKeys, ctx, &keys, body + 4 + each, &[2, 0, 0, 0], "no Galois element");
    refused(Object::EvaluationKeys, ctx, &keys, body + 4 + each, &[0, 0, 0, 0], "out of order");
    refused(Object::SecretKey, ctx, &set.secret.to_secret_bytes(), body, &[0b10], "none of -1, 0, 1");
    let sparse = Set::new(&ParamSpec { secret: Secret::Weight(8), ..tiny() }, 36);
    let secret = sparse.secret.to_secret_bytes();
    refused(Object::SecretKey, &sparse.ctx, &secret, body, &[0x55; 4], "not 8 non-zero");
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
