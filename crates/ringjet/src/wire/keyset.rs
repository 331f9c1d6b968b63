//! Evaluation keys of all schemes as bytes, written and read in memory or as a stream.

use std::io::{Read, Write};

use super::object::{begin, total};
use super::stream::Stream;
use super::{Body, CHECKSUM_LEN, Field, HEADER_LEN, Input, Kind, Limits, Object, ParameterSet, Writer, as_bytes};
use crate::rlwe::keyswitch::{Encapsulation, Encapsulations, EvaluationKeys, Key, RELINEARIZATION};
use crate::rlwe::{Context, SchemeParameters};
use crate::{Error, KeyId, Result};

/// The encoding of a scheme's switching key, and of the keys of an ephemeral secret, whose key in
/// [`Encapsulations`] is `matrix`.
pub trait KeyBytes: Key<Params: ParameterSet> + Body<Parameters = Self::Params> {
    /// The bytes of the keys of an ephemeral secret. Fails with [`Error::NoBootstrapping`].
    fn encapsulation_len(params: &Self::Params, _matrix: Option<u32>) -> Result<usize> {
        Err(Error::no_bootstrapping(params))
    }

    fn write_encapsulation(
        ctx: &Context<Self::Params>,
        _matrix: Option<u32>,
        _: &Encapsulation<Self>,
        _: &mut Writer<'_>,
    ) -> Result<()> {
        Err(Error::no_bootstrapping(ctx.params()))
    }

    /// Reads the keys of an ephemeral secret into `all`, where they must be the last ones; `key` is
    /// the identity of the main secret.
    fn read_encapsulation(
        _: &Context<Self::Params>,
        _key: KeyId,
        _all: &mut Encapsulations<Self>,
        r: &mut impl Input,
    ) -> Result<()> {
        Err(r.malformed("keys of an ephemeral secret, which this scheme does not have"))
    }
}

as_bytes!({K: KeyBytes} EvaluationKeys<K>, K::Params);

impl<K: KeyBytes> Body for EvaluationKeys<K> {
    const OBJECT: Object = Object::EvaluationKeys;

    fn body_len(&self) -> usize {
        self.bytes_at_rest() as usize - HEADER_LEN - CHECKSUM_LEN
    }

    fn write_body(&self, ctx: &Context<K::Params>, w: &mut Writer<'_>) -> Result<()> {
        write_keys(self, ctx, w, |_| true)
    }

    fn read_body(ctx: &Context<K::Params>, key: KeyId, r: &mut impl Input) -> Result<Self> {
        read_keys(ctx, key, r, |_| true)
    }
}

impl<K: KeyBytes> EvaluationKeys<K> {
    /// The number of bytes that `write_to` writes.
    pub fn bytes_at_rest(&self) -> u64 {
        let ephemeral = self.encapsulations.keys().map(|&matrix| K::encapsulation_len(self.params(), matrix));
        total_of(self.keys().map(|(_, key)| 4 + key.body_len()).chain(ephemeral.flatten()))
    }

    /// Like `write_to`. `progress(done, total)`, in bytes, is called after each key. If it returns
    /// false, the work stops, and readers refuse the bytes written so far. Fails as `write_to`
    /// does, and with [`Error::Interrupted`].
    pub fn write_to_observed(
        &self,
        ctx: &Context<K::Params>,
        out: &mut dyn Write,
        mut progress: impl FnMut(u64, u64) -> bool,
    ) -> Result<()> {
        let bytes = self.bytes_at_rest();
        let mut w = begin(self, ctx, out)?;
        write_keys(self, ctx, &mut w, |left| progress(bytes - CHECKSUM_LEN as u64 - left, bytes))?;
        w.finish()
    }

    /// Reads evaluation keys from a stream such as a file, in one pass; `from_bytes` needs two
    /// passes over its bytes. Memory is allocated one key at a time as the bytes arrive, plus one
    /// polynomial. All checks of `from_bytes` are made. The checksum comes last, and keys are
    /// returned only if it is right. Bytes after the keys stay in the stream.
    /// `progress(done, total)`, in bytes, is called after each key; the work stops if it returns
    /// false. Fails as `from_bytes` does, and with [`Error::Io`], [`Error::Interrupted`].
    pub fn read_from(
        ctx: &Context<K::Params>,
        from: &mut dyn Read,
        limits: Limits,
        mut progress: impl FnMut(u64, u64) -> bool,
    ) -> Result<Self> {
        let (params, kind) = (ctx.params(), Kind { scheme: K::Params::SCHEME, object: Self::OBJECT });
        let (header, mut r) = Stream::open(kind, from, limits.of(Self::OBJECT, params))?;
        params.ring().expect_fingerprint(kind.object.name(), &header.fingerprint)?;
        let keys = read_keys(ctx, header.key, &mut r, |at| progress(at as u64, header.bytes))?;
        r.finish()?;
        Ok(keys)
    }
}

/// The size of evaluation keys whose parts have these sizes: keys with their elements, and the keys
/// of ephemeral secrets.
pub(crate) fn total_of(parts: impl IntoIterator<Item = usize>) -> u64 {
    total(4 + 1) as u64 + parts.into_iter().map(|len| len as u64).sum::<u64>()
}

/// Writes the body of evaluation keys. After each key, and after the keys of an ephemeral secret,
/// calls `step` with the number of body bytes still to be written, and stops if it returns false.
fn write_keys<K: KeyBytes>(
    set: &EvaluationKeys<K>,
    ctx: &Context<K::Params>,
    w: &mut Writer<'_>,
    mut step: impl FnMut(u64) -> bool,
) -> Result<()> {
    let mut step = |w: &Writer<'_>| if step(w.left()) { Ok(()) } else { Err(Error::Interrupted) };
    set.keys().count().write(w)?;
    for (element, key) in set.keys() {
        element.write(w)?;
        key.write_body(ctx, w)?;
        step(w)?;
    }
    // at most one for each number of slots
    (set.encapsulations.len() as u8).write(w)?;
    for (&matrix, keys) in &set.encapsulations {
        K::write_encapsulation(ctx, matrix, keys, w)?;
        step(w)?;
    }
    Ok(())
}

/// Reads the body of evaluation keys, allocating for one key at a time. After each key, and after
/// the keys of an ephemeral secret, calls `step` with the offset of the next byte; stops if it
/// returns false.
fn read_keys<K: KeyBytes>(
    ctx: &Context<K::Params>,
    id: KeyId,
    r: &mut impl Input,
    mut step: impl FnMut(usize) -> bool,
) -> Result<EvaluationKeys<K>> {
    let mut keys = EvaluationKeys::empty(ctx.params());
    keys.key = id;
    let mut step = |at: usize| if step(at) { Ok(()) } else { Err(Error::Interrupted) };
    let mut last = None;
    for _ in 0..u32::read(r)? {
        let element = read_element(r, last, ctx.params().ring().n())?;
        last = Some(element);
        keys.insert(element, K::read_body(ctx, id, r)?);
        step(r.offset())?;
    }
    for _ in 0..u8::read(r)? {
        K::read_encapsulation(ctx, id, &mut keys.encapsulations, r)?;
        step(r.offset())?;
    }
    Ok(keys)
}

/// Reads a Galois element or [`RELINEARIZATION`], which must exceed `last`; n is the ring degree.
fn read_element(r: &mut impl Input, last: Option<u32>, n: usize) -> Result<u32> {
    let here = r.offset();
    let element = u32::read(r)?;
    if last.is_some_and(|last| element <= last) {
        return Err(r.malformed_at(here, format!("the key of element {element} is out of order")));
    }
    let galois = element & 1 == 1 && element > 1 && (element as usize) < 2 * n;
    if element != RELINEARIZATION && !galois {
        return Err(r.malformed_at(here, format!("{element} is no Galois element: odd, from 3 to 2N - 1")));
    }
    Ok(element)
}
