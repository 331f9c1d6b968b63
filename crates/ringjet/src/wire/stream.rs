//! Readers that track their offset, and a writer that computes the checksum.

use std::io::{ErrorKind, Read, Write};

use super::header::{CHECKSUM_LEN, HEADER_LEN, Header, Kind, damaged, malformed};
use crate::{Error, Result};

/// The body of an object as it is read, in memory or from a stream.
pub trait Input {
    /// The name in messages of the object that is read.
    fn what(&self) -> &'static str;

    /// The offset of the next byte in the object.
    fn offset(&self) -> usize;

    /// The bytes of the body that are left by its stated length; a stream may end earlier.
    fn remaining(&self) -> usize;

    fn next(&mut self, len: usize) -> Result<&[u8]>;

    /// [`Error::Malformed`] at the next byte.
    fn malformed(&self, reason: impl Into<String>) -> Error {
        self.malformed_at(self.offset(), reason)
    }

    /// [`Error::Malformed`] at this offset.
    fn malformed_at(&self, offset: usize, reason: impl Into<String>) -> Error {
        malformed(self.what(), offset, reason)
    }

    /// Refuses unless exactly `len` bytes are left. Called before memory for them is allocated.
    fn expect_remaining(&self, len: usize) -> Result<()> {
        let refusal = || self.malformed(format!("{} bytes follow where {len} belong", self.remaining()));
        (self.remaining() == len).then_some(()).ok_or_else(refusal)
    }

    /// Refuses if fewer than `len` bytes are left. Called before anything is allocated for them.
    fn expect_at_least(&self, len: usize) -> Result<()> {
        let refusal = || self.malformed(format!("truncated: {len} bytes wanted, {} left", self.remaining()));
        (self.remaining() >= len).then_some(()).ok_or_else(refusal)
    }

    fn array<const L: usize>(&mut self) -> Result<[u8; L]> {
        let mut out = [0; L];
        out.copy_from_slice(self.next(L)?);
        Ok(out)
    }
}

/// A reader of a body in memory.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Offset of `bytes` in the object, for messages.
    base: usize,
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], base: usize, what: &'static str) -> Self {
        Self { bytes, at: 0, base, what }
    }
}

impl<'a> Reader<'a> {
    /// The next bytes, which live as long as the object.
    pub fn slice(&mut self, len: usize) -> Result<&'a [u8]> {
        self.expect_at_least(len)?;
        self.at += len;
        Ok(&self.bytes[self.at - len..self.at])
    }
}

impl Input for Reader<'_> {
    fn what(&self) -> &'static str {
        self.what
    }

    fn offset(&self) -> usize {
        self.base + self.at
    }

    fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn next(&mut self, len: usize) -> Result<&[u8]> {
        self.slice(len)
    }
}

/// An object that arrives piece by piece. Only the last piece is kept.
pub(super) struct Stream<'a> {
    from: &'a mut dyn Read,
    checksum: crc32fast::Hasher,
    /// The piece that was read last.
    piece: Vec<u8>,
    at: usize,
    /// The offset in the object at which the body ends.
    end: usize,
    what: &'static str,
}

impl<'a> Stream<'a> {
    /// Reads the header of an object of this kind and of at most `limit` bytes; returns the header
    /// and a reader of the body.
    pub fn open(kind: Kind, from: &'a mut dyn Read, limit: u64) -> Result<(Header, Self)> {
        let what = kind.object.name();
        let checksum = crc32fast::Hasher::new();
        let mut stream = Self { from, checksum, piece: Vec::new(), at: 0, end: HEADER_LEN, what };
        let header = Header::decode(stream.next(HEADER_LEN)?, what)?;
        header.expect(kind, limit)?;
        let end = usize::try_from(header.bytes).ok().and_then(|bytes| bytes.checked_sub(CHECKSUM_LEN));
        stream.end = end.ok_or(Error::TooManyBytes { what, bytes: header.bytes, limit: usize::MAX as u64 })?;
        Ok((header, stream))
    }

    /// Compares the checksum; no value that was read is valid before. Later bytes stay unread.
    pub fn finish(mut self) -> Result<()> {
        self.expect_remaining(0)?;
        let found = self.checksum.clone().finalize().to_le_bytes();
        self.end += CHECKSUM_LEN;
        if self.next(CHECKSUM_LEN)? != found {
            return Err(damaged(self.what, self.end - CHECKSUM_LEN));
        }
        Ok(())
    }
}

impl Input for Stream<'_> {
    fn what(&self) -> &'static str {
        self.what
    }

    fn offset(&self) -> usize {
        self.at
    }

    fn remaining(&self) -> usize {
        self.end - self.at
    }

    fn next(&mut self, len: usize) -> Result<&[u8]> {
        self.expect_at_least(len)?;
        self.piece.resize(len, 0);
        self.from.read_exact(&mut self.piece).map_err(|e| match e.kind() {
            ErrorKind::UnexpectedEof => self.malformed(format!("truncated: {len} bytes wanted")),
            _ => Error::Io { what: self.what, reason: e.to_string() },
        })?;
        self.checksum.update(&self.piece);
        self.at += len;
        Ok(&self.piece)
    }
}

/// Writes an object: header first, checksum last.
pub struct Writer<'a> {
    out: &'a mut dyn Write,
    checksum: crc32fast::Hasher,
    what: &'static str,
    /// Bytes that are still to be written before the checksum.
    left: u64,
}

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut dyn Write, header: &Header) -> Result<Self> {
        let left = header.bytes - CHECKSUM_LEN as u64;
        let mut w = Self { out, checksum: crc32fast::Hasher::new(), what: header.kind.object.name(), left };
        w.put(&header.encode())?;
        Ok(w)
    }

    /// Bytes that are still to be written before the checksum.
    pub fn left(&self) -> u64 {
        self.left
    }

    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.checksum.update(bytes);
        self.left -= bytes.len() as u64;
        self.raw(bytes)
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|e| Error::Io { what: self.what, reason: e.to_string() })
    }

    /// Writes the checksum.
    pub fn finish(mut self) -> Result<()> {
        debug_assert_eq!(self.left, 0, "the header states another length");
        let checksum = self.checksum.clone().finalize();
        self.raw(&checksum.to_le_bytes())
    }
}
