//! Products of ciphertexts with a matrix of numbers, against weighted sums of each row and against the plain
//! product.

use ringjet::{Ciphertext, Error, KeyPlan, ParamSpec, Rows};
use ringjet_math::fft::Complex64;

use crate::common::{Fixture, complex, uniform};
use crate::noise::Errors;

const ROWS: usize = 5;
const COLUMNS: usize = 7;

fn fixture(seed: u8) -> Fixture {
    Fixture::new(ParamSpec::uniform(8, 50, 3, 40, 2).allow_insecure(), &KeyPlan::none(), seed)
}

/// Ciphertexts with their values, and a matrix.
fn operands(f: &Fixture) -> (Vec<Vec<Complex64>>, Vec<Ciphertext>, Vec<f64>) {
    let values: Vec<Vec<Complex64>> = (0..COLUMNS).map(|_| f.random(1.0)).collect();
    let cts = values.iter().map(|x| f.encrypt(x, false)).collect();
    let mut next = uniform(99);
    (values, cts, (0..ROWS * COLUMNS).map(|_| 3.0 * next()).collect())
}

fn plain(values: &[Vec<Complex64>], weights: &[f64], bias: f64) -> Vec<Complex64> {
    let one = |i: usize| {
        let terms = values.iter().zip(weights).map(|(x, &w)| x[i] * w);
        terms.fold(complex(bias, 0.0), |sum, x| sum + x)
    };
    (0..values[0].len()).map(one).collect()
}

#[test]
fn exact_rows_are_weighted_sums() {
    let f = fixture(41);
    let (_, mut cts, weights) = operands(&f);
    // operands of other levels take another division
    cts[2] = f.eval.align(&cts[2], 2).unwrap();
    cts[5] = f.eval.align(&cts[5], 2).unwrap();
    let terms: Vec<&Ciphertext> = cts.iter().collect();
    let rows = Rows { weights: &weights, bias: &[], bits: None };
    for (m, made) in f.eval.weighted_sums(&terms, &rows, 1, |_| true).unwrap().iter().enumerate() {
        let row = &weights[m * COLUMNS..][..COLUMNS];
        let terms: Vec<(&Ciphertext, f64)> = cts.iter().zip(row.iter().copied()).collect();
        let expected = f.eval.weighted_sum(&terms, 1).unwrap();
        assert_eq!(f.decrypt(made), f.decrypt(&expected), "row {m}");
        assert!((made.noise().error_log2() - expected.noise().error_log2()).abs() < 1e-9);
        assert_eq!((made.level(), made.scale().log2()), (expected.level(), expected.scale().log2()));
    }
}

#[test]
fn errors_of_short_weights_follow_their_formula() {
    let mut errors = [24, 12].map(|bits| (bits, Errors::default()));
    for seed in 0..40 {
        let f = fixture(seed);
        let (values, cts, weights) = operands(&f);
        let (terms, bias): (Vec<&Ciphertext>, _) = (cts.iter().collect(), [0.25, -3.0, 0.0, 1e-3, 7.0]);
        for (bits, errors) in &mut errors {
            let rows = Rows { weights: &weights, bias: &bias, bits: Some(*bits) };
            let made = f.eval.weighted_sums(&terms, &rows, 2, |_| true).unwrap();
            let worst = made.iter().enumerate().map(|(m, ct)| {
                let expected = plain(&values, &weights[m * COLUMNS..][..COLUMNS], bias[m]);
                assert!(ct.noise().magnitude() >= expected.iter().map(|z| z.abs()).fold(0.0, f64::max));
                let found = f.decrypt(ct);
                errors.add(&found, &ct.noise(), &expected);
                let far = found.iter().zip(&expected).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
                far.log2() - ct.noise().error_log2()
            });
            assert!(worst.fold(f64::NEG_INFINITY, f64::max) < 3.0);
        }
    }
    // the formula adds the roundings of a row's weights, as if all had the sign of their values
    for (bits, errors) in &errors {
        errors.check_within(&format!("weights of {bits} bits"), 0.1..1.0);
    }
}

#[test]
fn estimates_of_wide_matrices_are_close() {
    // more ciphertexts than there are bits for their encryptions
    const WIDE: usize = 400;
    let (mut errors, mut next) = ([24, 53].map(|bits| (bits, Errors::default())), uniform(7));
    for seed in 0..8 {
        let f = fixture(seed);
        let values: Vec<Vec<Complex64>> = (0..WIDE).map(|_| f.random(1.0)).collect();
        let cts: Vec<Ciphertext> = values.iter().map(|x| f.encrypt(x, false)).collect();
        let terms: Vec<&Ciphertext> = cts.iter().collect();
        let weights: Vec<f64> = (0..WIDE).map(|_| next() + 2.0).collect();
        for (bits, errors) in &mut errors {
            let rows = Rows { weights: &weights, bias: &[], bits: (*bits <= 24).then_some(*bits) };
            let made = &f.eval.weighted_sums(&terms, &rows, 2, |_| true).unwrap()[0];
            errors.add(&f.decrypt(made), &made.noise(), &plain(&values, &weights, 0.0));
        }
    }
    // encryptions that share a bit by chance add standard deviations: on average 400 + 400^2 / 128 variances
    // instead of 400
    for (bits, errors) in &errors {
        errors.check_within(&format!("wide matrices, {bits} bits"), 0.3..0.6);
    }
}

#[test]
fn rows_of_several_blocks_are_those_of_one() {
    // 64 MiB hold the sums of 8,192 rows of these ciphertexts
    let f = Fixture::new(ParamSpec::uniform(8, 50, 1, 40, 1).allow_insecure(), &KeyPlan::none(), 44);
    let mut next = uniform(17);
    let weights: Vec<f64> = (0..8_195).map(|_| next()).collect();
    let (x, mut starts) = (f.random(1.0), vec![]);
    let ct = f.encrypt(&x, false);
    let rows = Rows { weights: &weights, bias: &weights, bits: Some(24) };
    let made = f.eval.weighted_sums(&[&ct], &rows, 0, |row| {
        starts.push(row);
        true
    });
    let made = made.unwrap();
    assert_eq!(starts, [0, 8_192]);
    for m in [0, 1, 8_191, 8_192, 8_194] {
        let rows = Rows { weights: &weights[m..=m], bias: &weights[m..=m], ..rows };
        let expected = &f.eval.weighted_sums(&[&ct], &rows, 0, |_| true).unwrap()[0];
        assert_eq!(f.decrypt(&made[m]), f.decrypt(expected), "row {m}");
    }
    assert_eq!(made.len(), weights.len());
}

#[test]
fn wrong_matrices_are_refused() {
    let f = fixture(43);
    let (_, cts, weights) = operands(&f);
    let terms: Vec<&Ciphertext> = cts.iter().collect();
    let rows = Rows { weights: &weights, bias: &[], bits: Some(24) };
    let refused = |rows: &Rows<'_>, level: usize| f.eval.weighted_sums(&terms, rows, level, |_| true).unwrap_err();
    assert!(matches!(refused(&Rows { weights: &weights[1..], ..rows }, 1), Error::Argument { name: "weights", .. }));
    assert!(matches!(refused(&Rows { bias: &[1.0], ..rows }, 1), Error::Argument { name: "bias", .. }));
    assert!(matches!(refused(&Rows { bits: Some(25), ..rows }, 1), Error::Argument { name: "bits", .. }));
    assert!(matches!(refused(&Rows { weights: &[f64::NAN; COLUMNS], ..rows }, 1), Error::NotFinite { .. }));
    assert!(matches!(refused(&rows, 3), Error::ModulusExhausted { .. }), "{}", refused(&rows, 3));
    assert!(matches!(f.eval.weighted_sums(&[], &rows, 1, |_| true), Err(Error::Argument { .. })));
    assert!(matches!(f.eval.weighted_sums(&terms, &rows, 1, |_| false), Err(Error::Interrupted)));
    assert!(f.eval.weighted_sums(&terms, &Rows { weights: &[], ..rows }, 1, |_| true).unwrap().is_empty());
}
