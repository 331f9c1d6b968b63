//! Bootstrapping: values, errors against their estimate, and what is refused.

use std::sync::Arc;
use std::time::Instant;

use ringjet::circuits::heaan::Bootstrapper;
use ringjet::heaan::{
    BootstrapSpec, Budget, Ciphertext, EvaluationKeys, Evaluator, ParamSpec, Parameters, Secret, preset,
};
use ringjet::wire::Limits;
use ringjet::{Error, KeyPlan, KeyUse};
use ringjet_backend::Backend;
use ringjet_math::fft::Complex64;

use super::fixture::{Fixture, cpu};

/// The smallest set of the original bootstrapping (Cheon, Han, Kim, Kim and Song, 2018), in a
/// smaller ring.
fn spec(log_n: u32, log_slots: u32) -> ParamSpec {
    let set = preset("heaan-n15-boot").unwrap().spec().clone();
    ParamSpec { log_n, log_slots: Some(log_slots), ..set }
}

fn request(spec: &ParamSpec) -> KeyPlan {
    Bootstrapper::key_plan(&Parameters::new(spec).unwrap(), spec.log_slots.unwrap()).unwrap()
}

fn fixture(backend: Arc<dyn Backend>, spec: &ParamSpec, seed: u8) -> (Fixture, Bootstrapper) {
    let log_slots = spec.log_slots.unwrap();
    let f = Fixture::on(backend, spec, &request(spec), seed);
    let boot = Bootstrapper::new(f.ctx(), &BootstrapSpec::new(f.params(), log_slots), |_, _| true).unwrap();
    (f, boot)
}

/// Vectors of magnitude 1 with different coefficients, on which the error of the sine depends.
fn patterns(f: &Fixture) -> Vec<(&'static str, Vec<Complex64>)> {
    let n = 1usize << f.log_slots;
    let turn = |j: usize| Complex64::new((j as f64 * 1.3).cos(), (j as f64 * 1.3).sin());
    let one = Complex64::new(1.0, 0.0);
    let zero = Complex64::default();
    vec![
        ("random", f.random(1.0)),
        ("unit circle", f.unit_circle()),
        ("constant", vec![one; n]),
        ("constant, complex", vec![turn(1); n]),
        ("periodic", (0..n).map(|j| if j % 2 == 0 { one } else { -one }).collect()),
        ("one-hot", (0..n).map(|j| if j == n / 3 { one } else { zero }).collect()),
    ]
}

struct Found {
    worst: f64,
    /// The sum of squared errors of real and imaginary parts, and the number of these parts.
    squares: f64,
    count: f64,
    out: Ciphertext,
}

fn run(f: &Fixture, boot: &Bootstrapper, values: &[Complex64]) -> Found {
    let (log_q, log_scale) = (boot.spec().log_q, boot.spec().log_scale);
    let low = f.encrypt_at(values, log_q, log_scale);
    // the input's own error is not an error of bootstrapping
    let before = f.decrypt(&low);
    let out = boot.bootstrap(&f.eval, &low).unwrap();
    assert_eq!((out.log_q(), out.log_scale(), out.slots()), (boot.budget().log_q, log_scale, values.len()));
    let after = f.decrypt(&out);
    let worst = after.iter().zip(values).map(|(&a, &b)| (a - b).abs()).fold(0.0, f64::max);
    let squares = after.iter().zip(&before).map(|(&a, &b)| (a - b).abs().powi(2)).sum();
    Found { worst, squares, count: 2.0 * values.len() as f64, out }
}

fn check_patterns(f: &Fixture, boot: &Bootstrapper, seed: u8) {
    for (what, values) in patterns(f) {
        let start = Instant::now();
        let found = run(f, boot, &values);
        let (error, time) = (found.worst.log2(), start.elapsed().as_secs_f64());
        println!("seed {seed}, {what}: largest error 2^{error:.1}, {:?}, {time:.2} s", found.out);
        assert!(found.worst < 2f64.powi(-10), "seed {seed}, {what}: 2^{error}");
        assert!(
            error < found.out.noise().error_log2() + 12f64.log2(),
            "seed {seed}, {what}: 2^{error}, {:?}",
            found.out
        );
    }
}

#[test]
fn values_come_back_whatever_their_pattern() {
    for (log_slots, seed) in [(3, 40), (0, 41), (6, 42)] {
        let (f, boot) = fixture(cpu(), &spec(10, log_slots), seed);
        check_patterns(&f, &boot, seed);
    }
}

/// One matrix or two for each transform.
#[test]
fn all_slots_of_a_ring() {
    for (log_n, matrices, seed) in [(6, 1, 43), (8, 2, 51)] {
        let (f, boot) = fixture(cpu(), &ParamSpec { log_q: 750, ..spec(log_n, log_n - 1) }, seed);
        let budget = boot.budget();
        assert!(!budget.beside && budget.coeffs_to_slots.len() == matrices && budget.slots_to_coeffs.len() == matrices);
        check_patterns(&f, &boot, seed);
    }
}

#[test]
fn several_matrices_with_parts_beside_each_other() {
    let (f, boot) = fixture(cpu(), &ParamSpec { log_q: 700, ..spec(9, 7) }, 52);
    assert!(boot.budget().beside && boot.budget().coeffs_to_slots.len() == 2);
    check_patterns(&f, &boot, 52);
    check_deviation(&f, &boot, 5, 52);
}

/// Requires that the estimated error agrees with the standard deviation that is measured over all
/// slots of `rounds` bootstrapped ciphertexts.
fn check_deviation(f: &Fixture, boot: &Bootstrapper, rounds: usize, seed: u8) {
    let found: Vec<Found> = (0..rounds).map(|_| run(f, boot, &f.random(1.0))).collect();
    let (squares, count) = found.iter().fold((0.0, 0.0), |s, f| (s.0 + f.squares, s.1 + f.count));
    let (measured, noise) = (0.5 * (squares / count).log2(), found[0].out.noise());
    // The estimate includes two errors that are not measured here: that of the input, and that of
    // the sine, which is largest for a vector of equal values.
    let (estimated, worst) = (noise.error_log2(), found.iter().fold(0.0, |m, f| f64::max(m, f.worst)).log2());
    println!(
        "seed {seed}: standard deviation 2^{measured:.2}, estimated 2^{estimated:.2}, largest of all 2^{worst:.2}"
    );
    // The measured deviation may be a tenth smaller, for the errors that are not measured. Besides,
    // three standard deviations of the measured variance are allowed, which follow from `count`.
    let (ratio, spread) = (4f64.powf(measured - estimated), 3.0 * (2.0 / count).sqrt());
    let range = 0.81 * (1.0 - spread)..1.0 + spread;
    assert!(range.contains(&ratio), "seed {seed}: 2^{measured} for 2^{estimated}, {count} errors");
}

#[test]
fn errors_are_as_estimated() {
    let (f, boot) = fixture(cpu(), &spec(10, 3), 44);
    check_deviation(&f, &boot, 20, 44);
}

/// The same comparison with narrower limits.
#[test]
#[ignore = "a minute: make test-full"]
fn errors_of_many_are_as_estimated() {
    let (f, boot) = fixture(cpu(), &spec(10, 3), 44);
    check_deviation(&f, &boot, 100, 44);
}

/// At full size; run by `make test-full`.
fn check_preset(name: &str, threads: usize, rounds: usize, seed: u8) -> (Fixture, Bootstrapper) {
    let config = ringjet_cpu::CpuConfig { threads, ..Default::default() };
    let backend = Arc::new(ringjet_cpu::CpuBackend::new(config).unwrap());
    let start = Instant::now();
    let (f, boot) = fixture(backend, preset(name).unwrap().spec(), seed);
    println!("{threads} threads, {:.2} s for keys and matrices: {:?}", start.elapsed().as_secs_f64(), f.eval.keys());
    println!("{:?}, failure 2^{:.1}", boot.budget(), boot.budget().failure_log2(f.params()));
    check_patterns(&f, &boot, seed);
    check_deviation(&f, &boot, rounds, seed);
    (f, boot)
}

/// The smallest set of the original bootstrapping.
#[test]
#[ignore = "half a minute"]
fn original_set() {
    for threads in [1, 2] {
        let (f, boot) = check_preset("heaan-n15-boot", threads, 30, 45);
        assert_eq!((boot.spec().log_q, boot.spec().log_scale, boot.budget().log_k), (29, 23, 4));
        assert!(boot.budget().log_q > 29 + 5 * f.params().log_p(), "{:?}", boot.budget());
    }
}

/// A dense secret and 128 bits of security.
#[test]
#[ignore = "a minute"]
fn secure_set() {
    let (f, boot) = check_preset("heaan-n16-boot", 2, 24, 46);
    assert!(f.params().security().is_some());
    let (budget, spec) = (boot.budget(), boot.spec());
    assert!(budget.log_q > spec.log_q + 3 * f.params().log_p(), "{budget:?}");
    assert!(budget.failure_log2(f.params()) < -40.0);
}

#[test]
fn dense_secrets() {
    let dense = ParamSpec { secret: Secret::Ternary, log_q: 750, ..spec(10, 3) };
    let (f, boot) = fixture(cpu(), &dense, 47);
    check_patterns(&f, &boot, 47);
    check_deviation(&f, &boot, 10, 47);
}

/// The modulus left is enough for products, and for bootstrapping again.
#[test]
fn results_are_computed_with() {
    let (f, boot) = fixture(cpu(), &spec(10, 3), 48);
    let a = f.unit_circle();
    let mut want = a.clone();
    let mut x = f.encrypt_at(&a, boot.spec().log_q, boot.spec().log_scale);
    for _ in 0..2 {
        x = boot.bootstrap(&f.eval, &x).unwrap();
        for _ in 0..3 {
            x = f.eval.rescale_to_default(&f.eval.square(&x).unwrap()).unwrap();
            want = want.iter().map(|&z| z * z).collect();
        }
        assert!(x.log_q() > boot.spec().log_q, "{x:?}");
    }
    let worst = f.decrypt(&x).iter().zip(&want).map(|(&a, &b)| (a - b).abs()).fold(0.0, f64::max);
    // a squaring doubles an error: six give 2^6 times that of the first bootstrap
    println!("after six squarings and two bootstraps: 2^{:.1}", worst.log2());
    assert!(worst < 2f64.powi(-9), "{worst}");
}

/// Keys for several numbers of slots; operators bootstrap their operands.
#[test]
fn evaluators_bootstrap_by_themselves() {
    let (f, _) = fixture(cpu(), &spec(10, 3), 53);
    // the rotations, by 1, 2, 4 and all larger powers of two, also serve fewer slots
    assert_eq!(f.eval.keys().bootstrapping(), [0, 1, 2, 3]);
    assert!(f.eval.keys().can_bootstrap());
    let (boot, budget) = f.params().bootstrapping(3).unwrap();
    let a = f.unit_circle();
    let x = f.encrypt_at(&a, boot.log_q + f.params().log_p(), f.params().log_p());
    let (mut y, mut want, mut moduli) = (x.clone(), a.clone(), vec![]);
    for _ in 0..8 {
        y = f.eval.mul_auto(&y, &x).unwrap();
        want = want.iter().zip(&a).map(|(&w, &a)| w * a).collect();
        moduli.push(y.log_q());
        // the modulus left always suffices for bootstrapping
        assert!(f.eval.rescale_to_default(&y).unwrap().log_q() >= boot.log_q, "{y:?}");
    }
    // only y is bootstrapped: x has enough for one product
    assert!(moduli.iter().all(|&log_q| log_q == boot.log_q + f.params().log_p()), "{moduli:?}");
    let (mut z, mut moduli) = (x.clone(), vec![]);
    for _ in 0..8 {
        z = f.eval.mul_auto(&z, &z).unwrap();
        moduli.push(z.log_q());
    }
    assert!(moduli[1..6].contains(&budget.log_q), "{moduli:?}");
    let worst = f.decrypt(&y).iter().zip(&want).map(|(&a, &b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 2f64.powi(-10), "2^{}", worst.log2());
    let low = f.eval.mod_down_to(&x, boot.log_q).unwrap();
    assert_eq!(f.eval.mul_scalar_auto(&low, 0.5).unwrap().log_q(), budget.log_q);
    assert_eq!(f.eval.mul_values(&low, &a).unwrap().log_q(), budget.log_q);
    assert_eq!(f.eval.mul_scalar_auto(&low, 3.0).unwrap().log_q(), boot.log_q, "integers take no modulus");
    // a product that is not rescaled is rescaled first
    let product = f.eval.bootstrap(&f.eval.mul(&x, &x).unwrap()).unwrap();
    assert_eq!((product.log_q(), product.log_scale()), (budget.log_q, f.params().log_p()));
}

#[test]
fn what_is_missing_is_said() {
    let f = Fixture::new(&spec(10, 3), &KeyPlan::default(), 54);
    assert!(f.eval.keys().bootstrapping().is_empty() && !f.eval.keys().can_bootstrap());
    let x = f.encrypt_at(&f.random(1.0), 29, 23);
    assert_eq!(f.eval.bootstrap(&x).unwrap_err(), Error::MissingBootstrappingKeys { slots: 8, available: vec![] });
    let error = f.eval.mul_auto(&x, &x).unwrap_err();
    assert_eq!(error, Error::bits_exhausted("multiplication", 48, 29));
    assert!(error.to_string().contains("bootstrap earlier"), "{error}");
    let small = |log_q| Parameters::new(&ParamSpec { log_q, ..spec(10, 3) }).unwrap();
    let Err(error @ Error::NoBootstrapping { .. }) = small(300).bootstrapping(3) else { panic!() };
    let text = error.to_string();
    let enough: u32 = text.split("log_q = ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(small(enough - 1).bootstrapping(3).is_err(), "{text}");
    let (spec, budget) = small(enough).bootstrapping(3).unwrap();
    assert_eq!(budget.log_q, spec.log_q + 23);
    assert!(matches!(small(620).bootstrapping(10), Err(Error::SlotCount { .. })));
}

#[test]
fn phases_are_told() {
    use ringjet::circuits::Phase;
    let order = [Phase::ModRaise, Phase::CoeffsToSlots, Phase::EvalMod, Phase::EvalMod, Phase::SlotsToCoeffs];
    for (spec, expected) in
        [(spec(10, 3), [&order[..3], &order[4..]].concat()), (ParamSpec { log_q: 750, ..spec(6, 5) }, order.to_vec())]
    {
        let (f, boot) = fixture(cpu(), &spec, 55);
        let x = f.encrypt_at(&f.random(1.0), boot.spec().log_q, boot.spec().log_scale).with_count(3).unwrap();
        let (mut phases, plain) = (vec![], boot.bootstrap(&f.eval, &x).unwrap());
        let told = |phase| {
            phases.push(phase);
            true
        };
        let out = boot.bootstrap_observed(&f.eval, &x, told).unwrap();
        assert_eq!((phases.len(), phases), (boot.phases(), expected));
        let bytes = |ct: &Ciphertext| ct.to_bytes(f.ctx()).unwrap();
        assert_eq!((bytes(&out), out.count()), (bytes(&plain), 3));
        let stopped = boot.bootstrap_observed(&f.eval, &x, |phase| phase != Phase::CoeffsToSlots).unwrap_err();
        assert_eq!(stopped, Error::Interrupted);
        let mut counts = vec![];
        let many = boot.bootstrap_many(&f.eval, &[&x, &x], |count| {
            counts.push(count);
            true
        });
        assert!(many.unwrap().iter().all(|ct| bytes(ct) == bytes(&plain)) && counts == [1, 2]);
        let low = f.eval.mod_down_to(&x, boot.spec().log_q - 1).unwrap();
        let refused = boot.bootstrap_many(&f.eval, &[&x, &low], |_| panic!("nothing is done"));
        assert!(matches!(refused, Err(Error::ModulusExhausted { .. })));
    }
}

/// Keys read from bytes serve the same numbers of slots, within the default limit.
#[test]
fn keys_travel() {
    let (f, boot) = fixture(cpu(), &spec(10, 3), 56);
    let (keys, ctx) = (f.eval.keys(), f.ctx());
    let bytes = keys.to_bytes(ctx).unwrap();
    let loaded = EvaluationKeys::from_bytes(ctx, &bytes, Limits::default()).unwrap();
    assert_eq!((loaded.bootstrapping(), loaded.to_bytes(ctx).unwrap()), (keys.bootstrapping(), bytes));
    let eval = Evaluator::bootstrapping(ctx, Arc::new(loaded)).unwrap();
    let x = f.encrypt_at(&f.random(1.0), boot.spec().log_q, boot.spec().log_scale);
    let [a, b] = [&eval, &f.eval].map(|eval| eval.bootstrap(&x).unwrap().to_bytes(ctx).unwrap());
    assert_eq!(a, b);
}

#[test]
fn what_cannot_be_bootstrapped() {
    let (f, boot) = fixture(cpu(), &spec(10, 3), 49);
    let x = f.encrypt(&f.random(1.0));
    let refuse = |x: &Ciphertext| boot.bootstrap(&f.eval, x).unwrap_err();
    assert_eq!(refuse(&x.with_log_slots(4).unwrap()), Error::SlotMismatch { lhs: 16, rhs: 8 });
    let low = f.eval.mod_down_to(&x, 28).unwrap();
    assert_eq!(refuse(&low), Error::bits_exhausted("bootstrapping", 29, 28));
    let large = refuse(&f.eval.scale_up(&x, 3).unwrap());
    assert_eq!(large, Error::too_large_for_bits(1.0, 26, 30, 29));
    for without in [0, 1, 2] {
        let all = Bootstrapper::key_plan(f.params(), 3).unwrap();
        let rotation = |(purpose, _)| if let KeyUse::Rotation(steps) = purpose { Some(steps) } else { None };
        let mut rotations: Vec<i64> = all.uses().filter_map(rotation).collect();
        rotations.truncate(rotations.len() - usize::from(without == 2));
        let some = if without == 0 { KeyPlan::none() } else { KeyPlan::default() }.and_rotations(rotations);
        let some = if without == 1 { some } else { some.conjugation() };
        let keys = f.secret.evaluation_keys(f.ctx(), &some, &f.next_seed(), |_, _| true).unwrap();
        let eval = Evaluator::new(f.ctx(), Arc::new(keys)).unwrap();
        let error = boot.bootstrap(&eval, &x).unwrap_err();
        let half = f.params().max_slots() as i64 / 2;
        let expected = [
            Error::MissingRelinearizationKey,
            Error::MissingConjugationKey,
            Error::MissingRotationKey { rotation: half },
        ];
        assert_eq!(error, expected[without]);
    }
    let other = Fixture::new(&ParamSpec { log_q: 621, ..spec(10, 3) }, &KeyPlan::default(), 49);
    assert!(matches!(boot.bootstrap(&other.eval, &x), Err(Error::ParameterMismatch { .. })));
    assert!(matches!(refuse(&other.encrypt(&other.random(1.0))), Error::ParameterMismatch { .. }));
}

#[test]
fn what_cannot_be_prepared() {
    let f = Fixture::new(&spec(10, 3), &KeyPlan::default(), 50);
    let good = BootstrapSpec::new(f.params(), 3);
    let refuse = |spec: BootstrapSpec| Bootstrapper::new(f.ctx(), &spec, |_, _| true).unwrap_err();
    assert_eq!(
        refuse(BootstrapSpec { log_slots: 10, ..good.clone() }),
        Error::SlotCount { found: 1024, slots: 512, max: 512 }
    );
    let large = BootstrapSpec { log_scale: 26, ..good.clone() };
    assert_eq!(refuse(large), Error::too_large_for_bits(1.0, 26, 30, 29));
    let fine = refuse(BootstrapSpec { precision: 40, ..good.clone() });
    assert!(matches!(fine, Error::Argument { name: "precision", .. }), "{fine}");
    let stopped = Bootstrapper::new(f.ctx(), &good, |_, _| false).unwrap_err();
    assert_eq!(stopped, Error::Interrupted);
    // the message names a modulus that is enough
    let small = Parameters::new(&ParamSpec { log_q: 400, ..spec(10, 3) }).unwrap();
    let Err(Error::ModulusExhausted { needed, left, .. }) = Budget::new(&small, &good) else { panic!() };
    assert_eq!(left, 400);
    let enough =
        |bits: usize| Budget::new(&Parameters::new(&ParamSpec { log_q: bits as u32, ..spec(10, 3) }).unwrap(), &good);
    assert!(enough(needed - 1).is_err());
    assert_eq!(enough(needed).unwrap().log_q, good.log_q);
}
