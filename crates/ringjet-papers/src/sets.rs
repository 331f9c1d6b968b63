//! Parameter sets of the literature, for reproduction. They are no presets: a set that was secure
//! by the tables of its time may be insecure by the table of 2024. Such a set has to be allowed
//! explicitly.
//!
//! Taken from the sources: the ring, the number of ciphertext primes when bootstrapping begins, the
//! number of digits and of special primes, the levels of the transforms, SlotsToCoeffs at the end,
//! a sine by a polynomial of degree 63 and three double-angle steps (nine levels), one prime for
//! each level. [`DIFFERENCES`] lists what differs.

use ringjet::circuits::papers::even_groups;
use ringjet::params::{BootstrapChain, BootstrapSpec};
use ringjet::{Error, ParamSpec, Result};

/// Names of the sets.
pub const PAPER_NAMES: [&str; 4] = ["jung-n16", "jung-n17", "castro-baseline", "castro-best"];

/// How all of these sets differ from their sources.
pub const DIFFERENCES: [&str; 4] = [
    "primes are below 2^50: those of messages and of SlotsToCoeffs have 40 bits, so log2(QP) is smaller than in the source",
    "levels have one prime each, but at some of EvalMod a terminal prime stands in for another, which keys have besides",
    "the secret is uniform ternary, and the modulus is raised under an ephemeral one of 32 non-zero coefficients, not under \
     a main secret of sparse (h = 192) or unstated weight",
    "digits and special primes are of as many primes as in the source, not of as many bits",
];

/// A parameter set of the literature.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperSet {
    /// The set's name, one of [`PAPER_NAMES`].
    pub name: &'static str,
    /// The publication and its table.
    pub source: &'static str,
    /// The parameters and the security that the source states, in its own notation.
    pub stated: &'static str,
    /// The number of digits of key switching.
    pub dnum: usize,
    /// The chain. It has as many special primes as the largest digit has primes.
    pub chain: BootstrapChain,
}

impl PaperSet {
    /// The number of ciphertext primes when bootstrapping begins.
    pub fn limbs(&self) -> usize {
        let boot = &self.chain.bootstrap;
        1 + boot.input_level() + self.chain.message_levels + boot.upper_levels()
    }

    /// The specification. [`Parameters`](ringjet::Parameters) refuse it unless
    /// [`ParamSpec::allow_insecure`] is called, where it has less than 128 bits by the table of
    /// 2024. They also refuse digits larger than the special primes.
    /// Fails with [`Error::Parameters`] where there are no such primes, or the chain cannot have
    /// one prime a level.
    pub fn spec(&self) -> Result<ParamSpec> {
        let (spec, _) = self.chain.generate()?;
        let levels = spec.levels.as_deref().unwrap_or_default();
        let (name, count) = (self.name, self.limbs());
        let found = levels.last().map_or(0, |l| l.primes.len());
        let all = levels.iter().flat_map(|l| &l.primes).max().map_or(0, |i| i + 1);
        if found != count || !(1..=count).contains(&self.dnum) {
            return Err(Error::Parameters(format!(
                "{name}: {count} primes at the highest level in {} digits are stated, the chain has {found}",
                self.dnum
            )));
        }
        let digits = even_groups(all as u32, self.dnum as u32).into_iter().map(|n| n as usize).collect();
        Ok(ParamSpec { digits: Some(digits), ..spec })
    }
}

/// Splits the stages of a transform into `levels` levels, as evenly as possible, larger ones last.
fn stages(log_n: u32, levels: u32) -> Vec<u32> {
    even_groups(log_n - 1, levels).into_iter().rev().collect()
}

/// A chain of `limbs` ciphertext primes, with `iterations` levels for each transform.
fn chain(log_n: u32, limbs: usize, special: usize, iterations: u32) -> BootstrapChain {
    let stages = stages(log_n, iterations);
    let bootstrap = BootstrapSpec {
        slots_to_coeffs: stages.clone(),
        coeffs_to_slots: stages,
        slots_to_coeffs_first: false,
        degree: 63,
        ..BootstrapSpec::standard(log_n, iterations)
    };
    BootstrapChain {
        message_levels: limbs - 1 - bootstrap.input_level() - bootstrap.upper_levels(),
        log_ratio: 10.0,
        eval_mod_bits: 49.75,
        coeffs_to_slots_bits: 49.0,
        special,
        bootstrap,
        ..BootstrapChain::standard(log_n)
    }
}

/// The set called `name`. Fails with [`Error::UnknownPreset`].
pub fn paper_set(name: &str) -> Result<PaperSet> {
    let talk = "Lee's talk on Jung et al. (ePrint 2021/508), table of bootstrapping latencies";
    let castro = "de Castro et al. (ePrint 2021/1636), Table XI";
    // L of Jung et al. is the highest level, so a chain has L + 1 primes; L of de Castro et al. is
    // the number of limbs. In both papers a digit has ceil((L + 1) / dnum) primes.
    let (name, source, stated, dnum, chain) = match name {
        "jung-n16" => ("jung-n16", talk, "N = 2^16, L = 34, dnum = 5, security 106", 5, chain(16, 35, 7, 3)),
        "jung-n17" => ("jung-n17", talk, "N = 2^17, L = 29, dnum = 3, security 173", 3, chain(17, 30, 10, 3)),
        "castro-baseline" => {
            let stated = "N = 2^17, L = 35, dnum = 3, fftIter = 3, security below 128";
            ("castro-baseline", castro, stated, 3, chain(17, 35, 12, 3))
        }
        "castro-best" => {
            ("castro-best", castro, "N = 2^17, L = 40, dnum = 2, fftIter = 6, security 128", 2, chain(17, 40, 21, 6))
        }
        _ => return Err(Error::unknown_preset(name, PAPER_NAMES.iter().copied())),
    };
    Ok(PaperSet { name, source, stated, dnum, chain })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringjet::Parameters;

    #[test]
    fn sets_have_the_stated_shape() {
        // name, log N, limbs, special primes, digits, levels left, secure by the table of 2024
        let all = [
            ("jung-n16", 16, 35, 7, 5, 19, false),
            ("jung-n17", 17, 30, 10, 3, 14, true),
            ("castro-baseline", 17, 35, 12, 3, 19, true),
            ("castro-best", 17, 40, 21, 2, 18, true),
        ];
        for (name, log_n, limbs, special, dnum, left, secure) in all {
            let set = paper_set(name).unwrap();
            let spec = set.spec().unwrap();
            let refused = Parameters::new(&spec);
            assert_eq!(refused.is_ok(), secure, "{name}: {refused:?}");
            let params = Parameters::new(&if secure { spec } else { spec.allow_insecure() }).unwrap();
            assert_eq!((params.log_n(), params.limbs(params.max_level())), (log_n, limbs), "{name}");
            assert!(params.q().len() <= limbs + 1, "{name}: {params:?}");
            let counts: Vec<usize> = (0..=params.max_level()).map(|l| params.limbs(l)).collect();
            assert!(counts.windows(2).all(|c| c[0] <= c[1] && c[1] <= c[0] + 1), "{name}: {counts:?}");
            assert_eq!((params.p().len(), params.dnum(), set.limbs()), (special, dnum, limbs), "{name}");
            let boot = params.bootstrap().unwrap();
            assert_eq!((params.top_level() - boot.input_level(), boot.eval_mod_depth()), (left, 9), "{name}");
            assert!(params.extended().values().all(|q| q < 1 << 50), "{name}");
            assert_eq!(format!("{params:?}").contains("insecure"), !secure, "{params:?}");
        }
        assert_eq!(PAPER_NAMES.map(|n| paper_set(n).unwrap().name), PAPER_NAMES);
        assert!(matches!(paper_set("n16-boot"), Err(Error::UnknownPreset { .. })));
        assert_eq!((stages(17, 3), stages(17, 6)), (vec![5, 5, 6], vec![2, 2, 3, 3, 3, 3]));
    }

    #[test]
    fn shapes_that_cannot_be_had_are_refused() {
        let set = paper_set("castro-best").unwrap();
        let one = PaperSet { dnum: 1, ..set.clone() }.spec().unwrap();
        let one = Parameters::new(&one.allow_insecure()).unwrap_err().to_string();
        assert!(one.contains("special primes only"), "{one}");
        let none = PaperSet { dnum: 0, ..set.clone() }.spec().unwrap_err().to_string();
        assert!(none.contains("0 digits are stated"), "{none}");
        // a sine of 60 bits takes more than one prime below 2^50 a level
        let wide = BootstrapChain { eval_mod_bits: 60.0, ..set.chain.clone() };
        let wide = PaperSet { chain: wide, ..set }.spec().unwrap_err().to_string();
        assert!(wide.contains("40 primes at the highest level in 2 digits are stated"), "{wide}");
    }
}
