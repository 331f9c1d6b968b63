//! The exact scale of an encoded vector.

use std::fmt;

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// A scale factor as an unevaluated sum of two doubles (106 bits). Scales are compared exactly: the
/// same sequence of products and divisions gives the same scale to the last bit.
#[derive(Clone, Copy, PartialEq)]
pub struct Scale {
    hi: f64,
    lo: f64,
}

impl Scale {
    /// The scale of exact schemes, which have none.
    pub(crate) const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// `2^bits`.
    pub fn power_of_two(bits: i32) -> Self {
        Self { hi: 2f64.powi(bits), lo: 0.0 }
    }

    /// The scale `hi + lo`. `None` unless `2^-300 <= hi < 2^300` and `hi + lo` rounds to `hi`; also for a negative zero,
    /// so that equal scales have equal bytes.
    pub fn from_parts(hi: f64, lo: f64) -> Option<Self> {
        let valid = (2f64.powi(-300)..2f64.powi(300)).contains(&hi) && lo.is_finite() && hi + lo == hi;
        let negative_zero = lo == 0.0 && lo.is_sign_negative();
        (valid && !negative_zero).then_some(Self { hi, lo })
    }

    /// The two doubles `(hi, lo)`, whose sum is the scale.
    pub fn parts(self) -> (f64, f64) {
        (self.hi, self.lo)
    }

    /// The scale that equals the integer `x`, exactly.
    pub(crate) fn from_u64(x: u64) -> Self {
        let hi = x as f64;
        let lo = (i128::from(x) - hi as i128) as f64;
        Self { hi, lo }
    }

    /// `a / b` to about 100 bits.
    pub(crate) fn of_quotient(a: &BigUint, b: &BigUint) -> Self {
        let parts = |x: &BigUint| {
            // a product of exact factors below 2^64
            let shift = x.bits().saturating_sub(106);
            let top = x >> shift;
            let hi = (&top >> 53u32).to_u64().unwrap_or(0);
            let lo = (&top & BigUint::from((1u64 << 53) - 1)).to_u64().unwrap_or(0);
            let (hi, lo) = (hi as f64 * 2f64.powi(53), lo as f64);
            let sum = hi + lo;
            let scale = Self::from_parts(sum, lo - (sum - hi)).unwrap_or(Self::power_of_two(0));
            scale * Self::power_of_two(shift as i32)
        };
        if b.is_one() && a.bits() <= 64 {
            return Self::from_u64(a.to_u64().unwrap_or(1));
        }
        parts(a) / parts(b)
    }

    /// The double that is nearest to the scale.
    pub fn value(self) -> f64 {
        self.hi
    }

    /// Binary logarithm of the scale.
    pub fn log2(self) -> f64 {
        self.hi.log2() + self.lo / self.hi * std::f64::consts::LOG2_E
    }
}

/// Double-double arithmetic (Dekker 1971), with a relative error below 2^-100.
impl std::ops::Mul for Scale {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let p = self.hi * o.hi;
        let e = self.hi.mul_add(o.hi, -p) + (self.hi * o.lo + self.lo * o.hi);
        renormalize(p, e)
    }
}

impl std::ops::Div for Scale {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let q1 = self.hi / o.hi;
        // the remainder of the first quotient; its leading part is exact
        let p = q1 * o.hi;
        let r = (self.hi - p) - q1.mul_add(o.hi, -p) + (self.lo - q1 * o.lo);
        renormalize(q1, r / o.hi)
    }
}

fn renormalize(a: f64, b: f64) -> Scale {
    let hi = a + b;
    // adding 0 makes a negative zero a positive one
    Scale { hi, lo: b - (hi - a) + 0.0 }
}

impl fmt::Debug for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2^{:.4}", self.log2())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_quotients_keep_100_bits() {
        let q = Scale::from_u64(1_125_899_904_679_937);
        let d = Scale::power_of_two(40);
        let back = (d * d / q) * q / d;
        let (hi, lo) = back.parts();
        assert_eq!(hi, d.value());
        assert!(lo.abs() < 2f64.powi(40 - 100));
        assert_eq!(Scale::from_u64(u64::MAX).parts(), (2f64.powi(64), -1.0));
        assert!(Scale::from_parts(1.0, -0.0).is_none() && Scale::from_parts(1.0, 0.0).is_some());
        assert!(renormalize(1.0, -0.0).parts().1.is_sign_positive());
        assert!(Scale::from_parts(1.0, 0.5).is_none() && Scale::from_parts(f64::NAN, 0.0).is_none());
    }
}
