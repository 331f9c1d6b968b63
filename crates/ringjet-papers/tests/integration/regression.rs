//! Iterations of the published logistic regression on encrypted values, against the same iterations
//! in the clear.

use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::{Ciphertext, Context, KeyPlan, ParamSpec, Parameters, Plaintext, SecretKey};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::fft::Complex64;
use ringjet_papers::castro::{DOMAIN, Quirks, Regression, SIGMOID, Step, Sums};
use ringjet_papers::orders::{Evaluator, Order};

const LOG_N: u32 = 11;
const SLOTS: usize = 1 << (LOG_N - 1);
/// Slots of a sample; the last six are padding.
const WIDTH: usize = 16;
const FEATURES: usize = 10;
const SAMPLES: usize = 2 * SLOTS / WIDTH;
const SEED: u8 = 21;

type Row = [f64; WIDTH];

/// Uniform numbers from -1 to 1.
fn uniform(state: &mut u64) -> f64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Samples: a constant and features, times a label that a linear rule gives.
fn data(state: &mut u64) -> Vec<Row> {
    (0..SAMPLES)
        .map(|_| {
            let mut row = [0.0; WIDTH];
            row[0] = 1.0;
            row[1..FEATURES].iter_mut().for_each(|x| *x = uniform(state));
            let label = if row[1] - 2.0 * row[2] + 0.5 + 0.3 * uniform(state) > 0.0 { 1.0 } else { -1.0 };
            row.map(|x| label * x)
        })
        .collect()
}

/// An iteration in the clear: the new point and the new weights.
fn plain(z: &[Row], [v, w]: [Row; 2], rate: f64, momentum: f64) -> [Row; 2] {
    let mut moved = v;
    for z in z {
        let y: f64 = z.iter().zip(v).map(|(z, v)| z * v).sum();
        assert!(y.abs() < DOMAIN);
        let factor = SIGMOID[0] + SIGMOID[1] * y + SIGMOID[2] * y.powi(3);
        moved.iter_mut().zip(z).for_each(|(w, z)| *w += rate * factor * z);
    }
    let point = std::array::from_fn(|i| (1.0 - momentum) * moved[i] + momentum * w[i]);
    [point, moved]
}

/// Two iterations, in the authors' order and with merged divisions.
#[test]
fn encrypted_iterations_give_the_weights_of_plain_ones() {
    println!("seed {SEED}");
    let seed = Seed::from_bytes([SEED; 32]);
    let spec = ParamSpec::uniform(LOG_N, 50, 2 * Regression::DEPTH, 36, 3);
    let params = Parameters::new(&spec.allow_insecure()).unwrap();
    let ctx = Context::new(&params, Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap()));
    let secret = SecretKey::from_seed(&params, &seed.derive(b"s", 0)).unwrap();
    let plan = KeyPlan::rotations(Regression::rotations(WIDTH, SLOTS, &[WIDTH]));
    let keys = secret.evaluation_keys(&ctx, &plan, &seed.derive(b"e", 0), |_, _| true).unwrap();
    let eval = ringjet::Evaluator::new(&ctx, Arc::new(keys)).unwrap();

    let mut state = u64::from(SEED).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = data(&mut state);
    let start: [Row; 2] =
        std::array::from_fn(|_| std::array::from_fn(|i| if i < FEATURES { 0.5 * uniform(&mut state) } else { 0.0 }));
    let mut clear_at = start;
    let mut number = 0;
    let mut encrypt = |rows: &[Row], level: usize| {
        number += 1;
        let values: Vec<Complex64> =
            rows.iter().flatten().cycle().take(SLOTS).map(|&re| Complex64 { re, im: 0.0 }).collect();
        let text = Plaintext::encode(&ctx, &values, level, params.scale(level), LOG_N - 1).unwrap();
        secret.encrypt(&ctx, &text, &seed.derive(b"c", number)).unwrap()
    };
    let top = params.max_level();
    let mut batch =
        |level: usize| -> Vec<Ciphertext> { z.chunks(SLOTS / WIDTH).map(|rows| encrypt(rows, level)).collect() };
    let (first, second) = (batch(top), batch(top - Regression::DEPTH));
    let [v, w] = start.map(|row| encrypt(&[row], top));

    let rate = 4.0 / SAMPLES as f64;
    let steps = [Step { rate, momentum: -0.3, scaled_by: 1.0 }, Step { rate, momentum: -0.4, scaled_by: 1.3 }];
    let clear = steps.map(|step| {
        clear_at = plain(&z, clear_at, step.rate, step.momentum);
        [clear_at[0], clear_at[1].map(|w| (1.0 - step.momentum) * w)]
    });
    for (merged_rescaling, sums) in [(false, Sums::Hoisted), (true, Sums::Hoisted), (true, Sums::OneByOne)] {
        let order = Order { merged_rescaling, ..Order::LIBRARY };
        let regression = Regression::new(Evaluator::new(eval.clone(), order), WIDTH, sums, Quirks::NONE);
        let mut at = [v.clone(), w.clone()];
        for (i, (z, step)) in [&first, &second].into_iter().zip(&steps).enumerate() {
            at = regression.iterate(z, [&at[0], &at[1]], step).unwrap();
            println!("iteration {}, merged {merged_rescaling}, {sums:?}", i + 1);
            assert_eq!(at[0].level(), top - (i + 1) * Regression::DEPTH);
            for (ct, clear) in at.iter().zip(&clear[i]) {
                compare(ct, &secret.decrypt(&ctx, ct).unwrap().decode(&ctx).unwrap().0, clear);
            }
        }
    }
    // the weights have moved towards the rule
    let right = |w: &Row| z.iter().filter(|z| z.iter().zip(w).map(|(z, w)| z * w).sum::<f64>() > 0.0).count();
    println!("samples on the right side: {} before, {} after", right(&start[1]), right(&clear[1][1]));
    assert!(right(&clear[1][1]) > right(&start[1]));
}

/// Errors of the slots within the ciphertext's bound and estimate, and small. The bound adds the
/// worst cases of all slots and of the cube, so it is far above the errors.
fn compare(ct: &Ciphertext, found: &[Complex64], clear: &Row) {
    let error = |(x, e): (&Complex64, &f64)| Complex64 { re: x.re - e, im: x.im }.abs();
    let errors: Vec<f64> = found.iter().zip(clear.iter().cycle()).map(error).collect();
    let worst = errors.iter().copied().fold(0.0, f64::max);
    let root = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    let scale = ct.scale().value();
    let (bound, estimate) = (ct.noise().bound() / scale, ct.noise().variance().sqrt() / scale);
    println!("worst {worst:.2e} (bound {bound:.2e}), root mean square {root:.2e} (estimate {estimate:.2e})");
    assert!(worst <= bound && root <= estimate);
    assert!(worst < 1e-4, "{worst}");
}
