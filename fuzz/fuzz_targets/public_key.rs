#![no_main]
//! Public keys.

use ringjet::rng::Seed;

ringjet_fuzz::target!(PublicKey, |w, key|
    ckks => {
        let p = w.secret.decrypt(&w.ctx, &w.fresh).unwrap();
        let c = key.encrypt(&w.ctx, &p, &Seed::from_bytes([1; 32])).unwrap();
        let _ = w.secret.decrypt_values(&w.ctx, &c);
    }
    heaan => {
        let p = ringjet_fuzz::heaan::Plaintext::encode_real(&w.ctx, &[0.5, -0.25], 30, 4).unwrap();
        let c = key.encrypt(&w.ctx, &p, &Seed::from_bytes([1; 32])).unwrap();
        let _ = w.secret.decrypt_values(&w.ctx, &c);
    }
    bgv => {
        let p = ringjet_fuzz::bgv::Plaintext::encode(&w.ctx, &[3, -5], w.ctx.params().top_level()).unwrap();
        let c = key.encrypt(&w.ctx, &p, &Seed::from_bytes([1; 32])).unwrap();
        let _ = w.secret.decrypt_integers(&w.ctx, &c);
    }
);
