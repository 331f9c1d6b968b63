//! BGV and BFV against integers modulo T.

mod circuits;
mod depths;
mod noise;
mod programs;

use std::sync::Arc;

use ringjet::bgv::{Ciphertext, Context, Evaluator, ParamSpec, Parameters, Plaintext, PublicKey, SecretKey, preset};
use ringjet::rng::Seed;
use ringjet::{Error, KeyPlan, Rows};
use ringjet_backend::Backend;

/// A random generator; tests print its seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }
}

/// A client and a server in one place.
pub struct Fixture {
    pub secret: SecretKey,
    pub public: PublicKey,
    pub eval: Evaluator,
    pub random: Random,
}

impl Fixture {
    pub fn new(params: &Parameters, backend: Arc<dyn Backend>, plan: &KeyPlan, seed: u64) -> Self {
        println!("{params:?}, seed {seed}");
        let ctx = Context::new(params, backend);
        let bytes = Seed::from_bytes([seed as u8; 32]).derive(b"fixture", seed);
        let secret = SecretKey::from_seed(params, &bytes).unwrap();
        let public = PublicKey::generate(&ctx, &secret, &bytes).unwrap();
        let keys = secret.evaluation_keys(&ctx, plan, &bytes, |_, _| true).unwrap();
        let eval = Evaluator::new(&ctx, Arc::new(keys)).unwrap();
        Self { secret, public, eval, random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1) }
    }

    /// On the CPU, with keys for products, the rotations by 1, 2 and -3, and swapping of rows.
    pub fn cpu(params: &Parameters, seed: u64) -> Self {
        let backend = ringjet_cpu::CpuBackend::new(Default::default()).unwrap();
        Self::new(params, Arc::new(backend), &KeyPlan::rotations([1, 2, -3]).conjugation(), seed)
    }

    pub fn ctx(&self) -> &Context {
        self.eval.context()
    }

    pub fn params(&self) -> &Parameters {
        self.eval.context().params()
    }

    /// The plaintext modulus, which has at most 63 bits here: its residues are `i64`.
    pub fn t(&self) -> i128 {
        let t = self.params().t() as i128;
        assert!(t < 1 << 63);
        t
    }

    /// A uniform centred residue.
    pub fn value(&mut self) -> i64 {
        let t = self.t();
        (i128::from(self.random.next()) % t - t / 2) as i64
    }

    /// Uniform centred residues.
    pub fn values(&mut self) -> Vec<i64> {
        (0..self.params().slots()).map(|_| self.value()).collect()
    }

    pub fn plain(&self, values: &[i64]) -> Plaintext {
        Plaintext::encode(self.ctx(), values, self.params().top_level()).unwrap()
    }

    pub fn encrypt(&mut self, values: &[i64], public: bool) -> Ciphertext {
        let plain = self.plain(values);
        let seed = Seed::from_bytes([7; 32]).derive(b"encryption", self.random.next());
        match public {
            true => self.public.encrypt(self.ctx(), &plain, &seed).unwrap(),
            false => self.secret.encrypt(self.ctx(), &plain, &seed).unwrap(),
        }
    }

    pub fn decrypt(&self, ct: &Ciphertext) -> Vec<i64> {
        self.secret.decrypt_integers(self.ctx(), ct).unwrap()
    }

    /// `x` modulo T, between -T/2 and T/2.
    pub fn reduce(&self, x: i128) -> i64 {
        let t = self.t();
        ((x + t / 2).rem_euclid(t) - t / 2) as i64
    }

    pub fn zip(&self, a: &[i64], b: &[i64], f: impl Fn(i128, i128) -> i128) -> Vec<i64> {
        a.iter().zip(b).map(|(&x, &y)| self.reduce(f(x.into(), y.into()))).collect()
    }
}

/// Both rows rotated by `steps` to the left.
pub fn rotated(x: &[i64], steps: i64) -> Vec<i64> {
    let n = x.len() / 2;
    let row = |r: usize, j: usize| x[r * n + (j as i64 + steps).rem_euclid(n as i64) as usize];
    (0..2 * n).map(|i| row(i / n, i % n)).collect()
}

pub fn swapped(x: &[i64]) -> Vec<i64> {
    let n = x.len() / 2;
    [&x[n..], &x[..n]].concat()
}

/// A small chain: N = 2^10, four levels, t = 12289.
pub fn small() -> ParamSpec {
    ParamSpec::uniform(10, 12289, &[28, 27, 27, 27], &[33]).allow_insecure()
}

/// Three primes of the plaintext modulus, and so three components.
pub fn several() -> ParamSpec {
    let t = vec![40961, 12289, 65537];
    ParamSpec { t, ..ParamSpec::uniform(10, 2, &[32, 31, 31, 31], &[36]).allow_insecure() }
}

fn every_operation(params: &Parameters, seed: u64) {
    let mut f = Fixture::cpu(params, seed);
    let (a, b) = (f.values(), f.values());
    let (x, y) = (f.encrypt(&a, false), f.encrypt(&b, true));
    assert_eq!(f.decrypt(&x), a);
    assert_eq!(f.decrypt(&y), b);
    let eval = f.eval.clone();
    let p = f.plain(&b);
    assert_eq!(f.decrypt(&eval.add_auto(&x, &y).unwrap()), f.zip(&a, &b, |x, y| x + y));
    assert_eq!(f.decrypt(&eval.sub_auto(&x, &y).unwrap()), f.zip(&a, &b, |x, y| x - y));
    assert_eq!(f.decrypt(&eval.neg(&x).unwrap()), f.zip(&a, &a, |x, _| -x));
    assert_eq!(f.decrypt(&eval.add_plain(&x, &p).unwrap()), f.zip(&a, &b, |x, y| x + y));
    assert_eq!(f.decrypt(&eval.sub_plain(&x, &p).unwrap()), f.zip(&a, &b, |x, y| x - y));
    assert_eq!(f.decrypt(&eval.mul_plain(&x, &p).unwrap()), f.zip(&a, &b, |x, y| x * y));
    let prepared = p.prepare(f.ctx(), params.top_level()).unwrap();
    let bytes = |ct: Ciphertext| ct.to_bytes(f.ctx()).unwrap();
    let times_plain = bytes(eval.mul_plain(&x, &p).unwrap());
    assert!(bytes(eval.mul_prepared(&x, &prepared).unwrap()) == times_plain);
    for _ in 0..2 {
        assert!(bytes(eval.mul_integers(&x, &b).unwrap()) == times_plain);
        // few values are known to leave zeros
        let few = Plaintext::encode(f.ctx(), &b[..3], x.level()).unwrap();
        assert!(bytes(eval.mul_integers(&x, &b[..3]).unwrap()) == bytes(eval.mul_plain(&x, &few).unwrap()));
    }
    assert_eq!(f.decrypt(&eval.add_integer(&x, -7).unwrap()), f.zip(&a, &a, |x, _| x - 7));
    assert_eq!(f.decrypt(&eval.mul_integer(&x, 1234).unwrap()), f.zip(&a, &a, |x, _| x * 1234));
    assert_eq!(f.decrypt(&eval.mul_integer(&x, 0).unwrap()), vec![0; a.len()]);
    assert_eq!(f.decrypt(&eval.rotate(&x, 1).unwrap()), rotated(&a, 1));
    assert_eq!(f.decrypt(&eval.rotate(&x, -3).unwrap()), rotated(&a, -3));
    assert_eq!(f.decrypt(&eval.swap_rows(&x).unwrap()), swapped(&a));
    for (turned, steps) in eval.rotate_hoisted(&x, &[1, 0, 2]).unwrap().iter().zip([1, 0, 2]) {
        assert_eq!(f.decrypt(turned), rotated(&a, steps));
    }
    let terms = [(&x, 1.0), (&y, -3.0), (&x, 250.0), (&y, -1.0), (&x, 0.0)];
    let sum = eval.weighted_sum(&terms).unwrap();
    assert_eq!(f.decrypt(&sum), f.zip(&a, &b, |x, y| 251 * x - 4 * y));
    let scaled = terms.map(|(x, weight)| eval.mul_scalar_auto(x, weight).unwrap());
    let one_by_one = scaled.into_iter().reduce(|a, b| eval.add_auto(&a, &b).unwrap()).unwrap();
    assert!(bytes(sum) == bytes(one_by_one));
    assert!(matches!(eval.weighted_sum(&[]), Err(Error::Argument { .. })));
    rows_are_weighted_sums(&f, &x, &y);
    let product = f.zip(&a, &b, |x, y| x * y);
    let raw = eval.mul(&x, &y).unwrap();
    assert_eq!(f.decrypt(&raw), product);
    assert_eq!(f.decrypt(&eval.relinearize(&raw).unwrap()), product);
    assert_eq!(f.decrypt(&eval.mul_auto(&x, &x).unwrap()), f.zip(&a, &a, |x, y| x * y));
    // products that are added up before they are relinearised, also to a ciphertext and a plaintext
    let sum = eval.add_auto(&raw, &x).unwrap();
    let sum = eval.sub_auto(&y, &eval.add_plain(&sum, &p).unwrap()).unwrap();
    let sum = eval.add_integer(&sum, 5).unwrap();
    let want = f.zip(&a, &b, |x, y| y - (x * y + x + y) + 5);
    assert_eq!(f.decrypt(&sum), want);
    assert_eq!(f.decrypt(&eval.relinearize(&sum).unwrap()), want);
    let pairs = eval.mul_sum_auto(&[(&x, &y), (&x, &x)]).unwrap();
    assert_eq!(f.decrypt(&pairs), f.zip(&a, &b, |x, y| x * y + x * x));
    for level in 0..params.top_level() {
        // a level of few bits has no room for t and the rounding
        let low = match eval.switch_to(&x, level) {
            Err(Error::NoiseBudget { .. }) if params.level(level).basis.log2() < 26.0 => continue,
            low => low.unwrap(),
        };
        assert_eq!((f.decrypt(&low), low.level()), (a.clone(), level));
        assert_eq!(f.decrypt(&eval.add_auto(&low, &y).unwrap()), f.zip(&a, &b, |x, y| x + y), "level {level}");
        rows_are_weighted_sums(&f, &y, &low);
        let mixed = eval.weighted_sum(&[(&y, 2.0), (&low, 3.0)]).unwrap();
        assert_eq!(f.decrypt(&mixed), f.zip(&a, &b, |x, y| 3 * x + 2 * y), "level {level}");
        assert_eq!(f.decrypt(&eval.add_plain(&low, &p).unwrap()), f.zip(&a, &b, |x, y| x + y));
        assert_eq!(f.decrypt(&eval.add_integer(&low, 5).unwrap()), f.zip(&a, &a, |x, _| x + 5));
    }
    if params.top_level() > 0 {
        let lower = eval.relinearize_switch(&raw).unwrap();
        assert_eq!((f.decrypt(&lower), lower.level()), (product, params.top_level() - 1));
    }
}

/// The bytes of weighted sums with all rows at once are those of each row by itself.
fn rows_are_weighted_sums(f: &Fixture, x: &Ciphertext, y: &Ciphertext) {
    let (eval, bytes) = (&f.eval, |ct: &Ciphertext| ct.to_bytes(f.ctx()).unwrap());
    let half = (f.params().t().min(1 << 30) / 2) as f64;
    let (weights, bias) = ([[1.0, 2.0], [-3.0, 250.0], [0.0, -1.0], [half, 1.0 - half]], [7.0, -3.0, 1.0, -1.0]);
    for (rows, bias) in [(4, &bias[..]), (4, &[]), (1, &[])] {
        let rows = Rows { weights: &weights.as_flattened()[..2 * rows], bias, bits: None };
        let room = eval.weighted_sum(&[(x, half), (y, 1.0 - half)]).is_ok();
        let made = match eval.weighted_sums(&[x, y], &rows, |_| true) {
            Err(Error::NoiseBudget { .. }) if !room => continue,
            made => made.unwrap(),
        };
        for (m, sum) in made.iter().enumerate() {
            let expected = eval.weighted_sum(&[(x, weights[m][0]), (y, weights[m][1])]).unwrap();
            let expected = bias.get(m).map_or(expected.clone(), |&c| eval.add_scalar(&expected, c).unwrap());
            assert_eq!(f.decrypt(sum), f.decrypt(&expected), "row {m}");
            assert_eq!(sum.noise(), expected.noise(), "row {m}");
            assert!(bytes(sum) == bytes(&expected), "row {m}");
        }
    }
}

#[test]
fn weights_of_several_digits_are_exact() {
    // half of this prime has 29 bits
    for (seed, spec) in [(9, ParamSpec::uniform(8, 998_244_353, &[50; 3], &[50])), (10, small())] {
        let params = Parameters::new(&spec.allow_insecure()).unwrap();
        let mut f = Fixture::cpu(&params, seed);
        let (a, b) = (f.values(), f.values());
        let (x, y) = (f.encrypt(&a, false), f.encrypt(&b, true));
        rows_are_weighted_sums(&f, &x, &y);
        let (v, w) = (f.value(), f.value());
        let rows = Rows { weights: &[v as f64, w as f64], bias: &[5.0], bits: None };
        let made = f.eval.weighted_sums(&[&x, &y], &rows, |_| true).unwrap();
        let (v, w) = (i128::from(v), i128::from(w));
        assert_eq!(f.decrypt(&made[0]), f.zip(&a, &b, |x, y| v * x + w * y + 5));
        let stopped = f.eval.weighted_sums(&[&x, &y], &rows, |_| false);
        assert!(matches!(stopped, Err(Error::Interrupted)));
        let wrong = Rows { weights: &[0.5, 1.0], ..rows };
        assert!(matches!(f.eval.weighted_sums(&[&x, &y], &wrong, |_| true), Err(Error::NotResidue { .. })));
    }
}

#[test]
fn operations_are_exact() {
    every_operation(&Parameters::new(&small()).unwrap(), 1);
    every_operation(&Parameters::new(&small().bfv()).unwrap(), 2);
    every_operation(&preset("bgv-n12").unwrap(), 3);
    every_operation(&preset("bfv-n12").unwrap(), 4);
    every_operation(&Parameters::new(&several()).unwrap(), 7);
    every_operation(&Parameters::new(&several().bfv()).unwrap(), 8);
}

/// With 64 bits every `i64` is a value. Results that are none are refused, not wrapped.
#[test]
fn values_have_up_to_64_bits() {
    for (seed, name) in ["bgv-n13", "bfv-n13"].into_iter().enumerate() {
        let spec = preset(name).unwrap().spec().clone().t_bits(64).unwrap();
        let params = Parameters::new(&spec).unwrap();
        assert!(params.t() >> 64 != 0 && params.security().level.is_some());
        let mut f = Fixture::cpu(&params, 20 + seed as u64);
        let values = [i64::MIN, i64::MAX, -1, 1 << 62, 3_037_000_499, 0];
        let x = f.encrypt(&values, seed == 0);
        let e = f.eval.clone();
        assert_eq!(f.decrypt(&x)[..6], values);
        assert_eq!(f.decrypt(&e.rotate(&x, 1).unwrap())[..5], values[1..]);
        let halves = f.encrypt(&[-1, 1, 1 << 62, 2, 3_037_000_499, 5], true);
        let small = f.encrypt(&[0, 1, 1, 1, 1, i64::MIN], false);
        let product = e.mul_auto(&e.mul_auto(&x, &halves).unwrap(), &small).unwrap();
        let want = [0, i64::MAX, -(1 << 62), 0, 3_037_000_499 * 3_037_000_499, 0];
        let Error::IntegerOverflow { index: 3, value, modulus } =
            f.secret.decrypt_integers(f.ctx(), &product).unwrap_err()
        else {
            panic!("2^63 fits no i64")
        };
        assert_eq!((value, modulus), (1 << 63, params.t()));
        let exact = e.sub_plain(&product, &f.plain(&[0, 0, 0, 1 << 62])).unwrap();
        let exact = f.decrypt(&e.sub_plain(&exact, &f.plain(&[0, 0, 0, 1 << 62])).unwrap());
        assert_eq!(exact[..6], want);
        assert!(matches!(e.add_scalar(&x, 2f64.powi(60)), Err(Error::NotResidue { .. })));
        let big = e.mul_integer(&small, 1 << 61).unwrap();
        assert_eq!(f.decrypt(&e.add_integer(&e.mul_integer(&big, 0).unwrap(), i64::MIN).unwrap())[..2], [i64::MIN; 2]);
    }
}

/// Levels that are sets of primes, which are not all parts of each other.
#[test]
fn levels_can_be_sets_of_primes() {
    let levels = vec![vec![0], vec![0, 1], vec![0, 2], vec![0, 1, 2]];
    let spec =
        ParamSpec { levels: Some(levels), alpha: Some(2), ..ParamSpec::uniform(10, 12289, &[40, 28, 45], &[45, 45]) };
    every_operation(&Parameters::new(&spec.allow_insecure()).unwrap(), 5);
}

#[test]
fn wrong_input_is_refused() {
    let refuse = |t: &[u64]| Parameters::new(&ParamSpec { t: t.to_vec(), ..small() }).unwrap_err();
    let wide = (1 << 31) + 1;
    let wrong: [(&[u64], &str); 7] = [
        (&[12288], "prime"),
        (&[12281], "room for 1024 slots"),
        (&[wide], "30 bits"),
        (&[12289, wide], "30 bits"),
        (&[12289, 40961, 12289], "twice"),
        (&[], "1 to 4"),
        (&[12289, 40961, 65537, 18433, 59393], "1 to 4"),
    ];
    for (t, text) in wrong {
        let error = refuse(t);
        assert!(matches!(&error, Error::Parameters(why) if why.contains(text)), "{t:?}: {error}");
    }
    let params = Parameters::new(&small()).unwrap();
    let mut f = Fixture::cpu(&params, 6);
    let encode = |values: &[i64]| Plaintext::encode(f.ctx(), values, 0).unwrap_err();
    assert!(matches!(encode(&[0, 12289]), Error::NotResidue { index: 1, low: -6144, high: 12288, modulus: 12289, .. }));
    assert!(matches!(encode(&[-6145]), Error::NotResidue { .. }));
    assert!(matches!(encode(&[0; 1025]), Error::SlotCount { max: 1024, .. }));
    let values = f.values();
    let x = f.encrypt(&values, false);
    let low = f.eval.switch_to(&x, 0).unwrap();
    let refused = f.eval.mul_auto(&low, &low).unwrap_err();
    assert!(matches!(refused, Error::NoiseBudget { needed, available, .. } if needed > available), "{refused}");
    assert!(matches!(f.eval.add_scalar(&x, 0.5), Err(Error::NotResidue { .. })));
    let prepared = f.plain(&values).prepare(f.ctx(), 2).unwrap();
    let other_level = f.eval.mul_prepared(&x, &prepared).unwrap_err();
    assert!(matches!(other_level, Error::ModulusMismatch { lhs: 3, rhs: 2, .. }), "{other_level}");
    assert!(matches!(f.plain(&values).prepare(f.ctx(), 4), Err(Error::NoSuchLevel { level: 4, top: 3 })));
    let differing = f.eval.add(&f.eval.switch_to(&x, 1).unwrap(), &x).unwrap_err();
    assert!(matches!(differing, Error::ModulusMismatch { .. }));
    // the factors of a product and of a switched product differ
    let product = f.eval.relinearize_switch(&f.eval.mul(&x, &x).unwrap()).unwrap();
    let switched = f.eval.switch_to(&f.eval.relinearize_switch(&f.eval.mul(&product, &product).unwrap()).unwrap(), 0);
    let other = f.eval.switch_to(&x, 0).unwrap();
    assert!(matches!(f.eval.add(&switched.unwrap(), &other), Err(Error::FactorMismatch { .. })));
}
