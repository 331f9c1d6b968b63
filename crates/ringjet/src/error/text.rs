//! Parts of error messages, and the unit in which a scheme counts the modulus.

/// The unit in which a scheme counts how much of a ciphertext's modulus is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Levels: the number of rescalings that are left.
    Levels,
    /// Bits of a modulus that is a power of two.
    Bits,
}

/// Asks whether one of the names was meant, and begins the list of all names.
pub(super) fn meant(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("{name:?}")).collect();
    if quoted.is_empty() { "; there are".into() } else { format!(": did you mean {}? There are", quoted.join(" or ")) }
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
             divide the values, or use a smaller scale or a larger modulus"
        ),
    }
}

/// Describes how two moduli differ.
pub(super) fn moduli(unit: Unit, lhs: usize, rhs: usize) -> String {
    match unit {
        Unit::Levels => format!("levels {lhs} and {rhs} differ: bring both operands to the lower one"),
        Unit::Bits => format!("moduli of {lhs} and {rhs} bits differ: bring both operands to the smaller one"),
    }
}

/// Says which other numbers of slots can be bootstrapped, and how to bootstrap all.
pub(super) fn other_slots(available: &[usize]) -> String {
    match available {
        [] => ": make the evaluation keys for this number of slots".into(),
        _ => format!(", only of {available:?}: make the keys for this number too, or change the ciphertext's"),
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
             parameters with a larger modulus"
        ),
    }
}

/// Says which levels a polynomial takes, how many there are, and which degree they are enough for.
pub(super) fn too_deep(degree: usize, needed: usize, left: usize, fresh: Option<usize>) -> String {
    let most = fresh.map_or(left, |fresh| fresh.max(left));
    let given = if most > left { format!(" and bootstrapping gives {most}") } else { String::new() };
    // an interval that no whole number maps to [-1, 1] takes a level
    let mapped = needed > (degree + 1).next_power_of_two().ilog2() as usize;
    let part = if mapped { ", one of them for its interval" } else { "" };
    let fits = match most.saturating_sub(usize::from(mapped)) {
        0 => "none fits".into(),
        levels => format!("a degree of {} fits", (1u128 << levels.min(64)) - 1),
    };
    format!(
        "{needed} level(s){part}, but {left} are left{given}: {fits}. Accept a larger error or a narrower interval, which take a \
         lower degree, compute it earlier, or take parameters with more levels"
    )
}

/// The pieces of a secret in a sentence; nothing for no pieces.
pub(super) fn of_pieces(all: &[usize]) -> String {
    let text: Vec<String> = all.iter().map(usize::to_string).collect();
    match all {
        [] => String::new(),
        [_] => format!(" for piece {} of the secret", text[0]),
        _ => format!(" for the pieces {} of the secret", text.join(", ")),
    }
}

/// Names of parties in a sentence.
pub(super) fn names(all: &[String]) -> String {
    match all {
        [] => "nobody".into(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Formats a number with five significant digits.
pub(crate) fn short(x: f64) -> String {
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
    use super::{enough, short, too_deep};

    #[test]
    fn a_polynomial_that_is_too_deep_says_which_degree_fits() {
        let rows = [
            (too_deep(31, 5, 3, None), "5 level(s), but 3 are left: a degree of 7 fits. "),
            (
                too_deep(31, 6, 3, None),
                "6 level(s), one of them for its interval, but 3 are left: a degree of 3 fits. ",
            ),
            (too_deep(31, 5, 0, None), "5 level(s), but 0 are left: none fits. "),
            (
                too_deep(2047, 11, 3, Some(9)),
                "11 level(s), but 3 are left and bootstrapping gives 9: a degree of 511 fits. ",
            ),
        ];
        for (text, begins) in rows {
            assert!(text.starts_with(begins), "{text}");
        }
    }

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
