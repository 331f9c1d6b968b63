#![no_main]
//! Plaintexts, and computations with accepted ones.

use ringjet::Plaintext;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, load_with_corrections, world};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = world();
    let load = |bytes: &[u8]| {
        let p = Plaintext::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = p.to_bytes(&w.ctx)?;
        Ok((p, again))
    };
    load_with_corrections(Scheme::Ckks, Object::Plaintext, data, load, |p| {
        let _ = p.decode(&w.ctx);
        let _ = w.eval.add_plain(&w.fresh, p);
        let _ = w.eval.mul_plain_auto(&w.fresh, p);
        let _ = format!("{p:?}");
    });
});
