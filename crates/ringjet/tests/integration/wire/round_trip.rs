//! Objects read back are equal, bit for bit, and work.

use std::io::Write;
use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::wire::{self, Limits, Object, peek};
use ringjet::{
    Ciphertext, Context, Error, EvaluationKeys, Evaluator, Parameters, Plaintext, PublicKey, SecretKey, SwitchingKey,
};
use ringjet_backend::Reference;

use super::ckks::{Set, n10, tiny};
use super::objects::{LIMITS, Objects, ROTATIONS, close, complex_values};

/// A client encrypts, a server with its own context and backend computes, the client decrypts.
#[test]
fn a_conversation() {
    let client = Set::new(&tiny(), 2);
    let sent = client.bytes();
    let bytes = |name: &str| &sent.iter().find(|(n, _)| *n == name).unwrap().1;

    let params = Parameters::from_bytes(bytes("parameters"), LIMITS).unwrap();
    assert_eq!(&params, client.params());
    assert_eq!(params.spec(), client.params().spec());
    let ctx = Context::new(&params, Arc::new(Reference::default()));
    let keys = EvaluationKeys::from_bytes(&ctx, bytes("evaluation_keys"), LIMITS).unwrap();
    assert_eq!((keys.len(), keys.conjugation().is_ok()), (2 + ROTATIONS.len(), true));
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let x = Ciphertext::from_bytes(&ctx, bytes("ciphertext_seeded"), LIMITS).unwrap();
    let public = PublicKey::from_bytes(&ctx, bytes("public_key"), LIMITS).unwrap();
    let plaintext = Plaintext::from_bytes(&ctx, bytes("plaintext"), LIMITS).unwrap();
    assert_eq!(plaintext.decode(&ctx).unwrap(), client.plaintext.decode(&client.ctx).unwrap());
    let y = public.encrypt(&ctx, &plaintext, &Seed::from_bytes([9; 32])).unwrap();
    let product = eval.mul_auto(&eval.rotate(&x, 1).unwrap(), &y).unwrap();
    let answer = product.to_bytes(&ctx).unwrap();

    let answer = Ciphertext::from_bytes(&client.ctx, &answer, LIMITS).unwrap();
    assert_eq!((answer.level(), answer.scale(), answer.noise()), (product.level(), product.scale(), product.noise()));
    let v = complex_values();
    let want: Vec<_> = (0..16).map(|i| v[(i + 1) % 16] * v[i]).collect();
    close(&client.decrypt(&answer), &want, 1e-4);

    // the client in a later process
    let secret = SecretKey::from_secret_bytes(&params, bytes("secret_key"), LIMITS).unwrap();
    close(&secret.decrypt_values(&client.ctx, &answer).unwrap().0, &want, 1e-4);
}

#[test]
fn loaded_ciphertexts_decrypt_to_the_same_bits() {
    let set = Set::new(&tiny(), 3);
    for ct in [set.fresh(), set.full(), set.square(), set.product()] {
        let back = Ciphertext::from_bytes(&set.ctx, &ct.to_bytes(&set.ctx).unwrap(), LIMITS).unwrap();
        assert_eq!(format!("{back:?}"), format!("{ct:?}"));
        assert_eq!((back.scale(), back.noise(), back.seed()), (ct.scale(), ct.noise(), ct.seed()));
        assert_eq!(set.decrypt(&back), set.decrypt(&ct));
    }
}

#[test]
fn switching_keys_are_the_same_alone_and_in_a_set() {
    let set = Set::new(&tiny(), 4);
    let key = set.keys.rotation(1).unwrap();
    let bytes = key.to_bytes(&set.ctx).unwrap();
    let back = SwitchingKey::from_bytes(&set.ctx, &bytes, LIMITS).unwrap();
    assert_eq!(back.to_bytes(&set.ctx).unwrap(), bytes);
    let all = set.keys.to_bytes(&set.ctx).unwrap();
    let body = &bytes[wire::HEADER_LEN..bytes.len() - wire::CHECKSUM_LEN];
    assert!(all.windows(body.len()).any(|w| w == body));
    let empty = EvaluationKeys::empty(set.params()).to_bytes(&set.ctx).unwrap();
    assert_eq!(empty.len(), 48 + 4 + 1 + 4);
    assert!(EvaluationKeys::from_bytes(&set.ctx, &empty, LIMITS).unwrap().is_empty());
}

/// Sizes by the formulas of `docs/design/wire-format.md`.
#[test]
fn sizes() {
    let set = Set::new(&tiny(), 5);
    let q: Vec<usize> = set.params().q().primes().iter().map(|q| 4 * q.modulus().bits() as usize).collect();
    let p: Vec<usize> = set.params().p().primes().iter().map(|q| 4 * q.modulus().bits() as usize).collect();
    let (sum_q, sum_p): (usize, usize) = (q.iter().sum(), p.iter().sum());
    let want = [
        ("secret_key", 52 + 8 + 8),
        ("public_key", 52 + 32 + p[1] + sum_q),
        ("evaluation_keys", 52 + 4 + 4 * (4 + 4 + 1 + 32 + 2 * (sum_p + sum_q)) + 1),
        ("switching_key", 52 + 4 + 1 + 32 + 2 * (sum_p + sum_q)),
        ("plaintext", 52 + 24 + 32 + sum_q),
        ("ciphertext_seeded", 52 + 92 + 32 + sum_q),
        ("ciphertext", 52 + 92 + 2 * sum_q),
        ("ciphertext_3", 52 + 92 + 3 * sum_q),
        ("ciphertext_low", 52 + 92 + 2 * (q[0] + q[1])),
    ];
    let bytes = set.bytes();
    for (name, len) in want {
        assert_eq!(bytes.iter().find(|(n, _)| *n == name).unwrap().1.len(), len, "{name}");
    }
}

/// A writer that accepts a few bytes and then is full.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if bytes.len() > self.0 {
            return Err(std::io::Error::other("no space"));
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn write_to_streams_the_same_bytes_and_reports_failure() {
    let set = Set::new(&tiny(), 6);
    let ct = set.full();
    let mut out = b"before".to_vec();
    ct.write_to(&set.ctx, &mut out).unwrap();
    assert_eq!(out[6..], ct.to_bytes(&set.ctx).unwrap());
    for room in [0, 40, 200] {
        let refused = ct.write_to(&set.ctx, &mut Full(room));
        assert_eq!(refused, Err(Error::Io { what: "ciphertext", reason: "no space".into() }));
    }
}

#[test]
fn nothing_is_written_that_no_reader_takes() {
    let set = Set::new(&tiny(), 7);
    let huge = ringjet::Scale::power_of_two(301);
    assert!(matches!(set.full().with_scale(huge).to_bytes(&set.ctx), Err(Error::Argument { name: "scale", .. })));
    // an infinite estimate is written as the largest possible one
    let unknown = set.full().with_magnitude(f64::INFINITY).to_bytes(&set.ctx).unwrap();
    let back = Ciphertext::from_bytes(&set.ctx, &unknown, LIMITS).unwrap();
    assert_eq!(back.noise().magnitude(), f64::INFINITY);
    let other = Set::new(&n10(), 7);
    assert!(matches!(set.full().to_bytes(&other.ctx), Err(Error::ParameterMismatch { .. })));
    assert!(matches!(set.plaintext.to_bytes(&other.ctx), Err(Error::ParameterMismatch { .. })));
    assert!(matches!(set.public.to_bytes(&other.ctx), Err(Error::ParameterMismatch { .. })));
    assert!(matches!(set.keys.to_bytes(&other.ctx), Err(Error::ParameterMismatch { .. })));
    let key = set.keys.relinearization().unwrap();
    assert!(matches!(key.to_bytes(&other.ctx), Err(Error::ParameterMismatch { .. })));
}

#[test]
fn presets_travel_without_permission() {
    for name in ringjet::params::PRESET_NAMES {
        let params = ringjet::preset(name).unwrap();
        let bytes = params.to_bytes().unwrap();
        assert_eq!(Parameters::from_bytes(&bytes, Limits::default()).unwrap(), params);
        assert_eq!(peek(&bytes).unwrap().kind.object, Object::Parameters);
    }
}
