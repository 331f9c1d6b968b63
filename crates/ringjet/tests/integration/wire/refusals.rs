//! Every reason to refuse bytes has its own error.

use ringjet::wire::{CHECKSUM_LEN, HEADER_LEN, Limits, Object, peek, secret_answers, set_secret_answers};
use ringjet::{Ciphertext, Context, Error, EvaluationKeys, ParamSpec, Parameters, SecretKey};

use super::ckks::{Set, boot, reload_as, tiny};
use super::objects::{LIMITS, Objects, mend, with};

/// Position of the ciphertext's parts.
const SHAPE: usize = HEADER_LEN;
const NOISE: usize = SHAPE + 24;
const NOISE_LEN: usize = 66;

fn set() -> Set {
    Set::new(&tiny(), 11)
}

#[track_caller]
fn refused(ctx: &Context, bytes: &[u8], kind: Object, at: usize, why: &str) {
    match reload_as(kind, ctx, bytes, LIMITS) {
        Err(Error::Malformed { what, reason, offset }) => {
            assert_eq!((what, offset), (kind.name(), at), "{reason}");
            assert!(reason.contains(why), "{reason}");
        }
        other => panic!("{other:?} where {why:?} was expected"),
    }
}

#[test]
fn headers() {
    let set = set();
    let good = set.full().to_bytes(&set.ctx).unwrap();
    let (ctx, kind) = (&set.ctx, Object::Ciphertext);
    refused(ctx, &with(&good, 0, b"RJEX"), kind, 0, "RJET");
    refused(ctx, &with(&good, 4, &[0, 0]), kind, 4, "version 0");
    refused(ctx, &with(&good, 6, &[99]), kind, 6, "unknown scheme 99");
    refused(ctx, &with(&good, 6, &[0]), kind, 6, "unknown scheme 0");
    refused(ctx, &with(&good, 6, &[2]), kind, 6, "this is a HEAAN ciphertext, not a CKKS ciphertext");
    refused(ctx, &with(&good, 7, &[0]), kind, 7, "unknown object 0");
    refused(ctx, &with(&good, 7, &[13]), kind, 7, "unknown object 13");
    let mut short = good.clone();
    short[24..32].copy_from_slice(&51u64.to_le_bytes());
    refused(ctx, &short, kind, 24, "shorter than header");
    let mut damaged = good.clone();
    damaged[HEADER_LEN + 50] ^= 1;
    refused(ctx, &damaged, kind, good.len() - 4, "checksum");
    let newer = with(&good, 4, &[3, 0]);
    assert_eq!(set.reload(&newer), Err(Error::NewerVersion { what: "object", found: 3, supported: 2 }), "through peek");
    let refused = Ciphertext::from_bytes(&set.ctx, &newer, LIMITS).unwrap_err();
    assert_eq!(refused, Error::NewerVersion { what: "ciphertext", found: 3, supported: 2 });
    assert!(refused.to_string().contains("upgrade"));
    // the header of version 1 that a ciphertext had: kind 7, flags 0
    let older = with(&good, 4, &[1, 0, 7, 0]);
    let refused = Ciphertext::from_bytes(&set.ctx, &older, LIMITS).unwrap_err();
    assert_eq!(refused, Error::OldVersion { what: "ciphertext", found: 1, supported: 2 });
    assert!(refused.to_string().contains("make the object again"));
    assert_eq!(peek(&older), Err(Error::OldVersion { what: "object", found: 1, supported: 2 }));
    assert!(matches!(peek(&good[..31]), Err(Error::Malformed { offset: 24, .. })));
    assert!(matches!(peek(&good[..HEADER_LEN - 1]), Err(Error::Malformed { offset: 32, .. })));
}

/// Descriptions of parameters have their own limit.
#[test]
fn too_long_parameters() {
    let mut long = set().params().to_bytes().unwrap();
    let at = long.len() - 4;
    long.splice(at..at, std::iter::repeat_n(b' ', 65536));
    mend(&mut long);
    let refused = Parameters::from_bytes(&long, LIMITS).unwrap_err();
    assert!(matches!(refused, Error::TooManyBytes { limit: 65588, .. }), "{refused:?}");
}

#[test]
fn ciphertext_fields() {
    let set = set();
    let (ctx, kind) = (&set.ctx, Object::Ciphertext);
    let good = set.full().to_bytes(ctx).unwrap();
    let polys = NOISE + NOISE_LEN;
    for count in [0u8, 1, 4, 255] {
        refused(ctx, &with(&good, polys, &[count]), kind, polys, "polynomials");
    }
    refused(ctx, &with(&good, polys, &[3]), kind, polys + 2, "bytes follow where");
    refused(ctx, &with(&good, polys + 1, &[2]), kind, polys + 1, "where 0 or 1 belongs");
    refused(ctx, &with(&good, polys + 1, &[1]), kind, polys + 34, "bytes follow where");
    refused(ctx, &with(&good, SHAPE, &[5]), kind, SHAPE, "slots");
    refused(ctx, &with(&good, SHAPE, &[255]), kind, SHAPE, "slots");
    // how many slots hold values, and whether the others are 0
    for count in [0u32, 17, u32::MAX] {
        refused(ctx, &with(&good, SHAPE + 1, &count.to_le_bytes()), kind, SHAPE + 1, "values do not fit 16 slots");
    }
    refused(ctx, &with(&good, SHAPE + 1, &[16, 0, 0, 0, 1]), kind, SHAPE + 1, "16 values do not fit");
    refused(ctx, &with(&good, SHAPE + 5, &[2]), kind, SHAPE + 5, "where 0 or 1 belongs");
    refused(ctx, &with(&good, SHAPE + 6, &[3, 0]), kind, SHAPE + 6, "level 3");
    refused(ctx, &with(&good, SHAPE + 6, &[255, 255]), kind, SHAPE + 6, "level 65535");
    refused(ctx, &with(&good, SHAPE + 6, &[1, 0]), kind, polys + 2, "bytes follow where");
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 2f64.powi(300), 2f64.powi(-301), f64::MIN_POSITIVE / 2.0] {
        refused(ctx, &with(&good, SHAPE + 8, &scale.to_le_bytes()), kind, SHAPE + 8, "no scale");
    }
    for low in [f64::NAN, f64::INFINITY, 1.0e9] {
        refused(ctx, &with(&good, SHAPE + 16, &low.to_le_bytes()), kind, SHAPE + 8, "no scale");
    }
    for x in [-1.0, f64::NAN, f64::INFINITY] {
        refused(ctx, &with(&good, NOISE, &x.to_le_bytes()), kind, NOISE, "noise");
        refused(ctx, &with(&good, NOISE + 8, &x.to_le_bytes()), kind, NOISE, "noise");
        refused(ctx, &with(&good, NOISE + 16, &x.to_le_bytes()), kind, NOISE, "noise");
    }
    // a lower bound above the upper one, and an invalid flag
    refused(ctx, &with(&good, NOISE + 24, &2f64.to_le_bytes()), kind, NOISE, "noise");
    refused(ctx, &with(&good, NOISE + 64, &[2]), kind, NOISE + 64, "where 0 or 1 belongs");
    refused(ctx, &with(&good, NOISE + 65, &[2]), kind, NOISE + 65, "where 0 or 1 belongs");
    let seeded = set.fresh().to_bytes(ctx).unwrap();
    refused(ctx, &with(&seeded, polys, &[3]), kind, polys, "3 polynomials where 2..=2");
    refused(ctx, &with(&seeded, polys + 1, &[0]), kind, polys + 2, "bytes follow where");
}

#[test]
fn residues_at_the_modulus() {
    let set = set();
    let ctx = &set.ctx;
    let good = set.plaintext.to_bytes(ctx).unwrap();
    let at = SHAPE + 24 + 32;
    // the first residue has 55 bits: q itself is refused, q - 1 is not
    let q = set.params().q().modulus(0).value();
    let first = u64::from_le_bytes(good[at..at + 8].try_into().unwrap());
    let replaced = |v: u64| with(&good, at, &((first >> 55 << 55) | v).to_le_bytes());
    refused(ctx, &replaced(q), Object::Plaintext, at, "residue 0 of a polynomial is not below its modulus");
    assert_eq!(set.reload(&replaced(q - 1)).unwrap(), replaced(q - 1));
    // all bits set in the ninth residue of the last limb
    let bits = set.params().q().modulus(2).bits() as usize;
    let last = good.len() - 4 - 32 * bits / 8;
    refused(ctx, &with(&good, last + bits, &[0xff; 5]), Object::Plaintext, last + bits, "residue 8 of");
}

#[test]
fn evaluation_key_lists() {
    let set = set();
    let (ctx, kind) = (&set.ctx, Object::EvaluationKeys);
    let good = set.keys.to_bytes(ctx).unwrap();
    let each = (good.len() - HEADER_LEN - 9) / 4;
    let element = |i: usize| HEADER_LEN + 4 + i * each;
    let count = |count: u32| with(&good, HEADER_LEN, &count.to_le_bytes());
    // the byte after the keys is the number of ephemeral secrets
    let end = element(4);
    refused(ctx, &count(0), kind, element(0) + 1, "bytes follow where");
    refused(ctx, &count(5), kind, end, "truncated: 4 bytes wanted, 1 left");
    refused(ctx, &count(u32::MAX), kind, end, "truncated: 4 bytes wanted, 1 left");
    refused(ctx, &with(&good, end, &[1]), kind, end + 1, "parameters that do not bootstrap");
    refused(ctx, &with(&good, end, &[2]), kind, end + 1, "parameters that do not bootstrap");
    assert!(reload_as(kind, ctx, &count(3), LIMITS).is_err());
    refused(ctx, &with(&good, element(1) + 4, &[3, 0, 0, 0]), kind, element(1) + 4, "above the highest level 2");
    // keys for lower levels are smaller
    for level in 0..2u32 {
        assert!(reload_as(kind, ctx, &with(&good, element(1) + 4, &level.to_le_bytes()), LIMITS).is_err());
    }
    refused(ctx, &with(&good, element(0), &2u32.to_le_bytes()), kind, element(0), "no Galois element");
    refused(ctx, &with(&good, element(0), &1u32.to_le_bytes()), kind, element(0), "no Galois element");
    refused(ctx, &with(&good, element(3), &65u32.to_le_bytes()), kind, element(3), "no Galois element");
    refused(ctx, &with(&good, element(3), &u32::MAX.to_le_bytes()), kind, element(3), "no Galois element");
    refused(ctx, &with(&good, element(1), &0u32.to_le_bytes()), kind, element(1), "out of order");
    let twice = good[element(1)..element(1) + 4].to_vec();
    refused(ctx, &with(&good, element(2), &twice), kind, element(2), "out of order");
    assert!(EvaluationKeys::from_bytes(ctx, &good, LIMITS).is_ok());
}

#[test]
fn secret_keys() {
    let set = set();
    let good = set.secret.to_secret_bytes();
    let kind = Object::SecretKey;
    refused(&set.ctx, &with(&good, HEADER_LEN + 3, &[0b1000]), kind, HEADER_LEN, "-1, 0, 1");
    let mut short = good.to_vec();
    short.remove(HEADER_LEN);
    mend(&mut short);
    refused(&set.ctx, &short, kind, HEADER_LEN, "15 bytes follow where 16 belong");
    assert!(!format!("{:?}", SecretKey::from_secret_bytes(set.params(), &good, LIMITS).unwrap()).contains("[0"));
}

#[test]
fn counts_of_answers() {
    let set = set();
    let mut bytes = set.secret.to_secret_bytes().to_vec();
    assert_eq!(secret_answers(&bytes).unwrap(), (set.secret.key_id(), 0));
    set_secret_answers(&mut bytes, 9).unwrap();
    assert_eq!(secret_answers(&bytes).unwrap(), (set.secret.key_id(), 9));
    assert_eq!(SecretKey::from_secret_bytes(set.params(), &bytes, LIMITS).unwrap().answers_given(), 9);
    // damaged bytes, truncated ones, and other objects
    let mut damaged = bytes.clone();
    damaged[HEADER_LEN] ^= 1;
    for wrong in [&damaged, &bytes[..bytes.len() - 1], &bytes[..HEADER_LEN], &set.params().to_bytes().unwrap()] {
        assert!(matches!(secret_answers(wrong), Err(Error::Malformed { .. })));
        assert!(set_secret_answers(&mut wrong.to_vec(), 1).is_err());
    }
}

#[test]
fn parameter_sets() {
    let set = set();
    let good = set.params().to_bytes().unwrap();
    // where fields are: log_n, q, p, scale_bits, alpha, security, allow_insecure, levels, bootstrap, digits, pieces
    let (q, p) = (HEADER_LEN + 4, HEADER_LEN + 4 + 4 + 3 * 8);
    let scale_bits = p + 4 + 2 * 8;
    let (alpha, security, insecure, levels) = (scale_bits + 4, scale_bits + 8, scale_bits + 12, scale_bits + 13);
    assert_eq!(good.len(), levels + 3 + 4 + CHECKSUM_LEN);
    let load = |at: usize, new: &[u8]| Parameters::from_bytes(&with(&good, at, new), LIMITS);
    let malformed = |at: usize, new: &[u8], offset: usize, why: &str| match load(at, new) {
        Err(Error::Malformed { reason, offset: found, .. }) => {
            assert!(reason.contains(why) && found == offset, "{found}: {reason}");
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(&load(HEADER_LEN, &[]).unwrap(), set.params());
    for (at, tag) in [(insecure, 2), (levels, 2), (levels + 1, 3), (levels + 2, 255)] {
        malformed(at, &[tag], at, "where 0 or 1 belongs");
    }
    malformed(q, &u32::MAX.to_le_bytes(), good.len() - CHECKSUM_LEN, "truncated: 8 bytes wanted, 0 left");
    malformed(levels, &[1], levels + 5, "truncated: 4 bytes wanted, 2 left");
    let mut long = good.clone();
    long.insert(good.len() - CHECKSUM_LEN, 0);
    mend(&mut long);
    let refused = Parameters::from_bytes(&long, LIMITS).unwrap_err();
    assert!(matches!(&refused, Error::Malformed { reason, .. } if reason.starts_with("1 bytes follow")), "{refused}");
    // what Parameters::new refuses is refused
    assert!(matches!(load(HEADER_LEN, &[255; 4]), Err(Error::Parameters(_))));
    assert!(matches!(load(HEADER_LEN, &[17, 0, 0, 0]), Err(Error::Math(_))));
    assert!(matches!(load(security, &[129]), Err(Error::Parameters(_))));
    assert!(matches!(load(alpha, &[0]), Err(Error::Parameters(_))));
    assert!(matches!(load(insecure, &[0]), Err(Error::Insecure { .. })));
    // accepted parameters have another fingerprint than the header says
    assert!(matches!(load(security, &192u32.to_le_bytes()), Err(Error::ParameterMismatch { .. })));
    // also where primes would have to be searched
    let spec = ringjet::ParamSpec { log_n: u32::MAX, ..tiny() };
    assert!(matches!(Parameters::new(&spec), Err(Error::Parameters(_))));
    // found by fuzzing: no primes at all, and a level prime far from the scale (minutes of search)
    let json = r#"{"log_n":12,"q":{"bits":[46,34,25]},"p":{"bits":[50]},"scale_bits":34,"allow_insecure":true}"#;
    let refused = Parameters::new(&serde_json::from_str(json).unwrap()).unwrap_err();
    assert!(refused.to_string().contains("the scale drifts from 2^34"), "{refused}");
    let json = r#"{"log_n":7,"q":{"bits":[]},"p":{"bits":[46]},"scale_bits":36,"allow_insecure":true}"#;
    let refused = Parameters::new(&serde_json::from_str(json).unwrap()).unwrap_err();
    assert!(refused.to_string().contains("at least one ciphertext prime"), "{refused}");
    // a set that may be insecure by its own account needs the reader's permission
    let refused = Parameters::from_bytes(&good, Limits::default()).unwrap_err();
    assert!(matches!(refused, Error::Insecure { log_n: 5, .. }), "{refused:?}");
    assert!(Parameters::from_bytes(&good, Limits::default().allow_insecure()).is_ok());
}

/// Every change of a parameter description changes its bytes and its fingerprint, and is read back.
#[test]
fn parameters_have_one_encoding() {
    let with = |change: fn(&mut ParamSpec)| {
        let mut spec = Parameters::new(&boot()).unwrap().spec().clone();
        change(&mut spec);
        spec
    };
    let specs = [
        Parameters::new(&tiny()).unwrap().spec().clone(),
        with(|_| {}),
        with(|spec| spec.security = 192),
        with(|spec| spec.bootstrap.as_mut().unwrap().secret_weight = 9),
        with(|spec| spec.bootstrap.as_mut().unwrap().k = 15),
    ];
    let mut seen = std::collections::HashSet::new();
    for spec in &specs {
        let params = Parameters::new(spec).unwrap();
        let bytes = params.to_bytes().unwrap();
        let again = Parameters::from_bytes(&bytes, LIMITS).unwrap();
        assert_eq!((again.spec(), again.fingerprint()), (spec, params.fingerprint()));
        assert_eq!(again.to_bytes().unwrap(), bytes);
        assert!(seen.insert(*params.fingerprint()));
    }
}
