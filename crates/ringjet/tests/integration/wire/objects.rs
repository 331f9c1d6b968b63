//! One object of every kind of every scheme, in small rings, and what the tests do with them without
//! knowing the scheme.

use ringjet::wire::{Limits, Object, peek};
use ringjet::{Error, KeyId, Result};
use ringjet_math::fft::Complex64;
use serde_json::{Value, json};

pub const LIMITS: Limits = Limits { max_bytes: Some(1 << 20), allow_insecure: true };

/// The rotations of the keys of a set.
pub const ROTATIONS: [i64; 2] = [1, -3];

/// How many values plaintexts state that they hold.
pub const COUNT: usize = 3;

/// Objects of one scheme that belong to one secret.
pub trait Objects {
    /// The parameters' fingerprint.
    fn fingerprint(&self) -> String;
    /// The secret's identity.
    fn key_id(&self) -> KeyId;
    /// Every object as bytes, parameters first.
    fn bytes(&self) -> Vec<(&'static str, Vec<u8>)>;
    /// Loads bytes as an object of a kind and writes it again.
    fn reload_as(&self, kind: Object, bytes: &[u8], limits: Limits) -> Result<Vec<u8>>;
    /// The values stated beside an object in `vectors/`.
    fn describe(&self, name: &str, bytes: &[u8]) -> Value;
    /// Computes with the keys; the results must be right.
    fn compute(&self);

    /// [`Objects::reload_as`] with the kind that the header names.
    fn reload(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        self.reload_as(peek(bytes)?.kind.object, bytes, LIMITS)
    }
}

/// Makes `Set`, which implements [`Objects`], for the types of a scheme that the calling module has
/// imported, with the module's functions `key_plan`, `evaluator`, `plaintext`, `results`,
/// `about_plaintext`, `about_ciphertext` and `compute`.
macro_rules! objects {
    () => {
        pub struct Set {
            pub ctx: Context,
            pub secret: SecretKey,
            pub public: PublicKey,
            pub keys: std::sync::Arc<EvaluationKeys>,
            pub eval: Evaluator,
            pub plaintext: Plaintext,
            fresh: Ciphertext,
            full: Ciphertext,
        }

        impl Set {
            pub fn new(spec: &ParamSpec, seed: u8) -> Self {
                Self::on(spec, seed, std::sync::Arc::new(ringjet_backend::Reference::default()))
            }

            pub fn on(spec: &ParamSpec, seed: u8, backend: std::sync::Arc<dyn ringjet_backend::Backend>) -> Self {
                let params = Parameters::new(spec).unwrap();
                let ctx = Context::new(&params, backend);
                let seed = ringjet::rng::Seed::from_bytes([seed; 32]);
                let secret = SecretKey::from_seed(&params, &seed.derive(b"secret", 0)).unwrap();
                let public = PublicKey::generate(&ctx, &secret, &seed.derive(b"public", 0)).unwrap();
                let plan = key_plan(&params);
                let keys = secret.evaluation_keys(&ctx, &plan, &seed.derive(b"keys", 0), |_, _| true).unwrap();
                let keys = std::sync::Arc::new(keys);
                let (eval, plaintext) = (evaluator(&ctx, keys.clone()), plaintext(&ctx));
                let fresh = secret.encrypt(&ctx, &plaintext, &seed.derive(b"fresh", 0)).unwrap();
                let full = public.encrypt(&ctx, &plaintext, &seed.derive(b"full", 0)).unwrap();
                Self { ctx, secret, public, keys, eval, plaintext, fresh, full }
            }

            /// The objects that `read` finds by their names.
            pub fn stored(
                read: &dyn Fn(&str) -> Option<Vec<u8>>,
                backend: std::sync::Arc<dyn ringjet_backend::Backend>,
            ) -> Box<dyn super::objects::Objects> {
                let params = Parameters::from_bytes(&read("parameters").unwrap(), LIMITS).unwrap();
                let ctx = Context::new(&params, backend);
                let secret = SecretKey::from_secret_bytes(&params, &read("secret_key").unwrap(), LIMITS).unwrap();
                let public = PublicKey::from_bytes(&ctx, &read("public_key").unwrap(), LIMITS).unwrap();
                let keys = EvaluationKeys::from_bytes(&ctx, &read("evaluation_keys").unwrap(), LIMITS).unwrap();
                let keys = std::sync::Arc::new(keys);
                let eval = evaluator(&ctx, keys.clone());
                let plaintext = match read("plaintext") {
                    Some(bytes) => Plaintext::from_bytes(&ctx, &bytes, LIMITS).unwrap(),
                    None => plaintext(&ctx),
                };
                let fresh = Ciphertext::from_bytes(&ctx, &read("ciphertext_seeded").unwrap(), LIMITS).unwrap();
                let full = Ciphertext::from_bytes(&ctx, &read("ciphertext").unwrap(), LIMITS).unwrap();
                Box::new(Self { ctx, secret, public, keys, eval, plaintext, fresh, full })
            }

            pub fn params(&self) -> &Parameters {
                self.ctx.params()
            }

            /// Encrypted with the secret key: the second polynomial is a seed.
            pub fn fresh(&self) -> Ciphertext {
                self.fresh.clone()
            }

            /// Encrypted with the public key: two polynomials.
            pub fn full(&self) -> Ciphertext {
                self.full.clone()
            }
        }

        impl super::objects::Objects for Set {
            fn fingerprint(&self) -> String {
                self.params().fingerprint_hex()
            }

            fn key_id(&self) -> ringjet::KeyId {
                self.secret.key_id()
            }

            fn bytes(&self) -> Vec<(&'static str, Vec<u8>)> {
                let ctx = &self.ctx;
                let all = [
                    ("parameters", self.params().to_bytes().unwrap()),
                    ("secret_key", self.secret.to_secret_bytes().to_vec()),
                    ("public_key", self.public.to_bytes(ctx).unwrap()),
                    ("evaluation_keys", self.keys.to_bytes(ctx).unwrap()),
                    ("switching_key", self.keys.relinearization().unwrap().to_bytes(ctx).unwrap()),
                    ("plaintext", self.plaintext.to_bytes(ctx).unwrap()),
                    ("ciphertext_seeded", self.fresh.to_bytes(ctx).unwrap()),
                    ("ciphertext", self.full.to_bytes(ctx).unwrap()),
                ];
                let results = results(self).into_iter().map(|(name, made)| (name, made.to_bytes(ctx).unwrap()));
                all.into_iter().chain(results).collect()
            }

            fn reload_as(&self, kind: Object, bytes: &[u8], limits: Limits) -> Result<Vec<u8>> {
                reload_as(kind, &self.ctx, bytes, limits)
            }

            fn describe(&self, name: &str, bytes: &[u8]) -> serde_json::Value {
                match name {
                    "parameters" => serde_json::to_value(self.params().spec()).unwrap(),
                    "plaintext" => about_plaintext(self, &Plaintext::from_bytes(&self.ctx, bytes, LIMITS).unwrap()),
                    name if name.starts_with("ciphertext") => {
                        about_ciphertext(self, &Ciphertext::from_bytes(&self.ctx, bytes, LIMITS).unwrap())
                    }
                    _ => serde_json::json!({}),
                }
            }

            fn compute(&self) {
                compute(self);
            }
        }

        /// Loads bytes as an object of a kind and writes it again.
        pub fn reload_as(kind: Object, ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Vec<u8>> {
            match kind {
                Object::Parameters => Parameters::from_bytes(bytes, limits)?.to_bytes(),
                Object::SecretKey => {
                    Ok(SecretKey::from_secret_bytes(ctx.params(), bytes, limits)?.to_secret_bytes().to_vec())
                }
                Object::PublicKey => PublicKey::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
                Object::EvaluationKeys => reload_keys(ctx, bytes, limits),
                Object::SwitchingKey => SwitchingKey::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
                Object::Plaintext => Plaintext::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
                Object::Ciphertext => Ciphertext::from_bytes(ctx, bytes, limits)?.to_bytes(ctx),
                _ => unreachable!(),
            }
        }

        /// Reads keys from memory and from a stream, which must agree. A stream leaves the bytes after
        /// an object unread.
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
    };
}
pub(crate) use objects;

pub fn bits(x: f64) -> String {
    format!("{:#018x}", x.to_bits())
}

pub fn slots(values: &[Complex64]) -> Value {
    values.iter().map(|z| json!([z.re, z.im])).collect()
}

/// The values of plaintexts of complex numbers.
pub fn complex_values() -> Vec<Complex64> {
    (0..16)
        .map(|i| Complex64 { re: f64::from(i * 37 % 101 - 50) / 64.0, im: f64::from(i * 17 % 89 - 44) / 64.0 })
        .collect()
}

#[track_caller]
pub fn close(got: &[Complex64], want: &[Complex64], bound: f64) {
    assert_eq!(got.len(), want.len());
    for (a, b) in got.iter().zip(want) {
        assert!((a.re - b.re).abs() < bound && (a.im - b.im).abs() < bound, "{a:?} for {b:?}");
    }
}

/// Corrects the length and the checksum after a change.
pub fn mend(bytes: &mut [u8]) {
    let (len, end) = (bytes.len() as u64, bytes.len() - 4);
    bytes[24..32].copy_from_slice(&len.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
}

/// `bytes` with `new` written at `at`, and the checksum corrected.
pub fn with(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out[at..at + new.len()].copy_from_slice(new);
    mend(&mut out);
    out
}

/// An object with some bytes replaced is malformed, for a reason that contains `why`.
#[track_caller]
pub fn refused(set: &dyn Objects, kind: Object, good: &[u8], at: usize, new: &[u8], why: &str) {
    match set.reload_as(kind, &with(good, at, new), LIMITS) {
        Err(Error::Malformed { reason, .. }) => assert!(reason.contains(why), "{reason}"),
        other => panic!("{other:?} where {why:?} was expected"),
    }
}

/// xorshift64*: positions that look random and are the same in every run.
pub fn sequence(seed: u64) -> impl FnMut(usize) -> usize {
    let mut x = seed | 1;
    move |bound| {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        (x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}
