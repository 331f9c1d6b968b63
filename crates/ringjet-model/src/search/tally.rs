//! Why candidates are left out, and how many.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// Why a candidate is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The ephemeral secret has less than the wanted security, or no estimate.
    Ephemeral,
    /// log2(QP) is above what the ring carries, even with a single message level.
    Security,
    /// Secure with fewer message levels than are asked for.
    Levels,
    /// The error of the bootstrap.
    Precision,
    /// No primes give the scales.
    Chain,
    /// The library refuses the set.
    Refused,
    /// Digits of key switching.
    Dnum,
    /// Bytes of the keys.
    KeyBytes,
    /// Keys and matrices do not fit the device.
    Memory,
}

/// What was asked for, as texts of reasons need it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Asked {
    pub(super) levels: String,
    pub(super) precision: f64,
    pub(super) dnum: String,
    pub(super) key_bytes: u64,
    pub(super) capacity: u64,
    /// Largest log2(QP) by ring, with the margin.
    pub(super) allowed: Vec<(u32, f64)>,
}

/// How many candidates there were, and how many of them were left out for which reason.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// All that were looked at.
    pub candidates: usize,
    /// Those that were run on the counting backend.
    pub counted: usize,
    /// Reason, ring, and how many.
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

    /// How many were left out for this reason.
    pub fn of(&self, reason: Reason) -> usize {
        self.out.iter().filter(|((r, _), _)| *r == reason).map(|(_, n)| n).sum()
    }

    /// Reason, binary logarithm of the ring degree and how many, the most frequent first.
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

    /// What would let candidates through that the most frequent reasons leave out.
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

/// `12345` as `12,345`.
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
