#![no_main]
//! Ciphertexts of BGV and BFV, and computations with accepted ones, whatever their level,
//! correction factor and noise estimate.

use ringjet::bgv::Ciphertext;
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, bgv_world, load_with_corrections};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = bgv_world();
    let load = |bytes: &[u8]| {
        let c = Ciphertext::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = c.to_bytes(&w.ctx)?;
        Ok((c, again))
    };
    load_with_corrections(Scheme::Bgv, Object::Ciphertext, data, load, |c| {
        let _ = w.secret.decrypt_integers(&w.ctx, c);
        let _ = w.secret.decrypt_unchecked(&w.ctx, c);
        let _ = w.secret.decrypt(&w.ctx, c).and_then(|p| p.decode(&w.ctx));
        let _ = w.eval.add_auto(c, &w.fresh);
        let _ = w.eval.mul_auto(c, &w.fresh).and_then(|c| w.eval.mul_auto(&c, &c)).map(|c| c.to_bytes(&w.ctx));
        let _ = w.eval.mul(c, c).and_then(|c| w.eval.relinearize(&c));
        let _ = w.eval.relinearize(c);
        let _ = w.eval.relinearize_switch(c).map(|c| c.to_bytes(&w.ctx));
        let _ = w.eval.switch_to(c, 0).map(|c| c.to_bytes(&w.ctx));
        let _ = w.eval.rotate_hoisted(c, &[1, -3]);
        let _ = w.eval.swap_rows(c);
        let _ = w.eval.rotate(c, 1);
        let _ = w.eval.mul_scalar_auto(c, 3.0).map(|c| c.to_bytes(&w.ctx));
        let _ = w.eval.mul_integer(c, -7);
        let _ = w.eval.add_scalar(c, 5.0);
        let _ = format!("{c:?}");
    });
});
