//! The README's Rust example: compiled, run, and the same text as printed there.

use std::error::Error;
use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::{Context, Evaluator, KeyRequest, Plaintext, SecretKey};
use ringjet_cpu::{CpuBackend, CpuConfig};

#[test]
fn rust_example() -> Result<(), Box<dyn Error>> {
    // begin
    let params = ringjet::preset("n13-depth2")?;
    let ctx = Context::new(&params, Arc::new(CpuBackend::new(CpuConfig::default())?));
    let secret = SecretKey::generate(&params)?;
    let keys = secret.evaluation_keys(&ctx, &KeyRequest::rotations([1]), &Seed::from_os()?, |_, _| true)?;
    let server = Evaluator::new(&ctx, Arc::new(keys))?;

    let plain = Plaintext::encode_real(&ctx, &[0.5, -0.25, 1.0], params.top_level(), params.log_n() - 1)?;
    let x = secret.encrypt(&ctx, &plain, &Seed::from_os()?)?;
    let y = server.rotate(&server.mul_auto(&x, &x)?, 1)?;
    let out = secret.decrypt_values(&ctx, &y)?.real();
    assert!((out[0] - 0.0625).abs() < 1e-4 && (out[1] - 1.0).abs() < 1e-4);
    // end
    Ok(())
}

#[test]
fn the_readme_has_the_same_text() {
    let source = include_str!("readme.rs");
    let example = source.split("    // begin\n").nth(1).and_then(|s| s.split("    // end\n").next()).unwrap();
    let example: String = example.lines().map(|l| format!("{}\n", l.strip_prefix("    ").unwrap_or(l))).collect();
    let readme = include_str!("../../../../README.md");
    assert!(readme.contains(&format!("```rust\n{example}```\n")), "README.md must have:\n{example}");
}
