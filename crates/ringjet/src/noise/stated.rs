//! What is stated of the values of a fresh ciphertext.

use super::Range;
use crate::{Error, Result};

/// Bounds on values that are stated when they are encrypted. They are public: the ciphertext carries
/// them, since the bounds of the values themselves would reveal something about them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stated {
    /// Real and imaginary parts are at most this large in absolute value.
    Magnitude(f64),
    /// Values are real, and between the two numbers.
    Interval(f64, f64),
}

impl From<f64> for Stated {
    fn from(magnitude: f64) -> Self {
        Self::Magnitude(magnitude)
    }
}

impl Stated {
    /// Refuses a magnitude that is not positive, and an interval whose ends are not finite or not in
    /// order. Fails with [`Error::Argument`].
    pub fn expect_valid(self) -> Result<()> {
        let (valid, value, expected) = match self {
            Self::Magnitude(m) => (m > 0.0 && m.is_finite(), m.to_string(), "a positive number"),
            Self::Interval(low, high) => {
                let finite = low.is_finite() && high.is_finite();
                (finite && low <= high, format!("({low}, {high})"), "finite bounds (low, high) with low <= high")
            }
        };
        if valid { Ok(()) } else { Err(Error::argument("magnitude", value, expected)) }
    }

    /// The value that fills slots without a value: the one nearest to 0 within the bounds.
    pub fn padding(self) -> f64 {
        match self {
            Self::Magnitude(_) => 0.0,
            // not `clamp`, which panics for bounds that are not in order
            Self::Interval(low, high) => 0f64.max(low).min(high),
        }
    }

    /// The range that is stated of values of which some are real, or none.
    pub fn range(self, real: bool) -> Range {
        match self {
            Self::Magnitude(magnitude) => Range::within(magnitude, real),
            Self::Interval(low, high) => Range::real(low, high),
        }
    }

    /// The range that a ciphertext of values within `found` states.
    /// Fails with [`Error::Argument`] as [`Stated::expect_valid`] does, and for complex values in an
    /// interval; [`Error::Magnitude`], [`Error::OutsideStated`] for values outside.
    pub(crate) fn of(self, found: Range) -> Result<Range> {
        self.expect_valid()?;
        match self {
            Self::Magnitude(stated) if found.largest_part() > stated => {
                Err(Error::Magnitude { found: found.largest_part(), stated })
            }
            Self::Magnitude(_) => Ok(self.range(found.is_real())),
            Self::Interval(..) if !found.is_real() => {
                let expected = "real values where magnitude is an interval: for complex values state one number";
                Err(Error::argument("values", "complex numbers", expected))
            }
            Self::Interval(low, high) if found.low() < low || found.high() > high => {
                let found = if found.low() < low { found.low() } else { found.high() };
                Err(Error::OutsideStated { found, low, high })
            }
            Self::Interval(..) => Ok(self.range(true)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_values_and_padding() {
        assert_eq!(Stated::Interval(0.2, 5.0).of(Range::real(0.2, 4.0)), Ok(Range::real(0.2, 5.0)));
        assert_eq!(Stated::from(2.0).of(Range::real(-1.0, 2.0)), Ok(Range::real(-2.0, 2.0)));
        for (found, low, high, outside) in [(0.2, 0.3, 5.0, 0.2), (-1.0, -2.0, -0.5, 4.0)] {
            let refused = Stated::Interval(low, high).of(Range::real(found, 4.0));
            assert_eq!(refused, Err(Error::OutsideStated { found: outside, low, high }));
        }
        let complex = Stated::Interval(0.0, 1.0).of(Range::complex(0.5)).unwrap_err();
        assert!(matches!(complex, Error::Argument { name: "values", .. }), "{complex}");
        let paddings = [(0.2, 5.0, 0.2), (-3.0, -1.0, -1.0), (-1.0, 1.0, 0.0), (5.0, 2.0, 2.0)];
        for (low, high, padding) in paddings {
            assert_eq!(Stated::Interval(low, high).padding(), padding);
        }
        for wrong in [Stated::Interval(5.0, 2.0), Stated::Interval(0.0, f64::NAN), Stated::from(0.0)] {
            let refused = wrong.expect_valid();
            assert!(matches!(refused, Err(Error::Argument { name: "magnitude", .. })), "{refused:?}");
        }
    }
}
