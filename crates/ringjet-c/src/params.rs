//! Parameter sets.

use std::ffi::{CString, c_char};
use std::sync::OnceLock;

use ringjet::dynamic::{Context, Parameters, preset_names};

use crate::border::{Out, RJ_ALLOW_INSECURE, Result, call, flag, free, handle, text};
use crate::buffer::rj_bytes;
use crate::machine;
use crate::status::rj_status;

/// A checked parameter set. Client and server use the same one; keys and programs carry it.
pub struct rj_params(pub(crate) Parameters);

/// What a parameter set offers.
#[repr(C)]
pub struct rj_params_info {
    /// Numbers in a ciphertext, unless a client is made for fewer.
    pub slots: usize,
    /// Multiplications in a row on a fresh ciphertext; with parameters that bootstrap, between two bootstraps.
    pub depth: usize,
    /// The level of a fresh ciphertext; 0 with HEAAN, which has no levels.
    pub top_level: usize,
    /// 1 where values are integers, which are computed exactly (BGV, BFV): they are int64_t. 0 where they are
    /// double.
    pub is_exact: i32,
    /// 1 where ciphertexts can be bootstrapped.
    pub can_bootstrap: i32,
}

impl rj_params {
    /// The parameters on this process's machine.
    pub(crate) fn context(&self) -> Result<Context> {
        context(&self.0)
    }
}

/// These parameters on this process's machine.
pub(crate) fn context(params: &Parameters) -> Result<Context> {
    Ok(Context::new(params, machine::backend()?))
}

/// The name of a preset, from index 0 on; null after the last one.
#[unsafe(no_mangle)]
pub extern "C" fn rj_preset_name(index: usize) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let names = NAMES.get_or_init(|| preset_names().into_iter().flat_map(CString::new).collect());
    names.get(index).map_or(std::ptr::null(), |name| name.as_ptr())
}

/// The preset of this name, such as "n13-depth2" (CKKS) or "bgv-n13".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_params_preset(name: *const c_char, params: *mut *mut rj_params) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, name) = unsafe { (Out::of_handle(params, "params")?, text(name, "name")?) };
        out.give(rj_params(Parameters::preset(name)?));
        Ok(())
    })
}

/// Parameters from the JSON that rj_params_to_json and Python's Parameters.to_json write.
/// flags: 0 or RJ_ALLOW_INSECURE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_params_from_json(
    json: *const c_char,
    flags: u32,
    params: *mut *mut rj_params,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, json) = unsafe { (Out::of_handle(params, "params")?, text(json, "json")?) };
        out.give(rj_params(Parameters::from_json(json, flag(flags, RJ_ALLOW_INSECURE)?)?));
        Ok(())
    })
}

/// The parameters as JSON.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_params_to_json(params: *const rj_params, json: *mut rj_bytes) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, params) = unsafe { (Out::of_bytes(json, "json")?, handle(params, "params")?) };
        out.give(params.0.to_json()?.as_bytes())
    })
}

/// What the parameters offer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_params_describe(params: *const rj_params, info: *mut rj_params_info) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, params) = unsafe { (Out::new(info, "info")?, &handle(params, "params")?.0) };
        out.set(rj_params_info {
            slots: params.slots(),
            depth: params.depth(),
            top_level: params.top_level().unwrap_or(0),
            is_exact: params.is_exact().into(),
            can_bootstrap: params.can_bootstrap().into(),
        });
        Ok(())
    })
}

/// Frees parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_params_free(params: *mut rj_params) {
    // SAFETY: the header says what pointers must be
    unsafe { free(params) }
}
