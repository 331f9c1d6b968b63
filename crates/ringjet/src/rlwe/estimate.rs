//! An estimate of the security of a dense secret under any modulus, between and below the levels of
//! the guidelines' table ([`super::security`]). It is for information: parameters are judged by the
//! table.
//!
//! The attack is the primal one (unique shortest vector) on ring-LWE with a secret uniform on
//! {-1, 0, 1}, error of standard deviation 3.19 and N samples: BKZ with blocks of b finds the error
//! where its projection is shorter than the vector that the geometric series assumption predicts
//! (Albrecht, Göpfert, Virdia and Wunderer, ePrint 2017/815). Its cost is that of the model MATZOV
//! (2022) for classical sieves: `C * (d - b)` calls of a sieve with `C * 2^(0.2961 b' + 20.39)`
//! gates, b' being b less the dimensions for free (Ducas, ePrint 2017/999). Other attacks are not
//! estimated. On dense secrets they hardly differ; on sparse ones hybrid attacks cost far less, so
//! sparse secrets get no figure.

use std::f64::consts::{E, PI};

use super::ring::MAX_LOG_N;

/// Standard deviation of the error.
const SIGMA: f64 = 3.19;
/// Gates of a sieve in dimension b': `2^(SLOPE * b' + OFFSET)`, the fit of MATZOV for list decoding.
const SLOPE: f64 = 0.296_135_003_082_053_65;
const OFFSET: f64 = 20.387_885_985_467_914;
/// The smallest block for which the formulas hold.
const MIN_BLOCK: u32 = 60;

/// An instance of the primal attack: sizes as binary logarithms.
struct Primal {
    n: f64,
    log_q: f64,
    /// By how much the error is larger than the secret, whose part of the lattice is scaled.
    log_ratio: f64,
}

impl Primal {
    /// The dimension of the lattice that serves blocks of b best, with at most N samples.
    fn dimension(&self, log_delta: f64) -> f64 {
        let best = (self.n * (self.log_q - self.log_ratio) / log_delta).sqrt();
        best.floor().clamp(self.n + 2.0, 2.0 * self.n + 1.0)
    }

    /// Whether BKZ with blocks of b finds the error, and the lattice's dimension.
    fn succeeds(&self, b: f64) -> (bool, f64) {
        let log_delta = log_delta(b);
        let d = self.dimension(log_delta).max(b + 1.0);
        let log_volume = (d - self.n - 1.0) * self.log_q + self.n * self.log_ratio + SIGMA.log2();
        let projected = SIGMA.log2() + b.log2() / 2.0;
        (projected <= (2.0 * b - d - 1.0) * log_delta + log_volume / d, d)
    }
}

/// Binary logarithm of the root-Hermite factor of BKZ with blocks of b (Chen's formula).
fn log_delta(b: f64) -> f64 {
    ((b / (2.0 * PI * E)).log2() + (PI * b).log2() / b) / (2.0 * (b - 1.0))
}

/// Binary logarithm of the gates of BKZ with blocks of b in dimension d.
fn log_cost(b: f64, d: f64) -> f64 {
    let free = b * (4.0_f64 / 3.0).ln() / (b / (2.0 * PI * E)).ln();
    let progressive = -(1.0 - (-SLOPE).exp2()).log2();
    2.0 * progressive + (d - b).max(1.0).log2() + SLOPE * (b - free) + OFFSET
}

/// Binary logarithm of the cost of the primal attack on a dense ternary secret in ring degree
/// `2^log_n` under a modulus of `log_modulus` bits. At the bounds of the guidelines' table it is at
/// most 1 bit above the table's security for ring degrees from 2^15 on, 2.5 bits for 2^13 and 2^14,
/// and 6 bits for 2^11 and 2^12 (15 at 256 bits). `None` for ring degrees below 2^10 or above the
/// largest of the library, for moduli of at most 2 bits or NaN, and where blocks of less than 60 or
/// more than N are needed.
pub fn primal_security(log_n: u32, log_modulus: f64) -> Option<f64> {
    if !(10..=MAX_LOG_N).contains(&log_n) || log_modulus.is_nan() || log_modulus <= 2.0 {
        return None;
    }
    let n = f64::from(log_n).exp2();
    let ratio = SIGMA / (2.0_f64 / 3.0).sqrt();
    let attack = Primal { n, log_q: log_modulus, log_ratio: ratio.log2() };
    let (mut low, mut high) = (MIN_BLOCK, 1 << log_n);
    if attack.succeeds(low.into()).0 || !attack.succeeds(high.into()).0 {
        return None;
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        *(if attack.succeeds(middle.into()).0 { &mut high } else { &mut low }) = middle;
    }
    let b = f64::from(high);
    Some(log_cost(b, attack.succeeds(b).1))
}

#[cfg(test)]
mod tests {
    use super::super::security::{SecurityLevel, max_log_qp};
    use super::*;

    /// The guidelines' table (ePrint 2024/463, Table 5.2) has the largest moduli at 128, 192 and 256
    /// bits by several attacks; the primal attack alone costs no less, and hardly more.
    #[test]
    fn the_guidelines_table_is_reproduced() {
        for log_n in 11..=17 {
            for level in SecurityLevel::ALL {
                let Some(bound) = max_log_qp(log_n, level) else { continue };
                let above = primal_security(log_n, bound.into()).unwrap() - f64::from(level.bits());
                let most = match (log_n, level) {
                    (15.., _) => 0.9,
                    (13.., _) => 2.5,
                    (_, SecurityLevel::Bits256) => 15.0,
                    _ => 6.0,
                };
                assert!((0.0..most).contains(&above), "2^{log_n}, {level}: {above}");
            }
        }
    }

    #[test]
    fn a_larger_modulus_is_worth_less_and_a_larger_ring_more() {
        let bits = |log_n, q| primal_security(log_n, q).unwrap();
        for log_n in 14..=17 {
            let moduli: Vec<f64> = (8..40).map(|i| f64::from(i) * f64::from(1 << log_n) / 1024.0).collect();
            let all: Vec<f64> = moduli.iter().map(|&q| bits(log_n, q)).collect();
            assert!(all.windows(2).all(|w| w[0] > w[1]), "2^{log_n}: {all:?}");
        }
        assert!(bits(16, 1200.0) < bits(17, 1200.0));
    }

    #[test]
    fn what_has_no_estimate_gets_none() {
        for (log_n, modulus) in [(9, 20.0), (16, f64::NAN), (16, 0.0), (10, 2000.0), (40, 100.0)] {
            assert_eq!(primal_security(log_n, modulus), None, "2^{log_n}, {modulus}");
        }
    }
}
