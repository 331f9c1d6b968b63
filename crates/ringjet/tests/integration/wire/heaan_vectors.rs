//! `vectors/v2/heaan`: objects of HEAAN written by past versions, as [`super::vectors`] has them for CKKS.

use std::path::PathBuf;
use std::sync::Arc;

use ringjet::heaan::{
    Ciphertext, Context, EvaluationKeys, Evaluator, Parameters, Plaintext, PublicKey, SecretKey, SwitchingKey,
};
use ringjet::rng::Seed;
use ringjet::wire::{HEADER_LEN, peek};
use ringjet_backend::{Backend, Reference};
use ringjet_math::fft::Complex64;
use serde_json::{Value, json};

use super::heaan::{Set, reload_as, tiny};
use super::objects::{LIMITS, ROTATIONS};
use super::vectors::{bits, blessed, close, hashes, slots, stated, write_hashes};

/// The seed of everything in the vectors.
const SEED: u8 = 78;

fn path(object: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/v2/heaan").join(object)
}

fn read(object: &str) -> Vec<u8> {
    std::fs::read(path(object).with_extension("rjet")).unwrap()
}

/// The values stated beside an object.
fn describe(set: &Set, name: &str, bytes: &[u8]) -> Value {
    let ctx = &set.ctx;
    match name {
        "parameters" => serde_json::to_value(ctx.params().spec()).unwrap(),
        "plaintext" => {
            let p = Plaintext::from_bytes(ctx, bytes, LIMITS).unwrap();
            let values = slots(&p.decode(ctx).unwrap().0);
            json!({
                "count": p.count(),
                "bits": p.bits(),
                "log_scale": p.log_scale(),
                "log_slots": p.log_slots(),
                "values": values
            })
        }
        name if name.starts_with("ciphertext") => {
            let c = Ciphertext::from_bytes(ctx, bytes, LIMITS).unwrap();
            json!({
                "count": c.count(),
                "bits": c.log_q(),
                "log_scale": c.log_scale(),
                "log_slots": c.log_slots(),
                "noise": [bits(c.noise().variance()), bits(c.noise().bound()), bits(c.noise().magnitude())],
                "seed": c.seed().map(|s| s.to_string()),
                "values": slots(&set.decrypt(&c)),
            })
        }
        _ => json!({}),
    }
}

#[test]
#[ignore = "no test: with RINGJET_BLESS=1 it writes vectors/"]
fn bless() {
    let set = Set::new(&tiny(), SEED);
    if !blessed() {
        return write_hashes(&path("values.json"), hashes(set.bytes()));
    }
    std::fs::create_dir_all(path("")).unwrap();
    let mut objects = serde_json::Map::new();
    for (object, bytes) in set.bytes() {
        objects.insert(object.into(), describe(&set, object, &bytes));
        std::fs::write(path(object).with_extension("rjet"), bytes).unwrap();
    }
    let all = json!({
        "fingerprint": set.ctx.params().fingerprint_hex(),
        "key": set.secret.key_id().to_string(),
        "objects": objects,
        "from_seed": hashes(set.bytes()),
    });
    std::fs::write(path("values.json"), serde_json::to_string_pretty(&all).unwrap() + "\n").unwrap();
}

fn replay(backend: Arc<dyn Backend>) {
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path("values.json")).unwrap()).unwrap();
    let objects = all["objects"].as_object().unwrap();
    let params = Parameters::from_bytes(&read("parameters"), LIMITS).unwrap();
    assert_eq!(params.fingerprint_hex(), all["fingerprint"]);
    assert_eq!(serde_json::to_value(params.spec()).unwrap(), objects["parameters"]);
    let ctx = Context::new(&params, backend);
    let secret = SecretKey::from_secret_bytes(&params, &read("secret_key"), LIMITS).unwrap();
    assert_eq!(secret.key_id().to_string(), all["key"]);
    let values = |ct: &Ciphertext| secret.decrypt_values(&ctx, ct).unwrap().0;
    for (object, about) in objects {
        let bytes = read(object);
        let header = peek(&bytes).unwrap();
        assert_eq!(header.fingerprint_hex(), all["fingerprint"]);
        assert!(reload_as(header.kind.object, &ctx, &bytes, LIMITS).unwrap() == bytes, "{object}");
        if object.starts_with("ciphertext") {
            let c = Ciphertext::from_bytes(&ctx, &bytes, LIMITS).unwrap();
            assert_eq!((json!(c.log_q()), json!(c.log_scale())), (about["bits"].clone(), about["log_scale"].clone()));
            assert_eq!(json!(c.seed().map(|s| s.to_string())), about["seed"]);
            close(&values(&c), &stated(about), 1e-9);
        }
    }
    let p = Plaintext::from_bytes(&ctx, &read("plaintext"), LIMITS).unwrap();
    let x = p.decode(&ctx).unwrap().0;
    close(&x, &stated(&objects["plaintext"]), 1e-9);

    let fresh = Ciphertext::from_bytes(&ctx, &read("ciphertext_seeded"), LIMITS).unwrap();
    let keys = EvaluationKeys::from_bytes(&ctx, &read("evaluation_keys"), LIMITS).unwrap();
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    for by in ROTATIONS {
        let turned: Vec<Complex64> = (0..16).map(|j| x[(j + by).rem_euclid(16) as usize]).collect();
        close(&values(&eval.rotate(&fresh, by).unwrap()), &turned, 1e-4);
    }
    close(&values(&eval.conjugate(&fresh).unwrap()), &x.iter().map(|z| z.conj()).collect::<Vec<_>>(), 1e-4);
    close(&values(&eval.square(&fresh).unwrap()), &x.iter().map(|&z| z * z).collect::<Vec<_>>(), 1e-4);
    let public = PublicKey::from_bytes(&ctx, &read("public_key"), LIMITS).unwrap();
    close(&values(&public.encrypt(&ctx, &p, &Seed::from_bytes([1; 32])).unwrap()), &x, 1e-4);
    let key = SwitchingKey::from_bytes(&ctx, &read("switching_key"), LIMITS).unwrap();
    assert_eq!(key.to_bytes(&ctx).unwrap(), eval.keys().relinearization().unwrap().to_bytes(&ctx).unwrap());
    // the same bits in every version and on every backend, except for estimates, which may improve
    let full = Ciphertext::from_bytes(&ctx, &read("ciphertext"), LIMITS).unwrap();
    let product = eval.rescale(&eval.mul(&fresh, &full).unwrap(), 30).unwrap().to_bytes(&ctx).unwrap();
    let (kept, at, end) = (read("ciphertext_low"), HEADER_LEN + 10, product.len() - 4);
    assert!(product[..at] == kept[..at] && product[at + 16..end] == kept[at + 16..end]);
}

#[test]
fn vectors_load_on_both_backends() {
    replay(Arc::new(Reference::default()));
    replay(Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap()));
}

/// A client that keeps a seed instead of keys gets the same keys in every version.
#[test]
fn the_same_seed_makes_the_same_keys() {
    let set = Set::on(&tiny(), SEED, Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap()));
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path("values.json")).unwrap()).unwrap();
    assert_eq!(hashes(set.bytes()), all["from_seed"]);
}
