//! A program whose results are the same bytes on every backend.

use std::error::Error;
use std::sync::Arc;

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
    let secret = SecretKey::from_seed(params, &seed.derive(b"s", 0));
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
