//! Divisions and extensions between the bases of a chain, made when first needed.

use std::sync::Arc;

use ringjet_backend::plan::{DivisionPlan, ModUpPlan};
use ringjet_math::Basis;

use super::{Chain, positions};
use crate::rlwe::cached;
use crate::{Error, Result};

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

impl Chain {
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

    /// How many of the primes `set` belong to each digit.
    fn group_sizes(&self, set: &[usize]) -> Vec<usize> {
        set.chunk_by(|&a, &b| self.digit_of[a] == self.digit_of[b]).map(<[usize]>::len).collect()
    }

    /// From level `from` to the lower level `to` by one division by about as much as a rescaling there.
    pub(crate) fn level_switch(&self, from: usize, to: usize) -> Arc<LevelSwitch> {
        cached(&self.switches, (from, to), || self.make_level_switch(from, to))
    }

    fn make_level_switch(&self, from: usize, to: usize) -> LevelSwitch {
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
        let middle: Vec<usize> = upper.iter().copied().filter(|i| lower.contains(i) || leaving.contains(i)).collect();
        let division = DivisionPlan::rational(&self.q.select(middle.iter().copied()), &self.level(to).basis);
        let keep = (0..upper.len()).filter(|&p| middle.contains(&upper[p])).collect();
        LevelSwitch { keep, division: Arc::new(division) }
    }

    /// Refuses a chain whose modulus cannot be raised from level 0 to the highest level.
    pub(crate) fn expect_raisable(&self) -> Result<()> {
        if self.is_nested(self.max_level(), 0) {
            return Ok(());
        }
        Err(Error::Parameters("the highest level lacks a prime of level 0".into()))
    }

    /// Plans that raise the modulus of level 0.
    pub(crate) fn raising_plans(&self) -> Result<&RaisingPlans> {
        self.expect_raisable()?;
        Ok(self.raising.get_or_init(|| {
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
        }))
    }
}
