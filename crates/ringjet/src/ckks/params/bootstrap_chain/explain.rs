//! How a chain came about.

use std::fmt;

use super::uppers::Upper;
use crate::ckks::params::spec::{BootstrapSpec, ParamSpec};

/// How a chain came about: one line for each level, the highest first.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Explanation {
    /// Bits of the terminals.
    pub terminals: Vec<f64>,
    /// Nominal bits of a main.
    pub main: f64,
    /// The levels, the highest first.
    pub levels: Vec<ExplainedLevel>,
}

/// A line of an [`Explanation`].
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ExplainedLevel {
    /// The level.
    pub level: usize,
    /// What it is for.
    pub purpose: &'static str,
    /// log2 of its modulus.
    pub modulus_bits: f64,
    /// log2 of what rescaling divides by.
    pub ratio_bits: f64,
    /// log2 of its scale.
    pub scale_bits: f64,
    /// Number of primes: of messages, mains, and which terminals.
    pub primes: (usize, usize, Vec<usize>),
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits: Vec<String> = self.terminals.iter().map(|b| format!("{b:.2}")).collect();
        writeln!(f, "terminals of {} bits enter and leave; mains have about {} bits", bits.join(", "), self.main)?;
        writeln!(f, "{:>5}  {:<14} {:>8} {:>8} {:>7}  primes", "level", "for", "log2 Q", "ratio", "scale")?;
        for l in &self.levels {
            let (base, mains, terminals) = &l.primes;
            let terminals: String = terminals.iter().map(|t| format!(" + t{t}")).collect();
            let mains = if *mains > 0 { format!(" + {mains} mains") } else { String::new() };
            writeln!(
                f,
                "{:>5}  {:<14} {:>8.1} {:>8.2} {:>7.2}  {base}{mains}{terminals}",
                l.level, l.purpose, l.modulus_bits, l.ratio_bits, l.scale_bits
            )?;
        }
        Ok(())
    }
}

/// Explains the levels of `spec`, of which `base` are below those that `uppers` describes; `sizes` are the bits of terminals and
/// mains.
pub(super) fn explain(
    boot: &BootstrapSpec,
    spec: &ParamSpec,
    q: &[u64],
    base: usize,
    uppers: &[Upper],
    (terminals, main): (Vec<f64>, f64),
) -> Explanation {
    let levels = spec.levels.as_deref().unwrap_or_default();
    let bits = |l: usize| levels[l].primes.iter().map(|&i| (q[i] as f64).log2()).sum::<f64>();
    let mut scale = 0.0;
    let explained = (0..levels.len()).rev().map(|level| {
        let modulus_bits = bits(level);
        let ratio_bits = if level > 0 { modulus_bits - bits(level - 1) } else { 0.0 };
        let scale_bits = levels[level].scale.map_or(scale, |chosen| (chosen as f64).log2());
        let primes = match level.checked_sub(base) {
            Some(u) => (base, uppers[u].mains, uppers[u].terminals.clone()),
            None => (level + 1, 0, vec![]),
        };
        scale = 2.0 * scale_bits - ratio_bits;
        let purpose = boot.purpose(level, levels.len() - 1);
        ExplainedLevel { level, purpose, modulus_bits, ratio_bits, scale_bits, primes }
    });
    Explanation { levels: explained.collect(), terminals, main }
}
