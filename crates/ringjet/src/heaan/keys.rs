//! Keys that a server holds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Backend, BigFactor, Buf};
use ringjet_math::big::words;

use super::{Context, Parameters};
use crate::rlwe::keyswitch::{RELINEARIZATION, expect_no_values};
use crate::rng::PublicSeed;
use crate::{Error, KeyId, KeyRequest, KeySizes, Result};

/// A switching key, `(b, a)` with `b = -a s + e + 2^log_q s'` modulo `2^(2 log_q)`, log_q that of the parameters (section
/// II of Jung et al.): it serves every modulus.
///
/// It is kept *prepared*, in the form in which the backend multiplies by it, for every modulus; and b as it is, since at rest a
/// key is b and the seed of a.
#[derive(Clone)]
pub struct SwitchingKey {
    params: Parameters,
    key: KeyId,
    seed: PublicSeed,
    /// b modulo `2^(2 log_q)`.
    half: Arc<Buf>,
    /// Two polynomials: b, a.
    prepared: Arc<Buf>,
}

impl SwitchingKey {
    /// The key as a factor: two polynomials.
    pub(crate) fn factor(&self) -> BigFactor<'_> {
        BigFactor::Prepared(self.prepared.view(2), 2 * self.params.log_q())
    }

    /// From its two polynomials modulo `2^(2 log_q)`.
    pub(super) fn prepared(ctx: &Context, id: KeyId, seed: PublicSeed, key: &Buf) -> Result<Self> {
        let (params, bits) = (ctx.params().clone(), 2 * ctx.params().log_q());
        let prepared = ctx.backend().big_prepare(key.view(2), &ctx.split(params.basis().len(), bits))?;
        let mut half = ctx.alloc_big(1, bits)?;
        ctx.backend().copy(half.view_mut(1), key.view(2).poly(0))?;
        Ok(Self { params, key: id, seed, half: Arc::new(half), prepared: Arc::new(prepared) })
    }

    /// From b, the first half of `key`, whose other half is expanded.
    pub(crate) fn from_half(ctx: &Context, id: KeyId, seed: PublicSeed, mut key: Buf) -> Result<Self> {
        let bits = 2 * ctx.params().log_q();
        ctx.expand_into(&mut key, words(bits), &seed, bits)?;
        Self::prepared(ctx, id, seed, &key)
    }

    /// b modulo `2^(2 log_q)`.
    pub(crate) fn half(&self) -> &Buf {
        &self.half
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// The identity of its secret.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The seed of its uniform half.
    pub fn seed(&self) -> &PublicSeed {
        &self.seed
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        (self.half.limbs() + self.prepared.limbs()) * self.params.n() * 8
    }
}

impl fmt::Debug for SwitchingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "heaan::SwitchingKey({} bits, {} primes)", 2 * self.params.log_q(), self.params.basis().len())
    }
}

/// The public keys a server computes with. It cannot hold a secret.
#[derive(Clone)]
pub struct EvaluationKeys {
    params: Parameters,
    /// Of their secret.
    key: KeyId,
    /// By Galois element, and the relinearisation key with [`RELINEARIZATION`].
    keys: BTreeMap<u32, SwitchingKey>,
    /// Stands for every Galois key that is not there: on a backend that computes nothing, one shape does for all.
    any_galois: Option<SwitchingKey>,
}

impl EvaluationKeys {
    /// No keys: enough to add and to multiply by plaintexts.
    pub fn empty(params: &Parameters) -> Self {
        Self { params: params.clone(), key: KeyId::ANY, keys: BTreeMap::new(), any_galois: None }
    }

    /// Keys for everything, of which only the shapes are right: to count what a program does on a backend that [computes
    /// nothing](ringjet_backend::Backend::computes). One shape stands for all rotations, so its memory says nothing.
    ///
    /// # Errors
    /// [`Error::Argument`] where the backend computes.
    pub fn uncomputed_for_all(ctx: &Context) -> Result<Self> {
        let mut keys = Self::empty(ctx.params());
        keys.insert(RELINEARIZATION, uncomputed_key(ctx)?);
        keys.any_galois = Some(uncomputed_key(ctx)?);
        Ok(keys)
    }

    /// Keys as [`SecretKey::evaluation_keys`](super::SecretKey::evaluation_keys) makes them for `request`, of which only the
    /// shapes are right.
    ///
    /// # Errors
    /// [`Error::Argument`] where the backend computes; [`Error::SlotCount`].
    pub fn uncomputed(ctx: &Context, request: &KeyRequest) -> Result<Self> {
        let mut keys = Self::empty(ctx.params());
        for element in super::generate::elements(ctx.params(), request)? {
            keys.insert(element, uncomputed_key(ctx)?);
        }
        Ok(keys)
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// The identity of their secret; [`KeyId::ANY`] where there are none, and of keys without values.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The same as keys of another secret.
    pub(crate) fn with_key(self, key: KeyId) -> Self {
        Self { key, ..self }
    }

    /// The relinearisation key.
    ///
    /// # Errors
    /// [`Error::MissingRelinearizationKey`].
    pub fn relinearization(&self) -> Result<&SwitchingKey> {
        self.keys.get(&RELINEARIZATION).ok_or(Error::MissingRelinearizationKey)
    }

    /// The key for a rotation by `steps` of all N/2 slots to the left.
    ///
    /// # Errors
    /// [`Error::MissingRotationKey`].
    pub fn rotation(&self, steps: i64) -> Result<&SwitchingKey> {
        self.galois(self.params.rotation_element(steps)).ok_or(Error::MissingRotationKey { rotation: steps })
    }

    /// The key for complex conjugation.
    ///
    /// # Errors
    /// [`Error::MissingConjugationKey`].
    pub fn conjugation(&self) -> Result<&SwitchingKey> {
        self.galois(self.params.conjugation_element()).ok_or(Error::MissingConjugationKey)
    }

    fn galois(&self, element: u32) -> Option<&SwitchingKey> {
        self.keys.get(&element).or(self.any_galois.as_ref())
    }

    /// Whether a rotation by `steps` of all slots can be done with one key.
    pub fn has_rotation(&self, steps: i64) -> bool {
        steps.rem_euclid(self.params.max_slots() as i64) == 0 || self.rotation(steps).is_ok()
    }

    /// Number of switching keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no key at all.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys with their Galois elements, the relinearisation key first with 0.
    pub fn keys(&self) -> impl Iterator<Item = (u32, &SwitchingKey)> {
        self.keys.iter().map(|(&g, key)| (g, key))
    }

    /// Adds a key by Galois element or [`RELINEARIZATION`].
    pub(crate) fn insert(&mut self, element: u32, key: SwitchingKey) {
        self.keys.insert(element, key);
    }

    /// Adds the keys of `other`, of the same secret and parameters; of two for the same purpose that of `other` stays.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; [`Error::KeyMismatch`] for the keys of another secret.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        self.params.expect_same("evaluation keys", &other.params)?;
        self.key = self.key.join("evaluation keys", other.key)?;
        self.keys.extend(other.keys);
        Ok(())
    }

    /// Bytes of all keys in memory.
    pub fn memory_bytes(&self) -> usize {
        self.keys.values().map(SwitchingKey::memory_bytes).sum()
    }
}

impl Parameters {
    /// The sizes of the keys that [`SecretKey::evaluation_keys`](super::SecretKey::evaluation_keys) makes for this request. In memory
    /// they have one form, that of `backend`.
    ///
    /// # Errors
    /// [`Error::SlotCount`].
    pub fn key_sizes(&self, backend: &dyn Backend, request: &KeyRequest) -> Result<KeySizes> {
        let (count, bits) = (self.key_count(request)?, 2 * self.log_q());
        let limbs = words(bits) + backend.big_prepared_limbs(2, self.basis(), bits);
        let memory_bytes = (count * limbs * self.n() * 8) as u64;
        let bytes_at_rest = super::bytes::keys_len(self, count);
        Ok(KeySizes { count, bytes_at_rest, memory_bytes, compressed_memory_bytes: memory_bytes })
    }

    /// Number of keys for a request.
    pub(crate) fn key_count(&self, request: &KeyRequest) -> Result<usize> {
        Ok(super::generate::elements(self, request)?.len())
    }
}

fn uncomputed_key(ctx: &Context) -> Result<SwitchingKey> {
    expect_no_values(ctx.backend())?;
    // prepared by the backend, whose form has a size of its own
    let key = ctx.alloc_big(2, 2 * ctx.params().log_q())?;
    SwitchingKey::prepared(ctx, KeyId::ANY, PublicSeed::from_bytes([0; 32]), &key)
}

impl fmt::Debug for EvaluationKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relinearization = self.keys.contains_key(&RELINEARIZATION);
        write!(
            f,
            "heaan::EvaluationKeys({:?}, relinearization={relinearization}, {} Galois keys, {:.1} MB in memory)",
            self.params,
            self.keys.len() - usize::from(relinearization),
            self.memory_bytes() as f64 / 1e6
        )
    }
}
