//! Tables as polynomials: Chebyshev series that have given values at the sines of equally spaced
//! angles, and are flat there.
//!
//! A number m of 0 to p - 1 has the angle `pi * (2 * m + 1 - p) / (2 * p)`, in the middle of one of p
//! equal parts of the right half of a circle. The sines of these angles are the p Chebyshev nodes. A
//! polynomial of degree p - 1 has any p values there, but carries an error of the sine on to its value.
//! A polynomial of degree 2 p - 1 can have derivatives near 0 there as well. An error of d, in units of
//! the distance between two angles, then leaves one of about `1.3 * p * d^2`: it cleans its argument.

use crate::dd::Dd;
use crate::evalmod::clenshaw;
use crate::least_squares::{Sample, least_squares};

/// Half the width of the interval around each angle in which [`flat`] is fitted, in units of the
/// distance between two angles. At the nodes themselves the series is off by about
/// `0.7 * p * RADIUS^2`, which is far below the errors of any sine that is computed.
const RADIUS: f64 = 1.0 / (1u64 << 20) as f64;

/// The least error of an argument that [`slope`] is computed with.
const LEAST: f64 = 1.0 / (1u64 << 40) as f64;

/// Coefficients below this part of the largest one are rounding errors: those of odd degrees where a
/// table is even, and the other way round.
const NOTHING: f64 = 1.0 / (1u64 << 50) as f64;

/// Chebyshev coefficients `c_0 ... c_(2p-1)` of a series that has p `values` at the nodes, the sines of
/// the angles in increasing order, and derivatives close to 0. It has the least sum of squared errors at
/// three angles around each node. c_0 is not halved. The result is deterministic.
///
/// # Panics
/// Without values, and for more than 1024.
pub fn flat(values: &[f64]) -> Vec<f64> {
    assert!((1..=1024).contains(&values.len()), "a table of {} values", values.len());
    let near = |(m, &value): (usize, &f64)| {
        [-RADIUS, 0.0, RADIUS].map(|by| Sample {
            y: sine(values.len(), m, by),
            value: value.into(),
            weight: 1.0.into(),
        })
    };
    let samples: Vec<Sample> = values.iter().enumerate().flat_map(near).collect();
    let found: Vec<f64> = least_squares(&samples, 2 * values.len() - 1).iter().map(|c| c.hi).collect();
    let least = NOTHING * found.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    found.into_iter().map(|c| if c.abs() < least { 0.0 } else { c }).collect()
}

/// The largest quotient of the error of a value and the error of its argument, where that is at most
/// `within`, for a series of [`flat`] for p values.
pub fn slope(coefficients: &[f64], p: usize, within: f64) -> f64 {
    let within = within.max(LEAST);
    let places = (0..p).flat_map(|m| (1..=4).flat_map(move |s| [-s, s].map(|s| (m, within * f64::from(s) / 4.0))));
    let quotient = |(m, by): (usize, f64)| {
        let y = sine(p, m, 0.0);
        (clenshaw(coefficients, y + Dd::from(by)) - clenshaw(coefficients, y)).hi.abs() / within
    };
    places.map(quotient).fold(0.0, f64::max)
}

/// The largest error of a value where an angle is at most `within` away from that of a number, in units of
/// the distance between two angles, for a series of [`flat`] for p values.
pub fn bend(coefficients: &[f64], p: usize, within: f64) -> f64 {
    let places = (0..p).flat_map(|m| (1..=4).flat_map(move |s| [-s, s].map(|s| (m, within * f64::from(s) / 4.0))));
    let error = |(m, by): (usize, f64)| {
        (clenshaw(coefficients, sine(p, m, by)) - clenshaw(coefficients, sine(p, m, 0.0))).hi.abs()
    };
    places.map(error).fold(0.0, f64::max)
}

/// The sine of the angle of m of p numbers: a Chebyshev node.
pub fn node(p: usize, m: usize) -> f64 {
    sine(p, m, 0.0).hi
}

/// The sine of the angle of m of p numbers, moved by `by` distances between two angles.
fn sine(p: usize, m: usize, by: f64) -> Dd {
    let place = Dd::from((2 * m + 1) as f64 - p as f64) + Dd::from(2.0 * by);
    (place / Dd::from(4.0 * p as f64) - Dd::from(0.25)).cos_turn()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: u64, p: usize) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        (0..p).map(|_| (next() * p as f64).floor()).collect()
    }

    /// Values at the nodes are those of the table, and errors of the argument are squared: by the formula
    /// of the module, within a factor of 3, where results are as far apart as arguments.
    #[test]
    fn series_have_the_values_and_clean_the_argument() {
        for p in [2, 3, 4, 8, 16, 32, 64] {
            let values = random(p as u64, p);
            let c = flat(&values);
            assert_eq!(c.len(), 2 * p);
            for d in [0.0, 1.0 / 1024.0, 1.0 / 128.0, 1.0 / 64.0] {
                let errors = (0..p).flat_map(|m| [-d, d].map(|by| (clenshaw(&c, sine(p, m, by)).hi - values[m]).abs()));
                let worst = errors.fold(0.0, f64::max);
                assert!(worst <= bend(&c, p, d) + 1e-10, "{p} {d}");
                let rough = values.windows(2).map(|v| (v[1] - v[0]).abs()).fold(1.0, f64::max);
                let formula = 1.3 * p as f64 * d * d;
                assert!(worst <= 3.0 * rough * formula + 1e-9, "{p} {d}: {worst} {formula}");
            }
        }
    }

    /// The slope bounds errors of values between the places where it is computed, and falls with the error
    /// of the argument.
    #[test]
    fn slopes_bound_differences() {
        for p in [2, 4, 16] {
            let c = flat(&random(7, p));
            let slopes = [1e-5, 1e-6].map(|within| {
                let bound = slope(&c, p, within);
                for (m, part) in (0..p).flat_map(|m| [-0.9, -0.3, 0.6, 1.0].map(|part| (m, part))) {
                    let y = sine(p, m, 0.0);
                    let moved = clenshaw(&c, y + Dd::from(within * part)) - clenshaw(&c, y);
                    assert!(moved.hi.abs() <= bound * within * 1.001, "{p} {m} {part}");
                }
                bound
            });
            assert!(slopes[1] > 0.0 && slopes[1] < 0.11 * slopes[0], "{p}: {slopes:?}");
        }
    }

    /// Tables that are even or odd have no coefficients of the other parity, which saves products.
    #[test]
    fn parity_is_kept() {
        let even = flat(&[3.0, 1.0, 1.0, 3.0]);
        assert!(even.iter().skip(1).step_by(2).all(|&c| c == 0.0), "{even:?}");
        let odd = flat(&[-3.0, -1.0, 1.0, 3.0]);
        assert!(odd.iter().step_by(2).all(|&c| c == 0.0), "{odd:?}");
        assert!(flat(&[5.0]).iter().skip(1).all(|&c| c == 0.0));
    }
}
