//! Functions of encrypted values: polynomials that stand for them on an interval.

use ringjet_math::minimax::{Fit, Grid, MOST_DEGREE, interpolate, points};

use super::polynomial::{Basis, Polynomial};
use crate::{Error, Result};

/// The largest degree of a [`Polynomial`].
const LARGEST: usize = 4095;

/// Most samples of a function whose Chebyshev series is looked for. A function that needs more has
/// kinks, jumps or poles.
const MOST_SAMPLES: usize = 1 << 13;

/// The polynomial is compared with the function at so many samples at least, and one more.
const CHECKED: usize = 1 << 14;

/// The least error in units of the function's largest value: doubles have no more digits to compute
/// with.
const ROUNDING: f64 = 1e-13;

/// A polynomial that stands for a function on an interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Approximation {
    polynomial: Polynomial,
    interval: (f64, f64),
    error: f64,
}

impl Approximation {
    /// The polynomial of the least degree whose distance from `f` on the interval `[a, b]` is at
    /// most `error`. `f` gets arguments and returns as many values.
    ///
    /// Up to degree 400 the polynomial is the best of its degree (Remez's algorithm). Larger ones
    /// are the first terms of the Chebyshev series, whose degree is at most a few per cent above
    /// the least.
    ///
    /// The distance is computed at 8 to 32 points for each term of the function's Chebyshev series,
    /// and enlarged by the factor by which a polynomial can be larger between such points
    /// ([`Grid::between`]: 1.001, and up to 1.02 for more than 512 terms). So it holds on the whole
    /// interval for functions that are smooth at the distance of the samples. There are at least
    /// 16,385 samples, and 65,537 of a function whose series does not end. What happens between two
    /// of them cannot be seen.
    ///
    /// Fails with [`Error::Argument`] for an empty or infinite interval; where `f` is not finite;
    /// and for an error that no polynomial of degree 4095 reaches, or that rounding does not allow,
    /// naming the least possible. Fails with the error of `f`.
    pub fn new<E: From<Error>>(
        mut f: impl FnMut(&[f64]) -> std::result::Result<Vec<f64>, E>,
        (a, b): (f64, f64),
        error: f64,
    ) -> std::result::Result<Self, E> {
        let basis = Basis::Chebyshev { a, b };
        Polynomial::new(basis, &[0.0])?; // refuses bad intervals
        if !(error > 0.0 && error.is_finite()) {
            return Err(Error::argument("error", error, "a positive number").into());
        }
        let mut sample = |n: usize| -> std::result::Result<Vec<f64>, E> {
            let x: Vec<f64> = points(n).iter().map(|t| (0.5 * (a + b) + 0.5 * (b - a) * t).clamp(a, b)).collect();
            let y = f(&x)?;
            if y.len() != x.len() {
                return Err(Error::argument("f", format!("{} values", y.len()), format!("{} values", x.len())).into());
            }
            match y.iter().position(|y| !y.is_finite()) {
                None => Ok(y),
                Some(i) => {
                    let found = format!("{} at {}", y[i], x[i]);
                    Err(Error::argument("f", found, format!("finite values on [{a}, {b}]")).into())
                }
            }
        };
        let check = Grid::new(sample(CHECKED)?);
        let largest = check.distance(&[0.0]);
        if error < ROUNDING * largest {
            let expected =
                format!("at least {:.1e}: values reach {largest:.3e}, and doubles have 16 digits", ROUNDING * largest);
            return Err(Error::argument("error", error, expected).into());
        }
        let mut n = 16;
        loop {
            let (last, series) = (n == MOST_SAMPLES, interpolate(&sample(n)?));
            let tail: f64 = series[n - n / 4..].iter().map(|c| c.abs()).sum();
            if last || tail <= (0.01 * error).max(1e-2 * ROUNDING * largest) {
                let grid = Grid::new(sample((32 * n).min((8 * n).max(2 * MOST_SAMPLES)))?);
                match least(&grid, &series, error) {
                    Ok(Fit { coefficients, error: found }) => {
                        let found = found.max(check.distance(&coefficients));
                        if last || found <= error {
                            let polynomial = Polynomial::new(basis, &coefficients)?;
                            return Ok(Self { polynomial, interval: (a, b), error: found });
                        }
                    }
                    Err(refused) if last => return Err(refused.into()),
                    Err(_) => {}
                }
            }
            n *= 2; // so few samples do not show all of the function
        }
    }

    /// The interval.
    pub fn interval(&self) -> (f64, f64) {
        self.interval
    }

    /// The polynomial, in Chebyshev polynomials on the interval.
    pub fn polynomial(&self) -> &Polynomial {
        &self.polynomial
    }

    /// The largest distance from the function on the interval.
    pub fn error(&self) -> f64 {
        self.error
    }
}

/// The polynomial of least degree whose distance on the grid is at most `error`. `series` has the
/// coefficients of the function's Chebyshev series.
fn least(grid: &Grid, series: &[f64], error: f64) -> Result<Fit> {
    // a function whose series does not end here is taken to be no rougher than polynomials of twice
    // the degree
    let terms = series.len() - 1;
    let between = |degree: usize| grid.between(if terms < MOST_SAMPLES { terms } else { (2 * degree).max(1) });
    // The root mean square of the terms that are left out, by Chebyshev's weight, is at most the
    // distance. So the least degree leaves out at most these terms.
    let mut squares = 0.0;
    let left_out = |c: &&f64| {
        squares += 0.5 * **c * **c;
        f64::sqrt(squares) <= error
    };
    let low = terms - series.iter().rev().take_while(left_out).count().min(terms);
    let by_series = |degree: usize| {
        let coefficients = series[..=degree].to_vec();
        Fit { error: grid.distance(&coefficients), coefficients }
    };
    let best = |degree: usize| if degree <= MOST_DEGREE { grid.minimax(degree) } else { by_series(degree) };
    // the least degree for which it is close enough, by doubling the step and then by halving it
    let most = LARGEST.min(terms);
    let reached = by_series(most).error * between(most);
    if reached > error {
        let expected = format!("at least {reached:.1e}, which a polynomial of degree {most} reaches");
        return Err(Error::argument("error", error, expected));
    }
    let (mut high, mut step) = (low.min(most), 1);
    let mut found = best(high);
    let mut below = None; // the largest degree that is known to be too small
    while high < most && found.error * between(high) > error {
        below = Some(high);
        high = (high + step).min(most);
        step *= 2;
        found = best(high);
    }
    while below.map_or(0, |below| below + 1) < high {
        let middle = below.map_or(high / 2, |below| usize::midpoint(below, high));
        let fit = best(middle);
        if fit.error * between(middle) <= error {
            (high, found) = (middle, fit);
        } else {
            below = Some(middle);
        }
    }
    // Coefficients of the other parity of an even or odd function are rounding errors: without them
    // fewer products are needed.
    let largest = found.coefficients.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    let exact = |&c: &f64| if c.abs() <= 1e-15 * largest { 0.0 } else { c };
    let coefficients: Vec<f64> = found.coefficients.iter().map(exact).collect();
    let distance = grid.distance(&coefficients) * between(high);
    if distance <= error {
        return Ok(Fit { coefficients, error: distance });
    }
    Ok(Fit { error: found.error * between(high), ..found })
}

/// Names of [`named`] functions.
pub const NAMES: [&str; 16] = [
    "abs",
    "cos",
    "erf",
    "exp",
    "gelu",
    "inverse_sqrt",
    "log",
    "reciprocal",
    "relu",
    "sigmoid",
    "silu",
    "sin",
    "softplus",
    "sqrt",
    "square",
    "tanh",
];

/// The function of a real number with this name, one of [`NAMES`].
pub fn named(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "abs" => f64::abs,
        "cos" => f64::cos,
        "erf" => libm::erf,
        "exp" => f64::exp,
        "gelu" => |x| 0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2),
        "inverse_sqrt" => |x| 1.0 / x.sqrt(),
        "log" => f64::ln,
        "reciprocal" => |x| 1.0 / x,
        "relu" => |x| x.max(0.0),
        "sigmoid" => |x| 1.0 / (1.0 + (-x).exp()),
        "silu" => |x| x / (1.0 + (-x).exp()),
        "sin" => f64::sin,
        "softplus" => |x| x.max(0.0) + (-x.abs()).exp().ln_1p(),
        "sqrt" => f64::sqrt,
        "square" => |x| x * x,
        "tanh" => f64::tanh,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Real = fn(f64) -> f64;
    type Interval = (f64, f64);

    fn approximate(f: impl Fn(f64) -> f64, interval: (f64, f64), error: f64) -> Result<Approximation> {
        Approximation::new(|x| Ok::<_, Error>(x.iter().map(|&x| f(x)).collect()), interval, error)
    }

    /// The largest distance at 10,000 points between the ends.
    fn measured(p: &Polynomial, f: impl Fn(f64) -> f64, (a, b): (f64, f64)) -> f64 {
        let x = |i: usize| a + (b - a) * (i as f64 + 0.5) / 10_000.0;
        (0..10_000).map(|i| (p.eval(x(i)) - f(x(i))).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn errors_hold_and_degrees_are_least() {
        let mut cases: Vec<(&str, Real, [Interval; 3])> = vec![];
        let around = [(-1.0, 1.0), (-8.0, 8.0), (-3.0, 5.0)];
        let positive = [(0.5, 2.0), (0.1, 10.0), (1.0, 100.0)];
        for name in NAMES {
            let intervals = match name {
                "inverse_sqrt" | "log" | "reciprocal" | "sqrt" => positive,
                "abs" | "relu" => [(-1.0, 2.0), (0.5, 2.0), (-3.0, -1.0)],
                _ => around,
            };
            cases.push((name, named(name).unwrap(), intervals));
        }
        let more: [(&str, Real); 10] = [
            ("atan", f64::atan),
            ("asinh", f64::asinh),
            ("sinh", f64::sinh),
            ("cosh", f64::cosh),
            ("2^x", f64::exp2),
            ("1 / (1 + x^2)", |x| 1.0 / (1.0 + x * x)),
            ("exp(-x^2)", |x| (-x * x).exp()),
            ("x^3 - x", |x| x * x * x - x),
            ("cos(3 x) exp(x / 4)", |x| (3.0 * x).cos() * (x / 4.0).exp()),
            ("sinc", |x| if x == 0.0 { 1.0 } else { x.sin() / x }),
        ];
        cases.extend(more.map(|(name, f)| (name, f, around)));
        let roots: [(&str, Real); 4] =
            [("cbrt", f64::cbrt), ("x^1.5", |x| x.powf(1.5)), ("log2", f64::log2), ("x log x", |x| x * x.ln())];
        cases.extend(roots.map(|(name, f)| (name, f, positive)));
        assert_eq!(cases.len(), 30);
        for (name, f, intervals) in cases {
            for interval in intervals {
                for error in [1e-2, 1e-4, 1e-7] {
                    let kinks = ["abs", "relu"].contains(&name) && interval.0 * interval.1 < 0.0;
                    if kinks && error < 1e-3 {
                        let refused = approximate(f, interval, 1e-9).unwrap_err().to_string();
                        assert!(refused.contains("at least"), "{refused}");
                        continue;
                    }
                    let case = format!("{name} on {interval:?} to {error}");
                    let found = approximate(f, interval, error).unwrap_or_else(|e| panic!("{case}: {e}"));
                    let (p, stated) = (found.polynomial(), found.error());
                    let seen = measured(p, f, interval);
                    assert!(seen <= stated && stated <= error, "{case}: {seen} {stated}");
                    if p.degree() < 2 || p.degree() > MOST_DEGREE {
                        continue;
                    }
                    // no polynomial of two degrees less is as close
                    let n = if kinks { 1 << 16 } else { 40 * p.degree() };
                    let x = |t: f64| 0.5 * (interval.0 + interval.1) + 0.5 * (interval.1 - interval.0) * t;
                    let values = points(n).into_iter().map(|t| f(x(t))).collect();
                    let less = Grid::new(values).minimax(p.degree() - 2).error;
                    assert!(less > error, "{case}: degree {} and {less}", p.degree());
                }
            }
        }
    }

    #[test]
    fn polynomials_are_found_again() {
        for (f, degree) in [(|_| 2.5) as Real, |x| x, |x| x * x - 3.0, |x| x.powi(7)].into_iter().zip([0, 1, 2, 7]) {
            let found = approximate(f, (-2.0, 2.0), 1e-9).unwrap();
            assert_eq!(found.polynomial().degree(), degree);
        }
    }

    #[test]
    fn what_few_samples_do_not_show() {
        let spike = |x: f64| (-1e6 * (x - 0.3) * (x - 0.3)).exp();
        let found = approximate(spike, (-1.0, 1.0), 1e-2).unwrap();
        assert!(measured(found.polynomial(), spike, (-1.0, 1.0)) <= found.error());
        // the same values as 1 at 17 points
        let wave = |x: f64| (32.0 * x.acos()).cos();
        let found = approximate(wave, (-1.0, 1.0), 1e-6).unwrap();
        assert_eq!(found.polynomial().degree(), 32);
    }

    #[test]
    fn large_degrees() {
        let f = |x: f64| 1.0 / (1.0 + 1e4 * x * x);
        let found = approximate(f, (-1.0, 1.0), 1e-3).unwrap();
        assert!(found.polynomial().degree() > MOST_DEGREE);
        assert!(measured(found.polynomial(), f, (-1.0, 1.0)) <= found.error());
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let text = |f: Real, interval, error| approximate(f, interval, error).unwrap_err().to_string();
        for (f, interval, error, found) in [
            (f64::exp as Real, (1.0, 1.0), 1e-3, "interval"),
            (f64::exp, (0.0, f64::INFINITY), 1e-3, "interval"),
            (f64::exp, (0.0, 1.0), 0.0, "a positive number"),
            (f64::exp, (0.0, 1.0), f64::NAN, "a positive number"),
            (f64::exp, (0.0, 1.0), 1e-15, "at least 2.7e-13"),
            (f64::ln, (0.0, 1.0), 1e-3, "-inf at 0"),
            (f64::sqrt, (-1.0, 1.0), 1e-3, "NaN at -0.0001"),
            (f64::signum, (-1.0, 1.0), 1e-3, ", which a polynomial of degree 4095 reaches"),
        ] {
            let said = text(f, interval, error);
            assert!(said.contains(found), "{said}");
        }
        let short = Approximation::new(|_| Ok::<_, Error>(vec![1.0]), (0.0, 1.0), 0.1).unwrap_err().to_string();
        assert!(short.contains("1 values"), "{short}");
        let own = Approximation::new(|_| Err::<Vec<f64>, _>(Error::none("own")), (0.0, 1.0), 0.1);
        assert!(own.unwrap_err().to_string().contains("own"));
    }
}
