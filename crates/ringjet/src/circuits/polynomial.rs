//! Polynomials, in the power or the Chebyshev basis.

use crate::diagonals::log2_ceil;
use crate::{Error, Range, Result};

/// The largest whole number by which an argument is multiplied without a level.
const MOST_WHOLE: f64 = (1 << 20) as f64;

/// Most values of a table.
const MOST_VALUES: usize = 256;

/// The basis of a polynomial's coefficients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Basis {
    /// 1, x, x^2, ...
    Power,
    /// Chebyshev polynomials of the first kind on the interval `[a, b]`.
    Chebyshev {
        /// Lower end of the interval.
        a: f64,
        /// Upper end of the interval.
        b: f64,
    },
}

/// A polynomial with real coefficients.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial {
    basis: Basis,
    coefficients: Vec<f64>,
    slope: Option<f64>,
    points: Vec<f64>,
}

impl Polynomial {
    /// From real coefficients, constant first; trailing zeros are dropped. The degree is up to
    /// 4095.
    pub fn new(basis: Basis, coefficients: &[f64]) -> Result<Self> {
        if let Some(index) = coefficients.iter().position(|c| !c.is_finite()) {
            return Err(Error::NotFinite { index, value: coefficients[index] });
        }
        if let Basis::Chebyshev { a, b } = basis
            && !(a < b && a.is_finite() && b.is_finite())
        {
            return Err(Error::argument("interval", format!("[{a}, {b}]"), "finite ends with a < b"));
        }
        let len = coefficients.iter().rposition(|&c| c != 0.0).map_or(1, |i| i + 1);
        if coefficients.is_empty() || len > 4096 {
            return Err(Error::argument("coefficients", coefficients.len(), "1 to 4096 coefficients"));
        }
        Ok(Self { basis, coefficients: coefficients[..len].to_vec(), slope: None, points: vec![] })
    }

    /// A table as a series in `sin(pi / 2 * z)`: `values[m]` is the result for the number m of p, which is
    /// encoded as the value `z = (2 m + 1 - p) / p`. The series is flat there, so it cleans its argument
    /// ([`ringjet_math::tables::flat`]). The argument is assumed to be at most `within` away from the sine
    /// of a number. 2 to 256 values are possible.
    pub fn table(values: &[f64], within: f64) -> Result<Self> {
        if !(2..=MOST_VALUES).contains(&values.len()) {
            return Err(Error::argument("values", values.len(), format!("2 to {MOST_VALUES} values of a table")));
        }
        if let Some(index) = values.iter().position(|v| !v.is_finite()) {
            return Err(Error::NotFinite { index, value: values[index] });
        }
        let coefficients = ringjet_math::tables::flat(values);
        let slope = ringjet_math::tables::slope(&coefficients, values.len(), within);
        let made = Self::new(Basis::Chebyshev { a: -1.0, b: 1.0 }, &coefficients)?;
        let points = (0..values.len()).map(|m| ringjet_math::tables::node(values.len(), m)).collect();
        made.with_slope(slope).with_points(points)
    }

    /// States that all arguments that matter are close to these numbers. With a stated slope, the estimate
    /// of the error that the evaluation adds is then for these numbers. Only Chebyshev polynomials on
    /// [-1, 1] have such points, up to 256 of that interval.
    /// Fails with [`Error::Argument`].
    pub fn with_points(self, points: Vec<f64>) -> Result<Self> {
        if points.is_empty() {
            return Ok(Self { points, ..self });
        }
        if self.basis != (Basis::Chebyshev { a: -1.0, b: 1.0 }) {
            let expected = "none, but for Chebyshev polynomials on [-1, 1]";
            return Err(Error::argument("near", format!("{} points", points.len()), expected));
        }
        if points.len() > MOST_VALUES || !points.iter().all(|x| (-1.0..=1.0).contains(x)) {
            let expected = format!("at most {MOST_VALUES} numbers of -1 to 1");
            return Err(Error::argument("near", format!("{} points", points.len()), expected));
        }
        Ok(Self { points, ..self })
    }

    /// The numbers to which arguments are close, where they are stated.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// States that the derivative is at most `slope` at all values that matter. Estimates then take
    /// the error of the argument to reach the result with this factor. Without such a statement they
    /// are for the steepest part of the interval. Bounds of errors do not rely on it.
    pub fn with_slope(self, slope: f64) -> Self {
        Self { slope: Some(slope), ..self }
    }

    /// The slope that was stated.
    pub fn slope(&self) -> Option<f64> {
        self.slope
    }

    /// The derivative.
    pub(super) fn derivative(&self) -> Result<Self> {
        let coefficients = match self.basis {
            Basis::Power => self.coefficients.iter().enumerate().skip(1).map(|(k, c)| k as f64 * c).collect(),
            Basis::Chebyshev { a, b } => {
                let own = ringjet_math::minimax::derivative(&self.coefficients);
                own.into_iter().map(|c| c * 2.0 / (b - a)).collect::<Vec<_>>()
            }
        };
        Self::new(self.basis, if coefficients.is_empty() { &[0.0] } else { &coefficients })
    }

    /// Chebyshev interpolation of `f` on `[a, b]` with a polynomial of degree `degree`.
    pub fn interpolate(f: impl Fn(f64) -> f64, a: f64, b: f64, degree: usize) -> Result<Self> {
        let n = degree + 1;
        let node = |k: usize| (std::f64::consts::PI * (k as f64 + 0.5) / n as f64).cos();
        let values: Vec<f64> = (0..n).map(|k| f(0.5 * (a + b) + 0.5 * (b - a) * node(k))).collect();
        let coefficient = |j: usize| {
            let angle = |k: usize| std::f64::consts::PI * j as f64 * (k as f64 + 0.5) / n as f64;
            let sum: f64 = values.iter().enumerate().map(|(k, v)| v * angle(k).cos()).sum();
            sum * if j == 0 { 1.0 } else { 2.0 } / n as f64
        };
        Self::new(Basis::Chebyshev { a, b }, &(0..n).map(coefficient).collect::<Vec<_>>())
    }

    /// The basis of the coefficients.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// Degree.
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// Value at `x`, in the clear.
    pub fn eval(&self, x: f64) -> f64 {
        match self.basis {
            Basis::Power => self.coefficients.iter().rev().fold(0.0, |acc, c| acc * x + c),
            Basis::Chebyshev { a, b } => {
                // Clenshaw
                let t = (2.0 * x - a - b) / (b - a);
                let (mut u, mut v) = (0.0, 0.0);
                for c in self.coefficients[1..].iter().rev() {
                    (u, v) = (2.0 * t * u - v + c, u);
                }
                t * u - v + self.coefficients[0]
            }
        }
    }

    /// Bounds on the polynomial's values for arguments within `x`, at most 0.04 per cent too wide up
    /// to degree 63, and else 2 per cent. Fails with [`Error::OutsideInterval`] where the argument can leave a Chebyshev polynomial's
    /// interval.
    pub fn range(&self, x: Range) -> Result<Range> {
        if let Basis::Chebyshev { a, b } = self.basis
            && self.degree() > 0
        {
            let slack = 1e-9 * (b - a);
            if !(x.low() >= a - slack && x.high() <= b + slack && x.is_real()) {
                let (low, high, imaginary) = (x.low(), x.high(), x.imaginary());
                return Err(Error::OutsideInterval { low, high, imaginary, a, b });
            }
        }
        if !x.is_real() {
            let size = self.coefficients.iter().rev().fold(0.0, |acc, c| acc * x.magnitude() + c.abs());
            return Ok(Range::complex(size));
        }
        // Of a polynomial of degree d, the largest absolute value at m > d Chebyshev nodes is at
        // least cos(pi * d / (2 * m)) of its largest on the interval (Ehlich and Zeller, 1964).
        let (dense, wider) = if self.degree() < 64 { (64, 1.00031) } else { (8, 1.0197) };
        let nodes = dense * (self.degree() + 1);
        let (middle, radius) = (0.5 * (x.low() + x.high()), 0.5 * (x.high() - x.low()));
        let node = |k: usize| middle + radius * (std::f64::consts::PI * (k as f64 + 0.5) / nodes as f64).cos();
        let (low, high) = (0..nodes)
            .map(|k| self.eval(node(k)))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |m, y| (m.0.min(y), m.1.max(y)));
        let (centre, half) = (0.5 * (low + high), 0.5 * (high - low) * wider);
        Ok(Range::real(centre - half, centre + half))
    }

    /// The number of levels that an evaluation uses.
    pub fn depth(&self) -> usize {
        match self.degree() {
            0 => 0,
            d => log2_ceil(d + 1) + usize::from(self.needs_map()),
        }
    }

    /// The coefficients, constant first.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Whether the argument has to be multiplied by a number that is not whole, to map it to
    /// [-1, 1]. That takes a level.
    pub(crate) fn needs_map(&self) -> bool {
        match self.basis {
            Basis::Power => false,
            Basis::Chebyshev { .. } => self.degree() > 0 && self.whole_map().is_none(),
        }
    }

    /// The whole number by which the argument is multiplied to map it to an interval of length 2,
    /// if it is one.
    pub(super) fn whole_map(&self) -> Option<i32> {
        match self.basis {
            Basis::Chebyshev { a, b } => {
                let (factor, whole) = (2.0 / (b - a), (2.0 / (b - a)).round());
                // ends of intervals are rounded
                let close = (factor - whole).abs() <= 1e-12 * whole;
                (close && (1.0..=MOST_WHOLE).contains(&whole)).then_some(whole as i32)
            }
            Basis::Power => None,
        }
    }

    pub(super) fn chebyshev(&self) -> bool {
        matches!(self.basis, Basis::Chebyshev { .. })
    }
}

/// `p = quotient * T_split + remainder`; for Chebyshev by `2 * T_a * T_b = T_(a+b) + T_|a-b|`.
pub fn divide(p: &[f64], split: usize, chebyshev: bool) -> (Vec<f64>, Vec<f64>) {
    let mut quotient = p[split..].to_vec();
    let mut remainder = p[..split].to_vec();
    if chebyshev {
        for (i, q) in quotient.iter_mut().enumerate().skip(1) {
            // c * T_(split+i) = 2 * c * T_split * T_i - c * T_(split-i)
            remainder[split - i] -= *q;
            *q *= 2.0;
        }
    }
    (quotient, remainder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_and_interpolation_agree_with_evaluation() {
        let p = Polynomial::interpolate(|x| (x * 0.7).sin() + 0.2, -3.0, 5.0, 31).unwrap();
        for i in 0..50 {
            let x = -3.0 + 8.0 * f64::from(i) / 49.0;
            assert!((p.eval(x) - (x * 0.7).sin() - 0.2).abs() < 1e-9);
        }
        assert_eq!(p.depth(), 6);
        let unit = Basis::Chebyshev { a: -1.0, b: 1.0 };
        let c: Vec<f64> = (0..14).map(|i| f64::from(i * i % 7) - 3.0).collect();
        let (q, r) = divide(&c, 8, true);
        let [p, q, r, t] =
            [&c[..], &q, &r, &[0., 0., 0., 0., 0., 0., 0., 0., 1.]].map(|c| Polynomial::new(unit, c).unwrap());
        for x in [-0.9, -0.2, 0.33, 1.0] {
            assert!((p.eval(x) - q.eval(x) * t.eval(x) - r.eval(x)).abs() < 1e-12);
        }
        for p in [&p, &Polynomial::new(Basis::Power, &[1.0, -2.0, 0.5, 3.0]).unwrap()] {
            let slope = (p.eval(0.3 + 1e-6) - p.eval(0.3 - 1e-6)) / 2e-6;
            assert!((p.derivative().unwrap().eval(0.3) - slope).abs() < 1e-6);
        }
        assert_eq!(Polynomial::new(unit, &[2.0]).unwrap().derivative().unwrap().coefficients(), [0.0]);
        let whole = |a, b| Polynomial::new(Basis::Chebyshev { a, b }, &[0.0, 1.0]).unwrap().whole_map();
        assert_eq!([whole(-1.0, 1.0), whole(0.1, 0.1 + 2.0 / 7.0), whole(0.0, 1.0)], [Some(1), Some(7), Some(2)]);
        assert_eq!([whole(0.0, 3.0), whole(0.0, 1e-9), whole(-1e308, 1e308)], [None; 3]);
        assert!(Polynomial::new(Basis::Power, &[f64::NAN]).is_err());
        assert!(Polynomial::new(Basis::Chebyshev { a: 2.0, b: 1.0 }, &[1.0]).is_err());
    }
}
