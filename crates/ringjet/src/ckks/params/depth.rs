//! Parameters for a number of products in a row.

use super::{ModulusSpec, ParamSpec, Parameters};
use crate::rlwe::SecurityLevel;
use crate::rlwe::security::max_log_qp;
use crate::{Error, Result};

/// Ring degrees, as binary logarithms, among which [`ParamSpec::for_depth`] chooses.
const LOG_NS: std::ops::RangeInclusive<u32> = 12..=17;
/// Primes are below 2^50: the arithmetic of all backends is fastest there.
const PRIME_BITS: u32 = 50;
/// Bits of the lowest prime beyond the scale: the room of values at level 0, less a bit for the sign.
const ROOM_BITS: u32 = 10;
/// Scales that [`ParamSpec::for_depth`] takes. Below 30 bits, large rings have primes for few levels only; at 45 bits,
/// values up to 2^4 have room at level 0.
const SCALES: std::ops::RangeInclusive<u32> = 20..=45;
/// The part of the largest secure modulus that is used: 2 % are left, as in the presets.
const USED: f64 = 0.98;

/// The times of a product of a base conversion and of reading a word of a key, in those of a butterfly: those of
/// the measured profiles of the cost model, rounded. Choices near the cheapest cost about the same.
const PRODUCT: f64 = 0.6;
const WORD: f64 = 3.0;

impl ParamSpec {
    /// A chain for `depth` products in a row at a scale of `2^scale_bits`: in the smallest ring, of at least
    /// `2^least_log_n` coefficients, in which it is secure, with the special primes and digits for which
    /// key switching at the top level costs least.
    ///
    /// # Errors
    /// [`Error::Argument`] for a scale outside 20 to 45 bits, a ring degree above 2^17, and a depth for which no
    /// ring is large enough; [`Error::Parameters`] for an unknown security. [`Parameters::new`] refuses the spec where
    /// the ring has too few primes near a small scale, and says how many levels there are.
    pub fn for_depth(depth: usize, scale_bits: u32, least_log_n: u32, security: u32) -> Result<Self> {
        if !SCALES.contains(&scale_bits) {
            let why = "20 to 45 bits where a depth is given; list the primes for others";
            return Err(Error::argument("scale_bits", scale_bits, why));
        }
        if least_log_n > *LOG_NS.end() {
            return Err(Error::argument("log_n", least_log_n, "12 to 17"));
        }
        let level = SecurityLevel::of(security)?;
        let first = (scale_bits + ROOM_BITS).min(PRIME_BITS);
        let deepest = most_depth(scale_bits, level);
        if depth > deepest {
            let why = format!(
                "0 to {deepest} at a scale of {scale_bits} bits and a security of {security}; parameters that bootstrap have any \
                 depth"
            );
            return Err(Error::argument("depth", depth, &*why));
        }
        let in_ring = |log_n: u32| {
            let most = USED * f64::from(max_log_qp(log_n, level).unwrap_or(0));
            let digits = Digits::all(depth, first, scale_bits, most);
            let cheapest = digits.min_by(|a, b| a.cost(log_n).total_cmp(&b.cost(log_n)));
            cheapest.map(|digits| digits.spec(log_n, security))
        };
        let found = LOG_NS.filter(|&log_n| log_n >= least_log_n).find_map(in_ring);
        // the largest ring has room for every depth up to the deepest
        found.ok_or_else(|| Error::Parameters(format!("no ring has room for a depth of {depth}")))
    }
}

impl Parameters {
    /// The parameters of [`ParamSpec::for_depth`].
    ///
    /// # Errors
    /// As there.
    pub fn for_depth(depth: usize, scale_bits: u32, least_log_n: u32, security: u32) -> Result<Self> {
        Self::new(&ParamSpec::for_depth(depth, scale_bits, least_log_n, security)?)
    }
}

/// The largest depth that has parameters.
fn most_depth(scale_bits: u32, level: SecurityLevel) -> usize {
    let first = (scale_bits + ROOM_BITS).min(PRIME_BITS);
    let most = USED * f64::from(max_log_qp(*LOG_NS.end(), level).unwrap_or(0));
    let fits = |&depth: &usize| Digits::all(depth, first, scale_bits, most).next().is_some();
    (0..).take_while(fits).last().unwrap_or(0)
}

/// How the primes of a chain are grouped into digits of key switching.
#[derive(Debug, Clone, Copy)]
struct Digits {
    depth: usize,
    first: u32,
    scale: u32,
    /// Ciphertext primes of a digit.
    alpha: usize,
    /// Bits of the special primes, all together, and their number.
    special_bits: u32,
    special: usize,
}

impl Digits {
    /// All that fit into a modulus of `most` bits.
    fn all(depth: usize, first: u32, scale: u32, most: f64) -> impl Iterator<Item = Self> {
        let bits = first + scale * depth as u32;
        let each = move |alpha: usize| {
            // the special primes together are as large as the largest digit, the first one
            let special_bits = first + scale * (alpha as u32 - 1);
            Self { depth, first, scale, alpha, special_bits, special: special_bits.div_ceil(PRIME_BITS) as usize }
        };
        (1..=depth + 1).map(each).filter(move |d| f64::from(bits + d.special_bits) <= most)
    }

    /// The cost of a key switch at the top level in butterflies, for each coefficient: each digit goes to all
    /// primes, two polynomials are divided by P, and the key is read. Weights: [`PRODUCT`], [`WORD`].
    fn cost(&self, log_n: u32) -> f64 {
        let limbs = self.depth + 1;
        let (all, digits) = (limbs + self.special, limbs.div_ceil(self.alpha));
        let transforms = (digits + 2) * all;
        let products = digits * self.alpha * (all - self.alpha) + 2 * self.special * limbs;
        let words = 2 * digits * all;
        f64::from(log_n) / 2.0 * transforms as f64 + PRODUCT * products as f64 + WORD * words as f64
    }

    fn spec(&self, log_n: u32, security: u32) -> ParamSpec {
        let (each, larger) = (self.special_bits / self.special as u32, self.special_bits as usize % self.special);
        let p = (0..self.special).map(|i| each + u32::from(i < larger)).collect();
        ParamSpec {
            p: ModulusSpec::Bits(p),
            alpha: Some(self.alpha),
            security,
            ..ParamSpec::uniform(log_n, self.first, self.depth, self.scale, self.special)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every depth up to the largest has secure parameters of that depth; one more is refused.
    #[test]
    fn every_depth_up_to_the_largest_has_parameters() {
        for (scale, security) in [(30, 128), (35, 192), (40, 128), (45, 256)] {
            let most = most_depth(scale, SecurityLevel::of(security).unwrap());
            assert!(most >= 35, "{scale} bits, {security}: {most}");
            for depth in [0, 1, 2, 5, 9, 14, 23, most - 1, most] {
                let params = Parameters::for_depth(depth, scale, 4, security).unwrap();
                let reached = params.security().level.map_or(0, SecurityLevel::bits);
                assert!(params.depth() == depth && reached >= security, "{scale} bits, depth {depth}: {params:?}");
                let most = f64::from(max_log_qp(params.log_n(), SecurityLevel::of(security).unwrap()).unwrap());
                assert!(params.log_qp() <= 0.981 * most, "{params:?}");
                assert!(params.q().values().chain(params.p().values()).all(|prime| prime < 1 << 50));
            }
            let refused = Parameters::for_depth(most + 1, scale, 4, security);
            let told = format!("0 to {most} at");
            for far in [1 << 32, 107_374_183, usize::MAX] {
                assert!(matches!(ParamSpec::for_depth(far, scale, 4, security), Err(Error::Argument { .. })));
            }
            assert!(
                matches!(&refused, Err(Error::Argument { expected, .. }) if expected.contains(&told)),
                "{refused:?}"
            );
        }
    }

    /// The smallest ring that a depth fits into, unless more slots are wanted.
    #[test]
    fn the_ring_is_the_smallest() {
        for (depth, scale, log_n) in [(1, 25, 12), (2, 34, 13), (6, 38, 14), (14, 40, 15), (30, 40, 16)] {
            let made = ParamSpec::for_depth(depth, scale, 4, 128).unwrap();
            assert!(made.log_n <= log_n, "depth {depth}: 2^{}", made.log_n);
            assert_eq!(ParamSpec::for_depth(depth, scale, 17, 128).unwrap().log_n, 17);
        }
    }

    /// Few primes are near 2^20 in large rings. That is no silent loss of levels.
    #[test]
    fn too_few_primes_are_an_error_that_says_how_many_levels_there_are() {
        let refused = Parameters::for_depth(9, 20, 4, 128);
        assert!(
            matches!(&refused, Err(Error::Parameters(why)) if why.contains("too few primes of this size")),
            "{refused:?}"
        );
    }

    #[test]
    fn scales_rings_and_security_out_of_range_are_refused() {
        for (scale, log_n) in [(19, 12), (46, 12), (40, 18)] {
            let refused = ParamSpec::for_depth(3, scale, log_n, 128);
            assert!(matches!(refused, Err(Error::Argument { .. })), "{refused:?}");
        }
        assert!(matches!(ParamSpec::for_depth(3, 40, 12, 100), Err(Error::Parameters(_))));
    }
}
