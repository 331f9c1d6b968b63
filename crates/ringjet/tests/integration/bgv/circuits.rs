//! Polynomials, matrices and sums of slots.

use std::sync::Arc;

use super::{Fixture, rotated};
use ringjet::bgv::{self, ParamSpec, Parameters};
use ringjet::circuits::{Basis, LinearTransform, Polynomial};
use ringjet::{Error, KeyPlan};
use ringjet_math::fft::Complex64;

fn circuits(params: &Parameters, seed: u64) {
    let slots = params.slots() / 2;
    let diagonals = [0usize, 1, 2, 5, slots - 3]
        .map(|k| (k, (0..slots).map(|j| Complex64::from((j * (k + 3) % 101) as f64 - 50.0)).collect::<Vec<_>>()));
    let matrix = LinearTransform::from_diagonals(slots, diagonals.clone().into()).unwrap();
    let plan = KeyPlan::rotations(matrix.rotations()).and(KeyPlan::rotations([1, 2, 4, -3])).conjugation();
    let backend = Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap());
    let mut f = Fixture::new(params, backend, &plan, seed);
    let (e, a) = (f.eval.clone(), f.values());
    let x = f.encrypt(&a, false);

    for coefficients in
        [&[7.0][..], &[3.0, -2.0], &[5.0, 0.0, 1.0], &[-1.0, 2.0, 0.0, 6000.0], &[1.0, 1.0, 1.0, 1.0, 2.0]]
    {
        let p = Polynomial::new(Basis::Power, coefficients).unwrap();
        let value =
            |x: i64| coefficients.iter().rev().fold(0, |sum, &c| f.reduce(i128::from(sum) * i128::from(x) + c as i128));
        let want: Vec<i64> = a.iter().map(|&x| value(x)).collect();
        assert!(f.decrypt(&e.polynomial(&x, &p).unwrap()) == want, "{coefficients:?}");
    }
    let halves = Polynomial::new(Basis::Power, &[0.5, 1.0, 2.0]).unwrap();
    assert!(matches!(e.polynomial(&x, &halves), Err(Error::NotResidue { .. })));
    let deep = Polynomial::new(Basis::Power, &[1.0; 200]).unwrap();
    let refused = e.polynomial(&x, &deep).unwrap_err();
    assert!(matches!(refused, Error::NoiseBudget { op: "polynomial evaluation", .. }), "{refused}");
    assert!(!refused.to_string().contains("bootstrap"), "{refused}");
    let series = Polynomial::new(Basis::Chebyshev { a: -1.0, b: 1.0 }, &[0.0, 1.0]).unwrap();
    assert!(matches!(e.polynomial(&x, &series), Err(Error::Argument { name: "polynomial", .. })));

    // both rows are multiplied by the matrix
    let want = (diagonals.iter()).map(|(k, d)| {
        let by: Vec<i64> = d.iter().chain(d).map(|z| z.re as i64).collect();
        f.zip(&rotated(&a, *k as i64), &by, |x, y| x * y)
    });
    let want = want.reduce(|x, y| f.zip(&x, &y, |x, y| x + y)).unwrap();
    assert!(f.decrypt(&matrix.apply(&e, &x).unwrap()) == want);

    for count in [1, 2, 3, 8] {
        let want = (0..count as i64).map(|i| rotated(&a, i)).reduce(|x, y| f.zip(&x, &y, |x, y| x + y)).unwrap();
        assert!(f.decrypt(&e.inner_sum(&x, 1, count).unwrap()) == want, "{count}");
    }
}

#[test]
fn circuits_are_exact() {
    let spec = ParamSpec::uniform(10, 12289, &[40; 5], &[50, 50]).allow_insecure();
    circuits(&Parameters::new(&spec).unwrap(), 61);
    circuits(&Parameters::new(&spec.clone().bfv()).unwrap(), 62);
    let several = ParamSpec { t: vec![12289, 18433], ..spec };
    circuits(&Parameters::new(&several).unwrap(), 63);
}

/// What operators compute is accepted as a polynomial, and what is refused lacks noise budget.
#[test]
fn polynomials_are_refused_by_their_noise_alone() {
    let cases = [
        &[1.0, 0.0, 1.0][..],
        &[0.0, 0.0, 3000.0],
        &[1.0, 1.0, 1.0, 1.0],
        &[7.0, 0.0, 0.0, 1.0],
        &[1.0, -20000.0, 5.0, 32000.0],
        &[1.0, 0.0, 2.0, 0.0, 1.0],
        &[1.0; 9],
    ];
    let mut accepted = vec![];
    for name in ["bgv-n12", "bfv-n12", "bgv-n13"] {
        let params = bgv::preset(name).unwrap();
        let backend = Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap());
        let mut f = Fixture::new(&params, backend, &KeyPlan::default(), 71);
        let (e, a) = (f.eval.clone(), f.values());
        let x = f.encrypt(&a, false);
        for c in cases {
            let horner = c.iter().rev().skip(1).try_fold(None, |sum: Option<bgv::Ciphertext>, &next| {
                let product = match sum {
                    None => e.mul_integer(&x, c[c.len() - 1] as i64)?,
                    Some(sum) => e.mul_auto(&sum, &x)?,
                };
                e.add_integer(&product, next as i64).map(Some)
            });
            match e.polynomial(&x, &Polynomial::new(Basis::Power, c).unwrap()) {
                Ok(found) => {
                    let value =
                        |x: i64| c.iter().rev().fold(0, |y, &c| f.reduce(i128::from(y) * i128::from(x) + c as i128));
                    assert!(f.decrypt(&found) == a.iter().map(|&x| value(x)).collect::<Vec<_>>(), "{name} {c:?}");
                    accepted.push((name, c.len() - 1));
                }
                Err(refused) => {
                    assert!(horner.is_err(), "{name} {c:?}: {refused}");
                    assert!(matches!(refused, Error::NoiseBudget { op: "polynomial evaluation", .. }), "{refused}");
                }
            }
        }
    }
    // a product, and two in a row; no constant, level or zero coefficient takes another one
    for least in [("bgv-n12", 2), ("bfv-n12", 2), ("bgv-n13", 4), ("bgv-n13", 8)] {
        assert!(accepted.contains(&least), "{least:?} of {accepted:?}");
    }
}
