//! A client and a server in one place, with random vectors from a printed seed.

use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::{Ciphertext, Context, Evaluator, KeyPlan, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

pub struct Fixture {
    pub secret: SecretKey,
    pub public: PublicKey,
    pub eval: Evaluator,
    pub log_slots: u32,
    seed: Seed,
    counter: std::cell::Cell<u64>,
}

pub fn complex(re: f64, im: f64) -> Complex64 {
    Complex64 { re, im }
}

pub fn rotate_left(x: &[Complex64], steps: i64) -> Vec<Complex64> {
    let n = x.len() as i64;
    (0..n).map(|j| x[(j + steps).rem_euclid(n) as usize]).collect()
}

/// Complex values within the unit circle stay there in products; values in a square do not.
pub fn within_circle(ct: Ciphertext, values: &[Complex64]) -> Ciphertext {
    if values.iter().all(|z| z.abs() <= 1.0 + 1e-12) && values.iter().any(|z| z.im != 0.0) {
        return ct.with_range(ringjet::Range::complex(1.0));
    }
    ct
}

/// Uniform values between -1 and 1 from a generator with this state.
pub fn uniform(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Complex values of magnitude below `bound`, uniform in a square.
pub fn in_square(state: u64, bound: f64, count: usize) -> Vec<Complex64> {
    let mut next = uniform(state);
    let mut part = || next() * bound * std::f64::consts::FRAC_1_SQRT_2;
    (0..count).map(|_| complex(part(), part())).collect()
}

pub fn backend() -> Arc<dyn Backend> {
    Arc::new(ringjet_backend::Reference::default())
}

impl Fixture {
    pub fn new(spec: ParamSpec, request: &KeyPlan, seed: u8) -> Self {
        let log_slots = spec.log_n - 1;
        Self::with_slots(spec, request, seed, log_slots)
    }

    pub fn with_slots(spec: ParamSpec, request: &KeyPlan, seed: u8, log_slots: u32) -> Self {
        println!("seed {seed}");
        let params = Parameters::new(&spec).unwrap();
        let ctx = Context::new(&params, backend());
        let seed = Seed::from_bytes([seed; 32]);
        let secret = SecretKey::from_seed(&params, &seed.derive(b"s", 0)).unwrap();
        let public = PublicKey::generate(&ctx, &secret, &seed.derive(b"p", 0)).unwrap();
        let keys = secret.evaluation_keys(&ctx, request, &seed.derive(b"e", 0), |_, _| true).unwrap();
        let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
        Self { secret, public, eval, log_slots, seed, counter: 0.into() }
    }

    pub fn params(&self) -> &Parameters {
        self.eval.context().params()
    }

    fn next(&self) -> u64 {
        self.counter.set(self.counter.get() + 1);
        self.counter.get()
    }

    /// Complex values of magnitude below `bound`, uniform in a square.
    pub fn random(&self, bound: f64) -> Vec<Complex64> {
        let state = self.next().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
        in_square(state, bound, 1 << self.log_slots)
    }

    pub fn encrypt(&self, values: &[Complex64], public: bool) -> Ciphertext {
        within_circle(self.encrypt_within(values, None, public), values)
    }

    /// Encrypts values for which this magnitude is stated, or none.
    pub fn encrypt_within(&self, values: &[Complex64], magnitude: Option<f64>, public: bool) -> Ciphertext {
        let (ctx, top) = (self.eval.context(), self.params().top_level());
        let p = Plaintext::encode(ctx, values, top, self.params().scale(top), self.log_slots).unwrap();
        let p = magnitude.map_or(p.clone(), |magnitude| p.with_magnitude(magnitude).unwrap());
        let seed = self.seed.derive(b"encryption", self.next());
        if public { self.public.encrypt(ctx, &p, &seed) } else { self.secret.encrypt(ctx, &p, &seed) }.unwrap()
    }

    pub fn decrypt(&self, ct: &Ciphertext) -> Vec<Complex64> {
        self.secret.decrypt_values(self.eval.context(), ct).unwrap().0
    }

    /// The largest error must stay below twelve estimated standard deviations. An error times the
    /// secret is not Gaussian over the slots, because the secret is larger in some slots than in
    /// others.
    pub fn expect(&self, ct: &Ciphertext, want: &[Complex64], what: &str) {
        self.expect_within(ct, want, 12.0 * ct.noise().error_log2().exp2(), what);
    }

    pub fn expect_within(&self, ct: &Ciphertext, want: &[Complex64], bound: f64, what: &str) {
        let got = self.decrypt(ct);
        assert_eq!(got.len(), want.len());
        let error = |(a, b): (&Complex64, &Complex64)| (a.re - b.re).abs().max((a.im - b.im).abs());
        let worst = got.iter().zip(want).map(error).fold(0.0, f64::max);
        assert!(worst < bound, "{what}: error {worst:e}, allowed {bound:e}");
    }
}
