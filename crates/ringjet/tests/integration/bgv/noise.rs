//! Measured noise against its estimates, over 100 seeds.

use std::collections::BTreeMap;

use super::{Fixture, several, small};
use ringjet::bgv::{Ciphertext, ParamSpec, Parameters};

const SEEDS: u64 = 100;

/// The mean square of the coefficients of w, measured and estimated.
#[derive(Default)]
struct Sample {
    measured: f64,
    estimated: f64,
}

fn measure(params: &Parameters) {
    let mut samples: BTreeMap<&str, Sample> = BTreeMap::new();
    for seed in 0..SEEDS {
        let mut f = Fixture::cpu(params, seed);
        let (a, b) = (f.values(), f.values());
        let (x, y) = (f.encrypt(&a, false), f.encrypt(&b, true));
        let (e, p) = (f.eval.clone(), f.plain(&b));
        let product = e.mul(&x, &y).unwrap();
        let mut add = |what, ct: &Ciphertext| {
            let square = f.secret.mean_square(f.ctx(), ct).unwrap();
            let sample = samples.entry(what).or_default();
            sample.measured += square;
            sample.estimated += ct.noise().variance() / f.params().n() as f64;
        };
        add("secret-key encryption", &x);
        add("public-key encryption", &y);
        add("sum", &e.add_auto(&x, &y).unwrap());
        add("sum with a plaintext", &e.add_plain(&x, &p).unwrap());
        add("product with a plaintext", &e.mul_plain(&x, &p).unwrap());
        add("product with an integer", &e.mul_integer(&x, 100).unwrap());
        add("product", &product);
        add("square", &e.mul(&x, &x).unwrap());
        add("relinearised product", &e.relinearize(&product).unwrap());
        add("rotation", &e.rotate(&x, 1).unwrap());
        add("rotation of a switched ciphertext", &e.rotate(&e.switch_to(&x, 0).unwrap(), 1).unwrap());
        add("modulus switching", &e.switch_to(&product, params.top_level().saturating_sub(1)).unwrap());
        let second = e.mul_auto(&e.mul_auto(&x, &y).unwrap(), &y).unwrap();
        add("second product", &second);
    }
    for (what, Sample { measured, estimated }) in samples {
        let bits = 0.5 * (measured / estimated).log2();
        println!("{what}: measured is {bits:.3} bits above the estimate");
        assert!(bits.abs() < 0.5, "{what}: {bits} bits");
    }
}

#[test]
fn estimates_are_within_half_a_bit() {
    measure(&Parameters::new(&small()).unwrap());
    measure(&Parameters::new(&small().bfv()).unwrap());
    measure(&Parameters::new(&several()).unwrap());
    // digits as large as P: key switching makes most of the noise of rotations
    let spec = ParamSpec::uniform(10, 12289, &[30, 30, 30, 30], &[30]).allow_insecure();
    measure(&Parameters::new(&spec).unwrap());
}
