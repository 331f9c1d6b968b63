//! A program on encrypted integers runs on DPUs as it does on a CPU, with the same bytes.

use std::sync::Arc;

use ringjet::KeyPlan;
use ringjet::bgv::{Context, Evaluator, ParamSpec, Parameters, Plaintext, SecretKey};
use ringjet::rng::Seed;
use ringjet_backend::{Backend, HostFallback, Moved};
use ringjet_cpu::CpuBackend;
use ringjet_pim::{Host, PimBackend, Placement};

const T: i64 = 12289;

/// The bytes of the product of two vectors, plus its slots one further on, plus the first vector;
/// and their values.
fn program(backend: Arc<dyn Backend>, a: &[i64], b: &[i64]) -> (Vec<u8>, Vec<i64>) {
    let spec = ParamSpec::uniform(11, T as u64, &[29, 28, 28, 28], &[29, 29]).allow_insecure();
    let params = Parameters::new(&spec).unwrap();
    let ctx = Context::new(&params, backend);
    let seed = Seed::from_bytes([5; 32]);
    let secret = SecretKey::from_seed(&params, &seed).unwrap();
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::rotations([1]), &seed, |_, _| true).unwrap();
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let encrypt = |values: &[i64], label: &[u8]| {
        let plain = Plaintext::encode(&ctx, values, params.top_level()).unwrap();
        secret.encrypt(&ctx, &plain, &seed.derive(label, 0)).unwrap()
    };
    let (x, y) = (encrypt(a, b"a"), encrypt(b, b"b"));
    let product = eval.mul_relin(&x, &y).unwrap();
    let sum = eval.add(&product, &eval.rotate(&product, 1).unwrap()).unwrap();
    let sum = eval.add_auto(&sum, &x).unwrap();
    (sum.to_bytes(&ctx).unwrap(), secret.decrypt_integers(&ctx, &sum).unwrap())
}

#[test]
fn a_program_on_integers_has_the_bytes_of_the_cpu() {
    let values = |step: i64| (0..2048).map(|i| (i * i * step) % T - T / 2).collect::<Vec<_>>();
    let (a, b) = (values(3), values(7));
    let cpu = || -> Arc<dyn Backend> { Arc::new(CpuBackend::new(Default::default()).unwrap()) };
    let (expected, known) = program(cpu(), &a, &b);
    let next = |i: usize| i / 1024 * 1024 + (i + 1) % 1024;
    for (i, &found) in known.iter().enumerate() {
        let j = next(i);
        assert_eq!((a[i] * b[i] + a[j] * b[j] + a[i] - found) % T, 0, "slot {i}");
    }
    for (placement, dpus) in [(Placement::PrimePerDpu, 6), (Placement::PolynomialPerDpu, 1)] {
        let pim = Arc::new(PimBackend::new(&Host::emulator(), dpus, placement).unwrap());
        let both = Arc::new(HostFallback::new(Arc::clone(&pim) as _, cpu()));
        assert!(program(Arc::clone(&both) as _, &a, &b) == (expected.clone(), known.clone()), "{placement:?}");
        let (moved, traffic) = (both.moved(), pim.traffic());
        println!("{placement:?}: {traffic:?}");
        assert_eq!(moved, Moved::default(), "everything runs on DPUs");
        assert!(traffic.cycles > 0);
        // only changes of primes lead to other DPUs
        assert_eq!(placement == Placement::PolynomialPerDpu, traffic.between_dpus == 0, "{traffic:?}");
    }
}
