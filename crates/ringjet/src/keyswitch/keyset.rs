//! Keys that a server holds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};

use crate::circuits::bootstrap_automorphisms;
use crate::rng::PublicSeed;
use crate::{Error, Parameters, Result};

/// A switching key: for each digit d, `(b_d, a_d)` over `P ++ Q_l` in the evaluation domain, l the key's level, with
/// `b_d = -a_d s_to + e_d + g_d s_from`, where `g_d = P` on the digit's primes and 0 elsewhere (hybrid key switching,
/// Han and Ki 2019/688). The `a_d` are regenerated from 32 bytes.
#[derive(Clone)]
pub struct SwitchingKey {
    pub(crate) params: Parameters,
    pub(crate) seed: PublicSeed,
    /// `2 dnum` polynomials: b_0, a_0, b_1, a_1, ...
    pub(crate) buf: Arc<Buf>,
    /// The highest level at which it can be used.
    pub(crate) level: usize,
}

impl SwitchingKey {
    /// The highest level at which it can be used.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Digits.
    pub(crate) fn digits(&self) -> usize {
        self.params.digits(self.level)
    }

    /// The key's polynomials.
    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(2 * self.digits())
    }

    /// The key for use at `level`.
    pub(crate) fn at(&self, level: usize) -> Result<KeyAt<'_>> {
        if self.level < level {
            return Err(Error::KeyLevel { level, key_level: self.level });
        }
        let (plans, k) = (self.params.level(level), self.params.p().len());
        let chosen = self.params.chosen_limbs(&self.params.key_primes(self.level), level);
        let chosen = chosen.map(|c| (0..k).chain(c.iter().map(|i| k + i)).collect());
        Ok(KeyAt { key: self, beta: plans.mod_up.beta(), limbs: plans.extended.len(), chosen })
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        self.buf.limbs() * self.params.n() * 8
    }
}

impl fmt::Debug for SwitchingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SwitchingKey({} digits, {} limbs, up to level {})", self.digits(), self.buf.limbs(), self.level)
    }
}

/// A switching key as used at one level: the special primes and the level's own among its limbs.
#[derive(Debug)]
pub(crate) struct KeyAt<'a> {
    key: &'a SwitchingKey,
    beta: usize,
    limbs: usize,
    chosen: Option<Vec<usize>>,
}

impl KeyAt<'_> {
    pub(crate) fn view(&self) -> View<'_> {
        let view = self.key.view().slice(0, 2 * self.beta);
        match &self.chosen {
            None => view.prefix(self.limbs),
            Some(chosen) => view.choose(chosen),
        }
    }
}

/// Which evaluation keys to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// Rotations, in slots to the left; negative ones go right.
    pub rotations: Vec<i64>,
    /// Complex conjugation.
    pub conjugation: bool,
    /// Relinearisation: needed to multiply ciphertexts.
    pub relinearization: bool,
    /// Everything that bootstrapping ciphertexts with these numbers of slots (binary logarithms) needs.
    pub bootstrapping: Vec<u32>,
}

impl Default for KeyRequest {
    fn default() -> Self {
        Self { rotations: Vec::new(), conjugation: false, relinearization: true, bootstrapping: Vec::new() }
    }
}

impl KeyRequest {
    /// Relinearisation and these rotations.
    pub fn rotations(rotations: impl IntoIterator<Item = i64>) -> Self {
        Self { rotations: rotations.into_iter().collect(), ..Self::default() }
    }
}

/// The public keys a server computes with. It cannot hold a secret.
#[derive(Clone)]
pub struct EvaluationKeys {
    pub(crate) params: Parameters,
    pub(crate) relinearization: Option<SwitchingKey>,
    /// By Galois element.
    pub(crate) galois: BTreeMap<u32, SwitchingKey>,
    pub(crate) encapsulation: Option<Encapsulation>,
}

/// The way to an ephemeral sparse secret and back: the modulus is raised under it (sparse-secret encapsulation,
/// Bossuat, Troncoso-Pastoriza and Hubaux 2022/024).
#[derive(Clone)]
pub(crate) struct Encapsulation {
    /// `(b_d, a_d)` over one special prime and Q_0, under the sparse secret.
    pub(crate) to_sparse: Arc<Buf>,
    pub(crate) seed: PublicSeed,
    /// From the sparse secret to the main one, at the highest level.
    pub(crate) to_dense: SwitchingKey,
}

impl EvaluationKeys {
    /// No keys: enough to add and to multiply by plaintexts.
    pub fn empty(params: &Parameters) -> Self {
        Self { params: params.clone(), relinearization: None, galois: BTreeMap::new(), encapsulation: None }
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// The relinearisation key.
    pub fn relinearization(&self) -> Result<&SwitchingKey> {
        self.relinearization.as_ref().ok_or(Error::MissingRelinearizationKey)
    }

    /// The key for a rotation by `steps` slots to the left.
    pub fn rotation(&self, steps: i64) -> Result<&SwitchingKey> {
        self.galois.get(&self.params.rotation_element(steps)).ok_or(Error::MissingRotationKey { rotation: steps })
    }

    /// The key for complex conjugation.
    pub fn conjugation(&self) -> Result<&SwitchingKey> {
        self.galois.get(&self.params.conjugation_element()).ok_or(Error::MissingConjugationKey)
    }

    /// Whether a rotation by `steps` can be done with one key.
    pub fn has_rotation(&self, steps: i64) -> bool {
        steps.rem_euclid(self.params.max_slots() as i64) == 0
            || self.galois.contains_key(&self.params.rotation_element(steps))
    }

    /// The keys of the sparse secret that bootstrapping passes through.
    pub(crate) fn encapsulation(&self) -> Result<&Encapsulation> {
        self.encapsulation.as_ref().ok_or(Error::MissingBootstrappingKeys)
    }

    /// Whether there are keys to bootstrap with.
    pub fn can_bootstrap(&self) -> bool {
        self.encapsulation.is_some()
    }

    /// The numbers of slots (binary logarithms) for which all keys of bootstrapping are there.
    pub fn bootstrapping(&self) -> Vec<u32> {
        let complete = |log_slots: u32| {
            bootstrap_automorphisms(&self.params, log_slots).is_ok_and(|all| {
                all.iter().all(|&(g, level)| g == 1 || self.galois.get(&g).is_some_and(|key| key.level >= level))
            })
        };
        (0..self.params.log_n()).filter(|&log_slots| self.can_bootstrap() && complete(log_slots)).collect()
    }

    /// Number of switching keys.
    pub fn len(&self) -> usize {
        self.galois.len() + usize::from(self.relinearization.is_some()) + 2 * usize::from(self.encapsulation.is_some())
    }

    /// The keys with their Galois elements, the relinearisation key first with 0.
    pub fn keys(&self) -> impl Iterator<Item = (u32, &SwitchingKey)> {
        self.relinearization.iter().map(|key| (0, key)).chain(self.galois.iter().map(|(&g, key)| (g, key)))
    }

    /// Whether there is no key at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all keys when expanded in memory.
    pub fn memory_bytes(&self) -> usize {
        let n = self.params.n();
        let raising =
            self.encapsulation.as_ref().map_or(0, |e| e.to_sparse.limbs() * n * 8 + e.to_dense.memory_bytes());
        raising + self.keys().map(|(_, key)| key.memory_bytes()).sum::<usize>()
    }

    /// Adds the keys of `other`, of the same secret and parameters; of two for the same purpose the one for more levels
    /// stays, or else the one of `other`.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        self.params.expect_same("evaluation keys", &other.params)?;
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
