//! The sign of encrypted values, by a composition of polynomials.
//!
//! No polynomial of a small degree is close to the sign near 0. A composition is (Cheon et al.,
//! ePrint 2019/1234), and the one with the fewest levels is made of the best polynomials of their
//! degrees (Lee et al., ePrint 2021/1215): the first takes the values from `gap` to 1 into an
//! interval that ends at 1, and each further one takes that interval into a smaller one.

use std::collections::BTreeMap;

use ringjet_math::minimax::{derivative, evaluate, odd_one, points};

use super::Arithmetic;
use super::polyeval::{polynomial, products};
use super::polynomial::{Basis, Polynomial};
use crate::diagonals::log2_ceil;
use crate::vectors::Ciphertext;
use crate::{Error, Range, Result};

/// Degrees of the polynomials: the largest one of each depth, and some with fewer products.
const DEGREES: [usize; 9] = [3, 5, 7, 9, 11, 13, 15, 27, 31];

/// The smallest gap. Signs of smaller values take more digits than doubles have.
const LEAST_GAP: f64 = 1.0 / (1u64 << 36) as f64;

/// The smallest error.
const LEAST_ERROR: f64 = 1e-10;

/// By how much values may exceed the interval that a polynomial was made for: by the error of what
/// computed them, and by 0.04 per cent, by which [`Polynomial::range`] is too wide.
const MARGIN: f64 = 5e-4;

/// Slopes are the largest ones at so many values, and one more.
const VALUES: u32 = 4096;

/// Larger than the errors of rounding in the values of a polynomial.
const ROUNDING: f64 = 1e-14;

/// A composition of polynomials that is close to the sign.
#[derive(Debug, Clone, PartialEq)]
pub struct Sign {
    gap: f64,
    error: f64,
    stages: Vec<Polynomial>,
}

impl Sign {
    /// The composition of odd polynomials on [-1, 1] that is within `error` of the sign of x for all
    /// |x| from `gap` to 1: the one that takes the fewest levels, and of those the fewest products.
    /// It is between -1 and 1 for all values, and 0 at 0.
    ///
    /// Fails with [`Error::Argument`] for a gap that is not between 2^-36 and 1, and for an error
    /// that is not between 1e-10 and 1.
    pub fn new(gap: f64, error: f64) -> Result<Self> {
        if !(LEAST_GAP..1.0).contains(&gap) {
            return Err(Error::argument("gap", gap, "at least 2^-36, and below the largest value"));
        }
        if !(LEAST_ERROR..1.0).contains(&error) {
            return Err(Error::argument("error", error, "at least 1e-10, and below 1"));
        }
        let degrees = composition(gap, error)?;
        // the values whose signs are computed, which each polynomial takes closer to 1, and the
        // derivatives of the composition there
        let start = |i| (gap.powf(f64::from(i) / f64::from(VALUES)), 1.0);
        let (mut values, mut steepest): (Vec<(f64, f64)>, f64) = ((0..=VALUES).map(start).collect(), 1.0);
        let (mut low, mut stages) = (gap, Vec::new());
        for (i, &degree) in degrees.iter().enumerate() {
            let margin = if i + 1 == degrees.len() { 0.0 } else { MARGIN };
            let best = Best::new(low, degree);
            low = best.low(margin);
            let stage = best.polynomial(margin)?;
            let steep = derivative(stage.coefficients());
            for (x, slope) in &mut values {
                *slope *= evaluate(&steep, *x).abs();
                *x = stage.eval(*x);
            }
            let now = values.iter().fold(0.0, |most: f64, (_, slope)| most.max(*slope));
            stages.push(stage.with_slope(now / steepest));
            steepest = now;
        }
        Ok(Self { gap, error: 1.0 - low, stages })
    }

    /// The largest distance from the sign for |x| from the gap to 1.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The polynomials, in the order in which they are applied. Each is on [-1, 1]. The product of
    /// their stated slopes is the largest derivative of the composition for values beyond the gap, so
    /// estimates of errors are for these, too.
    pub fn stages(&self) -> &[Polynomial] {
        &self.stages
    }

    /// The number of levels that an evaluation uses.
    pub fn depth(&self) -> usize {
        self.stages.iter().map(Polynomial::depth).sum()
    }

    /// The value of the composition at `x`, in the clear.
    pub fn eval(&self, x: f64) -> f64 {
        self.stages.iter().fold(x, |x, p| p.eval(x))
    }

    /// The composition in every slot. `x` must be within [-1, 1], and is bootstrapped where it has
    /// too few levels for the next polynomial, if the evaluator can. Fails as [`polynomial`] does.
    pub fn apply<E: Arithmetic>(&self, eval: &E, x: &Ciphertext<E::Params>) -> Result<Ciphertext<E::Params>> {
        let mut x = x.clone();
        for p in &self.stages {
            x = polynomial(eval, &x, p)?;
        }
        Ok(x.with_range(Range::real(-1.0, 1.0)))
    }
}

/// The best odd polynomial for the values from a number to 1.
struct Best {
    coefficients: Vec<f64>,
    /// Its least value there.
    least: f64,
    /// Its largest value on [0, 1].
    most: f64,
}

impl Best {
    fn new(low: f64, degree: usize) -> Self {
        let mut coefficients = vec![0.0; degree + 1];
        for (k, c) in odd_one(low, degree.div_ceil(2)).into_iter().enumerate() {
            coefficients[2 * k + 1] = c;
        }
        let (least, most) = bounds(&coefficients, low);
        Self { coefficients, least, most }
    }

    /// Where the interval begins into which it takes the values, if it is scaled so that it stays
    /// below 1 by a factor of `1 + margin`. The beginning is smaller by the same factor.
    fn low(&self, margin: f64) -> f64 {
        self.least / (self.most * (1.0 + margin)) * (1.0 - margin)
    }

    /// The scaled polynomial.
    fn polynomial(mut self, margin: f64) -> Result<Polynomial> {
        self.coefficients.iter_mut().for_each(|c| *c /= self.most * (1.0 + margin));
        Polynomial::new(Basis::Chebyshev { a: -1.0, b: 1.0 }, &self.coefficients)
    }
}

/// The least value on [low, 1] and the largest on [0, 1] of the best odd polynomial.
///
/// Its distance from 1 is largest at both ends and at all its extrema, of which an odd polynomial
/// with n terms has at most n - 1 above 0. It increases from 0 up to the first. Each extremum is
/// looked for between neighbours of the largest or least of 64 n points.
fn bounds(coefficients: &[f64], low: f64) -> (f64, f64) {
    let value = |x: f64| evaluate(coefficients, x);
    let square = |t: f64| 0.5 * (1.0 + low * low) + 0.5 * (1.0 - low * low) * t;
    let places: Vec<f64> =
        points(32 * coefficients.len()).into_iter().map(|t| square(t).sqrt().clamp(low, 1.0)).collect();
    let values: Vec<f64> = places.iter().map(|&x| value(x)).collect();
    let ends = [value(low), value(1.0)];
    let (mut least, mut most) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    for i in 1..places.len() - 1 {
        let (before, here, after) = (values[i - 1], values[i], values[i + 1]);
        for sign in [1.0, -1.0] {
            if sign * here >= sign * before && sign * here >= sign * after {
                let extremum = largest(|x| sign * value(x), places[i + 1], places[i - 1]);
                (least, most) = (least.min(sign * extremum), most.max(sign * extremum));
            }
        }
    }
    (least - ROUNDING, most + ROUNDING)
}

/// The largest value of a function with one extremum between `a` and `b` (golden section).
fn largest(f: impl Fn(f64) -> f64, mut a: f64, mut b: f64) -> f64 {
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    for _ in 0..40 {
        let (left, right) = (b - golden * (b - a), a + golden * (b - a));
        if f(left) > f(right) { b = right } else { a = left }
    }
    f(0.5 * (a + b))
}

/// A beginning of a composition: the degrees, the number of products, and where the interval begins
/// into which it takes the values.
#[derive(Clone)]
struct Begun {
    degrees: Vec<usize>,
    products: usize,
    low: f64,
}

/// The degrees of the composition with the fewest levels, and of those with the fewest products.
fn composition(gap: f64, error: f64) -> Result<Vec<usize>> {
    let mut costs = BTreeMap::new();
    for degree in DEGREES {
        costs.insert(degree, products(&Best::new(0.5, degree).polynomial(0.0)?));
    }
    // by depth: beginnings, and the best complete composition
    let mut begun = BTreeMap::from([(0, vec![Begun { degrees: vec![], products: 0, low: gap }])]);
    let mut complete: BTreeMap<usize, Begun> = BTreeMap::new();
    let mut kept: Vec<Begun> = vec![];
    while let Some((depth, mut next)) = begun.pop_first() {
        if complete.first_key_value().is_some_and(|(&least, _)| least <= depth) {
            break;
        }
        next.sort_by(|a, b| a.products.cmp(&b.products).then(b.low.total_cmp(&a.low)));
        for one in next {
            // a beginning with at most as many levels and products that comes at least as far
            if kept.iter().any(|k| k.products <= one.products && k.low >= one.low) {
                continue;
            }
            for degree in DEGREES {
                let best = Best::new(one.low, degree);
                let degrees = [&one.degrees[..], &[degree]].concat();
                let longer = Begun { degrees, products: one.products + costs[&degree], low: best.low(MARGIN) };
                let depth = depth + log2_ceil(degree + 1);
                if best.low(0.0) >= 1.0 - error {
                    let known = complete.entry(depth).or_insert_with(|| longer.clone());
                    if longer.products < known.products {
                        *known = longer;
                    }
                } else if best.low(MARGIN) > one.low {
                    begun.entry(depth).or_default().push(longer);
                }
            }
            kept.push(one);
        }
    }
    match complete.pop_first() {
        Some((_, best)) => Ok(best.degrees),
        None => Err(Error::argument("error", error, format!("an error that polynomials reach for a gap of {gap}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compositions_are_as_close_as_they_say() {
        let two = |n: i32| 2f64.powi(-n);
        let cases = [
            (0.5, 0.1, 3),
            (0.02, 0.01, 9),
            (two(7), two(7), 10),
            (two(10), two(10), 14),
            (two(20), 1e-6, 28),
            (0.99, 0.5, 2),
        ];
        for (gap, error, depth) in cases {
            let sign = Sign::new(gap, error).unwrap();
            assert_eq!((sign.depth(), sign.gap), (depth, gap));
            let mut most = 0.0f64;
            for i in 0..=10_000 {
                let x = gap * (1.0 / gap).powf(f64::from(i) / 1e4);
                let y = sign.eval(x);
                assert!(y <= 1.0 + 1e-12 && (sign.eval(-x) + y).abs() < 1e-12, "{x}: {y}");
                most = most.max(1.0 - y);
                assert!(sign.eval(gap * f64::from(i) / 1e4).abs() <= 1.0 + 1e-12);
            }
            assert!(most <= sign.error() + 1e-12 && sign.error() <= error, "{most} {}", sign.error());
            // the product of the slopes is the largest derivative of the composition
            let slope: f64 = sign.stages.iter().map(|p| p.slope().unwrap()).product();
            let step = |x: f64| (sign.eval(x) - sign.eval(x - 1e-7 * x)) / (1e-7 * x);
            let steepest = (0..=999).map(|i| step(gap.powf(f64::from(i) / 999.0)).abs()).fold(0.0, f64::max);
            assert!((0.9..1.05).contains(&(steepest / slope)), "{gap}: {steepest} {slope}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (gap, error, text) in [
            (0.0, 0.1, "gap"),
            (1.0, 0.1, "gap"),
            (1e-12, 0.1, "at least 2^-36"),
            (f64::NAN, 0.1, "gap"),
            (0.1, 1.0, "error"),
            (0.1, 1e-11, "at least 1e-10"),
        ] {
            let said = Sign::new(gap, error).unwrap_err().to_string();
            assert!(said.contains(text), "{said}");
        }
        assert!(Sign::new(LEAST_GAP, LEAST_ERROR).is_ok());
    }
}
