#![no_main]
//! Plaintexts, and computations with accepted ones.

use ringjet::rng::Seed;

ringjet_fuzz::target!(Plaintext, |w, p|
    ckks => {
        let _ = p.decode(&w.ctx);
        let _ = w.eval.add_plain(&w.fresh, p);
        let _ = w.eval.mul_plain_auto(&w.fresh, p);
        let _ = format!("{p:?}");
    }
    heaan | bgv => {
        let _ = p.decode(&w.ctx);
        let _ = w.eval.add_plain(&w.fresh, p);
        let _ = w.eval.mul_plain(&w.fresh, p);
        let _ = w.secret.encrypt(&w.ctx, p, &Seed::from_bytes([1; 32]));
        let _ = format!("{p:?}");
    }
);
