//! A client and a server in one place, with random vectors from a printed seed.

use std::cell::Cell;
use std::sync::Arc;

use ringjet::KeyPlan;
use ringjet::heaan::{Ciphertext, Context, Evaluator, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey};
use ringjet::rng::Seed;
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

use crate::common::in_square;

pub struct Fixture {
    pub secret: SecretKey,
    pub public: PublicKey,
    pub eval: Evaluator,
    pub log_slots: u32,
    seed: Seed,
    counter: Cell<u64>,
}

/// A backend with one thread, since tests run in parallel.
pub fn cpu() -> Arc<dyn Backend> {
    Arc::new(ringjet_cpu::CpuBackend::new(ringjet_cpu::CpuConfig { threads: 1, ..Default::default() }).unwrap())
}

pub fn spec(log_n: u32, log_q: u32) -> ParamSpec {
    ParamSpec::new(log_n, log_q).allow_insecure()
}

impl Fixture {
    pub fn new(spec: &ParamSpec, request: &KeyPlan, seed: u8) -> Self {
        Self::on(cpu(), spec, request, seed)
    }

    pub fn on(backend: Arc<dyn Backend>, spec: &ParamSpec, request: &KeyPlan, seed: u8) -> Self {
        println!("seed {seed}");
        let params = Parameters::new(spec).unwrap();
        let ctx = Context::new(&params, backend);
        let seed = Seed::from_bytes([seed; 32]);
        let secret = SecretKey::from_seed(&params, &seed.derive(b"s", 0)).unwrap();
        let public = PublicKey::generate(&ctx, &secret, &seed.derive(b"p", 0)).unwrap();
        let keys = secret.evaluation_keys(&ctx, request, &seed.derive(b"e", 0), |_, _| true).unwrap();
        let eval = Evaluator::bootstrapping(&ctx, Arc::new(keys)).unwrap();
        let log_slots = params.log_slots();
        Self { secret, public, eval, log_slots, seed, counter: 0.into() }
    }

    pub fn params(&self) -> &Parameters {
        self.eval.context().params()
    }

    pub fn ctx(&self) -> &Context {
        self.eval.context()
    }

    pub fn next_seed(&self) -> Seed {
        self.counter.set(self.counter.get() + 1);
        self.seed.derive(b"next", self.counter.get())
    }

    /// Complex values of magnitude below `bound`, uniform in a square.
    pub fn random(&self, bound: f64) -> Vec<Complex64> {
        let state = u64::from_le_bytes(self.next_seed().expose()[..8].try_into().unwrap()) | 1;
        in_square(state, bound, 1 << self.log_slots)
    }

    /// Values of magnitude exactly 1, as the estimates assume.
    pub fn unit_circle(&self) -> Vec<Complex64> {
        self.random(1.0).into_iter().map(|z| z * (1.0 / z.abs())).collect()
    }

    pub fn encode(&self, values: &[Complex64], log_scale: u32) -> Plaintext {
        Plaintext::encode(self.ctx(), values, log_scale, self.log_slots).unwrap()
    }

    /// Encrypts at the default scale and the largest modulus.
    pub fn encrypt(&self, values: &[Complex64]) -> Ciphertext {
        self.encrypt_at(values, self.params().log_q(), self.params().log_p())
    }

    pub fn encrypt_at(&self, values: &[Complex64], log_q: u32, log_scale: u32) -> Ciphertext {
        let plain = self.encode(values, log_scale);
        let ct = self.secret.encrypt(self.ctx(), &plain.clone().at(log_q), &self.next_seed()).unwrap();
        // values within the unit circle stay there in products
        let circle = values.iter().all(|z| z.abs() <= 1.0 + 1e-12);
        if circle { ct.with_range(ringjet::Range::complex(1.0)) } else { ct }
    }

    pub fn decrypt(&self, ct: &Ciphertext) -> Vec<Complex64> {
        self.secret.decrypt_values(self.ctx(), ct).unwrap().0
    }

    /// The largest error must stay below twelve estimated standard deviations. An error times the
    /// secret is not Gaussian over the slots, because the secret is larger in some slots than in
    /// others. The error must not be tiny compared with the estimate, either.
    pub fn expect(&self, ct: &Ciphertext, want: &[Complex64], what: &str) {
        let (got, bound) = (self.decrypt(ct), 12.0 * ct.noise().error_log2().exp2());
        assert_eq!(got.len(), want.len());
        let error = |(a, b): (&Complex64, &Complex64)| (a.re - b.re).abs().max((a.im - b.im).abs());
        let worst = got.iter().zip(want).map(error).fold(0.0, f64::max);
        assert!(worst < bound + 2f64.powi(-45), "{what}: error {worst:e}, allowed {bound:e}, {ct:?}");
    }
}
