#![no_main]
//! Secret keys of BGV and BFV.

use ringjet::bgv::SecretKey;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, bgv_world, load_with_corrections};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = bgv_world();
    let load = |bytes: &[u8]| {
        let key = SecretKey::from_secret_bytes(w.ctx.params(), bytes, LIMITS)?;
        let again = key.to_secret_bytes().to_vec();
        Ok((key, again))
    };
    load_with_corrections(Scheme::Bgv, Object::SecretKey, data, load, |key| {
        let _ = key.decrypt_integers(&w.ctx, &w.fresh);
    });
});
