//! Whether parameters and keys have what bootstrapping takes, and evaluators that bootstrap by themselves.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::{Ciphertext, EvaluationKeys, Evaluator, Parameters};
use super::{BootstrapSpec, Bootstrapper, Budget, factors, rotations};
use crate::{Error, Result};

impl Parameters {
    /// How ciphertexts of `2^log_slots` slots are bootstrapped where nothing else is said: [`BootstrapSpec::new`], and what it
    /// takes.
    ///
    /// # Errors
    /// [`Error::SlotCount`]; [`Error::NoBootstrapping`] where less than `log_p` bits, a product's, would be won.
    pub fn bootstrapping(&self, log_slots: u32) -> Result<(BootstrapSpec, Budget)> {
        factors::expect_slots(self, log_slots)?;
        let spec = BootstrapSpec::new(self, log_slots);
        let enough = match Budget::new(self, &spec) {
            Ok(budget) if budget.log_q >= spec.log_q + self.log_p() => return Ok((spec, budget)),
            Ok(budget) => Some(self.log_q() - budget.log_q + spec.log_q + self.log_p()),
            Err(Error::ModulusExhausted { needed, .. }) => Some(needed as u32 + self.log_p()),
            // a precision that is out of reach in this ring
            Err(_) => None,
        };
        let slots = 1u64 << log_slots;
        let other = "or a preset of HEAAN whose name has \"boot\" in it";
        let instead = match enough {
            Some(bits) => {
                format!("{slots} slots take log_q = {bits} in such a ring; choose that, fewer slots, {other}")
            }
            None => format!("{slots} slots would keep too few bits; choose fewer, {other}"),
        };
        Err(Error::NoBootstrapping { params: format!("{self:?}"), instead })
    }
}

impl EvaluationKeys {
    /// The numbers of slots (binary logarithms) that the parameters [can bootstrap](Parameters::bootstrapping) and for which all
    /// keys are there. Keys for one number of slots may do for others.
    pub fn bootstrapping(&self) -> Vec<u32> {
        self.bootstrappable().collect()
    }

    /// Whether there are any.
    pub fn can_bootstrap(&self) -> bool {
        self.bootstrappable().next().is_some()
    }

    fn bootstrappable(&self) -> impl Iterator<Item = u32> {
        let params = self.params();
        let ready = |&l: &u32| self.expect_bootstrapping(l).is_ok() && params.bootstrapping(l).is_ok();
        (0..params.log_n()).filter(ready)
    }

    /// Refuses where a key for bootstrapping `2^log_slots` slots is missing.
    fn expect_bootstrapping(&self, log_slots: u32) -> Result<()> {
        let there = |rotation| self.rotation(rotation).is_ok();
        let all = self.relinearization().is_ok()
            && self.conjugation().is_ok()
            && rotations(self.params(), log_slots)?.into_iter().all(there);
        if all { Ok(()) } else { Err(Error::MissingBootstrappingKeys) }
    }

    /// The same, and where there are keys for other numbers of slots it says which.
    fn expect_slots(&self, log_slots: u32) -> Result<()> {
        match self.expect_bootstrapping(log_slots) {
            Err(Error::MissingBootstrappingKeys) => Err(Error::missing_bootstrapping(log_slots, &self.bootstrapping())),
            other => other,
        }
    }
}

/// What an evaluator and its clones know of bootstrapping, by the binary logarithm of the number of slots.
#[derive(Debug, Default)]
pub(in super::super) struct Ready(Mutex<BTreeMap<u32, Slots>>);

#[derive(Debug, Default)]
struct Slots {
    made: Option<Arc<Bootstrapper>>,
    /// Bits of the modulus before and after; nothing where parameters or keys do not allow it.
    bits: Option<Option<(u32, u32)>>,
}

impl Ready {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u32, Slots>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Evaluator {
    /// What bootstraps ciphertexts of `2^log_slots` slots: prepared at the first call, which takes seconds in large rings, or
    /// given by [`Evaluator::set_bootstrapper`].
    ///
    /// # Errors
    /// As [`Parameters::bootstrapping`]; [`Error::MissingBootstrappingKeys`].
    pub fn bootstrapper(&self, log_slots: u32) -> Result<Arc<Bootstrapper>> {
        self.bootstrapper_observed(log_slots, |_, _| true)
    }

    /// [`Evaluator::bootstrapper`]; where it is to be made, `progress(done, total)` is called after each matrix and stops the
    /// work when it returns false.
    ///
    /// # Errors
    /// As there; [`Error::Interrupted`].
    pub fn bootstrapper_observed(
        &self,
        log_slots: u32,
        progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<Arc<Bootstrapper>> {
        if let Some(made) = self.ready().lock().get(&log_slots).and_then(|slots| slots.made.clone()) {
            return Ok(made);
        }
        let (spec, _) = self.context().params().bootstrapping(log_slots)?;
        self.keys().expect_slots(log_slots)?;
        // not while it is locked: `progress` may use this evaluator
        let made = Arc::new(Bootstrapper::new(self.context(), &spec, progress)?);
        self.set_bootstrapper(Arc::clone(&made));
        Ok(made)
    }

    /// Hands over what bootstraps ciphertexts of its number of slots, to this evaluator and its clones.
    pub fn set_bootstrapper(&self, made: Arc<Bootstrapper>) {
        self.ready().lock().insert(made.spec().log_slots, Slots { made: Some(made), bits: None });
    }

    /// The numbers of slots (binary logarithms) that are prepared for bootstrapping.
    pub fn bootstrappers(&self) -> Vec<u32> {
        self.ready().lock().iter().filter(|(_, slots)| slots.made.is_some()).map(|(&l, _)| l).collect()
    }

    /// The same message with more modulus ([`Bootstrapper::bootstrap`]), at the scale `2^log_p` where its scale is larger.
    ///
    /// # Errors
    /// As [`Evaluator::bootstrapper`] and [`Bootstrapper::bootstrap`].
    pub fn bootstrap(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.bootstrapper(a.log_slots())?.bootstrap(self, &self.settle(a)?)
    }

    /// `a`, bootstrapped where it would have too little modulus for that once `bits` are spent. Not bootstrapped where it has
    /// too little already, where `bits` are more than bootstrapping wins, and without the keys.
    ///
    /// # Errors
    /// As [`Evaluator::bootstrap`].
    pub fn with_modulus(&self, a: &Ciphertext, bits: u32) -> Result<Ciphertext> {
        let Some((before, after)) = self.bootstrapping_bits(a.log_slots()) else { return Ok(a.clone()) };
        let enough = before + bits;
        if (before..enough).contains(&a.log_q()) && enough <= after { self.bootstrap(a) } else { Ok(a.clone()) }
    }

    /// Bits of the modulus that bootstrapping raises, and of its results.
    fn bootstrapping_bits(&self, log_slots: u32) -> Option<(u32, u32)> {
        let mut all = self.ready().lock();
        let slots = all.entry(log_slots).or_default();
        let made = slots.made.as_ref().map(|made| (made.spec().log_q, made.budget().log_q));
        *slots.bits.get_or_insert_with(|| {
            self.keys().expect_bootstrapping(log_slots).ok()?;
            let own = || {
                self.context().params().bootstrapping(log_slots).ok().map(|(spec, budget)| (spec.log_q, budget.log_q))
            };
            made.or_else(own)
        })
    }
}
