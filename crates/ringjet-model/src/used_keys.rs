//! The keys that a program uses, from what it does on a counting backend.

use std::collections::BTreeMap;

use ringjet::dynamic::{Evaluator, KeyRequest, Parameters};

use crate::Trace;

/// The phase of bootstrapping.
const BOOTSTRAP: &str = "Bootstrap";
/// Key of relinearisation in a trace, whose other keys are Galois elements.
const RELINEARIZATION: u32 = 0;

/// The keys that a program used.
#[derive(Debug, Clone, Default)]
pub struct UsedKeys {
    /// The keys outside of bootstrapping, by Galois element, with the most limbs at which each was used.
    own: BTreeMap<u32, usize>,
    bootstraps: bool,
}

impl UsedKeys {
    /// The keys in a trace.
    pub fn of(trace: &Trace) -> Self {
        Self { own: trace.keys_outside(BOOTSTRAP), bootstraps: trace.has(BOOTSTRAP) }
    }

    /// These keys and `other`.
    pub fn and(mut self, other: &Self) -> Self {
        for (&element, &limbs) in &other.own {
            let most = self.own.entry(element).or_default();
            *most = limbs.max(*most);
        }
        self.bootstraps |= other.bootstraps;
        self
    }

    /// The request for the keys, each for the levels at which it is used. Rotations are at most half of all
    /// slots in size, the shortest first. `eval` computed the program.
    pub fn request(&self, eval: &Evaluator) -> KeyRequest {
        let params = eval.params();
        let rotations = self.rotations(&params);
        let elements = rotations.iter().map(|&r| (r.to_string(), params.rotation_element(r)));
        let elements = elements.chain([
            ("relinearization".to_owned(), RELINEARIZATION),
            ("conjugation".to_owned(), params.conjugation_element()),
        ]);
        let level = |element: u32| self.own.get(&element).and_then(|&limbs| params.key_level(limbs));
        let levels = elements.filter_map(|(name, element)| Some((name, level(element)?))).collect();
        let bootstrapping = if self.bootstraps { eval.bootstrappers() } else { vec![] };
        KeyRequest {
            conjugation: self.own.contains_key(&params.conjugation_element()),
            relinearization: self.own.contains_key(&RELINEARIZATION),
            bootstrapping: bootstrapping.into_iter().map(|log_slots| 1 << log_slots).collect(),
            rotations,
            levels,
        }
    }

    fn rotations(&self, params: &Parameters) -> Vec<i64> {
        let half = params.max_slots() as i64 / 2;
        let used = |r: &i64| self.own.contains_key(&params.rotation_element(*r));
        let mut rotations: Vec<i64> = (1 - half..=half).filter(used).collect();
        rotations.sort_unstable_by_key(|r| (r.abs(), *r));
        rotations
    }
}
