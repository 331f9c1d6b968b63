//! Encrypts two vectors, computes on them, and decrypts the result.
//!
//!     cargo run -p ringjet --example quickstart

use std::error::Error;
use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::{Context, EvaluationKeys, Evaluator, KeyPlan, Plaintext, SecretKey};
use ringjet_cpu::{CpuBackend, CpuConfig};

/// Runs the program. Fails where a result is wrong.
pub fn main() -> Result<(), Box<dyn Error>> {
    // 128 bits of security, 4096 numbers in a ciphertext, two products in a row
    let params = ringjet::preset("n13-depth2")?;
    let ctx = Context::new(&params, Arc::new(CpuBackend::new(CpuConfig::default())?));
    let log_slots = params.log_n() - 1;

    // The client has the secret key. It makes public keys for products and for rotations by 1.
    let secret = SecretKey::generate(&params)?;
    let keys: EvaluationKeys =
        secret.evaluation_keys(&ctx, &KeyPlan::rotations([1]), &Seed::from_os()?, |_, _| true)?;
    let encrypt = |values: &[f64]| -> ringjet::Result<_> {
        let plain = Plaintext::encode_real(&ctx, values, params.top_level(), log_slots)?;
        secret.encrypt(&ctx, &plain, &Seed::from_os()?)
    };
    // values up to 1; `Plaintext::with_magnitude` states another bound
    let (a, b) = ([0.5, -0.25, 1.0, 0.125], [0.5, 0.75, -1.0, 0.25]);
    let (x, y) = (encrypt(&a)?, encrypt(&b)?);

    // The server has the public keys and the ciphertexts, and cannot read them.
    let server = Evaluator::new(&ctx, Arc::new(keys))?;
    let products = server.mul_auto(&x, &y)?;
    let sum = server.add_auto(&products, &server.rotate(&products, 1)?)?;
    println!("the server has {sum:?}");

    // slot j holds a[j] * b[j] + a[j + 1] * b[j + 1]
    let got = secret.decrypt_values(&ctx, &sum)?.real();
    for j in 0..3 {
        let want = a[j] * b[j] + a[j + 1] * b[j + 1];
        let error = (got[j] - want).abs();
        println!("slot {j}: {:9.6}, error {error:.1e}", got[j]);
        if error > 1e-4 {
            return Err(format!("slot {j} should be {want}").into());
        }
    }
    Ok(())
}
