//! Wide Gaussian noise that hides the values it is added to (flooding).

use super::wide::Wide;
use super::{RngError, SecretStream, Seed, domain};

/// The largest `log_sigma` of [`flooding_gaussian`]: log2 of the standard deviation.
pub(crate) const MAX_FLOODING_BITS: u32 = 108;

/// Fills `out` with independent samples of the centred discrete Gaussian of parameter
/// `sigma = 2^log_sigma` over the integers, `P(x)` proportional to `exp(-x^2 / (2 * sigma^2))`. The
/// distribution is exact and computed with integers only (Canonne, Kamath and Steinke, "The
/// Discrete Gaussian for Differential Privacy", Algorithm 3). `Sharing` documents how wide the
/// noise has to be.
///
/// Not constant time: the number of random words of a sample varies, so an attacker who can measure
/// the client's time learns something about the noise. Use a seed for one polynomial only.
/// Fails with [`RngError::Flooding`] if `log_sigma > 108`.
pub fn flooding_gaussian(seed: &Seed, log_sigma: u32, out: &mut [i128]) -> Result<(), RngError> {
    if log_sigma > MAX_FLOODING_BITS {
        return Err(RngError::Flooding { bits: log_sigma, max: MAX_FLOODING_BITS });
    }
    let mut coins = Coins { stream: SecretStream::new(seed, domain::FLOODING), bits: log_sigma };
    out.iter_mut().for_each(|x| *x = coins.gaussian());
    Ok(())
}

/// The widest noise of [`wide_gaussian`]: log2 of the standard deviation.
pub(crate) const MAX_WIDE_BITS: u32 = 170;

/// The bits of a sample of [`wide_gaussian`] that are those of a Gaussian.
pub(crate) const GAUSSIAN_BITS: u32 = 100;

/// Noise of standard deviation `2^log_sigma` or slightly more, also wider than [`flooding_gaussian`] draws it: a
/// Gaussian of standard deviation `2^(log_sigma - k)` times `2^k`, plus an integer that is uniform in `[0, 2^k)`,
/// where k is 0 up to 100 bits, and `log_sigma - 100` above. It hides errors as the Gaussian does:
/// `docs/design/randomness.md`, "Flooding". Fails with [`RngError::Flooding`] above 170 bits.
pub(crate) fn wide_gaussian(seed: &Seed, log_sigma: u32, out: &mut [Wide]) -> Result<(), RngError> {
    if log_sigma > MAX_WIDE_BITS {
        return Err(RngError::Flooding { bits: log_sigma, max: MAX_WIDE_BITS });
    }
    let shift = log_sigma.saturating_sub(GAUSSIAN_BITS);
    let mut coins = Coins { stream: SecretStream::new(seed, domain::FLOODING), bits: log_sigma - shift };
    for x in out {
        let high = coins.gaussian();
        let low = coins.stream.next_u128() & ((1 << shift) - 1);
        *x = Wide::new(high, low, shift);
    }
    Ok(())
}

/// Random events with exact probabilities.
struct Coins {
    stream: SecretStream,
    /// Probabilities are integers divided by `2^bits`; sigma is `2^bits`.
    bits: u32,
}

impl Coins {
    /// A sample of the Gaussian: draws x from the Laplace distribution of scale sigma and accepts
    /// it with probability `exp(-(|x| - sigma)^2 / (2 * sigma^2))`.
    fn gaussian(&mut self) -> i128 {
        loop {
            let x = self.laplace();
            let off = x.unsigned_abs().abs_diff(1 << self.bits);
            let (whole, part) = (off >> self.bits, off & ((1 << self.bits) - 1));
            // exp(-(whole + part)^2 / 2), as a product of events
            if (0..whole * whole).all(|_| self.exponential(|c| c.half()))
                && (0..whole).all(|_| self.exponential(|c| c.below(part)))
                && self.exponential(|c| c.below(part) && c.below(part) && c.half())
            {
                return x;
            }
        }
    }

    /// A sample of the Laplace distribution: `P(x)` proportional to `exp(-|x| / sigma)`.
    fn laplace(&mut self) -> i128 {
        loop {
            let part = self.uniform();
            if !self.exponential(|c| c.below(part)) {
                continue;
            }
            let mut whole = 0u128;
            while self.exponential(|_| true) {
                whole += 1;
            }
            let x = (part + (whole << self.bits)) as i128;
            match self.half() {
                true if x == 0 => {} // otherwise zero would be drawn with either sign, so twice as often
                true => return -x,
                false => return x,
            }
        }
    }

    /// True with probability `exp(-p)`, for an event of probability p (von Neumann's method).
    fn exponential(&mut self, event: impl Fn(&mut Self) -> bool) -> bool {
        let mut k = 1u64;
        while event(self) && self.one_in(k) {
            k += 1;
        }
        k % 2 == 1
    }

    /// A uniform integer below `2^bits`.
    fn uniform(&mut self) -> u128 {
        self.stream.next_u128() & ((1 << self.bits) - 1)
    }

    /// True with probability `part / 2^bits`.
    fn below(&mut self, part: u128) -> bool {
        self.uniform() < part
    }

    fn half(&mut self) -> bool {
        self.stream.next_u128() & 1 == 1
    }

    /// True with probability `1 / k`.
    fn one_in(&mut self, k: u64) -> bool {
        let most = u128::MAX - u128::MAX % u128::from(k);
        loop {
            let x = self.stream.next_u128();
            if x < most {
                return x.is_multiple_of(u128::from(k));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the counts of small values with their probabilities (chi-square test).
    #[test]
    fn small_widths_follow_the_distribution() {
        for (log_sigma, seed) in [(0, 1), (1, 2), (3, 3)] {
            let n = 1 << 18;
            let mut out = vec![0i128; n];
            flooding_gaussian(&Seed::from_bytes([seed; 32]), log_sigma, &mut out).unwrap();
            let sigma = f64::from(log_sigma).exp2();
            let weight = |x: i32| (-f64::from(x * x) / (2.0 * sigma * sigma)).exp();
            let total: f64 = (-200..=200).map(weight).sum();
            let edge = (2.5 * sigma).ceil() as i32;
            let mut chi = 0.0;
            for cell in -edge..=edge {
                let tail = || (edge..=200).map(weight).sum::<f64>();
                let expected = n as f64 / total * if cell.abs() == edge { tail() } else { weight(cell) };
                let seen = out.iter().filter(|&&x| x.clamp((-edge).into(), edge.into()) == cell.into()).count() as f64;
                chi += (seen - expected).powi(2) / expected;
            }
            let freedom = f64::from(2 * edge);
            assert!(chi < freedom + 6.0 * (2.0 * freedom).sqrt(), "sigma = {sigma}: {chi} of {freedom}");
        }
    }

    #[test]
    fn moments_of_wide_noise() {
        assert!(flooding_gaussian(&Seed::from_bytes([0; 32]), MAX_FLOODING_BITS + 1, &mut [0]).is_err());
        for log_sigma in [20, 64, MAX_FLOODING_BITS] {
            let n = 1 << 16;
            let mut out = vec![0i128; n];
            flooding_gaussian(&Seed::from_bytes([6; 32]), log_sigma, &mut out).unwrap();
            let scaled: Vec<f64> = out.iter().map(|&x| x as f64 * (-f64::from(log_sigma)).exp2()).collect();
            let moment = |p: i32| scaled.iter().map(|x| x.powi(p)).sum::<f64>() / n as f64;
            let deviation = 5.0 / (n as f64).sqrt();
            assert!(moment(1).abs() < deviation && moment(3).abs() < deviation * 15f64.sqrt());
            assert!((moment(2) - 1.0).abs() < deviation * 2f64.sqrt(), "{}", moment(2));
            assert!((moment(4) - 3.0).abs() < deviation * 96f64.sqrt(), "{}", moment(4));
        }
    }
}
