//! Counts candidates by the reason for which they are left out.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// The reason for which a candidate is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The ephemeral secret has less than the required security, or no estimate of it.
    Ephemeral,
    /// log2(QP) is above the bound for the ring, even with a single message level.
    Security,
    /// The secure numbers of message levels are not requested ones.
    Levels,
    /// The bootstrap is not precise enough.
    Precision,
    /// No primes match the scales.
    Chain,
    /// The library refuses the parameter set.
    Refused,
    /// The number of digits of key switching is not a requested one.
    Dnum,
    /// The evaluation keys are too large.
    KeyBytes,
    /// Keys and matrices do not fit into the device's memory.
    Memory,
}

/// The requirements, as the texts of the reasons print them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Asked {
    pub(super) levels: String,
    pub(super) precision: f64,
    pub(super) dnum: String,
    pub(super) key_bytes: u64,
    pub(super) capacity: u64,
    /// The largest log2(QP) for each ring, reduced by the margin.
    pub(super) allowed: Vec<(u32, f64)>,
}

/// The number of candidates, and how many were left out for each reason.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// The number of candidates that were tried.
    pub candidates: usize,
    /// The number of candidates whose bootstrap was counted.
    pub counted: usize,
    /// The number of candidates left out, by reason and binary logarithm of the ring degree.
    out: BTreeMap<(Reason, u32), usize>,
    pub(super) asked: Asked,
}

impl Tally {
    pub(super) fn new(asked: Asked) -> Self {
        Self { asked, ..Self::default() }
    }

    pub(super) fn add(&mut self, reason: Reason, log_n: u32) {
        *self.out.entry((reason, log_n)).or_default() += 1;
    }

    /// The number of candidates left out for this reason.
    pub fn of(&self, reason: Reason) -> usize {
        self.out.iter().filter(|((r, _), _)| *r == reason).map(|(_, n)| n).sum()
    }

    /// Triples of reason, binary logarithm of the ring degree and number of candidates, most
    /// frequent first.
    pub fn reasons(&self) -> Vec<(Reason, u32, usize)> {
        let mut all: Vec<_> = self.out.iter().map(|(&(reason, log_n), &n)| (reason, log_n, n)).collect();
        all.sort_by_key(|&(reason, log_n, n)| (std::cmp::Reverse(n), reason, log_n));
        all
    }

    fn text(&self, reason: Reason, log_n: u32) -> String {
        let asked = &self.asked;
        let allowed = asked.allowed.iter().find(|a| a.0 == log_n).map_or(0.0, |a| a.1);
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        match reason {
            Reason::Ephemeral => "an ephemeral secret below the wanted security".into(),
            Reason::Security => format!("log2 QP above {allowed:.0}"),
            Reason::Levels => format!("levels other than {} within log2 QP {allowed:.0}", asked.levels),
            Reason::Precision => format!("less than {:.1} bits of precision", asked.precision),
            Reason::Chain => "no primes for their scales".into(),
            Reason::Refused => "refused by the library".into(),
            Reason::Dnum => format!("digits other than {}", asked.dnum),
            Reason::KeyBytes => format!("keys above {:.2} GiB", gib(asked.key_bytes)),
            Reason::Memory => format!("more memory than {:.2} GiB", gib(asked.capacity)),
        }
    }

    /// Changes of options that admit candidates which the most frequent reasons exclude.
    fn remedies(&self) -> Vec<&'static str> {
        let mut all: Vec<(Reason, usize)> = vec![];
        for (reason, _, n) in self.reasons() {
            match all.iter_mut().find(|(r, _)| *r == reason) {
                Some((_, sum)) => *sum += n,
                None => all.push((reason, n)),
            }
        }
        all.sort_by_key(|&(reason, n)| (std::cmp::Reverse(n), reason));
        all.into_iter().take(2).map(|(reason, _)| remedy(reason)).collect()
    }
}

fn remedy(reason: Reason) -> &'static str {
    match reason {
        Reason::Ephemeral => "allow --log-n 15 or more",
        Reason::Security => "allow a larger --log-n, fewer --special primes or smaller scales",
        Reason::Levels => "lower --levels or allow a larger --log-n",
        Reason::Precision => "lower --precision or allow larger --eval-mod-bits, --log-ratio and --scale-bits",
        Reason::Chain => "allow other --eval-mod-bits and --coeffs-to-slots-bits",
        Reason::Refused => "allow other --degree, --double-angles and --log-ratio",
        Reason::Dnum => "allow another --dnum or other numbers of --special primes",
        Reason::KeyBytes => "raise --max-key-bytes or allow more levels of --coeffs-to-slots",
        Reason::Memory => "choose a --device with more memory or lower --max-key-bytes",
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} candidates", grouped(self.candidates))?;
        let reasons = self.reasons();
        for (i, &(reason, log_n, n)) in reasons.iter().enumerate() {
            let text = self.text(reason, log_n);
            let have = match reason {
                Reason::Ephemeral | Reason::Refused => ":",
                _ => " have",
            };
            let start = if i == 0 { ": " } else { "; " };
            write!(f, "{start}{}{have} {text} at N = 2^{log_n}", grouped(n))?;
        }
        if self.counted == 0 && !reasons.is_empty() {
            write!(f, ": {}", self.remedies().join("; or "))?;
        }
        Ok(())
    }
}

/// Prints `12345` as `12,345`.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_and_told() {
        let asked = Asked { levels: "10..".into(), allowed: vec![(15, 850.6)], ..Asked::default() };
        let mut tally = Tally { candidates: 10_000, asked, ..Tally::default() };
        (0..9812).for_each(|_| tally.add(Reason::Security, 15));
        (0..188).for_each(|_| tally.add(Reason::Levels, 15));
        assert_eq!(
            tally.to_string(),
            "10,000 candidates: 9,812 have log2 QP above 851 at N = 2^15; 188 have levels other than 10.. within log2 QP \
             851 at N = 2^15: allow a larger --log-n, fewer --special primes or smaller scales; or lower --levels or allow \
             a larger --log-n"
        );
        assert_eq!((tally.of(Reason::Levels), tally.of(Reason::Memory)), (188, 0));
        assert_eq!([grouped(7), grouped(1234), grouped(1_234_567)], ["7", "1,234", "1,234,567"]);
    }
}
