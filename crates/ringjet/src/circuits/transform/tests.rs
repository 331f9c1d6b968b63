//! Products with diagonals that are kept in both forms.

use std::sync::Arc;

use ringjet_backend::{Backend, Reference};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::fft::Complex64;

use super::{DiagonalForm, LinearTransform};
use crate::rng::Seed;
use crate::{Ciphertext, Context, Evaluator, KeyMemory, KeyPlan, ParamSpec, Parameters, Plaintext, SecretKey};

const LEVEL: usize = 3;

fn value(i: usize) -> Complex64 {
    Complex64 { re: (i as f64).sin(), im: (i as f64 * 1.7).cos() }
}

/// A matrix of `2^log_slots` slots whose diagonals are the multiples of 3 and of 7.
fn matrix(log_slots: u32) -> LinearTransform {
    let slots = 1 << log_slots;
    let diagonal = |k: usize| (k, (0..slots).map(|j| value(j * (k + 1))).collect());
    let all = (0..slots).filter(|k| k % 3 == 0 || k % 7 == 0);
    LinearTransform::from_diagonals(slots, all.map(diagonal).collect()).unwrap()
}

/// An evaluator with the keys of the matrix, and an encrypted vector.
fn server(backend: Arc<dyn Backend>, matrix: &LinearTransform, memory: KeyMemory) -> (Evaluator, Ciphertext) {
    let spec = ParamSpec::uniform(9, 50, 5, 40, 2).allow_insecure();
    let params = Parameters::new(&spec).unwrap();
    let ctx = Context::new(&params, backend).with_key_memory(memory);
    let seed = Seed::from_bytes([3; 32]);
    let secret = SecretKey::from_seed(&params, &seed).unwrap();
    let plan = KeyPlan::rotations(matrix.rotations());
    let keys = secret.evaluation_keys(&ctx, &plan, &seed, |_, _| true).unwrap();
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let slots = matrix.slots();
    let values: Vec<Complex64> = (0..slots).map(|i| value(5 * i)).collect();
    let plain = Plaintext::encode(&ctx, &values, LEVEL, params.scale(LEVEL), slots.trailing_zeros()).unwrap();
    let x = secret.encrypt(&ctx, &plain, &seed.derive(b"x", 0)).unwrap();
    (eval, x)
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
                let (eval, x) = server(Arc::clone(&backend), &matrix, memory);
                for form in [DiagonalForm::Encoded, DiagonalForm::Coefficients] {
                    let mut encoded = matrix.clone().with_form(form).encode(eval.context(), LEVEL).unwrap();
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
    let (eval, _) = server(Arc::new(Reference::default()), &matrix, KeyMemory::Expanded);
    let bytes = |form| matrix.clone().with_form(form).encode(eval.context(), LEVEL).unwrap().memory_bytes();
    let (each, primes) = (matrix.diagonals().len() * 2 * 128 * 8, 6);
    // the fourth prime of the level of scale 2^40 is one of 50 bits: coefficients need 64 bits
    assert_eq!([DiagonalForm::Encoded, DiagonalForm::Coefficients].map(bytes), [primes * each, each]);
}
