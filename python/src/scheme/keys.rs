//! Keys of both schemes.

use std::io::{Read, Write};
use std::sync::Arc;

use ringjet::rlwe::Sharing;
use ringjet::rng::Seed;
use ringjet::wire::Limits;
use ringjet::{KeyMemory, KeyRequest, Result, Values, heaan};
use zeroize::Zeroizing;

use super::Either::{Ckks, Heaan};
use super::{Ciphertext, Context, EvaluationKeys, Parameters, Plaintext, PublicKey, SecretKey, compressed, foreign};

impl SecretKey {
    pub fn from_seed(params: &Parameters, seed: &Seed) -> Result<Self> {
        match params {
            Ckks(p) => Ok(Ckks(ringjet::SecretKey::from_seed(p, seed))),
            Heaan(p) => heaan::SecretKey::from_seed(p, seed).map(Heaan),
        }
    }

    pub fn encrypt(&self, ctx: &Context, plain: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        match (self, ctx, plain) {
            (Ckks(s), Ckks(ctx), Ckks(p)) => s.encrypt(ctx, p, seed).map(Ckks),
            (Heaan(s), Heaan(ctx), Heaan((p, log_q))) => s.encrypt_at(ctx, p, *log_q, seed).map(Heaan),
            _ => Err(foreign(&self.params(), plain.what(), &plain.params())),
        }
    }

    pub fn decrypt_values(&self, ctx: &Context, ct: &Ciphertext) -> Result<Values> {
        match (self, ctx, ct) {
            (Ckks(s), Ckks(ctx), Ckks(ct)) => s.decrypt_values(ctx, ct),
            (Heaan(s), Heaan(ctx), Heaan(ct)) => s.decrypt_values(ctx, ct),
            _ => Err(foreign(&self.params(), ct.what(), &ct.params())),
        }
    }

    /// Whatever comes out, also where it cannot be a message.
    pub fn decrypt_unchecked(&self, ctx: &Context, ct: &Ciphertext) -> Result<Values> {
        match (self, ctx, ct) {
            (Ckks(s), Ckks(ctx), Ckks(ct)) => s.decrypt(ctx, ct)?.decode(ctx),
            (Heaan(s), Heaan(ctx), Heaan(ct)) => s.decrypt(ctx, ct)?.decode(ctx),
            _ => Err(foreign(&self.params(), ct.what(), &ct.params())),
        }
    }

    /// `plan` is a ciphertext of a model server.
    pub fn decrypt_for_sharing(
        &self,
        ctx: &Context,
        ct: &Ciphertext,
        plan: &Ciphertext,
        bits: u32,
        sharing: &Sharing,
        seed: &Seed,
    ) -> Result<Values> {
        match (self, ctx, ct, plan) {
            (Ckks(s), Ckks(ctx), Ckks(ct), Ckks(plan)) => s.decrypt_for_sharing(ctx, ct, plan, bits, sharing, seed),
            (Heaan(s), Heaan(ctx), Heaan(ct), Heaan(plan)) => s.decrypt_for_sharing(ctx, ct, plan, bits, sharing, seed),
            _ => Err(foreign(&self.params(), ct.what(), &ct.params())),
        }
    }

    /// How many decryptions were shared.
    pub fn answers_given(&self) -> u64 {
        both!(self, s => s.answers_given())
    }

    pub fn evaluation_keys(
        &self,
        ctx: &Context,
        request: &KeyRequest,
        seed: &Seed,
        progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<EvaluationKeys> {
        each!(self, ctx; s, ctx => s.evaluation_keys(ctx, request, seed, progress).map(Arc::new))
    }

    pub fn to_secret_bytes(&self) -> Zeroizing<Vec<u8>> {
        both!(self, s => s.to_secret_bytes())
    }

    pub fn from_secret_bytes(params: &Parameters, data: &[u8], limits: Limits) -> Result<Self> {
        match params {
            Ckks(p) => ringjet::SecretKey::from_secret_bytes(p, data, limits).map(Ckks),
            Heaan(p) => heaan::SecretKey::from_secret_bytes(p, data, limits).map(Heaan),
        }
    }
}

impl PublicKey {
    pub fn generate(ctx: &Context, secret: &SecretKey, seed: &Seed) -> Result<Self> {
        match (ctx, secret) {
            (Ckks(ctx), Ckks(s)) => ringjet::PublicKey::generate(ctx, s, seed).map(Ckks),
            (Heaan(ctx), Heaan(s)) => heaan::PublicKey::generate(ctx, s, seed).map(Heaan),
            _ => Err(foreign(&ctx.params(), secret.what(), &secret.params())),
        }
    }

    pub fn encrypt(&self, ctx: &Context, plain: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        match (self, ctx, plain) {
            (Ckks(key), Ckks(ctx), Ckks(p)) => key.encrypt(ctx, p, seed).map(Ckks),
            (Heaan(key), Heaan(ctx), Heaan((p, log_q))) => key.encrypt_at(ctx, p, *log_q, seed).map(Heaan),
            _ => Err(foreign(&self.params(), plain.what(), &plain.params())),
        }
    }

    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        match (self, ctx) {
            (Ckks(key), Ckks(ctx)) => key.write_to(ctx, out),
            (Heaan(key), Heaan(ctx)) => key.write_to(ctx, out),
            _ => Err(foreign(&ctx.params(), self.what(), &self.params())),
        }
    }

    pub fn from_bytes(ctx: &Context, data: &[u8], limits: Limits) -> Result<Self> {
        match ctx {
            Ckks(ctx) => ringjet::PublicKey::from_bytes(ctx, data, limits).map(Ckks),
            Heaan(ctx) => heaan::PublicKey::from_bytes(ctx, data, limits).map(Heaan),
        }
    }
}

impl EvaluationKeys {
    /// Refuses a ciphertext of other parameters or of another client.
    pub fn expect(&self, ct: &Ciphertext) -> Result<()> {
        self.params().expect_same(ct.what(), &ct.params())?;
        self.key_id().join(ct.what(), ct.key_id()).map(|_| ())
    }

    pub fn has_relinearization(&self) -> bool {
        both!(self, keys => keys.relinearization().is_ok())
    }

    pub fn has_conjugation(&self) -> bool {
        both!(self, keys => keys.conjugation().is_ok())
    }

    /// Whether there is a key of its own for this rotation, which serves all that is encrypted.
    pub fn has_rotation(&self, steps: i64) -> bool {
        match self {
            Ckks(keys) => keys.rotation(steps).is_ok_and(|key| key.level() >= keys.params().top_level()),
            Heaan(keys) => keys.rotation(steps).is_ok(),
        }
    }

    /// Binary logarithms of the numbers of slots that can be bootstrapped.
    pub fn bootstrapping(&self) -> Vec<u32> {
        both!(self, keys => keys.bootstrapping())
    }

    pub fn can_bootstrap(&self) -> bool {
        both!(self, keys => keys.can_bootstrap())
    }

    pub fn len(&self) -> usize {
        both!(self, keys => keys.len())
    }

    pub fn memory_bytes(&self) -> usize {
        both!(self, keys => keys.memory_bytes())
    }

    pub fn bytes_at_rest(&self) -> u64 {
        both!(self, keys => keys.bytes_at_rest())
    }

    /// How they are kept, which is the same for all of them.
    pub fn memory(&self) -> KeyMemory {
        match self {
            Ckks(keys) => keys.keys().next().map_or_else(KeyMemory::default, |(_, key)| key.memory()),
            Heaan(_) => KeyMemory::Expanded,
        }
    }

    /// The same keys kept like this.
    pub fn kept(&self, memory: KeyMemory) -> Result<Self> {
        match self {
            _ if memory == self.memory() => Ok(self.clone()),
            Ckks(keys) if memory == KeyMemory::Compressed => Ok(Ckks(Arc::new((**keys).clone().compressed()?))),
            Ckks(keys) => Ok(Ckks(Arc::new((**keys).clone().expanded()?))),
            Heaan(_) => Err(compressed()),
        }
    }

    /// These and those of `other`.
    pub fn merged(&self, other: &Self) -> Result<Self> {
        each!(self, other; keys, other => {
            let mut keys = (**keys).clone();
            keys.merge((**other).clone()).map(|()| Arc::new(keys))
        })
    }

    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write, step: impl FnMut(u64, u64) -> bool) -> Result<()> {
        match (self, ctx) {
            (Ckks(keys), Ckks(ctx)) => keys.write_to_observed(ctx, out, step),
            (Heaan(keys), Heaan(ctx)) => keys.write_to_observed(ctx, out, step),
            _ => Err(foreign(&ctx.params(), self.what(), &self.params())),
        }
    }

    pub fn from_bytes(ctx: &Context, data: &[u8], limits: Limits) -> Result<Self> {
        match ctx {
            Ckks(ctx) => ringjet::EvaluationKeys::from_bytes(ctx, data, limits).map(|keys| Ckks(keys.into())),
            Heaan(ctx) => heaan::EvaluationKeys::from_bytes(ctx, data, limits).map(|keys| Heaan(keys.into())),
        }
    }

    pub fn read_from(
        ctx: &Context,
        from: &mut dyn Read,
        limits: Limits,
        step: impl FnMut(u64, u64) -> bool,
    ) -> Result<Self> {
        match ctx {
            Ckks(ctx) => ringjet::EvaluationKeys::read_from(ctx, from, limits, step).map(|keys| Ckks(keys.into())),
            Heaan(ctx) => heaan::EvaluationKeys::read_from(ctx, from, limits, step).map(|keys| Heaan(keys.into())),
        }
    }
}
