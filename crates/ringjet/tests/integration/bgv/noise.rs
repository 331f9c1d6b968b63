//! The noise of single operations against its three bounds, and the secrets that keys are made of.

use std::collections::BTreeMap;

use super::{Fixture, several, small};
use crate::wire::objects::{LIMITS, mend};
use ringjet::bgv::{Ciphertext, ParamSpec, Parameters, SecretKey};
use ringjet::rng::Seed;
use ringjet::wire::HEADER_LEN;
use ringjet::{Error, rlwe::Sharing};

const SEEDS: u64 = 20;

/// log2 of bound / truth for the largest slot, the length and the largest coefficient of w.
pub fn margins(f: &Fixture, ct: &Ciphertext) -> [f64; 3] {
    let (noise, truth) = (ct.noise(), f.secret.noise_size(f.ctx(), ct).unwrap());
    let stated = [noise.bound(), noise.length(), noise.largest()];
    let margins: [f64; 3] = std::array::from_fn(|i| (stated[i] / truth[i]).log2());
    assert!(margins.iter().all(|&bits| bits >= 0.0), "{margins:?} bits of {ct:?}");
    margins
}

fn measure(params: &Parameters) {
    let mut least: BTreeMap<&str, [f64; 3]> = BTreeMap::new();
    for seed in 0..SEEDS {
        let mut f = Fixture::cpu(params, seed);
        let (a, b) = (f.values(), f.values());
        let (x, y) = (f.encrypt(&a, false), f.encrypt(&b, true));
        let (e, p) = (f.eval.clone(), f.plain(&b));
        let product = e.mul(&x, &y).unwrap();
        let mut add = |what, ct: &Ciphertext| {
            let found = margins(&f, ct);
            let all = least.entry(what).or_insert([f64::INFINITY; 3]);
            (0..3).for_each(|i| all[i] = all[i].min(found[i]));
        };
        add("secret-key encryption", &x);
        add("public-key encryption", &y);
        add("sum", &e.add_auto(&x, &y).unwrap());
        add("sum with a plaintext", &e.add_plain(&x, &p).unwrap());
        add("product with a plaintext", &e.mul_plain(&y, &p).unwrap());
        add("product with an integer", &e.mul_integer(&y, 100).unwrap());
        add("product", &product);
        add("square", &e.mul(&y, &y).unwrap());
        add("relinearised product", &e.relinearize(&product).unwrap());
        add("product with itself rotated", &e.mul(&y, &e.rotate(&y, 1).unwrap()).unwrap());
        add("product with itself with swapped rows", &e.mul(&y, &e.swap_rows(&y).unwrap()).unwrap());
        add("rotation", &e.rotate(&y, 1).unwrap());
        add("rotation of a switched ciphertext", &e.rotate(&e.switch_to(&x, 0).unwrap(), 1).unwrap());
        add("modulus switching", &e.switch_to(&product, params.top_level().saturating_sub(1)).unwrap());
        let second = e.mul_auto(&e.mul_auto(&x, &y).unwrap(), &y).unwrap();
        add("second product", &second);
    }
    for (what, [slot, length, coefficient]) in least {
        println!("{what}: slots {slot:.1}, length {length:.1}, coefficients {coefficient:.1} bits below their bounds");
        // bounds that are far too wide would waste levels; those of products are for dependent factors
        let single =
            ["public-key encryption", "rotation", "product with an integer", "rotation of a switched ciphertext"];
        let most = if single.contains(&what) { 5.0 } else { 14.0 };
        assert!(slot < most && length < most, "{what}");
    }
}

#[test]
fn noise_is_below_its_bounds() {
    measure(&Parameters::new(&small()).unwrap());
    measure(&Parameters::new(&small().bfv()).unwrap());
    measure(&Parameters::new(&several()).unwrap());
    // digits as large as P: key switching makes most of the noise of rotations
    let spec = ParamSpec::uniform(10, 12289, &[32, 32, 32, 32], &[32]).allow_insecure();
    measure(&Parameters::new(&spec).unwrap());
}

/// A sparse plaintext that is large in one slot, and a dense one, are bounded by their polynomials.
#[test]
fn a_plaintext_counts_as_large_as_it_is() {
    let mut f = Fixture::cpu(&Parameters::new(&small()).unwrap(), 40);
    let a = f.values();
    let x = f.encrypt(&a, true);
    let by = |f: &Fixture, values: &[i64]| f.eval.mul_plain(&x, &f.plain(values)).unwrap();
    let flat = super::programs::flat(f.params(), 12289);
    let (dense, constant, worst) = (by(&f, &a), by(&f, &vec![5; a.len()]), by(&f, &flat));
    for ct in [&dense, &constant, &worst] {
        margins(&f, ct);
    }
    let grown = |ct: &Ciphertext| ct.noise().bound() / x.noise().bound();
    assert!((grown(&constant) - 5.0).abs() < 1e-6, "{}", grown(&constant));
    // sqrt(N t^2 / 12) = 2^16.8, times 2 to 3 for the largest of 512 slots
    assert!((17.5..18.6).contains(&grown(&dense).log2()), "2^{}", grown(&dense).log2());
    // 1 / (X - 1) times t / 2 is t N / pi in its largest slot
    assert!((grown(&worst).log2() - (12289.0 * 1024.0 / std::f64::consts::PI).log2()).abs() < 0.1, "{}", grown(&worst));
}

/// Secrets with a large slot are drawn again. They are refused where bytes hold one.
#[test]
fn large_secrets_are_no_keys() {
    let params = Parameters::new(&small()).unwrap();
    let seeds = (0..100).map(|i| Seed::from_bytes([1; 32]).derive(b"key", i));
    let keys: Vec<SecretKey> = seeds.map(|seed| SecretKey::from_seed(&params, &seed).unwrap()).collect();
    let read = |bytes: &[u8]| SecretKey::from_secret_bytes(&params, bytes, LIMITS);
    for key in &keys {
        assert_eq!(read(&key.to_secret_bytes()).unwrap().key_id(), key.key_id());
    }
    // all coefficients 1: one slot is 2N / pi
    let mut bytes = keys[0].to_secret_bytes().to_vec();
    bytes[HEADER_LEN..HEADER_LEN + params.n() / 4].fill(0b0101_0101);
    mend(&mut bytes);
    let refused = read(&bytes).unwrap_err();
    assert!(matches!(&refused, Error::Malformed { reason, .. } if reason.contains("larger than")), "{refused}");
}

/// Flooding is as wide as the theorem asks for the true error, and small circuits can be shared.
#[test]
fn results_are_shared_by_the_length_of_their_noise() {
    // x^8, and x^4 in BFV, where noise is not switched down and needs wider flooding
    for (seed, (name, products)) in [("bgv-n13", 3), ("bfv-n13", 2)].into_iter().enumerate() {
        let params = ringjet::bgv::preset(name).unwrap();
        let mut f = Fixture::cpu(&params, 60 + seed as u64);
        let (e, sharing) = (f.eval.clone(), Sharing::default());
        let mut values = f.values();
        let mut x = f.encrypt(&values, true);
        for _ in 0..products {
            values = f.zip(&values, &values, |x, y| x * y);
            x = e.mul_auto(&x, &x).unwrap();
        }
        let length = x.noise().length() / params.t() as f64;
        let truth = f.secret.noise_size(f.ctx(), &x).unwrap()[1] / params.t() as f64;
        let asked = |error: f64| (12.0 * sharing.answers as f64).sqrt() * 2f64.powi(20) * error;
        let sigma = f64::from(sharing.log_sigma(length).unwrap()).exp2();
        assert!(sigma >= asked(truth) && sigma < 2.0 * asked(length), "{name}: {sigma:e} for {truth:e}");
        let seed = Seed::from_bytes([3; 32]);
        let shared = f.secret.decrypt_for_sharing(f.ctx(), &x, &x, &sharing, &seed).unwrap();
        assert!(shared == values, "{name}");
        let more = Sharing { security: 128, answers: 1 << 40 };
        let refused = f.secret.decrypt_for_sharing(f.ctx(), &x, &x, &more, &seed).unwrap_err();
        assert!(matches!(refused, Error::NotSharable { .. }), "{refused}");
    }
}
