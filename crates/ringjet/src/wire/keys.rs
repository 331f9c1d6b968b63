//! Public, switching and evaluation keys as bytes. Their uniform halves are regenerated from seeds.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use ringjet_backend::Buf;
use ringjet_math::Basis;

use super::header::open;
use super::residues::{self, poly_len};
use super::{CHECKSUM_LEN, HEADER_LEN, Header, Kind, Limits, Reader, Writer};
use crate::keyswitch::Encapsulation;
use crate::rng::PublicSeed;
use crate::{Context, EvaluationKeys, Parameters, PublicKey, Result, SwitchingKey};

const SEED_LEN: usize = 32;

/// Stands for the relinearisation key where Galois keys have their element.
const RELINEARIZATION: u32 = 0;

impl PublicKey {
    /// The key in the wire format: one polynomial and a seed.
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(HEADER_LEN + public_key_len(ctx.params()) + CHECKSUM_LEN);
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`PublicKey::to_bytes`] gives.
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let params = ctx.params();
        params.expect_same(Kind::PublicKey.name(), &self.params)?;
        let mut w = Writer::new(out, &Header::new(Kind::PublicKey, true, params, public_key_len(params)))?;
        w.put(self.seed.as_bytes())?;
        residues::write(ctx, &mut w, self.buf.view(2).poly(0), &params.encryption_basis())?;
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
        let (_, mut r) = open(Kind::PublicKey, Some(params), bytes, limits)?;
        r.expect_remaining(public_key_len(params))?;
        let basis = params.encryption_basis();
        let seed = PublicSeed::from_bytes(r.array()?);
        let mut buf = ctx.alloc(2 * basis.len())?;
        residues::read(ctx, &mut r, &mut buf, 0, &basis)?;
        ctx.expand_into(&mut buf, basis.len(), &seed, 0, &basis)?;
        Ok(Self { params: params.clone(), seed, buf: Arc::new(buf) })
    }
}

impl SwitchingKey {
    /// The key in the wire format: one polynomial for each digit, and a seed.
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(HEADER_LEN + switching_key_len(ctx.params(), self.level) + CHECKSUM_LEN);
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`SwitchingKey::to_bytes`] gives.
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let params = ctx.params();
        params.expect_same(Kind::SwitchingKey.name(), &self.params)?;
        let mut w =
            Writer::new(out, &Header::new(Kind::SwitchingKey, true, params, switching_key_len(params, self.level)))?;
        write_switching_key(ctx, &mut w, self)?;
        w.finish()
    }

    /// Reads a switching key.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`].
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let (_, mut r) = open(Kind::SwitchingKey, Some(ctx.params()), bytes, limits)?;
        if !has_levels(ctx.params()) {
            r.expect_remaining(switching_key_len(ctx.params(), ctx.params().max_level()))?;
        }
        let key = read_switching_key(ctx, &mut r)?;
        r.expect_remaining(0)?;
        Ok(key)
    }
}

impl EvaluationKeys {
    /// All keys in the wire format.
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.bytes_len());
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`EvaluationKeys::to_bytes`] gives, key by key.
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let params = ctx.params();
        params.expect_same(Kind::EvaluationKeys.name(), &self.params)?;
        let mut w = Writer::new(out, &Header::new(Kind::EvaluationKeys, true, params, self.body_len()))?;
        w.put(&(self.keys().count() as u32).to_le_bytes())?;
        for (element, key) in self.keys() {
            w.put(&element.to_le_bytes())?;
            write_switching_key(ctx, &mut w, key)?;
        }
        if params.bootstrap().is_some() {
            w.put(&u32::from(self.encapsulation.is_some()).to_le_bytes())?;
        }
        if let Some(e) = &self.encapsulation {
            let plan = &params.raising()?.mod_up;
            w.put(e.seed.as_bytes())?;
            for d in 0..plan.beta() {
                residues::write(ctx, &mut w, e.to_sparse.view(2 * plan.beta()).poly(2 * d), &plan.extended)?;
            }
            write_switching_key(ctx, &mut w, &e.to_dense)?;
        }
        w.finish()
    }

    /// Length of what [`EvaluationKeys::to_bytes`] gives.
    pub fn bytes_len(&self) -> usize {
        HEADER_LEN + self.body_len() + CHECKSUM_LEN
    }

    fn body_len(&self) -> usize {
        let params = &self.params;
        let keys: usize = self.keys().map(|(_, key)| 4 + switching_key_len(params, key.level)).sum();
        let flag = if params.bootstrap().is_some() { 4 } else { 0 };
        4 + keys + flag + if self.encapsulation.is_some() { encapsulation_len(params) } else { 0 }
    }

    /// Reads evaluation keys.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`].
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let params = ctx.params();
        let (_, mut r) = open(Kind::EvaluationKeys, Some(params), bytes, limits)?;
        let count = r.u32()? as usize;
        if !has_levels(params) {
            let expected = count.checked_mul(4 + switching_key_len(params, params.max_level()));
            r.expect_remaining(expected.ok_or_else(|| r.malformed(format!("{count} keys are too many")))?)?;
        }
        let mut relinearization = None;
        let mut galois = BTreeMap::new();
        let mut last = None;
        for _ in 0..count {
            let here = r.clone();
            let element = r.u32()?;
            if last.is_some_and(|last| element <= last) {
                return Err(here.malformed(format!("the key of element {element} is out of order")));
            }
            last = Some(element);
            if element == RELINEARIZATION {
                relinearization = Some(read_switching_key(ctx, &mut r)?);
            } else if element & 1 == 1 && element > 1 && (element as usize) < 2 * params.n() {
                galois.insert(element, read_switching_key(ctx, &mut r)?);
            } else {
                return Err(here.malformed(format!("{element} is no Galois element: odd, from 3 to 2N - 1")));
            }
        }
        let encapsulation = match params.bootstrap() {
            Some(_) if r.u32()? == 1 => Some(read_encapsulation(ctx, &mut r)?),
            _ => None,
        };
        r.expect_remaining(0)?;
        Ok(Self { params: params.clone(), relinearization, galois, encapsulation })
    }
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
        residues::write(ctx, w, key.view().poly(2 * d), &ctx.params().key_plan(key.level).extended)?;
    }
    Ok(())
}

fn read_switching_key(ctx: &Context, r: &mut Reader<'_>) -> Result<SwitchingKey> {
    let params = ctx.params();
    let mut level = params.max_level();
    if has_levels(params) {
        let here = r.clone();
        level = r.u32()? as usize;
        if level > params.max_level() {
            return Err(
                here.malformed(format!("a key for level {level}, above the highest level {}", params.max_level()))
            );
        }
    }
    let (seed, buf) = read_seeded(ctx, r, &params.key_plan(level).extended, params.digits(level))?;
    Ok(SwitchingKey { params: params.clone(), seed, buf, level })
}

fn read_encapsulation(ctx: &Context, r: &mut Reader<'_>) -> Result<Encapsulation> {
    let plan = &ctx.params().raising()?.mod_up;
    let (seed, to_sparse) = read_seeded(ctx, r, &plan.extended, plan.beta())?;
    let here = r.clone();
    let to_dense = read_switching_key(ctx, r)?;
    if to_dense.level != ctx.params().max_level() {
        return Err(here.malformed("the key from the ephemeral secret serves the highest level"));
    }
    Ok(Encapsulation { to_sparse, seed, to_dense })
}

/// A seed, and one polynomial for each digit; the other half is expanded.
fn read_seeded(ctx: &Context, r: &mut Reader<'_>, basis: &Basis, digits: usize) -> Result<(PublicSeed, Arc<Buf>)> {
    let seed = PublicSeed::from_bytes(r.array()?);
    r.expect_at_least(digits * poly_len(basis))?;
    let mut buf = ctx.alloc(2 * digits * basis.len())?;
    for d in 0..digits {
        residues::read(ctx, r, &mut buf, 2 * d * basis.len(), basis)?;
        ctx.expand_into(&mut buf, (2 * d + 1) * basis.len(), &seed, d as u32, basis)?;
    }
    Ok((seed, Arc::new(buf)))
}
