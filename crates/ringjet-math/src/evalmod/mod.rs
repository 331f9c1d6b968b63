//! The polynomials of EvalMod, the step of CKKS bootstrapping that reduces modulo the base prime.
//!
//! A slot holds `t = i + e` with an integer `|i| < k` and a small `|e| <= 2^-log_ratio`; EvalMod
//! has to return e. As `sin(2 * pi * t) = sin(2 * pi * e)`, it takes up to three steps. A
//! polynomial approximates a cosine of a fraction of the angle near the integers: one of half the
//! degree in the square of the angle ([`cosine_of_square`]), or one in the angle itself
//! ([`cosine`]). The angle is doubled a few times (`c -> 2 * c^2 - 1`). If `sin(2 * pi * e) / (2 *
//! pi)` is not close enough to e, an arcsine follows ([`arcsine`]). [`failure_log2`] estimates the
//! probability that `|i| < k` fails.

mod fit;
#[cfg(test)]
mod tests;

use num_bigint::BigInt;
use num_traits::One;

use self::fit::{interpolate, leja_order, near, place};
use crate::dd::{Dd, two_product};
use crate::fft::Complex64;
use crate::least_squares::{Sample, least_squares};

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
/// coefficients. It is taken as a sum of `h + 1` numbers uniform in (-1/2, 1/2), which is a little wider than
/// the integer is.
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

/// `i^(1 / 2^k)`, the principal root. A double angle step `y -> 2 * y^2 - w^2` takes `w * cos(a)` to
/// `w^2 * cos(2 * a)`; so k steps that begin with this root for w end with `i * cos(2^k * a)`.
///
/// # Panics
/// If `k > 30`.
pub fn root_of_i(k: u32) -> Complex64 {
    assert!(k <= 30, "{k} double angles");
    let turns = Dd::from(0.25 / (1u64 << k) as f64);
    Complex64::new(turns.cos_turn().hi, (turns - Dd::from(0.25)).cos_turn().hi)
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

/// Binary logarithm of the probability (by the union bound) that for one of the `2^log_n` coefficients
/// raised to the full modulus the multiple i of the base prime reaches k:
/// `2^log_n * 2 * Pr[S > k - 1/2]`. S is the sum of h independent numbers uniform in (-1/2, 1/2), for a
/// ternary secret with h non-zero coefficients; i is the integer next to S minus the small message. If
/// `2 * k > h`, it cannot happen, and the result is minus infinity. The tail of the Irwin-Hall
/// distribution is summed exactly from its near end.
///
/// Bossuat, Troncoso-Pastoriza and Hubaux (ePrint 2022/024) count `h + 1` numbers, and i from k on, as
/// if the two polynomials of a ciphertext were independent. The second one and the message determine
/// the first. For (h, k, log_n) = (32, 16, 16) they find 2^-138.7, where it is 2^-132.7.
pub fn failure_log2(h: u32, k: u32, log_n: u32) -> f64 {
    let m = i64::from(h);
    let mut sum = BigInt::ZERO; // 2^m * m! * Pr[S > k - 1/2]
    let mut binomial = BigInt::one();
    let mut factorial = BigInt::one();
    for j in 0..m {
        let base = m + 1 - 2 * (i64::from(k) + j);
        if base > 0 {
            let term = &binomial * BigInt::from(base).pow(h);
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

/// `cos(2 * pi * (k * x - 1/4) / 2^double_angles)`, within about 2^-97.
fn target(k: u32, double_angles: u32, x: f64) -> Dd {
    let turns = two_product(f64::from(k), x) - Dd::from(0.25);
    (turns * Dd::from(1.0 / (1u64 << double_angles) as f64)).cos_turn()
}

/// Evaluates `sum_j c_j * T_j(x)` in double-double.
pub(crate) fn clenshaw(coefficients: &[f64], x: Dd) -> Dd {
    let (mut b1, mut b2) = (Dd::from(0.0), Dd::from(0.0));
    for &c in coefficients[1..].iter().rev() {
        (b1, b2) = (Dd::from(2.0) * x * b1 - b2 + Dd::from(c), b1);
    }
    x * b1 - b2 + Dd::from(coefficients[0])
}
