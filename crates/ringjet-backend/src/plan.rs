//! Immutable operation plans: every constant an operation needs, computed once, from `ringjet-math`.
//!
//! The *extended basis* of a key switch is `P ++ Q_l`: the special primes first, so that every level's extended
//! basis is a prefix of the top one and a key is used at a lower level through a shorter view.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use num_bigint::BigUint;
use num_traits::One;
use ringjet_math::ntt::exponents;
use ringjet_math::{BaseConversion, Basis, Modulus, rns};

/// Unique number of a plan, for backends that cache device copies of its constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlanId(u64);

impl PlanId {
    /// A fresh number.
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Which domain residues are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Coefficients of 1, X, ..., X^(N-1).
    Coefficient,
    /// Values at the odd powers of psi, in the order of [`ringjet_math::ntt::exponents`].
    Evaluation,
}

/// The automorphism X -> X^g.
#[derive(Debug)]
pub struct AutomorphismPlan {
    /// Unique number.
    pub id: PlanId,
    /// Binary logarithm of the ring degree.
    pub log_n: u32,
    /// The odd Galois element g, modulo 2N.
    pub galois: u32,
    /// Domain it works in.
    pub domain: Domain,
    /// `dst[i] = src[map[i] & (N-1)]`, negated where bit `log_n` of `map[i]` is set (coefficient domain only).
    pub map: Arc<[u32]>,
}

impl AutomorphismPlan {
    /// Plan for the odd Galois element `galois` (taken modulo 2N).
    pub fn new(log_n: u32, galois: u64, domain: Domain) -> Self {
        assert!(galois & 1 == 1, "a Galois element is odd");
        let n = 1usize << log_n;
        let mask = 2 * n as u64 - 1;
        let g = galois & mask;
        let mut map = vec![0u32; n];
        match domain {
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
        Self { id: PlanId::next(), log_n, galois: g as u32, domain, map: map.into() }
    }
}

/// Constants of a base conversion with their number.
#[derive(Debug)]
pub struct BaseConversionPlan {
    /// Unique number.
    pub id: PlanId,
    /// The constants.
    pub conv: BaseConversion,
}

impl BaseConversionPlan {
    /// Plan for converting from `src` to `dst`.
    pub fn new(src: &Basis, dst: &Basis) -> Self {
        Self { id: PlanId::next(), conv: BaseConversion::new(src, dst) }
    }
}

/// One digit of a [`ModUpPlan`].
#[derive(Debug)]
pub struct DigitPlan {
    /// The digit's limbs in the source polynomial: `start..start + len`.
    pub start: usize,
    /// Number of the digit's limbs.
    pub len: usize,
    /// From the digit's primes to all other primes of the extended basis.
    pub conv: BaseConversionPlan,
    /// Where output limb j of `conv` goes in the extended basis.
    pub targets: Vec<usize>,
}

/// Decomposition of a polynomial over Q_l into `beta` digits of at most `alpha` limbs, each extended to `P ++ Q_l`
/// (Algorithm ModUp of de Castro et al., with the centred conversion of `ringjet-math`).
#[derive(Debug)]
pub struct ModUpPlan {
    /// Unique number.
    pub id: PlanId,
    /// Q_l.
    pub src: Basis,
    /// P ++ Q_l.
    pub extended: Basis,
    /// Number of special primes.
    pub special: usize,
    /// P modulo each prime of Q_l.
    pub p_residues: Vec<u64>,
    /// The digits.
    pub digits: Vec<DigitPlan>,
}

impl ModUpPlan {
    /// Digits of `alpha` limbs over `q` (the last may be shorter), extended by `p`.
    pub fn new(p: &Basis, q: &Basis, alpha: usize) -> Self {
        let extended = p.concat(q);
        let digits = (0..q.len())
            .step_by(alpha)
            .map(|start| {
                let len = alpha.min(q.len() - start);
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

    /// Number of digits.
    pub fn beta(&self) -> usize {
        self.digits.len()
    }
}

/// Division by a product D of some of a basis's primes, rounded to the nearest: ModDown (D = P), rescaling
/// (D = q_l, or several primes), and both at once (D = P q_l: the merged ModDown+Rescale, Algorithm 7 of de Castro
/// et al.). The operation is what its constants say, `(src - conv(src at drop)) inverse`: public-key encryption makes a plan
/// whose dropped limb holds an error besides the remainder, modulo a wider prime.
#[derive(Debug)]
pub struct DivisionPlan {
    /// Unique number.
    pub id: PlanId,
    /// The basis before the division.
    pub src: Basis,
    /// Limbs of `src` that are divided out.
    pub drop: Vec<usize>,
    /// Limbs of `src` that remain, in order.
    pub keep: Vec<usize>,
    /// The basis after it: `src` at `keep`.
    pub dst: Basis,
    /// From the dropped primes to the kept ones.
    pub conv: BaseConversionPlan,
    /// `D^-1 mod q_j` for each kept prime.
    pub inverse: Vec<u64>,
}

impl DivisionPlan {
    /// Division of values over `src` by the product of the primes at indices `drop`.
    pub fn new(src: &Basis, drop: &[usize]) -> Self {
        let keep: Vec<usize> = (0..src.len()).filter(|i| !drop.contains(i)).collect();
        let (dropped, dst) = (src.select(drop.iter().copied()), src.select(keep.iter().copied()));
        let product = dropped.product();
        let inverse = dst.primes().iter().map(|q| invert(&product, q.modulus())).collect();
        Self {
            id: PlanId::next(),
            conv: BaseConversionPlan::new(&dropped, &dst),
            src: src.clone(),
            drop: drop.to_vec(),
            keep,
            dst,
            inverse,
        }
    }

    /// D.
    pub fn divisor(&self) -> BigUint {
        self.drop.iter().fold(BigUint::one(), |acc, &i| acc * self.src.modulus(i).value())
    }
}

fn invert(x: &BigUint, q: &Modulus) -> u64 {
    q.pow(rns::residue(x, q), q.value() - 2)
}

/// Position in the evaluation domain of the value at `psi^e`, for each `(e - 1) / 2`.
pub fn positions(log_n: u32) -> Vec<u32> {
    let mut position = vec![0u32; 1 << log_n];
    for (p, &e) in exponents(log_n).iter().enumerate() {
        position[e as usize >> 1] = p as u32;
    }
    position
}
