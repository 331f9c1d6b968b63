//! `ringjet bench precision`: how exact results are, beside the estimate that ciphertexts carry.

use std::sync::Arc;

use ringjet::{Ciphertext, KeyPlan, Parameters, Range};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;
use serde::Serialize;

use super::chain::Chain;
use crate::Result;
use crate::client::{Client, encode, product, vector};

/// Errors of one kind of ciphertext. The real and imaginary parts of all slots count as separate numbers; an error
/// below 2^-60 counts as 2^-60.
#[derive(Debug, Serialize)]
pub struct Precision {
    pub bench: &'static str,
    pub backend: String,
    pub params: String,
    pub threads: usize,
    pub unit: &'static str,
    pub stage: &'static str,
    /// Mean of -log2|error|, averaged over the seeds.
    pub mean_log2_precision: f64,
    /// -log2 of the largest |error|, averaged over the seeds.
    pub min_log2_precision: f64,
    /// log2 of the root of the error's mean variance.
    pub error_std_log2: f64,
    /// The same by the formula.
    pub estimated_std_log2: f64,
    /// Seeds.
    pub n: usize,
}

#[derive(Default)]
struct Sums {
    mean: f64,
    min: f64,
    variance: f64,
    estimate: f64,
}

impl Sums {
    fn add(&mut self, client: &Client, ct: &Ciphertext, want: &[Complex64]) -> Result<()> {
        let got = client.secret.decrypt_values(&client.ctx, ct)?.0;
        let errors: Vec<f64> = got.iter().zip(want).flat_map(|(a, b)| [a.re - b.re, a.im - b.im]).collect();
        let n = errors.len() as f64;
        let log = |e: f64| -e.abs().max(2f64.powi(-60)).log2();
        let mean = errors.iter().sum::<f64>() / n;
        self.mean += errors.iter().map(|&e| log(e)).sum::<f64>() / n;
        self.min += errors.iter().map(|&e| log(e)).fold(f64::INFINITY, f64::min);
        self.variance += errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / n;
        self.estimate = ct.noise().error_log2();
        Ok(())
    }
}

/// Encrypts two fresh vectors with the public key `seeds` times, multiplies, relinearises and rescales. Every seed
/// has its own vectors and randomness; the keys stay.
pub fn measure(
    chain: &Chain,
    params: &Parameters,
    backend: Arc<dyn Backend>,
    threads: usize,
    seeds: usize,
) -> Result<Vec<Precision>> {
    let name = format!("ringjet-{}", backend.id().name());
    let client = Client::new(params, backend, &KeyPlan::default())?;
    let key = client.public_key()?;
    let (mut fresh, mut multiplied) = (Sums::default(), Sums::default());
    for seed in 0..seeds as u64 {
        let values = [2 * seed, 2 * seed + 1].map(|s| vector(params.max_slots(), 1000 + s));
        let encrypt = |v: &[Complex64]| -> Result<Ciphertext> {
            let plain = encode(&client.ctx, v, params.top_level())?;
            // E|z|^2 = 2/3 for both parts uniform in [-1, 1]: what the formula of a product needs
            Ok(key.encrypt(&client.ctx, &plain, &client.next_seed())?.with_range(Range::complex((2f64 / 3.0).sqrt())))
        };
        let (a, b) = (encrypt(&values[0])?, encrypt(&values[1])?);
        fresh.add(&client, &a, &values[0])?;
        multiplied.add(&client, &client.eval.mul_relin_rescale(&a, &b)?, &product(&values[0], &values[1]))?;
    }
    let n = seeds as f64;
    let summary = |stage, s: Sums| Precision {
        bench: "precision",
        backend: name.clone(),
        params: chain.label(),
        threads,
        unit: "bit",
        stage,
        mean_log2_precision: s.mean / n,
        min_log2_precision: s.min / n,
        error_std_log2: 0.5 * (s.variance / n).log2(),
        estimated_std_log2: s.estimate,
        n: seeds,
    };
    Ok(vec![summary("fresh", fresh), summary("mul_relin_rescale", multiplied)])
}

/// Prints the figures.
pub fn print(records: &[Precision], json: bool) -> Result<()> {
    if json {
        for r in records {
            println!("{}", serde_json::to_string(r)?);
        }
        return Ok(());
    }
    let header = ["precision in bits", "mean", "least", "error std", "by formula", "seeds"];
    let power = |x: f64| format!("2^{x:.2}");
    let row = |r: &Precision| {
        let bits = [r.mean_log2_precision, r.min_log2_precision].map(|x| format!("{x:.2}"));
        let [mean, min] = bits;
        vec![r.stage.into(), mean, min, power(r.error_std_log2), power(r.estimated_std_log2), r.n.to_string()]
    };
    crate::text::print_table(&header, &records.iter().map(row).collect::<Vec<_>>());
    Ok(())
}
