//! `vectors/`: objects written by past versions. They must always load, with the values stated
//! beside them.
//!
//! The seeds of version 2 were bound to parameters as in version 1, so `vectors/compare.py` finds
//! the same residues in both versions. The objects that seeds make now are kept as SHA-256 hashes:
//! `from_seed` in `values.json`. The set `boot` was written again when its parameters changed, before
//! the first release.
//!
//! After a change of the format, write vectors of a new version, never of this one, with
//! `RINGJET_BLESS=1 cargo test -p ringjet --test integration bless -- --ignored`;
//! `RINGJET_BLESS=seeds` writes the hashes only.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::wire::{CHECKSUM_LEN, HEADER_LEN, peek};
use ringjet::{
    Ciphertext, Context, EvaluationKeys, Evaluator, KeyMemory, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey,
    SwitchingKey,
};
use ringjet_backend::{Backend, Reference};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::fft::Complex64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::objects::{LIMITS, ROTATIONS, Set, boot, n10, reload, tiny};

/// The seed of everything in the vectors.
const SEED: u8 = 77;

/// Name, ring, and the objects kept: all of the small ring, some of the ring with the order of
/// large rings and of the ring that bootstraps.
fn sets() -> [(&'static str, ParamSpec, &'static [&'static str]); 3] {
    let n10s = &["parameters", "secret_key", "public_key", "evaluation_keys", "ciphertext_seeded", "ciphertext"];
    let boots = &[
        "parameters",
        "secret_key",
        "public_key",
        "evaluation_keys",
        "ciphertext_seeded",
        "ciphertext",
        "ciphertext_bootstrapped",
    ];
    [("tiny", tiny(), &[]), ("n10", n10(), n10s), ("boot", boot(), boots)]
}

/// The positions of the estimated error and the magnitude in a ciphertext's bytes. Estimates may
/// improve.
const ESTIMATES: Range<usize> = HEADER_LEN + 24..HEADER_LEN + 90;

fn folder(set: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/v2").join(set)
}

pub fn bits(x: f64) -> String {
    format!("{:#018x}", x.to_bits())
}

pub fn slots(values: &[Complex64]) -> Value {
    values.iter().map(|z| json!([z.re, z.im])).collect()
}

/// The values stated beside an object.
fn describe(set: &Set, name: &str, bytes: &[u8]) -> Value {
    let ctx = &set.ctx;
    match name {
        "parameters" => serde_json::to_value(set.params().spec()).unwrap(),
        "public_key" | "switching_key" | "evaluation_keys" | "secret_key" => json!({}),
        "plaintext" => {
            let p = Plaintext::from_bytes(ctx, bytes, LIMITS).unwrap();
            let (hi, lo) = p.scale().parts();
            let values = slots(&p.decode(ctx).unwrap().0);
            json!({
                "count": p.count(),
                "level": p.level(),
                "scale": [bits(hi), bits(lo)],
                "log_slots": p.log_slots(),
                "values": values
            })
        }
        _ => {
            let c = Ciphertext::from_bytes(ctx, bytes, LIMITS).unwrap();
            let (hi, lo) = c.scale().parts();
            json!({
                "count": c.count(),
                "polynomials": c.polys(),
                "level": c.level(),
                "scale": [bits(hi), bits(lo)],
                "log_slots": c.log_slots(),
                "noise": [bits(c.noise().variance()), bits(c.noise().bound()), bits(c.noise().magnitude())],
                "seed": c.seed().map(|s| s.to_string()),
                "values": slots(&set.decrypt(&c)),
            })
        }
    }
}

/// Whether all vectors are to be written, or only the hashes of what seeds make.
pub fn blessed() -> bool {
    match std::env::var("RINGJET_BLESS").as_deref() {
        Ok("1") => true,
        Ok("seeds") => false,
        _ => panic!("RINGJET_BLESS=1 overwrites the vectors, RINGJET_BLESS=seeds the hashes in them"),
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// The SHA-256 of each key that a seed makes.
pub fn hashes(objects: Vec<(&'static str, Vec<u8>)>) -> Value {
    let keys = objects.into_iter().filter(|(object, _)| object.contains("key"));
    keys.map(|(object, bytes)| (object.to_string(), json!(sha256(&bytes)))).collect::<serde_json::Map<_, _>>().into()
}

/// Adds the hashes to `values.json` at `path`.
pub fn write_hashes(path: &Path, hashes: Value) {
    let mut all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    all["from_seed"] = hashes;
    std::fs::write(path, serde_json::to_string_pretty(&all).unwrap() + "\n").unwrap();
}

#[test]
#[ignore = "no test: with RINGJET_BLESS=1 it writes vectors/"]
fn bless() {
    let objects_too = blessed();
    for (name, spec, kept) in sets() {
        let set = Set::new(&spec, SEED);
        if !objects_too {
            write_hashes(&folder(name).join("values.json"), hashes(set.bytes()));
            continue;
        }
        std::fs::create_dir_all(folder(name)).unwrap();
        let mut objects = serde_json::Map::new();
        for (object, bytes) in set.bytes() {
            if kept.is_empty() || kept.contains(&object) {
                objects.insert(object.into(), describe(&set, object, &bytes));
                std::fs::write(folder(name).join(object).with_extension("rjet"), bytes).unwrap();
            }
        }
        let all = json!({
            "fingerprint": set.params().fingerprint_hex(),
            "key": set.secret.key_id().to_string(),
            "objects": objects,
            "from_seed": hashes(set.bytes()),
        });
        let text = serde_json::to_string_pretty(&all).unwrap() + "\n";
        std::fs::write(folder(name).join("values.json"), text).unwrap();
    }
}

#[track_caller]
pub fn close(got: &[Complex64], want: &[Complex64], bound: f64) {
    assert_eq!(got.len(), want.len());
    for (a, b) in got.iter().zip(want) {
        assert!((a.re - b.re).abs() < bound && (a.im - b.im).abs() < bound, "{a:?} for {b:?}");
    }
}

/// The stated slots.
pub fn stated(object: &Value) -> Vec<Complex64> {
    let part = |z: &Value, i: usize| z[i].as_f64().unwrap();
    object["values"].as_array().unwrap().iter().map(|z| Complex64 { re: part(z, 0), im: part(z, 1) }).collect()
}

fn replay(name: &str, backend: Arc<dyn Backend>) {
    let read = |object: &str| std::fs::read(folder(name).join(object).with_extension("rjet")).unwrap();
    let text = std::fs::read_to_string(folder(name).join("values.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    let objects = all["objects"].as_object().unwrap();

    let params = Parameters::from_bytes(&read("parameters"), LIMITS).unwrap();
    assert_eq!(params.fingerprint_hex(), all["fingerprint"]);
    assert_eq!(serde_json::to_value(params.spec()).unwrap(), objects["parameters"]);
    let ctx = Context::new(&params, backend);
    for object in objects.keys() {
        let bytes = read(object);
        assert_eq!(peek(&bytes).unwrap().fingerprint_hex(), all["fingerprint"]);
        assert!(reload(&ctx, &bytes).unwrap() == bytes, "{object} is written differently now");
    }

    let secret = SecretKey::from_secret_bytes(&params, &read("secret_key"), LIMITS).unwrap();
    assert_eq!(secret.key_id().to_string(), all["key"]);
    for (object, about) in objects.iter().filter(|(object, _)| object.starts_with("ciphertext")) {
        let c = Ciphertext::from_bytes(&ctx, &read(object), LIMITS).unwrap();
        assert_eq!(c.key_id(), secret.key_id());
        let (hi, lo) = c.scale().parts();
        assert_eq!(
            [c.polys(), c.level(), c.count()].map(|x| x as u64),
            ["polynomials", "level", "count"].map(|name| about[name].as_u64().unwrap())
        );
        assert_eq!(json!([bits(hi), bits(lo)]), about["scale"]);
        assert_eq!(
            json!([bits(c.noise().variance()), bits(c.noise().bound()), bits(c.noise().magnitude())]),
            about["noise"]
        );
        assert_eq!(json!(c.seed().map(|s| s.to_string())), about["seed"]);
        close(&secret.decrypt_values(&ctx, &c).unwrap().0, &stated(about), 1e-9);
    }

    // computing with the loaded keys gives right results
    let fresh = Ciphertext::from_bytes(&ctx, &read("ciphertext_seeded"), LIMITS).unwrap();
    let x = stated(&objects["ciphertext_seeded"]);
    let n = x.len() as i64;
    let turned = |by: i64| (0..n).map(|i| x[(i + by).rem_euclid(n) as usize]).collect::<Vec<_>>();
    let keys = EvaluationKeys::from_bytes(&ctx, &read("evaluation_keys"), LIMITS).unwrap();
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let expect = |ct: Ciphertext, want: &[Complex64]| close(&secret.decrypt_values(&ctx, &ct).unwrap().0, want, 1e-4);
    for by in ROTATIONS {
        expect(eval.rotate(&fresh, by).unwrap(), &turned(by));
    }
    expect(eval.conjugate(&fresh).unwrap(), &x.iter().map(|z| Complex64 { re: z.re, im: -z.im }).collect::<Vec<_>>());
    expect(eval.mul_auto(&fresh, &fresh).unwrap(), &x.iter().map(|&z| z * z).collect::<Vec<_>>());
    let public = PublicKey::from_bytes(&ctx, &read("public_key"), LIMITS).unwrap();
    let plaintext = Plaintext::encode(&ctx, &x, params.top_level(), params.scale(params.top_level()), 4).unwrap();
    expect(public.encrypt(&ctx, &plaintext, &Seed::from_bytes([1; 32])).unwrap(), &x);
    // the same residues in every version, on every backend, in every form of keys
    let same = |made: &Ciphertext, object: &str| {
        let (bytes, kept) = (made.to_bytes(&ctx).unwrap(), read(object));
        let equal = |range: Range<usize>| bytes[range.clone()] == kept[range];
        assert_eq!(bytes.len(), kept.len());
        assert!(equal(0..ESTIMATES.start) && equal(ESTIMATES.end..kept.len() - CHECKSUM_LEN), "{name}: {object}");
    };
    if objects.contains_key("ciphertext_low") {
        let full = Ciphertext::from_bytes(&ctx, &read("ciphertext"), LIMITS).unwrap();
        same(&eval.mul(&fresh, &fresh).unwrap(), "ciphertext_3");
        same(&eval.mul_auto(&fresh, &full).unwrap(), "ciphertext_low");
    }
    if objects.contains_key("ciphertext_bootstrapped") {
        for memory in [KeyMemory::Expanded, KeyMemory::Compressed] {
            let ctx = ctx.clone().with_key_memory(memory);
            let keys = EvaluationKeys::from_bytes(&ctx, &read("evaluation_keys"), LIMITS).unwrap();
            let made = Evaluator::bootstrapping(&ctx, Arc::new(keys)).unwrap().bootstrap(&fresh).unwrap();
            same(&made, "ciphertext_bootstrapped");
            expect(made, &x);
        }
    }
    if let Some(about) = objects.get("plaintext") {
        let p = Plaintext::from_bytes(&ctx, &read("plaintext"), LIMITS).unwrap();
        close(&p.decode(&ctx).unwrap().0, &stated(about), 1e-9);
        let key = SwitchingKey::from_bytes(&ctx, &read("switching_key"), LIMITS).unwrap();
        assert!(
            read("evaluation_keys")
                .windows(1000)
                .any(|w| w == &key.to_bytes(&ctx).unwrap()[HEADER_LEN..HEADER_LEN + 1000])
        );
    }
}

#[test]
fn vectors_load_on_the_reference_backend() {
    for (name, ..) in sets() {
        replay(name, Arc::new(Reference::default()));
    }
}

#[test]
fn vectors_load_on_the_cpu_backend() {
    for (name, ..) in sets() {
        replay(name, Arc::new(CpuBackend::new(CpuConfig::default()).unwrap()));
    }
}

/// A client that keeps a seed instead of keys gets the same keys in every version.
#[test]
fn the_same_seed_makes_the_same_keys() {
    for (name, spec, _) in sets() {
        let set = Set::on(&spec, SEED, Arc::new(CpuBackend::new(CpuConfig::default()).unwrap()));
        let text = std::fs::read_to_string(folder(name).join("values.json")).unwrap();
        let all: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(hashes(set.bytes()), all["from_seed"], "{name}");
    }
}
