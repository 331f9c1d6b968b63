//! Errors of slots; and `ringjet bench precision`, which compares them with their estimates.

use std::sync::Arc;

use ringjet::{Ciphertext, KeyPlan, Range};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;
use serde::Serialize;
use serde_json::json;

use super::chain::Chain;
use crate::Result;
use crate::boot::warn_insecure;
use crate::client::{Client, encode, product, vector};
use crate::text::{Form, print_table};

/// Sums over all seeds for one kind of ciphertext. The real and imaginary parts of all slots count
/// as separate numbers. An error below 2^-60 counts as 2^-60.
#[derive(Default)]
struct Sums {
    /// Sum of the mean of -log2|error|.
    mean: f64,
    /// Sum of -log2 of the largest |error|.
    min: f64,
    variance: f64,
    /// Sum of log2 of the estimated standard deviation.
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

/// Encrypts two fresh vectors with the public key `seeds` times, multiplies, relinearises and
/// rescales, and prints the errors. Every seed has its own vectors and randomness, under the same
/// keys.
pub fn run(chain: &Chain, backend: Arc<dyn Backend>, threads: usize, seeds: usize, form: Form) -> Result<()> {
    let params = &chain.parameters()?;
    warn_insecure(params);
    let name = format!("ringjet-{}", backend.id().name());
    let client = Client::new(params, backend, &KeyPlan::default())?;
    let key = client.public_key()?;
    let (mut fresh, mut multiplied) = (Sums::default(), Sums::default());
    for seed in 0..seeds as u64 {
        let values = [2 * seed, 2 * seed + 1].map(|s| vector(params.max_slots(), 1000 + s));
        let encrypt = |v: &[Complex64]| -> Result<Ciphertext> {
            let plain = encode(&client.ctx, v, params.top_level())?;
            // E|z|^2 = 2/3 for parts uniform in [-1, 1]: the estimate of a product uses it
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
    if !form.is_table() {
        return form.print(all.map(|(stage, [mean, min, std, estimate])| {
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

/// Smaller errors count as this.
const LEAST: f64 = 1.0 / (1u64 << 60) as f64;

/// Bits of precision, of one number for each slot.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ErrorSummary {
    /// Mean of -log2|error|.
    pub mean_log2_precision: f64,
    /// -log2 of the mean |error|.
    pub log2_mean_precision: f64,
    /// -log2 of the largest |error|.
    pub min_log2_precision: f64,
}

impl ErrorSummary {
    /// The summary of absolute errors. Those below 2^-60 count as 2^-60.
    pub fn of(errors: impl Iterator<Item = f64>) -> Self {
        let (mut logs, mut sum, mut worst, mut n) = (0.0, 0.0, LEAST, 0.0);
        for e in errors {
            // a NaN must not count as a small error
            let e = if e.is_nan() { f64::INFINITY } else { e.max(LEAST) };
            logs -= e.log2();
            sum += e;
            worst = e.max(worst);
            n += 1.0;
        }
        let log2_mean_precision = -(sum / n).log2();
        Self { mean_log2_precision: logs / n, log2_mean_precision, min_log2_precision: -worst.log2() }
    }
}

/// The precision of the real part of the error e, and of |e|.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct SlotPrecision {
    pub real: ErrorSummary,
    pub complex: ErrorSummary,
}

impl SlotPrecision {
    pub fn of(got: &[Complex64], want: &[Complex64]) -> Self {
        let errors = || got.iter().zip(want).map(|(a, b)| (a.re - b.re, a.im - b.im));
        Self {
            real: ErrorSummary::of(errors().map(|(re, _)| re.abs())),
            complex: ErrorSummary::of(errors().map(|(re, im)| re.hypot(im))),
        }
    }
}

/// Number of errors in each range of bits.
#[derive(Debug, Clone)]
pub struct Histogram {
    /// Width of a bin of -log2|error|: bin i starts at i * bin_bits.
    pub bin_bits: f64,
    pub counts: Vec<u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { bin_bits: 0.25, counts: vec![0; 241] }
    }
}

impl Histogram {
    /// Counts the errors of the real parts. Errors above 1 go to the bin of 0 bits.
    pub fn add(&mut self, got: &[Complex64], want: &[Complex64]) {
        for (a, b) in got.iter().zip(want) {
            let bits = -(a.re - b.re).abs().max(LEAST).log2();
            let bin = ((bits / self.bin_bits) as usize).min(self.counts.len() - 1);
            self.counts[bin] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_ways_to_count_bits() {
        let want = [Complex64::new(0.0, 0.0); 2];
        let got = [Complex64::new(0.25, 0.0), Complex64::new(0.0625, 0.0)];
        let p = SlotPrecision::of(&got, &want);
        assert_eq!((p.real.mean_log2_precision, p.real.min_log2_precision), (3.0, 2.0));
        assert_eq!(p.real.log2_mean_precision, -(0.15625f64).log2());
        let wrong = SlotPrecision::of(&[Complex64::new(f64::NAN, 0.0)], &want[..1]);
        assert_eq!(wrong.complex.min_log2_precision, f64::NEG_INFINITY);
        let mut h = Histogram::default();
        h.add(&got, &want);
        h.add(&want, &want);
        assert_eq!((h.counts[8], h.counts[16], h.counts[240]), (1, 1, 2));
    }
}
