//! How many kernels operations launch: as many for many limbs, digits and polynomials as for few.

use std::sync::Arc;

use ringjet::{Bootstrapper, Ciphertext, Context, EvaluationKeys, Evaluator, KeyPlan, heaan};
use ringjet_backend::plan::{DivisionPlan, ModUpPlan};
use ringjet_backend::{Backend, Buf, KeySwitch, KeySwitchInput};
use ringjet_cuda::{CudaBackend, Record};
use ringjet_math::{Basis, prime::ntt_primes};

/// Zeros: the number of launches does not depend on values.
pub fn zeros(b: &CudaBackend, limbs: usize, n: usize) -> Buf {
    let mut buf = b.alloc(limbs, n).unwrap();
    b.upload(&mut buf, 0, &vec![0; limbs * n]).unwrap();
    buf
}

/// The launches of a tensor product, of a key switch of `count` polynomials with two added for each,
/// and of a rescaling, with `q` ciphertext primes and `p` special ones.
fn launches(log_n: u32, q: usize, p: usize, count: usize) -> [u64; 3] {
    let primes = ntt_primes(log_n, 50, q + p, &[]).unwrap();
    let basis = |of: &[u64]| Basis::new(log_n, of).unwrap();
    let (special, chain, n) = (basis(&primes[..p]), basis(&primes[p..]), 1 << log_n);
    let up = ModUpPlan::new(&special, &chain, p);
    let down = DivisionPlan::new(&up.extended, &(0..p).collect::<Vec<_>>());
    let rescale = DivisionPlan::new(&chain, &[q - 1]);
    let b = CudaBackend::emulated();
    let (x, key) = (zeros(&b, 2 * q, n), zeros(&b, 2 * up.beta() * (q + p), n));
    let (mut product, mut switched, mut rescaled) =
        (zeros(&b, 3 * q, n), zeros(&b, 2 * count * q, n), zeros(&b, 2 * (q - 1), n));
    let add = zeros(&b, 2 * count * q, n);
    let launched = |work: &mut dyn FnMut()| {
        let before = b.launches();
        work();
        b.launches() - before
    };
    let tensor = launched(&mut || b.tensor(product.view_mut(3), x.view(2), x.view(2), &chain).unwrap());
    let switch = KeySwitch {
        input: KeySwitchInput::Polynomial(add.view(2 * count).slice(0, count)),
        key: key.view(2 * up.beta()),
        mod_up: &up,
        division: &down,
        add: Some(add.view(2 * count)),
        automorphism: None,
    };
    let key_switch = launched(&mut || b.key_switch(switched.view_mut(2 * count), &switch).unwrap());
    let division = launched(&mut || b.divide_round(rescaled.view_mut(2), x.view(2), &rescale, None).unwrap());
    [tensor, key_switch, division]
}

#[test]
fn launches_do_not_depend_on_limbs_and_digits() {
    // inverse rows and columns, conversion with columns, rows with the product; then inverse rows and
    // columns, conversion with columns, rows with the sum
    assert_eq!(launches(10, 25, 7, 1), [1, 8, 4]);
    assert_eq!(launches(13, 3, 1, 2), [1, 8, 4]);
    // a ring of one row has no columns, and a small ring its own transform
    assert_eq!(launches(9, 4, 2, 1), [1, 6, 3]);
    assert_eq!(launches(8, 4, 2, 1), [1, 8, 4]);
}

/// What the second and the third bootstrap of `n16-boot` ask of a device. The first makes the
/// constants and takes the memory.
fn bootstraps() -> [Record; 2] {
    let params = ringjet::preset("n16-boot").unwrap();
    let (backend, recorder) = CudaBackend::recording();
    let ctx = Context::new(&params, Arc::new(backend));
    let slots = params.log_n() - 1;
    let request = Bootstrapper::key_plan(&params, slots).unwrap();
    let keys = Arc::new(EvaluationKeys::uncomputed(&ctx, &request).unwrap());
    let eval = Evaluator::bootstrapping(&ctx, keys).unwrap();
    let level = params.bootstrap().unwrap().input_level();
    let input = Ciphertext::uncomputed(&ctx, level, slots).unwrap();
    let run = || {
        eval.bootstrap(&input).unwrap();
        recorder.take()
    };
    assert!(run().allocations > 0);
    [run(), run()]
}

#[test]
fn a_bootstrap_has_few_launches_and_asks_for_nothing_else() {
    let [second, third] = bootstraps();
    assert!(second.launches.len() <= 600, "{} launches", second.launches.len());
    assert_eq!((second.allocations, second.uploads, second.waits), (0, 0, 0));
    // so all launches are collected and become graphs
    assert!(second.launches.iter().all(|launch| launch.scopes.first() == Some(&"Bootstrap")));
    assert!(second == third, "the launches have other addresses in the third bootstrap");
}

/// A product of HEAAN takes nine launches with any number of digits: two to make residues of the
/// factors, two for the products, and five to switch a key. A repeated one asks for nothing else.
#[test]
fn products_of_heaan_have_few_launches() {
    let params = heaan::preset("heaan-n16-q1200").unwrap();
    let (backend, recorder) = CudaBackend::recording();
    let ctx = heaan::Context::new(&params, Arc::new(backend));
    let keys = heaan::EvaluationKeys::uncomputed(&ctx, &KeyPlan::default()).unwrap();
    let eval = heaan::Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    for log_q in [60, 306, 307, 1200] {
        let ciphertext = || heaan::Ciphertext::uncomputed(&ctx, log_q, 20, 15).unwrap();
        let (x, y) = (ciphertext(), ciphertext());
        let run = || {
            recorder.take();
            eval.mul(&x, &y).unwrap();
            recorder.take()
        };
        run();
        let again = run();
        let kernels: Vec<_> = again.launches.iter().map(|l| l.kernel.trim_end_matches("_f64")).collect();
        let [split, products, join] = ["ringjet_split_columns", "ringjet_digit_products", "ringjet_join_columns"];
        assert_eq!(kernels, [split, split, products, join, split, products, join, products, join], "log q = {log_q}");
        assert_eq!((again.allocations, again.uploads, again.waits), (0, 0, 0), "log q = {log_q}");
    }
}
