//! `ringjet bench precision`: how exact results are, beside the estimate that ciphertexts carry.

use std::sync::Arc;

use ringjet::{Ciphertext, KeyPlan, Parameters, Range};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;
use serde_json::json;

use super::chain::Chain;
use super::errors::ErrorSummary;
use crate::Result;
use crate::client::{Client, encode, product, vector};
use crate::text::{print_json, print_table};

/// Sums over all seeds of the errors of one kind of ciphertext. The real and imaginary parts of all slots count as separate
/// numbers; an error below 2^-60 counts as 2^-60.
#[derive(Default)]
struct Sums {
    /// Of the mean of -log2|error|.
    mean: f64,
    /// Of -log2 of the largest |error|.
    min: f64,
    variance: f64,
    /// log2 of the standard deviation by the formula.
    estimate: f64,
}

impl Sums {
    fn add(&mut self, client: &Client, ct: &Ciphertext, want: &[Complex64]) -> Result<()> {
        let got = client.secret.decrypt_values(&client.ctx, ct)?.0;
        let errors: Vec<f64> = got.iter().zip(want).flat_map(|(a, b)| [a.re - b.re, a.im - b.im]).collect();
        let n = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / n;
        let bits = ErrorSummary::of(errors.iter().map(|e| e.abs()));
        self.mean += bits.mean_log2_precision;
        self.min += bits.min_log2_precision;
        self.variance += errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / n;
        self.estimate = ct.noise().error_log2();
        Ok(())
    }
}

/// Encrypts two fresh vectors with the public key `seeds` times, multiplies, relinearises and rescales. Every seed
/// has its own vectors and randomness; the keys stay. Prints what errors there are.
pub fn run(
    chain: &Chain,
    params: &Parameters,
    backend: Arc<dyn Backend>,
    threads: usize,
    seeds: usize,
    json: bool,
) -> Result<()> {
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
    let all = [("fresh", fresh), ("mul_relin_rescale", multiplied)].map(|(stage, s)| {
        let std_log2 = 0.5 * (s.variance / n).log2();
        (stage, [s.mean / n, s.min / n, std_log2, s.estimate])
    });
    if json {
        return print_json(all.map(|(stage, [mean, min, std, estimate])| {
            json!({
                "bench": "precision",
                "backend": name,
                "params": chain.label(),
                "threads": threads,
                "unit": "bit",
                "stage": stage,
                "mean_log2_precision": mean,
                "min_log2_precision": min,
                "error_std_log2": std,
                "estimated_std_log2": estimate,
                "n": seeds,
            })
        }));
    }
    let header = ["precision in bits", "mean", "least", "error std", "by formula", "seeds"];
    let rows = all.map(|(stage, figures)| {
        let [mean, min, std, estimate] = figures.map(|x| format!("{x:.2}"));
        vec![stage.into(), mean, min, format!("2^{std}"), format!("2^{estimate}"), seeds.to_string()]
    });
    print_table(&header, &rows);
    Ok(())
}
