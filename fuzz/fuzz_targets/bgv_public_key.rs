#![no_main]
//! Public keys of BGV and BFV.

use ringjet::bgv::{Plaintext, PublicKey};
use ringjet::rng::Seed;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, bgv_world, load_with_corrections};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = bgv_world();
    let load = |bytes: &[u8]| {
        let key = PublicKey::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = key.to_bytes(&w.ctx)?;
        Ok((key, again))
    };
    load_with_corrections(Scheme::Bgv, Object::PublicKey, data, load, |key| {
        let p = Plaintext::encode(&w.ctx, &[3, -5], w.ctx.params().top_level()).unwrap();
        let c = key.encrypt(&w.ctx, &p, &Seed::from_bytes([1; 32])).unwrap();
        let _ = w.secret.decrypt_integers(&w.ctx, &c);
    });
});
