//! Keys that a server holds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ringjet_backend::Buf;

use super::request::RELINEARIZATION;
use super::{KeyMemory, KeyPlan, KeyUse, SwitchingKey};
use crate::rng::PublicSeed;
use crate::{Error, KeyId, Parameters, Result};

/// The public keys a server computes with. It cannot hold a secret.
#[derive(Clone)]
pub struct EvaluationKeys {
    pub(crate) params: Parameters,
    /// Of their secret.
    pub(crate) key: KeyId,
    pub(crate) relinearization: Option<SwitchingKey>,
    /// By Galois element.
    pub(crate) galois: BTreeMap<u32, SwitchingKey>,
    /// Stands for every Galois key that is not there: on a backend that computes nothing, one shape does for all.
    pub(crate) any_galois: Option<SwitchingKey>,
    pub(crate) encapsulation: Option<Encapsulation>,
}

/// The way to an ephemeral sparse secret and back: the modulus is raised under it (sparse-secret encapsulation,
/// Bossuat, Troncoso-Pastoriza and Hubaux 2022/024).
#[derive(Clone)]
pub(crate) struct Encapsulation {
    /// `(b_d, a_d)` over one special prime and Q_0, under the sparse secret: small, and always expanded.
    pub(crate) to_sparse: Arc<Buf>,
    pub(crate) seed: PublicSeed,
    /// From the sparse secret to the main one, at the highest level.
    pub(crate) to_dense: SwitchingKey,
}

impl EvaluationKeys {
    /// No keys: enough to add and to multiply by plaintexts.
    pub fn empty(params: &Parameters) -> Self {
        Self {
            params: params.clone(),
            key: KeyId::ANY,
            relinearization: None,
            galois: BTreeMap::new(),
            any_galois: None,
            encapsulation: None,
        }
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// The identity of their secret; [`KeyId::ANY`] where there are none, and of keys without values.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The relinearisation key.
    pub fn relinearization(&self) -> Result<&SwitchingKey> {
        self.relinearization.as_ref().ok_or(Error::MissingRelinearizationKey)
    }

    /// The key for a rotation by `steps` slots to the left.
    pub fn rotation(&self, steps: i64) -> Result<&SwitchingKey> {
        self.galois(self.params.rotation_element(steps)).ok_or(Error::MissingRotationKey { rotation: steps })
    }

    fn galois(&self, element: u32) -> Option<&SwitchingKey> {
        self.galois.get(&element).or(self.any_galois.as_ref())
    }

    /// The key for complex conjugation.
    pub fn conjugation(&self) -> Result<&SwitchingKey> {
        self.galois(self.params.conjugation_element()).ok_or(Error::MissingConjugationKey)
    }

    /// Whether a rotation by `steps` can be done with one key.
    pub fn has_rotation(&self, steps: i64) -> bool {
        steps.rem_euclid(self.params.max_slots() as i64) == 0
            || self.galois(self.params.rotation_element(steps)).is_some()
    }

    /// The keys of the sparse secret that bootstrapping passes through.
    pub(crate) fn encapsulation(&self) -> Result<&Encapsulation> {
        self.encapsulation.as_ref().ok_or(Error::MissingBootstrappingKeys)
    }

    /// Whether the keys of an ephemeral secret are there.
    pub fn has_ephemeral(&self) -> bool {
        self.encapsulation.is_some()
    }

    /// The keys of `plan` that are not there, or serve too few levels. Those of an ephemeral secret have no
    /// [`KeyUse`]: [`EvaluationKeys::has_ephemeral`].
    pub fn missing(&self, plan: &KeyPlan) -> Vec<KeyUse> {
        let key = |purpose| match self.params.key_element(purpose) {
            RELINEARIZATION => self.relinearization.as_ref(),
            element => self.galois(element),
        };
        let serves = |purpose, level: Option<usize>| {
            let level = level.unwrap_or(self.params.top_level());
            self.params.key_element(purpose) == 1 || key(purpose).is_some_and(|key| key.level >= level)
        };
        let mut all: Vec<KeyUse> =
            plan.uses().filter(|&(purpose, level)| !serves(purpose, level)).map(|(purpose, _)| purpose).collect();
        all.dedup();
        all
    }

    /// Number of switching keys.
    pub fn len(&self) -> usize {
        self.galois.len() + usize::from(self.relinearization.is_some()) + 2 * usize::from(self.encapsulation.is_some())
    }

    /// The keys with their Galois elements, the relinearisation key first with 0.
    pub fn keys(&self) -> impl Iterator<Item = (u32, &SwitchingKey)> {
        self.relinearization
            .iter()
            .map(|key| (RELINEARIZATION, key))
            .chain(self.galois.iter().map(|(&g, key)| (g, key)))
    }

    /// Whether there is no key at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a key that is not there yet, by Galois element or [`RELINEARIZATION`].
    pub(crate) fn insert(&mut self, element: u32, key: SwitchingKey) {
        if element == RELINEARIZATION {
            self.relinearization = Some(key);
        } else {
            self.galois.insert(element, key);
        }
    }

    /// The same keys with one half of each as a seed: half the memory, and each use takes longer
    /// ([`KeyMemory::Compressed`]). Goes key by key, and memory that nobody else holds is given back after each. Keys that
    /// are to be made or read in this form take [`Context::with_key_memory`](crate::Context::with_key_memory).
    pub fn compressed(self) -> Result<Self> {
        self.kept(KeyMemory::Compressed)
    }

    /// The same keys with both halves in memory.
    pub fn expanded(self) -> Result<Self> {
        self.kept(KeyMemory::Expanded)
    }

    fn kept(mut self, memory: KeyMemory) -> Result<Self> {
        let dense = self.encapsulation.as_mut().map(|e| &mut e.to_dense);
        for key in self.relinearization.iter_mut().chain(self.galois.values_mut()).chain(dense) {
            *key = key.kept(memory)?;
        }
        Ok(self)
    }

    /// Bytes of all keys in memory.
    pub fn memory_bytes(&self) -> usize {
        let n = self.params.n();
        let raising =
            self.encapsulation.as_ref().map_or(0, |e| e.to_sparse.limbs() * n * 8 + e.to_dense.memory_bytes());
        raising + self.keys().map(|(_, key)| key.memory_bytes()).sum::<usize>()
    }

    /// Adds the keys of `other`, of the same secret and parameters; of two for the same purpose the one for more levels
    /// stays, or else the one of `other`.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; [`Error::KeyMismatch`] for the keys of another secret.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        self.params.expect_same("evaluation keys", &other.params)?;
        self.key = self.key.join("evaluation keys", other.key)?;
        let higher = |a: Option<&SwitchingKey>, b: &SwitchingKey| a.is_none_or(|a| a.level <= b.level);
        if let Some(key) = other.relinearization
            && higher(self.relinearization.as_ref(), &key)
        {
            self.relinearization = Some(key);
        }
        for (g, key) in other.galois {
            if higher(self.galois.get(&g), &key) {
                self.galois.insert(g, key);
            }
        }
        self.encapsulation = other.encapsulation.or(self.encapsulation.take());
        Ok(())
    }
}

impl fmt::Debug for EvaluationKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "EvaluationKeys({:?}, relinearization={}, {} Galois keys, {:.1} MB in memory)",
            self.params,
            self.relinearization.is_some(),
            self.galois.len(),
            self.memory_bytes() as f64 / 1e6
        )
    }
}
