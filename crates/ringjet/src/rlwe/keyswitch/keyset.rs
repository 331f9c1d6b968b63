//! The evaluation keys of a server.

use std::collections::BTreeMap;
use std::fmt;

use ringjet_backend::Backend;

use super::{
    Encapsulation, Encapsulations, Key, KeyMemory, KeyPlan, KeyUse, Progress, RELINEARIZATION, ReturnKeys, SwitchingKey,
};
use crate::rlwe::{ChainParameters, Context, KeyId, SchemeParameters};
use crate::{Error, Result};

/// The public keys that a server computes with. They cannot hold a secret.
#[derive(Clone)]
pub struct EvaluationKeys<K: Key> {
    params: K::Params,
    pub(crate) key: KeyId,
    /// The keys by Galois element; the relinearisation key is at [`RELINEARIZATION`].
    keys: BTreeMap<u32, K>,
    /// Used for every Galois key that is missing: one shape is enough if a backend only counts.
    pub(crate) any_galois: Option<K>,
    pub(crate) encapsulations: Encapsulations<K>,
}

impl<K: Key> EvaluationKeys<K> {
    /// No keys. They are enough for additions and for products with plaintexts.
    pub fn empty(params: &K::Params) -> Self {
        Self {
            params: params.clone(),
            key: KeyId::ANY,
            keys: BTreeMap::new(),
            any_galois: None,
            encapsulations: BTreeMap::new(),
        }
    }

    /// Makes keys by Galois element and highest level. `make` calls `progress` between its steps.
    pub(crate) fn generate(
        params: &K::Params,
        key: KeyId,
        elements: impl IntoIterator<Item = (u32, usize)>,
        progress: &mut Progress<'_>,
        mut make: impl FnMut(u32, usize, &mut Progress<'_>) -> Result<K>,
    ) -> Result<Self> {
        let mut keys = Self { key, ..Self::empty(params) };
        for (element, level) in elements {
            keys.insert(element, make(element, level, progress)?);
            progress.step()?;
        }
        Ok(keys)
    }

    /// The parameters.
    pub fn params(&self) -> &K::Params {
        &self.params
    }

    /// The identity of the keys' secret; [`KeyId::ANY`] without keys, and for keys without values.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The relinearisation key. Fails with [`Error::MissingRelinearizationKey`].
    pub fn relinearization(&self) -> Result<&K> {
        self.keys.get(&RELINEARIZATION).ok_or(Error::MissingRelinearizationKey)
    }

    /// The key for a rotation by `steps` of all N/2 slots to the left.
    /// Fails with [`Error::MissingRotationKey`].
    pub fn rotation(&self, steps: i64) -> Result<&K> {
        let element = self.params.ring().rotation_element(steps);
        self.galois(element).ok_or(Error::MissingRotationKey { rotation: steps })
    }

    pub(crate) fn galois(&self, element: u32) -> Option<&K> {
        self.keys.get(&element).or(self.any_galois.as_ref())
    }

    /// The key for complex conjugation. Fails with [`Error::MissingConjugationKey`].
    pub fn conjugation(&self) -> Result<&K> {
        self.galois(self.params.ring().conjugation_element()).ok_or(Error::MissingConjugationKey)
    }

    /// The keys of an ephemeral secret for `2^log_slots` slots. `matrix`: with the first matrix of
    /// CoeffsToSlots. Fails with [`Error::MissingBootstrappingKeys`].
    pub(crate) fn encapsulation(&self, log_slots: u32, matrix: bool) -> Result<&Encapsulation<K>> {
        self.encapsulations.get(&matrix.then_some(log_slots)).ok_or_else(|| {
            let available = self.encapsulations.keys().flatten().map(|l| 1 << l).collect();
            Error::MissingBootstrappingKeys { slots: 1 << log_slots, available }
        })
    }

    /// Whether keys of an ephemeral secret are present.
    pub(crate) fn has_ephemeral(&self) -> bool {
        !self.encapsulations.is_empty()
    }

    /// Whether all planned keys of ephemeral secrets are present.
    pub(crate) fn has_ephemeral_of(&self, plan: &KeyPlan) -> bool {
        plan.ephemeral().iter().all(|matrix| self.encapsulations.contains_key(matrix))
    }

    /// The uses of `plan` whose keys are missing or serve too few levels. The keys of ephemeral
    /// secrets have no [`KeyUse`]; see [`EvaluationKeys::has_ephemeral`].
    pub(crate) fn missing(&self, plan: &KeyPlan) -> Vec<KeyUse> {
        let lacking = |&(purpose, level): &(KeyUse, Option<usize>)| {
            let element = self.params.ring().key_element(purpose);
            let level = level.unwrap_or(self.params.message_level());
            let key = if element == RELINEARIZATION { self.keys.get(&element) } else { self.galois(element) };
            element != 1 && key.is_none_or(|key| key.level() < level)
        };
        let mut all: Vec<KeyUse> = plan.uses().filter(lacking).map(|(purpose, _)| purpose).collect();
        all.dedup();
        all
    }

    /// Number of switching keys. An ephemeral secret has two; the keys of a matrix count as one.
    pub fn len(&self) -> usize {
        self.keys.len() + 2 * self.encapsulations.len()
    }

    /// Whether there is no key at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The keys with their Galois elements. The relinearisation key comes first, with element 0.
    pub fn keys(&self) -> impl Iterator<Item = (u32, &K)> {
        self.keys.iter().map(|(&g, key)| (g, key))
    }

    /// Adds a key under its Galois element or [`RELINEARIZATION`].
    pub(crate) fn insert(&mut self, element: u32, key: K) {
        self.keys.insert(element, key);
    }

    /// Adds the keys of `other`, which must have the same secret and parameters. Of two keys for
    /// one use, the key for more levels stays; if both serve the same levels, the key of `other`
    /// stays. So do its keys of ephemeral secrets where both sets have such keys for the same number
    /// of slots. Fails with [`Error::ParameterMismatch`]; [`Error::KeyMismatch`] for keys of another
    /// secret.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        self.params.ring().expect_same("evaluation keys", other.params.ring())?;
        self.key = self.key.join("evaluation keys", other.key)?;
        for (element, key) in other.keys {
            if self.keys.get(&element).is_none_or(|own| own.level() <= key.level()) {
                self.keys.insert(element, key);
            }
        }
        self.encapsulations.extend(other.encapsulations);
        Ok(())
    }

    /// The keys of `plan` alone, cut to its levels where a key for these is a part of the one that is here:
    /// always in chains of single primes; primes that several levels share leave whole keys.
    /// Fails with [`Error::MissingBootstrappingKeys`], [`Error::MissingRotationKeys`] and other missing
    /// keys, and with [`Error::KeyLevel`] for one that serves too few levels.
    pub fn subset(&self, plan: &KeyPlan) -> Result<Self> {
        let mut keys = Self { key: self.key, any_galois: self.any_galois.clone(), ..Self::empty(&self.params) };
        for &matrix in plan.ephemeral() {
            let log_slots = matrix.unwrap_or(self.params.ring().log_n() - 1);
            keys.encapsulations.insert(matrix, self.encapsulation(log_slots, matrix.is_some())?.clone());
        }
        let missing = self.missing(plan);
        let absent = |purpose: &&KeyUse| !self.keys.contains_key(&self.params.ring().key_element(**purpose));
        let rotation = |purpose: &KeyUse| if let KeyUse::Rotation(steps) = purpose { Some(*steps) } else { None };
        let rotations: Vec<i64> = missing.iter().filter(absent).filter_map(rotation).collect();
        match missing.iter().find(absent) {
            Some(_) if rotations.len() > 1 => return Err(Error::MissingRotationKeys { rotations }),
            Some(&purpose) => return Err(purpose.missing()),
            None => {}
        }
        for (element, level) in plan.elements(&self.params) {
            let Some(key) = self.keys.get(&element) else { continue };
            if key.level() < level {
                return Err(Error::KeyLevel { level, key_level: key.level() });
            }
            keys.insert(element, key.up_to(level)?);
        }
        Ok(keys)
    }

    /// Bytes of all keys in memory.
    pub fn memory_bytes(&self) -> usize {
        let raising: usize = self.encapsulations.values().map(|e| e.memory_bytes(self.params.ring().n())).sum();
        raising + self.keys.values().map(K::memory_bytes).sum::<usize>()
    }
}

impl<P: ChainParameters> EvaluationKeys<SwitchingKey<P>> {
    /// The same keys in the form `memory`. They are converted one at a time, and each old key is
    /// freed after its conversion unless it is shared.
    /// [`Context::with_key_memory`](crate::Context::with_key_memory) sets the form for making and
    /// reading keys. Fails with [`Error::Backend`].
    pub fn in_memory_form(mut self, memory: KeyMemory) -> Result<Self> {
        for key in self.keys.values_mut() {
            *key = key.in_memory_form(memory)?;
        }
        for encapsulation in self.encapsulations.values_mut() {
            match &mut encapsulation.back {
                ReturnKeys::Switch(key) => *key = key.in_memory_form(memory)?,
                ReturnKeys::Matrix(keys) => *keys = keys.in_memory_form(memory)?,
            }
        }
        Ok(self)
    }
}

impl<K: Key> fmt::Debug for EvaluationKeys<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relinearization = self.keys.contains_key(&RELINEARIZATION);
        write!(
            f,
            "{}EvaluationKeys({:?}, relinearization={relinearization}, {} Galois keys, {:.1} MB in memory)",
            K::Params::PREFIX,
            self.params,
            self.keys.len() - usize::from(relinearization),
            self.memory_bytes() as f64 / 1e6
        )
    }
}

impl<K: Key> EvaluationKeys<K> {
    /// Keys of `plan` with the right shapes and no values, to count the operations of a program on
    /// a backend that [computes nothing](ringjet_backend::Meter::counts_only).
    ///
    /// # Errors
    /// [`Error::Argument`] if the backend computes; [`Error::NoSuchLevel`] and
    /// [`Error::NoBootstrapping`] for a plan that was made for other parameters.
    pub fn uncomputed(ctx: &Context<K::Params>, plan: &KeyPlan) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let mut keys = Self::empty(ctx.params());
        for (element, level) in plan.elements(ctx.params()) {
            keys.insert(element, K::uncomputed(ctx, Some(level))?);
        }
        for &matrix in plan.ephemeral() {
            let made = K::uncomputed_encapsulation(ctx, matrix)?;
            keys.encapsulations.insert(matrix, made.ok_or_else(|| Error::no_bootstrapping(ctx.params()))?);
        }
        Ok(keys)
    }

    /// Keys without values for all uses: relinearisation, rotations, conjugation, and bootstrapping
    /// if the parameters have it. All Galois keys share one shape, so the stated memory is
    /// meaningless. Fails with [`Error::Argument`] if the backend computes.
    pub fn uncomputed_for_all(ctx: &Context<K::Params>) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let mut keys = Self::empty(ctx.params());
        keys.insert(RELINEARIZATION, K::uncomputed(ctx, None)?);
        keys.any_galois = Some(K::uncomputed(ctx, None)?);
        for matrix in (0..ctx.params().ring().log_n()).map(Some).chain([None]) {
            if let Some(made) = K::uncomputed_encapsulation(ctx, matrix)? {
                keys.encapsulations.insert(matrix, made);
            }
        }
        Ok(keys)
    }
}

/// Refuses a backend that computes, as keys without values give wrong results there.
pub(crate) fn expect_no_values(backend: &dyn Backend) -> Result<()> {
    if !backend.computes() {
        return Ok(());
    }
    Err(Error::argument("backend", backend.id().name(), "one that computes nothing"))
}
