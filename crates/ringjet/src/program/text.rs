//! Numbers for people.

/// A number with four significant digits, as C's `%.4g` writes it.
pub(super) fn short(x: f64) -> String {
    general(x, 4)
}

pub(super) fn short3(x: f64) -> String {
    general(x, 3)
}

pub(super) fn short6(x: f64) -> String {
    general(x, 6)
}

fn general(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x.is_finite() { "0".into() } else { x.to_string().to_lowercase() };
    }
    let scientific = format!("{:.*e}", digits - 1, x);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed =
        |s: &str| if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.').into() } else { s.to_owned() };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
    }
    trimmed(&format!("{:.*}", (digits as i32 - 1 - exponent).max(0) as usize, x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_c_writes_them() {
        let texts = [1.0, 0.001, 1234.56, 123_456.0, -0.25, 1e-5, 0.1 + 0.2, 9999.9, 0.0].map(short);
        assert_eq!(texts, ["1", "0.001", "1235", "1.235e+05", "-0.25", "1e-05", "0.3", "1e+04", "0"]);
        assert_eq!([short(f64::INFINITY), short3(1.0 / 3.0), short6(-8.0)], ["inf", "0.333", "-8"]);
    }
}
