//! Keys, ciphertexts and results of BGV and BFV have the same bytes on every backend.

use std::sync::Arc;

use ringjet::KeyPlan;
use ringjet::bgv::{Context, Evaluator, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey};
use ringjet::rng::Seed;
use ringjet_backend::{Backend, Reference, Unfused};
use ringjet_cpu::{CpuBackend, CpuConfig, Path};

/// The bytes of every object that a client and a server make, with what each is.
fn bytes(params: &Parameters, backend: Arc<dyn Backend>) -> Vec<(&'static str, Vec<u8>)> {
    let ctx = Context::new(params, backend);
    let seed = Seed::from_bytes([6; 32]);
    let secret = SecretKey::from_seed(params, &seed).unwrap();
    let public = PublicKey::generate(&ctx, &secret, &seed).unwrap();
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::rotations([1, -3]).conjugation(), &seed, |_, _| true).unwrap();
    let e = Evaluator::new(&ctx, Arc::new(keys.clone())).unwrap();
    let values: Vec<i64> = (0..params.slots() as i64).map(|i| i * i % 12289 - 6144).collect();
    let plain = Plaintext::encode(&ctx, &values, params.top_level()).unwrap();
    let x = secret.encrypt(&ctx, &plain, &seed).unwrap();
    let y = public.encrypt(&ctx, &plain, &seed).unwrap();
    let raw = e.mul(&x, &y).unwrap();
    let hoisted = e.rotate_hoisted(&x, &[1, -3]).unwrap();
    let product = e.mul_auto(&x, &y).unwrap();
    let mut all = vec![
        ("secret-key encryption", x.clone()),
        ("public-key encryption", y.clone()),
        ("sum of products", e.add_auto(&raw, &x).unwrap()),
        ("relinearised product", e.relinearize(&raw).unwrap()),
        ("product", product.clone()),
        ("sum with a product", e.add_auto(&product, &y).unwrap()),
        ("sum of two products", e.mul_sum_auto(&[(&x, &y), (&x, &x)]).unwrap()),
        ("rotation", e.rotate(&x, 1).unwrap()),
        ("first hoisted rotation", hoisted[0].clone()),
        ("second hoisted rotation", hoisted[1].clone()),
        ("swapped rows", e.swap_rows(&product).unwrap()),
        ("product with a plaintext", e.mul_plain(&x, &plain).unwrap()),
        ("sum with a plaintext", e.sub_plain(&product, &plain).unwrap()),
        ("product with an integer", e.mul_integer(&x, -77).unwrap()),
        ("sum with an integer", e.add_integer(&product, 5).unwrap()),
    ];
    if params.top_level() > 0 {
        all.push(("switched product", e.relinearize_switch(&raw).unwrap()));
        all.push(("switched ciphertext", e.switch_to(&x, 1).unwrap()));
    }
    let decrypted = secret.decrypt(&ctx, &product).unwrap().to_bytes(&ctx).unwrap();
    let objects = [
        ("public key", public.to_bytes(&ctx).unwrap()),
        ("evaluation keys", keys.to_bytes(&ctx).unwrap()),
        ("plaintext", plain.to_bytes(&ctx).unwrap()),
        ("decryption", decrypted),
    ];
    objects.into_iter().chain(all.into_iter().map(|(what, ct)| (what, ct.to_bytes(&ctx).unwrap()))).collect()
}

/// `Unfused` borrows a backend, which then lives as long as the program.
fn unfused(backend: impl Backend + 'static) -> Arc<dyn Backend> {
    Arc::new(Unfused(Box::leak(Box::new(backend))))
}

#[test]
fn exact_schemes_have_the_same_bytes_on_every_backend() {
    let wide = ParamSpec::uniform(9, 12289, &[45, 40, 40, 40], &[50, 50]).allow_insecure();
    let narrow = ParamSpec::uniform(10, 12289, &[28, 27, 27, 27], &[30]).allow_insecure();
    let several = ParamSpec { t: vec![12289, 18433], ..narrow.clone() };
    for spec in [wide.clone(), wide.bfv(), narrow.clone(), narrow.bfv(), several] {
        let params = Parameters::new(&spec).unwrap();
        let expected = bytes(&params, Arc::new(Reference::default()));
        let mut backends: Vec<Arc<dyn Backend>> = vec![unfused(Reference::default())];
        for path in [Path::Scalar, Path::Avx512, Path::Ifma].into_iter().filter(|&path| path <= Path::best()) {
            let cpu = || CpuBackend::new(CpuConfig { threads: 2, path: Some(path) }).unwrap();
            backends.extend([Arc::new(cpu()) as Arc<dyn Backend>, unfused(cpu())]);
        }
        for backend in backends {
            let name = format!("{backend:?}");
            for ((what, want), (_, got)) in expected.iter().zip(bytes(&params, backend)) {
                assert!(*want == got, "{params:?}, {name}: {what}");
            }
        }
    }
}
