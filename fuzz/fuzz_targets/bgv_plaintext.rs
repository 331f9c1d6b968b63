#![no_main]
//! Plaintexts of BGV and BFV, and computations with accepted ones.

use ringjet::bgv::Plaintext;
use ringjet::rng::Seed;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, bgv_world, load_with_corrections};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = bgv_world();
    let load = |bytes: &[u8]| {
        let p = Plaintext::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = p.to_bytes(&w.ctx)?;
        Ok((p, again))
    };
    load_with_corrections(Scheme::Bgv, Object::Plaintext, data, load, |p| {
        let _ = p.decode(&w.ctx);
        let _ = w.eval.add_plain(&w.fresh, p);
        let _ = w.eval.mul_plain(&w.fresh, p);
        let _ = w.secret.encrypt(&w.ctx, p, &Seed::from_bytes([1; 32]));
        let _ = format!("{p:?}");
    });
});
