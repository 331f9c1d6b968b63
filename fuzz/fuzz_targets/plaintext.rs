#![no_main]
//! Plaintexts, and computing with whatever was accepted.

use ringjet::Plaintext;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, each_repair, world};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = world();
    let load = |bytes: &[u8]| {
        let p = Plaintext::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = p.to_bytes(&w.ctx)?;
        Ok((p, again))
    };
    each_repair(Scheme::Ckks, Object::Plaintext, data, load, |p| {
        let _ = p.decode(&w.ctx);
        let _ = w.eval.add_plain(&w.fresh, p);
        let _ = w.eval.mul_plain_auto(&w.fresh, p);
        let _ = format!("{p:?}");
    });
});
