//! Immutable operation plans: the constants that an operation needs, computed once by
//! `ringjet-math`.
//!
//! Q_l is the basis of the ciphertext's primes at level l, and P the basis of the special primes;
//! in formulas P is also the product of the special primes. The *extended basis* of a key switch is
//! `P ++ Q_l`. The special primes come first, so the extended basis of every level is a prefix of
//! that of the highest level. A key is used at a lower level by a view with fewer limbs.
//!
//! "de Castro et al." is "Does Fully Homomorphic Encryption Need Compute Acceleration?" (ePrint
//! 2021/1636).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use num_bigint::BigUint;
use num_traits::One;
use ringjet_math::big::{CrtJoin, CrtSplit};
use ringjet_math::memory::{OutOfMemory, expect, zeros};
use ringjet_math::ntt::exponents;
use ringjet_math::rns::Prime;
use ringjet_math::{BaseConversion, Basis, Modulus, rns};

/// Unique number of a plan, for backends that cache device copies of its constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanId(u64);

impl PlanId {
    /// A number that no other plan has.
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The domain of residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Coefficients of 1, X, ..., X^(N-1).
    Coefficient,
    /// Values at the odd powers of psi, a primitive 2N-th root of unity, in the order of
    /// [`ringjet_math::ntt::exponents`].
    Evaluation,
}

/// The automorphism X -> X^g.
#[derive(Debug)]
pub struct AutomorphismPlan {
    /// Unique number of the plan.
    pub id: PlanId,
    /// Binary logarithm of the ring degree.
    pub log_n: u32,
    /// The odd Galois element g, modulo 2N.
    pub galois: u32,
    /// The domain of the polynomials.
    pub domain: Domain,
    map: OnceLock<Vec<u32>>,
}

impl AutomorphismPlan {
    /// Plan for the odd Galois element `galois`, which is reduced modulo 2N. Panics if `galois` is
    /// even.
    pub fn new(log_n: u32, galois: u64, domain: Domain) -> Self {
        assert!(galois & 1 == 1, "a Galois element is odd");
        let galois = (galois & ((2 << log_n) - 1)) as u32;
        Self { id: PlanId::next(), log_n, galois, domain, map: OnceLock::new() }
    }

    /// Ring degree N.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// The permutation `dst[i] = src[map[i] & (N-1)]`. In the coefficient domain the value is
    /// negated where bit `log_n` of `map[i]` is set. The map is computed at the first call, so a
    /// backend that only counts never computes it.
    ///
    /// # Errors
    /// [`OutOfMemory`] at the first call.
    pub fn map(&self) -> Result<&[u32], OutOfMemory> {
        if let Some(made) = self.map.get() {
            return Ok(made);
        }
        let made = self.make_map()?;
        Ok(self.map.get_or_init(|| made))
    }

    fn make_map(&self) -> Result<Vec<u32>, OutOfMemory> {
        let (log_n, n, g) = (self.log_n, self.n(), u64::from(self.galois));
        let mask = 2 * n as u64 - 1;
        let mut map = zeros(n)?;
        expect(2 * size_of_val(&map[..]))?; // for exponents and positions
        match self.domain {
            Domain::Coefficient => {
                for i in 0..n as u64 {
                    let j = (i * g) & mask;
                    // X^i goes to X^j = -X^(j - N) when j >= N
                    map[j as usize & (n - 1)] = i as u32 | (((j >> log_n) as u32) << log_n);
                }
            }
            Domain::Evaluation => {
                let position = positions(log_n);
                for (p, &e) in exponents(log_n).iter().enumerate() {
                    map[p] = position[((u64::from(e) * g) & mask) as usize >> 1];
                }
            }
        }
        Ok(map)
    }
}

/// Constants of a base conversion, with a unique number.
#[derive(Debug)]
pub struct BaseConversionPlan {
    /// Unique number of the plan.
    pub id: PlanId,
    /// The constants of the conversion.
    pub conv: BaseConversion,
}

impl BaseConversionPlan {
    /// Plan for converting from `src` to `dst`.
    pub fn new(src: &Basis, dst: &Basis) -> Self {
        Self { id: PlanId::next(), conv: BaseConversion::new(src, dst) }
    }
}

/// Constants of the conversion from big coefficients to residues, with a unique number.
#[derive(Debug)]
pub struct CrtSplitPlan {
    /// Unique number of the plan.
    pub id: PlanId,
    /// The constants of the conversion.
    pub crt: CrtSplit,
}

impl CrtSplitPlan {
    /// Plan for integers modulo `2^bits`, `bits` at least 1.
    pub fn new(basis: &Basis, bits: u32) -> Self {
        Self { id: PlanId::next(), crt: CrtSplit::new(basis, bits) }
    }
}

/// Constants of the conversion from residues to big coefficients, with a unique number.
#[derive(Debug)]
pub struct CrtJoinPlan {
    /// Unique number of the plan.
    pub id: PlanId,
    /// The constants of the conversion.
    pub crt: CrtJoin,
}

impl CrtJoinPlan {
    /// Plan for integers modulo `2^bits`, `bits` at least 1.
    pub fn new(basis: &Basis, bits: u32) -> Self {
        Self { id: PlanId::next(), crt: CrtJoin::new(basis, bits) }
    }
}

/// One digit of a [`ModUpPlan`].
#[derive(Debug)]
pub struct DigitPlan {
    /// The digit's limbs in the source polynomial: `start..start + len`.
    pub start: usize,
    /// Number of the digit's limbs.
    pub len: usize,
    /// The conversion from the digit's primes to all other primes of the extended basis.
    pub conv: BaseConversionPlan,
    /// For each output limb of `conv`, the index of its prime in the extended basis.
    pub targets: Vec<usize>,
}

/// Decomposition of a polynomial over Q_l into `beta` digits. A digit consists of some limbs,
/// extended to `P ++ Q_l` (Algorithm ModUp of de Castro et al., with the centred conversion of
/// `ringjet-math`).
#[derive(Debug)]
pub struct ModUpPlan {
    /// Unique number of the plan.
    pub id: PlanId,
    /// The basis Q_l of the polynomial.
    pub src: Basis,
    /// The extended basis `P ++ Q_l`.
    pub extended: Basis,
    /// Number of special primes.
    pub special: usize,
    /// The product P modulo each prime of Q_l, times the factor of [`ModUpPlan::scaled`].
    pub p_residues: Vec<u64>,
    /// The digits, in the order of their limbs.
    pub digits: Arc<[DigitPlan]>,
}

impl ModUpPlan {
    /// Digits of `alpha` limbs of `q` each (the last digit may have fewer), extended by `p`.
    pub fn new(p: &Basis, q: &Basis, alpha: usize) -> Self {
        let sizes: Vec<usize> = (0..q.len()).step_by(alpha).map(|start| alpha.min(q.len() - start)).collect();
        Self::grouped(p, q, &sizes)
    }

    /// Digits with the numbers `sizes` of limbs of `q`, extended by `p`.
    pub fn grouped(p: &Basis, q: &Basis, sizes: &[usize]) -> Self {
        assert_eq!(sizes.iter().sum::<usize>(), q.len(), "each limb belongs to one digit");
        let extended = p.concat(q);
        let mut next = 0;
        let digits = (sizes.iter())
            .map(|&len| {
                let start = next;
                next += len;
                let own = p.len() + start..p.len() + start + len;
                let targets: Vec<usize> = (0..extended.len()).filter(|i| !own.contains(i)).collect();
                let conv =
                    BaseConversionPlan::new(&q.select(start..start + len), &extended.select(targets.iter().copied()));
                DigitPlan { start, len, conv, targets }
            })
            .collect();
        let product = p.product();
        let p_residues = q.primes().iter().map(|q| rns::residue(&product, q.modulus())).collect();
        Self { id: PlanId::next(), src: q.clone(), extended, special: p.len(), p_residues, digits }
    }

    /// The same decomposition, with `p_residues` times `factor`: what a key switch adds is
    /// multiplied by `factor * P` instead of P. With a key from `factor * s^2` a product is
    /// relinearised and multiplied by `factor` at once.
    pub fn scaled(&self, factor: u64) -> Self {
        let times = |(&p, q): (&u64, &Arc<Prime>)| q.modulus().mul(p, q.modulus().reduce(factor));
        Self {
            id: PlanId::next(),
            src: self.src.clone(),
            extended: self.extended.clone(),
            special: self.special,
            p_residues: self.p_residues.iter().zip(self.src.primes()).map(times).collect(),
            digits: Arc::clone(&self.digits),
        }
    }

    /// Number of digits, beta.
    pub fn beta(&self) -> usize {
        self.digits.len()
    }
}

/// Division by a product D of some primes of a basis, rounded to the nearest integer: ModDown (D =
/// P), rescaling (D = q_l, or several primes), or both at once (D = `P * q_l`: the merged ModDown
/// and rescaling, Algorithm 7 of de Castro et al.). The result may also have primes that `src`
/// lacks. With E the product of these *entering* primes, the result is `round(src * E / D)`: the
/// *rational rescaling* to a smaller modulus that is not a divisor of the old modulus.
///
/// The operation is `src * inverse + conv(src at drop)`, with 0 for `src` at an entering prime. E
/// and -1/D are folded into the constants. Public-key encryption makes a plan whose dropped limb
/// holds the remainder plus an error, modulo a wider prime.
#[derive(Debug)]
pub struct DivisionPlan {
    /// Unique number of the plan.
    pub id: PlanId,
    /// The basis before the division.
    pub src: Basis,
    /// Indices of the limbs of `src` whose primes are divided out.
    pub drop: Vec<usize>,
    /// For each limb of the result, the limb of `src` with the same prime; `None` for an entering
    /// prime.
    pub keep: Vec<Option<usize>>,
    /// The basis after the division.
    pub dst: Basis,
    /// The conversion from the dropped primes to those of the result. It multiplies the remainder
    /// of `src * E` modulo D by -1/D.
    pub conv: BaseConversionPlan,
    /// `E/D mod q_j` for each prime q_j that remains, `1/D mod q_j` for each entering prime.
    pub inverse: Vec<u64>,
}

impl DivisionPlan {
    /// Division of values over `src` by the product of the primes at indices `drop`.
    pub fn new(src: &Basis, drop: &[usize]) -> Self {
        Self::rational(src, &src.select((0..src.len()).filter(|i| !drop.contains(i))))
    }

    /// Division of values over `src` by the product of the primes that `dst` lacks, multiplied by
    /// the product of the primes that `src` lacks. At least one prime must be dropped.
    pub fn rational(src: &Basis, dst: &Basis) -> Self {
        let place = |of: &Basis, q: u64| of.values().position(|v| v == q);
        let drop: Vec<usize> = (0..src.len()).filter(|&i| place(dst, src.modulus(i).value()).is_none()).collect();
        let keep: Vec<Option<usize>> = dst.values().map(|q| place(src, q)).collect();
        let dropped = src.select(drop.iter().copied());
        let entered = dst.select((0..dst.len()).filter(|&j| keep[j].is_none())).product();
        let divisor = dropped.product();
        let mut conv = BaseConversion::new(&dropped, dst);
        for (i, x) in conv.hat_inverse.iter_mut().enumerate() {
            let d = dropped.modulus(i);
            *x = d.mul(*x, rns::residue(&entered, d));
        }
        let mut inverse: Vec<u64> = dst.primes().iter().map(|q| invert(&divisor, q.modulus())).collect();
        scale_outputs(&mut conv, |j| dst.modulus(j).neg(inverse[j]));
        for j in (0..dst.len()).filter(|&j| keep[j].is_some()) {
            let q = dst.modulus(j);
            inverse[j] = q.mul(inverse[j], rns::residue(&entered, q));
        }
        let conv = BaseConversionPlan { id: PlanId::next(), conv };
        Self { id: PlanId::next(), conv, src: src.clone(), drop, keep, dst: dst.clone(), inverse }
    }

    /// This division for values whose remainder is given modulo `wide` instead of the dropped
    /// primes. The limbs of `wide` come first, before the limbs that stay. No prime may enter in
    /// this division.
    pub fn with_remainders_over(&self, wide: &Basis) -> Self {
        let mut conv = BaseConversion::new(wide, &self.dst);
        scale_outputs(&mut conv, |j| self.dst.modulus(j).neg(self.inverse[j]));
        Self {
            id: PlanId::next(),
            src: wide.concat(&self.dst),
            drop: (0..wide.len()).collect(),
            keep: self.keep.clone(),
            dst: self.dst.clone(),
            conv: BaseConversionPlan { id: PlanId::next(), conv },
            inverse: self.inverse.clone(),
        }
    }

    /// D, the product of the dropped primes.
    pub fn divisor(&self) -> BigUint {
        self.drop.iter().fold(BigUint::one(), |acc, &i| acc * self.src.modulus(i).value())
    }

    /// E, the product of the entering primes; 1 if there are none.
    pub fn multiplier(&self) -> BigUint {
        let entered = (self.keep.iter().zip(self.dst.values())).filter(|(k, _)| k.is_none());
        entered.fold(BigUint::one(), |acc, (_, q)| acc * q)
    }
}

/// Multiplies output j of the conversion by `factor(j)`.
fn scale_outputs(conv: &mut BaseConversion, factor: impl Fn(usize) -> u64) {
    for (j, p) in conv.dst.primes().iter().enumerate() {
        let (m, factor) = (p.modulus(), factor(j));
        conv.hat[j].iter_mut().for_each(|x| *x = m.mul(*x, factor));
        conv.product[j] = m.mul(conv.product[j], factor);
    }
}

fn invert(x: &BigUint, q: &Modulus) -> u64 {
    q.pow(rns::residue(x, q), q.value() - 2)
}

/// Position in the evaluation domain of the value at `psi^e`, indexed by `(e - 1) / 2`.
pub fn positions(log_n: u32) -> Vec<u32> {
    let mut position = vec![0u32; 1 << log_n];
    for (p, &e) in exponents(log_n).iter().enumerate() {
        position[e as usize >> 1] = p as u32;
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use crate::reference::Reference;
    use num_bigint::{BigInt, Sign};
    use ringjet_math::prime::ntt_primes;

    /// Compares divisions, plain and rational, with `round(x * E / D)` of big integers.
    #[test]
    fn divisions_are_what_they_say() {
        let mut primes = ntt_primes(4, 50, 4, &[]).unwrap();
        primes.extend(ntt_primes(4, 30, 2, &[]).unwrap());
        primes.extend(ntt_primes(4, 20, 2, &[]).unwrap());
        let all = Basis::new(4, &primes).unwrap();
        let cases: [(&[usize], &[usize]); 4] = [
            (&[0, 1, 2, 3, 4], &[0, 1, 2]),
            (&[4, 0, 1, 2, 3], &[5, 6, 0, 1]),
            (&[6, 0, 1], &[7, 0, 4]),
            (&[0, 1], &[1, 2]),
        ];
        for (from, to) in cases {
            let (src, dst) = (all.select(from.iter().copied()), all.select(to.iter().copied()));
            let plan = DivisionPlan::rational(&src, &dst);
            let (d, e) = (BigInt::from(plan.divisor()), BigInt::from(plan.multiplier()));
            assert_eq!(&e * BigInt::from(src.product()) / &d, BigInt::from(dst.product()));
            let b = Reference::default();
            let mut x = BigInt::from(src.product()) / 3;
            for round in 0..20u32 {
                x = (x * 48_271 + round) % BigInt::from(src.product());
                let centred = &x - BigInt::from(src.product() / 2u32);
                let modulo = |x: &BigInt, q: u64| {
                    let r = ((x % q) + q) % q;
                    r.to_u64_digits().1.pop().unwrap_or(0)
                };
                let (mut buf, mut out) = (b.alloc(src.len(), 16).unwrap(), b.alloc(dst.len(), 16).unwrap());
                for (i, q) in src.values().enumerate() {
                    b.upload(&mut buf, i, &[modulo(&centred, q); 16]).unwrap(); // a constant, in the evaluation domain
                }
                b.divide_round(out.view_mut(1), buf.view(1), &plan, None).unwrap();
                let twice: BigInt = &centred * &e * 2 + &d;
                let mut expected: BigInt = &twice / (&d * 2);
                if twice.sign() == Sign::Minus && &expected * &d * 2 != twice {
                    expected -= 1;
                }
                let mut words = vec![0; 16 * dst.len()];
                b.download(&out, 0, &mut words).unwrap();
                for (j, q) in dst.values().enumerate() {
                    assert_eq!(words[16 * j..16 * j + 16], [modulo(&expected, q); 16], "{from:?} {to:?}");
                }
            }
        }
    }
}
