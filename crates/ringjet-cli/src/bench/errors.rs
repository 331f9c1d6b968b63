//! How exact the slots of a result are.

use ringjet_math::fft::Complex64;
use serde::Serialize;

/// Errors below this count as this.
const LEAST: f64 = 1.0 / (1u64 << 60) as f64;

/// Bits of precision, of one number a slot.
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
    /// Of sizes of errors; those below 2^-60 count as 2^-60.
    pub fn of(errors: impl Iterator<Item = f64>) -> Self {
        let (mut logs, mut sum, mut worst, mut n) = (0.0, 0.0, LEAST, 0.0);
        for e in errors {
            // a NaN must not pass for a small error
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

/// Of the real part of the error e, and of |e|.
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

/// How many errors have how many bits.
#[derive(Debug, Clone)]
pub struct Histogram {
    /// Width of a bin of -log2|error|; bin i starts at i times this.
    pub bin_bits: f64,
    pub counts: Vec<u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { bin_bits: 0.25, counts: vec![0; 241] }
    }
}

impl Histogram {
    /// Counts the real parts' errors; those above 1 with the ones of no bit.
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
