//! Numbers in errors about integers.

use std::fmt;

/// A number that was given in place of an integer, or an integer of any size. Doubles do not hold
/// integers above 2^53.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// A number that is no integer, or one too large for the other variant.
    Real(f64),
}

impl From<i64> for Number {
    fn from(x: i64) -> Self {
        Self::Integer(x.into())
    }
}

impl From<i128> for Number {
    fn from(x: i128) -> Self {
        Self::Integer(x)
    }
}

impl From<f64> for Number {
    fn from(x: f64) -> Self {
        Self::Real(x)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(x) => write!(f, "{x}"),
            // digits after the 17th would be invented
            Self::Real(x) if x.is_finite() && x.abs() >= 1e16 => write!(f, "{x:e}"),
            Self::Real(x) => write!(f, "{x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn an_overflow_names_every_digit() {
        let error = Error::IntegerOverflow { index: 3, value: 12_345_678_901_234_567_890, modulus: (1 << 66) + 117 };
        assert_eq!(
            error.to_string(),
            "the value 12345678901234567890 of slot 3 does not fit 64 bits with sign; it is exact modulo T = 73786976294838206581: \
             compute with smaller values"
        );
    }

    #[test]
    fn integers_are_exact_and_doubles_invent_no_digits() {
        let text = |x: Number| x.to_string();
        assert_eq!(text(Number::from(i64::MAX)), "9223372036854775807");
        assert_eq!(text(Number::from(-(1i128 << 70) - 1)), "-1180591620717411303425");
        assert_eq!(text(0.5.into()), "0.5");
        assert_eq!(text(2f64.powi(200).into()), "1.6069380442589903e60");
        assert_eq!(text(f64::NAN.into()), "NaN");
    }
}
