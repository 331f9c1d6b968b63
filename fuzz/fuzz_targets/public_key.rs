#![no_main]
//! Public keys.

use ringjet::PublicKey;
use ringjet::rng::Seed;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, load_with_corrections, world};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = world();
    let load = |bytes: &[u8]| {
        let key = PublicKey::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = key.to_bytes(&w.ctx)?;
        Ok((key, again))
    };
    load_with_corrections(Scheme::Ckks, Object::PublicKey, data, load, |key| {
        let p = w.secret.decrypt(&w.ctx, &w.fresh).unwrap();
        let c = key.encrypt(&w.ctx, &p, &Seed::from_bytes([1; 32])).unwrap();
        let _ = w.secret.decrypt_values(&w.ctx, &c);
    });
});
