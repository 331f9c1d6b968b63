//! Bootstrapping in small rings (not secure) for every input pattern, packing and option; full size behind `--ignored`.

mod few_keys;
mod few_slots;
mod joined;
mod refusals;
mod sines;
mod statement;

use std::sync::Arc;

use crate::common::{complex, uniform};
use ringjet::circuits::{Basis, Polynomial};
use ringjet::params::{BootstrapChain, BootstrapSpec, LevelSpec, bootstrap_chain};
use ringjet::rng::Seed;
use ringjet::{
    Bootstrapper, Ciphertext, Context, Error, EvaluationKeys, Evaluator, KeyPlan, ParamSpec, Parameters, Plaintext,
    SecretKey,
};
use ringjet_cpu::{CpuBackend, CpuConfig};
use ringjet_math::fft::Complex64;

/// The circuit of the presets in a ring of any size.
fn chain(log_n: u32) -> BootstrapChain {
    BootstrapChain::standard(log_n)
}

struct Rig {
    ctx: Context,
    secret: SecretKey,
    eval: Evaluator,
    log_slots: u32,
    seed: Seed,
}

impl Rig {
    fn new(chain: &BootstrapChain, log_slots: u32, seed: u8) -> Self {
        println!("seed {seed}");
        let (spec, explanation) = chain.generate().unwrap();
        println!("{explanation}");
        let spec = if chain.log_n < 15 { spec.allow_insecure() } else { spec };
        let params = Parameters::new(&spec).unwrap();
        let ctx = Context::new(&params, Arc::new(CpuBackend::new(CpuConfig::default()).unwrap()));
        let seed = Seed::from_bytes([seed; 32]);
        let secret = SecretKey::from_seed(&params, &seed).unwrap();
        let plan = KeyPlan::rotations([1]).and(Bootstrapper::key_plan(&params, log_slots).unwrap());
        let keys = secret.evaluation_keys(&ctx, &plan, &seed.derive(b"keys", 0), |_, _| true).unwrap();
        let eval = Evaluator::bootstrapping(&ctx, Arc::new(keys)).unwrap();
        Self { ctx, secret, eval, log_slots, seed }
    }

    fn params(&self) -> &Parameters {
        self.ctx.params()
    }

    fn encrypt(&self, values: &[Complex64], level: usize) -> Ciphertext {
        let log_slots = values.len().trailing_zeros();
        let p = Plaintext::encode(&self.ctx, values, level, self.params().scale(level), log_slots).unwrap();
        let ct = self.secret.encrypt(&self.ctx, &p, &self.seed.derive(b"encryption", level as u64)).unwrap();
        // values within the unit circle stay there in products
        let circle = values.iter().all(|z| z.abs() <= 1.0 + 1e-12);
        if circle { ct.with_range(ringjet::Range::complex(1.0)) } else { ct }
    }

    /// `-log2` of the largest and of the mean error of a real or imaginary part.
    fn bits(&self, ct: &Ciphertext, want: &[Complex64]) -> (f64, f64) {
        let got = self.secret.decrypt_values(&self.ctx, ct).unwrap().0;
        let errors: Vec<f64> =
            got.iter().zip(want).flat_map(|(a, b)| [(a.re - b.re).abs(), (a.im - b.im).abs()]).collect();
        let worst = errors.iter().fold(0.0f64, |m, &e| m.max(e));
        (-worst.log2(), -(errors.iter().sum::<f64>() / errors.len() as f64).log2())
    }

    fn lowest(&self) -> usize {
        self.params().bootstrap().unwrap().input_level()
    }
}

fn random(n: usize, seed: u64) -> Vec<Complex64> {
    let mut part = uniform(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..n).map(|_| complex(part(), part())).collect()
}

/// Random, constant, periodic and one-hot vectors, for which errors of implementations differ.
fn patterns(n: usize) -> [(&'static str, Vec<Complex64>); 4] {
    let values = random(n, 5);
    [
        ("constant", vec![complex(0.7, 0.0); n]),
        ("periodic", (0..n).map(|i| values[i % (n / 2).clamp(1, 256)]).collect()),
        ("one-hot", (0..n).map(|i| complex(f64::from(u8::from(i == 5.min(n - 1))), 0.0)).collect()),
        ("random", values),
    ]
}

fn expect_patterns(rig: &Rig, mean: f64, worst: f64) {
    for (name, values) in patterns(1 << rig.log_slots) {
        let out = rig.eval.bootstrap(&rig.encrypt(&values, rig.lowest())).unwrap();
        let boot = rig.params().bootstrap().unwrap();
        assert_eq!(out.level(), boot.output_level(rig.params().top_level()));
        assert_eq!(out.scale(), rig.params().scale(out.level()));
        let found = rig.bits(&out, &values);
        println!(
            "{name}: worst {:.1} bits, mean {:.1}, estimated {:.1}",
            found.0,
            found.1,
            out.noise().precision_bits()
        );
        assert!(found.0 > worst && found.1 > mean, "{name}: {found:?}");
        let estimate = out.noise().precision_bits();
        assert!(found.1 > estimate - 1.5, "{name}: an error of 2^-{:.1}, estimated 2^-{estimate:.1}", found.1);
    }
}

/// Ten multiplications, during which the evaluator bootstraps automatically.
fn expect_products(rig: &Rig) {
    let n = 1usize << rig.log_slots;
    let mut clear: Vec<Complex64> = (0..n).map(|i| complex(1.0 - i as f64 / n as f64 * 0.05, 0.0)).collect();
    let factor: Vec<Complex64> = (0..n).map(|i| complex((i as f64 * 0.1).cos(), (i as f64 * 0.1).sin())).collect();
    let mut x = rig.eval.bootstrap(&rig.encrypt(&clear, rig.lowest())).unwrap();
    let y = rig.encrypt(&factor, rig.params().top_level());
    for _ in 0..10 {
        x = rig.eval.mul_auto(&x, &y).unwrap();
        clear
            .iter_mut()
            .zip(&factor)
            .for_each(|(a, b)| *a = complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re));
    }
    let (worst, _) = rig.bits(&x, &clear);
    assert!(worst > 15.0, "ten products after bootstrapping: {worst:.1} bits");
}

#[test]
fn slots_to_coeffs_can_come_last() {
    for (scale_bits, arcsine, mean, worst) in [(38, 1, 22.0, 20.0), (44, 7, 26.0, 24.0)] {
        let chain = BootstrapChain {
            scale_bits,
            slots_to_coeffs_bits: scale_bits,
            log_ratio: f64::from(50 - scale_bits),
            bootstrap: BootstrapSpec { slots_to_coeffs_first: false, arcsine, ..BootstrapSpec::standard(10, 2) },
            ..chain(10)
        };
        for log_slots in [9, 6] {
            let rig = Rig::new(&chain, log_slots, 8);
            assert_eq!(rig.lowest(), 0);
            expect_patterns(&rig, mean, worst);
            expect_products(&rig);
        }
        let other = BootstrapChain { log_ratio: 20.0, ..chain };
        assert!(matches!(other.generate(), Err(Error::Parameters(why)) if why.contains("first_bits - scale_bits")));
    }
}

#[test]
fn every_pattern_of_full_slots_keeps_its_precision() {
    let rig = Rig::new(&chain(10), 9, 1);
    expect_patterns(&rig, 24.0, 22.0);
    expect_products(&rig);
    // real values: the imaginary part is dropped
    let values = random(512, 9);
    let real: Vec<Complex64> = values.iter().map(|z| complex(z.re, 0.0)).collect();
    let boot = rig.eval.bootstrapper(9).unwrap();
    let out = boot.bootstrap_observed(&rig.eval, &rig.encrypt(&values, rig.lowest()), true, |_| true).unwrap();
    assert!(rig.bits(&out, &real).0 > 21.0);
    // a ciphertext with levels left is lowered first
    let out = boot.bootstrap(&rig.eval, &rig.encrypt(&values, rig.params().top_level())).unwrap();
    assert!(rig.bits(&out, &values).0 > 21.0);
}

/// `chain` with the first matrix of CoeffsToSlots in the keys. It takes no level.
fn keyed(chain: BootstrapChain) -> BootstrapChain {
    let coeffs_to_slots = BootstrapSpec::standard(chain.log_n, 3).coeffs_to_slots;
    BootstrapChain { bootstrap: BootstrapSpec { matrix_keys: true, coeffs_to_slots, ..chain.bootstrap }, ..chain }
}

#[test]
fn keys_can_contain_the_first_matrix() {
    let last = BootstrapSpec { slots_to_coeffs_first: false, ..chain(10).bootstrap };
    let last =
        BootstrapChain { scale_bits: 38, slots_to_coeffs_bits: 38, log_ratio: 12.0, bootstrap: last, ..chain(10) };
    let narrow = BootstrapChain { prime_bits: 48, first_bits: 48, ..chain(10) };
    for (base, mean, worst) in [(chain(10), 24.0, 22.0), (last, 22.0, 20.0), (narrow, 23.0, 21.0)] {
        let levels = |chain: &BootstrapChain| Parameters::new(&chain.generate().unwrap().0.allow_insecure()).unwrap();
        let with = keyed(base.clone());
        assert_eq!(levels(&with).max_level(), levels(&base).max_level());
        for log_slots in [9, 4] {
            let rig = Rig::new(&with, log_slots, 11);
            expect_patterns(&rig, mean, worst);
            expect_products(&rig);
        }
    }
}

/// Each number of slots has a matrix of its own. A bootstrap without it says which there are. Keys for
/// several numbers of slots can be made together or merged.
#[test]
fn a_missing_matrix_is_said() {
    let rig = Rig::new(&keyed(chain(8)), 7, 12);
    let (ctx, secret, params) = (&rig.ctx, &rig.secret, rig.params());
    let few = random(16, 3);
    let encrypted = |log_slots, values: &[Complex64]| {
        let p = Plaintext::encode(ctx, values, rig.lowest(), params.scale(rig.lowest()), log_slots).unwrap();
        secret.encrypt(ctx, &p, &rig.seed).unwrap()
    };
    let ct = encrypted(4, &few);
    let missing = Error::MissingBootstrappingKeys { slots: 16, available: vec![128] };
    assert_eq!(rig.eval.bootstrap(&ct).err(), Some(missing.clone()));
    let boot = Bootstrapper::new(ctx, 4, |_, _| true).unwrap();
    assert_eq!(boot.bootstrap(&rig.eval, &ct).err(), Some(missing));
    // one set of keys can have matrices for several numbers of slots
    let plan = Bootstrapper::key_plan(params, 7).unwrap().and(Bootstrapper::key_plan(params, 4).unwrap());
    let make = |seed: u8, plan: &KeyPlan| secret.evaluation_keys(ctx, plan, &Seed::from_bytes([seed; 32]), |_, _| true);
    let both = make(1, &plan).unwrap();
    assert_eq!(both.bootstrapping(), [4, 7]);
    let eval = Evaluator::bootstrapping(ctx, Arc::new(both.clone())).unwrap();
    assert!(rig.bits(&eval.bootstrap(&ct).unwrap(), &few).0 > 20.0);
    // the keys of one seed, made apart
    let [wide, narrow] = [7, 4].map(|log_slots| Bootstrapper::key_plan(params, log_slots).unwrap());
    let merged = |mut keys: EvaluationKeys, other: &EvaluationKeys| {
        keys.merge(other.clone()).unwrap();
        keys
    };
    let joined = merged(make(1, &wide).unwrap(), &make(1, &narrow).unwrap());
    assert_eq!(joined.to_bytes(ctx).unwrap(), both.to_bytes(ctx).unwrap());
    // those of two seeds: each matrix comes with the key to its own ephemeral secret
    let many = random(128, 4);
    let [first, second] = [1, 2].map(|seed| make(seed, &narrow).unwrap());
    let other = merged(make(3, &wide).unwrap(), &first);
    let again = merged(other.clone(), &second);
    assert_ne!(other.to_bytes(ctx).unwrap(), again.to_bytes(ctx).unwrap());
    for keys in [other, again] {
        assert_eq!(keys.bootstrapping(), [4, 7]);
        let eval = Evaluator::bootstrapping(ctx, Arc::new(keys)).unwrap();
        assert!(rig.bits(&eval.bootstrap(&ct).unwrap(), &few).0 > 20.0);
        assert!(rig.bits(&eval.bootstrap(&encrypted(7, &many)).unwrap(), &many).0 > 20.0);
    }
    // for one number of slots the later keys stay
    assert_eq!(merged(first, &second).to_bytes(ctx).unwrap(), second.to_bytes(ctx).unwrap());
}

/// Keys without a matrix serve every number of slots; the later ones stay.
#[test]
fn keys_without_a_matrix_are_merged() {
    let rig = Rig::new(&chain(8), 7, 13);
    let (ctx, params) = (&rig.ctx, rig.params());
    let make = |seed: u8, plan: &KeyPlan| {
        rig.secret.evaluation_keys(ctx, plan, &Seed::from_bytes([seed; 32]), |_, _| true).unwrap()
    };
    let plan = Bootstrapper::key_plan(params, 7).unwrap();
    let later = make(2, &plan);
    let mut keys = make(1, &plan);
    keys.merge(later.clone()).unwrap();
    assert_eq!(keys.to_bytes(ctx).unwrap(), later.to_bytes(ctx).unwrap());
    keys.merge(make(3, &KeyPlan::rotations([3]))).unwrap();
    let eval = Evaluator::bootstrapping(ctx, Arc::new(keys)).unwrap();
    let values = random(128, 5);
    assert!(rig.bits(&eval.bootstrap(&rig.encrypt(&values, rig.lowest())).unwrap(), &values).0 > 20.0);
}

/// A chain whose primes are all below 2^48 is as precise as one with primes of 50 bits.
#[test]
fn primes_can_be_smaller() {
    let narrow = BootstrapChain { prime_bits: 48, first_bits: 48, ..chain(10) };
    for log_slots in [9, 5] {
        let rig = Rig::new(&narrow, log_slots, 1);
        let largest = rig.params().extended().values().max().unwrap();
        assert!(largest < 1 << 48 && largest > 1 << 47, "{largest}");
        expect_patterns(&rig, 23.0, 21.0);
        expect_products(&rig);
    }
    // a scale as large as the primes
    let twice = BootstrapSpec { passes: 2, ..narrow.bootstrap.clone() };
    let precise = BootstrapChain { scale_bits: 48, log_ratio: 13.0, bootstrap: twice, ..narrow.clone() };
    let (spec, _) = precise.generate().unwrap();
    assert!(Parameters::new(&spec.allow_insecure()).unwrap().extended().values().all(|q| q < 1 << 48));
    for (prime_bits, first_bits) in [(48, 49), (39, 39), (51, 50), (u32::MAX, 50)] {
        let bad = BootstrapChain { prime_bits, first_bits, ..narrow.clone() };
        assert!(matches!(bad.generate(), Err(Error::Parameters(why)) if why.contains("possible")), "{prime_bits}");
    }
}

#[test]
fn sparse_packing() {
    for log_slots in [2, 5] {
        let rig = Rig::new(&chain(10), log_slots, 2);
        expect_patterns(&rig, 23.0, 21.0);
    }
    expect_products(&Rig::new(&chain(11), 4, 3));
}

#[test]
fn an_arcsine_takes_a_message_close_to_q0() {
    let base = chain(10);
    let with = BootstrapChain {
        log_ratio: 10.0,
        eval_mod_bits: 58.0,
        bootstrap: BootstrapSpec { arcsine: 5, ..base.bootstrap.clone() },
        ..base
    };
    let rig = Rig::new(&with, 9, 4);
    assert!((rig.eval.bootstrapper(9).unwrap().low_ratio(rig.params()).log2() - 10.0).abs() < 0.1);
    expect_patterns(&rig, 24.0, 21.0);
}

#[test]
fn a_second_pass_adds_its_bits() {
    let base = chain(10);
    let twice = BootstrapChain {
        scale_bits: 48,
        log_ratio: 13.0,
        bootstrap: BootstrapSpec { passes: 2, ..base.bootstrap.clone() },
        ..base
    };
    expect_patterns(&Rig::new(&twice, 9, 5), 32.0, 30.0);
}

/// Message levels that share primes: fewer primes than levels. Products and sums of ciphertexts at
/// any two levels are as precise as with a prime for each level.
#[test]
fn message_levels_share_primes() {
    let shared = BootstrapChain { message_levels: 9, shared_primes: true, ..chain(10) };
    let rig = Rig::new(&shared, 9, 13);
    let (params, lowest, top) = (rig.params(), rig.lowest(), rig.params().top_level());
    assert!(params.limbs(top) <= top && top == lowest + 9, "{} primes at level {top}", params.limbs(top));
    expect_patterns(&rig, 22.0, 20.0);
    expect_products(&rig);
    let (values, others) = (random(512, 6), random(512, 7));
    let highest = rig.encrypt(&others, top);
    let mut refused = 0;
    for level in lowest + 1..=top {
        assert!((params.scale(level).log2() - 40.0).abs() < 0.5, "{level}: {:?}", params.scale(level));
        let x = rig.encrypt(&values, level);
        let product = rig.eval.mul_auto(&x, &highest).unwrap();
        assert_eq!((product.level(), product.scale()), (level - 1, params.scale(level - 1)));
        let want: Vec<Complex64> = values.iter().zip(&others).map(|(&a, &b)| a * b).collect();
        assert!(rig.bits(&product, &want).0 > 24.0, "{level}: {:?}", rig.bits(&product, &want));
        let sum = rig.eval.weighted_sum(&[(&x, 0.5), (&highest, -0.25)], level - 1).unwrap();
        let want: Vec<Complex64> = values.iter().zip(&others).map(|(&a, &b)| a * 0.5 + b * -0.25).collect();
        assert!(rig.bits(&sum, &want).0 > 24.0, "{level}: {:?}", rig.bits(&sum, &want));
        match rig.eval.drop_level(&highest, level) {
            Ok(dropped) => assert!(rig.bits(&dropped, &others).0 > 24.0),
            Err(Error::NotNested { upper, lower }) => {
                assert_eq!((upper, lower), (top, level));
                refused += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(refused > 0);
}

/// SlotsToCoeffs at levels of fewer bits than those of messages. Plaintexts can be multiplied at
/// these levels, ciphertexts by each other cannot: the product would not have the scale of a level.
#[test]
fn narrow_levels_of_slots_to_coeffs() {
    let narrow = BootstrapChain { slots_to_coeffs_bits: 32, ..chain(10) };
    let rig = Rig::new(&narrow, 9, 12);
    let (params, lowest) = (rig.params(), rig.lowest());
    for level in 1..=lowest {
        assert!((params.ratio(level).log2() - 32.0).abs() < 0.1 && (params.scale(level).log2() - 40.0).abs() < 0.1);
    }
    expect_patterns(&rig, 21.0, 19.0);
    let values = random(512, 6);
    let keys = rig.secret.evaluation_keys(&rig.ctx, &KeyPlan::rotations([1]), &rig.seed, |_, _| true).unwrap();
    let plain = Evaluator::new(&rig.ctx, Arc::new(keys)).unwrap();
    let x = plain.mul_values(&rig.encrypt(&values, 1), &[complex(0.5, 0.0); 512]).unwrap();
    let half: Vec<Complex64> = values.iter().map(|&z| z * 0.5).collect();
    assert!(x.scale() == params.scale(0) && rig.bits(&x, &half).0 > 15.0);
    let above = rig.encrypt(&values, lowest + 1);
    let square: Vec<Complex64> = values.iter().map(|&z| z * z).collect();
    assert!(rig.bits(&plain.mul_auto(&above, &above).unwrap(), &square).0 > 20.0);
    for level in 1..=lowest {
        let x = rig.encrypt(&values, level);
        let left = |e: Error| match e {
            Error::ModulusExhausted { needed, left, .. } => (needed, left),
            e => panic!("{e:?}"),
        };
        assert_eq!(left(plain.mul_auto(&x, &x).unwrap_err()), (lowest + 1, level));
        assert_eq!(left(plain.mul_sum_auto(&[(&x, &x)]).unwrap_err()), (lowest + 1, level));
    }
    // a polynomial is right or refused, at whichever level it starts
    let cubic = Polynomial::new(Basis::Power, &[0.25, -0.5, 0.0, 0.5]).unwrap();
    let wanted: Vec<Complex64> = values.iter().map(|&z| z * z * z * 0.5 - z * 0.5 + complex(0.25, 0.0)).collect();
    for level in 0..=params.top_level() {
        match plain.polynomial(&rig.encrypt(&values, level), &cubic) {
            Ok(y) => {
                assert!(level > lowest + 1 && rig.bits(&y, &wanted).0 > 20.0, "{level}: {:?}", rig.bits(&y, &wanted))
            }
            Err(Error::ModulusExhausted { .. } | Error::PolynomialTooDeep { .. }) => {
                assert!(level <= lowest + 1, "{level}");
            }
            Err(e) => panic!("{level}: {e:?}"),
        }
    }
}

/// Real values are bootstrapped in pairs, a third one alone.
#[test]
fn many_at_once() {
    let base = chain(9);
    let twice = BootstrapSpec { passes: 2, ..base.bootstrap.clone() };
    let last = BootstrapSpec { slots_to_coeffs_first: false, ..base.bootstrap.clone() };
    let chains = [
        (BootstrapChain { scale_bits: 45, log_ratio: 13.0, bootstrap: twice, ..base.clone() }, 29.0),
        (
            BootstrapChain {
                scale_bits: 38,
                slots_to_coeffs_bits: 38,
                log_ratio: 12.0,
                bootstrap: last,
                ..base.clone()
            },
            20.0,
        ),
        (base, 22.0),
    ];
    for (chain, least) in chains {
        let rig = Rig::new(&chain, 8, 9);
        let boot = rig.eval.bootstrapper(8).unwrap();
        for real in [true, false] {
            let part = |z: &Complex64| if real { complex(z.re, 0.0) } else { *z };
            let values: Vec<Vec<Complex64>> = (0..3).map(|i| random(256, 20 + i).iter().map(part).collect()).collect();
            let counts = [3, 7, 256];
            let counted = |(v, n): (&Vec<Complex64>, usize)| rig.encrypt(v, rig.lowest()).with_count(n).unwrap();
            let cts: Vec<Ciphertext> = values.iter().zip(counts).map(counted).collect();
            let mut ready = vec![];
            let all: Vec<&Ciphertext> = cts.iter().collect();
            let note = |n| {
                ready.push(n);
                true
            };
            let out = boot.bootstrap_many(&rig.eval, &all, real, note).unwrap();
            let pairs = real && chain.bootstrap.slots_to_coeffs_first;
            assert_eq!(ready, if pairs { vec![2, 3] } else { vec![1, 2, 3] });
            assert_eq!(out.iter().map(|out| out.count()).collect::<Vec<_>>(), counts);
            for (out, values) in out.iter().zip(&values) {
                assert_eq!(out.scale(), rig.params().scale(out.level()));
                let found = rig.bits(out, values);
                assert!(found.0 > least, "{real}: {found:?}, {chain:?}");
            }
            let stopped = boot.bootstrap_many(&rig.eval, &all, real, |_| false);
            assert!(matches!(stopped, Err(Error::Interrupted)));
            if rig.lowest() > 0 {
                let low = rig.encrypt(&values[0], 0);
                let refused =
                    boot.bootstrap_many(&rig.eval, &[&cts[0], &cts[1], &low], real, |_| panic!("work was done"));
                assert!(matches!(refused, Err(Error::ModulusExhausted { unit: ringjet::Unit::Levels, .. })));
            }
        }
    }
}

/// The presets at full size: minutes and gigabytes.
#[test]
#[ignore = "full size"]
fn presets_at_full_size() {
    let presets = [
        ("n15-boot", 21.5, 17.5),
        ("n15-boot-fast", 18.0, 14.0),
        ("n15-boot-few", 20.0, 18.0),
        ("n16-boot", 23.0, 19.0),
        ("n16-boot-48", 23.0, 19.0),
        ("n16-boot-small", 23.0, 19.0),
    ];
    for (name, mean, worst) in presets {
        let chain = bootstrap_chain(name).unwrap();
        let rig = Rig::new(&chain, chain.bootstrap.most_log_slots(), 7);
        expect_patterns(&rig, mean, worst);
        if name.starts_with("n16") {
            expect_products(&rig);
        }
    }
}

/// Two passes at full size.
#[test]
#[ignore = "full size"]
fn the_precise_preset_at_full_size() {
    let chain = bootstrap_chain("n16-boot-precise").unwrap();
    expect_patterns(&Rig::new(&chain, 15, 8), 28.0, 24.0);
}
