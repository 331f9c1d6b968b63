//! The largest secure modulus of a ring degree, and the security of a given modulus.
//!
//! The figures are those of the *Security Guidelines for Implementing Homomorphic Encryption*
//! (Bossuat et al., ePrint 2024/463, Table 5.2): classical attacks, secret uniform on {-1, 0, 1},
//! error of standard deviation 3.19. They bound the binary logarithm of the largest modulus under
//! which anything is encrypted: **Q * P**, where P is the product of the special primes of key
//! switching. They do not cover sparse secrets.

use std::fmt;

use crate::Error;

/// Bits of security against classical attacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum SecurityLevel {
    /// 128 bits.
    Bits128 = 128,
    /// 192 bits.
    Bits192 = 192,
    /// 256 bits.
    Bits256 = 256,
}

impl SecurityLevel {
    /// All levels, weakest first.
    pub(crate) const ALL: [Self; 3] = [Self::Bits128, Self::Bits192, Self::Bits256];

    /// The number of bits.
    pub const fn bits(self) -> u32 {
        self as u32
    }

    /// The level of `bits` bits, if it is one of the table's.
    pub fn from_bits(bits: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.bits() == bits)
    }

    /// The level of `bits` bits that a parameter set asks for. Fails with [`Error::Parameters`]
    /// unless it is 128, 192 or 256.
    pub(crate) fn of(bits: u32) -> crate::Result<Self> {
        let refusal = || Error::Parameters(format!("security of {bits} bits: 128, 192 or 256 are known"));
        Self::from_bits(bits).ok_or_else(refusal)
    }
}

impl fmt::Display for SecurityLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bits", self.bits())
    }
}

/// `(log_n, [largest log2(QP) at 128, 192, 256 bits])`; 0 where the table has no entry.
/// Source: ePrint 2024/463, Table 5.2, classical, ternary secret, sigma = 3.19.
const TABLE: [(u32, [u32; 3]); 8] = [
    (10, [26, 0, 0]),
    (11, [53, 36, 27]),
    (12, [106, 73, 56]),
    (13, [214, 147, 114]),
    (14, [430, 297, 230]),
    (15, [868, 597, 462]),
    (16, [1747, 1199, 929]),
    (17, [3523, 2411, 1866]),
];

/// Largest log2(QP) for ring degree `2^log_n` and a dense ternary secret; `None` if unknown.
pub fn max_log_qp(log_n: u32, level: SecurityLevel) -> Option<u32> {
    let (_, bounds) = TABLE.iter().find(|(l, _)| *l == log_n)?;
    SecurityLevel::ALL.into_iter().zip(*bounds).find(|&(l, bits)| l == level && bits > 0).map(|(_, bits)| bits)
}

/// The security of one modulus in one ring by the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Binary logarithm of the ring degree.
    pub log_n: u32,
    /// log2(QP) of the parameter set.
    pub log_qp: f64,
    /// The highest level of the table that is reached; `None` below 128 bits.
    pub level: Option<SecurityLevel>,
    /// The table's largest log2(QP) for `level`, or for 128 bits without a level; 0 outside the
    /// table.
    pub max_log_qp: u32,
    /// Bits by which `log_qp` is below `max_log_qp`; negative if it is above.
    pub margin_bits: f64,
    /// `margin_bits` in per cent of `max_log_qp`.
    pub margin_percent: f64,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            Some(level) => write!(f, "{level} of security")?,
            None => write!(f, "below 128 bits of security")?,
        }
        write!(f, " (log2 QP = {:.1}", self.log_qp)?;
        match self.max_log_qp {
            0 => write!(f, ", no bound is known at N = 2^{})", self.log_n),
            max => write!(f, " of {max} at N = 2^{}, {})", self.log_n, self.margin_text()),
        }
    }
}

/// The level that a modulus of `log_qp` bits reaches in ring degree `2^log_n` with a dense ternary
/// secret, and the margin.
///
/// A ring degree outside the table, or a `log_qp` that is NaN, reaches no level.
pub(crate) fn security_of(log_n: u32, log_qp: f64) -> Estimate {
    let reached = |&l: &SecurityLevel| max_log_qp(log_n, l).is_some_and(|max| log_qp <= f64::from(max));
    Estimate::of(log_n, log_qp, SecurityLevel::ALL.into_iter().rev().find(reached))
}

impl Estimate {
    /// The margin as text: the bits to spare, or the bits too many.
    pub fn margin_text(&self) -> String {
        match self.margin_bits {
            _ if self.max_log_qp == 0 => "no bound is known".into(),
            bits if bits < 0.0 => format!("{:.1} bits too many", -bits),
            bits => format!("margin {bits:.1} bits, {:.1} %", self.margin_percent),
        }
    }

    /// Lowers the level to at most `bits` bits, the security of another part of the parameter set.
    #[must_use]
    pub(crate) fn at_most(self, bits: f64) -> Self {
        if self.level.is_none_or(|level| f64::from(level.bits()) <= bits) {
            return self;
        }
        let level = SecurityLevel::ALL.into_iter().rev().find(|l| f64::from(l.bits()) <= bits);
        Self::of(self.log_n, self.log_qp, level)
    }

    /// The estimate with the margin to the bound of `level`, or of 128 bits without a level.
    fn of(log_n: u32, log_qp: f64, level: Option<SecurityLevel>) -> Self {
        let max = max_log_qp(log_n, level.unwrap_or(SecurityLevel::Bits128)).unwrap_or(0);
        let margin_bits = f64::from(max) - log_qp;
        let margin_percent = if max == 0 { f64::NEG_INFINITY } else { 100.0 * margin_bits / f64::from(max) };
        Self { log_n, log_qp, level, max_log_qp: max, margin_bits, margin_percent }
    }
}

#[cfg(test)]
mod tests {
    use super::SecurityLevel::*;
    use super::*;

    #[test]
    fn table_is_monotone() {
        for w in TABLE.windows(2) {
            assert_eq!(w[0].0 + 1, w[1].0);
            assert!((0..3).all(|i| 2 * w[0].1[i] <= w[1].1[i]));
        }
        assert!(TABLE.iter().all(|(_, r)| r[0] > r[1] && r[1] >= r[2]));
    }

    #[test]
    fn bounds_and_levels() {
        let rows = [
            (10, 26.0, Some(Bits128), 0.0),
            (10, 26.01, None, -0.01),
            (13, 214.0, Some(Bits128), 0.0),
            (13, 147.0, Some(Bits192), 0.0),
            (13, 114.0, Some(Bits256), 0.0),
            (13, 115.0, Some(Bits192), 32.0),
            (16, 1712.0, Some(Bits128), 35.0),
            (16, 1747.1, None, -0.1),
            (16, 929.0, Some(Bits256), 0.0),
            (17, 3523.0, Some(Bits128), 0.0),
        ];
        for (log_n, log_qp, level, margin) in rows {
            let e = security_of(log_n, log_qp);
            assert_eq!(e.level, level, "{e}");
            assert!((e.margin_bits - margin).abs() < 1e-9, "{e}");
        }
        let limited = security_of(17, 1800.0).at_most(194.0);
        assert_eq!((limited.level, limited.max_log_qp), (Some(Bits192), 2411));
        assert_eq!(security_of(17, 2000.0).at_most(194.0), security_of(17, 2000.0));
        assert_eq!(security_of(17, 1800.0).at_most(0.0).level, None);
        assert!((security_of(16, 1712.0).margin_percent - 2.003).abs() < 1e-3);
        assert_eq!(security_of(9, 10.0).level, None);
        assert_eq!(security_of(16, f64::NAN).level, None);
        let texts = [(16, 1747.1), (16, 1000.0), (9, 10.0)].map(|(n, bits)| security_of(n, bits).to_string());
        assert_eq!(texts[0], "below 128 bits of security (log2 QP = 1747.1 of 1747 at N = 2^16, 0.1 bits too many)");
        assert!(texts[1].starts_with("192 bits of security (log2 QP = 1000.0 of 1199 at N = 2^16, margin 199.0 bits"));
        assert_eq!(texts[2], "below 128 bits of security (log2 QP = 10.0, no bound is known at N = 2^9)");
        assert_eq!(max_log_qp(10, Bits192), None);
        assert_eq!(max_log_qp(18, Bits128), None);
        assert_eq!(max_log_qp(11, Bits256), Some(27));
        assert_eq!(SecurityLevel::from_bits(192), Some(Bits192));
        assert_eq!(SecurityLevel::from_bits(129), None);
    }
}
