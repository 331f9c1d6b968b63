#![no_main]
//! Switching keys of HEAAN on their own.

use ringjet::heaan::SwitchingKey;
use ringjet::wire::Kind;
use ringjet_fuzz::{LIMITS, each_repair, heaan_world};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = heaan_world();
    let load = |bytes: &[u8]| {
        let key = SwitchingKey::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = key.to_bytes(&w.ctx)?;
        Ok((key, again))
    };
    each_repair(Kind::HeaanSwitchingKey, data, load, |key| {
        let _ = format!("{key:?}");
    });
});
