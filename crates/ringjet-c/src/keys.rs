//! The public keys that a server computes with.

use std::ffi::c_char;
use std::fs::File;
use std::io::{BufReader, BufWriter, Cursor, Read, Write};

use ringjet::Error;
use ringjet::dynamic::{EvaluationKeys, Parameters};
use ringjet::wire::{HEADER_LEN, Limits, Object, peek};

use crate::border::{Out, RJ_ALLOW_INSECURE, Refusal, Result, array, call, flag, free, handle, path};
use crate::buffer::{rj_bytes, room};
use crate::files;
use crate::params::context;
use crate::status::rj_status;

/// The most bytes of keys that are read from a file, unless the caller states another number.
const KEYS_LIMIT: u64 = 8 << 30;
/// The most bytes of parameters that are read.
const PARAMS_LIMIT: u64 = 1 << 20;
const WHAT: Object = Object::EvaluationKeys;

/// Public keys that a server computes with. They hold no secret. Their bytes begin with their parameters.
pub struct rj_keys(pub(crate) EvaluationKeys);

impl rj_keys {
    /// Writes parameters and keys.
    fn write(&self, out: &mut dyn Write) -> Result<()> {
        let params = self.0.params();
        params.write_to(out)?;
        Ok(self.0.write_to_observed(&context(&params)?, out, |_, _| true)?)
    }

    /// Reads what `write` wrote, one polynomial at a time.
    fn read(mut from: impl Read, limits: Limits) -> Result<Self> {
        let mut front = Vec::new();
        let mut until = |front: &mut Vec<u8>, end: u64| {
            let missing = end.saturating_sub(front.len() as u64);
            from.by_ref().take(missing).read_to_end(front).map_err(io)
        };
        until(&mut front, HEADER_LEN as u64)?;
        let header = peek(&front)?;
        if header.kind.object == Object::Parameters {
            until(&mut front, header.bytes.min(PARAMS_LIMIT))?;
        }
        let (params, rest) = Parameters::split(&front, WHAT, limits, None)?;
        let mut rest = Cursor::new(rest).chain(from);
        let keys = EvaluationKeys::read_from(&context(&params)?, &mut rest, limits, |_, _| true)?;
        if rest.read(&mut [0]).map_err(io)? > 0 {
            let (reason, offset) = ("bytes too many at the end".into(), keys.bytes_at_rest() as usize);
            return Err(Error::Malformed { what: WHAT.name(), reason, offset }.into());
        }
        Ok(Self(keys))
    }
}

fn io(error: std::io::Error) -> Error {
    Error::Io { what: WHAT.name(), reason: error.to_string() }
}

fn limits(max_bytes: u64, flags: u32) -> Result<Limits> {
    Ok(Limits { max_bytes: Some(max_bytes), allow_insecure: flag(flags, RJ_ALLOW_INSECURE)? })
}

/// The keys as bytes that can be sent; half of each key is 32 bytes of seed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_keys_to_bytes(keys: *const rj_keys, bytes: *mut rj_bytes) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, keys) = unsafe { (Out::of_bytes(bytes, "bytes")?, handle(keys, "keys")?) };
        let front = keys.0.params().to_bytes()?.len();
        let mut all = room(front + keys.0.bytes_at_rest() as usize)?;
        keys.write(&mut all)?;
        out.give_all(all);
        Ok(())
    })
}

/// Reads keys from bytes; they may come from Python, too. In memory keys take up to about 3 times as many
/// bytes. flags: 0 or RJ_ALLOW_INSECURE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_keys_from_bytes(
    data: *const u8,
    len: usize,
    flags: u32,
    keys: *mut *mut rj_keys,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, data) = unsafe { (Out::of_handle(keys, "keys")?, array(data, len, "data")?) };
        // the bytes are in memory already: no more of them can come
        out.give(rj_keys::read(data, limits(KEYS_LIMIT.max(len as u64), flags)?)?);
        Ok(())
    })
}

/// Writes the keys to a file, without holding their bytes in memory. An older file is replaced when the new one
/// is complete; a file with a secret key, or one that cannot be read, is not (RJ_OVERWRITE).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_keys_save(keys: *const rj_keys, path: *const c_char) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (keys, path) = unsafe { (handle(keys, "keys")?, self::path(path)?) };
        files::replace(path, |file| {
            let mut file = BufWriter::new(file);
            keys.write(&mut file)?;
            file.flush().map_err(|e| Refusal::file(path, e))
        })
    })
}

/// Reads keys from a file that rj_keys_save, or EvaluationKeys.save of Python, wrote.
/// max_bytes: keys of more bytes are refused (RJ_TOO_MANY_BYTES); 0 for 8 GiB. flags: 0 or RJ_ALLOW_INSECURE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_keys_load(
    path: *const c_char,
    max_bytes: u64,
    flags: u32,
    keys: *mut *mut rj_keys,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, path) = unsafe { (Out::of_handle(keys, "keys")?, self::path(path)?) };
        let limits = limits(if max_bytes == 0 { KEYS_LIMIT } else { max_bytes }, flags)?;
        let file = File::open(path).map_err(|e| Refusal::file(path, e))?;
        out.give(rj_keys::read(BufReader::new(file), limits).map_err(|refusal| refusal.in_file(path))?);
        Ok(())
    })
}

/// Frees keys. A server that was made with them keeps its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_keys_free(keys: *mut rj_keys) {
    // SAFETY: the header says what pointers must be
    unsafe { free(keys) }
}
