#![no_main]
//! Ciphertexts of HEAAN, and computations with accepted ones, whatever their modulus, scale and
//! noise estimate.

use ringjet::heaan::Ciphertext;
use ringjet::rlwe::Sharing;
use ringjet::rng::Seed;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, heaan_world, load_with_corrections};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = heaan_world();
    let load = |bytes: &[u8]| {
        let c = Ciphertext::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = c.to_bytes(&w.ctx)?;
        Ok((c, again))
    };
    load_with_corrections(Scheme::Heaan, Object::Ciphertext, data, load, |c| {
        let _ = w.secret.decrypt_values(&w.ctx, c);
        let _ = w.secret.decrypt_for_sharing(&w.ctx, c, c, 4, &Sharing::default(), &Seed::from_bytes([1; 32]));
        let _ = w.secret.decrypt(&w.ctx, c).and_then(|p| p.decode(&w.ctx));
        let _ = w.eval.add_auto(c, &w.fresh);
        let _ = w.eval.mul_auto(c, &w.fresh).and_then(|c| w.eval.mul_auto(&c, &c)).map(|c| c.to_bytes(&w.ctx));
        let _ = w.eval.square(c);
        let _ = w.eval.rescale(c, 7).map(|c| c.to_bytes(&w.ctx));
        let _ = w.eval.mod_down_to(c, 40);
        let _ = w.eval.scale_up(c, 20);
        let _ = w.eval.rotate(c, 1);
        let _ = w.eval.mul_scalar_auto(c, 0.3).map(|c| c.to_bytes(&w.ctx));
        let _ = w.eval.mul_integer(c, -7);
        let _ = w.eval.add_scalar(c, 0.5);
        let _ = format!("{c:?}");
    });
});
