//! What depends on the ring degree alone, made when first needed.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock, RwLock};

use ringjet_backend::plan::{AutomorphismPlan, Domain};
use ringjet_math::fft::SpecialFft;

/// Things that are made once and shared.
pub(crate) type Cache<K, V> = RwLock<HashMap<K, Arc<V>>>;

/// What `cache` has under `key`, or what `make` gives, which is then kept.
pub(crate) fn cached<K: Eq + Hash, V>(cache: &Cache<K, V>, key: K, make: impl FnOnce() -> V) -> Arc<V> {
    if let Some(found) = cache.read().unwrap_or_else(|e| e.into_inner()).get(&key) {
        return Arc::clone(found);
    }
    let made = Arc::new(make());
    Arc::clone(cache.write().unwrap_or_else(|e| e.into_inner()).entry(key).or_insert(made))
}

/// The automorphisms of `Z[X]/(X^N + 1)`, their Galois elements, and the transforms of encodings.
pub(crate) struct Ring {
    log_n: u32,
    /// By Galois element, and whether in the evaluation domain.
    automorphisms: Cache<(u32, bool), AutomorphismPlan>,
    ffts: Vec<OnceLock<SpecialFft>>,
}

impl Ring {
    /// The ring of degree `2^log_n`.
    pub(crate) fn new(log_n: u32) -> Self {
        Self { log_n, automorphisms: Cache::default(), ffts: (0..log_n).map(|_| OnceLock::new()).collect() }
    }

    /// Automorphism X -> X^galois in a domain.
    pub(crate) fn automorphism(&self, galois: u32, domain: Domain) -> Arc<AutomorphismPlan> {
        let make = || AutomorphismPlan::new(self.log_n, u64::from(galois), domain);
        cached(&self.automorphisms, (galois, domain == Domain::Evaluation), make)
    }

    /// Transform for `2^log_slots` slots, fewer than N.
    pub(crate) fn fft(&self, log_slots: u32) -> &SpecialFft {
        self.ffts[log_slots as usize].get_or_init(|| SpecialFft::new(log_slots))
    }

    /// Galois element of a rotation by `steps` of N/2 slots to the left: `5^steps` modulo 2N.
    pub(crate) fn rotation_element(&self, steps: i64) -> u32 {
        let mut e = steps.rem_euclid(1 << (self.log_n - 1)) as u64;
        let mask = (2u64 << self.log_n) - 1;
        let (mut g, mut base) = (1u64, 5u64);
        while e > 0 {
            if e & 1 == 1 {
                g = (g * base) & mask;
            }
            base = (base * base) & mask;
            e >>= 1;
        }
        g as u32
    }

    /// Galois element of complex conjugation.
    pub(crate) fn conjugation_element(&self) -> u32 {
        (2 << self.log_n) - 1
    }
}
