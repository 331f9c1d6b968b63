//! Runs the scheme on the emulator and compares the bytes with those of the processor.

use std::sync::Arc;

use ringjet::heaan;
use ringjet::params::BootstrapChain;
use ringjet::rng::Seed;
use ringjet::{Bootstrapper, Context, Evaluator, KeyPlan, Parameters, Plaintext, SecretKey, bgv};
use ringjet_backend::Backend;
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_cuda::{Arithmetic, CudaBackend, EMULATED};
use ringjet_math::fft::Complex64;

use crate::program;

#[test]
fn products_and_rotations_have_the_processors_bytes() {
    assert_eq!(CudaBackend::emulated().id().name(), EMULATED);
    for (log_n, bits) in [(9, 50), (9, 48), (12, 48), (10, 31)] {
        let cpu = Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap());
        let params = program::parameters(log_n, bits).unwrap();
        let expected = program::bytes(&params, cpu).unwrap();
        let fast = |a: &Arithmetic| [Arithmetic::F64, Arithmetic::F64Below48].contains(a);
        for a in Arithmetic::ALL.into_iter().filter(|a| a.bits() >= bits && (log_n < 12 || fast(a))) {
            let emulated = Arc::new(CudaBackend::emulated().with_arithmetic(a));
            assert!(
                program::bytes(&params, emulated).unwrap() == expected,
                "log N = {log_n}, primes of {bits} bits, {a}"
            );
        }
    }
}

/// All bytes of a ciphertext bootstrapped in a small ring, with primes of at most `prime_bits`
/// bits.
fn bootstrapped(prime_bits: u32, backend: Arc<dyn Backend>) -> Vec<u8> {
    let log_n = 8;
    let chain = BootstrapChain { prime_bits, first_bits: prime_bits, ..BootstrapChain::standard(log_n) };
    let params = Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap();
    let ctx = Context::new(&params, backend);
    let seed = Seed::from_bytes([9; 32]);
    let secret = SecretKey::from_seed(&params, &seed).unwrap();
    let request = Bootstrapper::key_plan(&params, log_n - 1).unwrap();
    let keys = secret.evaluation_keys(&ctx, &request, &seed.derive(b"keys", 0), |_, _| true).unwrap();
    let eval = Evaluator::bootstrapping(&ctx, Arc::new(keys)).unwrap();
    let level = params.bootstrap().unwrap().input_level();
    let values: Vec<Complex64> =
        (0..params.max_slots()).map(|i| Complex64 { re: (i as f64).sin(), im: (i as f64).cos() }).collect();
    let plain = Plaintext::encode(&ctx, &values, level, params.scale(level), log_n - 1).unwrap();
    let x = secret.encrypt(&ctx, &plain, &seed.derive(b"encryption", 0)).unwrap();
    eval.bootstrap(&x).unwrap().to_bytes(&ctx).unwrap()
}

fn bootstraps_agree(arithmetics: [Arithmetic; 2]) {
    for a in arithmetics {
        let cpu = Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap());
        let emulated = Arc::new(CudaBackend::emulated().with_arithmetic(a));
        assert!(bootstrapped(a.bits(), emulated) == bootstrapped(a.bits(), cpu), "{a}");
    }
}

#[test]
fn bootstrapping_has_the_processors_bytes() {
    bootstraps_agree([Arithmetic::F64, Arithmetic::F64Below48]);
}

#[test]
#[ignore = "a minute: make test-full"]
fn bootstrapping_in_integers_has_the_processors_bytes() {
    bootstraps_agree([Arithmetic::U64Below50, Arithmetic::U64Below48]);
}

/// All bytes of a product of BGV or BFV, rotated and switched to a lower level if there is one.
fn exact(spec: &bgv::ParamSpec, backend: Arc<dyn Backend>) -> Vec<u8> {
    let params = bgv::Parameters::new(spec).unwrap();
    let ctx = bgv::Context::new(&params, backend);
    let seed = Seed::from_bytes([11; 32]);
    let secret = bgv::SecretKey::from_seed(&params, &seed).unwrap();
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::rotations([1]), &seed, |_, _| true).unwrap();
    let eval = bgv::Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let values: Vec<i64> = (0..params.slots() as i64).map(|i| i * i % 6000).collect();
    let x = bgv::Plaintext::encode(&ctx, &values, params.top_level()).unwrap();
    let x = secret.encrypt(&ctx, &x, &seed).unwrap();
    let y = eval.rotate(&eval.mul_relin(&x, &x).unwrap(), 1).unwrap();
    eval.switch_to(&y, params.top_level().saturating_sub(1)).unwrap().to_bytes(&ctx).unwrap()
}

#[test]
fn exact_products_have_the_processors_bytes() {
    let spec = bgv::ParamSpec::uniform(9, 12289, &[45, 30, 30], &[50]).allow_insecure();
    for spec in [spec.clone(), spec.bfv()] {
        let expected = exact(&spec, Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap()));
        for a in [Arithmetic::F64, Arithmetic::U64Below50] {
            assert!(exact(&spec, Arc::new(CudaBackend::emulated().with_arithmetic(a))) == expected, "{a}");
        }
    }
}

/// HEAAN's products, squares, rotations and rescalings, by digits and, in a ring of one row, composed
/// of other operations; then a bootstrap, with the smallest set of the original bootstrapping (Cheon,
/// Han, Kim, Kim and Song, EUROCRYPT 2018) in a small ring.
#[test]
fn heaan_has_the_processors_bytes() {
    let cpu = || Arc::new(CpuBackend::new(CpuConfig { threads: 1, path: None }).unwrap());
    for (log_n, log_q) in [(9, 200), (10, 150), (11, 800)] {
        let spec = heaan::ParamSpec::new(log_n, log_q).allow_insecure();
        let params = heaan::Parameters::new(&spec).unwrap();
        let expected = program::heaan_bytes(&params, false, cpu()).unwrap();
        let all = [Arithmetic::F64, Arithmetic::U64Below50, Arithmetic::U64Below61];
        for &a in if log_n == 9 { &all[..] } else { &all[..1] } {
            let emulated = Arc::new(CudaBackend::emulated().with_arithmetic(a));
            let found = program::heaan_bytes(&params, false, emulated).unwrap();
            assert!(found == expected, "log N = {log_n}, log q = {log_q}, {a}");
        }
    }
    let set = heaan::preset("heaan-n15-boot").unwrap().spec().clone();
    let params = heaan::Parameters::new(&heaan::ParamSpec { log_n: 10, log_slots: Some(2), ..set }).unwrap();
    let expected = program::heaan_bytes(&params, true, cpu()).unwrap();
    let backend = Arc::new(CudaBackend::emulated());
    assert!(program::heaan_bytes(&params, true, backend).unwrap() == expected, "bootstrap");
}
