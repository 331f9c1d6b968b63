#![no_main]
//! Single switching keys of HEAAN.

use ringjet::heaan::SwitchingKey;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, heaan_world, load_with_corrections};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = heaan_world();
    let load = |bytes: &[u8]| {
        let key = SwitchingKey::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = key.to_bytes(&w.ctx)?;
        Ok((key, again))
    };
    load_with_corrections(Scheme::Heaan, Object::SwitchingKey, data, load, |key| {
        let _ = format!("{key:?}");
    });
});
