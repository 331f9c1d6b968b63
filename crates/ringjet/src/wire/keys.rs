//! The keys of ring-LWE schemes as bytes. Their uniform halves are regenerated from seeds.

use std::sync::Arc;

use ringjet_backend::Buf;
use ringjet_backend::plan::ModUpPlan;

use super::keyset::{KeySet, key_set_as_bytes, total_of};
use super::residues::{self, poly_len};
use super::{Body, Field, Input, Object, Writer, as_bytes};
use crate::rlwe::keyswitch::Encapsulation;
use crate::rng::PublicSeed;
use crate::{
    Context, EvaluationKeys, KeyId, KeyMemory, KeyRequest, KeySizes, Parameters, PublicKey, Result, SwitchingKey,
};

/// Bytes of a seed.
const SEED_LEN: usize = 32;

as_bytes!(PublicKey, Context);
as_bytes!(SwitchingKey, Context);
key_set_as_bytes!(EvaluationKeys, Context);

impl Body for PublicKey {
    const OBJECT: Object = Object::PublicKey;

    fn body_len(&self) -> usize {
        SEED_LEN + poly_len(&self.params.encryption_basis())
    }

    fn write_body(&self, ctx: &Context, w: &mut Writer<'_>) -> Result<()> {
        w.field(&self.seed)?;
        residues::write(ctx, w, self.buf.view(2).poly(0), &self.params.encryption_basis())
    }

    fn read_body(ctx: &Context, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let (params, basis) = (ctx.params(), ctx.params().encryption_basis());
        let seed = PublicSeed::read(r)?;
        r.expect_remaining(poly_len(&basis))?;
        let mut buf = ctx.alloc(2 * basis.len())?;
        residues::read(ctx, r, &mut buf, 0, &basis)?;
        ctx.expand_into(&mut buf, basis.len(), &seed, 0, &basis)?;
        Ok(Self { params: params.clone(), key, seed, buf: Arc::new(buf) })
    }
}

impl Body for SwitchingKey {
    const OBJECT: Object = Object::SwitchingKey;

    fn body_len(&self) -> usize {
        switching_key_len(self.params(), self.level)
    }

    fn write_body(&self, ctx: &Context, w: &mut Writer<'_>) -> Result<()> {
        w.field(&self.level)?;
        w.field(&self.seed)?;
        let basis = &self.params().key_plan(self.level).extended;
        (0..self.digits()).try_for_each(|d| residues::write(ctx, w, self.b(d), basis))
    }

    fn read_body(ctx: &Context, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let (params, here) = (ctx.params(), r.offset());
        let level = usize::read(r)?;
        if level > params.max_level() {
            let reason = format!("a key for level {level}, above the highest level {}", params.max_level());
            return Err(r.malformed_at(here, reason));
        }
        let (seed, buf) = read_seeded(ctx, r, params.key_plan(level), ctx.key_memory())?;
        Ok(Self::new(ctx, key, seed, buf, level))
    }
}

impl KeySet for EvaluationKeys {
    type Key = SwitchingKey;

    fn without_keys(params: &Parameters, key: KeyId) -> Self {
        Self { key, ..Self::empty(params) }
    }

    fn by_element(&self) -> impl Iterator<Item = (u32, &SwitchingKey)> {
        self.keys()
    }

    fn add(&mut self, element: u32, key: SwitchingKey) {
        self.insert(element, key);
    }

    fn ephemeral_len(&self) -> Option<usize> {
        self.encapsulation.as_ref().map(|_| encapsulation_len(&self.params))
    }

    fn write_ephemeral(&self, ctx: &Context, w: &mut Writer<'_>) -> Result<()> {
        let Some(e) = &self.encapsulation else { return Ok(()) };
        let plan = &self.params.raising()?.mod_up;
        w.field(&e.seed)?;
        for d in 0..plan.beta() {
            residues::write(ctx, w, e.to_sparse.view(2 * plan.beta()).poly(2 * d), &plan.extended)?;
        }
        e.to_dense.write_body(ctx, w)
    }

    fn read_ephemeral(&mut self, ctx: &Context, r: &mut impl Input) -> Result<()> {
        if ctx.params().bootstrap().is_none() {
            return Err(r.malformed("keys of an ephemeral secret, and parameters that do not bootstrap"));
        }
        let (seed, to_sparse) = read_seeded(ctx, r, &ctx.params().raising()?.mod_up, KeyMemory::Expanded)?;
        let here = r.offset();
        let to_dense = SwitchingKey::read_body(ctx, self.key, r)?;
        if to_dense.level != ctx.params().max_level() {
            return Err(r.malformed_at(here, "the key from the ephemeral secret serves the highest level"));
        }
        self.encapsulation = Some(Encapsulation { to_sparse: Arc::new(to_sparse), seed, to_dense });
        Ok(())
    }
}

impl KeySizes {
    /// Of relinearisation and Galois keys for use up to these levels, and of the keys that
    /// bootstrapping raises the modulus with.
    ///
    /// # Errors
    /// [`Error::NoBootstrapping`](crate::Error::NoBootstrapping).
    pub fn of(params: &Parameters, levels: &[usize], encapsulation: bool) -> Result<Self> {
        let ephemeral = encapsulation.then(|| encapsulation_len(params));
        let keys = levels.iter().map(|&level| switching_key_len(params, level));
        let in_memory = Self::in_memory(params, levels, encapsulation)?;
        Ok(Self { bytes_at_rest: total_of(keys, ephemeral), ..in_memory })
    }
}

impl KeyRequest {
    /// The sizes of the keys that [`SecretKey::evaluation_keys`](crate::SecretKey::evaluation_keys)
    /// makes for this request.
    ///
    /// # Errors
    /// [`Error::NoBootstrapping`](crate::Error::NoBootstrapping), and
    /// [`Error::Argument`](crate::Error::Argument) for too few slots to bootstrap.
    pub fn sizes(&self, params: &Parameters) -> Result<KeySizes> {
        let plan = self.plan(params)?;
        let levels: Vec<usize> = plan.keys().map(|(_, level)| level).collect();
        KeySizes::of(params, &levels, plan.ephemeral_weight.is_some())
    }
}

fn switching_key_len(params: &Parameters, level: usize) -> usize {
    4 + SEED_LEN + params.digits(level) * poly_len(&params.key_plan(level).extended)
}

fn encapsulation_len(params: &Parameters) -> usize {
    let raising = params.raising().map_or(0, |r| r.mod_up.beta() * poly_len(&r.mod_up.extended));
    SEED_LEN + raising + switching_key_len(params, params.max_level())
}

/// A seed, and one polynomial for each digit; the other half is expanded unless it is to stay a
/// seed.
fn read_seeded(ctx: &Context, r: &mut impl Input, plan: &ModUpPlan, memory: KeyMemory) -> Result<(PublicSeed, Buf)> {
    let (basis, digits, polys) = (&plan.extended, plan.beta(), memory.polys());
    let seed = PublicSeed::read(r)?;
    r.expect_at_least(digits * poly_len(basis))?;
    let mut buf = ctx.alloc(polys * digits * basis.len())?;
    for d in 0..digits {
        residues::read(ctx, r, &mut buf, polys * d * basis.len(), basis)?;
        if memory == KeyMemory::Expanded {
            ctx.expand_into(&mut buf, (polys * d + 1) * basis.len(), &seed, d as u32, basis)?;
        }
    }
    Ok((seed, buf))
}
