//! Evaluation keys of every scheme as bytes: one writer and one reader, from memory and from a
//! stream.

use std::io::{Read, Write};

use super::object::{begin, total};
use super::{
    Body, CHECKSUM_LEN, Field, Home, Input, Limits, Object, Owned, ParameterSet, ParametersOf, Stream, Writer,
};
use crate::rlwe::keyswitch::RELINEARIZATION;
use crate::{Error, KeyId, Result};

/// The keys that a server holds, of one secret.
pub(crate) trait KeySet: Owned {
    /// One switching key.
    type Key: Body<Home = Self::Home>;

    /// A set without keys.
    fn without_keys(params: &ParametersOf<Self::Home>, key: KeyId) -> Self;

    /// The keys by ascending Galois elements, the relinearisation key first as [`RELINEARIZATION`].
    fn by_element(&self) -> impl Iterator<Item = (u32, &Self::Key)>;

    /// Adds a key.
    fn add(&mut self, element: u32, key: Self::Key);

    /// Bytes of the keys of an ephemeral secret, where the set has them.
    fn ephemeral_len(&self) -> Option<usize> {
        None
    }

    /// Writes the keys of the ephemeral secret.
    fn write_ephemeral(&self, _: &Self::Home, _: &mut Writer<'_>) -> Result<()> {
        Ok(())
    }

    /// Reads them.
    fn read_ephemeral(&mut self, _: &Self::Home, r: &mut impl Input) -> Result<()> {
        Err(r.malformed("keys of an ephemeral secret, which this scheme does not have"))
    }
}

/// Bytes of an object with keys of these sizes.
pub(crate) fn total_of(keys: impl Iterator<Item = usize>, ephemeral: Option<usize>) -> u64 {
    let keys: u64 = keys.map(|len| 4 + len as u64).sum();
    (total(4 + 1) + ephemeral.unwrap_or(0)) as u64 + keys
}

/// Bytes of an object with these keys.
pub(crate) fn bytes_at_rest<K: KeySet>(set: &K) -> u64 {
    total_of(set.by_element().map(|(_, key)| key.body_len()), set.ephemeral_len())
}

/// Writes the body of a set of keys. After each key, and after those of the ephemeral secret, calls
/// `step` with the number of bytes of the object that are still to come, and stops when it returns
/// false.
pub(crate) fn write_keys<K: KeySet>(
    set: &K,
    home: &K::Home,
    w: &mut Writer<'_>,
    mut step: impl FnMut(u64) -> bool,
) -> Result<()> {
    let mut step = |w: &Writer<'_>| if step(w.left()) { Ok(()) } else { Err(Error::Interrupted) };
    w.field(&set.by_element().count())?;
    for (element, key) in set.by_element() {
        w.field(&element)?;
        key.write_body(home, w)?;
        step(w)?;
    }
    w.field(&set.ephemeral_len().is_some())?;
    if set.ephemeral_len().is_some() {
        set.write_ephemeral(home, w)?;
        step(w)?;
    }
    Ok(())
}

/// Reads the body of a set of keys. Memory is taken for one key at a time. After each key,
/// and after those of the ephemeral secret, calls `step` with the offset of what follows, and stops
/// when it returns false.
pub(crate) fn read_keys<K: KeySet>(
    home: &K::Home,
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

pub(crate) fn write_observed<K: KeySet + Body>(
    set: &K,
    home: &K::Home,
    out: &mut dyn Write,
    mut progress: impl FnMut(u64, u64) -> bool,
) -> Result<()> {
    let bytes = bytes_at_rest(set);
    let mut w = begin(set, home, out)?;
    write_keys(set, home, &mut w, |left| progress(bytes - CHECKSUM_LEN as u64 - left, bytes))?;
    w.finish()
}

pub(crate) fn read_stream<K: KeySet>(
    home: &K::Home,
    from: &mut dyn Read,
    limits: Limits,
    mut progress: impl FnMut(u64, u64) -> bool,
) -> Result<K> {
    let (header, mut r) = Stream::open(Object::EvaluationKeys, home.parameters(), from, limits)?;
    let keys = read_keys(home, header.key, &mut r, |at| progress(at as u64, header.bytes))?;
    r.finish()?;
    Ok(keys)
}

/// The Galois element of the next key, or [`RELINEARIZATION`], above that of the last one, in ring
/// degree `n`.
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

/// Gives evaluation keys their functions that write and read bytes, in memory and as streams.
macro_rules! key_set_as_bytes {
    ($set:ty, $home:ty) => {
        $crate::wire::as_bytes!($set, $home);

        impl $crate::wire::Body for $set {
            const OBJECT: $crate::wire::Object = $crate::wire::Object::EvaluationKeys;

            fn body_len(&self) -> usize {
                self.bytes_at_rest() as usize - $crate::wire::HEADER_LEN - $crate::wire::CHECKSUM_LEN
            }

            fn write_body(&self, ctx: &$home, w: &mut $crate::wire::Writer<'_>) -> $crate::Result<()> {
                $crate::wire::write_keys(self, ctx, w, |_| true)
            }

            fn read_body(ctx: &$home, key: $crate::KeyId, r: &mut impl $crate::wire::Input) -> $crate::Result<Self> {
                $crate::wire::read_keys(ctx, key, r, |_| true)
            }
        }

        impl $set {
            /// Bytes in the wire format: what `write_to` writes.
            pub fn bytes_at_rest(&self) -> u64 {
                $crate::wire::bytes_at_rest(self)
            }

            /// As `write_to`. `progress(done, total)`, in bytes, is called after each key and
            /// stops the work when it returns false; what was written by then no reader takes.
            ///
            /// # Errors
            /// As `write_to`; [`Interrupted`](crate::Error::Interrupted).
            pub fn write_to_observed(
                &self,
                ctx: &$home,
                out: &mut dyn std::io::Write,
                progress: impl FnMut(u64, u64) -> bool,
            ) -> $crate::Result<()> {
                $crate::wire::write_observed(self, ctx, out, progress)
            }

            /// Reads evaluation keys from a stream, such as a file, of which one polynomial is held
            /// at a time besides the keys made of it: once, where `from_bytes` goes through the
            /// bytes of a mapped file twice. All that `from_bytes` checks is checked, the checksum
            /// at the end, and only then are there any keys. What follows them in the stream is
            /// left there. Memory is taken one key at a time, as their bytes arrive.
            /// `progress(done, total)`, in bytes, is called after each key and stops the
            /// work when it returns false.
            ///
            /// # Errors
            /// As `from_bytes`; [`Io`](crate::Error::Io),
            /// [`Interrupted`](crate::Error::Interrupted).
            pub fn read_from(
                ctx: &$home,
                from: &mut dyn std::io::Read,
                limits: $crate::wire::Limits,
                progress: impl FnMut(u64, u64) -> bool,
            ) -> $crate::Result<Self> {
                $crate::wire::read_stream(ctx, from, limits, progress)
            }
        }
    };
}
pub(crate) use key_set_as_bytes;
