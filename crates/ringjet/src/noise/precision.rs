//! Precision in words.

/// Bits of precision as they are printed: at most 0 where the error is as large as the values, "exact" where there is none.
pub fn precision_text(bits: f64) -> String {
    match bits {
        _ if bits.is_nan() => "precision unknown".into(),
        f64::INFINITY => "exact".into(),
        // what would be rounded to 0.0, and all below
        _ if bits < 0.05 => "0 bits: the error is as large as the values".into(),
        _ => format!("about {bits:.1} bits"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_bits_are_negative_or_infinite() {
        let none = "0 bits: the error is as large as the values";
        let rows = [
            (23.64, "about 23.6 bits"),
            (0.06, "about 0.1 bits"),
            (0.0, none),
            (-429.4, none),
            (f64::NEG_INFINITY, none),
            (f64::INFINITY, "exact"),
            (f64::NAN, "precision unknown"),
        ];
        for (bits, text) in rows {
            assert_eq!(super::precision_text(bits), text);
        }
    }
}
