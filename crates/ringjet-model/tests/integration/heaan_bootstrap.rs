//! Bootstrapping with HEAAN's presets on the counting backend.

use std::sync::Arc;

use ringjet::circuits::heaan::Bootstrapper;
use ringjet::heaan::{BootstrapSpec, Ciphertext, Context, EvaluationKeys, Evaluator, Parameters, preset};
use ringjet_model::{CountingBackend, Device, Trace};

/// The calls of one bootstrap of 8 slots.
fn traced(params: &Parameters) -> (Trace, Bootstrapper) {
    let backend = Arc::new(CountingBackend::default());
    let ctx = Context::new(params, backend.clone());
    let request = Bootstrapper::key_plan(params, 3).unwrap();
    let keys = EvaluationKeys::uncomputed(&ctx, &request).unwrap();
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let boot = Bootstrapper::new(&ctx, &BootstrapSpec::new(params, 3), |_, _| true).unwrap();
    let spec = boot.spec();
    let low = Ciphertext::uncomputed(&ctx, spec.log_q, spec.log_scale, 3).unwrap();
    backend.take();
    let out = boot.bootstrap(&eval, &low).unwrap();
    assert_eq!((out.log_q(), out.log_scale()), (boot.budget().log_q, spec.log_scale));
    (backend.take(), boot)
}

#[test]
fn key_switches_are_as_documented() {
    for (name, traces) in [("heaan-n15-boot", 11), ("heaan-n16-boot", 12)] {
        let params = preset(name).unwrap();
        let (trace, boot) = traced(&params);
        // the trace map; in each matrix three baby steps and one giant step; the two halves that
        // are joined
        assert_eq!(trace.entered("Rotate"), traces + 4 + 4 + 1 + 4, "{name}: four baby steps that turn nothing");
        assert_eq!(trace.entered("Conjugate"), 2);
        assert_eq!(trace.entered("Mult"), 5 + u64::from(boot.budget().squarings) + 1);
        for device in ["cpu-ifma-1core", "cpu-ifma-2core"] {
            let estimate = trace.estimate(&Device::builtin(device).unwrap());
            let seconds = |step: &str| estimate.tree.find(&["Bootstrap", step]).map_or(0.0, |node| node.seconds);
            println!("{name} on {device}: {:.2} s", estimate.time.total_s);
            for step in ["Trace", "CoeffsToSlots", "EvalExp", "Sine", "SlotsToCoeffs"] {
                println!("  {step}: {:.2} s", seconds(step));
                assert!(seconds(step) > 0.0, "{step}");
            }
            assert!((0.1..60.0).contains(&estimate.time.total_s));
        }
    }
}
