//! `vectors/`: objects written by past versions. They must always load, with the values stated
//! beside them.
//!
//! The seeds of CKKS in these files are bound to parameters as in version 1. The objects that seeds make
//! now are kept as SHA-256 hashes: `from_seed` in `values.json`. The set `boot` was written again when its
//! parameters changed, before the first release.
//!
//! After a change of the format, write vectors of a new version, never of this one, with
//! `RINGJET_BLESS=1 cargo test -p ringjet --test integration bless -- --ignored`;
//! `RINGJET_BLESS=seeds` writes the hashes only.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use ringjet::wire::{CHECKSUM_LEN, HEADER_LEN, peek};
use ringjet_backend::{Backend, Reference};
use ringjet_cpu::{CpuBackend, CpuConfig};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::objects::Objects;
use super::{bgv, ckks, heaan};

/// Reads the objects of a scheme, given its files by their names.
type Load = fn(&dyn Fn(&str) -> Option<Vec<u8>>, Arc<dyn Backend>) -> Box<dyn Objects>;

/// Objects in a folder of `vectors/v2`.
struct Vectors {
    name: &'static str,
    /// The objects that are kept; if none is named, all.
    kept: &'static [&'static str],
    /// The positions of the estimates of noise in a ciphertext's bytes. Estimates may improve.
    estimates: Range<usize>,
    /// Makes the objects from the seed of the folder.
    make: fn(Arc<dyn Backend>) -> Box<dyn Objects>,
    /// Loads them.
    load: Load,
}

/// All objects of small rings, and some of the ring with the order of large rings and of the ring
/// that bootstraps.
fn sets() -> [Vectors; 7] {
    const SOME: [&str; 7] = [
        "parameters",
        "secret_key",
        "public_key",
        "evaluation_keys",
        "ciphertext_seeded",
        "ciphertext",
        "ciphertext_bootstrapped",
    ];
    const IN_CKKS: Range<usize> = HEADER_LEN + 24..HEADER_LEN + 90;
    const IN_BGV: Range<usize> = HEADER_LEN + 25..HEADER_LEN + 49;
    const IN_HEAAN: Range<usize> = HEADER_LEN + 10..HEADER_LEN + 26;
    let set = |name, kept, estimates, make, load| Vectors { name, kept, estimates, make, load };
    [
        set("tiny", &[], IN_CKKS, |b| Box::new(ckks::Set::on(&ckks::tiny(), 77, b)), ckks::Set::stored),
        set("n10", &SOME[..6], IN_CKKS, |b| Box::new(ckks::Set::on(&ckks::n10(), 77, b)), ckks::Set::stored),
        set("boot", &SOME, IN_CKKS, |b| Box::new(ckks::Set::on(&ckks::boot(), 77, b)), ckks::Set::stored),
        set("bgv", &[], IN_BGV, |b| Box::new(bgv::Set::on(&bgv::tiny(), 79, b)), bgv::Set::stored),
        set("bfv", &[], IN_BGV, |b| Box::new(bgv::Set::on(&bgv::tiny().bfv(), 79, b)), bgv::Set::stored),
        set("bgv_crt", &[], IN_BGV, |b| Box::new(bgv::Set::on(&bgv::several(), 79, b)), bgv::Set::stored),
        set("heaan", &[], IN_HEAAN, |b| Box::new(heaan::Set::on(&heaan::tiny(), 78, b)), heaan::Set::stored),
    ]
}

impl Vectors {
    fn file(&self, name: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/v2").join(self.name).join(name)
    }

    fn read(&self, object: &str) -> Option<Vec<u8>> {
        std::fs::read(self.file(object).with_extension("rjet")).ok()
    }

    fn values(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(self.file("values.json")).unwrap()).unwrap()
    }
}

/// The SHA-256 of each key that a seed makes.
fn hashes(set: &dyn Objects) -> Value {
    let sha256 = |bytes: Vec<u8>| Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect::<String>();
    let keys = set.bytes().into_iter().filter(|(object, _)| object.contains("key"));
    keys.map(|(object, bytes)| (object.to_string(), json!(sha256(bytes)))).collect::<serde_json::Map<_, _>>().into()
}

/// JSON with one line for each entry of an object, unless the object is three levels deep and
/// contains no other: then it is one line.
fn lines(value: &Value, depth: usize) -> String {
    let Some(all) = value.as_object().filter(|all| depth < 2 || all.values().any(Value::is_object)) else {
        return value.to_string();
    };
    let start = format!("\n{}", " ".repeat(depth));
    let entries: Vec<_> = all.iter().map(|(key, each)| format!("{}:{}", json!(key), lines(each, depth + 1))).collect();
    format!("{{{start} {}{start}}}", entries.join(&format!(",{start} ")))
}

#[test]
#[ignore = "no test: with RINGJET_BLESS=1 it writes vectors/"]
fn bless() {
    let objects_too = match std::env::var("RINGJET_BLESS").as_deref() {
        Ok("1") => true,
        Ok("seeds") => false,
        _ => panic!("RINGJET_BLESS=1 overwrites the vectors, RINGJET_BLESS=seeds the hashes in them"),
    };
    for vectors in sets() {
        let set = (vectors.make)(Arc::new(Reference::default()));
        let mut all = if objects_too {
            std::fs::create_dir_all(vectors.file("")).unwrap();
            let mut objects = serde_json::Map::new();
            for (object, bytes) in set.bytes() {
                if vectors.kept.is_empty() || vectors.kept.contains(&object) {
                    objects.insert(object.into(), set.describe(object, &bytes));
                    std::fs::write(vectors.file(object).with_extension("rjet"), bytes).unwrap();
                }
            }
            json!({"fingerprint": set.fingerprint(), "key": set.key_id().to_string(), "objects": objects})
        } else {
            vectors.values()
        };
        all["from_seed"] = hashes(&*set);
        std::fs::write(vectors.file("values.json"), lines(&all, 0) + "\n").unwrap();
    }
}

/// Equal, except for values of slots, which have small errors.
#[track_caller]
fn agree(mut found: Value, stated: &Value) {
    fn near(a: &Value, b: &Value) -> bool {
        match (a.as_array(), b.as_array()) {
            (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b)),
            _ => (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-9,
        }
    }
    let mut stated = stated.clone();
    if let (Some(a), Some(b)) = (found.get_mut("values"), stated.get_mut("values")) {
        let (a, b) = (a.take(), b.take());
        assert!(near(&a, &b), "{a} for {b}");
    }
    assert_eq!(found, stated);
}

fn replay(vectors: &Vectors, backend: Arc<dyn Backend>) {
    let all = vectors.values();
    let objects = all["objects"].as_object().unwrap();
    let set = (vectors.load)(&|object| vectors.read(object), backend);
    assert_eq!(
        (json!(set.fingerprint()), json!(set.key_id().to_string())),
        (all["fingerprint"].clone(), all["key"].clone())
    );
    for (object, stated) in objects {
        let bytes = vectors.read(object).unwrap();
        assert_eq!(peek(&bytes).unwrap().fingerprint_hex(), all["fingerprint"]);
        assert!(set.reload(&bytes).unwrap() == bytes, "{object} is written differently now");
        agree(set.describe(object, &bytes), stated);
    }
    // computing with the loaded keys gives right results
    set.compute();
    // the same residues in every version, on every backend
    for (object, made) in set.bytes().into_iter().filter(|(object, _)| objects.contains_key(*object)) {
        let kept = vectors.read(object).unwrap();
        let Range { start, end } = if object.starts_with("ciphertext") { vectors.estimates.clone() } else { 0..0 };
        let equal = |range: Range<usize>| made[range.clone()] == kept[range];
        assert_eq!(made.len(), kept.len());
        assert!(equal(0..start) && equal(end..kept.len() - CHECKSUM_LEN), "{}: {object}", vectors.name);
    }
}

fn cpu() -> Arc<dyn Backend> {
    Arc::new(CpuBackend::new(CpuConfig::default()).unwrap())
}

#[test]
fn vectors_load_on_the_reference_backend() {
    sets().iter().for_each(|vectors| replay(vectors, Arc::new(Reference::default())));
}

#[test]
fn vectors_load_on_the_cpu_backend() {
    sets().iter().for_each(|vectors| replay(vectors, cpu()));
}

/// A client that keeps a seed instead of keys gets the same keys in every version.
#[test]
fn the_same_seed_makes_the_same_keys() {
    for vectors in sets() {
        assert_eq!(hashes(&*(vectors.make)(cpu())), vectors.values()["from_seed"], "{}", vectors.name);
    }
}
