//! The noise that hides the error of a shared decryption, and the count of shared decryptions.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::rng::flooding::MAX_FLOODING_BITS;
use crate::{Error, Noise, Result, host};

/// Requirements on decryptions that are shared with others than the key's owner (Li, Micciancio,
/// Schultz and Sorrell, ePrint 2022/816, section 5).
///
/// Noise of standard deviation `sqrt(12 * answers) * 2^(security/2) * t` in every coefficient hides
/// errors of Euclidean length up to t: the Kullback-Leibler divergence of all answers from answers
/// that do not depend on the error is at most `2^-security / 24`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sharing {
    /// Statistical security in bits, 1 to 128.
    pub security: u32,
    /// The largest number of answers under one key, at least 1.
    pub answers: u64,
}

impl Default for Sharing {
    fn default() -> Self {
        Self { security: 40, answers: 1 << 10 }
    }
}

/// The noise stays within this many standard deviations except with a probability of `2^-180`.
pub(crate) const WIDEST: f64 = 16.0;

impl Sharing {
    /// log2 of the noise's standard deviation, rounded up to an integer, for errors whose
    /// coefficients have a Euclidean length of at most `error`. A bound on the largest slot is one on
    /// the length, too. Fails with [`Error::Argument`] for a security outside 1..=128 or no answers.
    pub fn log_sigma(&self, error: f64) -> Result<u32> {
        if !(1..=128).contains(&self.security) {
            return Err(Error::argument("security", self.security, "1 to 128 bits"));
        }
        if self.answers == 0 {
            return Err(Error::argument("answers", 0, "at least 1"));
        }
        let factor = 0.5 * (12.0 * self.answers as f64).log2() + 0.5 * f64::from(self.security);
        Ok((factor + error.max(1.0).log2()).ceil() as u32)
    }

    /// [`Sharing::log_sigma`] for a result with the noise `planned`, with `2^log_slots` slots at
    /// scale `2^scale_log2` modulo `2^modulus_log2`. Its values must keep `bits` bits after the
    /// point. `pieces`: how many noises of this width are added.
    ///
    /// # Errors
    /// [`Error::NotSharable`] if the error has no known bound, or scale or modulus no room for
    /// noise.
    pub(crate) fn flood(
        &self,
        planned: Noise,
        scale_log2: f64,
        modulus_log2: f64,
        log_slots: u32,
        (bits, shares): (u32, u32),
    ) -> Result<u32> {
        let refuse = |reason: String| Err(Error::NotSharable { reason });
        let error = planned.bound();
        if !error.is_finite() || error >= f64::MAX {
            return refuse(
                "no bound of its error is proved, as after bootstrapping; share what was not bootstrapped".into(),
            );
        }
        let log_sigma = self.log_sigma(error)?;
        if log_sigma > MAX_FLOODING_BITS {
            return refuse(format!(
                "hiding its error of 2^{:.1} takes noise of 2^{log_sigma}, and 2^{MAX_FLOODING_BITS} is the widest: rescale before",
                error.log2()
            ));
        }
        let possible = possible_bits(scale_log2, log_sigma, log_slots, shares);
        if f64::from(bits) > possible {
            return refuse(format!(
                "its error is below 2^{:.1} at scale 2^{scale_log2:.1}, and hiding it takes noise of 2^{log_sigma}, which leaves {} bits \
                 after the point of {bits}: ask for fewer bits, or take a preset whose name has \"share\" in it",
                error.log2(),
                possible.floor().max(0.0),
            ));
        }
        let noise = f64::from(log_sigma).exp2() * WIDEST * f64::from(shares);
        let size = planned.size_log2();
        if (size.exp2() + noise).log2() >= modulus_log2 - 1.0 {
            return refuse(format!(
                "values of 2^{size:.1} and noise of 2^{log_sigma} do not fit into a modulus of {modulus_log2:.1} bits: share at a higher \
                 level"
            ));
        }
        Ok(log_sigma)
    }
}

/// The bits after the point of values with noises of `2^log_sigma` in each coefficient, one in each share. In
/// a slot's real part the noise of 2n coefficients, for n slots, is sqrt(n) times as wide.
pub(crate) fn possible_bits(scale_log2: f64, log_sigma: u32, log_slots: u32, shares: u32) -> f64 {
    scale_log2 - f64::from(log_sigma) - 0.5 * (f64::from(log_slots) + f64::from(shares).log2())
}

/// Counts the answers that are given under a key. Copies of the key, also those of other processes,
/// can share one count.
pub trait CountAnswers: Send + Sync {
    /// How many answers were given, as far as this process knows.
    fn given(&self) -> u64;

    /// Counts one more answer, before it is given, up to `limit` in all. Fails with
    /// [`Error::AnswersExhausted`], and where the count cannot be kept.
    fn give(&self, limit: u64) -> Result<()>;
}

/// A count in memory.
impl CountAnswers for AtomicU64 {
    fn given(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }

    fn give(&self, limit: u64) -> Result<()> {
        let more = |given| (given < limit).then_some(given + 1);
        let given = self.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        given.map(drop).map_err(|given| Error::AnswersExhausted { given, limit })
    }
}

/// The count of answers of a secret key: in memory, until somebody else keeps it.
pub(crate) struct Answers(Mutex<Arc<dyn CountAnswers>>);

impl Answers {
    pub(crate) fn after(given: u64) -> Self {
        Self(Mutex::new(Arc::new(AtomicU64::new(given))))
    }

    pub(crate) fn keep_in(&self, count: Arc<dyn CountAnswers>) {
        *host::lock(&self.0) = count;
    }

    pub(crate) fn given(&self) -> u64 {
        self.count().given()
    }

    pub(crate) fn give(&self, limit: u64) -> Result<()> {
        self.count().give(limit)
    }

    /// The count, outside of the lock: keeping it can take long.
    fn count(&self) -> Arc<dyn CountAnswers> {
        Arc::clone(&host::lock(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_the_theorem() {
        // sqrt(12 * 2^10) 2^20 t = 2^26.79 t
        assert_eq!(Sharing::default().log_sigma(1024.0).unwrap(), 37);
        let other = Sharing { security: 80, answers: 1 };
        assert_eq!(other.log_sigma(1.0).unwrap(), 42);
        assert!(Sharing { security: 129, answers: 1 }.log_sigma(1.0).is_err());
        assert!(Sharing { security: 40, answers: 0 }.log_sigma(1.0).is_err());
    }

    #[test]
    fn answers_are_counted() {
        let answers = Answers::after(1);
        answers.give(3).unwrap();
        answers.give(3).unwrap();
        assert_eq!(answers.give(3), Err(Error::AnswersExhausted { given: 3, limit: 3 }));
        assert_eq!(answers.given(), 3);
        answers.keep_in(Arc::new(AtomicU64::new(7)));
        answers.give(8).unwrap();
        assert_eq!(answers.give(8), Err(Error::AnswersExhausted { given: 8, limit: 8 }));
    }
}
