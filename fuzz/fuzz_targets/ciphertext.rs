#![no_main]
//! Ciphertexts in all forms, and computations with accepted ones, whatever their level, modulus, scale,
//! correction factor and noise estimate.

use ringjet::rlwe::Sharing;
use ringjet::rng::Seed;

ringjet_fuzz::target!(Ciphertext, |w, c|
    ckks => {
        let _ = w.secret.decrypt_values(&w.ctx, c);
        let _ = w.secret.decrypt_for_sharing(&w.ctx, c, c, 4, &Sharing::default(), &Seed::from_bytes([1; 32]));
        let _ = w.secret.decrypt(&w.ctx, c).and_then(|p| p.decode(&w.ctx));
        let _ = w.eval.add_auto(c, &w.fresh);
        let _ = w.eval.mul_auto(c, &w.fresh).and_then(|c| w.eval.mul_auto(&c, &c)).map(|c| c.to_bytes(&w.ctx));
        let _ = w.eval.mul_auto(c, c);
        let _ = w.eval.relinearize_rescale(c);
        let _ = w.eval.rescale(c);
        let _ = w.eval.rotate(c, 1);
        let _ = w.eval.mul_scalar_auto(c, 0.3).map(|c| c.to_bytes(&w.ctx));
        let _ = w.eval.mul_integer(c, -7);
        let _ = w.eval.add_scalar(c, 0.5);
        let _ = format!("{c:?}");
    }
    heaan => {
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
    }
    bgv => {
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
    }
);
