//! One EvalMod for the real and imaginary parts of at most N/4 slots.

use super::*;
use ringjet::circuits::Phase;
use ringjet_backend::{Backend, Reference};

/// The number of times that a bootstrap runs EvalMod.
fn eval_mods(rig: &Rig, real: bool) -> usize {
    let values = random(1 << rig.log_slots, 3);
    let (mut seen, boot) = (vec![], rig.eval.bootstrapper(rig.log_slots).unwrap());
    let counted = |phase| {
        seen.push(phase);
        true
    };
    boot.bootstrap_observed(&rig.eval, &rig.encrypt(&values, rig.lowest()), real, counted).unwrap();
    assert_eq!(seen.len(), boot.phases(real));
    seen.iter().filter(|phase| **phase == Phase::EvalMod).count()
}

#[test]
fn few_complex_slots_take_one_eval_mod() {
    let with = |change: &dyn Fn(&mut BootstrapSpec)| {
        let mut chain = BootstrapChain { scale_bits: 38, slots_to_coeffs_bits: 38, log_ratio: 12.0, ..chain(8) };
        change(&mut chain.bootstrap);
        chain
    };
    let (first, last) = (with(&|_| ()), with(&|b| b.slots_to_coeffs_first = false));
    // an arcsine comes after the double angles
    let arcsine = with(&|b| (b.slots_to_coeffs_first, b.arcsine) = (false, 3));
    let twice = with(&|b| b.passes = 2);
    let one_angle = with(&|b| (b.double_angles, b.degree) = (1, 95));
    for (chain, log_slots, complex, real) in [
        (&first, 7, 2, 1),
        (&first, 6, 1, 1),
        (&first, 2, 1, 1),
        (&last, 7, 2, 2),
        (&last, 6, 1, 1),
        (&arcsine, 6, 2, 2),
        (&twice, 7, 4, 2),
        (&twice, 4, 2, 2),
        (&one_angle, 4, 1, 1),
    ] {
        let rig = Rig::new(chain, log_slots, 14);
        assert_eq!([false, true].map(|real| eval_mods(&rig, real)), [complex, real], "2^{log_slots}, {chain:?}");
    }
}

/// A cosine of odd degree is a polynomial in the argument itself, and products are multiplied by 2.
#[test]
fn a_polynomial_in_the_argument_itself() {
    let base = chain(9);
    let odd = BootstrapChain { bootstrap: BootstrapSpec { degree: 31, ..base.bootstrap.clone() }, ..base };
    for log_slots in [8, 7, 3] {
        expect_patterns(&Rig::new(&odd, log_slots, 15), 22.0, 19.0);
    }
}

#[test]
fn any_number_of_double_angles_and_two_passes() {
    for (double_angles, degree) in [(1, 95), (2, 62)] {
        let bootstrap = BootstrapSpec { double_angles, degree, ..chain(9).bootstrap };
        expect_patterns(&Rig::new(&BootstrapChain { bootstrap, ..chain(9) }, 4, 18), 22.0, 19.0);
    }
    let bootstrap = BootstrapSpec { passes: 2, ..chain(9).bootstrap };
    expect_patterns(&Rig::new(&BootstrapChain { bootstrap, ..chain(9) }, 4, 19), 27.0, 24.0);
}

/// The results of complex and real bootstraps on a backend.
fn results(chain: &BootstrapChain, log_slots: u32, backend: Arc<dyn Backend>) -> Vec<Vec<u8>> {
    let params = Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap();
    let (ctx, seed) = (Context::new(&params, backend), Seed::from_bytes([16; 32]));
    let secret = SecretKey::from_seed(&params, &seed).unwrap();
    let plan = Bootstrapper::key_plan(&params, log_slots).unwrap();
    let keys = secret.evaluation_keys(&ctx, &plan, &seed.derive(b"keys", 0), |_, _| true).unwrap();
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let boot = Bootstrapper::new(&ctx, log_slots, |_, _| true).unwrap();
    let level = params.bootstrap().unwrap().input_level();
    let p = Plaintext::encode(&ctx, &random(1 << log_slots, 2), level, params.scale(level), log_slots).unwrap();
    let ct = secret.encrypt(&ctx, &p, &seed.derive(b"encryption", 0)).unwrap();
    let out = [false, true].map(|real| boot.bootstrap_observed(&eval, &ct, real, |_| true).unwrap());
    out.iter().map(|out| out.to_bytes(&ctx).unwrap()).collect()
}

#[test]
fn backends_agree_for_few_slots() {
    let cpu = || Arc::new(CpuBackend::new(CpuConfig { threads: 2, path: None }).unwrap());
    for (chain, log_slots) in [(chain(6), 4), (keyed(chain(6)), 3)] {
        let got = results(&chain, log_slots, cpu());
        assert!(got == results(&chain, log_slots, Arc::new(Reference::default())), "2^{log_slots}");
    }
}
