//! The security of the ephemeral sparse secret of bootstrapping.
//!
//! Bootstrapping raises the modulus under a secret with few non-zero coefficients. One key is
//! encrypted under that secret, modulo q_0 times one special prime. The table of the security
//! guidelines ([`super::security`]) covers dense secrets only. The table here has the cheaper of two
//! attacks on ring-LWE with a ternary secret of h non-zero coefficients and error of standard
//! deviation 3.19, in the cost model MATZOV:
//!
//! * the dual hybrid attack with a meet in the middle, by the lattice estimator (commit 27a581b);
//! * the primal hybrid attack that guesses over the rotations of the secret (ePrint 2026/279), by a
//!   computation of our own. It is the cheaper one on every row.
//!
//! ePrint 2026/366 is not covered.

use super::security::SecurityLevel;
use crate::{Error, Result};

struct Row {
    log_n: u32,
    /// h: the number of non-zero coefficients of the secret.
    weight: u32,
    log_modulus: f64,
    /// Binary logarithm of the cost of the cheapest attack.
    bits: f64,
}

/// Smallest ring first, then fewest coefficients, then smallest modulus.
const TABLE: [Row; 12] = [
    Row { log_n: 14, weight: 40, log_modulus: 76.0, bits: 148.0 },
    Row { log_n: 15, weight: 32, log_modulus: 90.0, bits: 146.9 },
    Row { log_n: 15, weight: 32, log_modulus: 93.0, bits: 145.9 },
    Row { log_n: 15, weight: 32, log_modulus: 94.0, bits: 145.5 },
    Row { log_n: 15, weight: 32, log_modulus: 100.0, bits: 143.5 },
    Row { log_n: 16, weight: 32, log_modulus: 94.0, bits: 169.6 },
    Row { log_n: 16, weight: 32, log_modulus: 99.0, bits: 168.1 },
    Row { log_n: 16, weight: 32, log_modulus: 100.0, bits: 167.8 },
    Row { log_n: 16, weight: 32, log_modulus: 121.0, bits: 162.0 },
    Row { log_n: 17, weight: 32, log_modulus: 100.0, bits: 192.2 },
    Row { log_n: 17, weight: 32, log_modulus: 121.0, bits: 186.3 },
    Row { log_n: 17, weight: 40, log_modulus: 100.0, bits: 227.0 },
];

/// Bits by which the figures of the table may be too high.
const UNCERTAINTY: f64 = 0.5;

/// Rows for at most `weight` coefficients: a secret with more is taken to be as strong.
fn rows(log_n: u32, weight: u32) -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(move |r| r.log_n == log_n && r.weight <= weight)
}

/// Estimated bits of security of a secret with `weight` non-zero coefficients, in ring degree
/// `2^log_n` and under a modulus of `log_modulus` bits, within half a bit; `None` if no row applies.
///
/// A modulus smaller than that of a row gets the figure of the row, which is too low, never too
/// high.
pub fn ephemeral_security(log_n: u32, weight: u32, log_modulus: f64) -> Option<f64> {
    let holding = rows(log_n, weight).filter(|r| log_modulus <= r.log_modulus);
    holding.map(|r| r.bits).max_by(f64::total_cmp)
}

/// The bits that an estimate of [`ephemeral_security`] is worth for certain: half a bit less.
pub fn certain_security(estimate: f64) -> f64 {
    estimate - UNCERTAINTY
}

/// Accepts an ephemeral secret whose security is at least `level`, also if the estimate is half a
/// bit too high. The error says what to change.
pub(crate) fn require(log_n: u32, weight: u32, log_modulus: f64, level: SecurityLevel) -> Result<()> {
    let estimate = ephemeral_security(log_n, weight, log_modulus);
    if estimate.is_some_and(|bits| certain_security(bits) >= f64::from(level.bits())) {
        return Ok(());
    }
    let (security, instead) = (level.bits(), way_out(log_n, (weight, log_modulus), level.bits()));
    Err(Error::EphemeralSecret { log_n, weight, log_modulus, estimate, security, instead })
}

/// What would be accepted instead, as text for the error message.
fn way_out(log_n: u32, (weight, log_modulus): (u32, f64), security: u32) -> String {
    let wanted = f64::from(security);
    let enough = |r: &&Row| certain_security(r.bits) >= wanted;
    let mut ways: Vec<String> = vec![];
    let modulus = rows(log_n, weight).filter(enough).map(|r| r.log_modulus).max_by(f64::total_cmp);
    if let Some(modulus) = modulus {
        ways.push(format!("use a q_0 and a first special prime of at most {modulus} bits together"));
    }
    let holding = rows(log_n, u32::MAX).filter(|r| log_modulus <= r.log_modulus && r.weight > weight);
    if let Some(heavier) = holding.filter(enough).map(|r| r.weight).min() {
        let verb = if ways.is_empty() { "use " } else { "" };
        ways.push(format!("{verb}at least {heavier} non-zero coefficients"));
    }
    let best = rows(log_n, weight).map(|r| certain_security(r.bits)).max_by(f64::total_cmp).unwrap_or(0.0);
    let level = SecurityLevel::ALL.into_iter().rev().find(|l| f64::from(l.bits()) <= best.min(wanted - 1.0));
    if let Some(level) = level {
        ways.push(format!("ask for security={}", level.bits()));
    }
    if ways.is_empty() && rows(log_n, weight).next().is_none() {
        return "there are estimates for N = 2^15 to 2^17 and at least 32 coefficients, and for N = 2^14 and at least 40"
            .into();
    }
    if ways.is_empty() { "use a larger ring".into() } else { ways.join(", or ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_modulus_is_worth_less_a_larger_ring_and_a_heavier_secret_more() {
        for pair in TABLE.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            assert!(a.log_n <= b.log_n);
            let heavier = a.weight < b.weight && a.bits < b.bits;
            assert!(a.log_n < b.log_n || heavier || (a.log_modulus < b.log_modulus && a.bits > b.bits));
        }
        let figure = |log_n| ephemeral_security(log_n, 32, 100.0).unwrap();
        assert!(figure(15) < figure(16) && figure(16) < figure(17));
    }

    /// A modulus counts as the next larger one listed; nothing listed is worth nothing.
    #[test]
    fn estimates_are_conservative() {
        let rows = [
            (14, 40, 76.0, Some(148.0)),
            (14, 40, 76.1, None),
            (14, 39, 50.0, None),
            (15, 32, 50.0, Some(146.9)),
            (15, 32, 93.0, Some(145.9)),
            (15, 32, 94.0, Some(145.5)),
            (15, 32, 94.1, Some(143.5)),
            (15, 32, 100.1, None),
            (16, 32, 94.0, Some(169.6)),
            (16, 32, 98.9, Some(168.1)),
            (16, 32, 99.99, Some(167.8)),
            (16, 32, 110.0, Some(162.0)),
            (16, 192, 121.0, Some(162.0)),
            (16, 31, 50.0, None),
            (17, 32, 100.0, Some(192.2)),
            (17, 32, 121.0, Some(186.3)),
            (17, 40, 100.0, Some(227.0)),
            (17, 40, 101.0, Some(186.3)),
            (17, 32, f64::NAN, None),
            (14, 32, 50.0, None),
            (18, 32, 50.0, None),
        ];
        for (log_n, weight, modulus, bits) in rows {
            assert_eq!(ephemeral_security(log_n, weight, modulus), bits, "{log_n} {weight} {modulus}");
        }
    }

    #[test]
    fn refusals_say_what_would_do() {
        let text = |log_n, weight, modulus, level| require(log_n, weight, modulus, level).unwrap_err().to_string();
        assert!(require(17, 40, 100.0, SecurityLevel::Bits192).is_ok());
        assert_eq!(
            text(17, 32, 99.9, SecurityLevel::Bits256),
            "the ephemeral secret of h = 32 non-zero coefficients under 99.9 bits of modulus at N = 2^17 has an estimated \
             192.2 bits of security, not the 256 bits wanted: ask for security=128, or allow_insecure for experiments"
        );
        // 192.2 bits may be half a bit too high
        assert!(text(17, 32, 100.0, SecurityLevel::Bits192).contains(
            "192.2 bits of security, not the 192 bits wanted: use at least 40 non-zero coefficients, or ask for \
             security=128"
        ));
        assert!(text(17, 40, 121.0, SecurityLevel::Bits192).contains(
            "186.3 bits of security, not the 192 bits wanted: use a q_0 and a first special prime of at most 100 bits \
             together, or ask for security=128"
        ));
        assert!(text(16, 16, 99.9, SecurityLevel::Bits128).contains(
            "h = 16 non-zero coefficients under 99.9 bits of modulus at N = 2^16 has no estimate, not the 128 bits \
             wanted: use at least 32 non-zero coefficients"
        ));
        assert!(text(13, 32, 99.9, SecurityLevel::Bits128).contains(
            "there are estimates for N = 2^15 to 2^17 and at least 32 coefficients, and for N = 2^14 and at least 40"
        ));
        assert!(
            text(16, 32, 130.0, SecurityLevel::Bits128).contains("of at most 121 bits together, or allow_insecure")
        );
    }
}
