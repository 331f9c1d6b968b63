//! Computes past the last level: a bootstrap gives a ciphertext its levels back.
//!
//! NOT SECURE: the ring is small, so that the program takes a second. `ringjet::preset("n16-boot")` is
//! the same circuit in a ring with 128 bits of security, with keys of some gigabytes.
//!
//!     cargo run -p ringjet --example bootstrap

use std::error::Error;
use std::sync::Arc;

use ringjet::params::BootstrapChain;
use ringjet::rng::Seed;
use ringjet::{Bootstrapper, Context, Evaluator, Parameters, Plaintext, SecretKey};
use ringjet_cpu::{CpuBackend, CpuConfig};

/// Runs the program. Fails where a result is wrong.
pub fn main() -> Result<(), Box<dyn Error>> {
    let (spec, _) = BootstrapChain::standard(10).generate()?;
    let params = Parameters::new(&spec.allow_insecure())?;
    let ctx = Context::new(&params, Arc::new(CpuBackend::new(CpuConfig::default())?));
    let log_slots = params.log_n() - 1;
    let lowest = params.bootstrap().ok_or("these parameters cannot bootstrap")?.input_level();

    // Bootstrapping has keys of its own, for one number of slots.
    let secret = SecretKey::generate(&params)?;
    let plan = Bootstrapper::key_plan(&params, log_slots)?;
    let keys = secret.evaluation_keys(&ctx, &plan, &Seed::from_os()?, |_, _| true)?;
    let server = Evaluator::bootstrapping(&ctx, Arc::new(keys))?;

    let values: Vec<f64> = (0..1 << log_slots).map(|j| f64::from(j) / f64::from(1 << log_slots)).collect();
    let plain = Plaintext::encode_real(&ctx, &values, lowest, log_slots)?;
    let x = secret.encrypt(&ctx, &plain, &Seed::from_os()?)?;

    // one bootstrap by hand, at the lowest level that allows it
    let fresh = server.bootstrap(&x)?;
    println!("a bootstrap: level {} to {}", x.level(), fresh.level());

    // and as many as are needed: `mul_auto` bootstraps by itself before levels run out
    let (mut power, mut exponent) = (fresh, 1u32);
    for _ in 0..5 {
        power = server.mul_auto(&power, &power)?.with_magnitude(1.0);
        exponent *= 2;
    }
    println!("x^{exponent} is at level {}", power.level());

    let got = secret.decrypt_values(&ctx, &power)?.real();
    let error = |(x, y): (&f64, &f64)| (x.powi(exponent.cast_signed()) - y).abs();
    let largest = values.iter().zip(&got).map(error).fold(0.0, f64::max);
    println!("largest error of {} values: {largest:.1e}", values.len());
    if largest > 0.01 {
        return Err("the error is too large".into());
    }
    Ok(())
}
