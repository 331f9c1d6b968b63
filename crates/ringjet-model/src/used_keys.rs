//! The keys that a program uses, from what it does on a counting backend.

use std::collections::BTreeSet;

use ringjet::KeySizes;
use ringjet::dynamic::{Evaluator, Parameters};

use crate::Trace;

/// The phase of bootstrapping.
const BOOTSTRAP: &str = "Bootstrap";
/// Key of relinearisation in a trace, whose other keys are Galois elements.
const RELINEARIZATION: u32 = 0;

/// The keys that a program used.
#[derive(Debug, Clone, Default)]
pub struct UsedKeys {
    /// Galois elements of automorphisms outside of bootstrapping.
    own: BTreeSet<u32>,
    /// Whether there are products of ciphertexts.
    pub relinearization: bool,
    bootstraps: bool,
}

impl UsedKeys {
    /// The keys in a trace.
    pub fn of(trace: &Trace) -> Self {
        let own = trace.keys_outside(BOOTSTRAP).into_keys().collect();
        Self { own, relinearization: trace.keys.contains_key(&RELINEARIZATION), bootstraps: trace.has(BOOTSTRAP) }
    }

    /// These keys and `other`.
    pub fn and(mut self, other: &Self) -> Self {
        self.own.extend(&other.own);
        self.relinearization |= other.relinearization;
        self.bootstraps |= other.bootstraps;
        self
    }

    /// Rotations in slots to the left, at most half of all slots in size and the shortest first, and whether there are
    /// conjugations.
    pub fn automorphisms(&self, params: &Parameters) -> (Vec<i64>, bool) {
        let half = params.max_slots() as i64 / 2;
        let used = |r: &i64| self.own.contains(&params.rotation_element(*r));
        let mut rotations: Vec<i64> = (1 - half..=half).filter(used).collect();
        rotations.sort_unstable_by_key(|r| (r.abs(), *r));
        (rotations, self.own.contains(&params.conjugation_element()))
    }

    /// Binary logarithms of the numbers of slots that are bootstrapped. `eval` computed the program.
    pub fn bootstrapping(&self, eval: &Evaluator) -> Vec<u32> {
        if self.bootstraps { eval.bootstrappers() } else { vec![] }
    }

    /// The sizes of the keys, each for the levels at which `trace` used it. `eval` computed the program.
    /// Fails as [`Parameters::key_plan`] does.
    pub fn sizes(&self, trace: &Trace, eval: &Evaluator) -> ringjet::Result<KeySizes> {
        let params = eval.params();
        let (rotations, conjugation) = self.automorphisms(&params);
        let plan = params.key_plan(self.relinearization, conjugation, &rotations, &self.bootstrapping(eval))?;
        eval.key_sizes(&plan, &trace.keys)
    }
}
