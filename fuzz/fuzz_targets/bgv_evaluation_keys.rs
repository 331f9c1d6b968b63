#![no_main]
//! Evaluation keys of BGV and BFV, and computations with accepted ones.

use std::sync::Arc;

use ringjet::bgv::{EvaluationKeys, Evaluator};
use ringjet::wire::{Object, Scheme};
use ringjet_fuzz::{LIMITS, bgv_world, load_with_corrections};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = bgv_world();
    let load = |bytes: &[u8]| {
        let keys = EvaluationKeys::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = keys.to_bytes(&w.ctx)?;
        Ok((keys, again))
    };
    load_with_corrections(Scheme::Bgv, Object::EvaluationKeys, data, load, |keys| {
        let eval = Evaluator::new(&w.ctx, Arc::new(keys.clone())).unwrap();
        let _ = eval.rotate(&w.fresh, 1);
        let _ = eval.conjugate(&w.fresh);
        let _ = eval.mul_auto(&w.fresh, &w.fresh).and_then(|c| w.secret.decrypt_integers(&w.ctx, &c));
    });
});
