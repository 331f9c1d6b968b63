//! Polynomials that approximate a function as closely as any of their degree does (Remez's exchange
//! algorithm), on [-1, 1] and in Chebyshev polynomials. For other intervals map the argument.
//!
//! The function is known by its values at the points of a [`Grid`]. All errors are those at these
//! points; [`Grid::between`] bounds by how much they can be larger between the points.

use std::f64::consts::PI;

/// Largest degree that [`Grid::minimax`] is made for. Beyond it the weights of its interpolation
/// would leave the range of doubles for unlucky points.
pub const MOST_DEGREE: usize = 400;

/// Most exchanges. Four to ten are usual.
const EXCHANGES: usize = 40;

/// The points cos(pi * i / n), i = 0 to n, and the values of a function at them.
#[derive(Debug, Clone)]
pub struct Grid {
    points: Vec<f64>,
    values: Vec<f64>,
}

/// A polynomial, and its largest distance from the function at the points of the grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The coefficients of T_0, T_1, ...
    pub coefficients: Vec<f64>,
    /// The distance.
    pub error: f64,
}

/// The points of a grid of `n` intervals, from 1 to -1.
pub fn points(n: usize) -> Vec<f64> {
    (0..=n).map(|i| (PI * i as f64 / n as f64).cos()).collect()
}

/// The coefficients of T_0 to T_n of the polynomial of degree n that has these values at
/// `points(n)`. `values` has n + 1 values; n is at least 1.
pub fn interpolate(values: &[f64]) -> Vec<f64> {
    let n = values.len() - 1;
    let cosines: Vec<f64> = (0..2 * n).map(|i| (PI * i as f64 / n as f64).cos()).collect();
    let coefficient = |j: usize| {
        let term = |(k, v): (usize, &f64)| v * cosines[j * k % (2 * n)] * if k == 0 || k == n { 0.5 } else { 1.0 };
        let sum: f64 = values.iter().enumerate().map(term).sum();
        sum * if j == 0 || j == n { 1.0 } else { 2.0 } / n as f64
    };
    (0..=n).map(coefficient).collect()
}

/// The sum of `coefficients[j] * T_j(x)`.
pub fn evaluate(coefficients: &[f64], x: f64) -> f64 {
    let (mut u, mut v) = (0.0, 0.0);
    for c in coefficients.iter().skip(1).rev() {
        (u, v) = (2.0 * x * u - v + c, u); // Clenshaw
    }
    x * u - v + coefficients.first().unwrap_or(&0.0)
}

/// The coefficients of the derivative, of one term less.
pub fn derivative(coefficients: &[f64]) -> Vec<f64> {
    let n = coefficients.len();
    let mut made = vec![0.0; n + 1];
    for k in (1..n).rev() {
        made[k - 1] = made[k + 1] + 2.0 * k as f64 * coefficients[k];
    }
    made[0] *= 0.5;
    made.truncate(n.saturating_sub(1));
    made
}

impl Grid {
    /// A grid with the values of a function at `points(values.len() - 1)`.
    pub fn new(values: Vec<f64>) -> Self {
        Self { points: points(values.len() - 1), values }
    }

    /// The largest distance of a polynomial from the function at the points.
    pub fn distance(&self, coefficients: &[f64]) -> f64 {
        let each = self.points.iter().zip(&self.values).map(|(&x, f)| (evaluate(coefficients, x) - f).abs());
        each.fold(0.0, f64::max)
    }

    /// A polynomial of degree `degree` reaches between the points at most this many times the
    /// largest value that it has at them: 1 / cos(pi * degree / (2 * n)) (Ehlich and Zeller,
    /// "Schwankung von Polynomen zwischen Gitterpunkten", 1964). `degree` must be below n.
    pub fn between(&self, degree: usize) -> f64 {
        1.0 / (PI * degree as f64 / (2 * (self.points.len() - 1)) as f64).cos()
    }

    /// The polynomial of degree `degree` that is closest to the function at the points. `degree` is
    /// at most [`MOST_DEGREE`], and the grid has at least four points for each coefficient.
    pub fn minimax(&self, degree: usize) -> Fit {
        let (last, count) = (self.points.len() - 1, degree + 2);
        // not symmetric: the level of an even function on a symmetric reference of even length
        // would be 0, and its error would not alternate
        let place = |i: usize| i as f64 / (count - 1) as f64;
        let begin = |t: f64| ((t + t * (1.0 - t) / count as f64) * last as f64).round() as usize;
        let mut reference: Vec<usize> = (0..count).map(|i| begin(place(i))).collect();
        let mut best = Fit { coefficients: vec![0.0], error: f64::INFINITY };
        for _ in 0..EXCHANGES {
            let (levelled, level) = self.levelled(&reference);
            let errors: Vec<f64> = (0..=last).map(|i| self.values[i] - levelled.value(self.points[i])).collect();
            let most = errors.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
            if most < best.error {
                let coefficients = interpolated(degree, |x| levelled.value(x));
                best = Fit { coefficients, error: most };
            }
            let alternating = alternation(&errors, count);
            // no error alternates often enough once errors are those of rounding
            if most <= level * (1.0 + 1e-9) || alternating.len() < count || alternating == reference {
                break;
            }
            reference = alternating;
        }
        let error = self.distance(&best.coefficients);
        Fit { error, ..best }
    }

    /// The polynomial whose distance from the function has the same size at all points of
    /// `reference`, with alternating signs, and that size.
    fn levelled(&self, reference: &[usize]) -> (Barycentric, f64) {
        let points: Vec<f64> = reference.iter().map(|&i| self.points[i]).collect();
        let weight = |i: usize| {
            let product = |all: f64, j: usize| if i == j { all } else { all * 2.0 * (points[i] - points[j]) };
            1.0 / (0..points.len()).fold(1.0, product)
        };
        let weights: Vec<f64> = (0..points.len()).map(weight).collect();
        let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let value = |i: usize| self.values[reference[i]];
        let top: f64 = weights.iter().enumerate().map(|(i, w)| w * value(i)).sum();
        let bottom: f64 = weights.iter().enumerate().map(|(i, w)| w * sign(i)).sum();
        let level = top / bottom;
        let values = (0..points.len()).map(|i| value(i) - sign(i) * level).collect();
        (Barycentric { points, weights, values }, level.abs())
    }
}

/// The coefficients of T_1, T_3, ... of the odd polynomial of degree `2 * terms - 1` that is closest
/// to 1 on the interval from `low` to 1, and so closest to the sign on both sides of 0. `terms` is at
/// least 1, and `low` above 0 and below 1.
pub fn odd_one(low: f64, terms: usize) -> Vec<f64> {
    // the squares of the points are those of a Chebyshev polynomial on [low^2, 1], where the extreme
    // errors are, too, but for a few per cent
    let square = |t: f64| 0.5 * (1.0 + low * low) + 0.5 * (1.0 - low * low) * t;
    let grid: Vec<f64> = points(64 * terms).into_iter().map(|t| square(t).sqrt().clamp(low, 1.0)).collect();
    let mut reference: Vec<usize> = (0..=terms).map(|i| 64 * i).collect();
    let (mut best, mut least) = (vec![], f64::INFINITY);
    for _ in 0..EXCHANGES {
        let rows = reference.iter().enumerate().map(|(i, &at)| {
            let mut row = odd_chebyshev(grid[at], terms);
            row.extend([if i.is_multiple_of(2) { 1.0 } else { -1.0 }, 1.0]);
            row
        });
        let mut found = solved(rows.collect());
        let level = found.pop().unwrap_or(0.0).abs();
        let errors: Vec<f64> = grid.iter().map(|&x| 1.0 - evaluate_odd(&found, x)).collect();
        let most = errors.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
        let alternating = alternation(&errors, terms + 1);
        if most < least {
            (best, least) = (found, most);
        }
        if most <= level * (1.0 + 1e-9) || alternating.len() <= terms || alternating == reference {
            break;
        }
        reference = alternating;
    }
    best
}

/// The sum of `coefficients[k] * T_(2 k + 1)(x)`.
fn evaluate_odd(coefficients: &[f64], x: f64) -> f64 {
    let step = 2.0 * (2.0 * x * x - 1.0); // 2 T_2
    let (mut u, mut v) = (0.0, 0.0);
    for c in coefficients.iter().rev() {
        (u, v) = (step * u - v + c, u); // Clenshaw, from T_(-1) = T_1
    }
    x * (u - v)
}

/// T_1(x), T_3(x), ...
fn odd_chebyshev(x: f64, terms: usize) -> Vec<f64> {
    let step = 2.0 * (2.0 * x * x - 1.0); // 2 T_2
    let (mut before, mut now) = (x, x); // T_(-1) and T_1
    let mut next = || {
        (before, now) = (now, step * now - before);
        before
    };
    (0..terms).map(|_| next()).collect()
}

/// The solution of linear equations: rows of coefficients, each followed by its right side
/// (elimination with pivots).
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).unwrap_or(k);
        rows.swap(k, pivot);
        let (above, below) = rows.split_at_mut(k + 1);
        for row in below {
            let factor = row[k] / above[k][k];
            row[k..].iter_mut().zip(&above[k][k..]).for_each(|(x, p)| *x -= factor * p);
        }
    }
    let mut solution = vec![0.0; n];
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|j| rows[k][j] * solution[j]).sum();
        solution[k] = (rows[k][n] - rest) / rows[k][k];
    }
    solution
}

/// The coefficients of a polynomial of this degree, from its values.
fn interpolated(degree: usize, value: impl Fn(f64) -> f64) -> Vec<f64> {
    if degree == 0 {
        return vec![value(1.0)];
    }
    interpolate(&points(degree).into_iter().map(value).collect::<Vec<_>>())
}

/// `count` indices of errors with alternating signs, among them the largest error, each the largest
/// of its sign in a row. Fewer if the signs do not alternate so often.
fn alternation(errors: &[f64], count: usize) -> Vec<usize> {
    let mut found: Vec<usize> = vec![];
    for (i, error) in errors.iter().enumerate().filter(|(_, e)| **e != 0.0) {
        match found.last_mut() {
            Some(last) if (errors[*last] > 0.0) == (*error > 0.0) => {
                if error.abs() > errors[*last].abs() {
                    *last = i;
                }
            }
            _ => found.push(i),
        }
    }
    let size = |at: usize| errors[at].abs();
    while found.len() > count {
        let end = found.len() - 1;
        let least = (0..=end).min_by(|&i, &j| size(found[i]).total_cmp(&size(found[j]))).unwrap_or(0);
        if found.len() == count + 1 || least == 0 || least == end {
            // at an end one can go; elsewhere two neighbours, or the signs would not alternate
            found.remove(if size(found[0]) < size(found[end]) { 0 } else { end });
        } else {
            let first = if size(found[least - 1]) < size(found[least + 1]) { least - 1 } else { least };
            found.drain(first..first + 2);
        }
    }
    found
}

/// A polynomial by its values at some points: the barycentric formula (Berrut and Trefethen, 2004).
struct Barycentric {
    points: Vec<f64>,
    weights: Vec<f64>,
    values: Vec<f64>,
}

impl Barycentric {
    fn value(&self, x: f64) -> f64 {
        let (mut top, mut bottom) = (0.0, 0.0);
        for ((point, weight), value) in self.points.iter().zip(&self.weights).zip(&self.values) {
            if x == *point {
                return *value;
            }
            let part = weight / (x - point);
            top += part * value;
            bottom += part;
        }
        top / bottom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: usize, f: impl Fn(f64) -> f64) -> Grid {
        Grid::new(points(n).into_iter().map(f).collect())
    }

    /// The best errors that are known exactly: of |x| (Bernstein's for degree 2 is 1/8), of the
    /// monomial x^n by degree n - 1 (2^(1-n)), and of 1/(x - a) by degree n, (a - sqrt(a^2 - 1))^n
    /// / (a^2 - 1) (Chebyshev).
    #[test]
    fn known_best_errors() {
        assert!((grid(4096, f64::abs).minimax(2).error - 0.125).abs() < 1e-6);
        for n in [1, 2, 5, 10, 20] {
            let found = grid(64 * n, |x| x.powi(n as i32)).minimax(n - 1).error;
            let known = 2f64.powi(1 - n as i32);
            assert!((found / known - 1.0).abs() < 1e-6, "{n}: {found} {known}");
        }
        for (a, n) in [(1.5f64, 5), (1.1, 20), (1.01, 60), (1.001, 200)] {
            let root = (a * a - 1.0).sqrt();
            let known = (a - root).powi(n) / (a * a - 1.0);
            let found = grid(32 * (n as usize + 1), |x| 1.0 / (x - a)).minimax(n as usize).error;
            assert!((found / known - 1.0).abs() < 1e-3, "{a}, {n}: {found} {known}");
        }
    }

    #[test]
    fn derivatives() {
        let c = [0.5, -1.0, 0.25, 2.0, 0.75]; // T_2 = 2 x^2 - 1, T_3 = 4 x^3 - 3 x, T_4 = 8 x^4 - 8 x^2 + 1
        for x in [-1.0f64, -0.3, 0.0, 0.7] {
            let known = -1.0 + x + 24.0 * x * x - 6.0 + 24.0 * x.powi(3) - 12.0 * x;
            assert!((evaluate(&derivative(&c), x) - known).abs() < 1e-12);
        }
        assert!(derivative(&[1.0]).is_empty() && derivative(&[]).is_empty());
    }

    #[test]
    fn errors_alternate() {
        for degree in [0usize, 1, 3, 8, 31, 100] {
            let g = grid(40 * (degree + 2), |x| (3.0 * x).sin() * (1.0 + x).exp() + (x - 0.3).abs());
            let fit = g.minimax(degree);
            assert_eq!(fit.coefficients.len(), degree + 1);
            assert_eq!(fit.error, g.distance(&fit.coefficients));
            let errors: Vec<f64> =
                g.points.iter().zip(&g.values).map(|(&x, f)| f - evaluate(&fit.coefficients, x)).collect();
            let close: Vec<f64> = errors.iter().map(|e| if e.abs() > 0.999 * fit.error { *e } else { 0.0 }).collect();
            assert!(alternation(&close, usize::MAX).len() >= degree + 2, "{degree}"); // then it is the best
        }
    }

    /// The distances from 1 of the odd polynomials alternate, so they are the best ones. That of
    /// degree 1 is known.
    #[test]
    fn odd_polynomials_close_to_one() {
        for (low, terms) in [(0.5, 1), (0.5, 2), (0.1, 4), (1e-3, 8), (1e-6, 16), (0.9, 16), (0.99, 3)] {
            let odd = odd_one(low, terms);
            let mut c = vec![0.0; 2 * terms];
            odd.iter().enumerate().for_each(|(k, &x)| c[2 * k + 1] = x);
            let points = |i: u32| low * (1.0 / low).powf(f64::from(i) / 1e5);
            let errors: Vec<f64> = (0..=100_000).map(|i| 1.0 - evaluate(&c, points(i))).collect();
            let most = errors.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
            let close: Vec<f64> = errors.iter().map(|e| if e.abs() > 0.998 * most { *e } else { 0.0 }).collect();
            assert!(most < 1e-13 || alternation(&close, usize::MAX).len() > terms, "{low}, {terms}: {most}");
            if terms == 1 {
                assert!((most - (1.0 - low) / (1.0 + low)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn polynomials_are_found_exactly() {
        let c = [0.5, -1.0, 0.25, 2.0];
        for degree in [3, 4, 9] {
            let fit = grid(200, |x| evaluate(&c, x)).minimax(degree);
            assert!(fit.error < 1e-14, "{degree}: {}", fit.error);
            for (j, found) in fit.coefficients.iter().enumerate() {
                assert!((found - c.get(j).unwrap_or(&0.0)).abs() < 1e-14, "{degree}, {j}");
            }
        }
    }

    #[test]
    fn polynomials_between_points() {
        let (g, mut larger) = (grid(30, |_| 0.0), 0);
        for seed in 1..=50u64 {
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
            };
            let c: Vec<f64> = (0..20).map(|_| next()).collect();
            let everywhere = grid(10_000, |_| 0.0).distance(&c);
            assert!(everywhere <= g.distance(&c) * g.between(19), "{seed}");
            larger += usize::from(everywhere > 1.01 * g.distance(&c));
        }
        assert!(larger > 10, "{larger}");
    }
}
