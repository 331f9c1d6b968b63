//! Public, switching and evaluation keys as bytes. Their uniform halves are regenerated from seeds.

use std::io::{Read, Write};
use std::sync::Arc;

use ringjet_backend::Buf;
use ringjet_backend::plan::ModUpPlan;

use super::header::{malformed, open};
use super::residues::{self, poly_len};
use super::{CHECKSUM_LEN, HEADER_LEN, Header, Input, Kind, Limits, Stream, Writer};
use crate::rlwe::keyswitch::{Encapsulation, RELINEARIZATION};
use crate::rng::PublicSeed;
use crate::{Context, Error, EvaluationKeys, KeyId, KeyMemory, Parameters, PublicKey, Result, SwitchingKey};

pub(super) const SEED_LEN: usize = 32;

impl PublicKey {
    /// The key in the wire format: one polynomial and a seed.
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = ringjet_backend::host::capacity(HEADER_LEN + public_key_len(ctx.params()) + CHECKSUM_LEN)?;
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`PublicKey::to_bytes`] gives.
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let params = ctx.params();
        params.expect_same(Kind::PublicKey.name(), self.params())?;
        let header = Header::new(Kind::PublicKey, true, params, public_key_len(params)).with_key(self.key_id());
        let mut w = Writer::new(out, &header)?;
        w.put(self.seed().as_bytes())?;
        residues::write(ctx, &mut w, self.view().poly(0), &params.encryption_basis())?;
        w.finish()
    }

    /// Reads a public key.
    ///
    /// # Errors
    /// [`ParameterMismatch`](crate::Error::ParameterMismatch) for a key of other parameters;
    /// [`Malformed`](crate::Error::Malformed), [`NewerVersion`](crate::Error::NewerVersion),
    /// [`TooManyBytes`](crate::Error::TooManyBytes), and what the backend refuses.
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let params = ctx.params();
        let (header, mut r) = open(Kind::PublicKey, Some(params), bytes, limits)?;
        r.expect_remaining(public_key_len(params))?;
        let basis = params.encryption_basis();
        let seed = PublicSeed::from_bytes(r.array()?);
        let mut buf = ctx.alloc(2 * basis.len())?;
        residues::read(ctx, &mut r, &mut buf, 0, &basis)?;
        ctx.expand_into(&mut buf, basis.len(), &seed, 0, &basis)?;
        Ok(Self::from_buf(ctx, header.key, seed, buf))
    }
}

impl SwitchingKey {
    /// The key in the wire format: one polynomial for each digit, and a seed.
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out =
            ringjet_backend::host::capacity(HEADER_LEN + switching_key_len(ctx.params(), self.level) + CHECKSUM_LEN)?;
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`SwitchingKey::to_bytes`] gives.
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let params = ctx.params();
        params.expect_same(Kind::SwitchingKey.name(), self.params())?;
        let header = Header::new(Kind::SwitchingKey, true, params, switching_key_len(params, self.level));
        let mut w = Writer::new(out, &header.with_key(self.key_id()))?;
        write_switching_key(ctx, &mut w, self)?;
        w.finish()
    }

    /// Reads a switching key.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`].
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let (header, mut r) = open(Kind::SwitchingKey, Some(ctx.params()), bytes, limits)?;
        if !has_levels(ctx.params()) {
            r.expect_remaining(switching_key_len(ctx.params(), ctx.params().max_level()))?;
        }
        let key = read_switching_key(ctx, header.key, &mut r)?;
        r.expect_remaining(0)?;
        Ok(key)
    }
}

impl EvaluationKeys {
    /// All keys in the wire format.
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = ringjet_backend::host::capacity(self.bytes_at_rest() as usize)?;
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`EvaluationKeys::to_bytes`] gives, key by key.
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        self.write_to_observed(ctx, out, |_, _| true)
    }

    /// As [`EvaluationKeys::write_to`]. `progress(done, total)`, in bytes, is called after each key and stops the work when
    /// it returns false; what was written by then no reader takes.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::Io`], [`Error::Interrupted`].
    pub fn write_to_observed(
        &self,
        ctx: &Context,
        out: &mut dyn Write,
        mut progress: impl FnMut(u64, u64) -> bool,
    ) -> Result<()> {
        let params = ctx.params();
        params.expect_same(Kind::EvaluationKeys.name(), self.params())?;
        let total = self.bytes_at_rest();
        let body = total as usize - HEADER_LEN - CHECKSUM_LEN;
        let header = Header::new(Kind::EvaluationKeys, true, params, body).with_key(self.key_id());
        let mut w = Writer::new(out, &header)?;
        let mut step = |w: &Writer<'_>| {
            if progress(total - CHECKSUM_LEN as u64 - w.left(), total) { Ok(()) } else { Err(Error::Interrupted) }
        };
        w.put(&(self.keys().count() as u32).to_le_bytes())?;
        for (element, key) in self.keys() {
            w.put(&element.to_le_bytes())?;
            write_switching_key(ctx, &mut w, key)?;
            step(&w)?;
        }
        if params.bootstrap().is_some() {
            w.put(&u32::from(self.can_bootstrap()).to_le_bytes())?;
        }
        if let Ok(e) = self.encapsulation() {
            let plan = &params.raising()?.mod_up;
            w.put(e.seed.as_bytes())?;
            for d in 0..plan.beta() {
                residues::write(ctx, &mut w, e.to_sparse.view(2 * plan.beta()).poly(2 * d), &plan.extended)?;
            }
            write_switching_key(ctx, &mut w, &e.to_dense)?;
            step(&w)?;
        }
        w.finish()
    }

    /// Bytes in the wire format: what [`EvaluationKeys::write_to`] writes.
    pub fn bytes_at_rest(&self) -> u64 {
        let levels = self.keys().map(|(_, key)| key.level);
        evaluation_keys_len(self.params(), levels, self.can_bootstrap())
    }

    /// Reads evaluation keys, in the form of [`Context::key_memory`]. The bytes may also be those of a file mapped into
    /// memory; [`EvaluationKeys::read_from`] goes through a file once where this goes twice.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`].
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let (header, mut r) = open(Kind::EvaluationKeys, Some(ctx.params()), bytes, limits)?;
        let keys = read_keys(ctx, header.key, &mut r, |_| Ok(()))?;
        r.expect_remaining(0)?;
        Ok(keys)
    }

    /// Reads evaluation keys from a stream, such as a file, of which one polynomial is held at a time besides the keys made
    /// of it. All that [`EvaluationKeys::from_bytes`] checks is checked, the checksum at the end, and only then are there
    /// any keys. What follows them in the stream is left there. Memory is taken one key at a time, as their bytes arrive.
    /// `progress(done, total)`, in bytes, is called after each key and stops the work when it returns false.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`]; [`Error::Io`], [`Error::Interrupted`].
    pub fn read_from(
        ctx: &Context,
        from: &mut dyn Read,
        limits: Limits,
        mut progress: impl FnMut(u64, u64) -> bool,
    ) -> Result<Self> {
        let (header, mut r) = Stream::open(Kind::EvaluationKeys, ctx.params(), from, limits)?;
        let total = r.remaining() + HEADER_LEN + CHECKSUM_LEN;
        let keys = read_keys(ctx, header.key, &mut r, |at| {
            if progress(at as u64, total as u64) { Ok(()) } else { Err(Error::Interrupted) }
        })?;
        r.finish()?;
        Ok(keys)
    }
}

/// The body of evaluation keys; `step(offset)` after each.
fn read_keys(
    ctx: &Context,
    key: KeyId,
    r: &mut impl Input,
    mut step: impl FnMut(usize) -> Result<()>,
) -> Result<EvaluationKeys> {
    let params = ctx.params();
    let count = r.u32()? as usize;
    if !has_levels(params) {
        let expected = count.checked_mul(4 + switching_key_len(params, params.max_level()));
        r.expect_remaining(expected.ok_or_else(|| r.malformed(format!("{count} keys are too many")))?)?;
    }
    let mut keys = EvaluationKeys::empty(params).with_key(key);
    let mut last = None;
    for _ in 0..count {
        let element = next_element(r, last, params.n())?;
        last = Some(element);
        keys.insert(element, read_switching_key(ctx, key, r)?);
        step(r.offset())?;
    }
    if params.bootstrap().is_some() {
        let here = r.offset();
        let encapsulation = match r.u32()? {
            0 => None,
            1 => Some(read_encapsulation(ctx, key, r)?),
            other => {
                let reason = format!("{other} where 1 or 0 says whether keys of an ephemeral secret follow");
                return Err(malformed(r.what(), here, reason));
            }
        };
        keys = keys.with_encapsulation(encapsulation);
        step(r.offset())?;
    }
    Ok(keys)
}

/// The Galois element of the next key, or [`RELINEARIZATION`], above that of the last one, in ring degree `n`.
pub(super) fn next_element(r: &mut impl Input, last: Option<u32>, n: usize) -> Result<u32> {
    let here = r.offset();
    let element = r.u32()?;
    if last.is_some_and(|last| element <= last) {
        let reason = format!("the key of element {element} is out of order");
        return Err(malformed(r.what(), here, reason));
    }
    let galois = element & 1 == 1 && element > 1 && (element as usize) < 2 * n;
    if element != RELINEARIZATION && !galois {
        let reason = format!("{element} is no Galois element: odd, from 3 to 2N - 1");
        return Err(malformed(r.what(), here, reason));
    }
    Ok(element)
}

/// Bytes of evaluation keys for these levels in the wire format.
pub(crate) fn evaluation_keys_len(
    params: &Parameters,
    levels: impl Iterator<Item = usize>,
    encapsulation: bool,
) -> u64 {
    let keys: u64 = levels.map(|level| 4 + switching_key_len(params, level) as u64).sum();
    let flag = if params.bootstrap().is_some() { 4 } else { 0 };
    let ephemeral = if encapsulation { encapsulation_len(params) } else { 0 };
    (HEADER_LEN + 4 + CHECKSUM_LEN + flag + ephemeral) as u64 + keys
}

fn public_key_len(params: &Parameters) -> usize {
    SEED_LEN + poly_len(&params.encryption_basis())
}

/// Whether keys say for which level they are: where levels are sets of primes.
fn has_levels(params: &Parameters) -> bool {
    params.spec().levels.is_some()
}

fn switching_key_len(params: &Parameters, level: usize) -> usize {
    let field = if has_levels(params) { 4 } else { 0 };
    field + SEED_LEN + params.digits(level) * poly_len(&params.key_plan(level).extended)
}

fn encapsulation_len(params: &Parameters) -> usize {
    let raising = params.raising().map_or(0, |r| r.mod_up.beta() * poly_len(&r.mod_up.extended));
    SEED_LEN + raising + switching_key_len(params, params.max_level())
}

fn write_switching_key(ctx: &Context, w: &mut Writer<'_>, key: &SwitchingKey) -> Result<()> {
    if has_levels(ctx.params()) {
        w.put(&(key.level as u32).to_le_bytes())?;
    }
    w.put(key.seed.as_bytes())?;
    for d in 0..key.digits() {
        residues::write(ctx, w, key.b(d), &ctx.params().key_plan(key.level).extended)?;
    }
    Ok(())
}

fn read_switching_key(ctx: &Context, key: KeyId, r: &mut impl Input) -> Result<SwitchingKey> {
    let params = ctx.params();
    let mut level = params.max_level();
    if has_levels(params) {
        let here = r.offset();
        level = r.u32()? as usize;
        if level > params.max_level() {
            let reason = format!("a key for level {level}, above the highest level {}", params.max_level());
            return Err(malformed(r.what(), here, reason));
        }
    }
    let (seed, buf) = read_seeded(ctx, r, params.key_plan(level), ctx.key_memory())?;
    Ok(SwitchingKey::new(ctx, key, seed, buf, level))
}

fn read_encapsulation(ctx: &Context, key: KeyId, r: &mut impl Input) -> Result<Encapsulation<SwitchingKey>> {
    let (seed, to_sparse) = read_seeded(ctx, r, &ctx.params().raising()?.mod_up, KeyMemory::Expanded)?;
    let here = r.offset();
    let to_dense = read_switching_key(ctx, key, r)?;
    if to_dense.level != ctx.params().max_level() {
        return Err(malformed(r.what(), here, "the key from the ephemeral secret serves the highest level"));
    }
    Ok(Encapsulation { to_sparse: Arc::new(to_sparse), seed, to_dense })
}

/// A seed, and one polynomial for each digit; the other half is expanded unless it is to stay a seed.
fn read_seeded(ctx: &Context, r: &mut impl Input, plan: &ModUpPlan, memory: KeyMemory) -> Result<(PublicSeed, Buf)> {
    let (basis, digits, polys) = (&plan.extended, plan.beta(), memory.polys());
    let seed = PublicSeed::from_bytes(r.array()?);
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
