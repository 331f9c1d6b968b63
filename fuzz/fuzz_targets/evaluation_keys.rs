#![no_main]
//! Evaluation keys, and computations with accepted ones.

use std::sync::Arc;

use ringjet_fuzz::{bgv, ckks, heaan};

ringjet_fuzz::target!(EvaluationKeys, |w, keys|
    ckks => {
        let eval = ckks::Evaluator::new(&w.ctx, Arc::new(keys.clone())).unwrap();
        let _ = eval.rotate(&w.fresh, 1);
        let _ = eval.conjugate(&w.fresh);
        let _ = eval.mul_auto(&w.fresh, &w.fresh).and_then(|c| w.secret.decrypt_values(&w.ctx, &c));
    }
    heaan => {
        let eval = heaan::Evaluator::new(&w.ctx, Arc::new(keys.clone())).unwrap();
        let _ = eval.rotate(&w.fresh, 1);
        let _ = eval.conjugate(&w.fresh);
        let _ = eval.mul_auto(&w.fresh, &w.fresh).and_then(|c| w.secret.decrypt_values(&w.ctx, &c));
    }
    bgv => {
        let eval = bgv::Evaluator::new(&w.ctx, Arc::new(keys.clone())).unwrap();
        let _ = eval.rotate(&w.fresh, 1);
        let _ = eval.conjugate(&w.fresh);
        let _ = eval.mul_auto(&w.fresh, &w.fresh).and_then(|c| w.secret.decrypt_integers(&w.ctx, &c));
    }
);
