#![no_main]
//! Public keys of HEAAN.

use ringjet::heaan::{Plaintext, PublicKey};
use ringjet::rng::Seed;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, heaan_world, load_with_corrections};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = heaan_world();
    let load = |bytes: &[u8]| {
        let key = PublicKey::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = key.to_bytes(&w.ctx)?;
        Ok((key, again))
    };
    load_with_corrections(Scheme::Heaan, Object::PublicKey, data, load, |key| {
        let p = Plaintext::encode_real(&w.ctx, &[0.5, -0.25], 30, 4).unwrap();
        let c = key.encrypt(&w.ctx, &p, &Seed::from_bytes([1; 32])).unwrap();
        let _ = w.secret.decrypt_values(&w.ctx, &c);
    });
});
