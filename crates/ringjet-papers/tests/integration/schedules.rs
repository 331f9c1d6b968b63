//! Other orders of computation, which serve comparisons, give the same values.

use std::sync::Arc;

use crate::common::{Fixture, complex, rotate_left};
use ringjet::circuits::{Basis, LinearTransform, Polynomial};
use ringjet::params::{BootstrapChain, BootstrapSpec};
use ringjet::rng::Seed;
use ringjet::{Context, Error, Evaluator, KeyPlan, ParamSpec, Parameters, Plaintext, SecretKey};
use ringjet_math::fft::Complex64;
use ringjet_papers::orders::{self, BabySteps, Hoisting, Order, levelled_depth};

#[test]
fn polynomials_level_by_level() {
    let f = Fixture::new(ParamSpec::uniform(9, 50, 8, 45, 2).allow_insecure(), &KeyPlan::default(), 1);
    let a: Vec<Complex64> = f.random(1.0).iter().map(|z| complex(z.re, 0.0)).collect();
    let unit = Basis::Chebyshev { a: -1.0, b: 1.0 };
    for (basis, degree, depth) in
        [(unit, 63, 7), (unit, 31, 6), (unit, 40, 7), (unit, 2, 3), (Basis::Power, 7, 4), (unit, 1, 1)]
    {
        let c: Vec<f64> = (0..=degree).map(|i| ((i * i % 11) as f64 - 4.5) / 40.0).collect();
        let p = Polynomial::new(basis, &c).unwrap();
        assert_eq!(levelled_depth(&p), depth, "{basis:?}, degree {degree}");
        let x = f.encrypt(&a, false);
        let y = orders::Evaluator::new(f.eval.clone(), Order::LIBRARY).levelled_polynomial(&x, &p).unwrap();
        assert_eq!((y.level(), y.scale()), (8 - depth, f.params().scale(8 - depth)));
        let want: Vec<_> = a.iter().map(|z| complex(p.eval(z.re), 0.0)).collect();
        f.expect(&y, &want, &format!("{basis:?}, degree {degree}"));
    }
}

#[test]
fn sums_of_rotations() {
    let steps = [0, 1, 2, -3];
    let f = Fixture::new(ParamSpec::uniform(9, 50, 6, 40, 2).allow_insecure(), &KeyPlan::rotations([1, 2, -3]), 1);
    let a = f.random(1.0);
    let x = f.encrypt(&a, false);
    let want: Vec<Complex64> = (0..a.len())
        .map(|j| {
            let at = |s: i64| rotate_left(&a, s)[j];
            steps.iter().map(|&s| at(s)).fold(complex(0.0, 0.0), |u, v| complex(u.re + v.re, u.im + v.im))
        })
        .collect();
    f.expect(&f.eval.rotation_sum(&x, &steps).unwrap(), &want, "rotation_sum");
    let half = Plaintext::encode_real(f.eval.context(), &vec![0.5; a.len()], x.level(), x.log_slots()).unwrap();
    let product = f.eval.mul_plain(&x, &half).unwrap();
    let halves: Vec<Complex64> = want.iter().map(|z| complex(0.5 * z.re, 0.5 * z.im)).collect();
    let sum = f.eval.rotation_sum_rescale(&product, &steps).unwrap();
    assert_eq!(sum.level(), x.level() - 1);
    f.expect(&sum, &halves, "rotation_sum_rescale");
    assert!(matches!(f.eval.rotation_sum(&x, &[5]), Err(Error::MissingRotationKey { rotation: 5 })));
    assert!(f.eval.rotation_sum(&x, &[]).is_err());
    f.expect(&f.eval.rotation_sum(&x, &[0]).unwrap(), &a, "nothing rotated");

    let twice = f.eval.mul_plain(&product, &half).unwrap();
    let quarters: Vec<Complex64> = a.iter().map(|z| complex(0.25 * z.re, 0.25 * z.im)).collect();
    let low = f.eval.rescale_to(&twice, x.level() - 2).unwrap();
    assert_eq!(low.level(), x.level() - 2);
    f.expect(&low, &quarters, "rescale_to");
    assert!(f.eval.rescale_to(&x, x.level()).is_err());
}

#[test]
fn transforms_with_a_band_on_both_sides() {
    let log_slots = 4;
    let slots = 1usize << log_slots;
    let rotations = (1 - slots as i64)..slots as i64;
    let spec = ParamSpec::uniform(9, 50, 6, 40, 2).allow_insecure();
    let f = Fixture::with_slots(spec, &KeyPlan::rotations(rotations), 2, log_slots);
    let matrix: Vec<Complex64> =
        (0..slots * slots).map(|i| complex((i as f64 * 0.37).sin() / 8.0, (i as f64 * 0.11).cos() / 8.0)).collect();
    let a = f.random(1.0);
    let x = f.encrypt(&a, false);
    let (other, ctx) = (SecretKey::from_seed(f.params(), &Seed::from_bytes([9; 32])).unwrap(), f.eval.context());
    let plain = Plaintext::encode(ctx, &a, x.level(), x.scale(), log_slots).unwrap();
    let foreign = other.encrypt(ctx, &plain, &Seed::from_bytes([9; 32])).unwrap();
    for rule in [BabySteps::Root, BabySteps::Each] {
        let t = LinearTransform::from_matrix(slots, &matrix).unwrap();
        // 2 * 16 - 1 diagonals: babies -5..=1, giants 7 apart and one of 3; or each
        assert_eq!(rule.rotations_of(&t).len(), if rule == BabySteps::Root { 10 } else { 30 }, "{rule:?}");
        let encoded = rule.encode(f.eval.context(), t.clone(), 5).unwrap();
        for hoisting in [Hoisting::None, Hoisting::Single, Hoisting::Double, Hoisting::DoubleRescaled] {
            let y = hoisting.apply(&f.eval, &encoded, &x).unwrap();
            assert_eq!((y.level(), y.scale()), (4, f.params().scale(4)));
            assert_eq!(y.key_id(), f.secret.key_id());
            f.expect(&y, &t.eval(&a).unwrap(), &format!("{rule:?}, {hoisting:?}"));
            let refused = hoisting.apply(&f.eval, &encoded, &foreign);
            assert!(matches!(refused, Err(Error::KeyMismatch { .. })), "{refused:?}");
        }
    }
}

/// The order of a published cost model, in a small ring.
#[test]
fn bootstrapping_level_by_level() {
    const LOG_N: u32 = 10;
    let chain = BootstrapChain {
        message_levels: 3,
        log_ratio: 12.0,
        eval_mod_bits: 58.0,
        // a polynomial of degree 31, level by level, takes the levels of one of degree 63
        bootstrap: BootstrapSpec { degree: 63, ..BootstrapSpec::standard(LOG_N, 3) },
        ..BootstrapChain::standard(LOG_N)
    };
    assert_eq!(chain.bootstrap.eval_mod_depth(), 9);
    let params = Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap();
    let ctx = Context::new(&params, Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap()));
    let (seed, log_slots) = (Seed::from_bytes([5; 32]), LOG_N - 1);
    let secret = SecretKey::from_seed(&params, &seed).unwrap();
    let order = Order {
        hoisting: Hoisting::Single,
        baby_steps: BabySteps::Root,
        merged_rescaling: false,
        levelled: Some(31),
        ..Order::LIBRARY
    };
    let plan = order.key_plan(&params, log_slots).unwrap();
    let keys = secret.evaluation_keys(&ctx, &plan, &seed, |_, _| true).unwrap();
    let eval = orders::Evaluator::new(Evaluator::new(&ctx, Arc::new(keys)).unwrap(), order);
    let boot = order.bootstrapper(&ctx, log_slots, |_, _| true).unwrap();
    let values: Vec<Complex64> =
        (0..1 << log_slots).map(|i| complex((f64::from(i) * 1.3).sin(), (f64::from(i) * 0.7).cos())).collect();
    let level = params.bootstrap().unwrap().input_level();
    let plain = Plaintext::encode(&ctx, &values, level, params.scale(level), log_slots).unwrap();
    let out = boot.bootstrap_observed(&eval, &secret.encrypt(&ctx, &plain, &seed).unwrap(), false, |_| true).unwrap();
    assert_eq!((out.level(), out.scale()), (params.top_level(), params.scale(params.top_level())));
    let got = secret.decrypt_values(&ctx, &out).unwrap().0;
    let wrong = got.iter().zip(&values).fold(0.0, |m: f64, (a, b)| m.max((a.re - b.re).hypot(a.im - b.im)));
    assert!(wrong < 2f64.powi(-18), "an error of 2^{:.1}", wrong.log2());
}
