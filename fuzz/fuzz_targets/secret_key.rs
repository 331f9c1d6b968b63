#![no_main]
//! Secret keys.

use ringjet::SecretKey;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, load_with_corrections, world};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = world();
    let load = |bytes: &[u8]| {
        let key = SecretKey::from_secret_bytes(w.ctx.params(), bytes, LIMITS)?;
        let again = key.to_secret_bytes().to_vec();
        Ok((key, again))
    };
    load_with_corrections(Scheme::Ckks, Object::SecretKey, data, load, |key| {
        let _ = key.decrypt_values(&w.ctx, &w.fresh);
    });
});
