//! Levels, scales and relinearisation by hand, as papers describe the steps of CKKS.
//!
//!     cargo run -p ringjet --example explicit_levels

use std::error::Error;
use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::{Ciphertext, Context, Evaluator, KeyPlan, Plaintext, SecretKey};
use ringjet_cpu::{CpuBackend, CpuConfig};

/// Runs the program. Fails where a result is wrong.
pub fn main() -> Result<(), Box<dyn Error>> {
    let params = ringjet::preset("n13-depth2")?;
    let ctx = Context::new(&params, Arc::new(CpuBackend::new(CpuConfig::default())?));
    let (secret, top) = (SecretKey::generate(&params)?, params.top_level());
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::default(), &Seed::from_os()?, |_, _| true)?;
    let server = Evaluator::new(&ctx, Arc::new(keys))?;
    let encrypt = |value: f64| -> ringjet::Result<_> {
        let plain = Plaintext::encode_real(&ctx, &[value], top, params.log_n() - 1)?;
        secret.encrypt(&ctx, &plain, &Seed::from_os()?)
    };
    let (x, y) = (encrypt(0.75)?, encrypt(-0.5)?);
    let show = |what: &str, ct: &Ciphertext, want: f64| -> Result<(), Box<dyn Error>> {
        let error = (secret.decrypt_values(&ctx, ct)?.real()[0] - want).abs();
        let (parts, level, scale) = (ct.polys(), ct.level(), ct.scale().log2());
        println!("{what:24} {parts} parts, level {level}, scale 2^{scale:.4}, error {error:.1e}");
        if error > 1e-5 { Err(format!("{what}: should be {want}").into()) } else { Ok(()) }
    };

    // a product has three parts and the product of the scales; each step is a call
    let product = server.mul(&x, &y)?;
    show("product", &product, -0.375)?;
    let two = server.relinearize(&product)?;
    show("relinearised", &two, -0.375)?;
    let low = server.rescale(&two)?;
    show("rescaled", &low, -0.375)?;

    // sums of products need one relinearisation: three parts are added as two are
    let sum = server.add(&product, &server.mul(&y, &y)?)?;
    show("x y + y^2", &server.relinearize_rescale(&sum)?, -0.125)?;

    // nothing is aligned: operands of different levels and of different scales are refused
    let refused = server.add(&low, &x).expect_err("the levels differ");
    println!("refused: {refused}");
    let dropped = server.drop_level(&x, low.level())?;
    let refused = server.add(&two, &x).expect_err("the scales differ");
    println!("refused: {refused}");

    // what `add_auto` does by itself: x at the lower level and at the scale that belongs to it
    let aligned = server.align(&x, low.level())?;
    show("x y + x", &server.add(&low.with_scale(aligned.scale()), &aligned)?, 0.375)?;
    show("x, lower", &dropped, 0.75)
}
