//! Which keys to make, for which levels, and how large they are.

use std::collections::BTreeMap;

use crate::circuits::{BabySteps, automorphisms_with};
use crate::{Parameters, Result};

/// Stands for the relinearisation key where Galois keys have their element.
pub(crate) const RELINEARIZATION: u32 = 0;

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
    /// How many inner rotations its linear transforms have: for measurement.
    pub baby_steps: BabySteps,
}

impl Default for KeyRequest {
    fn default() -> Self {
        Self {
            rotations: Vec::new(),
            conjugation: false,
            relinearization: true,
            bootstrapping: Vec::new(),
            baby_steps: BabySteps::default(),
        }
    }
}

/// How large evaluation keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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

impl KeySizes {
    /// Without their bytes in the wire format: of relinearisation and Galois keys for use up to these levels, and of the
    /// keys that bootstrapping raises the modulus with.
    ///
    /// # Errors
    /// [`Error::NoBootstrapping`](crate::Error::NoBootstrapping).
    pub(crate) fn in_memory(params: &Parameters, levels: &[usize], encapsulation: bool) -> Result<Self> {
        let mut sizes = Self { count: levels.len() + 2 * usize::from(encapsulation), ..Self::default() };
        let limb = 8 * params.n() as u64;
        let mut add = |plan: &ringjet_backend::plan::ModUpPlan, compressed: u64| {
            let half = (plan.beta() * plan.extended.len()) as u64 * limb;
            sizes.memory_bytes += 2 * half;
            sizes.compressed_memory_bytes += compressed * half;
        };
        levels.iter().for_each(|&level| add(params.key_plan(level), 1));
        if encapsulation {
            add(&params.raising()?.mod_up, 2);
            add(params.key_plan(params.max_level()), 1);
        }
        Ok(sizes)
    }
}

impl KeyRequest {
    /// Relinearisation and these rotations.
    pub fn rotations(rotations: impl IntoIterator<Item = i64>) -> Self {
        Self { rotations: rotations.into_iter().collect(), ..Self::default() }
    }

    /// The keys, each with the highest level at which it is used.
    pub(crate) fn plan(&self, params: &Parameters) -> Result<KeyPlan> {
        let mut galois = BTreeMap::new();
        let mut add = |g: u32, level: usize| {
            if g != 1 {
                let l = galois.entry(g).or_insert(level);
                *l = level.max(*l);
            }
        };
        self.rotations.iter().for_each(|&r| add(params.rotation_element(r), params.top_level()));
        if self.conjugation {
            add(params.conjugation_element(), params.top_level());
        }
        for &log_slots in &self.bootstrapping {
            automorphisms_with(params, log_slots, self.baby_steps)?.into_iter().for_each(|(g, level)| add(g, level));
        }
        let boot = params.bootstrap().filter(|_| !self.bootstrapping.is_empty());
        let products = boot.map_or(params.top_level(), |b| params.max_level() - b.coeffs_to_slots.len());
        let relinearization = self.relinearization.then_some(products);
        Ok(KeyPlan { relinearization, galois, ephemeral_weight: boot.map(|b| b.secret_weight as usize) })
    }
}

/// What a request comes to.
pub(crate) struct KeyPlan {
    relinearization: Option<usize>,
    galois: BTreeMap<u32, usize>,
    /// Of the ephemeral secret, where keys lead there and back.
    pub(crate) ephemeral_weight: Option<usize>,
}

impl KeyPlan {
    /// Number of keys.
    pub(super) fn count(&self) -> usize {
        self.keys().count() + 2 * usize::from(self.ephemeral_weight.is_some())
    }

    /// Elements and levels, [`RELINEARIZATION`] first, without the keys of the ephemeral secret.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (u32, usize)> {
        let galois = self.galois.iter().map(|(&g, &level)| (g, level));
        self.relinearization.map(|level| (RELINEARIZATION, level)).into_iter().chain(galois)
    }
}
