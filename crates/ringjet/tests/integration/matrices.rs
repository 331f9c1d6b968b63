//! Products and transposition of encrypted matrices, one ciphertext for a row of all matrices, against the plain
//! matrices.

use ringjet::ckks::transposition_steps;
use ringjet::{Ciphertext, Error, KeyPlan, ParamSpec, Range};
use ringjet_math::fft::Complex64;

use crate::common::{Fixture, complex};
use crate::noise::Errors;

const LOG_N: u32 = 8;
const SLOTS: usize = 1 << (LOG_N - 1);

/// Matrices by batch, row and column.
type Batch = Vec<Vec<Vec<Complex64>>>;

fn fixture(d: usize, seed: u8) -> Fixture {
    let keys = KeyPlan::rotations(transposition_steps(d, SLOTS));
    Fixture::new(ParamSpec::uniform(LOG_N, 50, 3, 40, 2).allow_insecure(), &keys, seed)
}

/// Matrices with entries on the unit circle.
fn matrices(f: &Fixture, d: usize) -> Batch {
    let unit = |z: Complex64| if z.abs() == 0.0 { complex(1.0, 0.0) } else { z * (1.0 / z.abs()) };
    let mut numbers = (0..2 * d).flat_map(|_| f.random(1.0)).map(unit);
    let mut row = || numbers.by_ref().take(d).collect::<Vec<_>>();
    (0..SLOTS / d).map(|_| (0..d).map(|_| row()).collect()).collect()
}

fn transposed(m: &Batch) -> Batch {
    let d = m[0].len();
    m.iter().map(|m| (0..d).map(|i| (0..d).map(|j| m[j][i]).collect()).collect()).collect()
}

fn product(a: &Batch, b: &Batch) -> Batch {
    let (d, zero) = (a[0].len(), complex(0.0, 0.0));
    let entry = |k: usize, i: usize, j: usize| (0..d).fold(zero, |sum, l| sum + a[k][i][l] * b[k][l][j]);
    (0..a.len()).map(|k| (0..d).map(|i| (0..d).map(|j| entry(k, i, j)).collect()).collect()).collect()
}

/// The slots of each row: the sum of `z^(j 5^u)` times entry j.
fn rows(m: &Batch) -> Vec<Vec<Complex64>> {
    let (d, two_n) = (m[0].len(), 4 * SLOTS as u64);
    let angle = |e: u64| std::f64::consts::TAU * (e % two_n) as f64 / two_n as f64;
    let power = |e: u64| complex(angle(e).cos(), angle(e).sin());
    let mut element = 1;
    let mut made = vec![Vec::with_capacity(SLOTS); d];
    for u in 0..SLOTS {
        for (row, made) in m[u % (SLOTS / d)].iter().zip(&mut made) {
            let terms = row.iter().enumerate().map(|(j, &x)| power(j as u64 * element) * x);
            made.push(terms.fold(complex(0.0, 0.0), |sum, x| sum + x));
        }
        element = element * 5 % two_n;
    }
    made
}

fn encrypted(f: &Fixture, m: &Batch) -> Vec<Ciphertext> {
    let bound = m[0].len() as f64;
    let one = |row: &Vec<Complex64>| f.encrypt_within(row, Some(bound), false).with_range(Range::complex(bound));
    rows(m).iter().map(one).collect()
}

fn refs(rows: &[Ciphertext]) -> Vec<&Ciphertext> {
    rows.iter().collect()
}

/// Compares each row with the matrices, and the bound on its errors with them.
fn compare(f: &Fixture, found: &[Ciphertext], expected: &Batch, errors: &mut Errors) {
    for (ct, want) in found.iter().zip(rows(expected)) {
        let got = f.decrypt(ct);
        errors.add(&got, &ct.noise(), &want);
        let scale = ct.scale().value();
        let worst = got.iter().zip(&want).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
        assert!(worst * scale < ct.noise().bound(), "{worst:e}, bound {:e}", ct.noise().bound() / scale);
        assert!(worst < 0.01 * want[0].abs().max(1.0), "{worst:e}");
        assert!(ct.noise().magnitude() >= want.iter().map(|z| z.abs()).fold(0.0, f64::max));
    }
}

#[test]
fn errors_of_matrices_follow_their_formulas() {
    for d in [2, 8, 32] {
        let [mut turned, mut products, mut twice] = [0; 3].map(|_| Errors::default());
        for seed in 0..12 {
            let f = fixture(d, seed);
            let (a, b) = (matrices(&f, d), matrices(&f, d));
            let (columns, right) = (encrypted(&f, &transposed(&a)), encrypted(&f, &b));
            compare(&f, &f.eval.transpose_rows(&refs(&right), 1.0).unwrap(), &transposed(&b), &mut turned);
            let made = f.eval.mul_rows(&refs(&columns), &refs(&right), [1.0, 1.0]).unwrap();
            assert_eq!(made[0].level(), right[0].level() - 1);
            let ab = product(&a, &b);
            compare(&f, &made, &ab, &mut products);
            // a product of a product, whose operands are at different levels: B^T (A B)
            let again = f.eval.mul_rows(&refs(&right), &refs(&made), [1.0, d as f64]).unwrap();
            assert_eq!(again[0].level(), right[0].level() - 2);
            compare(&f, &again, &product(&transposed(&b), &ab), &mut twice);
        }
        turned.check_within(&format!("{d} x {d}, transposed"), 0.7..1.4);
        products.check_within(&format!("{d} x {d}, product"), 0.7..1.4);
        // entries of A B are at most d, and sqrt(d) in the mean; its rows may all have the same error, and add up to
        // sqrt(d) times as much then
        let least = 1.0 / (d as f64).sqrt();
        twice.check_within(&format!("{d} x {d}, product of a product"), 0.5 * least..least);
    }
}

#[test]
fn errors_that_rows_have_in_common_add_up() {
    const D: usize = 8;
    let [mut products, mut uneven] = [0; 2].map(|_| Errors::default());
    for seed in 0..12 {
        let f = fixture(D, seed);
        let of = |x: f64| vec![vec![vec![complex(x, 0.0); D]; D]; SLOTS / D];
        let (ones, small) = (of(1.0), of(1e-3));
        // all rows of the first product have the same error
        let (a, b) = (encrypted(&f, &ones), encrypted(&f, &small));
        let ab = f.eval.mul_rows(&refs(&a), &refs(&b), [1.0, 1e-3]).unwrap();
        let again = f.eval.mul_rows(&refs(&a), &refs(&ab), [1.0, D as f64 * 1e-3]).unwrap();
        compare(&f, &again, &product(&ones, &product(&ones, &small)), &mut products);
        // one row of the left factor has far larger errors, and is transposed
        let mut rows = encrypted(&f, &ones);
        let tiny = f.eval.mul_scalar_auto(&rows[0], (-14f64).exp2()).unwrap();
        rows[0] = f.eval.mul_integer(&tiny, 1 << 14).unwrap();
        let columns = f.eval.transpose_rows(&refs(&rows), 1.0).unwrap();
        let made = f.eval.mul_rows(&refs(&columns), &refs(&a), [1.0, 1.0]).unwrap();
        compare(&f, &made[..1], &product(&ones, &ones), &mut uneven);
    }
    products.check_within("product of a product of ones", 0.6..1.1);
    // the estimate takes the largest error of a row, and columns count as dependent
    uneven.check_within("uneven rows", 0.25..0.5);
}

#[test]
fn wrong_matrices_are_refused() {
    let f = fixture(4, 7);
    let (a, b) = (encrypted(&f, &matrices(&f, 4)), encrypted(&f, &matrices(&f, 4)));
    let refused =
        |a: &[Ciphertext], b: &[Ciphertext], entries| f.eval.mul_rows(&refs(a), &refs(b), entries).unwrap_err();
    assert!(matches!(refused(&a[1..], &b, [1.0; 2]), Error::Argument { name: "columns", .. }));
    assert!(matches!(refused(&a[1..], &b[1..], [1.0; 2]), Error::Argument { name: "rows", .. }));
    assert!(matches!(refused(&a, &b, [f64::NAN, 1.0]), Error::Argument { name: "entries", .. }));
    assert!(matches!(refused(&a, &b, [1e30, 1.0]), Error::Overflow { .. }));
    assert!(matches!(refused(&[], &[], [1.0; 2]), Error::Argument { .. }));
    let low: Vec<Ciphertext> = b.iter().map(|b| f.eval.align(b, 0).unwrap()).collect();
    assert!(matches!(refused(&a, &low, [1.0; 2]), Error::ModulusExhausted { .. }));
    assert!(matches!(f.eval.transpose_rows(&refs(&b[..3]), 1.0).unwrap_err(), Error::Argument { name: "rows", .. }));
    assert!(matches!(f.eval.transpose_rows(&refs(&b[..2]), 1.0), Ok(..)), "2 x 2 matrices need the keys of 4 x 4 ones");
    let eight = [a, b].concat();
    assert!(matches!(f.eval.transpose_rows(&refs(&eight), 1.0).unwrap_err(), Error::MissingRotationKeys { .. }));
}
