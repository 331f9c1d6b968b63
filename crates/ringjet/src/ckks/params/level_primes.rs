//! The primes of a chain that is given by sizes, one prime a level.

use ringjet_math::prime::ntt_prime_nearest;

use super::spec::ParamSpec;
use crate::ckks::Scale;
use crate::rlwe::ModulusSpec;
use crate::{Error, Result};

/// Most bits by which the scale of a message level may differ from the nominal one.
pub(super) const DRIFT: f64 = 4.0;

impl ParamSpec {
    /// The primes (q, p). Primes of given sizes are searched deterministically.
    pub(super) fn primes(&self) -> Result<(Vec<u64>, Vec<u64>)> {
        let mut taken = ModulusSpec::listed([&self.q, &self.p]);
        let p = self.p.find(self.log_n, &mut taken)?;
        let q = match &self.q {
            // primes of 50 bits stay below 2^50, as the fastest kernels need
            ModulusSpec::Bits(bits) => {
                let limit = if self.scale_bits <= 50 { 1 << 50 } else { 1 << 60 };
                self.level_primes(bits, limit, &mut taken)?
            }
            list => list.find(self.log_n, &mut taken)?,
        };
        Ok((q, p))
    }

    /// Primes of a chain given by sizes. Rescaling by a prime q takes a scale s to s^2/q, so the
    /// relative deviation of s doubles at each level. Each prime is chosen, from the top down, to
    /// bring the scale back to its nominal value, and is below `limit`. The scale is followed in the
    /// arithmetic in which levels get their scales, so the two agree to the last bit however many
    /// levels there are.
    /// Fails with [`Error::Parameters`] where no such primes exist; it says what to ask for.
    pub(super) fn level_primes(&self, bits: &[u32], limit: u64, taken: &mut Vec<u64>) -> Result<Vec<u64>> {
        ModulusSpec::check_sizes(bits)?;
        let by_size = |l: usize| l == 0 || bits[l] != self.scale_bits;
        let sizes: Vec<u32> = (0..bits.len()).filter(|&l| by_size(l)).map(|l| bits[l]).collect();
        let mut found = ModulusSpec::Bits(sizes).find(self.log_n, &mut taken.clone())?.into_iter();
        let mut q: Vec<u64> = (0..bits.len()).map(|l| if by_size(l) { found.next().unwrap_or(0) } else { 0 }).collect();
        let mut exclude: Vec<u64> = taken.clone();
        self.balance(&mut q, limit, &mut exclude).map_err(|level| self.too_many_levels(&q, level, limit, taken))?;
        if q.first().is_some_and(|first| exclude.contains(first)) {
            q[0] = ModulusSpec::Bits(bits[..1].to_vec()).find(self.log_n, &mut exclude)?[0];
        }
        taken.extend_from_slice(&q);
        Ok(q)
    }

    /// Chooses the primes of `q` that are 0 yet, from the top down. Fails with the level at which no
    /// prime keeps the scale.
    fn balance(&self, q: &mut [u64], limit: u64, exclude: &mut Vec<u64>) -> std::result::Result<(), usize> {
        let nominal = Scale::power_of_two(self.scale_bits as i32);
        let mut scale = nominal;
        for l in (1..q.len()).rev() {
            let free = q[l] == 0;
            if free {
                // a scale that has drifted far would ask for a prime above the limit
                let target = ((scale * scale / nominal).value() as u64).min(limit);
                q[l] = ntt_prime_nearest(self.log_n, target, limit, exclude).map_err(|_| l)?;
            }
            exclude.push(q[l]);
            scale = scale * scale / Scale::from_u64(q[l]);
            if free && (scale / nominal).log2().abs() > DRIFT {
                return Err(l - 1);
            }
        }
        Ok(())
    }

    /// The refusal of a chain whose scale cannot be kept at `level`, and what to ask for instead.
    fn too_many_levels(&self, q: &[u64], level: usize, limit: u64, taken: &[u64]) -> Error {
        let (bits, wanted) = (self.scale_bits, q.len() - 1);
        let holds = |scale_bits: u32| {
            let mut q: Vec<u64> = std::iter::once(1).chain(std::iter::repeat_n(0, wanted)).collect();
            let other = Self { scale_bits, ..self.clone() };
            other.balance(&mut q, limit, &mut taken.to_vec()).is_ok()
        };
        let other =
            (1..30).flat_map(|by| [bits.saturating_sub(by), bits + by]).find(|&b| (14..60).contains(&b) && holds(b));
        let other = other.map_or(String::new(), |b| format!(", or a scale of 2^{b}"));
        Error::Parameters(format!(
            "{wanted} levels with a scale of 2^{bits}: too few primes of this size exist for N = 2^{} below 2^{} to keep the \
             scale; ask for at most {} levels{other}",
            self.log_n,
            limit.ilog2(),
            (wanted - level).saturating_sub(1),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameters;

    fn chain(log_n: u32, levels: usize, scale_bits: u32) -> ParamSpec {
        ParamSpec::uniform(log_n, 50, levels, scale_bits, 4).allow_insecure()
    }

    /// Every level of a chain of 100 keeps its scale within a prime's distance.
    #[test]
    fn a_hundred_levels_keep_their_scale() {
        for (log_n, scale_bits) in [(10, 40), (15, 30), (16, 45), (17, 40), (17, 49)] {
            let params = Parameters::new(&chain(log_n, 100, scale_bits)).unwrap();
            assert_eq!(params.top_level(), 100);
            let far = (0..=100).map(|l| (params.scale(l).log2() - f64::from(scale_bits)).abs()).fold(0.0, f64::max);
            assert!(far < 0.05, "N = 2^{log_n}, 2^{scale_bits}: {far}");
        }
    }

    /// What a refusal proposes is accepted.
    #[test]
    fn sizes_without_primes_are_refused_with_what_exists() {
        for (log_n, levels, scale_bits) in [(15, 100, 50), (16, 60, 50), (15, 40, 22)] {
            let Err(Error::Parameters(why)) = Parameters::new(&chain(log_n, levels, scale_bits)) else {
                panic!("N = 2^{log_n}, {levels} levels of 2^{scale_bits}")
            };
            let number = |before: &str| -> u32 {
                let rest = &why[why.find(before).unwrap_or_else(|| panic!("{why}")) + before.len()..];
                rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
            };
            let (fewer, other) = (number("at most "), number("or a scale of 2^"));
            assert!(fewer > 0 && (fewer as usize) < levels && other != scale_bits, "{why}");
            Parameters::new(&chain(log_n, fewer as usize, scale_bits)).unwrap();
            Parameters::new(&chain(log_n, levels, other)).unwrap();
        }
    }
}
