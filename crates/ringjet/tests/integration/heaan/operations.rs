//! Every operation against the same on plain values, within bounds from its error estimate.

use std::sync::Arc;

use ringjet::KeyPlan;
use ringjet::heaan::{ParamSpec, Plaintext, Secret};
use ringjet_backend::{Backend, Reference};
use ringjet_math::fft::Complex64;

use super::fixture::{Fixture, cpu, spec};
use crate::common::rotate_left;

fn zip(a: &[Complex64], b: &[Complex64], f: impl Fn(Complex64, Complex64) -> Complex64) -> Vec<Complex64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

fn all_keys() -> KeyPlan {
    KeyPlan::rotations([1, -3, 2, 4]).conjugation()
}

/// Runs all operations of the explicit evaluator with one parameter set.
fn everything(f: &Fixture, log_scale: u32) {
    let (a, b) = (f.random(1.0), f.random(1.0));
    let log_q = f.params().log_q();
    let (x, y) = (f.encrypt_at(&a, log_q, log_scale), f.encrypt_at(&b, log_q, log_scale));
    let e = &f.eval;
    f.expect(&x, &a, "secret-key encryption");
    let z = f.public.encrypt(f.ctx(), &f.encode(&b, log_scale), &f.next_seed()).unwrap();
    f.expect(&z, &b, "public-key encryption");
    f.expect(&e.add(&x, &z).unwrap(), &zip(&a, &b, |a, b| a + b), "add");
    f.expect(&e.sub(&x, &y).unwrap(), &zip(&a, &b, |a, b| a - b), "sub");
    f.expect(&e.neg(&x).unwrap(), &zip(&a, &a, |a, _| a * -1.0), "neg");
    f.expect(&e.mul_integer(&x, -5).unwrap(), &zip(&a, &a, |a, _| a * -5.0), "mul_integer");
    let p = f.encode(&b, log_scale);
    f.expect(&e.add_plain(&x, &p).unwrap(), &zip(&a, &b, |a, b| a + b), "add_plain");
    f.expect(&e.sub_plain(&x, &p).unwrap(), &zip(&a, &b, |a, b| a - b), "sub_plain");
    let c = Complex64::new(0.5, -0.25);
    f.expect(&e.add_scalar(&x, c).unwrap(), &zip(&a, &a, |a, _| a + c), "add_scalar");
    f.expect(&e.times_i(&x).unwrap(), &zip(&a, &a, |a, _| a * Complex64::new(0.0, 1.0)), "times_i");
    f.expect(&e.rotate(&x, 1).unwrap(), &rotate_left(&a, 1), "rotate");
    f.expect(&e.rotate(&x, -3).unwrap(), &rotate_left(&a, -3), "rotate back");
    f.expect(&e.conjugate(&x).unwrap(), &zip(&a, &a, |a, _| a.conj()), "conjugate");
    let low = e.mod_down_to(&x, log_scale + 2 + log_q % 7).unwrap();
    f.expect(&low, &a, "mod_down_to");
    f.expect(&e.rotate(&low, 1).unwrap(), &rotate_left(&a, 1), "rotate below");
    if log_q < 2 * log_scale + 2 {
        return;
    }
    f.expect(&e.mul_const(&x, 0.3, log_scale).unwrap(), &zip(&a, &a, |a, _| a * 0.3), "mul_const");
    f.expect(&e.mul_const(&x, c, log_scale).unwrap(), &zip(&a, &a, |a, _| a * c), "complex mul_const");
    f.expect(&e.mul_plain(&x, &p).unwrap(), &zip(&a, &b, |a, b| a * b), "mul_plain");
    f.expect(&e.scale_up(&x, log_scale.min(50)).unwrap(), &a, "scale_up");
    let (product, square) = (e.mul(&x, &z).unwrap(), e.square(&x).unwrap());
    f.expect(&product, &zip(&a, &b, |a, b| a * b), "mul");
    f.expect(&square, &zip(&a, &a, |a, _| a * a), "square");
    for bits in [0, 1, 7, log_scale, log_scale + log_scale / 2] {
        let rescaled = e.rescale(&product, bits).unwrap();
        assert_eq!((rescaled.log_q(), rescaled.log_scale()), (log_q - bits, 2 * log_scale - bits));
        f.expect(&rescaled, &zip(&a, &b, |a, b| a * b), "rescale");
    }
}

#[test]
fn every_operation_at_many_moduli() {
    for (log_n, log_q, log_scale) in [
        (6, 60, 25),
        (7, 61, 29),
        (6, 104, 50),
        (8, 157, 40),
        (6, 208, 60),
        (7, 416, 33),
        (6, 1201, 100),
        (5, 1300, 30),
    ] {
        println!("N = 2^{log_n}, log q = {log_q}, scale 2^{log_scale}");
        everything(&Fixture::new(&spec(log_n, log_q), &all_keys(), 1), log_scale);
    }
}

#[test]
fn every_operation_with_a_sparse_secret_and_few_slots() {
    for log_slots in [0, 3, 6] {
        let spec = ParamSpec { secret: Secret::Weight(16), log_slots: Some(log_slots), ..spec(8, 150) };
        let request = KeyPlan::rotations((-3..5).chain([1 + 8, 13])).conjugation();
        everything(&Fixture::new(&spec, &request, 2), 40);
    }
}

#[test]
fn a_chain_of_products_down_to_the_last_bits() {
    let f = Fixture::new(&spec(7, 310), &KeyPlan::default(), 3);
    let a = f.random(1.0);
    let (mut x, mut want) = (f.encrypt(&a), a.clone());
    assert_eq!(f.params().depth(), (310 - 30 - 2) / 30);
    for depth in 0..f.params().depth() {
        let fresh = f.eval.mod_down_to(&f.encrypt(&a), x.log_q()).unwrap();
        x = f.eval.rescale(&f.eval.mul(&x, &fresh).unwrap(), 30).unwrap();
        want = zip(&want, &a, |a, b| a * b);
        f.expect(&x, &want, &format!("product {depth}"));
    }
    assert!(f.eval.mul(&x, &x).is_err());
}

#[test]
fn sums_of_slots() {
    let f = Fixture::new(&spec(7, 100), &KeyPlan::rotations([1, 2, 4, 8, 16, 32]), 4);
    let a = f.random(1.0);
    let x = f.encrypt(&a);
    for count in [1, 2, 5, 64] {
        let want: Vec<_> = (0..64).map(|j| (0..count).fold(Complex64::default(), |s, i| s + a[(j + i) % 64])).collect();
        f.expect(&f.eval.inner_sum(&x, 1, count).unwrap(), &want, "inner_sum");
    }
}

#[test]
fn alignment_is_automatic_and_rescaling_lazy() {
    let f = Fixture::new(&spec(7, 200), &KeyPlan::default(), 5);
    let (e, a, b) = (&f.eval, f.random(1.0), f.random(1.0));
    let (x, y) = (f.encrypt(&a), f.encrypt(&b));
    let product = e.mul_auto(&x, &y).unwrap();
    assert_eq!((product.log_q(), product.log_scale()), (200, 60), "not rescaled yet");
    let cube = e.mul_auto(&product, &x).unwrap();
    assert_eq!((cube.log_q(), cube.log_scale()), (170, 60), "rescaled before it is multiplied again");
    let ab = zip(&a, &b, |a, b| a * b);
    f.expect(&cube, &zip(&ab, &a, |p, a| p * a), "mul_auto");
    // a fresh operand is raised exactly: nothing is rescaled
    let sum = e.add_auto(&x, &product).unwrap();
    assert_eq!((sum.log_q(), sum.log_scale()), (200, 60));
    f.expect(&sum, &zip(&ab, &a, |p, a| p + a), "add_auto");
    // an operand without modulus for that makes the other operand rescale
    let low = e.mod_down_to(&x, 90).unwrap();
    let sum = e.sub_auto(&low, &product).unwrap();
    assert_eq!((sum.log_q(), sum.log_scale()), (90, 30));
    f.expect(&sum, &zip(&ab, &a, |p, a| a - p), "sub_auto");
    let square = e.mul_auto(&product, &product).unwrap();
    f.expect(&square, &zip(&ab, &ab, |p, q| p * q), "square");
    let scaled = e.mul_scalar_auto(&product, 0.3).unwrap();
    assert_eq!((scaled.log_q(), scaled.log_scale()), (170, 60));
    f.expect(&scaled, &zip(&ab, &ab, |p, _| p * 0.3), "mul_scalar_auto");
    f.expect(&e.mul_scalar_auto(&product, 3.0).unwrap(), &zip(&ab, &ab, |p, _| p * 3.0), "integer");
    f.expect(&e.mul_values(&product, &b).unwrap(), &zip(&ab, &b, |p, b| p * b), "mul_values");
    f.expect(&e.add_values(&product, &b).unwrap(), &zip(&ab, &b, |p, b| p + b), "add_values");
}

#[test]
fn encodings_come_back() {
    let f = Fixture::new(&spec(9, 200), &KeyPlan::default(), 6);
    for (log_slots, log_scale) in [(8, 40), (4, 40), (0, 40), (8, 90), (3, 110)] {
        let z = &f.random(1.0)[..1 << log_slots];
        let p = Plaintext::encode(f.ctx(), z, log_scale, log_slots).unwrap();
        assert!(p.bits() <= log_scale + 2, "{p:?}");
        let back = p.decode(f.ctx()).unwrap().0;
        let worst = back.iter().zip(z).map(|(&a, &b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 2f64.powi(log_slots as i32 / 2 + 3 - log_scale as i32) + 2f64.powi(-48), "{worst:e}");
    }
    let short = Plaintext::encode_real(f.ctx(), &[0.5, -1.0], 40, 8).unwrap().decode(f.ctx()).unwrap().real();
    assert!((short[1] + 1.0).abs() < 1e-9 && short[2..].iter().all(|x| x.abs() < 1e-9));
}

#[test]
fn shared_decryption_floods_and_rounds() {
    let f = Fixture::new(&spec(7, 150), &KeyPlan::default(), 7);
    let a = f.random(1.0);
    let x = f.encrypt_at(&a, 150, 80);
    let sharing = ringjet::rlwe::Sharing::default();
    let share = |bits| f.secret.decrypt_for_sharing(f.ctx(), &x, &x, bits, &sharing, &f.next_seed());
    let shared = share(12).unwrap().0;
    for (z, a) in shared.iter().zip(&a) {
        assert_eq!((z.re * 4096.0).fract(), 0.0);
        assert!((z.re - a.re).abs() < 2f64.powi(-12) && (z.im - a.im).abs() < 2f64.powi(-12));
    }
    let refused = share(60).unwrap_err();
    assert!(
        matches!(refused, ringjet::Error::NotSharable { .. }) && refused.to_string().contains("fewer bits"),
        "{refused}"
    );
}

/// The fused backend and the reference give the same keys, ciphertexts and results, bit for bit.
/// The larger ring uses the order and the kernels of large rings.
#[test]
fn backends_agree() {
    for spec in [spec(5, 130), spec(10, 110)] {
        let [fused, reference] = [cpu(), Arc::new(Reference::default()) as Arc<_>].map(|b| program(b, &spec));
        assert_eq!(fused, reference);
    }
}

fn program(backend: Arc<dyn Backend>, spec: &ParamSpec) -> Vec<Vec<u8>> {
    let f = Fixture::on(backend, spec, &all_keys(), 8);
    let (x, y) = (f.encrypt(&f.random(1.0)), f.encrypt(&f.random(1.0)));
    let e = &f.eval;
    let product = e.mul(&x, &e.rotate(&y, 2).unwrap()).unwrap();
    let all = [
        e.conjugate(&e.rescale(&product, 17).unwrap()).unwrap(),
        e.mul_plain(&product, &f.encode(&f.random(1.0), 30)).unwrap(),
        e.square(&e.mod_down_to(&y, 77).unwrap()).unwrap(),
        f.public.encrypt(f.ctx(), &f.encode(&f.random(1.0), 30), &f.next_seed()).unwrap(),
    ];
    let keys = e.keys().to_bytes(f.ctx()).unwrap();
    all.iter().map(|ct| ct.to_bytes(f.ctx()).unwrap()).chain([keys]).collect()
}
