//! Measured errors against the formulas of [`ringjet::ckks::Noise`], over 100 seeds. Standard
//! deviations are within 10 % of their estimates, and the largest error of any slot is below its
//! bound.
//!
//! Errors are in units of coefficients, not divided by the scale. The standard deviation of the
//! real and imaginary parts of all slots, over all seeds, is compared with the estimate.

use crate::common::{Fixture, complex, rotate_left};
use ringjet::{Ciphertext, KeyPlan, Noise, ParamSpec};
use ringjet_math::fft::Complex64;

const SEEDS: u8 = 100;

/// Errors of the real and imaginary parts of all slots, pooled over many seeds.
#[derive(Default)]
pub struct Errors {
    square: f64,
    count: usize,
    estimate: f64,
}

impl Errors {
    pub fn add(&mut self, got: &[Complex64], noise: &Noise, want: &[Complex64]) {
        for (a, b) in got.iter().zip(want) {
            self.square += (a.re - b.re).powi(2) + (a.im - b.im).powi(2);
            self.count += 2;
        }
        // by chance two encryptions count as dependent, which enlarges an estimate
        let estimate = noise.error_log2().exp2();
        self.estimate = if self.count == 2 * want.len() { estimate } else { self.estimate.min(estimate) };
    }

    pub fn check(&self, what: &str) {
        self.check_within(what, 0.9..1.1);
    }

    /// The ratio of the measured error and its formula is in this range.
    pub fn check_within(&self, what: &str, range: std::ops::Range<f64>) {
        let measured = (self.square / self.count as f64).sqrt();
        let ratio = measured / self.estimate;
        println!("{what}: measured {measured:e}, formula {:e}, ratio {ratio:.3}", self.estimate);
        assert!(range.contains(&ratio), "{what}: measured / formula = {ratio}");
    }
}

/// Values of magnitude exactly 1, for which the estimates are made.
fn unit_circle(f: &Fixture) -> Vec<Complex64> {
    f.random(1.0).iter().map(|z| if z.abs() == 0.0 { complex(1.0, 0.0) } else { *z * (1.0 / z.abs()) }).collect()
}

#[test]
fn standard_deviations_follow_their_formulas() {
    let mut samples: Vec<(&str, Errors)> =
        ["secret", "public", "product", "separate", "scalar", "rotation", "switching"]
            .map(|name| (name, Errors::default()))
            .into();
    for seed in 0..SEEDS {
        let request = KeyPlan::rotations([1]);
        let f = Fixture::new(ParamSpec::uniform(8, 50, 3, 40, 2).allow_insecure(), &request, seed);
        let (a, b) = (unit_circle(&f), unit_circle(&f));
        let (x, y) = (f.encrypt(&a, false), f.encrypt(&b, true));
        let product: Vec<_> = a.iter().zip(&b).map(|(&u, &v)| u * v).collect();
        let scaled: Vec<_> = a.iter().map(|&u| u * -0.3).collect();
        let rotated = rotate_left(&a, 1);
        let eval = &f.eval;
        let mut add = |i: usize, f: &Fixture, ct: &Ciphertext, want: &[Complex64]| {
            samples[i].1.add(&f.decrypt(ct), &ct.noise(), want);
        };
        add(0, &f, &x, &a);
        add(1, &f, &y, &b);
        add(2, &f, &eval.mul_relin_rescale(&x, &y).unwrap(), &product);
        add(3, &f, &eval.rescale(&eval.mul_relin(&x, &y).unwrap()).unwrap(), &product);
        add(4, &f, &eval.mul_scalar_auto(&x, -0.3).unwrap(), &scaled);
        add(5, &f, &eval.rotate(&x, 1).unwrap(), &rotated);
        // with digits as large as P, key switching makes most of the noise
        let spec = ParamSpec {
            alpha: Some(1),
            p: ringjet::params::ModulusSpec::Bits(vec![49]),
            ..ParamSpec::uniform(8, 50, 3, 49, 1)
        };
        let g = Fixture::new(spec.allow_insecure(), &request, seed);
        let a = unit_circle(&g);
        add(6, &g, &g.eval.rotate(&g.encrypt(&a, false), 1).unwrap(), &rotate_left(&a, 1));
    }
    for (name, sample) in &samples {
        sample.check(name);
    }
}

/// The largest error of any slot over all seeds, relative to its bound.
#[test]
fn the_largest_errors_are_below_their_bounds() {
    let names = ["secret", "public", "product", "square", "rotation", "three polynomials"];
    let mut worst = names.map(|name| (name, 0.0f64));
    for seed in 0..SEEDS {
        let spec = ParamSpec::uniform(8, 50, 3, 40, 2).allow_insecure();
        let f = Fixture::new(spec, &KeyPlan::rotations([1]), seed);
        let (a, b) = (unit_circle(&f), unit_circle(&f));
        let (x, y) = (f.encrypt(&a, false), f.encrypt(&b, true));
        let product: Vec<_> = a.iter().zip(&b).map(|(&u, &v)| u * v).collect();
        let square: Vec<_> = a.iter().map(|&u| u * u).collect();
        let results = [
            (x.clone(), &a),
            (y.clone(), &b),
            (f.eval.mul_relin_rescale(&x, &y).unwrap(), &product),
            (f.eval.mul_relin_rescale(&x, &x).unwrap(), &square),
            (f.eval.rotate(&x, 1).unwrap(), &rotate_left(&a, 1)),
            (f.eval.rescale(&f.eval.mul(&x, &y).unwrap()).unwrap(), &product),
        ];
        for ((_, worst), (ct, want)) in worst.iter_mut().zip(&results) {
            let errors = f.decrypt(ct).into_iter().zip(want.iter()).map(|(z, &w)| (z - w).abs());
            *worst = errors.fold(*worst, |m, e| m.max(e * ct.scale().value() / ct.noise().bound()));
        }
    }
    for (what, worst) in worst {
        println!("{what}: {worst:.4} of the bound");
        // not below 2^-9 either: too loose a bound costs precision wherever results are shared
        assert!((2f64.powi(-9)..1.0).contains(&worst), "{what}: {worst} of the bound");
    }
}

/// `z^2` of fixed-point numbers with 60 bits after the point.
fn squared([re, im]: [i128; 2]) -> [i128; 2] {
    [(re * re - im * im) >> 60, (2 * re * im) >> 60]
}

/// Scales of 80 bits: encoding in doubles makes nearly the whole error, and products magnify it.
#[test]
fn the_rounding_to_doubles_is_magnified_by_products() {
    let params = ringjet::preset("n15-share-depth5").unwrap();
    let f = Fixture::new(params.spec().clone(), &KeyPlan::default(), 5);
    let values = unit_circle(&f);
    let one = f64::from(60).exp2();
    let mut want: Vec<[i128; 2]> = values.iter().map(|z| [z.re, z.im].map(|x| (x * one) as i128)).collect();
    let mut x = f.encrypt(&values, true);
    for power in [1, 2, 4, 8, 16, 32] {
        // the difference is exact: both are close to each other
        let errors = f.decrypt(&x).into_iter().zip(&want).map(|(z, &[re, im])| {
            let [a, b] = [(z.re, re), (z.im, im)].map(|(x, want)| (((x * one) as i128 - want) as f64 / one).powi(2));
            a + b
        });
        let found = -(errors.sum::<f64>() / (2 * want.len()) as f64).log2() / 2.0;
        let stated = x.noise().precision_bits();
        println!("x^{power}: {found:.2} bits, stated {stated:.2}");
        assert!((found - stated).abs() < 1.0, "x^{power}: {found} {:?}", x.noise());
        if power < 32 {
            x = f.eval.mul_relin_rescale(&x, &x).unwrap();
            want = want.into_iter().map(squared).collect();
        }
    }
}
