//! Decryption notices ciphertexts that are no encryption under its key, whatever they claim.

use std::sync::Arc;

use ringjet::rng::Seed;
use ringjet::wire::Limits;
use ringjet::{Ciphertext, Context, Error, Evaluator, KeyId, KeyPlan, Parameters, Plaintext, Range, SecretKey, heaan};

fn backend() -> Arc<dyn ringjet_backend::Backend> {
    Arc::new(ringjet_cpu::CpuBackend::new(ringjet_cpu::CpuConfig { threads: 1, ..Default::default() }).unwrap())
}

/// The bytes of a ciphertext, changed to claim that it belongs to `key`.
fn forged(mut bytes: Vec<u8>, key: KeyId) -> Vec<u8> {
    let end = bytes.len() - 4;
    bytes[32..48].copy_from_slice(key.as_bytes());
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn encrypt(ctx: &Context, secret: &SecretKey, log_slots: u32, seed: &Seed) -> Ciphertext {
    let level = ctx.params().top_level();
    secret.encrypt(ctx, &Plaintext::encode_real(ctx, &[0.5], level, log_slots).unwrap(), seed).unwrap()
}

/// Ciphertexts of other keys at the top level decrypt to garbage each time, even where they claim
/// values of the largest magnitude.
fn foreign_ones(params: &Parameters, tries: u64) {
    let ctx = Context::new(params, backend());
    let seed = Seed::from_bytes([1; 32]);
    let secret = SecretKey::from_seed(params, &seed).unwrap();
    let own = encrypt(&ctx, &secret, params.log_n() - 1, &seed.derive(b"own", 0));
    assert!((secret.decrypt_values(&ctx, &own).unwrap().real()[0] - 0.5).abs() < 1e-3);
    for i in 0..tries {
        let other = SecretKey::from_seed(params, &seed.derive(b"other", i)).unwrap();
        let log_slots = if i % 2 == 0 { params.log_n() - 1 } else { 0 };
        let theirs = encrypt(&ctx, &other, log_slots, &seed.derive(b"theirs", i));
        assert!(matches!(secret.decrypt_values(&ctx, &theirs), Err(Error::KeyMismatch { .. })));
        let bytes = forged(theirs.to_bytes(&ctx).unwrap(), secret.key_id());
        let theirs = Ciphertext::from_bytes(&ctx, &bytes, Limits::default()).unwrap();
        for claimed in [theirs.clone(), theirs.with_range(Range::complex(f64::MAX))] {
            let got = secret.decrypt_values(&ctx, &claimed);
            assert!(matches!(got, Err(Error::Garbage { .. })), "{i}: {got:?}");
        }
    }
}

#[test]
fn foreign_ciphertexts_of_small_presets() {
    for name in ["n12-depth1", "n13-depth2", "n14-depth6", "n14-share-depth2"] {
        foreign_ones(&ringjet::preset(name).unwrap(), 5);
    }
}

#[test]
#[ignore = "full size: 1,000 tries up to N = 2^14, 50 above"]
fn foreign_ciphertexts_of_all_presets() {
    for name in ringjet::params::PRESET_NAMES {
        println!("{name}");
        let params = ringjet::preset(name).unwrap();
        foreign_ones(&params, if params.log_n() <= 14 { 1000 } else { 50 });
    }
}

/// The same test for HEAAN, with few slots and with all of them.
fn foreign_ones_of_heaan(params: &heaan::Parameters, tries: u64) {
    let ctx = heaan::Context::new(params, backend());
    let seed = Seed::from_bytes([2; 32]);
    let secret = heaan::SecretKey::from_seed(params, &seed).unwrap();
    for i in 0..tries {
        let other = heaan::SecretKey::from_seed(params, &seed.derive(b"other", i)).unwrap();
        let log_slots = if i % 2 == 0 { params.log_n() - 1 } else { 0 };
        let plain = heaan::Plaintext::encode_real(&ctx, &[0.5], params.log_p(), log_slots).unwrap();
        let theirs = other.encrypt(&ctx, &plain, &seed.derive(b"theirs", i)).unwrap();
        assert!(matches!(secret.decrypt_values(&ctx, &theirs), Err(Error::KeyMismatch { .. })));
        let bytes = forged(theirs.to_bytes(&ctx).unwrap(), secret.key_id());
        let theirs = heaan::Ciphertext::from_bytes(&ctx, &bytes, Limits::default()).unwrap();
        for claimed in [theirs.clone(), theirs.with_range(Range::complex(f64::MAX))] {
            let got = secret.decrypt_values(&ctx, &claimed);
            assert!(matches!(got, Err(Error::Garbage { .. })), "{i}: {got:?}");
        }
    }
}

#[test]
fn foreign_ciphertexts_of_heaan() {
    foreign_ones_of_heaan(&heaan::preset("heaan-n14-q210").unwrap(), 3);
}

#[test]
#[ignore = "full size: 1,000 tries up to N = 2^14, 50 above"]
fn foreign_ciphertexts_of_all_presets_of_heaan() {
    for name in heaan::PRESET_NAMES {
        println!("{name}");
        let params = heaan::preset(name).unwrap();
        foreign_ones_of_heaan(&params, if params.log_n() <= 14 { 1000 } else { 50 });
    }
}

/// Values that exceed the modulus, because their stated magnitude was too small.
#[test]
fn overflow_is_noticed() {
    let params = ringjet::preset("n13-depth2").unwrap();
    let ctx = Context::new(&params, backend());
    let seed = Seed::from_bytes([3; 32]);
    let secret = SecretKey::from_seed(&params, &seed).unwrap();
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::default(), &seed, |_, _| true).unwrap();
    let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
    let values: Vec<f64> = (0..4096).map(|i| 900.0 + f64::from(i % 100)).collect();
    let plain = Plaintext::encode_real(&ctx, &values, 2, 12).unwrap();
    assert!(matches!(secret.encrypt(&ctx, &plain, &seed), Err(Error::Magnitude { stated: 1.0, .. })));
    let x = secret.encrypt(&ctx, &plain.with_magnitude(1000.0).unwrap(), &seed).unwrap();
    let square = eval.mul_auto(&x, &x).unwrap();
    // a fourth power of 10^12 at a scale of 2^34 does not fit into 46 bits
    assert!(matches!(eval.mul_auto(&square, &square), Err(Error::Overflow { .. })));
    let stated = square.with_magnitude(1.0);
    let fourth = eval.mul_auto(&stated, &stated).unwrap();
    let got = secret.decrypt_values(&ctx, &fourth);
    assert!(matches!(got, Err(Error::Garbage { .. })), "{got:?}");
}
