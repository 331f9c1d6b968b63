//! Values that an option allows, written as `40`, `15,16`, `8..` or `3..6`. Both ends are included.

use std::fmt;
use std::str::FromStr;

/// Allowed numbers: single ones, and ranges with both ends included.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    pub(super) parts: Vec<(f64, f64)>,
}

/// The text cannot be read as [`Limits`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no list of numbers and ranges: write 40, 15,16, 8.., ..12 or 3..6 (both ends included)")]
pub struct LimitsError {
    text: String,
}

impl Limits {
    /// Allows one number only.
    pub fn only(value: f64) -> Self {
        Self { parts: vec![(value, value)] }
    }

    /// Whether a number is allowed.
    pub fn contains(&self, value: f64) -> bool {
        self.parts.iter().any(|&(low, high)| (low..=high).contains(&value))
    }

    /// The smallest and the largest allowed number; infinite where a range is open.
    pub fn ends(&self) -> (f64, f64) {
        self.parts.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &(low, high)| (a.min(low), b.max(high)))
    }

    /// The allowed values from `low` to `high`: the single numbers, and the multiples of `step` in
    /// the ranges.
    pub(super) fn values(&self, low: f64, high: f64, step: f64) -> Vec<f64> {
        let mut all = vec![];
        for &(from, to) in &self.parts {
            if from == to {
                all.extend((low..=high).contains(&from).then_some(from));
                continue;
            }
            let (from, to) = (from.max(low), to.min(high));
            let mut value = (from / step).ceil() * step;
            while value <= to {
                all.push(value);
                value += step;
            }
        }
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }
}

impl FromStr for Limits {
    type Err = LimitsError;

    fn from_str(text: &str) -> Result<Self, LimitsError> {
        let refused = || LimitsError { text: text.into() };
        let number = |s: &str| s.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(refused);
        let part = |part: &str| -> Result<(f64, f64), LimitsError> {
            let Some((low, high)) = part.split_once("..") else { return number(part).map(|x| (x, x)) };
            let high = high.trim_start_matches('=');
            let low = if low.trim().is_empty() { f64::NEG_INFINITY } else { number(low)? };
            let high = if high.trim().is_empty() { f64::INFINITY } else { number(high)? };
            if low <= high { Ok((low, high)) } else { Err(refused()) }
        };
        Ok(Self { parts: text.split(',').map(part).collect::<Result<_, _>>()? })
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &(low, high)) in self.parts.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let end = |x: f64| if x.is_finite() { x.to_string() } else { String::new() };
            match low == high {
                true => write!(f, "{comma}{low}")?,
                false => write!(f, "{comma}{}..{}", end(low), end(high))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        let all = |text: &str, step: f64| text.parse::<Limits>().unwrap().values(0.0, 10.0, step);
        assert_eq!(all("4", 1.0), [4.0]);
        assert_eq!(all("8..,3", 1.0), [3.0, 8.0, 9.0, 10.0]);
        assert_eq!(all("..1,1", 0.5), [0.0, 0.5, 1.0]);
        assert_eq!(all("3.1..=3.6", 0.25), [3.25, 3.5]);
        assert!(all("11", 1.0).is_empty());
        let limits: Limits = "15,17..".parse().unwrap();
        assert!(limits.contains(15.0) && !limits.contains(16.0) && limits.contains(1e9));
        assert_eq!(limits.to_string(), "15,17..");
        assert_eq!(limits.ends(), (15.0, f64::INFINITY));
        for bad in ["", "a", "3..2", "1,,2", "nan", "1...2.."] {
            let text = bad.parse::<Limits>().unwrap_err().to_string();
            assert!(text.contains("both ends included"), "{text}");
        }
    }
}
