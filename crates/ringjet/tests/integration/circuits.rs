//! Circuits are written once: the same code runs on CKKS and on HEAAN.

use std::sync::Arc;

use ringjet::circuits::{
    Arithmetic, Basis, LinearTransform, Polynomial, Sign, inner_sum, inner_sum_rotations, polynomial,
};
use ringjet::rng::Seed;
use ringjet::vectors::Ciphertext;
use ringjet::{Error, KeyPlan, ParamSpec, Result, heaan};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::fft::Complex64;

const LOG_SLOTS: u32 = 4;
const SLOTS: usize = 1 << LOG_SLOTS;

fn values() -> Vec<Complex64> {
    (0..SLOTS).map(|i| Complex64::new((1.3 * i as f64).sin(), 0.0)).collect()
}

fn polynomials() -> Vec<Polynomial> {
    let unit = Basis::Chebyshev { a: -1.0, b: 1.0 };
    let coefficients: Vec<f64> = (0..12).map(|i| f64::from(i * i % 7 - 3) / 8.0).collect();
    vec![
        Polynomial::new(unit, &coefficients).unwrap(),
        Polynomial::new(Basis::Power, &coefficients[..6]).unwrap(),
        Polynomial::interpolate(|x| (2.0 * x).exp() / 8.0, -2.0, 1.5, 7).unwrap(),
        Polynomial::new(Basis::Power, &[0.25]).unwrap(),
    ]
}

/// A matrix with inner and outer rotations.
fn matrix() -> LinearTransform {
    let diagonal = |k: usize| (0..SLOTS).map(|j| Complex64::new(((k + 3 * j) as f64).sin() / 4.0, 0.0)).collect();
    LinearTransform::from_diagonals(SLOTS, [0, 1, 2, 5, 9, 14].into_iter().map(|k| (k, diagonal(k))).collect()).unwrap()
}

fn plan() -> KeyPlan {
    KeyPlan::rotations(inner_sum_rotations(1, 11)).and_rotations(matrix().rotations())
}

/// Runs every circuit on one evaluator. `read` decrypts; `tolerance` is the largest error allowed.
fn run<E: Arithmetic>(
    eval: &E,
    x: &Ciphertext<E::Params>,
    read: impl Fn(&Ciphertext<E::Params>) -> Vec<Complex64>,
    tolerance: f64,
) {
    let clear = values();
    let expect = |what: &str, found: Result<Ciphertext<E::Params>>, want: &dyn Fn(usize) -> Complex64| {
        let found = read(&found.unwrap_or_else(|e| panic!("{what}: {e}")));
        for (j, z) in found.iter().enumerate() {
            assert!((*z - want(j)).abs() < tolerance, "{what}, slot {j}: {z:?} instead of {:?}", want(j));
        }
    };
    for p in polynomials() {
        let y = polynomial(eval, x, &p).unwrap();
        assert_eq!(eval.level(&y), eval.level(x) - p.depth(), "{p:?}");
        let inside = y.noise().range();
        assert!(clear.iter().all(|z| (inside.low()..=inside.high()).contains(&p.eval(z.re))), "{inside:?}");
        expect("polynomial", Ok(y), &|j| Complex64::new(p.eval(clear[j].re), 0.0));
    }
    // an interval of length 1 is mapped by a product with 2, without a level
    let narrow = polynomial(eval, x, &Polynomial::new(Basis::Power, &[0.5, 0.25]).unwrap()).unwrap();
    let cosine = Polynomial::interpolate(f64::cos, 0.0, 1.0, 7).unwrap();
    let cosines = polynomial(eval, &narrow, &cosine).unwrap();
    assert_eq!((cosine.depth(), eval.level(&cosines)), (3, eval.level(&narrow) - 3));
    expect("an interval of length 1", Ok(cosines), &|j| Complex64::new((0.5 + 0.25 * clear[j].re).cos(), 0.0));

    let sign = Sign::new(0.05, 0.3).unwrap();
    let signs = sign.apply(eval, x).unwrap();
    assert_eq!(eval.level(&signs), eval.level(x) - sign.depth());
    assert_eq!((signs.noise().range().low(), signs.noise().range().high()), (-1.0, 1.0));
    expect("sign", Ok(signs), &|j| Complex64::new(sign.eval(clear[j].re), 0.0));
    // a slope that is stated carries the argument's error on in estimates, and is no part of bounds
    let p = &polynomials()[0];
    let noise = |p: &Polynomial| polynomial(eval, x, p).unwrap().noise();
    let (flat, own, steep) = (noise(&p.clone().with_slope(0.0)), noise(p), noise(&p.clone().with_slope(1e6)));
    let error = |noise: ringjet::Noise| noise.variance().sqrt();
    assert!(error(flat) < error(own) && error(own) < error(steep) && error(steep) > 1e3 * error(flat));
    assert_eq!(flat.bound(), steep.bound());
    let input = x.noise().bound() / x.noise().variance().sqrt();
    assert!(flat.bound() > input * error(flat) && flat.bound() <= own.bound(), "{} {}", flat.bound(), own.bound());

    let sum = |j: usize| (0..11).fold(Complex64::default(), |sum, i| sum + clear[(j + i) % SLOTS]);
    expect("inner sum", inner_sum(eval, x, 1, 11), &sum);
    let image = matrix().eval(&clear).unwrap();
    let moved = matrix().apply(eval, x).unwrap();
    assert_eq!(eval.level(&moved), eval.level(x) - 1);
    expect("linear transform", Ok(moved), &|j| image[j]);

    assert!(matches!(inner_sum(eval, x, 1, 0), Err(Error::Argument { name: "count", .. })));
    // a window around the row would count values twice
    for (stride, count) in [(1, 1 << 20), (0, 2), (1 << 40, 2)] {
        let window = inner_sum(eval, x, stride, count).err().unwrap();
        assert!(matches!(window, Error::Window { count: found, .. } if found == count), "{window}");
    }
    let missing = |e| matches!(e, Error::MissingRotationKey { .. } | Error::MissingRotationKeys { .. });
    assert!(missing(inner_sum(eval, x, 13, 4).err().unwrap()));
    let low = eval.align(x, 0).unwrap();
    assert_eq!((eval.level(&low), read(&low).len()), (0, SLOTS));
    let too_deep =
        |e| matches!(e, Error::ModulusExhausted { .. } | Error::PolynomialTooDeep { left: 0, fresh: None, .. });
    assert!(too_deep(polynomial(eval, &low, &polynomials()[0]).err().unwrap()));
    assert!(matches!(matrix().apply(eval, &low), Err(Error::ModulusExhausted { .. })));
}

/// A matrix that is not square, for vectors that lie side by side, is the square matrix with zeros.
#[test]
fn rectangles() {
    let element = |i: usize, j: usize| Complex64::new((3 * i + j) as f64 - 4.5, (i * j % 3) as f64);
    for ((rows, columns), slots, batch, diagonals) in [
        ((3, 5), 8, 1, 7),
        ((3, 5), 16, 1, 7),
        ((5, 3), 16, 2, 7),
        ((1, 4), 4, 1, 4),
        ((4, 1), 16, 4, 4),
        ((2, 2), 2, 1, 2),
    ] {
        let all: Vec<_> = (0..rows * columns).map(|k| element(k / columns, k % columns)).collect();
        let made = LinearTransform::from_rectangle((rows, columns), &all, slots, batch).unwrap();
        assert_eq!(made.diagonals().len(), diagonals, "{rows} x {columns}, {slots} slots, {batch}");
        let x: Vec<_> = (0..slots).map(|k| Complex64::new((k as f64).cos(), k as f64)).collect();
        for (slot, found) in made.eval(&x).unwrap().into_iter().enumerate() {
            let (i, b) = (slot / batch, slot % batch);
            let term = |sum: Complex64, j: usize| sum + element(i, j) * x[j * batch + b];
            let want = if i < rows { (0..columns).fold(Complex64::default(), term) } else { Complex64::default() };
            assert!((found - want).abs() < 1e-9, "{rows} x {columns}, slot {slot}");
        }
    }
    let one = [Complex64::new(1.0, 0.0); 6];
    for (shape, slots, batch) in
        [((2, 3), 2, 1), ((2, 3), 8, 3), ((2, 3), 8, 0), ((2, 2), 8, 1), ((2, 3), 6, 1), ((0, 6), 8, 1)]
    {
        assert!(LinearTransform::from_rectangle(shape, &one, slots, batch).is_err(), "{shape:?} {slots} {batch}");
    }
}

fn backend() -> Arc<CpuBackend> {
    Arc::new(CpuBackend::new(CpuConfig::default()).unwrap())
}

#[test]
fn on_ckks() {
    let params = ringjet::Parameters::new(&ParamSpec::uniform(9, 50, 6, 40, 2).allow_insecure()).unwrap();
    let ctx = ringjet::Context::new(&params, backend());
    let seed = Seed::from_bytes([1; 32]);
    let secret = ringjet::SecretKey::from_seed(&params, &seed).unwrap();
    let keys = secret.evaluation_keys(&ctx, &plan(), &seed, |_, _| true).unwrap();
    let eval = ringjet::Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let top = params.top_level();
    let plain = ringjet::Plaintext::encode(&ctx, &values(), top, params.scale(top), LOG_SLOTS).unwrap();
    let x = secret.encrypt(&ctx, &plain, &seed).unwrap();
    run(&eval, &x, |y| secret.decrypt_values(&ctx, y).unwrap().0, 1e-5);
    // the encoded matrix, which delays divisions, has the same image
    let encoded = matrix().encode(&ctx, top).unwrap();
    let image = matrix().eval(&values()).unwrap();
    let found = secret.decrypt_values(&ctx, &encoded.apply(&eval, &x).unwrap()).unwrap().0;
    assert!(found.iter().zip(&image).all(|(a, b)| (*a - *b).abs() < 1e-5));
}

#[test]
fn on_heaan() {
    let params = heaan::Parameters::new(&heaan::ParamSpec::new(9, 280).allow_insecure()).unwrap();
    let ctx = heaan::Context::new(&params, backend());
    let seed = Seed::from_bytes([2; 32]);
    let secret = heaan::SecretKey::from_seed(&params, &seed).unwrap();
    let keys = secret.evaluation_keys(&ctx, &plan(), &seed, |_, _| true).unwrap();
    let eval = heaan::Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    // at another scale than the parameters': circuits rescale it
    for log_scale in [params.log_p(), params.log_p() - 7] {
        let plain = heaan::Plaintext::encode(&ctx, &values(), log_scale, LOG_SLOTS).unwrap();
        let x = secret.encrypt(&ctx, &plain, &seed).unwrap();
        run(&eval, &x, |y| secret.decrypt_values(&ctx, y).unwrap().0, 1e-3);
    }
}
