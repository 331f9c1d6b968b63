#![no_main]
//! Switching keys of HEAAN on their own.

use ringjet::heaan::SwitchingKey;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, each_repair, heaan_world};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = heaan_world();
    let load = |bytes: &[u8]| {
        let key = SwitchingKey::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = key.to_bytes(&w.ctx)?;
        Ok((key, again))
    };
    each_repair(Scheme::Heaan, Object::SwitchingKey, data, load, |key| {
        let _ = format!("{key:?}");
    });
});
