//! A program whose results are the same bytes on every backend.

use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::{Context, Evaluator, KeyRequest, ParamSpec, Parameters, Plaintext, SecretKey};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

/// A product, its rotation, their sum: all bytes.
pub fn bytes(backend: Arc<dyn Backend>, log_n: u32, bits: u32) -> Vec<Vec<u8>> {
    let params = Parameters::new(&ParamSpec::uniform(log_n, bits, 3, bits - 10, 2).allow_insecure()).unwrap();
    let ctx = Context::new(&params, backend);
    let seed = Seed::from_bytes([7; 32]);
    let secret = SecretKey::from_seed(&params, &seed.derive(b"s", 0));
    let keys = secret.evaluation_keys(&ctx, &KeyRequest::rotations([1]), &seed.derive(b"e", 0), |_, _| true).unwrap();
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let top = params.top_level();
    let encrypted = |number: u64| {
        let value = |i: usize| Complex64 { re: (i as f64 + number as f64).sin(), im: (i as f64).cos() };
        let values: Vec<Complex64> = (0..params.max_slots()).map(value).collect();
        let plain = Plaintext::encode(&ctx, &values, top, params.scale(top), log_n - 1).unwrap();
        secret.encrypt(&ctx, &plain, &seed.derive(b"c", number)).unwrap()
    };
    let (x, y) = (encrypted(1), encrypted(2));
    let product = eval.mul_relin_rescale(&x, &y).unwrap();
    let turned = eval.rotate(&product, 1).unwrap();
    let sum = eval.add(&product, &turned).unwrap();
    [x, product, turned, sum].iter().map(|c| c.to_bytes(&ctx).unwrap()).collect()
}
