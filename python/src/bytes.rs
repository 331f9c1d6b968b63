//! Objects as bytes. The bytes of a key begin with its parameters, as an object of the wire format,
//! so that it can be read without a context. Ciphertexts are written without parameters. Objects
//! that only Python has begin with a [`Front`].

use std::io::{Cursor, Read, Write};

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use ringjet::dynamic::{Ciphertext, Context, EvaluationKeys, Parameters, PublicKey, SecretKey};
use ringjet::wire::{HEADER_LEN, Limits, Object, peek};
use ringjet::{Error, KeyMemory, Result};
use ringjet_backend::host;
use zeroize::Zeroizing;

use crate::backend::OpenBackend;
use crate::errors::{raise, run};
use crate::params::{self, Given};

/// Bytes from Python, borrowed where they are immutable.
pub type Input = PyBackedBytes;

/// Default limit for ciphertexts and public keys: twice the largest preset's.
pub const CIPHERTEXT_LIMIT: u64 = 256 << 20;
pub const KEYS_LIMIT: u64 = 8 << 30;

/// Limits on the bytes of an object that come with its parameters.
#[derive(Clone)]
pub struct Accept {
    pub max_bytes: u64,
    pub allow_insecure: bool,
    /// Parameters of a key that comes without them.
    pub params: Option<Parameters>,
}

impl Accept {
    pub fn new(max_bytes: u64, allow_insecure: bool, params: Option<Given>) -> Self {
        Self { max_bytes, allow_insecure, params: params.map(|params| params.0) }
    }

    fn limits(&self) -> Limits {
        let limits = Limits::max_bytes(self.max_bytes);
        if self.allow_insecure { limits.allow_insecure() } else { limits }
    }

    /// The parameters at the beginning of `data`, or else `self.params`; and the bytes that follow.
    fn split<'a>(&self, data: &'a [u8], what: Object) -> Result<(Parameters, &'a [u8])> {
        Parameters::split(data, what, self.limits(), self.params.as_ref())
    }

    /// [`Accept::split`] for a stream.
    fn split_stream<R: Read>(&self, mut from: R, what: Object) -> Result<(Parameters, impl Read + use<R>)> {
        let mut front = Vec::new();
        let mut until = |front: &mut Vec<u8>, end: u64| {
            from.by_ref().take(end.saturating_sub(front.len() as u64)).read_to_end(front).map_err(|e| io(what, &e))
        };
        until(&mut front, HEADER_LEN as u64)?;
        let header = peek(&front)?;
        if header.kind.object == Object::Parameters {
            until(&mut front, header.bytes.min(params::LIMIT))?;
        }
        let (params, rest) = self.split(&front, what)?;
        let rest = rest.to_vec();
        Ok((params, Cursor::new(rest).chain(from)))
    }
}

/// A Python object of `len` bytes, which `write` fills in place while other Python threads run.
pub fn python<'py>(
    py: Python<'py>,
    len: usize,
    write: impl FnOnce(&mut &mut [u8]) -> Result<()> + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    let made = PyBytes::new_with(py, len, |mut out| run(|| write(&mut out)));
    // Python's own MemoryError does not say how much memory was asked for
    let plain = |e: &PyErr| e.get_type(py).is(py.get_type::<PyMemoryError>());
    made.map_err(|e| if plain(&e) { raise(host::OutOfMemory { bytes: len }.into()) } else { e })
}

pub fn copied<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    python(py, data.len(), |out| {
        out.copy_from_slice(data);
        Ok(())
    })
}

fn io(what: Object, error: &std::io::Error) -> Error {
    Error::Io { what: what.name(), reason: error.to_string() }
}

pub fn ciphertext(ctx: &Context, data: &[u8], max_bytes: u64) -> Result<Ciphertext> {
    Ciphertext::from_bytes(ctx, data, Limits::max_bytes(max_bytes))
}

/// Whether the header of `data` states the parameters and the client of `keys`.
pub fn belongs(keys: &EvaluationKeys, data: &[u8]) -> bool {
    let own = |key| keys.key_id().join("ciphertext", key).is_ok();
    peek(data).is_ok_and(|header| header.fingerprint == *keys.params().fingerprint() && own(header.key))
}

/// Writes parameters and keys. `progress(done, total)` counts bytes of the keys.
pub fn keys_write(
    ctx: &Context,
    keys: &EvaluationKeys,
    out: &mut dyn Write,
    progress: impl FnMut(u64, u64) -> bool,
) -> Result<()> {
    keys.params().write_to(out)?;
    keys.write_to_observed(ctx, out, progress)
}

/// The parameters of evaluation keys.
pub fn keys_params(data: &[u8], accept: &Accept) -> Result<Parameters> {
    Ok(accept.split(data, Object::EvaluationKeys)?.0)
}

/// The parameters of evaluation keys in a stream.
pub fn keys_params_read(from: impl Read, accept: &Accept) -> Result<Parameters> {
    Ok(accept.split_stream(from, Object::EvaluationKeys)?.0)
}

/// Reads evaluation keys into the memory of `backend`.
pub fn keys_from(backend: &OpenBackend, memory: KeyMemory, data: &[u8], accept: &Accept) -> Result<EvaluationKeys> {
    let (params, rest) = accept.split(data, Object::EvaluationKeys)?;
    let ctx = Context::new(&params, backend.shared()).with_key_memory(memory)?;
    EvaluationKeys::from_bytes(&ctx, rest, accept.limits())
}

/// Reads evaluation keys from a stream, one polynomial at a time, into the memory of `backend`.
/// `progress(done, total)` counts bytes.
pub fn keys_read(
    backend: &OpenBackend,
    memory: KeyMemory,
    from: impl Read,
    accept: &Accept,
    progress: impl FnMut(u64, u64) -> bool,
) -> Result<EvaluationKeys> {
    let what = Object::EvaluationKeys;
    let (params, mut rest) = accept.split_stream(from, what)?;
    let ctx = Context::new(&params, backend.shared()).with_key_memory(memory)?;
    let keys = EvaluationKeys::read_from(&ctx, &mut rest, accept.limits(), progress)?;
    if rest.read(&mut [0]).map_err(|e| io(what, &e))? > 0 {
        let reason = "bytes too many at the end".into();
        return Err(Error::Malformed { what: what.name(), reason, offset: keys.bytes_at_rest() as usize });
    }
    Ok(keys)
}

pub fn public_to(ctx: &Context, key: &PublicKey) -> Result<Vec<u8>> {
    let mut out = key.params().to_bytes()?;
    key.write_to(ctx, &mut out)?;
    Ok(out)
}

/// Reads a public key into the memory of `backend`.
pub fn public_from(backend: &OpenBackend, data: &[u8], accept: &Accept) -> Result<PublicKey> {
    let (params, rest) = accept.split(data, Object::PublicKey)?;
    PublicKey::from_bytes(&Context::new(&params, backend.shared()), rest, accept.limits())
}

pub fn secret_to(secret: &SecretKey) -> Result<Zeroizing<Vec<u8>>> {
    let front = secret.params().to_bytes()?;
    let key = secret.to_secret_bytes();
    // allocated at its final size: a vector that grows leaves copies of the secret in memory
    let mut out = Zeroizing::new(Vec::with_capacity(front.len() + key.len()));
    out.extend_from_slice(&front);
    out.extend_from_slice(&key);
    Ok(out)
}

pub fn secret_from(data: &[u8], accept: &Accept) -> Result<SecretKey> {
    let (params, rest) = accept.split(data, Object::SecretKey)?;
    SecretKey::from_secret_bytes(&params, rest, accept.limits())
}

/// The number of bytes that [`keys_write`] writes.
pub fn keys_len(keys: &EvaluationKeys) -> usize {
    let front = keys.params().to_bytes().map_or(0, |b| b.len());
    front + keys.bytes_at_rest() as usize
}

/// The first 8 bytes of an object that only Python has: four letters, a version, the binary
/// logarithm of the number of slots, two zeros.
pub struct Front {
    pub name: &'static str,
    pub magic: [u8; 4],
}

impl Front {
    const LEN: usize = 8;
    const VERSION: u8 = 1;

    pub fn bytes(&self, log_slots: u32) -> Vec<u8> {
        let mut out = self.magic.to_vec();
        out.extend([Self::VERSION, log_slots as u8, 0, 0]);
        out
    }

    /// The binary logarithm of the number of slots, at most 16, and the bytes after the front.
    pub fn split<'a>(&self, data: &'a [u8], max_bytes: u64) -> Result<(u32, &'a [u8])> {
        let what = self.name;
        if data.len() as u64 > max_bytes {
            return Err(Error::TooManyBytes { what, bytes: data.len() as u64, limit: max_bytes });
        }
        let wrong = |reason: &str, offset| Err(Error::Malformed { what, reason: reason.into(), offset });
        let Some((front, rest)) = data.split_at_checked(Self::LEN) else { return wrong("truncated", data.len()) };
        if front[..4] != self.magic {
            return wrong("these are bytes of something else", 0);
        }
        if front[4] != Self::VERSION {
            return Err(Error::NewerVersion { what, found: front[4].into(), supported: Self::VERSION.into() });
        }
        if front[5] > 16 || front[6..] != [0, 0] {
            return wrong("a number of slots that no ring has", 5);
        }
        Ok((front[5].into(), rest))
    }
}
