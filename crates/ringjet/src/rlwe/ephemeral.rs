//! The security of the ephemeral sparse secret of bootstrapping.
//!
//! Bootstrapping raises the modulus under a secret with few non-zero coefficients. One key is
//! encrypted under that secret, modulo q_0 times one special prime. The table of the security
//! guidelines ([`super::security`]) covers dense secrets only. The table here was made with the
//! lattice estimator (commit 27a581b, cost model MATZOV): ring-LWE with a ternary secret of h
//! non-zero coefficients and error of standard deviation 3.19. On every row the cheapest attack
//! found is the dual hybrid attack with a meet in the middle.

use std::fmt::Write as _;

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

/// Smallest ring first, then smallest modulus first.
const TABLE: [Row; 6] = [
    Row { log_n: 15, weight: 32, log_modulus: 94.0, bits: 149.2 },
    Row { log_n: 15, weight: 32, log_modulus: 100.0, bits: 146.2 },
    Row { log_n: 16, weight: 32, log_modulus: 100.0, bits: 170.8 },
    Row { log_n: 16, weight: 32, log_modulus: 121.0, bits: 164.5 },
    Row { log_n: 17, weight: 32, log_modulus: 100.0, bits: 194.0 },
    Row { log_n: 17, weight: 32, log_modulus: 121.0, bits: 189.0 },
];

/// Rows for at most `weight` coefficients: a secret with more is taken to be as strong.
fn rows(log_n: u32, weight: u32) -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(move |r| r.log_n == log_n && r.weight <= weight)
}

/// Estimated bits of security of a secret with `weight` non-zero coefficients, in ring degree
/// `2^log_n` and under a modulus of `log_modulus` bits; `None` if no row applies.
///
/// A modulus smaller than that of a row gets the figure of the row, which is too low, never too
/// high.
pub fn ephemeral_security(log_n: u32, weight: u32, log_modulus: f64) -> Option<f64> {
    let holding = rows(log_n, weight).filter(|r| log_modulus <= r.log_modulus);
    holding.map(|r| r.bits).max_by(f64::total_cmp)
}

/// Accepts an ephemeral secret with at least the security `level`. The error says what to change.
pub(crate) fn require(log_n: u32, weight: u32, log_modulus: f64, level: SecurityLevel) -> Result<()> {
    let estimate = ephemeral_security(log_n, weight, log_modulus);
    if estimate.is_some_and(|bits| bits >= f64::from(level.bits())) {
        return Ok(());
    }
    let (security, instead) = (level.bits(), way_out(log_n, weight, level.bits()));
    Err(Error::EphemeralSecret { log_n, weight, log_modulus, estimate, security, instead })
}

/// What would be accepted instead, as text for the error message.
fn way_out(log_n: u32, weight: u32, security: u32) -> String {
    if rows(log_n, weight).next().is_none() {
        return "there are estimates for N = 2^15 to 2^17 and at least 32 coefficients".into();
    }
    let mut out = String::new();
    let wanted = f64::from(security);
    let enough = rows(log_n, weight).filter(|r| r.bits >= wanted).map(|r| r.log_modulus).max_by(f64::total_cmp);
    if let Some(modulus) = enough {
        let _ = write!(out, "use a q_0 and a first special prime of at most {modulus} bits together");
    }
    let best = rows(log_n, weight).map(|r| r.bits).max_by(f64::total_cmp).unwrap_or(0.0);
    let level = SecurityLevel::ALL.into_iter().rev().find(|l| f64::from(l.bits()) <= best.min(wanted - 1.0));
    if let Some(level) = level {
        let or = if out.is_empty() { "" } else { ", or " };
        let _ = write!(out, "{or}ask for security={}", level.bits());
    }
    if out.is_empty() {
        out.push_str("use a larger ring");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_modulus_is_worth_less_and_a_larger_ring_more() {
        for pair in TABLE.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            assert!(a.log_n <= b.log_n);
            assert!(a.log_n < b.log_n || (a.log_modulus < b.log_modulus && a.bits > b.bits));
        }
        let figure = |log_n| ephemeral_security(log_n, 32, 100.0).unwrap();
        assert!(figure(15) < figure(16) && figure(16) < figure(17));
    }

    /// A modulus counts as the next larger one listed; nothing listed is worth nothing.
    #[test]
    fn estimates_are_conservative() {
        let rows = [
            (15, 32, 50.0, Some(149.2)),
            (15, 32, 94.0, Some(149.2)),
            (15, 32, 94.1, Some(146.2)),
            (15, 32, 100.1, None),
            (16, 32, 99.99, Some(170.8)),
            (16, 32, 110.0, Some(164.5)),
            (16, 192, 121.0, Some(164.5)),
            (16, 31, 50.0, None),
            (17, 32, 100.0, Some(194.0)),
            (17, 32, 121.0, Some(189.0)),
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
        assert!(require(17, 32, 100.0, SecurityLevel::Bits192).is_ok());
        assert_eq!(
            text(17, 32, 99.9, SecurityLevel::Bits256),
            "the ephemeral secret of h = 32 non-zero coefficients under 99.9 bits of modulus at N = 2^17 has an estimated \
             194.0 bits of security, not the 256 bits wanted: ask for security=192, or allow_insecure for experiments"
        );
        assert!(text(17, 32, 121.0, SecurityLevel::Bits192).contains(
            "189.0 bits of security, not the 192 bits wanted: use a q_0 and a first special prime of at most 100 bits \
             together, or ask for security=128"
        ));
        assert!(text(16, 16, 99.9, SecurityLevel::Bits128).contains(
            "h = 16 non-zero coefficients under 99.9 bits of modulus at N = 2^16 has no estimate, not the 128 bits \
             wanted: there are estimates for N = 2^15 to 2^17 and at least 32 coefficients"
        ));
        assert!(
            text(16, 32, 130.0, SecurityLevel::Bits128).contains("of at most 121 bits together, or allow_insecure")
        );
    }
}
