#![no_main]
//! Evaluation keys, and computations with accepted ones.

use std::sync::Arc;

use ringjet::wire::{Object, Scheme};
use ringjet::{EvaluationKeys, Evaluator};
use ringjet_fuzz::{LIMITS, load_with_corrections, world};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let w = world();
    let load = |bytes: &[u8]| {
        let keys = EvaluationKeys::from_bytes(&w.ctx, bytes, LIMITS)?;
        let again = keys.to_bytes(&w.ctx)?;
        Ok((keys, again))
    };
    load_with_corrections(Scheme::Ckks, Object::EvaluationKeys, data, load, |keys| {
        let eval = Evaluator::new(&w.ctx, Arc::new(keys.clone())).unwrap();
        let _ = eval.rotate(&w.fresh, 1);
        let _ = eval.conjugate(&w.fresh);
        let _ = eval.mul_auto(&w.fresh, &w.fresh).and_then(|c| w.secret.decrypt_values(&w.ctx, &c));
    });
});
