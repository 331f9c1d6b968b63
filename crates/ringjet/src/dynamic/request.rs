//! Which evaluation keys are needed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::objects::Parameters;
use crate::rlwe::keyswitch::KeyUse;
use crate::{Error, KeyPlan, Result, Unit};

/// Evaluation keys that a program needs or that a client is asked for. Its JSON is what plans, services
/// and clients exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeyRequest {
    /// Rotations in slots to the left, one key each.
    pub rotations: Vec<i64>,
    /// The key for complex conjugation, or for swapping the rows of BGV and BFV.
    pub conjugation: bool,
    /// The key for products of ciphertexts.
    pub relinearization: bool,
    /// Numbers of slots of the ciphertexts that are bootstrapped.
    pub bootstrapping: Vec<usize>,
    /// The highest level at which a key is used, by "relinearization", "conjugation" or the rotation.
    /// Other keys serve all levels of messages.
    pub levels: BTreeMap<String, usize>,
}

impl Default for KeyRequest {
    /// The key for products, for all levels.
    fn default() -> Self {
        let (rotations, bootstrapping, levels) = (vec![], vec![], BTreeMap::new());
        Self { rotations, conjugation: false, relinearization: true, bootstrapping, levels }
    }
}

impl Parameters {
    /// The keys of a request.
    /// Fails with [`Error::Argument`] for levels of other keys, or where keys serve every modulus, and as
    /// [`Parameters::bootstrap_keys`] does.
    pub fn key_plan(&self, asked: &KeyRequest) -> Result<KeyPlan> {
        let plan = if asked.relinearization { KeyPlan::default() } else { KeyPlan::none() };
        let plan = plan.and_rotations(asked.rotations.iter().copied());
        let plan = if asked.conjugation { plan.conjugation() } else { plan };
        if self.unit() == Unit::Bits && !asked.levels.is_empty() {
            return Err(Error::argument("levels", format!("{:?}", asked.levels), "none: keys serve every modulus"));
        }
        if let Some(name) =
            asked.levels.keys().find(|&name| plan.uses().all(|(purpose, _)| purpose.to_string() != *name))
        {
            return Err(Error::argument(
                "levels",
                format!("{name:?}"),
                "\"relinearization\", \"conjugation\" or one of the rotations",
            ));
        }
        let plan = plan.up_to(|purpose: KeyUse| asked.levels.get(&purpose.to_string()).copied());
        asked.bootstrapping.iter().try_fold(plan, |plan, &slots| {
            let log_slots = self.log_slots_of(Some(slots))?;
            Ok(plan.and(self.bootstrap_keys(log_slots)?))
        })
    }
}
