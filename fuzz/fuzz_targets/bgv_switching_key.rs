#![no_main]
//! Single switching keys of BGV and BFV.

use ringjet::bgv::SwitchingKey;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, bgv_world, load_with_corrections};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = bgv_world();
    let load = |bytes: &[u8]| {
        let key = SwitchingKey::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = key.to_bytes(&w.ctx)?;
        Ok((key, again))
    };
    load_with_corrections(Scheme::Bgv, Object::SwitchingKey, data, load, |key| {
        let _ = format!("{key:?}");
    });
});
