//! The chain: moduli, levels as sets of primes, digits, and every plan that follows from them. It knows no scale.

mod check;

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use num_bigint::BigUint;
use num_traits::One;
use ringjet_backend::plan::{AutomorphismPlan, DivisionPlan, Domain, ModUpPlan};
use ringjet_math::Basis;
use ringjet_math::ntt::{bit_reverse, exponents};

pub(crate) use check::ChainParts;

use super::{Cache, NoisyDivision, Ring, cached};
use crate::{Error, Result};

/// Ciphertext primes, special primes, digits and levels, checked, with the plans of every division and extension.
///
/// *Level* `l` is a set of primes of `q` with modulus Q_l. Fresh ciphertexts are at the top level; levels above that one are for
/// circuits that raise the modulus.
#[derive(Debug)]
pub struct Chain {
    ring: Ring,
    q: Basis,
    p: Basis,
    extended: Basis,
    /// The digit of each prime of q.
    pub(crate) digit_of: Vec<usize>,
    sets: Vec<Vec<usize>>,
    top: usize,
    levels: Vec<OnceLock<LevelPlans>>,
    key_plans: Vec<OnceLock<ModUpPlan>>,
    switches: Cache<(usize, usize), LevelSwitch>,
    raising: OnceLock<RaisingPlans>,
    encryption: OnceLock<Option<NoisyDivision>>,
    order: OnceLock<Option<Vec<u32>>>,
}

impl Deref for Chain {
    type Target = Ring;

    fn deref(&self) -> &Ring {
        &self.ring
    }
}

impl Chain {
    pub(crate) fn new(parts: ChainParts) -> Result<Self> {
        let digit_of = check::check(&parts)?;
        let ChainParts { q, p, levels: sets, top, fingerprint, .. } = parts;
        Ok(Self {
            ring: Ring::new(q.log_n(), fingerprint),
            extended: p.concat(&q),
            levels: sets.iter().map(|_| OnceLock::new()).collect(),
            key_plans: sets.iter().map(|_| OnceLock::new()).collect(),
            switches: Cache::default(),
            raising: OnceLock::new(),
            encryption: OnceLock::new(),
            order: OnceLock::new(),
            q,
            p,
            digit_of,
            sets,
            top,
        })
    }

    /// All ciphertext primes.
    pub fn q(&self) -> &Basis {
        &self.q
    }

    /// The special primes.
    pub fn p(&self) -> &Basis {
        &self.p
    }

    /// `P ++ Q`.
    pub fn extended(&self) -> &Basis {
        &self.extended
    }

    /// log2(QP): what security depends on.
    pub fn log_qp(&self) -> f64 {
        self.extended.log2()
    }

    /// The level of fresh ciphertexts: how many rescalings they allow.
    pub fn top_level(&self) -> usize {
        self.top
    }

    /// The highest level of all: [`Chain::top_level`], or one above it where the modulus is raised to.
    pub fn max_level(&self) -> usize {
        self.sets.len() - 1
    }

    /// The primes of `level`, as indices of [`Chain::q`].
    pub fn primes_of(&self, level: usize) -> &[usize] {
        &self.sets[level]
    }

    /// Number of limbs at `level`.
    pub fn limbs(&self, level: usize) -> usize {
        self.sets[level].len()
    }

    /// `(a, b)` with `Q_level / Q_(level-1) = a / b`, in lowest terms: what rescaling divides by. `(1, 1)` at level 0.
    pub fn quotient(&self, level: usize) -> (BigUint, BigUint) {
        let Some(below) = level.checked_sub(1).map(|l| &self.sets[l]) else { return (BigUint::one(), BigUint::one()) };
        let only = |a: &[usize], b: &[usize]| {
            a.iter().filter(|i| !b.contains(i)).fold(BigUint::one(), |all, &i| all * self.q.modulus(i).value())
        };
        (only(&self.sets[level], below), only(below, &self.sets[level]))
    }

    /// Most limbs of a digit.
    pub fn alpha(&self) -> usize {
        self.digit_of.chunk_by(|a, b| a == b).map(<[usize]>::len).max().unwrap_or(1)
    }

    /// Digits at the highest level.
    pub fn dnum(&self) -> usize {
        self.digits(self.max_level())
    }

    /// Digits of a key for levels up to `level`.
    pub fn digits(&self, level: usize) -> usize {
        self.key_plan(level).beta()
    }

    /// The primes of a key for levels up to `level`, as indices of [`Chain::q`].
    pub(crate) fn key_primes(&self, level: usize) -> Vec<usize> {
        let mut primes: Vec<usize> = self.sets[..=level].concat();
        primes.sort_unstable();
        primes.dedup();
        primes
    }

    /// Positions of the primes of `level` among `primes`; `None` where they are the first ones, or not all there.
    pub(crate) fn chosen_limbs(&self, primes: &[usize], level: usize) -> Option<Vec<usize>> {
        let lower = &self.sets[level];
        if primes.starts_with(lower) { None } else { positions(lower, primes) }
    }

    /// Whether the primes of `level` are all among those of `upper`.
    pub(crate) fn is_nested(&self, upper: usize, level: usize) -> bool {
        positions(&self.sets[level], &self.sets[upper]).is_some()
    }

    /// log2 of the modulus of the ephemeral secret: that of level 0, and the first special prime.
    pub fn ephemeral_modulus_bits(&self) -> f64 {
        self.basis_of(0).log2() + self.p.prefix(1).log2()
    }

    /// `p_last ++ Q_top`.
    pub fn encryption_basis(&self) -> Basis {
        self.p.select([self.p.len() - 1]).concat(&self.level(self.top).basis)
    }

    /// Division by the last special prime over `p_last ++ Q_top`, of a polynomial with an error that is added first: the last
    /// step of public-key encryption. Primes have at most 60 bits, so there is always a wider one.
    pub fn encryption_division(&self) -> Result<&NoisyDivision> {
        let plain = || DivisionPlan::new(&self.encryption_basis(), &[0]);
        let division = self.encryption.get_or_init(|| NoisyDivision::new(&plain()));
        division.as_ref().ok_or_else(|| Error::Parameters("no prime between the last special one and 2^61".into()))
    }

    /// Automorphism X -> X^galois in the evaluation domain.
    pub fn automorphism(&self, galois: u32) -> Arc<AutomorphismPlan> {
        self.ring.automorphism_in(galois, Domain::Evaluation)
    }

    /// For each position of the evaluation domain in memory, its place in the order of seeds and bytes: place i is the
    /// value at `psi^(2 brv(i) + 1)`, whatever order the kernels prefer. `None` where both are the same.
    pub(crate) fn stored_order(&self) -> Option<&[u32]> {
        let order = || {
            let place = |e: &u32| bit_reverse((e >> 1) as usize, self.log_n()) as u32;
            let places: Vec<u32> = exponents(self.log_n()).iter().map(place).collect();
            (!places.iter().copied().eq(0..self.n() as u32)).then_some(places)
        };
        self.order.get_or_init(order).as_deref()
    }

    /// Plans of `level`.
    pub fn level(&self, level: usize) -> &LevelPlans {
        self.levels[level].get_or_init(|| {
            let basis = self.basis_of(level);
            let extended = self.p.concat(&basis);
            let below = level.checked_sub(1).map(|l| self.basis_of(l));
            LevelPlans {
                mod_up: ModUpPlan::grouped(&self.p, &basis, &self.group_sizes(&self.sets[level])),
                mod_down: DivisionPlan::rational(&extended, &basis),
                rescale: below.as_ref().map(|below| Arc::new(DivisionPlan::rational(&basis, below))),
                mod_down_rescale: below.as_ref().map(|below| DivisionPlan::rational(&extended, below)),
                basis,
                extended,
            }
        })
    }

    /// Decomposition over the primes of a key for levels up to `level`: those of all these levels, as a lower one may
    /// have primes that a higher one lacks.
    pub(crate) fn key_plan(&self, level: usize) -> &ModUpPlan {
        self.key_plans[level].get_or_init(|| {
            let primes = self.key_primes(level);
            let basis = self.q.select(primes.iter().copied());
            ModUpPlan::grouped(&self.p, &basis, &self.group_sizes(&primes))
        })
    }

    fn group_sizes(&self, set: &[usize]) -> Vec<usize> {
        set.chunk_by(|&a, &b| self.digit_of[a] == self.digit_of[b]).map(<[usize]>::len).collect()
    }

    /// From level `from` to the lower level `to` by one division by about as much as a rescaling there.
    pub(crate) fn level_switch(&self, from: usize, to: usize) -> Arc<LevelSwitch> {
        cached(&self.switches, (from, to), || {
            let (upper, lower) = (&self.sets[from], &self.sets[to]);
            if let (Some(keep), Some(division)) = (positions(&self.sets[to + 1], upper), &self.level(to + 1).rescale) {
                return LevelSwitch { keep, division: Arc::clone(division) };
            }
            // As many of the largest primes that leave as divide by what a rescaling does, after what enters.
            let bits = |i: &usize| (self.q.modulus(*i).value() as f64).log2();
            let entering: f64 = lower.iter().filter(|i| !upper.contains(i)).map(bits).sum();
            let rescaling = self.basis_of(to + 1).log2() - self.basis_of(to).log2();
            let wanted = entering + rescaling - 1.0;
            let mut leaving: Vec<usize> = upper.iter().copied().filter(|i| !lower.contains(i)).collect();
            leaving.sort_by(|a, b| bits(b).total_cmp(&bits(a)));
            let mut sum = 0.0;
            let enough = leaving.iter().position(|i| {
                sum += bits(i);
                sum >= wanted
            });
            leaving.truncate(enough.map_or(leaving.len(), |n| n + 1));
            let kept = |p: &usize| lower.contains(&upper[*p]) || leaving.contains(&upper[*p]);
            let keep: Vec<usize> = (0..upper.len()).filter(kept).collect();
            let division =
                DivisionPlan::rational(&self.q.select(keep.iter().map(|&p| upper[p])), &self.level(to).basis);
            LevelSwitch { keep, division: Arc::new(division) }
        })
    }

    pub(crate) fn raising_plans(&self) -> &RaisingPlans {
        self.raising.get_or_init(|| {
            let (low, high) = (&self.sets[0], &self.sets[self.max_level()]);
            let (special, basis) = (self.p.prefix(1), &self.level(0).basis);
            let mod_up = ModUpPlan::grouped(&special, basis, &[low.len()]);
            let (own, rest): (Vec<usize>, Vec<usize>) = (0..high.len()).partition(|&i| low.contains(&high[i]));
            let above = self.q.select(rest.iter().map(|&i| high[i]));
            RaisingPlans {
                mod_down: DivisionPlan::rational(&mod_up.extended, basis),
                raise: ModUpPlan::grouped(&above, basis, &[low.len()]),
                mod_up,
                rest,
                own,
            }
        })
    }

    fn basis_of(&self, level: usize) -> Basis {
        self.q.select(self.sets[level].iter().copied())
    }
}

/// Bases and plans of one level.
#[derive(Debug)]
pub struct LevelPlans {
    /// Q_l.
    pub basis: Basis,
    /// P ++ Q_l.
    pub extended: Basis,
    /// Decomposition and extension of a polynomial over Q_l.
    pub mod_up: ModUpPlan,
    /// Division by P.
    pub mod_down: DivisionPlan,
    /// Division by Q_l / Q_(l-1) (absent at level 0).
    pub rescale: Option<Arc<DivisionPlan>>,
    /// Division by P Q_l / Q_(l-1) at once (absent at level 0).
    pub mod_down_rescale: Option<DivisionPlan>,
}

/// Plans that raise the modulus of level 0: to the ephemeral secret, with one special prime, and to the highest level.
#[derive(Debug)]
pub struct RaisingPlans {
    /// Decomposition over `p_0 ++ Q_0`.
    pub(crate) mod_up: ModUpPlan,
    /// Division by p_0.
    pub(crate) mod_down: DivisionPlan,
    /// From Q_0 to the other primes of the highest level, which come first.
    pub(crate) raise: ModUpPlan,
    /// Places of those other primes among the limbs of the highest level.
    pub(crate) rest: Vec<usize>,
    /// Places of the primes of Q_0 there.
    pub(crate) own: Vec<usize>,
}

/// Brings a polynomial to a lower level: drops limbs, which is exact, then divides by one rational modulus switch.
#[derive(Debug)]
pub struct LevelSwitch {
    /// The limbs of the upper level that are not dropped.
    pub keep: Vec<usize>,
    /// From them to the lower level.
    pub division: Arc<DivisionPlan>,
}

/// Where the primes `of` stand among `all`; `None` where one is not there.
fn positions(of: &[usize], all: &[usize]) -> Option<Vec<usize>> {
    of.iter().map(|i| all.binary_search(i).ok()).collect()
}
