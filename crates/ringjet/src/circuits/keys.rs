//! Which bootstraps a set of keys serves.

use super::bootstrap_automorphisms;
use crate::{Error, EvaluationKeys, Result};

impl EvaluationKeys {
    /// The numbers of slots (binary logarithms) for which all keys of bootstrapping are there.
    pub fn bootstrapping(&self) -> Vec<u32> {
        let complete = |log_slots: u32| {
            bootstrap_automorphisms(self.params(), log_slots).is_ok_and(|all| {
                all.iter().all(|&(g, level)| g == 1 || self.galois(g).is_some_and(|key| key.level >= level))
            })
        };
        (0..self.params().log_n()).filter(|&log_slots| self.can_bootstrap() && complete(log_slots)).collect()
    }

    /// Refuses where keys to bootstrap `2^log_slots` slots are missing, and says for which numbers there are some.
    ///
    /// # Errors
    /// [`Error::MissingBootstrappingKeys`], [`Error::BootstrappingSlots`].
    pub fn expect_bootstrapping(&self, log_slots: u32) -> Result<()> {
        let available = self.bootstrapping();
        if available.contains(&log_slots) { Ok(()) } else { Err(Error::missing_bootstrapping(log_slots, &available)) }
    }
}
