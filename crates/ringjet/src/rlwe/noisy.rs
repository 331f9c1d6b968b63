//! Division of `x + e` by one prime, where e is small and never leaves the coefficient domain.

use ringjet_backend::plan::DivisionPlan;
use ringjet_math::prime::is_prime;
use ringjet_math::{BaseConversion, Basis, Modulus};

/// Rounded division by a prime p of x + e. Let `[.]` be the centred remainder modulo p. Then
/// `round((x + e) / p) = (x - r) / p` with `r = [x + e] - e`: e enters the remainder only, so its
/// residues modulo the other primes are not needed. As r may exceed p/2 by |e|, its residues are
/// taken modulo a somewhat larger prime, from which the centred conversion is exact.
#[derive(Debug)]
pub struct NoisyDivision {
    /// The division from `wide ++ Q` to Q. The limb of the wide prime holds r; the others are
    /// divided by p, not by the wide prime.
    pub plan: DivisionPlan,
    /// The smallest residue modulo p that stands for a negative remainder.
    negative: u64,
    p: i64,
    wide: i64,
}

/// The least difference of the wide prime and p: over twice the largest |e|, plus rounding.
const MARGIN: u64 = 512;

impl NoisyDivision {
    /// Like `division`, which divides by its first prime, for x + e. `None` if no wider prime
    /// exists.
    pub fn new(division: &DivisionPlan) -> Option<Self> {
        let p = *division.conv.conv.src.modulus(0);
        let wide = wider(p.value(), &division.dst)?;
        let plan = division.with_remainders_over(&wide);
        let negative = first_negative(&p, division.conv.conv.fraction[0]);
        Some(Self { plan, negative, p: p.value() as i64, wide: wide.modulus(0).value() as i64 })
    }

    /// Replaces `x`, residues modulo p, by the remainders r modulo the wide prime. Constant time.
    pub(crate) fn remainder(&self, x: &mut [u64], e: &[i8]) {
        let last = self.negative as i64 - 1;
        for (x, &e) in x.iter_mut().zip(e) {
            let e = i64::from(e);
            let y = *x as i64 + e;
            let y = y + (y >> 63 & self.p);
            let y = y - (!((y - self.p) >> 63) & self.p);
            let r = y - ((last - y) >> 63 & self.p) - e;
            *x = (r + (r >> 63 & self.wide)) as u64;
        }
    }
}

/// The first prime at least [`MARGIN`] above `p` that allows the transform and is not in `q`.
fn wider(p: u64, q: &Basis) -> Option<Basis> {
    let step = 2 * q.n() as u64;
    let mut wide = p + MARGIN.next_multiple_of(step);
    while wide >> 61 == 0 {
        if is_prime(wide) && q.values().all(|q| q != wide) {
            return Basis::new(q.log_n(), &[wide]).ok();
        }
        wide += step;
    }
    None
}

/// The smallest residue that the conversion from `p` alone takes for a negative number: the
/// smallest y with `norm(y) * ratio >= 2^101`, where norm is [`BaseConversion::norm`].
fn first_negative(p: &Modulus, ratio: u64) -> u64 {
    let negative = |y: u64| (u128::from(BaseConversion::norm(y, p.bits())) * u128::from(ratio)) >> 101 != 0;
    let (mut low, mut high) = (0, p.value());
    while low < high {
        let middle = low + (high - low) / 2;
        if negative(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::gaussian::GAUSSIAN_BOUND;
    use ringjet_math::prime::ntt_primes;

    /// Coefficient by coefficient the same as the plain division of x + e, at the ends of the range too.
    #[test]
    fn equals_the_plain_division() {
        for bits in [14, 30, 50, 53, 60] {
            let primes = ntt_primes(4, bits, 3, &[]).unwrap();
            for p in 0..3 {
                let basis = Basis::new(4, &primes).unwrap();
                let q: Vec<usize> = (0..3).filter(|&i| i != p).collect();
                let basis = basis.select([p]).concat(&basis.select(q));
                let plain = DivisionPlan::new(&basis, &[0]);
                let noisy = NoisyDivision::new(&plain).unwrap();
                let p = basis.modulus(0);
                let half = p.value() / 2;
                let near = |x: u64| x.saturating_sub(100)..(x + 100).min(p.value());
                for x in near(0).chain(near(half)).chain(near(p.value() - 1)).chain(near(p.value() / 3)) {
                    for e in [-GAUSSIAN_BOUND, -3, -1, 0, 1, 2, GAUSSIAN_BOUND] {
                        let sum = p.add(x, if e < 0 { p.value() - u64::from(e.unsigned_abs()) } else { e as u64 });
                        let (mut want, mut got, mut r) = ([0; 2], [0; 2], [x]);
                        plain.conv.conv.convert(&[sum], &mut want);
                        noisy.remainder(&mut r, &[e]);
                        noisy.plan.conv.conv.convert(&r, &mut got);
                        for (j, want) in want.iter_mut().enumerate() {
                            let q = basis.modulus(j + 1);
                            // both plans' conversions have the factor -1/p
                            let small = q.mul(u64::from(e.unsigned_abs()) % q.value(), plain.inverse[j]);
                            *want = if e < 0 { q.sub(*want, small) } else { q.add(*want, small) };
                        }
                        assert_eq!(got, want, "{p:?} {x} {e}");
                    }
                }
            }
        }
    }
}
