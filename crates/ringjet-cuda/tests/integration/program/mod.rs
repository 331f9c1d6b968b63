//! A program whose results are the same bytes on every backend.

use std::error::Error;
use std::sync::Arc;

use ringjet::circuits::heaan::Bootstrapper;
use ringjet::heaan;
use ringjet::params::ModulusSpec;
use ringjet::rng::Seed;
use ringjet::{Ciphertext, Context, Evaluator, KeyPlan, ParamSpec, Parameters, Plaintext, SecretKey};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Parameters with a short chain of primes of `bits` bits.
pub fn parameters(log_n: u32, bits: u32) -> Result<Parameters> {
    let spec = ParamSpec::uniform(log_n, bits, 3, bits - 10, 2);
    let spec = ParamSpec { p: ModulusSpec::Bits(vec![bits; 2]), ..spec };
    Ok(Parameters::new(&spec.allow_insecure())?)
}

/// An evaluator with keys for products and rotations by one, and two ciphertexts at the top level.
pub fn client(params: &Parameters, backend: Arc<dyn Backend>) -> Result<(Context, Evaluator, [Ciphertext; 2])> {
    let ctx = Context::new(params, backend);
    let seed = Seed::from_bytes([7; 32]);
    let secret = SecretKey::from_seed(params, &seed.derive(b"s", 0))?;
    let request = KeyPlan::rotations([1]);
    let keys = secret.evaluation_keys(&ctx, &request, &seed.derive(b"e", 0), |_, _| true)?;
    let eval = Evaluator::new(&ctx, Arc::new(keys))?;
    let top = params.top_level();
    let encrypted = |number: u64| -> Result<_> {
        let value = |i: usize| Complex64 { re: (i as f64 + number as f64).sin(), im: (i as f64).cos() };
        let values: Vec<Complex64> = (0..params.max_slots()).map(value).collect();
        let plain = Plaintext::encode(&ctx, &values, top, params.scale(top), params.log_n() - 1)?;
        Ok(secret.encrypt(&ctx, &plain, &seed.derive(b"c", number))?)
    };
    let inputs = [encrypted(1)?, encrypted(2)?];
    Ok((ctx, eval, inputs))
}

/// All bytes of a product, of its rotation, and of their sum.
pub fn bytes(params: &Parameters, backend: Arc<dyn Backend>) -> Result<Vec<Vec<u8>>> {
    let (ctx, eval, [x, y]) = client(params, backend)?;
    let product = eval.mul_relin_rescale(&x, &y)?;
    let turned = eval.rotate(&product, 1)?;
    let sum = eval.add(&product, &turned)?;
    [x, product, turned, sum].iter().map(|c| Ok(c.to_bytes(&ctx)?)).collect()
}

/// A client of HEAAN with an evaluator.
pub struct HeaanClient {
    pub ctx: heaan::Context,
    pub eval: heaan::Evaluator,
    secret: heaan::SecretKey,
    seed: Seed,
}

impl HeaanClient {
    pub fn new(params: &heaan::Parameters, request: &KeyPlan, backend: Arc<dyn Backend>) -> Result<Self> {
        let ctx = heaan::Context::new(params, backend);
        let seed = Seed::from_bytes([13; 32]);
        let secret = heaan::SecretKey::from_seed(params, &seed.derive(b"s", 0))?;
        let keys = secret.evaluation_keys(&ctx, request, &seed.derive(b"e", 0), |_, _| true)?;
        let eval = heaan::Evaluator::new(&ctx, Arc::new(keys))?;
        Ok(Self { ctx, eval, secret, seed })
    }

    /// Ciphertext number `number`, modulo `2^log_q` at the scale `2^log_scale`.
    pub fn encrypted(&self, number: u64, log_q: u32, log_scale: u32) -> Result<heaan::Ciphertext> {
        let log_slots = self.ctx.params().log_slots();
        let value = |i: usize| Complex64 { re: (i as f64 + number as f64).sin(), im: (i as f64).cos() } * 0.5;
        let values: Vec<Complex64> = (0..1 << log_slots).map(value).collect();
        let plain = heaan::Plaintext::encode(&self.ctx, &values, log_scale, log_slots)?;
        Ok(self.secret.encrypt(&self.ctx, &plain.at(log_q), &self.seed.derive(b"c", number))?)
    }
}

/// All bytes of a product of HEAAN, of its rescaled square, and of a rotation and a conjugate. With
/// `bootstraps`, those of a bootstrapped ciphertext alone.
pub fn heaan_bytes(params: &heaan::Parameters, bootstraps: bool, backend: Arc<dyn Backend>) -> Result<Vec<Vec<u8>>> {
    let log_slots = params.log_slots();
    if bootstraps {
        let client = HeaanClient::new(params, &Bootstrapper::key_plan(params, log_slots)?, backend)?;
        let boot = Bootstrapper::new(&client.ctx, &heaan::BootstrapSpec::new(params, log_slots), |_, _| true)?;
        let x = client.encrypted(1, boot.spec().log_q, boot.spec().log_scale)?;
        return Ok(vec![boot.bootstrap(&client.eval, &x)?.to_bytes(&client.ctx)?]);
    }
    let client = HeaanClient::new(params, &KeyPlan::rotations([1]).conjugation(), backend)?;
    let [x, y] = [1, 2].map(|number| client.encrypted(number, params.log_q(), params.log_p()));
    let eval = &client.eval;
    let product = eval.mul(&x?, &y?)?;
    let square = eval.square(&eval.rescale(&product, params.log_p())?)?;
    let square = eval.rescale(&square, params.log_p() + 1)?;
    let (turned, conjugate) = (eval.rotate(&square, 1)?, eval.conjugate(&square)?);
    [product, square, turned, conjugate].iter().map(|c| Ok(c.to_bytes(&client.ctx)?)).collect()
}
