//! Keys that a server holds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};

use crate::rng::PublicSeed;
use crate::{Error, Parameters, Result};

/// A switching key: for each digit d, `(b_d, a_d)` over `P ++ Q` in the evaluation domain with
/// `b_d = -a_d s_to + e_d + g_d s_from`, where `g_d = P` on the digit's primes and 0 elsewhere (hybrid key switching,
/// Han and Ki 2019/688). The `a_d` are regenerated from 32 bytes.
#[derive(Clone)]
pub struct SwitchingKey {
    pub(crate) params: Parameters,
    pub(crate) seed: PublicSeed,
    /// `2 dnum` polynomials: b_0, a_0, b_1, a_1, ...
    pub(crate) buf: Arc<Buf>,
    pub(crate) digits: usize,
}

impl SwitchingKey {
    /// The key for `beta` digits over `limbs` extended limbs.
    pub(crate) fn view(&self, beta: usize, limbs: usize) -> View<'_> {
        self.buf.view(2 * self.digits).slice(0, 2 * beta).prefix(limbs)
    }
}

impl fmt::Debug for SwitchingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SwitchingKey({} digits, {} limbs)", self.digits, self.buf.limbs())
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
}

impl Default for KeyRequest {
    fn default() -> Self {
        Self { rotations: Vec::new(), conjugation: false, relinearization: true }
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
}

impl EvaluationKeys {
    /// No keys: enough to add and to multiply by plaintexts.
    pub fn empty(params: &Parameters) -> Self {
        Self { params: params.clone(), relinearization: None, galois: BTreeMap::new() }
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

    /// Number of switching keys.
    pub fn len(&self) -> usize {
        self.galois.len() + usize::from(self.relinearization.is_some())
    }

    /// Whether there is no key at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all keys when expanded in memory.
    pub fn memory_bytes(&self) -> usize {
        let per_key = 2 * self.params.dnum() * self.params.extended().len() * self.params.n() * 8;
        self.len() * per_key
    }

    /// Adds the keys of `other`, of the same secret and parameters.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        self.params.expect_same("evaluation keys", &other.params)?;
        if other.relinearization.is_some() {
            self.relinearization = other.relinearization;
        }
        self.galois.extend(other.galois);
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
