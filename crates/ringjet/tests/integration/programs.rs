//! Random programs on values of random stated magnitudes. Every result is either right within its
//! estimate and its bound, or refused with a typed error. None is silently wrong.

use std::sync::Arc;

use ringjet::circuits::{Basis, Polynomial};
use ringjet::rng::Seed;
use ringjet::{Error, KeyPlan, Noise, Result, heaan};
use ringjet_math::fft::Complex64;

const LOG_SLOTS: u32 = 5;
const SLOTS: usize = 1 << LOG_SLOTS;
/// Bits of HEAAN's modulus, too few for some programs.
const LOG_Q: u32 = 160;
const STEPS: [i64; 4] = [1, 2, 4, -3];

/// A random generator; tests print its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    /// Uniform between -1 and 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Between 2^-4 and 2^10, uniform in the logarithm.
    fn magnitude(&mut self) -> f64 {
        (3.0 + 7.0 * self.unit()).exp2()
    }

    /// Random, constant or one-hot, real or complex, with parts up to `magnitude`.
    fn vector(&mut self, magnitude: f64, real: bool) -> Vec<Complex64> {
        let kind = self.below(4);
        let mut one = || Complex64::new(magnitude * self.unit(), if real { 0.0 } else { magnitude * self.unit() });
        match kind {
            0 => vec![one(); SLOTS],
            1 => {
                let mut v = vec![Complex64::default(); SLOTS];
                v[3] = one();
                v
            }
            _ => (0..SLOTS).map(|_| one()).collect(),
        }
    }
}

/// A step of a program. Operands are indices of earlier values.
#[derive(Debug, Clone)]
enum Op {
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    AddVector(usize, Vec<Complex64>),
    MulVector(usize, Vec<Complex64>),
    AddConstant(usize, f64),
    MulConstant(usize, f64),
    MulInteger(usize, i64),
    Neg(usize),
    Rotate(usize, i64),
    Conjugate(usize),
    TimesI(usize),
    InnerSum(usize, i64, usize),
    Polynomial(usize, Polynomial),
}

impl Op {
    fn random(r: &mut Random, count: usize) -> Self {
        // the last result is taken as often as all earlier values together
        let (x, y) = (r.below(count), if r.below(2) == 0 { count - 1 } else { r.below(count) });
        match r.below(14) {
            0 => Self::Add(x, y),
            1 => Self::Sub(x, y),
            2 | 3 => Self::Mul(x, y),
            4 => Self::AddVector(y, {
                let m = r.magnitude();
                r.vector(m, false)
            }),
            5 => Self::MulVector(y, {
                let m = r.magnitude();
                r.vector(m, true)
            }),
            6 => Self::AddConstant(y, r.magnitude() * r.unit()),
            7 => Self::MulConstant(y, r.magnitude() * r.unit()),
            8 => Self::MulInteger(y, r.below(300) as i64 - 150),
            9 => Self::Neg(x),
            10 => Self::Rotate(y, STEPS[r.below(4)]),
            11 => {
                if r.below(2) == 0 {
                    Self::Conjugate(y)
                } else {
                    Self::TimesI(y)
                }
            }
            12 => Self::InnerSum(y, 1, 1 << r.below(4)),
            _ => {
                let coefficients: Vec<f64> = (0..2 + r.below(4)).map(|_| r.unit()).collect();
                let end = r.magnitude();
                let basis = if r.below(2) == 0 { Basis::Power } else { Basis::Chebyshev { a: -end, b: end } };
                Self::Polynomial(y, Polynomial::new(basis, &coefficients).unwrap())
            }
        }
    }

    fn clear(&self, v: &[Vec<Complex64>]) -> Vec<Complex64> {
        let each = |x: usize, f: &dyn Fn(Complex64) -> Complex64| v[x].iter().map(|&z| f(z)).collect::<Vec<_>>();
        let both = |x: usize, y: &[Complex64], f: fn(Complex64, Complex64) -> Complex64| {
            v[x].iter().zip(y).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>()
        };
        let turn = |x: &[Complex64], k: i64| -> Vec<Complex64> {
            (0..SLOTS as i64).map(|j| x[(j + k).rem_euclid(SLOTS as i64) as usize]).collect()
        };
        match self {
            Self::Add(x, y) => both(*x, &v[*y], |a, b| a + b),
            Self::Sub(x, y) => both(*x, &v[*y], |a, b| a - b),
            Self::Mul(x, y) => both(*x, &v[*y], |a, b| a * b),
            Self::AddVector(x, w) => both(*x, w, |a, b| a + b),
            Self::MulVector(x, w) => both(*x, w, |a, b| a * b),
            Self::AddConstant(x, c) => each(*x, &|z| z + Complex64::from(*c)),
            Self::MulConstant(x, c) => each(*x, &|z| z * *c),
            Self::MulInteger(x, k) => each(*x, &|z| z * *k as f64),
            Self::Neg(x) => each(*x, &|z| -z),
            Self::Rotate(x, k) => turn(&v[*x], *k),
            Self::Conjugate(x) => each(*x, &|z| z.conj()),
            Self::TimesI(x) => each(*x, &|z| z * Complex64::new(0.0, 1.0)),
            Self::InnerSum(x, stride, count) => (0..*count as i64).fold(vec![Complex64::default(); SLOTS], |sum, i| {
                sum.iter().zip(turn(&v[*x], i * stride)).map(|(&a, b)| a + b).collect()
            }),
            Self::Polynomial(x, p) => each(*x, &|z| match p.basis() {
                Basis::Power => p.coefficients().iter().rev().fold(Complex64::default(), |s, &c| s * z + c.into()),
                Basis::Chebyshev { .. } => p.eval(z.re).into(),
            }),
        }
    }
}

/// The operations of a scheme that programs use.
trait Scheme {
    type Ct: Clone;
    fn encrypt(&self, values: &[Complex64], magnitude: f64, real: bool, number: u64) -> Result<Self::Ct>;
    fn apply(&self, op: &Op, v: &[Self::Ct]) -> Result<Self::Ct>;
    fn decrypt(&self, ct: &Self::Ct) -> Result<Vec<Complex64>>;
    /// The noise of a ciphertext, and its scale.
    fn noise(&self, ct: &Self::Ct) -> (Noise, f64);
}

/// Applies an operation. The schemes' evaluators have functions of the same names, except for polynomials.
macro_rules! applied {
    ($op:expr, $e:expr, $v:expr, $polynomial:expr) => {
        match $op {
            Op::Add(x, y) => $e.add_auto(&$v[*x], &$v[*y]),
            Op::Sub(x, y) => $e.sub_auto(&$v[*x], &$v[*y]),
            Op::Mul(x, y) => $e.mul_auto(&$v[*x], &$v[*y]),
            Op::AddVector(x, w) => $e.add_values(&$v[*x], w),
            Op::MulVector(x, w) => $e.mul_values(&$v[*x], w),
            Op::AddConstant(x, c) => $e.add_scalar(&$v[*x], *c),
            Op::MulConstant(x, c) => $e.mul_scalar_auto(&$v[*x], *c),
            Op::MulInteger(x, k) => $e.mul_integer(&$v[*x], *k),
            Op::Neg(x) => $e.neg(&$v[*x]),
            Op::Rotate(x, k) => $e.rotate(&$v[*x], *k),
            Op::Conjugate(x) => $e.conjugate(&$v[*x]),
            Op::TimesI(x) => $e.times_i(&$v[*x]),
            Op::InnerSum(x, stride, count) => $e.inner_sum(&$v[*x], *stride, *count),
            Op::Polynomial(x, p) => $polynomial(&$v[*x], p),
        }
    };
}

struct Ckks {
    secret: ringjet::SecretKey,
    eval: ringjet::Evaluator,
}

struct Heaan {
    secret: heaan::SecretKey,
    eval: heaan::Evaluator,
}

fn backend() -> Arc<dyn ringjet_backend::Backend> {
    Arc::new(ringjet_cpu::CpuBackend::new(ringjet_cpu::CpuConfig { threads: 1, ..Default::default() }).unwrap())
}

fn request() -> KeyPlan {
    KeyPlan::rotations([&STEPS[..], &[1, 2, 4]].concat()).conjugation()
}

impl Ckks {
    fn new(seed: u8) -> Self {
        let spec = ringjet::ParamSpec::uniform(LOG_SLOTS + 1, 50, 6, 36, 2).allow_insecure();
        let params = ringjet::Parameters::new(&spec).unwrap();
        let ctx = ringjet::Context::new(&params, backend());
        let seed = Seed::from_bytes([seed; 32]);
        let secret = ringjet::SecretKey::from_seed(&params, &seed).unwrap();
        let keys = secret.evaluation_keys(&ctx, &request(), &seed, |_, _| true).unwrap();
        Self { secret, eval: ringjet::Evaluator::new(&ctx, Arc::new(keys)).unwrap() }
    }
}

impl Scheme for Ckks {
    type Ct = ringjet::Ciphertext;

    fn encrypt(&self, values: &[Complex64], magnitude: f64, real: bool, number: u64) -> Result<Self::Ct> {
        let ctx = self.eval.context();
        let level = ctx.params().top_level() - number as usize % 2;
        let p = ringjet::Plaintext::encode(ctx, values, level, ctx.params().scale(level), LOG_SLOTS)?;
        let ct = self.secret.encrypt(ctx, &p.with_magnitude(magnitude)?, &Seed::from_os()?)?;
        assert!(!real || ct.noise().range().is_real());
        Ok(ct)
    }

    fn apply(&self, op: &Op, v: &[Self::Ct]) -> Result<Self::Ct> {
        applied!(op, self.eval, v, |x, p| self.eval.polynomial(x, p))
    }

    fn decrypt(&self, ct: &Self::Ct) -> Result<Vec<Complex64>> {
        Ok(self.secret.decrypt_values(self.eval.context(), ct)?.0)
    }

    fn noise(&self, ct: &Self::Ct) -> (Noise, f64) {
        (ct.noise(), ct.scale().value())
    }
}

impl Heaan {
    fn new(seed: u8) -> Self {
        let spec = heaan::ParamSpec { log_p: 36, ..heaan::ParamSpec::new(LOG_SLOTS + 1, LOG_Q) }.allow_insecure();
        let params = heaan::Parameters::new(&spec).unwrap();
        let ctx = heaan::Context::new(&params, backend());
        let seed = Seed::from_bytes([seed; 32]);
        let secret = heaan::SecretKey::from_seed(&params, &seed).unwrap();
        let keys = secret.evaluation_keys(&ctx, &request(), &seed, |_, _| true).unwrap();
        Self { secret, eval: heaan::Evaluator::new(&ctx, Arc::new(keys)).unwrap() }
    }
}

impl Scheme for Heaan {
    type Ct = heaan::Ciphertext;

    fn encrypt(&self, values: &[Complex64], magnitude: f64, real: bool, number: u64) -> Result<Self::Ct> {
        let ctx = self.eval.context();
        let p = heaan::Plaintext::encode(ctx, values, 36, LOG_SLOTS)?.with_magnitude(magnitude)?;
        let log_q = LOG_Q - 40 * (number as u32 % 2);
        let ct = self.secret.encrypt(ctx, &p.clone().at(log_q), &Seed::from_os()?)?;
        assert!(!real || ct.noise().range().is_real());
        Ok(ct)
    }

    fn apply(&self, op: &Op, v: &[Self::Ct]) -> Result<Self::Ct> {
        // programs on HEAAN have no polynomials
        applied!(op, self.eval, v, |x: &heaan::Ciphertext, _| Ok(x.clone()))
    }

    fn decrypt(&self, ct: &Self::Ct) -> Result<Vec<Complex64>> {
        Ok(self.secret.decrypt_values(self.eval.context(), ct)?.0)
    }

    fn noise(&self, ct: &Self::Ct) -> (Noise, f64) {
        (ct.noise(), f64::from(ct.log_scale()).exp2())
    }
}

/// Counts and errors of the programs that ran.
#[derive(Debug, Default)]
struct Tally {
    right: usize,
    refused: usize,
    steps: usize,
    /// The largest `log2` of the ratio of a measured error to its estimate, and the mean.
    worst: f64,
    sum: f64,
}

fn run<S: Scheme>(make: impl Fn(u8) -> S, polynomials: bool, programs: u64, seed: u64) {
    println!("seed {seed}");
    let mut tally = Tally { worst: f64::NEG_INFINITY, ..Tally::default() };
    let mut scheme = make(0);
    for program in 0..programs {
        if program % 500 == 499 {
            scheme = make((program / 500) as u8);
        }
        let mut r = Random(seed ^ (program + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (mut clear, mut encrypted) = (vec![], vec![]);
        for _ in 0..1 + r.below(3) {
            let (magnitude, real, number) = (r.magnitude(), r.below(3) > 0, r.next());
            let filled = if r.below(2) == 0 { magnitude } else { magnitude * r.unit() };
            let values = r.vector(filled, real);
            encrypted.push(scheme.encrypt(&values, magnitude, real, number).unwrap());
            clear.push(values);
        }
        for _ in 0..1 + r.below(12) {
            let op = Op::random(&mut r, clear.len());
            if !polynomials && matches!(op, Op::Polynomial(..)) {
                continue;
            }
            match scheme.apply(&op, &encrypted) {
                Ok(ct) => {
                    clear.push(op.clear(&clear));
                    encrypted.push(ct);
                    tally.steps += 1;
                }
                Err(
                    Error::Overflow { .. }
                    | Error::OutsideInterval { .. }
                    | Error::ModulusExhausted { .. }
                    | Error::PolynomialTooDeep { .. }
                    | Error::TooLarge { .. },
                ) => tally.refused += 1,
                Err(e) => panic!("program {program}, {op:?}: {e}"),
            }
        }
        // all values are checked, not only the last
        for (i, (ct, want)) in encrypted.iter().zip(&clear).enumerate() {
            let (noise, scale) = scheme.noise(ct);
            let range = noise.range();
            let e = 1e-9 * (1.0 + range.magnitude());
            for z in want {
                assert!(
                    z.abs() <= range.magnitude() + e
                        && z.im.abs() <= range.imaginary() + e
                        && (range.low() - e..=range.high() + e).contains(&z.re),
                    "program {program}, result {i}: {z:?} is not within {range:?}"
                );
            }
            let got = scheme.decrypt(ct).unwrap_or_else(|e| panic!("program {program}, result {i}: {e}"));
            let off: Vec<f64> = got.iter().zip(want).map(|(&a, &b)| (a - b).abs()).collect();
            let measured = (off.iter().map(|x| x * x).sum::<f64>() / (2 * SLOTS) as f64).sqrt();
            let most = off.iter().fold(0.0, |m: f64, &x| m.max(x));
            if measured == 0.0 {
                continue; // times 0
            }
            let bits = measured.log2() - noise.error_log2();
            assert!(bits <= 1.0, "program {program}, result {i}: {bits:.2} bits worse than estimated, {noise:?}");
            let doubles = 1e-13 * (1.0 + range.magnitude());
            assert!(most <= noise.bound() / scale + doubles, "program {program}, result {i}: {most:e} of {noise:?}");
            tally.right += 1;
            tally.worst = tally.worst.max(bits);
            tally.sum += bits;
        }
    }
    println!("{tally:?}, mean {:.2}", tally.sum / tally.right as f64);
    assert!(tally.steps > 3 * programs as usize && tally.refused > programs as usize / 20);
}

#[test]
fn ckks() {
    run(Ckks::new, true, 1500, 20261125);
}

#[test]
fn heaan() {
    run(Heaan::new, false, 1000, 7);
}

#[test]
#[ignore = "ten thousand programs: make test-full"]
fn many() {
    run(Ckks::new, true, 7000, 20261126);
    run(Heaan::new, false, 3000, 8);
}
