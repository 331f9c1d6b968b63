#![no_main]
//! Secret keys.

ringjet_fuzz::target!(SecretKey, |w, key|
    ckks | heaan => {
        let _ = key.decrypt_values(&w.ctx, &w.fresh);
    }
    bgv => {
        let _ = key.decrypt_integers(&w.ctx, &w.fresh);
    }
);
