//! Every operation against the same computation on plain values; errors against their estimates.

use crate::common::{Fixture, complex, rotate_left};
use ringjet::circuits::{Basis, LinearTransform, Polynomial};
use ringjet::{Error, KeyPlan, ParamSpec, Parameters, Plaintext};

fn fixture() -> Fixture {
    let request = KeyPlan::rotations([1, -1, 2, 4, 8, 3, 64, 130]).conjugation();
    Fixture::new(ParamSpec::uniform(9, 50, 6, 40, 2).allow_insecure(), &request, 1)
}

#[test]
fn encryption_and_linear_operations() {
    let f = fixture();
    let (a, b) = (f.random(1.0), f.random(1.0));
    for public in [false, true] {
        let x = f.encrypt(&a, public);
        let y = f.encrypt(&b, public);
        f.expect(&x, &a, "fresh");
        let sum: Vec<_> = a.iter().zip(&b).map(|(&u, &v)| u + v).collect();
        f.expect(&f.eval.add(&x, &y).unwrap(), &sum, "add");
        let difference: Vec<_> = a.iter().zip(&b).map(|(&u, &v)| u - v).collect();
        f.expect(&f.eval.sub(&x, &y).unwrap(), &difference, "sub");
        let negated: Vec<_> = a.iter().map(|&u| complex(-u.re, -u.im)).collect();
        f.expect(&f.eval.neg(&x).unwrap(), &negated, "neg");
        let shifted: Vec<_> = a.iter().map(|&u| complex(u.re + 0.375, u.im)).collect();
        f.expect(&f.eval.add_scalar(&x, 0.375).unwrap(), &shifted, "add_scalar");
        let tripled: Vec<_> = a.iter().map(|&u| complex(-3.0 * u.re, -3.0 * u.im)).collect();
        f.expect(&f.eval.mul_integer(&x, -3).unwrap(), &tripled, "mul_integer");
    }
}

#[test]
fn products_to_the_last_level() {
    let f = fixture();
    let (a, b) = (f.random(1.0), f.random(1.0));
    let (mut x, y) = (f.encrypt(&a, false), f.encrypt(&b, true));
    let mut want = a;
    for level in (0..6).rev() {
        x = f.eval.mul_auto(&x, &y).unwrap();
        want = want.iter().zip(&b).map(|(&u, &v)| u * v).collect();
        assert_eq!(x.level(), level);
        assert_eq!(x.scale(), f.params().scale(level));
        f.expect(&x, &want, "mul_auto");
    }
    let refused = f.eval.mul_auto(&x, &y);
    assert!(
        matches!(refused, Err(Error::ModulusExhausted { unit: ringjet::Unit::Levels, needed: 1, left: 0, .. })),
        "{refused:?}"
    );
}

#[test]
fn products_with_the_imaginary_unit_and_other_packings_are_exact() {
    let f = fixture();
    let a = f.random(1.0);
    let x = f.encrypt(&a, false);
    let turned = f.eval.times_i(&x).unwrap();
    assert_eq!((turned.level(), turned.scale(), turned.noise()), (x.level(), x.scale(), x.noise()));
    let want: Vec<_> = a.iter().map(|&u| complex(-u.im, u.re)).collect();
    f.expect(&turned, &want, "times_i");

    let sparse = Fixture::with_slots(ParamSpec::uniform(9, 50, 6, 40, 2).allow_insecure(), &KeyPlan::default(), 2, 4);
    let a = sparse.random(1.0);
    let x = sparse.encrypt(&a, false);
    let long = x.with_log_slots(6).unwrap();
    let repeated: Vec<_> = a.iter().copied().cycle().take(64).collect();
    let got = sparse.secret.decrypt_values(sparse.eval.context(), &long).unwrap().0;
    assert!(got.iter().zip(&repeated).all(|(u, v)| (u.re - v.re).abs().max((u.im - v.im).abs()) < 1e-8));
    sparse.expect(&long.with_log_slots(4).unwrap(), &a, "with_log_slots");
    let refused = x.with_log_slots(9);
    assert!(matches!(refused, Err(Error::SlotCount { found: 512, max: 256, .. })), "{refused:?}");
    assert!(sparse.eval.keys().bootstrapping().is_empty() && !sparse.eval.keys().can_bootstrap());
    let keys = sparse.eval.keys();
    assert_eq!(keys.bytes_at_rest() as usize, keys.to_bytes(sparse.eval.context()).unwrap().len());
}

#[test]
fn sums_of_products_share_a_relinearisation() {
    let f = fixture();
    let (a, b, c) = (f.random(1.0), f.random(1.0), f.random(1.0));
    let (x, y, z) = (f.encrypt(&a, false), f.encrypt(&b, false), f.encrypt(&c, false));
    let low = f.eval.align(&z, 3).unwrap();
    let sum = f.eval.mul_sum_auto(&[(&x, &y), (&low, &x), (&y, &y)]).unwrap();
    assert_eq!((sum.level(), sum.scale(), sum.polys()), (2, f.params().scale(2), 2));
    let want: Vec<_> = (0..a.len()).map(|i| a[i] * b[i] + c[i] * a[i] + b[i] * b[i]).collect();
    f.expect(&sum, &want, "mul_sum_auto");
    let empty = f.eval.align(&z, 0).unwrap();
    assert!(matches!(
        f.eval.mul_sum_auto(&[(&x, &empty)]),
        Err(Error::ModulusExhausted { unit: ringjet::Unit::Levels, .. })
    ));
    assert!(matches!(f.eval.mul_sum_auto(&[]), Err(Error::Argument { .. })));
}

#[test]
fn merged_and_separate_relinearisation_agree() {
    let f = fixture();
    let (a, b) = (f.random(1.0), f.random(1.0));
    let (x, y) = (f.encrypt(&a, false), f.encrypt(&b, false));
    let want: Vec<_> = a.iter().zip(&b).map(|(&u, &v)| u * v).collect();
    let product = f.eval.mul(&x, &y).unwrap();
    assert_eq!(product.polys(), 3);
    f.expect(&product, &want, "mul");
    let separate = f.eval.rescale(&f.eval.relinearize(&product).unwrap()).unwrap();
    let merged = f.eval.relinearize_rescale(&product).unwrap();
    f.expect(&separate, &want, "relinearize, rescale");
    f.expect(&merged, &want, "relinearize_rescale");
    assert_eq!(separate.scale(), merged.scale());
}

#[test]
fn rotations_and_conjugation() {
    let f = fixture();
    let a = f.random(1.0);
    let x = f.encrypt(&a, false);
    for steps in [1, -1, 2, 4, 3] {
        f.expect(&f.eval.rotate(&x, steps).unwrap(), &rotate_left(&a, steps), "rotate");
    }
    let steps = [2, 0, -1, 8];
    for (y, s) in f.eval.rotate_hoisted(&x, &steps).unwrap().iter().zip(steps) {
        f.expect(y, &rotate_left(&a, s), "rotate_hoisted");
    }
    let conjugate: Vec<_> = a.iter().map(|z| complex(z.re, -z.im)).collect();
    f.expect(&f.eval.conjugate(&x).unwrap(), &conjugate, "conjugate");
    assert_eq!(f.eval.rotate(&x, 5).unwrap_err(), Error::MissingRotationKey { rotation: 5 });
    let wanted = ringjet::circuits::inner_sum_rotations(1, 11);
    assert_eq!(wanted, [1, 2, 3, 4]); // 1 + 2 + 8 slots, from windows of 1, 2, 4 and 8
    let sum: Vec<_> = (0..a.len()).map(|j| (0..11).fold(complex(0.0, 0.0), |s, i| s + a[(j + i) % a.len()])).collect();
    f.expect(&f.eval.inner_sum(&x, 1, 11).unwrap(), &sum, "inner_sum");
}

#[test]
fn sparse_packing() {
    let request = KeyPlan::rotations([1, 2]);
    let f = Fixture::with_slots(ParamSpec::uniform(9, 50, 3, 40, 1).allow_insecure(), &request, 2, 4);
    let a = f.random(1.0);
    assert_eq!(a.len(), 16);
    let x = f.encrypt(&a, true);
    f.expect(&x, &a, "fresh");
    f.expect(&f.eval.rotate(&x, 1).unwrap(), &rotate_left(&a, 1), "rotate");
    // the key for 2 also rotates by 2 - 16
    f.expect(&f.eval.rotate(&x, -14).unwrap(), &rotate_left(&a, 2), "rotate modulo the slots");
    f.expect(&f.eval.rotate_hoisted(&x, &[17]).unwrap()[0], &rotate_left(&a, 1), "hoisted, modulo the slots");
    assert_eq!(f.eval.rotate(&x, 3).unwrap_err(), Error::MissingRotationKey { rotation: 3 });
    let square: Vec<_> = a.iter().map(|&u| u * u).collect();
    f.expect(&f.eval.mul_auto(&x, &x).unwrap(), &square, "square");
}

#[test]
fn automatic_alignment_keeps_scales_exact() {
    let f = fixture();
    let (a, b) = (f.random(1.0), f.random(1.0));
    let (x, y) = (f.encrypt(&a, false), f.encrypt(&b, false));
    let low = f.eval.mul_auto(&f.eval.mul_auto(&x, &y).unwrap(), &y).unwrap();
    let sum = f.eval.add_auto(&low, &x).unwrap();
    assert_eq!((sum.level(), sum.scale()), (4, f.params().scale(4)));
    let want: Vec<_> = a.iter().zip(&b).map(|(&u, &v)| u * v * v + u).collect();
    f.expect(&sum, &want, "align");
    let scaled: Vec<_> = a.iter().map(|&u| complex(-0.3 * u.re, -0.3 * u.im)).collect();
    f.expect(&f.eval.mul_scalar_auto(&x, -0.3).unwrap(), &scaled, "mul_scalar");
    let product: Vec<_> = a.iter().zip(&b).map(|(&u, &v)| u * v).collect();
    f.expect(&f.eval.mul_values(&x, &b).unwrap(), &product, "mul_values");
    let sum: Vec<_> = a.iter().zip(&b).map(|(&u, &v)| u + v).collect();
    f.expect(&f.eval.add_values(&x, &b).unwrap(), &sum, "add_values");
    let refused = f.eval.add(&low, &x).unwrap_err();
    assert_eq!(refused, Error::ModulusMismatch { unit: ringjet::Unit::Levels, op: "add", lhs: 4, rhs: 6 });
}

#[test]
fn polynomials_and_linear_transforms() {
    let f = fixture();
    let a: Vec<_> = f.random(1.0).iter().map(|z| complex(z.re, 0.0)).collect();
    let x = f.encrypt(&a, false);
    let coefficients = [0.5, -0.15, 0.0, 0.02, 0.1, 0.0, -0.3, 0.25];
    for basis in [Basis::Power, Basis::Chebyshev { a: -1.0, b: 1.0 }, Basis::Chebyshev { a: -2.0, b: 3.0 }] {
        for degree in [0, 1, 3, 4, 5, 7] {
            let p = Polynomial::new(basis, &coefficients[..=degree]).unwrap();
            let y = f.eval.polynomial(&x, &p).unwrap();
            assert_eq!(y.level(), 6 - p.depth(), "{basis:?} {degree}");
            let want: Vec<_> = a.iter().map(|z| complex(p.eval(z.re), 0.0)).collect();
            f.expect_within(&y, &want, 1e-7, "polynomial");
        }
    }
    let sine = Polynomial::interpolate(f64::sin, -1.0, 1.0, 31).unwrap();
    assert_eq!(sine.depth(), 5);
    let want: Vec<_> = a.iter().map(|z| complex(z.re.sin(), 0.0)).collect();
    f.expect_within(&f.eval.polynomial(&x, &sine).unwrap(), &want, 1e-7, "sine");
    let slots = 256;
    let diagonals = [0usize, 1, 2, 3, 64, 130]
        .map(|k| (k, (0..slots).map(|j| complex((j * k) as f64 % 3.0 - 1.0, (j % 5) as f64 * 0.1)).collect()));
    let t = LinearTransform::from_diagonals(slots, diagonals.into_iter().collect()).unwrap();
    assert!(t.rotations().iter().all(|&r| f.eval.keys().rotation(r).is_ok()), "{:?}", t.rotations());
    let y = t.encode(f.eval.context(), 5).unwrap().apply(&f.eval, &x).unwrap();
    assert_eq!(y.level(), 4);
    f.expect_within(&y, &t.eval(&a).unwrap(), 1e-7, "linear transform");
}

#[test]
fn sharing_floods_and_rounds() {
    // noise that hides an error of 2^11 takes 2^38, for which only a large scale has room
    let f = Fixture::new(ParamSpec::uniform(9, 50, 1, 50, 1).allow_insecure(), &KeyPlan::default(), 5);
    let ctx = f.eval.context();
    let a = f.random(0.25);
    let big = f.params().scale(1) * ringjet::Scale::power_of_two(35);
    let p = Plaintext::encode(ctx, &a, 1, big, f.log_slots).unwrap();
    let x = f.secret.encrypt(ctx, &p, &ringjet::rng::Seed::from_bytes([3; 32])).unwrap();
    let sharing = ringjet::rlwe::Sharing { answers: 4, ..Default::default() };
    let share = |bits, seed| {
        f.secret.decrypt_for_sharing(ctx, &x, &x, bits, &sharing, &ringjet::rng::Seed::from_bytes([seed; 32]))
    };
    let refused = share(60, 1);
    assert!(matches!(refused, Err(Error::NotSharable { .. })), "{refused:?}");
    let other = f.encrypt(&a, false);
    let refused = f.secret.decrypt_for_sharing(ctx, &x, &other, 20, &sharing, &ringjet::rng::Seed::from_bytes([1; 32]));
    assert!(matches!(refused, Err(Error::NotSharable { .. })), "a plan of another scale: {refused:?}");
    let (u, v) = (share(20, 1).unwrap().0, share(20, 2).unwrap().0);
    let unit = 2f64.powi(20);
    for ((u, v), a) in u.iter().zip(&v).zip(&a) {
        assert!((u.re - a.re).abs() <= 1.0 / unit && (v.im - a.im).abs() <= 1.0 / unit);
        assert_eq!((u.re * unit).fract(), 0.0);
    }
    // the flooding noise is there: with few bits rounded away, two seeds differ
    let (u, v) = (share(44, 1).unwrap().0, share(44, 2).unwrap().0);
    assert!(u != v);
    assert_eq!(f.secret.answers_given(), 4);
    assert_eq!(share(44, 3).unwrap_err(), Error::AnswersExhausted { given: 4, limit: 4 });
}

#[test]
fn bad_input_is_refused_with_its_values() {
    let f = fixture();
    let ctx = f.eval.context();
    let top = f.params().top_level();
    let scale = f.params().scale(top);
    let log_slots = f.log_slots;
    let nan = [complex(1.0, 0.0), complex(0.0, f64::NAN)];
    assert!(matches!(
        Plaintext::encode(ctx, &nan, top, scale, log_slots),
        Err(Error::NotFinite { index: 1, value }) if value.is_nan()
    ));
    let many = vec![complex(0.0, 0.0); 257];
    assert_eq!(
        Plaintext::encode(ctx, &many, top, scale, log_slots).unwrap_err(),
        Error::SlotCount { found: 257, slots: 256, max: 256 }
    );
    let huge = [complex(1e30, 0.0)];
    assert!(matches!(Plaintext::encode(ctx, &huge, 0, scale, log_slots), Err(Error::TooLarge { level: Some(0), .. })));
    assert_eq!(
        Plaintext::encode(ctx, &many[..1], top + 1, scale, log_slots).unwrap_err(),
        Error::NoSuchLevel { level: top + 1, top }
    );
    let weak = Parameters::new(&ParamSpec::uniform(12, 50, 6, 40, 2));
    assert!(matches!(weak, Err(Error::Insecure { log_n: 12, allowed: 106, security: 128, .. })), "{weak:?}");
    let other = Fixture::new(ParamSpec::uniform(9, 50, 5, 40, 2).allow_insecure(), &KeyPlan::default(), 3);
    let stranger = other.encrypt(&other.random(1.0), false);
    let mine = f.encrypt(&f.random(1.0), false);
    assert!(matches!(f.eval.add_auto(&mine, &stranger), Err(Error::ParameterMismatch { .. })));
    assert!(matches!(f.eval.mul_auto(&stranger, &stranger), Err(Error::ParameterMismatch { .. })));
    let shown = format!("{:?} {:?} {:?}", f.params(), mine, f.secret);
    assert!(shown.matches("allow_insecure").count() >= 3, "{shown}");
    assert!(shown.contains("not shown"), "{shown}");
}

/// A hundred levels, used to the last one: every product has the scale of its level and the values
/// that are wanted.
#[test]
fn a_hundred_products_in_a_row() {
    for scale_bits in [40, 45] {
        let spec = ParamSpec::uniform(7, 50, 100, scale_bits, 10).allow_insecure();
        let f = Fixture::new(spec, &KeyPlan::default(), 31);
        let n = 1usize << f.log_slots;
        let turn = |i: usize, count: usize| {
            let angle = (i as f64 * 0.37 + 0.1) * count as f64;
            complex(angle.cos(), angle.sin())
        };
        let factor: Vec<_> = (0..n).map(|i| turn(i, 1)).collect();
        let y = f.encrypt(&factor, false);
        let mut x = y.clone();
        for count in 2..=101 {
            x = f.eval.mul_auto(&x, &y).unwrap();
            assert_eq!((x.level(), x.scale()), (101 - count, f.params().scale(101 - count)));
        }
        let worst = f.decrypt(&x).iter().enumerate().map(|(i, z)| (*z - turn(i, 101)).abs()).fold(0.0, f64::max);
        println!("2^{scale_bits}: 2^{:.1}", worst.log2());
        assert!(worst < f64::from(15 - scale_bits as i32).exp2(), "{worst:e}");
    }
}
