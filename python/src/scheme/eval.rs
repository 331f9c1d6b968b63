//! Ciphertexts of both schemes, and what computes on them.

use ringjet::wire::{Limits, Object, Scheme, peek};
use ringjet::{Error, Noise, Range, Result, heaan};
use ringjet_math::fft::Complex64;

use super::Either::{Ckks, Heaan};
use super::{Ciphertext, Context, EvaluationKeys, Evaluator, Parameters, foreign};

impl Ciphertext {
    pub fn slots(&self) -> usize {
        both!(self, ct => ct.slots())
    }

    pub fn log_slots(&self) -> u32 {
        both!(self, ct => ct.log_slots())
    }

    pub fn noise(&self) -> Noise {
        both!(self, ct => ct.noise())
    }

    /// Binary logarithm of the scale.
    pub fn scale_log2(&self) -> f64 {
        match self {
            Ckks(ct) => ct.scale().log2(),
            Heaan(ct) => ct.log_scale().into(),
        }
    }

    /// Bits between the largest coefficient of `values`, one a slot, at this scale and half the modulus.
    pub fn room(&self, mut values: Vec<Complex64>) -> f64 {
        let (fft, modulus) = match self {
            Ckks(ct) => (ct.params().fft(ct.log_slots()), ct.params().level(ct.level()).basis.log2()),
            Heaan(ct) => (ct.params().fft(ct.log_slots()), ct.log_q().into()),
        };
        fft.inverse(&mut values);
        let largest = values.iter().fold(0.0f64, |m, w| m.max(w.re.abs()).max(w.im.abs()));
        modulus - 1.0 - self.scale_log2() - largest.log2()
    }

    pub fn with_magnitude(&self, magnitude: f64) -> Self {
        match self {
            Ckks(ct) => Ckks(ct.clone().with_magnitude(magnitude)),
            Heaan(ct) => Heaan(ct.clone().with_magnitude(magnitude)),
        }
    }

    pub fn with_range(&self, range: Range) -> Self {
        match self {
            Ckks(ct) => Ckks(ct.clone().with_range(range)),
            Heaan(ct) => Heaan(ct.clone().with_range(range)),
        }
    }

    pub fn with_log_slots(&self, log_slots: u32) -> Result<Self> {
        each!(self, ct => ct.with_log_slots(log_slots))
    }

    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        match (self, ctx) {
            (Ckks(ct), Ckks(ctx)) => ct.to_bytes(ctx),
            (Heaan(ct), Heaan(ctx)) => ct.to_bytes(ctx),
            _ => Err(foreign(&ctx.params(), self.what(), &self.params())),
        }
    }

    /// Bytes of the other scheme belong to other parameters.
    pub fn from_bytes(ctx: &Context, data: &[u8], limits: Limits) -> Result<Self> {
        let own = if matches!(ctx, Ckks(_)) { Scheme::Ckks } else { Scheme::Heaan };
        match (ctx, peek(data)) {
            (ctx, Ok(header)) if header.kind.object == Object::Ciphertext && header.kind.scheme != own => {
                let (what, found) = (header.kind.name(), header.fingerprint_hex());
                Err(Error::ParameterMismatch { what, expected: ctx.params().fingerprint_hex(), found })
            }
            (Ckks(ctx), _) => ringjet::Ciphertext::from_bytes(ctx, data, limits).map(Ckks),
            (Heaan(ctx), _) => heaan::Ciphertext::from_bytes(ctx, data, limits).map(Heaan),
        }
    }
}

impl Evaluator {
    pub fn new(ctx: &Context, keys: EvaluationKeys) -> Result<Self> {
        match (ctx, keys) {
            (Ckks(ctx), Ckks(keys)) => ringjet::Evaluator::new(ctx, keys).map(Ckks),
            (Heaan(ctx), Heaan(keys)) => heaan::Evaluator::new(ctx, keys).map(Heaan),
            (_, keys) => Err(foreign(&ctx.params(), keys.what(), &keys.params())),
        }
    }

    /// The parameters.
    pub fn params(&self) -> Parameters {
        self.context().params()
    }

    pub fn context(&self) -> Context {
        match self {
            Ckks(e) => Ckks(e.context().clone()),
            Heaan(e) => Heaan(e.context().clone()),
        }
    }
}

/// Operations of one ciphertext, with the same name and arguments in both schemes.
macro_rules! unary {
    ($($name:ident($($arg:ident: $type:ty),*);)*) => {
        impl Evaluator { $(
            pub fn $name(&self, x: &Ciphertext, $($arg: $type),*) -> Result<Ciphertext> {
                each!(self, x; e, x => e.$name(x, $($arg),*))
            }
        )* }
    };
}
unary! {
    neg();
    mul_integer(factor: i64);
    add_values(values: &[Complex64]);
    mul_values(values: &[Complex64]);
    conjugate();
    inner_sum(stride: i64, count: usize);
    times_i();
}

/// Operations of two ciphertexts.
macro_rules! binary {
    ($($name:ident)*) => {
        impl Evaluator { $(
            pub fn $name(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
                match (self, a, b) {
                    (Ckks(e), Ckks(a), Ckks(b)) => e.$name(a, b).map(Ckks),
                    (Heaan(e), Heaan(a), Heaan(b)) => e.$name(a, b).map(Heaan),
                    _ => Err(self.stranger(&[a, b])),
                }
            }
        )* }
    };
}
binary! { add_auto sub_auto mul_auto }

impl Evaluator {
    /// Of ciphertexts of which at least one is of the other scheme.
    pub(super) fn stranger(&self, cts: &[&Ciphertext]) -> Error {
        let params = self.params();
        let check = |ct: &&Ciphertext| params.expect_same(ct.what(), &ct.params()).err();
        cts.iter().find_map(check).unwrap_or(Error::Parameters("two schemes".into()))
    }

    pub fn add_scalar(&self, x: &Ciphertext, c: f64) -> Result<Ciphertext> {
        match (self, x) {
            (Ckks(e), Ckks(x)) => e.add_scalar(x, c).map(Ckks),
            (Heaan(e), Heaan(x)) => e.add_const(x, c).map(Heaan),
            _ => Err(self.stranger(&[x])),
        }
    }

    pub fn mul_scalar_auto(&self, x: &Ciphertext, c: f64) -> Result<Ciphertext> {
        match (self, x) {
            (Ckks(e), Ckks(x)) => e.mul_scalar_auto(x, c).map(Ckks),
            (Heaan(e), Heaan(x)) => e.mul_const_auto(x, c).map(Heaan),
            _ => Err(self.stranger(&[x])),
        }
    }

    /// By `k`, or by a rotation equal to it for this packing that there is a key for.
    pub fn rotate(&self, x: &Ciphertext, k: i64) -> Result<Ciphertext> {
        match (self, x) {
            (Ckks(e), Ckks(x)) => e.rotate(x, with_key(e, x, k)).map(Ckks),
            (Heaan(e), Heaan(x)) => e.rotate(x, k).map(Heaan),
            _ => Err(self.stranger(&[x])),
        }
    }

    pub fn rotations(&self, x: &Ciphertext, ks: &[i64]) -> Result<Vec<Ciphertext>> {
        if let (Ckks(e), Ckks(x)) = (self, x) {
            let ks: Vec<i64> = ks.iter().map(|&k| with_key(e, x, k)).collect();
            return Ok(e.rotate_hoisted(x, &ks)?.into_iter().map(Ckks).collect());
        }
        if let (Heaan(e), Heaan(x)) = (self, x) {
            e.expect_rotations(x, ks)?;
        }
        ks.iter().map(|&k| self.rotate(x, k)).collect()
    }

    /// The sum of `x y` over all pairs, of which there is at least one.
    pub fn mul_sum_auto(&self, pairs: &[(&Ciphertext, &Ciphertext)]) -> Result<Ciphertext> {
        if let Ckks(e) = self {
            let own = pairs.iter().map(|pair| match pair {
                (Ckks(x), Ckks(y)) => Ok((x, y)),
                (x, y) => Err(self.stranger(&[x, y])),
            });
            return e.mul_sum_auto(&own.collect::<Result<Vec<_>>>()?).map(Ckks);
        }
        self.sum(pairs.iter().map(|(x, y)| self.mul_auto(x, y)))
    }

    /// The sum of `weight x` with complex weights: that of the imaginary parts is made apart, and times i, which is exact and
    /// costs no level. Otherwise as [`Evaluator::weighted_sum`].
    pub fn complex_weighted_sum(&self, terms: &[(&Ciphertext, Complex64)], level: Option<usize>) -> Result<Ciphertext> {
        let part = |of: fn(&Complex64) -> f64| -> Vec<(&Ciphertext, f64)> {
            terms.iter().map(|(x, weight)| (*x, of(weight))).collect()
        };
        let zero = |all: &[(&Ciphertext, f64)]| all.iter().all(|t| t.1 == 0.0);
        let (re, im) = (part(|z| z.re), part(|z| z.im));
        if zero(&im) {
            return self.weighted_sum(&re, level);
        }
        let turned = self.times_i(&self.weighted_sum(&im, level)?)?;
        if zero(&re) { Ok(turned) } else { self.add_auto(&self.weighted_sum(&re, level)?, &turned) }
    }

    /// The sum of `weight x`, of at least one term; at a level where CKKS is told one, by default one below the lowest.
    pub fn weighted_sum(&self, terms: &[(&Ciphertext, f64)], level: Option<usize>) -> Result<Ciphertext> {
        if let Ckks(e) = self {
            let own = terms.iter().map(|(x, weight)| match x {
                Ckks(x) => Ok((x, *weight)),
                Heaan(_) => Err(self.stranger(&[x])),
            });
            let own = own.collect::<Result<Vec<_>>>()?;
            let lowest = own.iter().map(|(x, _)| x.level()).min().unwrap_or(0);
            let none = Error::LevelExhausted { op: "weighted_sum", needed: 1, left: 0 };
            return e.weighted_sum(&own, level.or(lowest.checked_sub(1)).ok_or(none)?).map(Ckks);
        }
        self.sum(terms.iter().map(|(x, weight)| self.mul_scalar_auto(x, *weight)))
    }

    fn sum(&self, mut terms: impl Iterator<Item = Result<Ciphertext>>) -> Result<Ciphertext> {
        let none = || Error::Argument { name: "terms", value: "[]".into(), expected: "at least one term".into() };
        let first = terms.next().ok_or_else(none)??;
        terms.try_fold(first, |sum, x| self.add_auto(&sum, &x?))
    }
}

/// A rotation equal to `k` for this packing that there is a key for; `k` itself where there is none.
fn with_key(eval: &ringjet::Evaluator, x: &ringjet::Ciphertext, k: i64) -> i64 {
    let slots = x.slots() as i64;
    let k_reduced = k.rem_euclid(slots);
    let turns = eval.context().params().max_slots() as i64 / slots;
    let known = |r: &i64| eval.keys().rotation(*r).is_ok_and(|key| key.level() >= x.level());
    Some(k).filter(known).or_else(|| (0..turns).map(|t| k_reduced + t * slots).find(known)).unwrap_or(k)
}
