//! Encrypted vectors.

use std::ffi::c_char;
use std::io::Write;

use ringjet::dynamic::Ciphertext;
use ringjet::wire::Limits;

use crate::border::{Out, Refusal, Result, array, call, free, handle, path};
use crate::buffer::rj_bytes;
use crate::files;
use crate::params::{context, rj_params};
use crate::status::rj_status;

/// The most bytes of a ciphertext that are read: twice the largest preset's.
const CIPHERTEXT_LIMIT: u64 = 256 << 20;

/// An encrypted vector. Immutable: every operation makes a new one.
pub struct rj_ciphertext(pub(crate) Ciphertext);

/// What a ciphertext says of itself. None of it is secret.
#[repr(C)]
pub struct rj_ciphertext_info {
    /// Number of slots.
    pub slots: usize,
    /// How many of the first slots hold values; decryption returns so many.
    pub count: usize,
    /// The level: how many rescalings are left. With HEAAN bits of the modulus that are left.
    pub level: usize,
    /// Binary logarithm of the scale.
    pub log_scale: f64,
    /// Estimated precision in bits: -log2 of the standard deviation of the error of a value. Infinite with BGV
    /// and BFV.
    pub precision_bits: f64,
    /// With BGV and BFV a lower bound on the noise budget in bits, which says how often the noise may double.
    /// With other schemes not a number.
    pub noise_budget: f64,
    /// Bounds on the real parts of the values: stated at encryption, then derived by each operation. With BGV
    /// and BFV the range of all values.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl rj_ciphertext {
    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        Ok(self.0.to_bytes(&context(&self.0.params())?)?)
    }

    fn read(params: &rj_params, data: &[u8]) -> Result<Self> {
        Ok(Self(Ciphertext::from_bytes(&params.context()?, data, Limits::max_bytes(CIPHERTEXT_LIMIT))?))
    }

    fn info(&self) -> rj_ciphertext_info {
        let (ct, noise, budget) = (&self.0, self.0.noise(), self.0.budget());
        let half = ct.params().plaintext_modulus().map(|t| (t / 2) as f64);
        rj_ciphertext_info {
            slots: ct.slots(),
            count: ct.count(),
            level: budget.left,
            log_scale: budget.scale_log2,
            precision_bits: if ct.params().is_exact() { f64::INFINITY } else { noise.precision_bits() },
            noise_budget: ct.noise_budget().unwrap_or(f64::NAN),
            low: half.map_or(noise.range().low(), |half| -half),
            high: half.unwrap_or(noise.range().high()),
        }
    }
}

/// What a ciphertext says of itself: level, scale, precision or noise budget, bounds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_ciphertext_describe(
    ciphertext: *const rj_ciphertext,
    info: *mut rj_ciphertext_info,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, ct) = unsafe { (Out::new(info, "info")?, handle(ciphertext, "ciphertext")?) };
        out.set(ct.info());
        Ok(())
    })
}

/// The ciphertext as bytes, without its parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_ciphertext_to_bytes(ciphertext: *const rj_ciphertext, bytes: *mut rj_bytes) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, ct) = unsafe { (Out::of_bytes(bytes, "bytes")?, handle(ciphertext, "ciphertext")?) };
        out.give(&ct.bytes()?)
    })
}

/// Reads a ciphertext of these parameters from bytes; they may come from Python or from a browser, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_ciphertext_from_bytes(
    params: *const rj_params,
    data: *const u8,
    len: usize,
    ciphertext: *mut *mut rj_ciphertext,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, params) = unsafe { (Out::of_handle(ciphertext, "ciphertext")?, handle(params, "params")?) };
        // SAFETY: the header says what pointers must be
        out.give(rj_ciphertext::read(params, unsafe { array(data, len, "data")? })?);
        Ok(())
    })
}

/// Writes the bytes of the ciphertext to a file. An older file is replaced when the new one is complete; a file
/// with a secret key, or one that cannot be read, is not (RJ_OVERWRITE).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_ciphertext_save(ciphertext: *const rj_ciphertext, path: *const c_char) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (ct, path) = unsafe { (handle(ciphertext, "ciphertext")?, self::path(path)?) };
        let data = ct.bytes()?;
        files::replace(path, |file| file.write_all(&data).map_err(|e| Refusal::file(path, e)))
    })
}

/// Reads a ciphertext of these parameters from a file that rj_ciphertext_save, or Ciphertext.save of Python,
/// wrote.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_ciphertext_load(
    params: *const rj_params,
    path: *const c_char,
    ciphertext: *mut *mut rj_ciphertext,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, params) = unsafe { (Out::of_handle(ciphertext, "ciphertext")?, handle(params, "params")?) };
        // SAFETY: the header says what pointers must be
        let data = files::read(unsafe { self::path(path)? }, CIPHERTEXT_LIMIT)?;
        out.give(rj_ciphertext::read(params, &data)?);
        Ok(())
    })
}

/// Frees a ciphertext.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_ciphertext_free(ciphertext: *mut rj_ciphertext) {
    // SAFETY: the header says what pointers must be
    unsafe { free(ciphertext) }
}
