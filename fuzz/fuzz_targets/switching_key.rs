#![no_main]
//! Single switching keys.

use ringjet::SwitchingKey;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, load_with_corrections, world};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = world();
    let load = |bytes: &[u8]| {
        let key = SwitchingKey::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = key.to_bytes(&w.ctx)?;
        Ok((key, again))
    };
    load_with_corrections(Scheme::Ckks, Object::SwitchingKey, data, load, |key| {
        let _ = format!("{key:?}");
    });
});
