//! `vectors/v2/bgv`, `bfv` and `bgv_crt`: objects written by past versions, as [`super::vectors`] has
//! them for CKKS.

use std::path::PathBuf;
use std::sync::Arc;

use ringjet::bgv::{
    Ciphertext, Context, EvaluationKeys, Evaluator, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey,
};
use ringjet::rng::Seed;
use ringjet::wire::{CHECKSUM_LEN, HEADER_LEN, peek};
use ringjet_backend::{Backend, Reference};
use serde_json::{Value, json};

use super::bgv::{Set, reload_as, several, tiny};
use super::objects::{LIMITS, ROTATIONS};
use super::vectors::{bits, blessed, hashes, write_hashes};

/// The seed of everything in the vectors.
const SEED: u8 = 79;

/// The bytes of a ciphertext with its bounds on noise, which may improve.
const ESTIMATES: std::ops::Range<usize> = HEADER_LEN + 25..HEADER_LEN + 49;

fn sets() -> [(&'static str, ParamSpec); 3] {
    [("bgv", tiny()), ("bfv", tiny().bfv()), ("bgv_crt", several())]
}

fn path(set: &str, object: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/v2").join(set).join(object)
}

/// The values stated beside an object.
fn describe(set: &Set, name: &str, bytes: &[u8]) -> Value {
    let ctx = &set.ctx;
    match name {
        "parameters" => serde_json::to_value(ctx.params().spec()).unwrap(),
        "plaintext" => {
            let p = Plaintext::from_bytes(ctx, bytes, LIMITS).unwrap();
            json!({"count": p.count(), "level": p.level(), "values": p.decode(ctx).unwrap()})
        }
        name if name.starts_with("ciphertext") => {
            let c = Ciphertext::from_bytes(ctx, bytes, LIMITS).unwrap();
            json!({
                "count": c.count(),
                "polynomials": c.polys(),
                "level": c.level(),
                "factors": c.factors(),
                "noise": [bits(c.noise().bound()), bits(c.noise().length()), bits(c.noise().largest())],
                "seed": c.seed().map(|s| s.to_string()),
                "values": set.decrypt(&c),
            })
        }
        _ => json!({}),
    }
}

#[test]
#[ignore = "no test: with RINGJET_BLESS=1 it writes vectors/"]
fn bless() {
    for (name, spec) in sets() {
        let set = Set::new(&spec, SEED);
        if !blessed() {
            write_hashes(&path(name, "values.json"), hashes(set.bytes()));
            continue;
        }
        std::fs::create_dir_all(path(name, "")).unwrap();
        let mut objects = serde_json::Map::new();
        for (object, bytes) in set.bytes() {
            objects.insert(object.into(), describe(&set, object, &bytes));
            std::fs::write(path(name, object).with_extension("rjet"), bytes).unwrap();
        }
        let all = json!({
            "fingerprint": set.ctx.params().fingerprint_hex(),
            "key": set.secret.key_id().to_string(),
            "objects": objects,
            "from_seed": hashes(set.bytes()),
        });
        std::fs::write(path(name, "values.json"), serde_json::to_string_pretty(&all).unwrap() + "\n").unwrap();
    }
}

fn replay(set: &str, backend: Arc<dyn Backend>) {
    let read = |object: &str| std::fs::read(path(set, object).with_extension("rjet")).unwrap();
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path(set, "values.json")).unwrap()).unwrap();
    let objects = all["objects"].as_object().unwrap();
    let params = Parameters::from_bytes(&read("parameters"), LIMITS).unwrap();
    assert_eq!(params.fingerprint_hex(), all["fingerprint"]);
    assert_eq!(serde_json::to_value(params.spec()).unwrap(), objects["parameters"]);
    let ctx = Context::new(&params, backend);
    let secret = SecretKey::from_secret_bytes(&params, &read("secret_key"), LIMITS).unwrap();
    assert_eq!(secret.key_id().to_string(), all["key"]);
    let values = |ct: &Ciphertext| json!(secret.decrypt_integers(&ctx, ct).unwrap());
    for (object, about) in objects {
        let bytes = read(object);
        let header = peek(&bytes).unwrap();
        assert_eq!(header.fingerprint_hex(), all["fingerprint"]);
        assert!(reload_as(header.kind.object, &ctx, &bytes, LIMITS).unwrap() == bytes, "{object}");
        if object.starts_with("ciphertext") {
            let c = Ciphertext::from_bytes(&ctx, &bytes, LIMITS).unwrap();
            assert_eq!(json!(c.count()), about["count"]);
            let found = (json!(c.polys()), json!(c.level()), json!(c.factors()));
            assert_eq!(found, (about["polynomials"].clone(), about["level"].clone(), about["factors"].clone()));
            assert_eq!(json!(c.seed().map(|s| s.to_string())), about["seed"]);
            assert_eq!(values(&c), about["values"], "{object}");
        }
    }
    let p = Plaintext::from_bytes(&ctx, &read("plaintext"), LIMITS).unwrap();
    let x = p.decode(&ctx).unwrap();
    assert_eq!(json!(x), objects["plaintext"]["values"]);

    // computing with the loaded keys gives right results
    let fresh = Ciphertext::from_bytes(&ctx, &read("ciphertext_seeded"), LIMITS).unwrap();
    let full = Ciphertext::from_bytes(&ctx, &read("ciphertext"), LIMITS).unwrap();
    let keys = EvaluationKeys::from_bytes(&ctx, &read("evaluation_keys"), LIMITS).unwrap();
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    for by in ROTATIONS {
        let turned: Vec<i64> = (0..32i64).map(|i| x[(i / 16 * 16 + (i + by).rem_euclid(16)) as usize]).collect();
        assert_eq!(values(&eval.rotate(&fresh, by).unwrap()), json!(turned));
    }
    assert_eq!(values(&eval.swap_rows(&fresh).unwrap()), json!([&x[16..], &x[..16]].concat()));
    let public = PublicKey::from_bytes(&ctx, &read("public_key"), LIMITS).unwrap();
    assert_eq!(values(&public.encrypt(&ctx, &p, &Seed::from_bytes([1; 32])).unwrap()), json!(x));
    // the same residues in every version and on every backend
    let raw = eval.mul(&fresh, &full).unwrap();
    let low = if params.top_level() > 0 { eval.relinearize_switch(&raw) } else { eval.relinearize(&raw) };
    for (made, object) in [(eval.mul(&fresh, &fresh).unwrap(), "ciphertext_3"), (low.unwrap(), "ciphertext_low")] {
        let (made, kept) = (made.to_bytes(&ctx).unwrap(), read(object));
        let end = kept.len() - CHECKSUM_LEN;
        assert_eq!(made.len(), kept.len());
        assert!(made[..ESTIMATES.start] == kept[..ESTIMATES.start], "{set}: {object}");
        assert!(made[ESTIMATES.end..end] == kept[ESTIMATES.end..end], "{set}: {object}");
    }
}

#[test]
fn vectors_load_on_both_backends() {
    for (set, _) in sets() {
        replay(set, Arc::new(Reference::default()));
        replay(set, Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap()));
    }
}

/// A client that keeps a seed instead of keys gets the same keys in every version.
#[test]
fn the_same_seed_makes_the_same_keys() {
    for (name, spec) in sets() {
        let set = Set::on(&spec, SEED, Arc::new(ringjet_cpu::CpuBackend::new(Default::default()).unwrap()));
        let all: Value = serde_json::from_str(&std::fs::read_to_string(path(name, "values.json")).unwrap()).unwrap();
        assert_eq!(hashes(set.bytes()), all["from_seed"], "{name}");
    }
}
