//! Sizes and speeds at full size: `cargo test --release -p ringjet --test integration wire::speed -- --ignored --nocapture`.

use std::sync::Arc;
use std::time::Instant;

use ringjet::rng::Seed;
use ringjet::wire::Limits;
use ringjet::{Ciphertext, Context, EvaluationKeys, KeyPlan, Plaintext, SecretKey, preset};
use ringjet_cpu::{CpuBackend, CpuConfig};

/// The median of five.
fn seconds<T>(mut f: impl FnMut() -> T) -> f64 {
    let mut all: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(f());
            start.elapsed().as_secs_f64()
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all[2]
}

#[test]
#[ignore = "full size: half a gigabyte and a few seconds"]
fn speed() {
    let params = preset("n16-depth24").unwrap();
    let ctx = Context::new(&params, Arc::new(CpuBackend::new(CpuConfig::default()).unwrap()));
    let seed = Seed::from_bytes([1; 32]);
    let secret = SecretKey::from_seed(&params, &seed).unwrap();
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::default(), &seed, |_, _| true).unwrap();
    let p = Plaintext::encode_real(&ctx, &[0.5, 0.25], params.top_level(), 15).unwrap();
    let seeded = secret.encrypt(&ctx, &p, &seed).unwrap();
    let full = Ciphertext::transparent(&ctx, &p).unwrap();
    let bytes = keys.to_bytes(&ctx).unwrap();
    let (key, whole) = (keys.relinearization().unwrap().to_bytes(&ctx).unwrap().len(), keys.memory_bytes());
    println!("relinearisation key: {key} bytes, {:.3} of {whole} in memory", key as f64 / whole as f64);
    let report = |name: &str, bytes: usize, residues: usize, write: f64, read: f64| {
        let gb = |t: f64| bytes as f64 / t / 1e9;
        println!(
            "{name}: {bytes} bytes, {:.1} bits a residue; write {:.1} ms, {:.2} GB/s; read {:.1} ms, {:.2} GB/s",
            8.0 * bytes as f64 / residues as f64,
            1e3 * write,
            gb(write),
            1e3 * read,
            gb(read),
        );
    };
    let write = seconds(|| keys.to_bytes(&ctx).unwrap());
    let read = seconds(|| EvaluationKeys::from_bytes(&ctx, &bytes, Limits::default()).unwrap());
    report("evaluation keys", bytes.len(), whole / 16, write, read);
    let residues = params.n() * params.q().len();
    for (name, ct, polys) in [("ciphertext", &full, 2), ("seeded ciphertext", &seeded, 1)] {
        let bytes = ct.to_bytes(&ctx).unwrap();
        let write = seconds(|| ct.to_bytes(&ctx).unwrap());
        let read = seconds(|| Ciphertext::from_bytes(&ctx, &bytes, Limits::default()).unwrap());
        report(name, bytes.len(), polys * residues, write, read);
    }
    let bytes = seeded.to_bytes(&ctx).unwrap();
    let crc = seconds(|| crc32fast::hash(&bytes));
    println!("checksum alone: {:.1} GB/s", bytes.len() as f64 / crc / 1e9);
}
