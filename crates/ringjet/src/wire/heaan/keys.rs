//! Public, switching and evaluation keys as bytes. Their uniform halves are regenerated from seeds.

use std::io::{Read, Write};

use ringjet_math::big::words;

use super::super::header::open;
use super::super::keys::{SEED_LEN, next_element};
use super::{poly_len, read_poly, write_poly};
use crate::heaan::{Context, EvaluationKeys, Parameters, PublicKey, SwitchingKey};
use crate::rng::PublicSeed;
use crate::wire::{CHECKSUM_LEN, HEADER_LEN, Header, Input, Kind, Limits, Stream, Writer};
use crate::{Error, KeyId, Result};

impl PublicKey {
    /// The key in the wire format: one polynomial and a seed.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`], [`Error::Backend`].
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`PublicKey::to_bytes`] gives.
    ///
    /// # Errors
    /// As there; [`Error::Io`].
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let (kind, params) = (Kind::HeaanPublicKey, ctx.params());
        params.expect_same(kind.name(), self.params())?;
        let header = Header::new(kind, true, params, public_key_len(params)).with_key(self.key_id());
        let mut w = Writer::new(out, &header)?;
        w.put(self.seed().as_bytes())?;
        write_poly(ctx, &mut w, self.view().poly(0), params.log_q())?;
        w.finish()
    }

    /// Reads a public key.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`] for a key of other parameters; [`Error::Malformed`], [`Error::NewerVersion`],
    /// [`Error::TooManyBytes`], and what the backend refuses.
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let (params, log_q) = (ctx.params(), ctx.params().log_q());
        let (header, mut r) = open(Kind::HeaanPublicKey, Some(params), bytes, limits)?;
        r.expect_remaining(public_key_len(params))?;
        let seed = PublicSeed::from_bytes(r.array()?);
        let mut buf = ctx.alloc_big(2, log_q)?;
        read_poly(ctx, &mut r, &mut buf, 0, log_q)?;
        ctx.expand_into(&mut buf, words(log_q), &seed, log_q)?;
        Ok(Self::from_buf(ctx, header.key, seed, buf))
    }
}

impl SwitchingKey {
    /// The key in the wire format: one polynomial and a seed.
    ///
    /// # Errors
    /// As [`PublicKey::to_bytes`].
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = ringjet_backend::host::capacity(HEADER_LEN + switching_key_len(ctx.params()) + CHECKSUM_LEN)?;
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`SwitchingKey::to_bytes`] gives.
    ///
    /// # Errors
    /// As there; [`Error::Io`].
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let (kind, params) = (Kind::HeaanSwitchingKey, ctx.params());
        params.expect_same(kind.name(), self.params())?;
        let header = Header::new(kind, true, params, switching_key_len(params)).with_key(self.key_id());
        let mut w = Writer::new(out, &header)?;
        write_switching_key(ctx, &mut w, self)?;
        w.finish()
    }

    /// Reads a switching key.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`].
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let (header, mut r) = open(Kind::HeaanSwitchingKey, Some(ctx.params()), bytes, limits)?;
        r.expect_remaining(switching_key_len(ctx.params()))?;
        read_switching_key(ctx, header.key, &mut r)
    }
}

impl EvaluationKeys {
    /// All keys in the wire format.
    ///
    /// # Errors
    /// As [`PublicKey::to_bytes`].
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = ringjet_backend::host::capacity(self.bytes_at_rest() as usize)?;
        self.write_to(ctx, &mut out, |_, _| true)?;
        Ok(out)
    }

    /// Writes what [`EvaluationKeys::to_bytes`] gives, key by key. `progress(done, total)`, in bytes, is called after each key
    /// and stops the work when it returns false; what was written by then no reader takes.
    ///
    /// # Errors
    /// As [`EvaluationKeys::to_bytes`]; [`Error::Io`], [`Error::Interrupted`].
    pub fn write_to(
        &self,
        ctx: &Context,
        out: &mut dyn Write,
        mut progress: impl FnMut(u64, u64) -> bool,
    ) -> Result<()> {
        let (kind, params, total) = (Kind::HeaanEvaluationKeys, ctx.params(), self.bytes_at_rest());
        params.expect_same(kind.name(), self.params())?;
        let body = total as usize - HEADER_LEN - CHECKSUM_LEN;
        let mut w = Writer::new(out, &Header::new(kind, true, params, body).with_key(self.key_id()))?;
        w.put(&(self.len() as u32).to_le_bytes())?;
        for (element, key) in self.keys() {
            w.put(&element.to_le_bytes())?;
            write_switching_key(ctx, &mut w, key)?;
            if !progress(total - CHECKSUM_LEN as u64 - w.left(), total) {
                return Err(Error::Interrupted);
            }
        }
        w.finish()
    }

    /// Bytes in the wire format: what [`EvaluationKeys::write_to`] writes.
    pub fn bytes_at_rest(&self) -> u64 {
        keys_len(self.params(), self.len())
    }

    /// Reads evaluation keys. [`EvaluationKeys::read_from`] goes through a file once where this goes twice.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`].
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let (header, mut r) = open(Kind::HeaanEvaluationKeys, Some(ctx.params()), bytes, limits)?;
        let keys = read_keys(ctx, header.key, &mut r, |_| Ok(()))?;
        r.expect_remaining(0)?;
        Ok(keys)
    }

    /// Reads evaluation keys from a stream, such as a file, of which one polynomial is held at a time besides the keys made
    /// of it. All that [`EvaluationKeys::from_bytes`] checks is checked, the checksum at the end, and only then are there any
    /// keys. What follows them in the stream is left there. `progress(done, total)`, in bytes, is called after each key and
    /// stops the work when it returns false.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`]; [`Error::Io`], [`Error::Interrupted`].
    pub fn read_from(
        ctx: &Context,
        from: &mut dyn Read,
        limits: Limits,
        mut progress: impl FnMut(u64, u64) -> bool,
    ) -> Result<Self> {
        let (header, mut r) = Stream::open(Kind::HeaanEvaluationKeys, ctx.params(), from, limits)?;
        let total = (r.remaining() + HEADER_LEN + CHECKSUM_LEN) as u64;
        let step = |at: usize| if progress(at as u64, total) { Ok(()) } else { Err(Error::Interrupted) };
        let keys = read_keys(ctx, header.key, &mut r, step)?;
        r.finish()?;
        Ok(keys)
    }
}

/// Keys in ascending order of their elements. Memory is taken for one at a time.
fn read_keys(
    ctx: &Context,
    id: KeyId,
    r: &mut impl Input,
    mut step: impl FnMut(usize) -> Result<()>,
) -> Result<EvaluationKeys> {
    let mut keys = EvaluationKeys::empty(ctx.params()).with_key(id);
    let count = r.u32()? as usize;
    let expected = count.checked_mul(4 + switching_key_len(ctx.params()));
    r.expect_remaining(expected.ok_or_else(|| r.malformed(format!("{count} keys are too many")))?)?;
    let mut last = None;
    for _ in 0..count {
        let element = next_element(r, last, ctx.params().n())?;
        last = Some(element);
        keys.insert(element, read_switching_key(ctx, id, r)?);
        step(r.offset())?;
    }
    Ok(keys)
}

/// Bytes of `count` evaluation keys in the wire format.
pub(crate) fn keys_len(params: &Parameters, count: usize) -> u64 {
    (HEADER_LEN + 4 + CHECKSUM_LEN) as u64 + count as u64 * (4 + switching_key_len(params) as u64)
}

fn public_key_len(params: &Parameters) -> usize {
    SEED_LEN + poly_len(params, params.log_q())
}

fn switching_key_len(params: &Parameters) -> usize {
    SEED_LEN + poly_len(params, 2 * params.log_q())
}

fn write_switching_key(ctx: &Context, w: &mut Writer<'_>, key: &SwitchingKey) -> Result<()> {
    w.put(key.seed().as_bytes())?;
    write_poly(ctx, w, key.half().view(1), 2 * ctx.params().log_q())
}

fn read_switching_key(ctx: &Context, id: KeyId, r: &mut impl Input) -> Result<SwitchingKey> {
    let bits = 2 * ctx.params().log_q();
    let seed = PublicSeed::from_bytes(r.array()?);
    r.expect_at_least(poly_len(ctx.params(), bits))?;
    let mut key = ctx.alloc_big(2, bits)?;
    read_poly(ctx, r, &mut key, 0, bits)?;
    SwitchingKey::from_half(ctx, id, seed, key)
}
