//! Each phase of bootstrapping against the same computation on plain values.

use super::*;
use crate::SecretKey;
use crate::ckks::params::BootstrapChain;
use crate::rng::Seed;
use ringjet_math::dft;
use ringjet_math::fft::Complex64;
use std::sync::Arc;

pub(super) fn chain(log_n: u32) -> BootstrapChain {
    BootstrapChain {
        message_levels: 3,
        log_ratio: 12.0,
        eval_mod_bits: 58.0,
        special: 4,
        ..BootstrapChain::standard(log_n)
    }
}

fn worst(got: &[Complex64], want: impl Fn(usize) -> Complex64) -> f64 {
    got.iter().enumerate().fold(0.0, |m, (i, z)| m.max((z.re - want(i).re).abs()).max((z.im - want(i).im).abs()))
}

/// Compares each phase with the same computation on plain values.
#[test]
fn phases() {
    for matrix_keys in [false, true] {
        phases_of(&BootstrapChain { bootstrap: BootstrapSpec { matrix_keys, ..chain(8).bootstrap }, ..chain(8) });
    }
}

fn phases_of(chain: &BootstrapChain) {
    let keyed = chain.bootstrap.matrix_keys;
    let params = Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap();
    let backend = ringjet_cpu::CpuBackend::new(Default::default()).unwrap();
    let ctx = Context::new(&params, Arc::new(backend));
    let (seed, log_slots, n) = (Seed::from_bytes([3; 32]), 7, 128);
    let secret = SecretKey::from_seed(&params, &seed).unwrap();
    let plan = Bootstrapper::key_plan(&params, log_slots).unwrap();
    let keys = secret.evaluation_keys(&ctx, &plan, &seed, |_, _| true).unwrap();
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let boot = Bootstrapper::new(&ctx, log_slots, |_, _| true).unwrap();
    let value = |i: usize| Complex64 { re: (i as f64).sin(), im: (i as f64 * 1.7).cos() };
    let values: Vec<Complex64> = (0..n).map(value).collect();
    let encrypt = |v: &[Complex64], level: usize| {
        let p = Plaintext::encode(&ctx, v, level, params.scale(level), log_slots).unwrap();
        secret.encrypt(&ctx, &p, &seed.derive(b"c", level as u64)).unwrap()
    };

    let level = boot.slots_to_coeffs.len();
    let mut x = encrypt(&values, level);
    let mut clear = values.clone();
    for (t, m) in boot.slots_to_coeffs.iter().zip(dft::slots_to_coeffs(log_slots, &[4, 3]).unwrap()) {
        x = t.apply(&eval, &x).unwrap();
        clear = dft::apply(&m, &clear);
    }
    assert_eq!(x.level(), 0);
    let got = secret.decrypt_values(&ctx, &x).unwrap().0;
    assert!(worst(&got, |i| clear[i]) < 1e-6, "SlotsToCoeffs {}", worst(&got, |i| clear[i]));

    let high = boot.raise(&eval, &x).unwrap();
    assert_eq!(high.level(), params.max_level());
    // each coefficient differs by a multiple of q_0
    let coefficients = |ct: &Ciphertext, unit: f64| -> Vec<f64> {
        let mut w = secret.decrypt_values(&ctx, ct).unwrap().0;
        if keyed && ct.level() == params.max_level() {
            // undoes the first matrix, of four stages, and its factor 1/2
            w = dft::apply(&dft::slots_to_coeffs(log_slots, &[3, 4]).unwrap()[1], &w);
            w.iter_mut().for_each(|z| *z = *z * 2.0);
        }
        for m in dft::coeffs_to_slots(log_slots, &[7]).unwrap() {
            w = dft::apply(&m, &w);
        }
        w.iter().flat_map(|z| [z.re * unit, z.im * unit]).collect()
    };
    let (low, raised) = (coefficients(&x, 1.0), coefficients(&high, 16.0 * boot.low_ratio(&params)));
    let q0 = boot.low_ratio(&params);
    for (a, b) in low.iter().zip(&raised) {
        let i = ((b - a) / q0).round();
        assert!(i.abs() < 16.0 && (b - a - i * q0).abs() < 1e-5 * q0.log2(), "ModRaise {a} {b} {i}");
    }

    let mut y = high.clone();
    let mut clear = secret.decrypt_values(&ctx, &high).unwrap().0;
    let first = usize::from(keyed);
    assert_eq!(boot.coeffs_to_slots.len(), 2 - first);
    for (t, m) in
        boot.coeffs_to_slots.iter().zip(dft::coeffs_to_slots(log_slots, &[4, 3]).unwrap().into_iter().skip(first))
    {
        y = t.apply(&eval, &y).unwrap();
        clear = dft::apply(&m, &clear);
    }
    let got = secret.decrypt_values(&ctx, &y).unwrap().0;
    let by = if keyed { 1.0 } else { 0.5 };
    let half = |i: usize| clear[i] * by;
    assert!(worst(&got, half) < 1e-9, "CoeffsToSlots {}", worst(&got, half));

    // EvalMod of values near multiples of q_0
    let near: Vec<Complex64> = (0..n)
        .map(|i| Complex64 { re: ((i % 31) as f64 - 15.0 + values[i].re / boot.low_ratio(&params)) / 16.0, im: 0.0 })
        .collect();
    let z = boot.eval_mod(&eval, encrypt(&near, params.max_level() - boot.coeffs_to_slots.len())).unwrap();
    assert_eq!(z.level(), params.top_level());
    let got = secret.decrypt_values(&ctx, &z).unwrap().0;
    let real = |i: usize| Complex64 { re: values[i].re, im: 0.0 };
    assert!(worst(&got, real) < 1e-5, "EvalMod {}", worst(&got, real));
}
