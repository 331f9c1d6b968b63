//! Keys of any scheme.

use std::io::{Read, Write};
use std::sync::Arc;

use zeroize::Zeroizing;

use super::objects::{Ciphertext, Context, EvaluationKeys, Parameters, Plaintext, PublicKey, SchemeObject, SecretKey};
use super::request::KeyRequest;
use super::scheme::{self, Scheme};
use super::values::Values;
use crate::rlwe::keyswitch::{self, Key, KeyUse};
use crate::rlwe::{CountAnswers, SchemeParameters as _, Sharing};
use crate::rng::Seed;
use crate::wire::Limits;
use crate::{KeyId, KeyMemory, KeyPlan, Result};

impl SecretKey {
    /// The secret key that `seed` generates.
    pub fn from_seed(params: &Parameters, seed: &Seed) -> Result<Self> {
        dispatch!(params, Parameters, own => Ok(scheme::SecretKey::<Own>::from_seed(own, seed)?.into()))
    }

    /// Counts answers with `count` from now on, which must begin at [`SecretKey::answers_given`] or
    /// above.
    pub fn keep_answers_in(&self, count: Arc<dyn CountAnswers>) {
        dispatch!(self, SecretKey, own => own.keep_answers_in(count));
    }
}

getters! { SecretKey:
    /// The identity of the key. It reveals nothing about the key.
    fn own.key_id() -> KeyId;
    /// How many decryptions were shared.
    fn own.answers_given() -> u64;
    /// The key in the wire format. Whoever has these bytes can decrypt everything.
    fn own.to_secret_bytes() -> Zeroizing<Vec<u8>>;
}

methods! { SecretKey:
    /// Encrypts with the secret key.
    fn own.encrypt(ctx: Context, plain: Plaintext; seed: &Seed) -> Ciphertext;
    /// The decrypted values. Refuses a ciphertext that cannot be an encryption under this key.
    fn Own::decrypt_values(ctx: Context, ct: Ciphertext;) -> Values;
    /// The decrypted values, without a check that the ciphertext can be an encryption.
    fn Own::decrypt_unchecked(ctx: Context, ct: Ciphertext;) -> Values;
    /// Decrypts a result that others will see, in approximate schemes to `bits` bits after the
    /// point. `plan`: the result of the same computation on a counting backend.
    fn Own::decrypt_for_sharing(ctx: Context, ct: Ciphertext, plan: Ciphertext; bits: Option<u32>, sharing: &Sharing, seed: &Seed) -> Values;
    /// The true noise budget of a ciphertext of an exact scheme, in bits.
    fn Own::measured_budget(ctx: Context, ct: Ciphertext;) -> f64;
    /// The keys of `plan`. `progress(done, total)` is called after each key and stops the work when
    /// it returns false.
    fn own.evaluation_keys(ctx: Context; plan: &KeyPlan, seed: &Seed, progress: impl FnMut(usize, usize) -> bool) -> EvaluationKeys;
}

constructors! { SecretKey:
    /// Reads the bytes of [`SecretKey::to_secret_bytes`].
    from_secret_bytes(params: Parameters; data: &[u8], limits: Limits);
}

constructors! { PublicKey:
    /// The public key of `secret` and `seed`.
    generate(ctx: Context, secret: SecretKey; seed: &Seed);
    /// Reads a public key in the wire format.
    from_bytes(ctx: Context; data: &[u8], limits: Limits);
}

methods! { Plaintext:
    /// The same plaintext, stating that its first `count` slots hold values.
    fn own.counted(; count: usize) -> Plaintext;
}

getters! { PublicKey:
    /// The identity of the secret key to which it belongs.
    fn own.key_id() -> KeyId;
}

methods! { PublicKey:
    /// Encrypts with the public key.
    fn own.encrypt(ctx: Context, plain: Plaintext; seed: &Seed) -> Ciphertext;
    /// Writes the key in the wire format.
    fn own.write_to(ctx: Context; out: &mut dyn Write) -> ();
}

constructors! { EvaluationKeys:
    /// Reads keys in the wire format.
    from_bytes(ctx: Context; data: &[u8], limits: Limits);
    /// Reads keys in the wire format from a stream, one polynomial at a time. `step(done, total)`,
    /// in bytes, stops the work when it returns false.
    read_from(ctx: Context; from: &mut dyn Read, limits: Limits, step: impl FnMut(u64, u64) -> bool);
}

getters! { EvaluationKeys:
    /// The identity of the secret key to which they belong.
    fn own.key_id() -> KeyId;
    /// Binary logarithms of the numbers of slots for which there are keys to bootstrap. Very few slots take
    /// the keys of the smallest number.
    fn own.bootstrapping() -> Vec<u32>;
    /// Whether there are bootstrapping keys.
    fn own.can_bootstrap() -> bool;
    /// Number of keys.
    fn own.len() -> usize;
    /// Bytes of all keys in memory.
    fn own.memory_bytes() -> usize;
    /// Bytes of all keys in the wire format.
    fn own.bytes_at_rest() -> u64;
    /// The highest level that the key for a use serves, at most the top level of messages; `None` without
    /// such a key.
    fn own.served(purpose: KeyUse) -> Option<usize>;
    /// Whether a key for this use serves the top level of messages.
    fn own.serves(purpose: KeyUse) -> bool;
    /// How the keys are stored, which is the same for all of them.
    fn Own::memory() -> KeyMemory;
}

methods! { EvaluationKeys:
    /// Writes the keys in the wire format. `step(done, total)`, in bytes, stops the work when it
    /// returns false.
    fn own.write_to_observed(ctx: Context; out: &mut dyn Write, step: impl FnMut(u64, u64) -> bool) -> ();
}

impl<K: Key> keyswitch::EvaluationKeys<K> {
    /// The highest level that the key for a use serves, at most the top level of messages; `None` without
    /// such a key.
    pub(crate) fn served(&self, purpose: KeyUse) -> Option<usize> {
        let key = match purpose {
            KeyUse::Relinearization => self.relinearization(),
            KeyUse::Conjugation => self.conjugation(),
            KeyUse::Rotation(steps) => self.rotation(steps),
        };
        key.ok().map(|key| key.level().min(self.params().message_level()))
    }

    /// Whether a key for this use serves the top level of messages.
    pub(crate) fn serves(&self, purpose: KeyUse) -> bool {
        self.served(purpose) == Some(self.params().message_level())
    }
}

impl EvaluationKeys {
    /// Whether there is no key at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether ciphertexts can be multiplied.
    pub fn has_relinearization(&self) -> bool {
        dispatch!(self, EvaluationKeys, own => own.relinearization().is_ok())
    }

    /// Whether ciphertexts can be conjugated.
    pub fn has_conjugation(&self) -> bool {
        dispatch!(self, EvaluationKeys, own => own.conjugation().is_ok())
    }

    /// Rotations with a key that covers the top level of messages, the shortest first. They are at
    /// most half of all slots in size.
    pub fn rotations(&self) -> Vec<i64> {
        self.rotations_where(|purpose| self.serves(purpose))
    }

    fn rotations_where(&self, is_wanted: impl Fn(KeyUse) -> bool) -> Vec<i64> {
        let half = self.params().max_slots() as i64 / 2;
        let wanted = |r: &i64| *r != 0 && is_wanted(KeyUse::Rotation(*r));
        let mut all: Vec<i64> = (1 - half..=half).filter(wanted).collect();
        all.sort_unstable_by_key(|r| (r.abs(), *r));
        all
    }

    /// The request for which these keys are made; it has rotations of bootstrapping too.
    pub fn request(&self) -> KeyRequest {
        let rotations = self.rotations_where(|purpose| self.served(purpose).is_some());
        let uses = rotations.iter().map(|&r| KeyUse::Rotation(r));
        let uses = uses.chain([KeyUse::Relinearization, KeyUse::Conjugation]).filter(|&purpose| !self.serves(purpose));
        let levels = uses.filter_map(|purpose| Some((purpose.to_string(), self.served(purpose)?))).collect();
        let bootstrapping = self.bootstrapping().into_iter().map(|log_slots| 1 << log_slots).collect();
        let (conjugation, relinearization) = (self.has_conjugation(), self.has_relinearization());
        KeyRequest { rotations, conjugation, relinearization, bootstrapping, levels }
    }

    /// Refuses a ciphertext of other parameters or of another client.
    pub fn expect(&self, ct: &Ciphertext) -> Result<()> {
        self.params().expect_same("ciphertext", &ct.params())?;
        self.key_id().join("ciphertext", ct.key_id()).map(|_| ())
    }

    /// The union of these keys and `other`, which must belong to the same secret key.
    pub fn merged(&self, other: &Self) -> Result<Self> {
        let params = self.params();
        dispatch!(self, EvaluationKeys, own => {
            let mut keys = scheme::EvaluationKeys::<Own>::clone(own);
            keys.merge(SchemeObject::<Own>::of(other, &params)?.clone())?;
            Ok(keys.into())
        })
    }

    /// The keys of `plan` alone; fails where one is missing.
    pub fn subset(&self, plan: &KeyPlan) -> Result<Self> {
        dispatch!(self, EvaluationKeys, own => Ok(own.subset(plan)?.into()))
    }

    /// The same keys stored in the form `memory`.
    pub fn in_memory_form(&self, memory: KeyMemory) -> Result<Self> {
        if memory == self.memory() {
            return Ok(self.clone());
        }
        dispatch!(self, EvaluationKeys, own => Ok(Own::in_memory_form(own, memory)?.into()))
    }
}
