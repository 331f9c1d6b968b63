//! Parts of error messages, and the unit in which a scheme counts the modulus.

/// The unit in which a scheme counts how much of a ciphertext's modulus is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Levels: the number of rescalings that are left.
    Levels,
    /// Bits of a modulus that is a power of two.
    Bits,
}

impl Unit {
    /// The property of a Python ciphertext that holds the number of units left.
    pub fn property(self) -> &'static str {
        match self {
            Self::Levels => "level",
            Self::Bits => "log_q",
        }
    }
}

/// The message of [`super::Error::TooLarge`].
pub(super) fn too_large(magnitude: f64, scale_log2: f64, needed: f64, available: f64, level: Option<usize>) -> String {
    match level {
        Some(level) => format!(
            "values up to {magnitude:e} at scale 2^{scale_log2:.2} need {needed:.1} bits, but level {level} holds \
             {available:.1}: divide the values, or use a smaller scale or a higher level"
        ),
        None => format!(
            "values up to {magnitude:e} at scale 2^{scale_log2} need a modulus of {needed} bits, but there are {available}: \
             divide the values, or use a smaller scale or a larger log_q"
        ),
    }
}

/// Describes how two moduli differ.
pub(super) fn moduli(unit: Unit, lhs: usize, rhs: usize) -> String {
    match unit {
        Unit::Levels => format!("levels {lhs} and {rhs} differ: call drop_level or align"),
        Unit::Bits => format!("moduli of {lhs} and {rhs} bits differ: call mod_down_to or align"),
    }
}

/// Says how much modulus is needed, how much is left, and how to have more.
pub(super) fn exhausted(unit: Unit, needed: usize, left: usize) -> String {
    match unit {
        Unit::Levels => format!(
            "{needed} level(s), but {left} are left: bootstrap earlier, or encrypt under parameters with more levels"
        ),
        Unit::Bits => format!(
            "{needed} bits of modulus, but {left} are left: bootstrap earlier, use smaller scales, or encrypt under \
             parameters with a larger log_q"
        ),
    }
}

/// Formats a number with five significant digits.
pub(super) fn short(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) {
        let digits = 5 - 1 - (x.abs().max(1e-3).log10().floor() as i32);
        let unit = 10f64.powi(digits);
        return ((x * unit).round() / unit).to_string();
    }
    format!("{x:.3e}")
}

/// Rounds a number up to five significant digits.
pub(super) fn enough(x: f64) -> String {
    let digits = 5 - 1 - (x.log10().floor() as i32);
    let unit = 10f64.powi(digits);
    let up = (x * unit).ceil() / unit;
    // the division can round down below x
    let up = if up < x { ((x * unit).ceil() + 1.0) / unit } else { up };
    if (1e-3..1e6).contains(&up) { up.to_string() } else { format!("{up:e}") }
}

#[cfg(test)]
mod tests {
    use super::{enough, short};

    #[test]
    fn numbers_are_short_and_enough_is_enough() {
        let rows =
            [(0.0, "0"), (1.0, "1"), (-35.0, "-35"), (1.008862339, "1.0089"), (4.0, "4"), (2.366e39, "2.366e39")];
        assert_eq!(rows.map(|(x, _)| short(x)), rows.map(|(_, text)| text.to_string()));
        for x in [1.008862339, 1.0, 2.0 / 3.0, 1e-9, 123_456_789.0, 1e300, 0.1 + 0.2] {
            let found: f64 = enough(x).parse().unwrap();
            assert!(found >= x && found < x * 1.0002, "{x} {found}");
        }
    }
}
