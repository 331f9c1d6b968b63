//! One object of every kind, on a small ring, and a function that loads any of them.

use std::sync::Arc;

use ringjet::params::{BootstrapChain, BootstrapSpec, ModulusSpec};
use ringjet::rng::Seed;
use ringjet::wire::{Limits, Object, peek};
use ringjet::{
    Bootstrapper, Ciphertext, Context, EvaluationKeys, Evaluator, KeyPlan, ParamSpec, Parameters, Plaintext, PublicKey,
    Result, SecretKey, SwitchingKey,
};
use ringjet_backend::{Backend, Reference};
use ringjet_math::fft::Complex64;

pub const LIMITS: Limits = Limits { max_bytes: Some(1 << 20), allow_insecure: true };

/// The rotations of the keys of a [`Set`].
pub const ROTATIONS: [i64; 2] = [1, -3];

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
        log_n: 5,
        message_levels: 1,
        scale_bits: 40,
        prime_bits: 50,
        first_bits: 50,
        slots_to_coeffs_bits: 40,
        log_ratio: 12.0,
        eval_mod_bits: 58.0,
        coeffs_to_slots_bits: 50.0,
        special: 5,
        shared_primes: false,
        bootstrap: BootstrapSpec {
            slots_to_coeffs: vec![4],
            coeffs_to_slots: vec![4],
            slots_to_coeffs_first: true,
            k: 16,
            degree: 30,
            double_angles: 3,
            arcsine: 1,
            secret_weight: 8,
            passes: 1,
            matrix_keys: false,
        },
    };
    chain.generate().unwrap().0.allow_insecure()
}

/// How many values plaintexts state that they hold.
pub const COUNT: usize = 3;

pub struct Set {
    pub ctx: Context,
    pub secret: SecretKey,
    pub public: PublicKey,
    pub keys: Arc<EvaluationKeys>,
    pub eval: Evaluator,
    pub values: Vec<Complex64>,
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
        let mut plan = KeyPlan::rotations(ROTATIONS).conjugation();
        if params.bootstrap().is_some() {
            plan = plan.and(Bootstrapper::key_plan(&params, params.log_n() - 1).unwrap());
        }
        let keys = secret.evaluation_keys(&ctx, &plan, &seed.derive(b"keys", 0), |_, _| true).unwrap();
        let keys = Arc::new(keys);
        let eval = Evaluator::bootstrapping(&ctx, Arc::clone(&keys)).unwrap();
        let values: Vec<Complex64> = (0..16)
            .map(|i| Complex64 { re: f64::from(i * 37 % 101 - 50) / 64.0, im: f64::from(i * 17 % 89 - 44) / 64.0 })
            .collect();
        let top = params.top_level();
        let plaintext =
            Plaintext::encode(&ctx, &values, top, params.scale(top), 4).and_then(|p| p.with_count(COUNT)).unwrap();
        Self { ctx, secret, public, keys, eval, values, plaintext, seed }
    }

    pub fn params(&self) -> &Parameters {
        self.ctx.params()
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

    /// Every object as bytes.
    pub fn bytes(&self) -> Vec<(&'static str, Vec<u8>)> {
        let ctx = &self.ctx;
        let bootstrapped = self.bootstrapped().map(|c| ("ciphertext_bootstrapped", c.to_bytes(ctx).unwrap()));
        let all = [
            ("parameters", self.params().to_bytes().unwrap()),
            ("secret_key", self.secret.to_secret_bytes().to_vec()),
            ("public_key", self.public.to_bytes(ctx).unwrap()),
            ("evaluation_keys", self.keys.to_bytes(ctx).unwrap()),
            ("switching_key", self.keys.relinearization().unwrap().to_bytes(ctx).unwrap()),
            ("plaintext", self.plaintext.to_bytes(ctx).unwrap()),
            ("ciphertext_seeded", self.fresh().to_bytes(ctx).unwrap()),
            ("ciphertext", self.full().to_bytes(ctx).unwrap()),
            ("ciphertext_3", self.square().to_bytes(ctx).unwrap()),
            ("ciphertext_low", self.product().to_bytes(ctx).unwrap()),
        ];
        all.into_iter().chain(bootstrapped).collect()
    }
}

/// Loads `bytes` as an object of `kind` and writes it again.
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

/// [`reload_as`] with the kind that the header names.
pub fn reload(ctx: &Context, bytes: &[u8]) -> Result<Vec<u8>> {
    reload_as(peek(bytes)?.kind.object, ctx, bytes, LIMITS)
}

/// Corrects the length and the checksum after a change.
pub fn mend(bytes: &mut [u8]) {
    let (len, end) = (bytes.len() as u64, bytes.len() - 4);
    bytes[24..32].copy_from_slice(&len.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
}
