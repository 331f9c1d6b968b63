//! The chain: primes, levels, digits of key switching, and their plans. It has no scales.

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

/// Ciphertext primes q, special primes p, digits and levels, checked, with the plans of every
/// division and extension. Q and P are the products of all primes of q and of p.
///
/// *Level* `l` is a set of primes of `q`; Q_l is their product. Fresh ciphertexts are at the top
/// level. Circuits that raise the modulus use the levels above the top level.
#[derive(Debug)]
pub struct Chain {
    ring: Ring,
    q: Basis,
    p: Basis,
    extended: Basis,
    /// The digit of each prime of q.
    pub(crate) digit_of: Vec<usize>,
    product_factor: u64,
    pieces: u32,
    sets: Vec<Vec<usize>>,
    top: usize,
    levels: Vec<OnceLock<LevelPlans>>,
    key_plans: Vec<OnceLock<ModUpPlan>>,
    switches: Cache<(usize, usize), LevelSwitch>,
    divisions: Cache<(usize, usize), DivisionPlan>,
    raising: OnceLock<RaisingPlans>,
    matrix: OnceLock<MatrixPlans>,
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
        let ChainParts { q, p, levels: sets, top, fingerprint, product_factor, pieces, .. } = parts;
        Ok(Self {
            ring: Ring::new(q.log_n(), fingerprint),
            extended: p.concat(&q),
            levels: sets.iter().map(|_| OnceLock::new()).collect(),
            key_plans: sets.iter().map(|_| OnceLock::new()).collect(),
            switches: Cache::default(),
            divisions: Cache::default(),
            raising: OnceLock::new(),
            matrix: OnceLock::new(),
            encryption: OnceLock::new(),
            order: OnceLock::new(),
            q,
            p,
            digit_of,
            product_factor,
            pieces,
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

    /// The special primes, followed by the ciphertext primes: `P ++ Q`.
    pub fn extended(&self) -> &Basis {
        &self.extended
    }

    /// log2(Q * P), the modulus that security depends on.
    pub fn log_qp(&self) -> f64 {
        self.extended.log2()
    }

    /// The factor of `s^2` in the secret that relinearisation keys lead from.
    pub(crate) fn product_factor(&self) -> u64 {
        self.product_factor
    }

    /// How many independent ternary secrets the secret is the sum of: 1 for a single client.
    pub fn pieces(&self) -> u32 {
        self.pieces
    }

    /// The level of fresh ciphertexts: the number of rescalings that they allow.
    pub fn top_level(&self) -> usize {
        self.top
    }

    /// The highest level. It is above [`Chain::top_level`] if circuits raise the modulus beyond it.
    pub fn max_level(&self) -> usize {
        self.sets.len() - 1
    }

    /// The primes of `level`, as indices of [`Chain::q`].
    pub(crate) fn primes_of(&self, level: usize) -> &[usize] {
        &self.sets[level]
    }

    /// Number of limbs at `level`.
    pub fn limbs(&self, level: usize) -> usize {
        self.sets[level].len()
    }

    /// The quotient `Q_level / Q_(level-1)` that rescaling divides by, as
    /// `(numerator, denominator)` in lowest terms; `(1, 1)` at level 0.
    pub(crate) fn quotient(&self, level: usize) -> (BigUint, BigUint) {
        let Some(below) = level.checked_sub(1).map(|l| &self.sets[l]) else { return (BigUint::one(), BigUint::one()) };
        let only = |a: &[usize], b: &[usize]| {
            a.iter().filter(|i| !b.contains(i)).fold(BigUint::one(), |all, &i| all * self.q.modulus(i).value())
        };
        (only(&self.sets[level], below), only(below, &self.sets[level]))
    }

    /// The largest number of primes of a digit.
    pub fn alpha(&self) -> usize {
        self.digit_of.chunk_by(|a, b| a == b).map(<[usize]>::len).max().unwrap_or(1)
    }

    /// The number of digits at the highest level.
    pub fn dnum(&self) -> usize {
        self.digits(self.max_level())
    }

    /// The number of digits of a key for levels up to `level`.
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

    /// The positions of the primes of `level` in `primes`; `None` if they come first or some miss.
    pub(crate) fn chosen_limbs(&self, primes: &[usize], level: usize) -> Option<Vec<usize>> {
        let lower = &self.sets[level];
        if primes.starts_with(lower) { None } else { positions(lower, primes) }
    }

    /// Whether the primes of `level` are all among those of `upper`.
    pub(crate) fn is_nested(&self, upper: usize, level: usize) -> bool {
        positions(&self.sets[level], &self.sets[upper]).is_some()
    }

    /// log2 of the largest modulus under the ephemeral secret: Q_0 times the first special prime.
    pub fn ephemeral_modulus_bits(&self) -> f64 {
        self.basis_of(0).log2() + self.p.prefix(1).log2()
    }

    /// The last special prime, followed by the primes of the top level: `p_last ++ Q_top`.
    pub(crate) fn encryption_basis(&self) -> Basis {
        self.p.select([self.p.len() - 1]).concat(&self.level(self.top).basis)
    }

    /// Division by the last special prime over `p_last ++ Q_top`, of a polynomial plus a small
    /// error. It is the last step of public-key encryption. It needs a prime somewhat wider than
    /// the last special one; primes have at most 60 bits, so there is always one below 2^61.
    pub fn encryption_division(&self) -> Result<&NoisyDivision> {
        let plain = || DivisionPlan::new(&self.encryption_basis(), &[0]);
        let division = self.encryption.get_or_init(|| NoisyDivision::new(&plain()));
        division.as_ref().ok_or_else(|| Error::Parameters("no prime between the last special one and 2^61".into()))
    }

    /// The automorphism X -> X^galois in the evaluation domain.
    pub fn automorphism(&self, galois: u32) -> Arc<AutomorphismPlan> {
        self.ring.automorphism_in(galois, Domain::Evaluation)
    }

    /// For each position of the evaluation domain in memory, its place in the order that seeds and
    /// serialised bytes use. Place i is the value at `psi^(2 * brv(i) + 1)`, where psi is the
    /// primitive 2N-th root of unity and brv reverses the bits of i. The order in memory is the one
    /// that kernels prefer. `None` if the two orders are equal.
    pub(crate) fn stored_order(&self) -> Option<&[u32]> {
        let order = || {
            let place = |e: &u32| bit_reverse((e >> 1) as usize, self.log_n()) as u32;
            let places: Vec<u32> = exponents(self.log_n()).iter().map(place).collect();
            (!places.iter().copied().eq(0..self.n() as u32)).then_some(places)
        };
        self.order.get_or_init(order).as_deref()
    }

    /// The plans of `level`.
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

    /// The division that takes polynomials from level `from` to the lower level `to`.
    pub(crate) fn division(&self, from: usize, to: usize) -> Arc<DivisionPlan> {
        cached(&self.divisions, (from, to), || DivisionPlan::rational(&self.level(from).basis, &self.level(to).basis))
    }

    /// Decomposition over the primes of a key for levels up to `level`. These are the primes of all
    /// levels up to `level`, as a lower level may have primes that a higher level lacks.
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

    /// The switch from level `from` to the lower level `to`, with one division by about as much as
    /// a rescaling to level `to` divides by.
    pub(crate) fn level_switch(&self, from: usize, to: usize) -> Arc<LevelSwitch> {
        cached(&self.switches, (from, to), || {
            let (upper, lower) = (&self.sets[from], &self.sets[to]);
            if let (Some(keep), Some(division)) = (positions(&self.sets[to + 1], upper), &self.level(to + 1).rescale) {
                return LevelSwitch { keep, division: Arc::clone(division) };
            }
            // Divides by the largest primes that leave, as many as make up for the primes that
            // enter and for a rescaling. The other primes that leave are dropped.
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

    /// The first special prime, followed by the primes of the highest level: the basis of keys that
    /// contain a matrix.
    pub(crate) fn matrix_basis(&self) -> Basis {
        self.p.prefix(1).concat(&self.basis_of(self.max_level()))
    }

    pub(crate) fn matrix_plans(&self) -> &MatrixPlans {
        self.matrix.get_or_init(|| {
            let (low, high) = (&self.sets[0], &self.sets[self.max_level()]);
            let (special, own) = (self.p.prefix(1), self.basis_of(0));
            let select = |places: &[usize]| self.q.select(places.iter().map(|&i| high[i]));
            let bits = |i: usize| (self.q.modulus(high[i]).value() as f64).log2();
            let above: Vec<usize> = (0..high.len()).filter(|&i| !low.contains(&high[i])).collect();
            // the fewest primes with MATRIX_BITS
            let mut sum = 0.0;
            let enough = above.iter().position(|&i| {
                sum += bits(i);
                sum >= MATRIX_BITS
            });
            let count = enough.map_or(above.len(), |last| last + 1);
            let (further, rest) = above.split_at(count);
            let small = select(further).concat(&own);
            let small_lift = ModUpPlan::grouped(&special.concat(&select(further)), &own, &[own.len()]);
            let lift = ModUpPlan::grouped(&special.concat(&select(&above)), &own, &[own.len()]);
            let raise = ModUpPlan::grouped(&select(rest), &small, &[small.len()]);
            let basis = self.matrix_basis();
            MatrixPlans {
                lift_place: places(&basis, &lift.extended),
                raise_place: places(&self.basis_of(self.max_level()), &raise.extended),
                mod_down: DivisionPlan::rational(&basis, &self.basis_of(self.max_level())),
                small_down: DivisionPlan::rational(&small_lift.extended, &small),
                lift,
                small_lift,
                raise,
                basis,
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
    /// The primes of level l, whose product is Q_l.
    pub basis: Basis,
    /// The special primes, followed by the primes of level l.
    pub extended: Basis,
    /// Decomposition of a polynomial over Q_l into digits, and their extension to P ++ Q_l.
    pub mod_up: ModUpPlan,
    /// Division by P, from P ++ Q_l to Q_l.
    pub mod_down: DivisionPlan,
    /// Division by Q_l / Q_(l-1) (absent at level 0).
    pub rescale: Option<Arc<DivisionPlan>>,
    /// Division by `P * Q_l / Q_(l-1)` in one step (absent at level 0).
    pub mod_down_rescale: Option<DivisionPlan>,
}

/// Plans that raise the modulus of level 0: to the ephemeral secret, then to the highest level.
#[derive(Debug)]
pub struct RaisingPlans {
    /// Decomposition over the first special prime and level 0: `p_0 ++ Q_0`.
    pub(crate) mod_up: ModUpPlan,
    /// Division by p_0, from `p_0 ++ Q_0` to Q_0.
    pub(crate) mod_down: DivisionPlan,
    /// Extension from Q_0 by the other primes of the highest level, which come first.
    pub(crate) raise: ModUpPlan,
    /// The positions of these other primes among the limbs of the highest level.
    pub(crate) rest: Vec<usize>,
    /// The positions of the primes of Q_0 among the limbs of the highest level.
    pub(crate) own: Vec<usize>,
}

/// The bits by which [`MatrixPlans::raise`] has a larger modulus than level 0, at least: room for
/// the product of a polynomial of level 0 and a matrix.
pub(crate) const MATRIX_BITS: f64 = 48.0;

/// Plans that raise the modulus of level 0 to that of the highest level and multiply by a matrix
/// that keys contain. Products have a factor of p_0, the first special prime, and are divided by
/// it.
///
/// The second polynomial of the ciphertext is multiplied by keys over p_0 and all primes of the
/// highest level. The first one is multiplied by plain diagonals. The product is an integer not
/// much larger than q_0 * p_0, so few primes are enough for it until it has been divided.
#[derive(Debug)]
pub(crate) struct MatrixPlans {
    /// [`Chain::matrix_basis`].
    pub(crate) basis: Basis,
    /// Extension of the second polynomial from Q_0.
    pub(crate) lift: ModUpPlan,
    /// For each prime of `basis` its place in the result of `lift`.
    pub(crate) lift_place: Vec<usize>,
    /// Division of the product by p_0.
    pub(crate) mod_down: DivisionPlan,
    /// Extension of the first polynomial from Q_0 to p_0 and a few primes of the highest level.
    pub(crate) small_lift: ModUpPlan,
    /// Division of its product by p_0.
    pub(crate) small_down: DivisionPlan,
    /// Extension of the quotient to the other primes of the highest level.
    pub(crate) raise: ModUpPlan,
    /// For each prime of the highest level its place in the result of `raise`.
    pub(crate) raise_place: Vec<usize>,
}

/// The place in `all` of each prime of `of`, all of which `all` has.
fn places(of: &Basis, all: &Basis) -> Vec<usize> {
    of.values().map(|q| all.values().position(|other| other == q).unwrap_or(all.len())).collect()
}

/// Brings a polynomial to a lower level: drops limbs, which is exact, then makes one rational
/// modulus switch.
#[derive(Debug)]
pub(crate) struct LevelSwitch {
    /// The limbs of the upper level that are not dropped.
    pub keep: Vec<usize>,
    /// The division from the kept limbs to the lower level.
    pub division: Arc<DivisionPlan>,
}

/// The positions of the primes `of` in `all`; `None` if one is missing.
fn positions(of: &[usize], all: &[usize]) -> Option<Vec<usize>> {
    of.iter().map(|i| all.binary_search(i).ok()).collect()
}
