//! Bounds on the values of a vector, and how operations change them.

use ringjet_math::fft::Complex64;

/// Bounds for all slots z of a vector: `|z| <= magnitude`, `low <= Re z <= high`,
/// `|Im z| <= imaginary`.
///
/// Bounds are worst cases. A sum of twenty vectors with values of at most 1 has the bound 20.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    magnitude: f64,
    low: f64,
    high: f64,
    imaginary: f64,
}

impl Range {
    /// Complex values of absolute value up to `magnitude`.
    pub const fn complex(magnitude: f64) -> Self {
        Self { magnitude, low: -magnitude, high: magnitude, imaginary: magnitude }
    }

    /// Real values between `low` and `high`; `low` must not exceed `high`.
    pub const fn real(low: f64, high: f64) -> Self {
        let magnitude = if -low > high { low.abs() } else { high.abs().max(low.abs()) };
        Self { magnitude, low, high, imaginary: 0.0 }
    }

    /// Values whose real parts lie between `-magnitude` and `magnitude`. If `real`, imaginary parts
    /// are 0; otherwise they lie between `-magnitude` and `magnitude` as well.
    pub fn within(magnitude: f64, real: bool) -> Self {
        let parts = Self::real(-magnitude, magnitude);
        match real {
            true => parts,
            false => Self { magnitude: magnitude * std::f64::consts::SQRT_2, imaginary: magnitude, ..parts },
        }
    }

    /// The range with the four numbers of [`Range::parts`]; `None` if they contradict each other.
    pub(crate) fn from_parts([magnitude, low, high, imaginary]: [f64; 4]) -> Option<Self> {
        let valid = magnitude >= 0.0 && low <= high && imaginary >= 0.0;
        valid.then_some(Self { magnitude, low, high, imaginary })
    }

    /// Magnitude, low, high, imaginary.
    pub(crate) fn parts(self) -> [f64; 4] {
        [self.magnitude, self.low, self.high, self.imaginary]
    }

    /// The smallest range that holds `values`, and 0 if there are more slots than values.
    pub(crate) fn of(values: &[Complex64], slots: usize) -> Self {
        let zero = (values.len() < slots || values.is_empty()).then_some(Self::real(0.0, 0.0));
        let each = values.iter().map(|z| Self { magnitude: z.abs(), low: z.re, high: z.re, imaginary: z.im.abs() });
        each.chain(zero).reduce(Self::union).unwrap_or(Self::real(0.0, 0.0))
    }

    /// Bound on the absolute values of real and imaginary parts.
    pub fn largest_part(self) -> f64 {
        self.largest_real().max(self.imaginary)
    }

    fn largest_real(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// Bound on the absolute value.
    pub fn magnitude(self) -> f64 {
        self.magnitude
    }

    /// Lower bound of the real part.
    pub fn low(self) -> f64 {
        self.low
    }

    /// Upper bound of the real part.
    pub fn high(self) -> f64 {
        self.high
    }

    /// Bound on the absolute value of the imaginary part: 0 for real values.
    pub fn imaginary(self) -> f64 {
        self.imaginary
    }

    /// Whether all values are real.
    pub fn is_real(self) -> bool {
        self.imaginary == 0.0
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            magnitude: self.magnitude.max(other.magnitude),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            imaginary: self.imaginary.max(other.imaginary),
        }
    }

    /// Tightens each bound by the others: real and imaginary parts are at most the magnitude, and
    /// the magnitude is at most `sqrt(real^2 + imaginary^2)`.
    fn tightened(self) -> Self {
        let magnitude = self.magnitude.min(self.largest_real().hypot(self.imaginary));
        let (low, high) = (self.low.max(-magnitude), self.high.min(magnitude));
        Self { magnitude, low, high, imaginary: self.imaginary.min(magnitude) }
    }

    pub(crate) fn sum(self, other: Self) -> Self {
        let (a, b) = (self.parts(), other.parts());
        let [magnitude, low, high, imaginary] = std::array::from_fn(|i| a[i] + b[i]);
        Self { magnitude, low, high, imaginary }.tightened()
    }

    pub(crate) fn negated(self) -> Self {
        Self { low: -self.high, high: -self.low, ..self }
    }

    /// `sin(pi / 2 * x)` for real x between -1 and 1.
    pub(crate) fn sine(self) -> Self {
        let of = |x: f64| (std::f64::consts::FRAC_PI_2 * x.clamp(-1.0, 1.0)).sin();
        Self::real(of(self.low), of(self.high))
    }

    /// The smallest range that also holds 0.
    pub(crate) fn with_zero(self) -> Self {
        Self { low: self.low.min(0.0), high: self.high.max(0.0), ..self }
    }

    /// `c * x` for a real constant c.
    pub(crate) fn scaled(self, c: f64) -> Self {
        let turned = if c < 0.0 { self.negated() } else { self };
        let c = c.abs();
        // an unbounded magnitude times 0 is 0
        let times = |x: f64| if c == 0.0 { 0.0 } else { c * x };
        let [magnitude, low, high, imaginary] = turned.parts().map(times);
        Self { magnitude, low, high, imaginary }
    }

    /// `x + c` for a real constant c.
    pub(crate) fn shifted(self, c: f64) -> Self {
        self.sum(Self::real(c, c))
    }

    pub(crate) fn product(self, other: Self) -> Self {
        let corners = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let crossed = self.imaginary * other.imaginary;
        let product = Self {
            magnitude: self.magnitude * other.magnitude,
            low: corners.into_iter().fold(f64::INFINITY, f64::min) - crossed,
            high: corners.into_iter().fold(f64::NEG_INFINITY, f64::max) + crossed,
            imaginary: self.largest_real() * other.imaginary + self.imaginary * other.largest_real(),
        };
        product.tightened()
    }

    /// `x^2`. It is never negative if x is real.
    pub(crate) fn squared(self) -> Self {
        let product = self.product(self);
        Self { low: product.low.max(-self.imaginary * self.imaginary), ..product }
    }

    pub(crate) fn times_i(self) -> Self {
        Self { low: -self.imaginary, high: self.imaginary, imaginary: self.largest_real(), ..self }
    }

    /// The range of a matrix times the slots. In each row the absolute values of the entries add up
    /// to at most `norm`. `real` states that all entries are real.
    pub(crate) fn mapped(self, norm: f64, real: bool) -> Self {
        if real && self.is_real() {
            return Self::real(-self.magnitude * norm, self.magnitude * norm);
        }
        Self::complex(self.magnitude * norm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random values within random ranges stay within what the operations say.
    #[test]
    fn operations_enclose_their_values() {
        let mut state = 7u64;
        let mut uniform = move |a: f64, b: f64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            a + (b - a) * ((state >> 11) as f64 / (1u64 << 53) as f64)
        };
        let holds = |r: Range, z: Complex64| {
            let e = 1e-12 * (1.0 + r.magnitude);
            z.abs() <= r.magnitude + e && z.re >= r.low - e && z.re <= r.high + e && z.im.abs() <= r.imaginary + e
        };
        for round in 0..2000 {
            let mut one = || {
                if round % 2 == 0 {
                    let (a, b) = (uniform(-3.0, 3.0), uniform(-3.0, 3.0));
                    let (a, b) = (a.min(b), a.max(b));
                    (Range::real(a, b), Complex64::new(uniform(a, b), 0.0))
                } else {
                    let (m, angle) = (uniform(0.0, 3.0), uniform(0.0, 6.3));
                    let r = uniform(0.0, m);
                    (Range::complex(m), Complex64::new(r * angle.cos(), r * angle.sin()))
                }
            };
            let ((r, x), (s, y)) = (one(), one());
            assert!(holds(r.sum(s), x + y) && holds(r.product(s), x * y) && holds(r.squared(), x * x));
            assert!(holds(r.negated(), x * -1.0) && holds(r.scaled(-0.7), x * -0.7) && holds(r.union(s), x));
            assert!(
                holds(r.times_i(), x * Complex64::new(0.0, 1.0))
                    && holds(r.shifted(-2.5), x + Complex64::new(-2.5, 0.0))
            );
            assert!(holds(r.product(s).sum(r).squared(), (x * y + x) * (x * y + x)));
        }
        assert_eq!(Range::real(-1.0, 2.0).squared(), Range { magnitude: 4.0, low: 0.0, high: 4.0, imaginary: 0.0 });
        assert_eq!(Range::of(&[Complex64::new(2.0, 0.0)], 2), Range::real(0.0, 2.0));
        assert!(Range::from_parts([1.0, 2.0, 1.0, 0.0]).is_none() && Range::from_parts([f64::NAN; 4]).is_none());
    }
}
