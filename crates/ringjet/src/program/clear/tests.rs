//! Integers in the clear against big integers.

use std::sync::Arc;

use num_bigint::BigInt;

use super::*;
use crate::circuits::LinearTransform;

const SLOTS: usize = 16;

/// Values of every size that can be given, the ends among them.
fn packed(t: u128, seed: u64) -> (Clear, Vec<BigInt>) {
    let (low, high) = (i64::try_from(t / 2).map_or(i64::MIN, |h| -h), i64::try_from(t - 1).unwrap_or(i64::MAX));
    let mut state = seed;
    let mut values = vec![low, high];
    while values.len() < SLOTS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let width = (i128::from(high) - i128::from(low) + 1) as u128;
        values.push((i128::from(low) + (u128::from(state) * u128::from(state) % width) as i128) as i64);
    }
    (Clear::integers(&values, SLOTS, t), values.into_iter().map(BigInt::from).collect())
}

fn check(op: &Op, x: &[&Clear], t: u128, want: impl Fn(usize) -> BigInt) {
    let made = Clear::apply(op, x).unwrap().remove(0);
    let Slots::Residues { values, .. } = &made.slots else { panic!("residues become residues") };
    for (i, &found) in values.iter().enumerate() {
        let (t, half) = (BigInt::from(t), BigInt::from(t / 2));
        assert_eq!(BigInt::from(found), ((want(i) + &half) % &t + &t) % &t - half, "{} slot {i} modulo {t}", op.name());
    }
}

#[test]
fn integers_are_exact_modulo_every_plaintext_modulus() {
    // below and above the limit of products in 64 bits, below 2^62, and above 2^64
    for t in [65537, (1 << 31) - 1, (1 << 31) + 11, (1 << 61) - 1, (1 << 66) + 117, (1 << 72) - 93u128] {
        let ((a, v), (b, w)) = (packed(t, 1), packed(t, 2));
        check(&Op::Add {}, &[&a, &b], t, |i| &v[i] + &w[i]);
        check(&Op::Sub {}, &[&a, &b], t, |i| &v[i] - &w[i]);
        check(&Op::Mul {}, &[&a, &b], t, |i| &v[i] * &w[i]);
        check(&Op::Neg {}, &[&a], t, |i| -&v[i]);
        check(&Op::Power { n: 13 }, &[&a], t, |i| v[i].pow(13));
        check(&Op::Power { n: 0 }, &[&a], t, |_| 1.into());
        let c = i64::try_from(t - 1).unwrap_or(i64::MAX);
        check(&Op::MulScalar { c: Scalar::Integer(c) }, &[&a], t, |i| &v[i] * c);
        let vector = Arc::new(Values::Integers((0..10).collect()));
        check(&Op::MulValues { v: vector }, &[&a], t, |i| if i < 10 { &v[i] * i } else { 0.into() });
        let c = [5.0, -7.0, 0.0, 2f64.powi(52) + 1.0];
        let p = Arc::new(Polynomial::new(Basis::Power, &c).unwrap());
        check(&Op::Polynomial { p }, &[&a], t, |i| 5 - 7 * &v[i] + ((1i64 << 52) + 1) * v[i].pow(3));
        for (stride, count) in [(1i64, 1usize), (1, 8), (3, 5), (-2, 7)] {
            let from = |j: usize, i: usize| j / 8 * 8 + ((j % 8) as i64 + i as i64 * stride).rem_euclid(8) as usize;
            check(&Op::InnerSum { stride, count, terms: count }, &[&a], t, |j| {
                (0..count).map(|i| v[from(j, i)].clone()).sum()
            });
        }
        check(&Op::Rotate { k: 3 }, &[&a], t, |j| v[j / 8 * 8 + (j + 3) % 8].clone());
        check(&Op::SwapRows {}, &[&a], t, |j| v[(j + 8) % SLOTS].clone());
        let largest = (t / 2).min((1 << 53) - 1) as f64;
        let diagonals = [0, 1, 6].map(|k| (k, (0..8).map(|j| (largest - (j * k) as f64).into()).collect()));
        let matrix = LinearTransform::from_diagonals(8, diagonals.clone().into()).unwrap();
        check(&Op::Matmul { matrix: Arc::new(matrix.into()) }, &[&a], t, |j| {
            let entry = |k: usize| BigInt::from((largest - ((j % 8) * k) as f64) as i64);
            [0, 1, 6].map(|k| entry(k) * &v[j / 8 * 8 + (j + k) % 8]).into_iter().sum()
        });
        let ends = (a.decrypted(), Clear::apply(&Op::Power { n: 13 }, &[&a]).unwrap()[0].wraps());
        assert!(t > 1 << 64 || ends.0.is_ok());
        assert_eq!(ends.1.unwrap().1.is_some(), v.iter().any(|x| x.pow(13) > BigInt::from(t / 2)));
    }
}

#[test]
fn what_no_integer_of_the_scheme_holds_is_refused() {
    let diagonal = vec![(17.0).into(); 2];
    let matrix = LinearTransform::from_diagonals(2, [(0, diagonal)].into()).unwrap();
    let a = Clear::integers(&[1, 2, 3, 4], 4, 17);
    let refused = Clear::apply(&Op::Matmul { matrix: Arc::new(matrix.into()) }, &[&a]).unwrap_err();
    assert_eq!(refused, Error::NotResidue { index: 0, value: 17i128.into(), low: -8, high: 16, modulus: 17 });
    let t = (1 << 66) + 117;
    let large = Clear::integers(&[i64::MAX, i64::MIN], 2, t);
    assert_eq!(large.decrypted(), Ok(Values::Integers(vec![i64::MAX, i64::MIN])));
    let more = Clear::apply(&Op::AddScalar { c: Scalar::Integer(1) }, &[&large]).unwrap().remove(0);
    assert_eq!(more.decrypted(), Err(Error::IntegerOverflow { index: 0, value: 1 << 63, modulus: t }));
}
