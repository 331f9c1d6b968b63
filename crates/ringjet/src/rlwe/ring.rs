//! Values that depend only on the ring of a parameter set, computed when first needed.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, OnceLock, RwLock};

use ringjet_backend::plan::{AutomorphismPlan, Domain};
use ringjet_math::fft::SpecialFft;

use super::key_id::hexadecimal;
use crate::{Error, Result};

/// The number of the relinearisation key in maps whose keys are Galois elements.
pub(crate) const RELINEARIZATION: u32 = 0;

/// The use of a switching key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyUse {
    /// Relinearisation of products of ciphertexts.
    Relinearization,
    /// Complex conjugation.
    Conjugation,
    /// A rotation of all N/2 slots by this many to the left; negative numbers rotate to the right.
    Rotation(i64),
}

impl KeyUse {
    /// The error where its key is missing.
    pub(crate) fn missing(self) -> Error {
        match self {
            Self::Relinearization => Error::MissingRelinearizationKey,
            Self::Conjugation => Error::MissingConjugationKey,
            Self::Rotation(rotation) => Error::MissingRotationKey { rotation },
        }
    }
}

/// The name of a use in requests of keys: of a rotation its number of slots.
impl fmt::Display for KeyUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relinearization => f.write_str("relinearization"),
            Self::Conjugation => f.write_str("conjugation"),
            Self::Rotation(steps) => write!(f, "{steps}"),
        }
    }
}

/// Binary logarithm of the largest ring degree.
pub(crate) const MAX_LOG_N: u32 = 17;

/// Values that are computed once and shared.
pub(crate) type Cache<K, V> = RwLock<HashMap<K, Arc<V>>>;

/// The value of `key` in `cache`; if it is missing, `make` computes it.
pub(crate) fn cached<K: Eq + Hash, V>(cache: &Cache<K, V>, key: K, make: impl FnOnce() -> V) -> Arc<V> {
    if let Some(found) = cache.read().unwrap_or_else(|e| e.into_inner()).get(&key) {
        return Arc::clone(found);
    }
    let made = Arc::new(make());
    Arc::clone(cache.write().unwrap_or_else(|e| e.into_inner()).entry(key).or_insert(made))
}

/// The ring `Z[X]/(X^N + 1)` of one parameter set: its automorphisms, their Galois elements, the transforms of encodings,
/// and the fingerprint that tells the set from all others.
#[derive(Debug)]
pub struct Ring {
    log_n: u32,
    fingerprint: [u8; 16],
    /// Plans by Galois element and whether they are for the evaluation domain.
    automorphisms: Cache<(u32, bool), AutomorphismPlan>,
    ffts: Vec<OnceLock<SpecialFft>>,
}

impl Ring {
    /// The ring of degree `2^log_n` of the parameter set with this fingerprint.
    pub(crate) fn new(log_n: u32, fingerprint: [u8; 16]) -> Self {
        let ffts = (0..log_n).map(|_| OnceLock::new()).collect();
        Self { log_n, fingerprint, automorphisms: Cache::default(), ffts }
    }

    /// Refuses unsupported ring degrees. Must be called before anything is shifted by `log_n`.
    pub(crate) fn expect_degree(log_n: u32) -> Result<()> {
        let refusal = || Error::Parameters(format!("log_n = {log_n} is outside 4..={MAX_LOG_N}"));
        (4..=MAX_LOG_N).contains(&log_n).then_some(()).ok_or_else(refusal)
    }

    /// Binary logarithm of the ring degree.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// Ring degree N.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// Largest number of complex slots, N/2.
    pub fn max_slots(&self) -> usize {
        self.n() / 2
    }

    /// Sixteen bytes that identify the parameter set.
    pub fn fingerprint(&self) -> &[u8; 16] {
        &self.fingerprint
    }

    /// The fingerprint in hexadecimal.
    pub fn fingerprint_hex(&self) -> String {
        hexadecimal(&self.fingerprint)
    }

    /// Refuses an object of another parameter set. Fails with [`Error::ParameterMismatch`].
    pub fn expect_same(&self, what: &'static str, other: &Self) -> Result<()> {
        self.expect_fingerprint(what, &other.fingerprint)
    }

    /// Refuses an object of the parameter set with another fingerprint.
    pub(crate) fn expect_fingerprint(&self, what: &'static str, found: &[u8; 16]) -> Result<()> {
        if self.fingerprint == *found {
            return Ok(());
        }
        Err(Error::ParameterMismatch { what, expected: self.fingerprint_hex(), found: hexadecimal(found) })
    }

    /// The automorphism X -> X^galois in `domain`.
    pub(crate) fn automorphism_in(&self, galois: u32, domain: Domain) -> Arc<AutomorphismPlan> {
        let make = || AutomorphismPlan::new(self.log_n, u64::from(galois), domain);
        cached(&self.automorphisms, (galois, domain == Domain::Evaluation), make)
    }

    /// The transform for `2^log_slots` slots, at most N/2.
    /// Fails with [`BackendError::OutOfMemory`](ringjet_backend::BackendError::OutOfMemory) where its roots of unity are made and there is no memory for them.
    pub(crate) fn fft(&self, log_slots: u32) -> Result<&SpecialFft> {
        let place = &self.ffts[log_slots as usize];
        if let Some(made) = place.get() {
            return Ok(made);
        }
        let made = SpecialFft::new(log_slots)?;
        Ok(place.get_or_init(|| made))
    }

    /// Galois element of a rotation by `steps` of N/2 slots to the left: `5^steps` modulo 2N.
    pub fn rotation_element(&self, steps: i64) -> u32 {
        let steps = steps.rem_euclid(1 << (self.log_n - 1)) as u32;
        5u32.wrapping_pow(steps) & self.conjugation_element()
    }

    /// Galois element of complex conjugation.
    pub fn conjugation_element(&self) -> u32 {
        (2 << self.log_n) - 1
    }

    /// The Galois element of a key's use, or [`RELINEARIZATION`].
    pub(crate) fn key_element(&self, purpose: KeyUse) -> u32 {
        match purpose {
            KeyUse::Relinearization => RELINEARIZATION,
            KeyUse::Conjugation => self.conjugation_element(),
            KeyUse::Rotation(steps) => self.rotation_element(steps),
        }
    }
}
