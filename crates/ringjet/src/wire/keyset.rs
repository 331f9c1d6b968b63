//! Evaluation keys of every scheme as bytes: one writer and one reader, from memory and from a stream.

use std::io::{Read, Write};

use ringjet_backend::host;

use super::header::expect_same;
use super::object::{open, total};
use super::{
    Body, CHECKSUM_LEN, Field, HEADER_LEN, Header, Home, Input, Limits, Object, ParameterSet, ParametersOf, Stream,
    Writer,
};
use crate::rlwe::keyswitch::RELINEARIZATION;
use crate::{Error, KeyId, Result};

/// Where the keys of a set live.
pub(crate) type HomeOf<K> = <<K as KeySet>::Key as Body>::Home;

/// The keys that a server holds, of one secret.
pub(crate) trait KeySet: Sized {
    /// One switching key.
    type Key: Body;

    /// A set without keys.
    fn without_keys(params: &ParametersOf<HomeOf<Self>>, key: KeyId) -> Self;

    /// Its parameters and its secret.
    fn owner(&self) -> (&ParametersOf<HomeOf<Self>>, KeyId);

    /// The keys by ascending Galois elements, the relinearisation key first as [`RELINEARIZATION`].
    fn by_element(&self) -> impl Iterator<Item = (u32, &Self::Key)>;

    /// Adds a key.
    fn add(&mut self, element: u32, key: Self::Key);

    /// Bytes of the keys of an ephemeral secret, where the set has them.
    fn ephemeral_len(&self) -> Option<usize> {
        None
    }

    /// Writes the keys of the ephemeral secret.
    fn write_ephemeral(&self, _: &HomeOf<Self>, _: &mut Writer<'_>) -> Result<()> {
        Ok(())
    }

    /// Reads them.
    fn read_ephemeral(&mut self, _: &HomeOf<Self>, r: &mut impl Input) -> Result<()> {
        Err(r.malformed("keys of an ephemeral secret, which this scheme does not have"))
    }
}

/// Bytes of a set of keys with bodies of these sizes.
pub(crate) fn total_of(keys: impl Iterator<Item = usize>, ephemeral: Option<usize>) -> u64 {
    let keys: u64 = keys.map(|len| 4 + len as u64).sum();
    (total(4 + 1) + ephemeral.unwrap_or(0)) as u64 + keys
}

pub(crate) fn bytes_at_rest<K: KeySet>(set: &K) -> u64 {
    total_of(set.by_element().map(|(_, key)| key.body_len()), set.ephemeral_len())
}

pub(crate) fn keys_to_bytes<K: KeySet>(set: &K, home: &HomeOf<K>) -> Result<Vec<u8>> {
    let mut out = host::capacity(bytes_at_rest(set) as usize)?;
    write_keys(set, home, &mut out, |_, _| true)?;
    Ok(out)
}

pub(crate) fn write_keys<K: KeySet>(
    set: &K,
    home: &HomeOf<K>,
    out: &mut dyn Write,
    mut progress: impl FnMut(u64, u64) -> bool,
) -> Result<()> {
    let (params, key) = set.owner();
    expect_same(Object::EvaluationKeys.name(), home.parameters().fingerprint(), params.fingerprint())?;
    let bytes = bytes_at_rest(set);
    let body = bytes as usize - HEADER_LEN - CHECKSUM_LEN;
    let mut w = Writer::new(out, &Header::new(Object::EvaluationKeys, params, key, body))?;
    let mut step = |w: &Writer<'_>| {
        if progress(bytes - CHECKSUM_LEN as u64 - w.left(), bytes) { Ok(()) } else { Err(Error::Interrupted) }
    };
    w.field(&set.by_element().count())?;
    for (element, key) in set.by_element() {
        w.field(&element)?;
        key.write_body(home, &mut w)?;
        step(&w)?;
    }
    w.field(&set.ephemeral_len().is_some())?;
    if set.ephemeral_len().is_some() {
        set.write_ephemeral(home, &mut w)?;
        step(&w)?;
    }
    w.finish()
}

pub(crate) fn keys_from_bytes<K: KeySet>(home: &HomeOf<K>, bytes: &[u8], limits: Limits) -> Result<K> {
    let (header, mut r) = open(Object::EvaluationKeys, home.parameters(), bytes, limits)?;
    let keys = read_keys(home, header.key, &mut r, |_| true)?;
    r.expect_remaining(0)?;
    Ok(keys)
}

pub(crate) fn keys_from_stream<K: KeySet>(
    home: &HomeOf<K>,
    from: &mut dyn Read,
    limits: Limits,
    mut progress: impl FnMut(u64, u64) -> bool,
) -> Result<K> {
    let (header, mut r) = Stream::open(Object::EvaluationKeys, home.parameters(), from, limits)?;
    let keys = read_keys(home, header.key, &mut r, |at| progress(at as u64, header.bytes))?;
    r.finish()?;
    Ok(keys)
}

/// The body of a set of keys. Memory is taken for one key at a time; `step(offset)` after each, which goes on while it
/// returns true.
fn read_keys<K: KeySet>(
    home: &HomeOf<K>,
    id: KeyId,
    r: &mut impl Input,
    mut step: impl FnMut(usize) -> bool,
) -> Result<K> {
    let mut keys = K::without_keys(home.parameters(), id);
    let mut step = |at: usize| if step(at) { Ok(()) } else { Err(Error::Interrupted) };
    let mut last = None;
    for _ in 0..u32::read(r)? {
        let element = read_element(r, last, 1 << home.parameters().ring_log_n())?;
        last = Some(element);
        keys.add(element, K::Key::read_body(home, id, r)?);
        step(r.offset())?;
    }
    if bool::read(r)? {
        keys.read_ephemeral(home, r)?;
        step(r.offset())?;
    }
    Ok(keys)
}

/// The Galois element of the next key, or [`RELINEARIZATION`], above that of the last one, in ring degree `n`.
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

/// Gives evaluation keys their functions that write and read bytes.
macro_rules! key_set_as_bytes {
    ($set:ty, $home:ty) => {
        impl $set {
            /// All keys in the wire format.
            ///
            /// # Errors
            /// [`ParameterMismatch`](crate::Error::ParameterMismatch), [`Backend`](crate::Error::Backend).
            pub fn to_bytes(&self, ctx: &$home) -> $crate::Result<Vec<u8>> {
                $crate::wire::keys_to_bytes(self, ctx)
            }

            /// Writes what `to_bytes` gives, key by key.
            ///
            /// # Errors
            /// As `to_bytes`; [`Io`](crate::Error::Io).
            pub fn write_to(&self, ctx: &$home, out: &mut dyn std::io::Write) -> $crate::Result<()> {
                self.write_to_observed(ctx, out, |_, _| true)
            }

            /// As `write_to`. `progress(done, total)`, in bytes, is called after each key and stops the work when it returns
            /// false; what was written by then no reader takes.
            ///
            /// # Errors
            /// As `write_to`; [`Interrupted`](crate::Error::Interrupted).
            pub fn write_to_observed(
                &self,
                ctx: &$home,
                out: &mut dyn std::io::Write,
                progress: impl FnMut(u64, u64) -> bool,
            ) -> $crate::Result<()> {
                $crate::wire::write_keys(self, ctx, out, progress)
            }

            /// Bytes in the wire format: what `write_to` writes.
            pub fn bytes_at_rest(&self) -> u64 {
                $crate::wire::bytes_at_rest(self)
            }

            /// Reads evaluation keys. The bytes may also be those of a file mapped into memory; `read_from` goes through a
            /// file once where this goes twice.
            ///
            /// # Errors
            /// As `from_bytes` of a public key.
            pub fn from_bytes(ctx: &$home, bytes: &[u8], limits: $crate::wire::Limits) -> $crate::Result<Self> {
                $crate::wire::keys_from_bytes(ctx, bytes, limits)
            }

            /// Reads evaluation keys from a stream, such as a file, of which one polynomial is held at a time besides the
            /// keys made of it. All that `from_bytes` checks is checked, the checksum at the end, and only then are there
            /// any keys. What follows them in the stream is left there. Memory is taken one key at a time, as their bytes
            /// arrive. `progress(done, total)`, in bytes, is called after each key and stops the work when it returns false.
            ///
            /// # Errors
            /// As `from_bytes`; [`Io`](crate::Error::Io), [`Interrupted`](crate::Error::Interrupted).
            pub fn read_from(
                ctx: &$home,
                from: &mut dyn std::io::Read,
                limits: $crate::wire::Limits,
                progress: impl FnMut(u64, u64) -> bool,
            ) -> $crate::Result<Self> {
                $crate::wire::keys_from_stream(ctx, from, limits, progress)
            }
        }
    };
}
pub(crate) use key_set_as_bytes;
