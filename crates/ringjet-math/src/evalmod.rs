//! The polynomials of EvalMod, the step of CKKS bootstrapping that reduces modulo the base prime.
//!
//! A slot holds `t = i + e` with an integer `|i| < k` and a small `|e| <= 2^-log_ratio`; EvalMod
//! has to return e. As `sin(2 * pi * t) = sin(2 * pi * e)`, it takes up to three steps. A
//! polynomial approximates a cosine of a fraction of the angle near the integers: one of half the
//! degree in the square of the angle ([`cosine_of_square`]), or one in the angle itself
//! ([`cosine`]). The angle is doubled a few times (`c -> 2 * c^2 - 1`). If `sin(2 * pi * e) / (2 *
//! pi)` is not close enough to e, an arcsine follows ([`arcsine`]). [`failure_log2`] estimates the probability that
//! `|i| < k` fails.

use num_bigint::BigInt;
use num_traits::One;

use crate::dd::{Dd, two_product};

/// A polynomial that approximates a cosine of a fraction of the angle, see [`cosine`] and
/// [`cosine_of_square`].
#[derive(Debug, Clone, PartialEq)]
pub struct Cosine {
    /// Chebyshev coefficients `c_0 ... c_degree` of `p(x) = sum_j c_j * T_j(x)`, x in [-1, 1]. c_0
    /// is not halved.
    pub coefficients: Vec<f64>,
    /// The largest `|p(x) - f(x)|` in a dense sample of the intervals, for the coefficients rounded
    /// to f64 and exact evaluation, where f is the cosine that p approximates. Of
    /// [`cosine_of_square`] it is the largest in the intervals of [`usual`] integers.
    pub error: f64,
}

/// The polynomial of degree `degree` that approximates
/// `f(x) = cos(2 * pi * (k * x - 1/4) / 2^double_angles)` where `k * x` is within `2^-log_ratio` of
/// an integer `-(k-1) ..= k-1`, and nowhere else. After `double_angles` steps `c -> 2 * c^2 - 1` it
/// approximates `sin(2 * pi * k * x)`; its error grows by a factor of at most `4^double_angles`.
///
/// As in Han and Ki, "Better bootstrapping for approximate homomorphic encryption" (ePrint
/// 2019/688), the interpolation nodes lie in these intervals only, and each node is added where the
/// bound on the error is worst. Unlike in their method, an interval may have no node. Between the
/// last interval and the ends of [-1, 1] the polynomial has no meaning. The result is
/// deterministic. The coefficients are exact within about 2^-53 for the widths and distances of
/// bootstrapping (`log_ratio <= 16`, up to three nodes in an interval).
///
/// # Panics
/// If `k` is not in 1 ..= 64, `double_angles > 30`, `degree > 255`, or `log_ratio` is not in 1 ..=
/// 40.
pub fn cosine(k: u32, double_angles: u32, degree: usize, log_ratio: f64) -> Cosine {
    assert!((1..=64).contains(&k) && double_angles <= 30, "k = {k}, {double_angles} double angles");
    assert!(degree <= 255 && (1.0..=40.0).contains(&log_ratio), "degree {degree}, log_ratio {log_ratio}");
    let radius = (-log_ratio).exp2();
    let placed = place(k, double_angles, degree + 1, radius);
    let nodes = leja_order(placed.list(k));
    let values = nodes.iter().map(|&x| target(k, double_angles, x)).collect();
    let coefficients: Vec<f64> = interpolate(&nodes, values).iter().map(|c| c.hi).collect();
    let mut error = 0f64;
    for (i, count) in placed.counts.iter().enumerate() {
        let steps = 32 + 8 * count;
        for s in 0..=steps {
            let x = near(k, i, radius * (2.0 * s as f64 / steps as f64 - 1.0));
            error = error.max((clenshaw(&coefficients, x.into()) - target(k, double_angles, x)).hi.abs());
        }
    }
    Cosine { coefficients, error }
}

/// The even polynomial of degree `degree` in `u = x - 1 / (4 * k)` that approximates the function f
/// of [`cosine`], as a polynomial of degree `degree / 2` in `y = 2 * u^2 - 1`. f is even in u, so
/// an odd power would not help, and a square and a polynomial of half the degree take fewer
/// products than a polynomial in x.
///
/// The polynomial has fewer coefficients than there are integers, so it cannot be exact at all of
/// them. It has the least sum of squared errors at three nodes in each interval, where an error
/// counts by its effect after the double angles, times [`weight`]: the integers that a secret of
/// `h` non-zero coefficients makes probable come first. The function [`tail_error`] gives the error
/// at each integer. The result is deterministic.
///
/// # Panics
/// If [`takes_square`] is false, or in the cases of [`cosine`].
pub fn cosine_of_square(k: u32, double_angles: u32, degree: usize, log_ratio: f64, h: u32) -> Cosine {
    assert!((1..=64).contains(&k) && double_angles <= 30, "k = {k}, {double_angles} double angles");
    assert!(degree <= 255 && (1.0..=40.0).contains(&log_ratio), "degree {degree}, log_ratio {log_ratio}");
    assert!(takes_square(k, degree), "no polynomial in the square: k = {k}, degree {degree}");
    let radius = (-log_ratio).exp2();
    let samples: Vec<Sample> = (integers(k).flat_map(|i| NODES.map(|at| (i, at))))
        .map(|(i, at)| {
            let t = f64::from(i) + radius * at;
            let sine = (turns(double_angles, t) - Dd::from(0.25)).cos_turn().hi;
            let weight = weight(i, h) / (sine * sine);
            Sample { y: square_argument(k, t), value: turns(double_angles, t).cos_turn(), weight: Dd::from(weight) }
        })
        .collect();
    let coefficients: Vec<f64> = least_squares(&samples, degree / 2).iter().map(|c| c.hi).collect();
    let error = |i| largest_error(&coefficients, k, double_angles, i, radius);
    let error = integers(k).filter(|&i| usual(i, h)).map(error).fold(0.0, f64::max);
    Cosine { coefficients, error }
}

/// Whether there is a [`cosine_of_square`] of this degree: it is even, and there are at most as many
/// coefficients as integers, and one more. With more, rounding errors decide the coefficients, as
/// the nodes near an integer are close together.
pub fn takes_square(k: u32, degree: usize) -> bool {
    degree.is_multiple_of(2) && degree / 2 < 2 * k as usize
}

/// Whether the integer is within four standard deviations of 0, for a secret of `h` non-zero
/// coefficients: a sum of `h + 1` numbers uniform in (-1/2, 1/2).
pub fn usual(i: i32, h: u32) -> bool {
    3.0 * f64::from(i * i) <= 4.0 * f64::from(h + 1)
}

/// The largest error of `sin(2 * pi * t)` that the coefficients of [`cosine_of_square`] cause near
/// the integer i: their error, times its growth `2^double_angles / |sin|` in the double angles.
pub fn tail_error(coefficients: &[f64], (k, double_angles): (u32, u32), log_ratio: f64, i: i32) -> f64 {
    let sine = (turns(double_angles, f64::from(i)) - Dd::from(0.25)).cos_turn().hi.abs();
    largest_error(coefficients, k, double_angles, i, (-log_ratio).exp2()) * (1u64 << double_angles) as f64 / sine
}

/// The weight of squared errors at the integer i: about 1 up to four standard deviations, beyond
/// that falling with the 16th power of i. Weights by the distribution itself would fall faster, and
/// leave large errors at integers close to k.
fn weight(i: i32, h: u32) -> f64 {
    let mut power = 3.0 * f64::from(i * i) / (4.0 * f64::from(h + 1));
    for _ in 0..3 {
        power *= power;
    }
    1.0 / (1.0 + power)
}

/// The nodes of an interval of half width 1: three Chebyshev nodes.
const NODES: [f64; 3] = [-0.866_025_403_784_438_6, 0.0, 0.866_025_403_784_438_6];

fn integers(k: u32) -> impl Iterator<Item = i32> {
    1 - k as i32..=k as i32 - 1
}

/// The angle `(t - 1/4) / 2^double_angles` of the cosine, in turns.
fn turns(double_angles: u32, t: f64) -> Dd {
    (Dd::from(t) - Dd::from(0.25)) * Dd::from(1.0 / (1u64 << double_angles) as f64)
}

/// `y = 2 * u^2 - 1` with `u = (t - 1/4) / k`.
fn square_argument(k: u32, t: f64) -> Dd {
    let u = (Dd::from(t) - Dd::from(0.25)) / Dd::from(f64::from(k));
    Dd::from(2.0) * u * u - Dd::from(1.0)
}

/// The largest error of [`cosine_of_square`] in a dense sample of the interval of i.
fn largest_error(coefficients: &[f64], k: u32, double_angles: u32, i: i32, radius: f64) -> f64 {
    (-16..=16)
        .map(|s| f64::from(i) + radius * f64::from(s) / 16.0)
        .map(|t| clenshaw(coefficients, square_argument(k, t)) - turns(double_angles, t).cos_turn())
        .fold(0.0, |most: f64, e| most.max(e.hi.abs()))
}

/// A value that a polynomial should have at y, and how much its squared error counts.
struct Sample {
    y: Dd,
    value: Dd,
    weight: Dd,
}

/// Chebyshev coefficients of the polynomial of degree `degree` with the least weighted sum of
/// squared errors. Polynomials that are orthogonal on the samples follow from each other by a
/// recurrence of three terms (Forsythe, "Generation and use of orthogonal polynomials for
/// data-fitting", 1957); each takes its share of what the ones before it left.
fn least_squares(samples: &[Sample], degree: usize) -> Vec<Dd> {
    let zero = Dd::from(0.0);
    let dot = |a: &[Dd], b: &[Dd]| {
        samples.iter().zip(a).zip(b).fold(zero, |sum, ((sample, &a), &b)| sum + sample.weight * a * b)
    };
    let mut left: Vec<Dd> = samples.iter().map(|s| s.value).collect();
    let mut fit = vec![zero; degree + 1];
    // the polynomial of each degree: its values at the samples, and its coefficients
    let (mut before, mut now) =
        ((vec![zero; samples.len()], fit.clone()), (vec![Dd::from(1.0); samples.len()], fit.clone()));
    now.1[0] = Dd::from(1.0);
    let mut norm_before = Dd::from(1.0);
    for _ in 0..=degree {
        let norm = dot(&now.0, &now.0);
        let share = dot(&left, &now.0) / norm;
        left.iter_mut().zip(&now.0).for_each(|(l, &p)| *l = *l - share * p);
        fit.iter_mut().zip(&now.1).for_each(|(f, &c)| *f = *f + share * c);
        let shifted: Vec<Dd> = samples.iter().zip(&now.0).map(|(s, &p)| s.y * p).collect();
        let (alpha, beta) = (dot(&shifted, &now.0) / norm, norm / norm_before);
        let next = |shifted: Vec<Dd>, now: &[Dd], before: &[Dd]| -> Vec<Dd> {
            shifted.iter().zip(now).zip(before).map(|((&s, &p), &b)| s - alpha * p - beta * b).collect()
        };
        let values = next(shifted, &now.0, &before.0);
        let coefficients = next(times_argument(&now.1), &now.1, &before.1);
        (before, now, norm_before) = (now, (values, coefficients), norm);
    }
    fit
}

/// Taylor's polynomial of `arcsin(y) / (2 * pi)` of odd degree `degree`: the coefficients of
/// `1, y, y^2, ... y^degree`, each within a few units in the last place. Those of even powers are
/// zero. The value at `sin(2 * pi * e)` is e, up to an error of about the first omitted coefficient
/// times `|2 * pi * e|^(degree + 2)`.
///
/// # Panics
/// If `degree` is even.
pub fn arcsine(degree: usize) -> Vec<f64> {
    assert!(degree % 2 == 1, "arcsin has no term of even degree {degree}");
    let mut out = vec![0.0; degree + 1];
    let mut central = 1.0; // C(2n, n) / 4^n
    for i in (1..=degree).step_by(2) {
        out[i] = central / i as f64 / std::f64::consts::TAU;
        central *= i as f64 / (i + 1) as f64;
    }
    out
}

/// The error of EvalMod for a message of size 1, if the base prime is `room` times the size of the
/// message. It is the first term of the Taylor series of [`arcsine`] beyond `degree`. Without an
/// arcsine (degree 1) it is the cubic term of the sine, `(2 * pi / room)^2 / 6`; a quarter of it is
/// left beside a line of [`sine_slope`].
///
/// # Panics
/// If `degree` is even.
pub fn sine_error(degree: usize, room: f64) -> f64 {
    let next = arcsine(degree + 2)[degree + 2] * std::f64::consts::TAU;
    next * (std::f64::consts::TAU / room).powi(degree as i32 + 1)
}

/// The slope of the line through 0 that stays closest to `sin(2 * pi * e)` for all `|e| <= 1 / room`,
/// divided by that of the tangent. With z from -1 to 1 for e, the cubic term `c z^3` of the sine is
/// replaced by `c (z^3 - 3/4 z)`, which is at most c / 4.
pub fn sine_slope(room: f64) -> f64 {
    1.0 - (std::f64::consts::TAU / room).powi(2) / 8.0
}

/// Binary logarithm of the probability (by the union bound) that one of the `2^log_n` coefficients
/// raised to the full modulus is beyond k times the base prime: `2^log_n * 2 * Pr[S > k]`. S is the
/// sum of `h + 1` independent numbers uniform in (-1/2, 1/2), for a ternary secret with h non-zero
/// coefficients. If `2 * k > h`, this cannot happen, and the result is minus infinity. The model is
/// that of Bossuat, Troncoso-Pastoriza and Hubaux (ePrint 2022/024). The tail of the Irwin-Hall
/// distribution is summed exactly from its near end.
///
/// The model treats the two polynomials of a ciphertext as independent. They are not: the second
/// polynomial and the small message determine the first. So the integer i reaches k if h numbers
/// sum to more than `k - 1/2`. For (h, k, log_n) = (32, 16, 16) that has probability 2^-132.7,
/// where this function returns -138.7.
pub fn failure_log2(h: u32, k: u32, log_n: u32) -> f64 {
    let m = i64::from(h) + 1;
    let mut sum = BigInt::ZERO; // 2^m * m! * Pr[S > k]
    let mut binomial = BigInt::one();
    let mut factorial = BigInt::one();
    for j in 0..m {
        let base = m - 2 * (i64::from(k) + j);
        if base > 0 {
            let term = &binomial * BigInt::from(base).pow(h + 1);
            sum += if j % 2 == 0 { term } else { -term };
        }
        binomial = binomial * (m - j) / (j + 1);
        factorial *= j + 1;
    }
    log2(&sum) - log2(&factorial) - m as f64 + 1.0 + f64::from(log_n)
}

fn log2(a: &BigInt) -> f64 {
    let shift = a.bits().saturating_sub(64);
    u64::try_from(a >> shift).map_or(f64::NAN, |top| (top as f64).log2() + shift as f64)
}

/// The positions of the interpolation nodes.
struct Nodes {
    /// Half the width of the intervals, in units of `k * x`.
    radius: f64,
    /// Number of nodes in each interval.
    counts: Vec<usize>,
}

/// Nodes for intervals of half width `radius`. The intervals are made wider as long as the loss of
/// precision does not show in a double, because nodes that are close together cost precision, see
/// [`interpolate`].
fn place(k: u32, double_angles: u32, number: usize, mut radius: f64) -> Nodes {
    let mut counts = spread(k, double_angles, number, radius).0;
    while radius <= 0.125 {
        let (wider, bound) = spread(k, double_angles, number, 2.0 * radius);
        if bound > 2f64.powi(-60) {
            break;
        }
        (counts, radius) = (wider, 2.0 * radius);
    }
    Nodes { radius, counts }
}

/// The number of nodes in each interval, and the resulting bound on the error for n nodes. The
/// bound is the product of two numbers: a bound on `|f^(n)| / n!`, where f^(n) is at most the
/// angular frequency to the power n, and the size of the monic polynomial whose roots are the n
/// nodes. Each node goes to the interval where the bound is worst.
fn spread(k: u32, double_angles: u32, number: usize, radius: f64) -> (Vec<usize>, f64) {
    let intervals = 2 * k as usize - 1;
    let frequency = std::f64::consts::TAU / (1u64 << double_angles) as f64; // angular frequency of f in k * x
    let (mut counts, mut bounds) = (vec![0; intervals], vec![1f64; intervals]);
    for n in 1..=number {
        let worst = (0..intervals).fold(0, |a, b| if bounds[b] > bounds[a] { b } else { a });
        for (i, bound) in bounds.iter_mut().enumerate() {
            let distance = match i.abs_diff(worst) {
                // The monic Chebyshev polynomial of an interval is at most 2 * (radius / 2)^count
                // in size.
                0 if counts[worst] == 0 => radius,
                0 => radius / 2.0,
                distance => distance as f64,
            };
            *bound *= distance * frequency / n as f64;
        }
        counts[worst] += 1;
    }
    (counts, bounds.into_iter().fold(0.0, f64::max))
}

impl Nodes {
    /// The Chebyshev nodes of every interval, as values of x.
    fn list(&self, k: u32) -> Vec<f64> {
        let mut out = vec![];
        for (i, &count) in self.counts.iter().enumerate() {
            for q in 0..count {
                let turn = Dd::from((2 * q + 1) as f64) / Dd::from((4 * count) as f64);
                out.push(near(k, i, self.radius * turn.cos_turn().hi));
            }
        }
        out
    }
}

/// The x for which `k * x` equals the integer of interval i plus `offset`.
fn near(k: u32, i: usize, offset: f64) -> f64 {
    (i as f64 + 1.0 - f64::from(k) + offset) / f64::from(k)
}

/// Orders the nodes so that each node is as far as possible (by the product of distances) from the
/// nodes before it. Newton's form is stable in this order.
fn leja_order(mut nodes: Vec<f64>) -> Vec<f64> {
    let mut products = vec![1.0; nodes.len()];
    for j in 0..nodes.len() {
        let next = (j..nodes.len()).fold(j, |a, b| if products[b] > products[a] { b } else { a });
        nodes.swap(j, next);
        products.swap(j, next);
        for i in j + 1..nodes.len() {
            products[i] *= (nodes[i] - nodes[j]).abs();
        }
    }
    nodes
}

/// `cos(2 * pi * (k * x - 1/4) / 2^double_angles)`, within about 2^-97.
fn target(k: u32, double_angles: u32, x: f64) -> Dd {
    let turns = two_product(f64::from(k), x) - Dd::from(0.25);
    (turns * Dd::from(1.0 / (1u64 << double_angles) as f64)).cos_turn()
}

/// Chebyshev coefficients of the polynomial through the given nodes and values. The function
/// computes Newton's divided differences, then expands Newton's form by Horner's scheme. Nodes of
/// one interval are as close as 2^-16, so a difference of order m loses 16 * m of the 100 bits.
/// Inside the intervals a difference is multiplied by a polynomial that is small by the same
/// factor, so no precision is lost there. Between the intervals precision is lost.
fn interpolate(nodes: &[f64], mut differences: Vec<Dd>) -> Vec<Dd> {
    let n = nodes.len();
    for order in 1..n {
        for i in (order..n).rev() {
            let distance = Dd::from(nodes[i]) - Dd::from(nodes[i - order]);
            differences[i] = (differences[i] - differences[i - 1]) / distance;
        }
    }
    let mut p = vec![Dd::from(0.0); n];
    for (&node, &difference) in nodes.iter().zip(&differences).rev() {
        // the last coefficient is still zero, so the product has no higher term
        p = times_argument(&p).iter().zip(&p).map(|(&shifted, &c)| shifted - c * Dd::from(node)).collect();
        p[0] = p[0] + difference;
    }
    p
}

/// The Chebyshev coefficients of x times a polynomial, without a term above its last coefficient:
/// `x * T_0 = T_1`, `2 * x * T_j = T_(j-1) + T_(j+1)`.
fn times_argument(p: &[Dd]) -> Vec<Dd> {
    let at = |i: usize| p.get(i).copied().unwrap_or(Dd::from(0.0));
    let below = |i: usize| if i == 1 { at(0) * Dd::from(2.0) } else { at(i.wrapping_sub(1)) };
    (0..p.len()).map(|i| (below(i) + at(i + 1)) * Dd::from(0.5)).collect()
}

/// Evaluates `sum_j c_j * T_j(x)` in double-double.
fn clenshaw(coefficients: &[f64], x: Dd) -> Dd {
    let (mut b1, mut b2) = (Dd::from(0.0), Dd::from(0.0));
    for &c in coefficients[1..].iter().rev() {
        (b1, b2) = (Dd::from(2.0) * x * b1 - b2 + Dd::from(c), b1);
    }
    x * b1 - b2 + Dd::from(coefficients[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests compare with fixed-point numbers with `BITS` bits after the point, far more than
    /// needed.
    const BITS: u64 = 1000;

    fn fixed(x: f64) -> BigInt {
        // The conversion is exact: |x| < 2^11, and every bit of x weighs more than 2^-100.
        (BigInt::from((x * 2f64.powi(52)) as i64) << (BITS - 52))
            + (BigInt::from(((x * 2f64.powi(52)).fract() * 2f64.powi(60)) as i64) << (BITS - 112))
    }

    fn times(a: &BigInt, b: &BigInt) -> BigInt {
        (a * b) >> BITS
    }

    fn to_f64(a: &BigInt) -> f64 {
        i128::try_from(a >> (BITS - 110)).unwrap() as f64 / 2f64.powi(110)
    }

    /// `2 * pi` by Machin's formula.
    fn tau() -> BigInt {
        let arctan = |d: i64| {
            let (mut power, mut sum) = ((BigInt::one() << BITS) / d, BigInt::ZERO);
            for i in 0..500 {
                sum += &power / if i % 2 == 0 { 2 * i + 1 } else { -2 * i - 1 };
                power /= d * d;
            }
            sum
        };
        8 * (4 * arctan(5) - arctan(239))
    }

    /// The cosine at `t = k * x`.
    fn target_fixed(double_angles: u32, t: &BigInt) -> BigInt {
        let angle = times(&tau(), &(t - fixed(0.25))) >> double_angles;
        let square = times(&angle, &angle);
        let (mut term, mut sum) = (fixed(1.0), fixed(1.0));
        for i in 1..250 {
            term = -times(&term, &square) / (2 * i * (2 * i - 1));
            sum += &term;
        }
        sum
    }

    /// The Chebyshev coefficients of the same interpolation, computed with 1000 bits by Lagrange's
    /// basis.
    fn coefficients_fixed(k: u32, double_angles: u32, degree: usize, log_ratio: f64) -> Vec<BigInt> {
        let nodes = place(k, double_angles, degree + 1, (-log_ratio).exp2()).list(k);
        let mut sum = vec![BigInt::ZERO; degree + 2];
        for &at in &nodes {
            let mut basis = vec![BigInt::ZERO; degree + 2];
            basis[0] = target_fixed(double_angles, &(fixed(at) * k));
            for &root in nodes.iter().filter(|&&x| x != at) {
                let mut next: Vec<_> = basis.iter().map(|c| -times(c, &fixed(root))).collect();
                for (i, c) in basis.iter().enumerate().take(degree + 1) {
                    next[i + 1] += c >> u32::from(i > 0);
                    next[i.abs_diff(1)] += if i > 0 { c >> 1 } else { BigInt::ZERO };
                }
                let distance = fixed(at) - fixed(root);
                basis = next.into_iter().map(|c| (c << BITS) / &distance).collect();
            }
            sum.iter_mut().zip(basis).for_each(|(s, b)| *s += b);
        }
        sum.truncate(degree + 1);
        sum
    }

    /// Pseudo-random numbers in [-1, 1).
    fn random(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / 2f64.powi(52) - 1.0
        }
    }

    #[test]
    fn coefficients_are_those_of_exact_arithmetic() {
        // The last three cases have up to three nodes in an interval, at distances down to 2^-16.
        for (k, r, degree, log_ratio) in
            [(16, 3, 31, 10.0), (16, 4, 31, 8.0), (16, 3, 63, 8.0), (12, 2, 63, 14.0), (12, 2, 40, 16.0)]
        {
            let got = cosine(k, r, degree, log_ratio).coefficients;
            let want = coefficients_fixed(k, r, degree, log_ratio);
            assert_eq!(got.len(), degree + 1);
            let worst = got.iter().zip(&want).map(|(&g, w)| to_f64(&(fixed(g) - w)).abs()).fold(0.0, f64::max);
            assert!(worst < 2f64.powi(-53), "{k} {r} {degree} {log_ratio}: 2^{:.2}", worst.log2());
        }
    }

    #[test]
    fn errors_are_those_measured_at_random_points() {
        // log2 of the error. -53 means that only the rounding of the coefficients is left.
        let table = [
            (16, 3, 30, [-36.6, -36.8, -39.7]),
            (16, 3, 31, [-37.1, -37.1, -40.3]),
            (16, 3, 34, [-46.5, -47.9, -51.7]),
            (16, 4, 31, [-53.0; 3]),
            (16, 3, 63, [-53.0; 3]),
            (12, 2, 31, [-23.9, -26.8, -32.4]),
            (12, 3, 31, [-52.7, -53.0, -53.0]),
            (12, 2, 63, [-53.0; 3]),
        ];
        let mut next = random(1);
        for (k, r, degree, errors) in table {
            for (log_ratio, want) in [8.0, 10.0, 14.0].into_iter().zip(errors) {
                let p = cosine(k, r, degree, log_ratio);
                let log = p.error.log2();
                assert!(log < want + 0.1 && (log > want - 0.1 || want == -53.0), "{k} {r} {degree} {log_ratio}: {log}");
                for i in 0..2 * k as usize - 1 {
                    let x = near(k, i, next() * (-log_ratio).exp2());
                    let value = clenshaw(&p.coefficients, x.into());
                    let off = to_f64(&(fixed(value.hi) + fixed(value.lo) - target_fixed(r, &(fixed(x) * k))));
                    // Rounding errors vary irregularly. Where they are the only errors, a sample
                    // may miss the worst point.
                    assert!(
                        off.abs() < 1.01 * p.error + 2f64.powi(-55),
                        "{k} {r} {degree} {log_ratio}: {off:e} at {x}"
                    );
                }
            }
        }
    }

    #[test]
    fn doubled_angles_are_the_sine() {
        let mut next = random(2);
        for (k, r, degree, log_ratio) in [(16, 3, 31, 10.0), (16, 3, 34, 10.0), (16, 3, 63, 8.0), (12, 2, 63, 8.0)] {
            let p = cosine(k, r, degree, log_ratio);
            let mut worst = 0f64;
            for i in (0..2 * k as usize - 1).cycle().take(2000) {
                let x = near(k, i, next() * (-log_ratio).exp2());
                let mut c = clenshaw(&p.coefficients, x.into());
                for _ in 0..r {
                    c = Dd::from(2.0) * c * c - Dd::from(1.0);
                }
                // k * x - i is exact, as k * x and i are close to each other.
                let t = two_product(f64::from(k), x) - Dd::from(i as f64 + 1.0 - f64::from(k));
                worst = worst.max((c.hi - (std::f64::consts::TAU * t.hi).sin()).abs());
            }
            let growth = 4f64.powi(r as i32);
            assert!(worst < 1.01 * growth * p.error, "{k} {r} {degree}: {worst:e}, {:e}", p.error);
            assert!(degree < 34 || worst < 2f64.powi(-40), "{k} {r} {degree}: 2^{:.2}", worst.log2());
        }
    }

    /// The same least squares by the normal equations, with 1000 bits.
    fn least_squares_fixed(k: u32, r: u32, degree: usize, log_ratio: f64, h: u32) -> Vec<BigInt> {
        let (n, one) = (degree / 2 + 1, fixed(1.0));
        let mut rows = vec![vec![BigInt::ZERO; n + 1]; n];
        for (i, at) in integers(k).flat_map(|i| NODES.map(|at| (i, at))) {
            let t = f64::from(i) + (-log_ratio).exp2() * at;
            let u = (fixed(t) - fixed(0.25)) / k;
            let y: BigInt = 2 * times(&u, &u) - &one;
            let value = target_fixed(r, &fixed(t));
            let sine = &one - times(&value, &value);
            let weight = (fixed(weight(i, h)) << BITS) / sine;
            let mut basis = vec![one.clone(), y.clone()];
            while basis.len() < n {
                basis.push(2 * times(&y, &basis[basis.len() - 1]) - &basis[basis.len() - 2]);
            }
            basis.push(value);
            for (row, a) in rows.iter_mut().zip(&basis) {
                row.iter_mut().zip(&basis).for_each(|(x, b)| *x += times(&weight, &times(a, b)));
            }
        }
        for j in 0..n {
            let pivot = rows[j].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(m, _)| *m != j) {
                let by = (&row[j] << BITS) / &pivot[j];
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= times(&by, p));
            }
        }
        rows.iter().enumerate().map(|(j, row)| (&row[n] << BITS) / &row[j]).collect()
    }

    #[test]
    fn least_squares_are_those_of_exact_arithmetic() {
        for (k, r, degree, log_ratio) in [(16, 3, 30, 13.5), (16, 3, 30, 8.0), (16, 3, 40, 12.0), (12, 2, 46, 10.0)] {
            let got = cosine_of_square(k, r, degree, log_ratio, 32).coefficients;
            let want = least_squares_fixed(k, r, degree, log_ratio, 32);
            assert_eq!(got.len(), degree / 2 + 1);
            let worst = got.iter().zip(&want).map(|(&g, w)| to_f64(&(fixed(g) - w)).abs()).fold(0.0, f64::max);
            assert!(worst < 2f64.powi(-52), "{k} {r} {degree} {log_ratio}: 2^{:.2}", worst.log2());
        }
    }

    /// The highest degrees in the square still have small errors, and coefficients like a cosine's.
    #[test]
    fn the_highest_degrees_in_the_square() {
        assert!(takes_square(16, 30) && !takes_square(16, 31) && !takes_square(4, 62));
        for k in [4, 8, 12, 16, 33] {
            let degree = (0..=255).rev().find(|&degree| takes_square(k, degree)).unwrap();
            for log_ratio in [1.0, 8.0, 13.5, 20.0, 30.0, 40.0] {
                let p = cosine_of_square(k, 3, degree, log_ratio, 32);
                let largest = p.coefficients.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
                eprintln!("{k} {degree} {log_ratio}: 2^{:.1}, {largest}", p.error.log2());
                assert!(p.error < 1e-4 && largest < 2.0, "{k} {degree} {log_ratio}: {}, {largest}", p.error);
            }
        }
    }

    /// The error at each integer of the presets' circuit, relative to a message of 1 with a room of
    /// 13.5 bits. SECURITY.md states these bounds.
    #[test]
    fn errors_at_improbable_integers() {
        let p = cosine_of_square(16, 3, 30, 13.5, 32);
        let error = |i| tail_error(&p.coefficients, (16, 3), 13.5, i) * 13.5f64.exp2() / std::f64::consts::TAU;
        let bounds = [(7, -25.8), (8, -24.5), (9, -23.2), (12, -20.1), (15, -16.9)];
        let mut from = 0;
        for (to, bound) in bounds {
            for i in from..=to {
                let worst = error(i).max(error(-i)).log2();
                eprintln!("{i}: 2^{worst:.1}");
                assert!(worst < bound, "{i}: 2^{worst:.1}");
            }
            from = to + 1;
        }
        assert!(usual(6, 32) && !usual(7, 32) && !usual(-7, 32));
        // the doubled angle is the sine, with these errors
        let mut next = random(3);
        for i in (0..30).flat_map(|_| integers(16)) {
            let t = f64::from(i) + next() * (-13.5f64).exp2();
            let mut c = clenshaw(&p.coefficients, square_argument(16, t));
            for _ in 0..3 {
                c = Dd::from(2.0) * c * c - Dd::from(1.0);
            }
            let off = (c.hi - (std::f64::consts::TAU * (t - f64::from(i))).sin()).abs();
            assert!(off < 1.02 * tail_error(&p.coefficients, (16, 3), 13.5, i) + 1e-14, "{i}: {off:e}");
        }
    }

    #[test]
    fn arcsine_of_the_sine_is_the_angle() {
        assert_eq!(arcsine(1), [0.0, 1.0 / std::f64::consts::TAU]);
        let tau = std::f64::consts::TAU;
        let known = [0.0, 1.0, 0.0, 1.0 / 6.0, 0.0, 3.0 / 40.0, 0.0, 5.0 / 112.0];
        for (got, want) in arcsine(7).into_iter().zip(known) {
            assert!((got * tau - want).abs() < 1e-16);
        }
        // The omitted terms are 35/1152 * y^9 + 63/2816 * y^11 + ...: 2^-28.9 at the ends, of which
        // the y^11 term is 3 %.
        for t in [1.0 / 32.0, -1.0 / 32.0, 0.02] {
            let y = (tau * t).sin();
            let value = arcsine(7).iter().rev().fold(0.0, |sum, c| sum * y + c);
            let ratio = (t - value) / (35.0 / 1152.0 / tau * y.powi(9));
            assert!(ratio > 1.0 && ratio < 1.04, "{t}: {ratio}");
        }
    }

    #[test]
    #[should_panic(expected = "even degree 4")]
    fn arcsine_is_odd() {
        arcsine(4);
    }

    #[test]
    fn failure_probabilities() {
        assert!((failure_log2(32, 16, 16) + 138.7).abs() < 0.05, "{}", failure_log2(32, 16, 16));
        assert!((failure_log2(32, 16, 15) + 139.7).abs() < 0.05, "{}", failure_log2(32, 16, 15));
        // Closed forms: half the mass is on either side of 0, and 3 uniforms exceed 1 with
        // probability (1/2)^3 / 3!.
        assert!(failure_log2(32, 0, 0).abs() < 1e-12 && failure_log2(191, 0, 3) == 3.0);
        assert!((failure_log2(2, 1, 0) - (1.0f64 / 24.0).log2()).abs() < 1e-12);
        assert_eq!(failure_log2(31, 16, 16), f64::NEG_INFINITY);
        let dependent = 17.0 - 32.0 - (1..=32).map(|i| f64::from(i).log2()).sum::<f64>();
        assert!((dependent + 132.7).abs() < 0.05, "32 uniforms above 15.5: (1/2)^32 / 32!, {dependent}");
        // A sum of many uniforms is nearly normal, with variance 1/12 for each: 2 * Pr[S > 4 sigma]
        // = 2^-13.95.
        assert!((failure_log2(191, 16, 0) + 13.95).abs() < 0.2, "{}", failure_log2(191, 16, 0));
    }
}
