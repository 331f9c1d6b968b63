//! Bytes in and out: a reader that knows where it is, a writer that keeps the checksum.

use std::io::Write;

use super::header::malformed;
use super::{CHECKSUM_LEN, Header};
use crate::{Error, Result};

/// A cursor over the body of an object.
#[derive(Debug, Clone)]
pub(super) struct Reader<'a> {
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

    /// Offset in the object of the next byte.
    pub fn offset(&self) -> usize {
        self.base + self.at
    }

    /// Bytes that are left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// [`Error::Malformed`] at the next byte.
    pub fn malformed(&self, reason: impl Into<String>) -> Error {
        malformed(self.what, self.offset(), reason)
    }

    /// Refuses a body that does not end in exactly `len` bytes: called before anything of that size is allocated.
    pub fn expect_remaining(&self, len: usize) -> Result<()> {
        if self.remaining() == len {
            return Ok(());
        }
        Err(self.malformed(format!("{} bytes follow where {len} belong", self.remaining())))
    }

    /// Refuses fewer than `len` further bytes, before anything is allocated for them.
    pub fn expect_at_least(&self, len: usize) -> Result<()> {
        if self.remaining() >= len {
            return Ok(());
        }
        Err(self.malformed(format!("truncated: {len} bytes wanted, {} left", self.remaining())))
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let Some(out) = self.bytes[self.at..].get(..len) else {
            return Err(self.malformed(format!("truncated: {len} bytes wanted, {} left", self.remaining())));
        };
        self.at += len;
        Ok(out)
    }

    pub fn array<const L: usize>(&mut self) -> Result<[u8; L]> {
        let mut out = [0; L];
        out.copy_from_slice(self.take(L)?);
        Ok(out)
    }

    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array()?))
    }
}

/// Writes an object: header first, checksum last.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Write,
    checksum: crc32fast::Hasher,
    what: &'static str,
    /// Bytes of the body that are still to come.
    left: u64,
}

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut dyn Write, header: &Header) -> Result<Self> {
        let encoded = header.encode();
        let left = header.bytes - CHECKSUM_LEN as u64;
        let mut w = Self { out, checksum: crc32fast::Hasher::new(), what: header.kind.name(), left };
        w.put(&encoded)?;
        Ok(w)
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
