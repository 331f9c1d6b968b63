//! Shared decryptions: the size of their noise, compared with the error that it hides.
//!
//! The known attack (Guo et al., USENIX Security 2024) adds a large multiple of one ciphertext's
//! error to another, so that the estimated error is far below the true one, and computes the secret
//! from the answer. Whatever is computed, the noise must be as wide as the theorem demands for the
//! true error, or the answer must be refused.

use crate::common::{Fixture, complex};
use ringjet::heaan;
use ringjet::rlwe::Sharing;
use ringjet::rng::Seed;
use ringjet::{Ciphertext, Error, KeyPlan, ParamSpec, Plaintext, Range};
use ringjet_math::fft::Complex64;

/// The largest error of a slot's absolute value, in units of the scale.
fn error(got: &[Complex64], want: &[Complex64]) -> f64 {
    got.iter().zip(want).map(|(&a, &b)| (a - b).abs()).fold(0.0, f64::max)
}

/// `sqrt(12 * answers) * 2^(security / 2)`: the ratio by which noise must exceed the length of an
/// error.
fn asked(sharing: &Sharing) -> f64 {
    (12.0 * sharing.answers as f64).sqrt() * (0.5 * f64::from(sharing.security)).exp2()
}

/// Scales of 58 bits, as in the attack.
fn attacked(seed: u8) -> Fixture {
    let q = ringjet::params::ModulusSpec::Bits(vec![60, 58, 58]);
    let p = ringjet::params::ModulusSpec::Bits(vec![60]);
    let spec = ParamSpec { q, p, alpha: Some(1), ..ParamSpec::uniform(10, 60, 2, 58, 1) };
    Fixture::new(spec.allow_insecure(), &KeyPlan::default(), seed)
}

fn plain(f: &Fixture, values: &[Complex64], like: &Ciphertext) -> Plaintext {
    let scale = f.eval.factor_scale(like).unwrap();
    Plaintext::encode(f.eval.context(), values, like.level(), scale, like.log_slots()).unwrap()
}

/// Shares a decryption or says why not, and compares its noise with the true error.
fn check(f: &Fixture, ct: &Ciphertext, want: &[Complex64], least: u32, what: &str) -> Option<f64> {
    let sharing = Sharing::default();
    let ctx = f.eval.context();
    let truth = error(&f.secret.decrypt(ctx, ct).unwrap().decode(ctx).unwrap().0, want) * ct.scale().value();
    assert!(truth <= ct.noise().bound(), "{what}: an error of 2^{:.1}, {:?}", truth.log2(), ct.noise());
    let seed = Seed::from_bytes([9; 32]);
    let share = |bits| f.secret.decrypt_for_sharing(ctx, ct, ct, bits, &sharing, &seed);
    // rounded to the most bits possible, the noise is visible
    match (least..60).rev().map(share).find(Result::is_ok).unwrap_or_else(|| share(least)) {
        Ok(shared) => {
            let sigma = f64::from(sharing.log_sigma(ct.noise().bound()).unwrap()).exp2();
            // the largest slot bounds the length of the error's coefficients
            assert!(
                sigma >= asked(&sharing) * truth,
                "{what}: noise of 2^{:.1} for 2^{:.1}",
                sigma.log2(),
                truth.log2()
            );
            // the noise is really added: a slot sums n independent coefficients
            let seen = error(&shared.0, want) * ct.scale().value() / (ct.slots() as f64).sqrt();
            assert!(
                (2.0..8.0).contains(&(seen / sigma)),
                "{what}: noise of 2^{:.1}, {:.2}",
                sigma.log2(),
                seen / sigma
            );
            Some(sigma / truth)
        }
        Err(Error::NotSharable { .. }) => None,
        Err(e) => panic!("{what}: {e}"),
    }
}

/// `x * 2^k`, with a plain and with an encrypted factor.
#[test]
fn large_factors() {
    let f = attacked(1);
    let a: Vec<Complex64> = f.random(2f64.powi(-10)).iter().map(|z| complex(z.re, 0.0)).collect();
    let x = f.encrypt(&a, false).with_range(Range::real(-0.001, 0.001));
    let (mut shared, mut refused) = (0, 0);
    for k in (0..=56).step_by(4) {
        let factor = vec![complex(f64::from(k).exp2(), 0.0); a.len()];
        let want: Vec<_> = a.iter().map(|&z| z * factor[0]).collect();
        let in_clear = f.eval.mul_plain_auto(&x, &plain(&f, &factor, &x));
        let encrypted = || {
            let p = Plaintext::encode(f.eval.context(), &factor, x.level(), x.scale(), x.log_slots())?;
            let p = p.with_magnitude(factor[0].re)?;
            f.eval.mul_relin_rescale(&x, &f.secret.encrypt(f.eval.context(), &p, &Seed::from_bytes([k as u8; 32]))?)
        };
        for (product, what) in [(in_clear, "in the clear"), (encrypted(), "encrypted")] {
            match product {
                Ok(y) => match check(&f, &y, &want, 1, &format!("times 2^{k}, {what}")) {
                    Some(_) => shared += 1,
                    None => refused += 1,
                },
                Err(Error::Overflow { .. } | Error::TooLarge { .. }) => refused += 1,
                Err(e) => panic!("2^{k}, {what}: {e}"),
            }
        }
    }
    println!("{shared} shared, {refused} refused");
    assert!(shared >= 1 && refused >= 1);
}

/// Powers of values to 32768, and a ciphertext added to itself a hundred times.
#[test]
fn powers_and_sums() {
    let f = attacked(2);
    let a: Vec<Complex64> = f.random(1.0).iter().map(|z| complex(z.re * 32768.0, 0.0)).collect();
    let ctx = f.eval.context();
    let top = f.params().top_level();
    let scale = ringjet::Scale::power_of_two(40);
    let p = Plaintext::encode(ctx, &a, top, scale, f.log_slots).unwrap();
    assert!(matches!(f.secret.encrypt(ctx, &p, &Seed::from_bytes([1; 32])), Err(Error::Magnitude { stated: 1.0, .. })));
    let x = f.secret.encrypt(ctx, &p.with_magnitude(32768.0).unwrap(), &Seed::from_bytes([1; 32])).unwrap();
    let square: Vec<_> = a.iter().map(|&z| z * z).collect();
    let y = f.eval.mul_relin(&x, &x).unwrap();
    check(&f, &y, &square, 1, "x^2");
    match f.eval.mul_relin(&y, &y) {
        Ok(z) => drop(check(&f, &z, &square.iter().map(|&z| z * z).collect::<Vec<_>>(), 1, "x^4")),
        Err(e) => assert!(matches!(e, Error::Overflow { .. }), "{e}"),
    }

    let mut sum = x.clone();
    for _ in 0..99 {
        sum = f.eval.add(&sum, &x).unwrap();
    }
    check(&f, &sum, &a.iter().map(|&z| z * 100.0).collect::<Vec<_>>(), 1, "100 x");
    // the error is a hundred times as large, not ten times
    assert!(sum.noise().bound() >= 99.9 * x.noise().bound() && sum.noise().variance() >= 9999.0 * x.noise().variance());
    assert_eq!(sum.noise().range().high(), 3_276_800.0);
}

/// The same attacks in HEAAN, whose scales have room for noise.
#[test]
fn heaan_factors_powers_and_sums() {
    let params = heaan::Parameters::new(&heaan::ParamSpec::new(9, 400).allow_insecure()).unwrap();
    let ctx = heaan::Context::new(&params, crate::common::backend());
    let seed = Seed::from_bytes([3; 32]);
    let secret = heaan::SecretKey::from_seed(&params, &seed).unwrap();
    let keys = secret.evaluation_keys(&ctx, &KeyPlan::default(), &seed, |_, _| true).unwrap();
    let eval = heaan::Evaluator::new(&ctx, std::sync::Arc::new(keys)).unwrap();
    let a: Vec<Complex64> = (0..256).map(|i| complex((f64::from(i) * 0.37).sin(), 0.0)).collect();
    let p = heaan::Plaintext::encode(&ctx, &a, 80, 8).unwrap();
    let x = secret.encrypt(&ctx, &p, &seed.derive(b"x", 0)).unwrap();
    let down = |ct: heaan::Ciphertext, bits| eval.rescale(&ct, bits).unwrap();
    let sharing = Sharing::default();
    let mut shared = 0;
    let mut check = |ct: &heaan::Ciphertext, want: &[Complex64], what: &str| {
        let scale = f64::from(ct.log_scale()).exp2();
        let truth = error(&secret.decrypt(&ctx, ct).unwrap().decode(&ctx).unwrap().0, want) * scale;
        // plain values are rounded to 53 bits, too
        let doubles = want.iter().fold(0.0, |m: f64, z| m.max(z.abs())) * scale * 2f64.powi(-48);
        assert!(truth <= ct.noise().bound() + doubles, "{what}: 2^{:.1} of {:?}", truth.log2(), ct.noise());
        match secret.decrypt_for_sharing(&ctx, ct, ct, 1, &sharing, &seed.derive(b"share", 0)) {
            Ok(values) => {
                let sigma = f64::from(sharing.log_sigma(ct.noise().bound()).unwrap()).exp2();
                assert!(sigma >= asked(&sharing) * (truth - doubles), "{what}");
                assert!(error(&values.0, want) < 1.0 + 16.0 * sigma / scale * 16.0, "{what}");
                shared += 1;
            }
            Err(e) => assert!(matches!(e, Error::NotSharable { .. }), "{what}: {e}"),
        }
    };
    for k in (0..=56).step_by(8) {
        let by = f64::from(k).exp2();
        let want: Vec<_> = a.iter().map(|&z| z * by).collect();
        let p = heaan::Plaintext::encode(&ctx, &vec![complex(by, 0.0); 256], 40, 8).unwrap();
        check(&down(eval.mul_plain(&x, &p).unwrap(), 40), &want, "times a plaintext");
        let c = secret.encrypt(&ctx, &p.with_magnitude(by).unwrap(), &seed.derive(b"c", k as u64)).unwrap();
        check(&down(eval.mul(&x, &c).unwrap(), 40), &want, "times a ciphertext");
    }
    let square = down(eval.square(&x).unwrap(), 80);
    check(&square, &a.iter().map(|&z| z * z).collect::<Vec<_>>(), "x^2");
    let fourth = down(eval.square(&square).unwrap(), 80);
    check(&fourth, &a.iter().map(|&z| z * z * z * z).collect::<Vec<_>>(), "x^4");
    let mut sum = x.clone();
    for _ in 0..99 {
        sum = eval.add(&sum, &x).unwrap();
    }
    check(&sum, &a.iter().map(|&z| z * 100.0).collect::<Vec<_>>(), "100 x");
    assert!(sum.noise().bound() >= 99.9 * x.noise().bound());
    assert!(shared >= 6, "{shared}");
}
