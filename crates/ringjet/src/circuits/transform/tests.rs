//! Products with diagonals that are kept in both forms.

use std::sync::Arc;

use ringjet_backend::{Backend, Reference};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::fft::Complex64;

use super::hoisting::Hoisting;
use super::{DiagonalForm, DiagonalValues, LinearTransform, turned_back};
use crate::rng::Seed;
use crate::{Ciphertext, Context, Evaluator, KeyMemory, KeyPlan, ParamSpec, Parameters, Plaintext, SecretKey};

const LEVEL: usize = 3;

fn value(i: usize) -> Complex64 {
    Complex64 { re: (i as f64).sin(), im: (i as f64 * 1.7).cos() }
}

/// A matrix of `2^log_slots` slots whose diagonals are the multiples of 2 and of 3.
fn matrix(log_slots: u32) -> LinearTransform {
    let slots = 1 << log_slots;
    let diagonal = |k: usize| (k, (0..slots).map(|j| value(j * (k + 1))).collect());
    let all = (0..slots).filter(|k| k % 3 == 0 || k % 2 == 0);
    LinearTransform::from_diagonals(slots, all.map(diagonal).collect()).unwrap()
}

/// A key's owner and a server with the keys of a matrix.
struct Fixture {
    secret: SecretKey,
    eval: Evaluator,
    values: Vec<Complex64>,
    x: Ciphertext,
}

impl Fixture {
    fn new(backend: Arc<dyn Backend>, matrix: &LinearTransform, memory: KeyMemory, seed: u8) -> Self {
        let spec = ParamSpec::uniform(9, 50, 5, 40, 2).allow_insecure();
        let params = Parameters::new(&spec).unwrap();
        let ctx = Context::new(&params, backend).with_key_memory(memory);
        let seed = Seed::from_bytes([seed; 32]);
        let secret = SecretKey::from_seed(&params, &seed).unwrap();
        let plan = KeyPlan::rotations(matrix.rotations());
        let keys = secret.evaluation_keys(&ctx, &plan, &seed, |_, _| true).unwrap();
        let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
        let slots = matrix.slots();
        // as large as messages may be, on which the bound on the rounding of diagonals depends
        let sign = |x: f64| if x.sin() < 0.0 { -1.0 } else { 1.0 };
        let large = |i: usize| Complex64 { re: sign(i as f64), im: sign(i as f64 * 1.7) };
        let values: Vec<Complex64> = (0..slots).map(large).collect();
        let plain = Plaintext::encode(&ctx, &values, LEVEL, params.scale(LEVEL), slots.trailing_zeros()).unwrap();
        let x = secret.encrypt(&ctx, &plain, &seed.derive(b"x", 0)).unwrap();
        Self { secret, eval, values, x }
    }
}

#[test]
fn both_forms_give_the_same_bytes() {
    let cpu = |threads| Arc::new(CpuBackend::new(CpuConfig { threads, path: None }).unwrap()) as Arc<dyn Backend>;
    // all slots; gaps of 2, 8; fewer coefficients than a transform has
    for log_slots in [8, 7, 5, 1] {
        let matrix = matrix(log_slots);
        let mut known: Option<Vec<u8>> = None;
        for backend in [Arc::new(Reference::default()), cpu(1), cpu(2)] {
            for memory in [KeyMemory::Expanded, KeyMemory::Compressed] {
                let Fixture { eval, x, .. } = Fixture::new(Arc::clone(&backend), &matrix, memory, 3);
                for form in [DiagonalForm::Encoded, DiagonalForm::Coefficients] {
                    let mut encoded = matrix.clone().with_form(form).encode(eval.context(), LEVEL).unwrap();
                    let single = encoded.hoisting == Hoisting::Single;
                    // one diagonal is not rotated
                    assert_eq!(single, [1, 8].contains(&log_slots), "{log_slots}");
                    // the last limits split limbs and baby steps
                    for limit in [usize::MAX, 1 << 15, 1] {
                        encoded.made_at_once = limit;
                        let bytes = encoded.apply(&eval, &x).unwrap().to_bytes(eval.context()).unwrap();
                        let known = known.get_or_insert_with(|| bytes.clone());
                        assert_eq!(&bytes, known, "{log_slots} {memory:?} {form:?} {limit} {:?}", backend.id());
                    }
                }
            }
        }
    }
}

#[test]
fn coefficients_take_two_words_a_slot() {
    let matrix = matrix(7);
    let Fixture { eval, .. } = Fixture::new(Arc::new(Reference::default()), &matrix, KeyMemory::Expanded, 3);
    let bytes = |form| matrix.clone().with_form(form).encode(eval.context(), LEVEL).unwrap().memory_bytes();
    let (each, primes) = (matrix.diagonals().len() * 2 * 128 * 8, 6);
    // the fourth prime of the level of scale 2^40 is one of 50 bits: coefficients need 64 bits
    assert_eq!([DiagonalForm::Encoded, DiagonalForm::Coefficients].map(bytes), [primes * each, each]);
}

/// Elements of magnitude 1/16 in 256 slots: the squares of a row add up to 1. The formula counts a
/// rounding of each baby step, which double hoisting does not have.
#[test]
fn errors_follow_their_formula() {
    let element = |i: usize| Complex64 { re: (i as f64 * 1.3).cos() / 16.0, im: (i as f64 * 1.3).sin() / 16.0 };
    let diagonal = |k: usize| (k, (0..256).map(|j| element(j * j + 7 * k * k + j * k)).collect());
    let matrix = LinearTransform::from_diagonals(256, (0..256).map(diagonal).collect()).unwrap();
    for (hoisting, range) in [(Hoisting::Single, 0.9..1.1), (Hoisting::Double, 0.75..1.0)] {
        let (mut squares, mut count, mut estimate) = (0.0, 0, f64::INFINITY);
        for seed in 0..10 {
            let backend = Arc::new(CpuBackend::new(CpuConfig::default()).unwrap());
            let f = Fixture::new(backend, &matrix, KeyMemory::Expanded, seed);
            let matrix = matrix.clone().with_form(DiagonalForm::Coefficients);
            let mut encoded = matrix.encode(f.eval.context(), LEVEL).unwrap();
            encoded.hoisting = hoisting;
            let y = encoded.apply(&f.eval, &f.x).unwrap();
            let got = f.secret.decrypt_values(f.eval.context(), &y).unwrap().0;
            for (a, b) in got.iter().zip(matrix.eval(&f.values).unwrap()) {
                squares += (a.re - b.re).powi(2) + (a.im - b.im).powi(2);
                count += 2;
            }
            estimate = estimate.min(y.noise().error_log2().exp2());
        }
        let ratio = (squares / f64::from(count)).sqrt() / estimate;
        println!("{hoisting:?}: measured / formula = {ratio:.3}");
        assert!(range.contains(&ratio), "{hoisting:?}: measured / formula = {ratio}");
    }
}

#[test]
fn real_diagonals_take_half_the_memory() {
    let matrix = LinearTransform::from_diagonals(2, [(0, vec![1.0.into(), 2.0.into()]), (1, vec![value(1); 2])].into());
    let matrix = matrix.unwrap();
    let known: Vec<&DiagonalValues> = matrix.diagonals().values().collect();
    assert_eq!(known, [&DiagonalValues::Real(vec![1.0, 2.0]), &DiagonalValues::Complex(vec![value(1); 2])]);
    assert_eq!(turned_back(known[0].iter(), 1).unwrap(), [2.0.into(), 1.0.into()]);
    assert_eq!(known[1].scaled(-2.0).at(1), value(1) * -2.0);
}
