//! One seed never makes two objects that share randomness.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use ringjet::params::ModulusSpec;
use ringjet::rlwe::Sharing;
use ringjet::rng::Seed;
use ringjet::wire::{CHECKSUM_LEN, HEADER_LEN};
use ringjet::{
    Bootstrapper, Ciphertext, Context, KeyPlan, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey, SwitchingKey,
};
use ringjet_backend::Reference;

use super::{SLOTS, VALUES, ckks, heaan};

/// The seed of the uniform half of a public key, from its bytes.
fn mask(public_key: &[u8]) -> [u8; 32] {
    public_key[HEADER_LEN..HEADER_LEN + 32].try_into().unwrap()
}

/// Secret coefficients, from the bytes.
fn body(secret: &[u8]) -> Vec<u8> {
    secret[HEADER_LEN..secret.len() - CHECKSUM_LEN].to_vec()
}

/// Two parameter sets in one ring. With the same mask and secret, two public keys would reveal the
/// secret.
#[test]
fn parameters_share_neither_secrets_nor_masks() {
    let other = ParamSpec::uniform(6, 50, 2, 40, 2).allow_insecure();
    let clients = [ckks::spec(), other].map(|spec| ckks::Client::new(&spec, 7));
    let mut seen = HashSet::new();
    for c in &clients {
        assert!(seen.insert(body(&c.secret.to_secret_bytes())));
        assert!(seen.insert(c.secret.key_id().as_bytes().to_vec()));
        assert!(seen.insert(mask(&c.public.to_bytes(&c.ctx).unwrap()).to_vec()));
        for (_, key) in c.keys.keys() {
            assert!(seen.insert(mask(&key.to_bytes(&c.ctx).unwrap()).to_vec()));
        }
        assert!(seen.insert(c.encrypt(&VALUES).seed().unwrap().as_bytes().to_vec()));
    }
    let other = ringjet::heaan::ParamSpec { log_p: 29, ..heaan::spec() };
    for c in [heaan::spec(), other].map(|spec| heaan::Client::new(&spec, 7)) {
        assert!(seen.insert(body(&c.secret.to_secret_bytes())));
        assert!(seen.insert(c.secret.key_id().as_bytes().to_vec()));
        assert!(seen.insert(mask(&c.public.to_bytes(&c.ctx).unwrap()).to_vec()));
        for (_, key) in c.keys.keys() {
            assert!(seen.insert(key.seed().as_bytes().to_vec()));
        }
        assert!(seen.insert(c.encrypt(&VALUES).seed().unwrap().as_bytes().to_vec()));
    }
    assert_eq!(seen.len(), 4 * 4 + 4 * 4);
}

/// One seed under two secrets of one parameter set. With the same mask and error, the difference of
/// two public keys or ciphertexts would be `a * (s - s')` exactly.
#[test]
fn secrets_share_no_masks() {
    let [a, b] = [1, 2].map(|seed| ckks::Client::new(&ckks::spec(), seed));
    let seed = Seed::from_bytes([9; 32]);
    let public = [&a, &b].map(|c| PublicKey::generate(&c.ctx, &c.secret, &seed).unwrap().to_bytes(&c.ctx).unwrap());
    assert_ne!(mask(&public[0]), mask(&public[1]));
    let fresh = [&a, &b].map(|c| c.secret.encrypt(&c.ctx, &c.plain(&VALUES), &seed).unwrap());
    assert_ne!(fresh[0].seed(), fresh[1].seed());
    let keys = [&a, &b].map(|c| {
        let keys = c.secret.evaluation_keys(&c.ctx, &KeyPlan::default(), &seed, |_, _| true).unwrap();
        mask(&keys.relinearization().unwrap().to_bytes(&c.ctx).unwrap())
    });
    assert_ne!(keys[0], keys[1]);
}

/// Two different messages share no mask; the same message gives the same bytes.
#[test]
fn a_seed_is_bound_to_the_message() {
    let c = ckks::Client::new(&ckks::spec(), 7);
    let (params, top) = (c.ctx.params(), c.ctx.params().top_level());
    let plain = |values: &[f64], level: usize, log_slots: u32| {
        Plaintext::encode_real(&c.ctx, values, level, log_slots).unwrap()
    };
    let unit = ringjet_math::fft::Complex64 { re: 0.5, im: 0.0 };
    let scaled = Plaintext::encode(&c.ctx, &[unit], top, params.scale(top) * params.scale(0), 0).unwrap();
    let plains = [
        plain(&VALUES, top, SLOTS),
        plain(&[0.5, -0.25, 0.75 + 1e-11], top, SLOTS),
        plain(&VALUES, top - 1, SLOTS),
        plain(&VALUES, top, SLOTS + 1),
        plain(&[0.5], top, 0),
        scaled,
    ];
    let mut seen = HashSet::new();
    for p in &plains {
        let [one, again] = [(); 2].map(|()| c.secret.encrypt(&c.ctx, p, &c.seed).unwrap());
        assert!(seen.insert(*one.seed().unwrap().as_bytes()));
        assert_eq!(one.to_bytes(&c.ctx).unwrap(), again.to_bytes(&c.ctx).unwrap());
    }
    // public-key encryption has no seed to compare; the same v and e would give the same second
    // polynomial
    let second = |p: &Plaintext| {
        let bytes = c.public.encrypt(&c.ctx, p, &c.seed).unwrap().to_bytes(&c.ctx).unwrap();
        bytes[(bytes.len() + HEADER_LEN) / 2 + 64..].to_vec()
    };
    assert_eq!(second(&plains[0]), second(&plains[0]));
    assert_ne!(second(&plains[0])[..1000], second(&plains[1])[..1000]);

    let c = heaan::Client::new(&heaan::spec(), 7);
    let mut seen = HashSet::new();
    for (values, log_q) in [(&VALUES[..], 120), (&[0.5, -0.25], 120), (&VALUES, 100)] {
        let encrypt = || c.secret.encrypt(&c.ctx, &c.plain(values).at(log_q), &c.seed).unwrap();
        assert!(seen.insert(*encrypt().seed().unwrap().as_bytes()));
        assert_eq!(encrypt().to_bytes(&c.ctx).unwrap(), encrypt().to_bytes(&c.ctx).unwrap());
    }
}

/// A seed from the operating system may be used twice by mistake.
#[test]
fn a_fresh_seed_that_is_used_again() {
    let c = ckks::Client::new(&ckks::spec(), 7);
    let seed = Seed::from_os().unwrap();
    let encrypt = |values: &[f64]| *c.secret.encrypt(&c.ctx, &c.plain(values), &seed).unwrap().seed().unwrap();
    let all: HashSet<_> = [encrypt(&VALUES), encrypt(&[0.25]), encrypt(&[0.125])].into();
    assert_eq!(all.len(), 3);
}

/// Keys of one element for two levels have primes in common. With the same error and different
/// masks, their difference would reveal the secret. At the same level the key is the same, whatever
/// other keys are made with it.
#[test]
fn levels_of_keys_share_no_masks() {
    let params = Parameters::new(&crate::wire::ckks::boot()).unwrap();
    let ctx = Context::new(&params, Arc::new(Reference::default()));
    let (secret, seed) = (SecretKey::generate(&params).unwrap(), Seed::from_bytes([7; 32]));
    let made = |request: &KeyPlan| {
        let keys = secret.evaluation_keys(&ctx, request, &seed, |_, _| true).unwrap();
        let one = |(g, key): (u32, &SwitchingKey)| ((g, key.level()), key.to_bytes(&ctx).unwrap());
        keys.keys().map(one).collect::<BTreeMap<_, _>>()
    };
    let rotations: Vec<i64> = (1..16).collect();
    let messages = made(&KeyPlan::rotations(rotations.iter().copied()).conjugation());
    let all = made(&KeyPlan::rotations([1]).and(Bootstrapper::key_plan(&params, 4).unwrap()));
    let seed_of = |key: &[u8]| key[HEADER_LEN + 4..HEADER_LEN + 36].to_vec();
    let mut compared = 0;
    for ((g, level), key) in &all {
        for ((other, below), lower) in &messages {
            assert_eq!((g, level) == (other, below), key == lower);
            assert!((g, level) == (other, below) || seed_of(key) != seed_of(lower), "{g}: {level} and {below}");
            compared += usize::from(g == other && level != below);
        }
    }
    assert!(compared > 2, "{compared} elements with keys for two levels");
}

/// Two shared decryptions under one seed have different flooding noise. Values halfway between two
/// rounded numbers show the signs of the noise.
#[test]
fn floods_are_bound_to_the_ciphertext() {
    let p = ModulusSpec::Bits(vec![60, 60]);
    let spec = ParamSpec { p, ..ParamSpec::uniform(7, 55, 2, 55, 2).allow_insecure() };
    let c = ckks::Client::new(&spec, 7);
    let encrypt = |values: &[f64]| {
        let plain = Plaintext::encode_real(&c.ctx, values, c.ctx.params().top_level(), 6).unwrap();
        c.secret.encrypt(&c.ctx, &plain, &c.seed).unwrap()
    };
    let share = |ct: &Ciphertext, bits| {
        Ok::<_, ringjet::Error>(
            c.secret.decrypt_for_sharing(&c.ctx, ct, ct, bits, &Sharing::default(), &c.seed)?.real(),
        )
    };
    let bits = (0..40).rev().find(|&bits| share(&encrypt(&[0.5]), bits).is_ok()).unwrap();
    let unit = f64::from(bits).exp2().recip();
    let signs = |units: f64| {
        let ct = encrypt(&[(units + 0.5) * unit; 64]);
        let shared = share(&ct, bits).unwrap();
        assert_eq!(shared, share(&ct, bits).unwrap(), "the same question has the same answer");
        shared.iter().map(|x| (x / unit - units - 0.5).round()).collect::<Vec<_>>()
    };
    let (one, two) = (signs(1.0), signs(2.0));
    assert!(one.iter().any(|x| *x != one[0]), "no noise is seen: {one:?}");
    assert_ne!(one, two);
}
