//! Calls that are refused, and their errors.

use std::sync::Arc;

use ringjet::circuits::heaan::Bootstrapper;
use ringjet::heaan::{Ciphertext, Context, EvaluationKeys, Evaluator, Parameters, Plaintext};
use ringjet::{Error, KeyPlan};
use ringjet_math::fft::Complex64;

use super::fixture::{Fixture, cpu, spec};

#[test]
fn moduli_and_scales() {
    let f = Fixture::new(&spec(6, 120), &KeyPlan::default(), 20);
    let (e, x) = (&f.eval, f.encrypt(&f.random(1.0)));
    let low = e.mod_down_to(&x, 70).unwrap();
    let error = e.add(&x, &low).unwrap_err();
    assert_eq!(error, Error::ModulusMismatch { unit: ringjet::Unit::Bits, op: "add", lhs: 120, rhs: 70 });
    assert_eq!(error.to_string(), "add: moduli of 120 and 70 bits differ: bring both operands to the smaller one");
    assert!(matches!(
        e.mul(&x, &low),
        Err(Error::ModulusMismatch { unit: ringjet::Unit::Bits, lhs: 120, rhs: 70, .. })
    ));
    let up = e.scale_up(&x, 15).unwrap();
    let error = e.sub(&x, &up).unwrap_err().to_string();
    assert!(error.contains("scale 2^30") && error.contains("2^45") && error.contains("one scale first"), "{error}");
    assert!(matches!(e.add_plain(&x, &f.encode(&f.random(1.0), 31)), Err(Error::ScaleMismatch { .. })));
    let exhausted = |needed, left| move |e: Error| matches!(e, Error::ModulusExhausted { needed: n, left: l, .. } if (n, l) == (needed, left));
    assert!(exhausted(62, 50)(e.mul(&e.mod_down_to(&x, 50).unwrap(), &e.mod_down_to(&x, 50).unwrap()).unwrap_err()));
    assert!(exhausted(32, 31)(e.mod_down_to(&x, 31).unwrap_err()));
    assert!(exhausted(121, 120)(e.rescale(&x, 120).unwrap_err()));
    assert!(exhausted(130, 120)(e.scale_up(&x, 98).unwrap_err()));
    assert!(exhausted(72, 70)(e.mul_plain(&low, &f.encode(&f.random(1.0), 40)).unwrap_err()));
    assert!(exhausted(72, 70)(e.mul_const(&low, 0.5, 40).unwrap_err()));
    let argument = |e: Error| matches!(e, Error::Argument { .. });
    assert!(argument(e.rescale(&x, 31).unwrap_err()));
    assert!(argument(e.mod_down_to(&low, 71).unwrap_err()));
    assert!(argument(e.mul_integer(&x, 1 << 51).unwrap_err()));
    let message = exhausted_message(&f, &x);
    assert!(message.contains("needs 62 bits of modulus, but 50 are left"), "{message}");
}

fn exhausted_message(f: &Fixture, x: &Ciphertext) -> String {
    f.eval.square(&f.eval.mod_down_to(x, 50).unwrap()).unwrap_err().to_string()
}

#[test]
fn values_and_slots() {
    let f = Fixture::new(&spec(6, 60), &KeyPlan::default(), 21);
    let encode = |values: &[f64], log_scale, log_slots| {
        let values: Vec<Complex64> = values.iter().map(|&x| x.into()).collect();
        Plaintext::encode(f.ctx(), &values, log_scale, log_slots).map(|_| ()).unwrap_err()
    };
    assert!(matches!(encode(&[0.0, f64::NAN], 30, 5), Error::NotFinite { index: 1, .. }));
    assert!(matches!(encode(&[f64::INFINITY], 30, 5), Error::NotFinite { index: 0, .. }));
    assert_eq!(encode(&[0.0; 33], 30, 5), Error::SlotCount { found: 33, slots: 32, max: 32 });
    assert!(matches!(encode(&[0.0], 30, 6), Error::SlotCount { .. }));
    assert!(matches!(encode(&[3.0; 32], 59, 5), Error::TooLarge { needed: 62.0, available: 60.0, .. }));
    assert!(matches!(encode(&[1e300; 32], 300, 5), Error::TooLarge { .. }));
    assert!(matches!(encode(&[1.0; 32], 401, 5), Error::Argument { name: "log_scale", .. }));
    let encrypt = |p: &Plaintext, log_q| f.secret.encrypt(f.ctx(), &p.clone().at(log_q), &f.next_seed()).unwrap_err();
    let p = Plaintext::encode_real(f.ctx(), &[100.0; 32], 30, 5).unwrap();
    assert!(matches!(encrypt(&p, 61), Error::Argument { name: "log_q", .. }));
    assert!(matches!(encrypt(&p, 31), Error::ModulusExhausted { needed: 32, left: 31, .. }));
    assert!(matches!(encrypt(&p, 37), Error::TooLarge { needed: 38.0, available: 37.0, .. }));
    let x = f.encrypt(&f.random(1.0));
    let few = x.with_log_slots(3).unwrap();
    assert_eq!(f.eval.add(&x, &few).unwrap_err(), Error::SlotMismatch { lhs: 32, rhs: 8 });
    assert!(matches!(f.eval.mul_plain(&few, &f.encode(&[], 10)), Err(Error::SlotMismatch { lhs: 8, rhs: 32 })));
    assert!(matches!(x.with_log_slots(6), Err(Error::SlotCount { .. })));
    assert!(matches!(f.eval.add_scalar(&x, f64::NAN), Err(Error::NotFinite { .. })));
    assert!(matches!(f.eval.mul_const(&x, f64::INFINITY, 5), Err(Error::NotFinite { .. })));
}

#[test]
fn keys_and_parameters() {
    let f = Fixture::new(&spec(6, 100), &KeyPlan::rotations([1]), 22);
    let x = f.encrypt(&f.random(1.0));
    let error = f.eval.rotate(&x, 2).unwrap_err();
    assert_eq!(error, Error::MissingRotationKey { rotation: 2 });
    assert!(error.to_string().contains("no key for rotation by 2"), "{error}");
    assert_eq!(f.eval.conjugate(&x).unwrap_err(), Error::MissingConjugationKey);
    let none = Evaluator::new(f.ctx(), Arc::new(EvaluationKeys::empty(f.params()))).unwrap();
    assert_eq!(none.mul(&x, &x).unwrap_err(), Error::MissingRelinearizationKey);
    let plan = Bootstrapper::key_plan(f.params(), 6);
    assert!(matches!(plan, Err(Error::SlotCount { found: 64, max: 32, .. })));
    let stopped = f.secret.evaluation_keys(f.ctx(), &KeyPlan::default(), &f.next_seed(), |_, _| false);
    assert!(matches!(stopped, Err(Error::Interrupted)));

    let g = Fixture::new(&spec(6, 101), &KeyPlan::default(), 23);
    let mismatch = |e: Error| matches!(e, Error::ParameterMismatch { .. });
    let (y, p) = (g.encrypt(&g.random(1.0)), g.encode(&g.random(1.0), 30));
    assert!(mismatch(f.eval.add(&x, &y).unwrap_err()) && mismatch(f.eval.mul(&y, &y).unwrap_err()));
    assert!(mismatch(f.eval.add_plain(&x, &p).unwrap_err()) && mismatch(f.eval.rotate(&y, 1).unwrap_err()));
    assert!(mismatch(f.secret.decrypt(f.ctx(), &y).unwrap_err()));
    assert!(mismatch(f.secret.encrypt(f.ctx(), &p, &f.next_seed()).unwrap_err()));
    assert!(mismatch(f.public.encrypt(g.ctx(), &p, &f.next_seed()).unwrap_err()));
    assert!(mismatch(Evaluator::new(f.ctx(), Arc::new(EvaluationKeys::empty(g.params()))).unwrap_err()));
    assert!(mismatch(f.eval.rescale(&y, 1).unwrap_err()) && mismatch(p.decode(f.ctx()).unwrap_err()));
}

#[test]
fn what_is_not_computed_is_for_counting_only() {
    let params = Parameters::new(&spec(6, 100)).unwrap();
    let ctx = Context::new(&params, cpu());
    assert!(matches!(Ciphertext::uncomputed(&ctx, 100, 30, 5), Err(Error::Argument { name: "backend", .. })));
    assert!(matches!(EvaluationKeys::uncomputed_for_all(&ctx), Err(Error::Argument { name: "backend", .. })));
    let request = KeyPlan::default();
    assert!(matches!(EvaluationKeys::uncomputed(&ctx, &request), Err(Error::Argument { name: "backend", .. })));
}
