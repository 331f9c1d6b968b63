//! Measured errors against the formulas: standard deviations within 10 %, over 50 seeds.
//!
//! The real and imaginary parts of all slots, pooled over the seeds, are compared with the estimate.

use std::collections::BTreeMap;

use ringjet::KeyPlan;
use ringjet::heaan::{Ciphertext, ParamSpec, Secret};
use ringjet_math::fft::Complex64;

use super::fixture::{Fixture, spec};
use crate::common::rotate_left;
use crate::noise::Errors;

const SEEDS: u8 = 50;

/// At the largest modulus key switching makes most of the noise, far below it rounding does.
fn deviations(spec: &ParamSpec) {
    let mut samples: BTreeMap<&str, Errors> = BTreeMap::new();
    for seed in 0..SEEDS {
        let request = KeyPlan::rotations([1]).conjugation();
        let f = Fixture::new(spec, &request, seed);
        let (a, b) = (f.unit_circle(), f.unit_circle());
        let (x, e) = (f.encrypt(&a), &f.eval);
        let y = f.public.encrypt(f.ctx(), &f.encode(&b, 30), &f.next_seed()).unwrap();
        let y = y.with_range(ringjet::Range::complex(1.0));
        let ab: Vec<_> = a.iter().zip(&b).map(|(&u, &v)| u * v).collect();
        let low = |ct: &Ciphertext| e.mod_down_to(ct, 70).unwrap();
        let down = |ct| e.rescale(&ct, 30).unwrap();
        let mut add = |name, ct: &Ciphertext, want: &[Complex64]| {
            samples.entry(name).or_default().add(&f.decrypt(ct), &ct.noise(), want);
        };
        add("secret", &x, &a);
        add("public", &y, &b);
        add("rescale", &down(f.encrypt_at(&a, 100, 60)), &a);
        add("mul", &down(e.mul(&x, &y).unwrap()), &ab);
        add("mul secret", &down(e.mul(&x, &f.encrypt(&b)).unwrap()), &ab);
        add("mul low", &down(e.mul(&low(&x), &low(&f.encrypt(&b))).unwrap()), &ab);
        add("mul_plain", &down(e.mul_plain(&x, &f.encode(&b, 30)).unwrap()), &ab);
        let scaled: Vec<_> = a.iter().map(|&u| u * -0.3).collect();
        add("mul_const", &down(e.mul_const(&x, -0.3, 30).unwrap()), &scaled);
        add("rotate", &e.rotate(&x, 1).unwrap(), &rotate_left(&a, 1));
        add("rotate low", &e.rotate(&low(&x), 1).unwrap(), &rotate_left(&a, 1));
        let conjugates: Vec<_> = a.iter().map(|z| z.conj()).collect();
        add("conjugate", &e.conjugate(&x).unwrap(), &conjugates);
    }
    for (name, sample) in &samples {
        sample.check(name);
    }
}

#[test]
fn deviations_with_a_dense_secret() {
    deviations(&spec(10, 100));
}

#[test]
fn deviations_with_a_sparse_secret_and_few_slots() {
    deviations(&ParamSpec { secret: Secret::Weight(64), log_slots: Some(8), ..spec(10, 100) });
}
