//! Which keys to make, for which levels, and how large they are.

use std::collections::{BTreeMap, BTreeSet};

use super::KeyUse;
use crate::rlwe::{ChainParameters, SchemeParameters};
use crate::{Error, Result};

/// The evaluation keys to make, each for the levels at which it is used. Circuits have plans of the
/// keys that they need, such as [`Bootstrapper::key_plan`](crate::Bootstrapper::key_plan).
///
/// ```
/// # use ringjet::KeyPlan;
/// let plan = KeyPlan::rotations([1, 2]).conjugation();
/// assert_eq!(plan, KeyPlan::default().and(KeyPlan::rotations([2, 1])).conjugation());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPlan {
    /// Uses with their highest levels; `None` is the highest level of messages. A use may occur
    /// twice.
    keys: BTreeSet<(KeyUse, Option<usize>)>,
    /// The planned [`Encapsulations`](super::Encapsulations).
    ephemeral: BTreeSet<Option<u32>>,
}

impl Default for KeyPlan {
    /// The relinearisation key.
    fn default() -> Self {
        Self::none().with(KeyUse::Relinearization, None)
    }
}

impl KeyPlan {
    /// No keys.
    pub fn none() -> Self {
        Self { keys: BTreeSet::new(), ephemeral: BTreeSet::new() }
    }

    /// The relinearisation key, and keys that rotate by `steps` slots to the left.
    pub fn rotations(steps: impl IntoIterator<Item = i64>) -> Self {
        Self::default().and_rotations(steps)
    }

    /// Adds keys that rotate by `steps` slots to the left, or to the right for negative steps.
    pub fn and_rotations(self, steps: impl IntoIterator<Item = i64>) -> Self {
        steps.into_iter().fold(self, |plan, steps| plan.with(KeyUse::Rotation(steps), None))
    }

    /// Adds the key of complex conjugation.
    pub fn conjugation(self) -> Self {
        self.with(KeyUse::Conjugation, None)
    }

    /// Adds a key for use up to `level`; `None` is the highest level of messages.
    pub(crate) fn with(mut self, purpose: KeyUse, level: Option<usize>) -> Self {
        self.keys.insert((purpose, level));
        self
    }

    /// The plan in which keys for all levels serve up to `level` only, where it gives one.
    pub fn up_to(self, level: impl Fn(KeyUse) -> Option<usize>) -> Self {
        let keys = self.keys.into_iter().map(|(purpose, known)| (purpose, known.or_else(|| level(purpose))));
        Self { keys: keys.collect(), ..self }
    }

    /// Adds the keys of an ephemeral secret. `matrix` is the binary logarithm of the number of slots
    /// for which they contain a matrix.
    pub(crate) fn with_ephemeral(mut self, matrix: Option<u32>) -> Self {
        self.ephemeral.insert(matrix);
        self
    }

    /// The keys of both plans.
    pub fn and(mut self, other: Self) -> Self {
        self.keys.extend(other.keys);
        self.ephemeral.extend(other.ephemeral);
        self
    }

    /// The planned uses with their highest levels; `None` is the highest level of messages.
    pub fn uses(&self) -> impl Iterator<Item = (KeyUse, Option<usize>)> {
        self.keys.iter().copied()
    }

    pub(crate) fn ephemeral(&self) -> &BTreeSet<Option<u32>> {
        &self.ephemeral
    }

    /// Galois elements with their highest levels, without the element of the rotation by 0.
    pub(crate) fn elements(&self, params: &impl SchemeParameters) -> BTreeMap<u32, usize> {
        let mut all = BTreeMap::new();
        for (purpose, level) in self.uses() {
            let (g, level) = (params.ring().key_element(purpose), level.unwrap_or(params.message_level()));
            if g != 1 {
                let known = all.entry(g).or_insert(level);
                *known = level.max(*known);
            }
        }
        all
    }

    /// [`KeyPlan::elements`]; fails if a level is above the highest level of the chain.
    pub(crate) fn levels(&self, params: &impl ChainParameters) -> Result<BTreeMap<u32, usize>> {
        let all = self.elements(params);
        match all.values().max() {
            Some(&level) if level > params.max_level() => Err(Error::NoSuchLevel { level, top: params.max_level() }),
            _ => Ok(all),
        }
    }
}

/// The number and sizes of evaluation keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct KeySizes {
    /// Number of switching keys.
    pub count: usize,
    /// Bytes in the wire format.
    pub bytes_at_rest: u64,
    /// Bytes in memory, [expanded](crate::rlwe::keyswitch::KeyMemory::Expanded).
    pub memory_bytes: u64,
    /// Bytes in memory, [compressed](crate::rlwe::keyswitch::KeyMemory::Compressed).
    pub compressed_memory_bytes: u64,
}

/// Refuses rotations of `slots` slots if keys are missing; the error names all of them.
pub(crate) fn expect_rotations(slots: usize, steps: &[i64], has_key: impl Fn(i64) -> bool) -> Result<()> {
    let trivial = |s: i64| s.rem_euclid(slots as i64) == 0;
    let mut missing: Vec<i64> = steps.iter().copied().filter(|&s| !trivial(s) && !has_key(s)).collect();
    missing.sort_unstable();
    missing.dedup();
    match missing[..] {
        [] => Ok(()),
        [rotation] => Err(Error::MissingRotationKey { rotation }),
        _ => Err(Error::MissingRotationKeys { rotations: missing }),
    }
}
