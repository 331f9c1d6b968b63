//! Double-double numbers, with the operations that roots of unity and tests need.
//!
//! A value is the unevaluated sum `hi + lo` with `|lo| <= ulp(hi) / 2`: about 106 bits. The code
//! uses plain IEEE operations and no fused multiply-add, so every machine computes the same bits.
//! The algorithms are those of Dekker, "A floating-point technique for extending the available
//! precision" (1971), and Knuth's two-sum.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number `hi + lo`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dd {
    pub hi: f64,
    pub lo: f64,
}

/// `2 * pi`, rounded to double-double.
const TAU: Dd = Dd { hi: std::f64::consts::TAU, lo: 2.449_293_598_294_706_4e-16 };

fn two_sum(a: f64, b: f64) -> Dd {
    let hi = a + b;
    let t = hi - a;
    Dd { hi, lo: (a - (hi - t)) + (b - t) }
}

fn split(a: f64) -> (f64, f64) {
    let t = 134_217_729.0 * a; // 2^27 + 1
    let hi = t - (t - a);
    (hi, a - hi)
}

pub(crate) fn two_product(a: f64, b: f64) -> Dd {
    let hi = a * b;
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    Dd { hi, lo: ((ah * bh - hi) + ah * bl + al * bh) + al * bl }
}

impl From<f64> for Dd {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl Add for Dd {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let (s, t) = (two_sum(self.hi, o.hi), two_sum(self.lo, o.lo));
        let r = two_sum(s.hi, s.lo + t.hi);
        two_sum(r.hi, r.lo + t.lo)
    }
}

impl Neg for Dd {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Dd {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}

impl Mul for Dd {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let p = two_product(self.hi, o.hi);
        two_sum(p.hi, p.lo + (self.hi * o.lo + self.lo * o.hi))
    }
}

impl Div for Dd {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        // Long division; each step adds one double to the quotient.
        let q = self.hi / o.hi;
        let r = self - o * q.into();
        let p = r.hi / o.hi;
        let r = r - o * p.into();
        two_sum(q, p) + Dd::from(r.hi / o.hi)
    }
}

impl Dd {
    /// `cos(2 * pi * self)`, reduced to an octant. The error is at most 2^-98, plus the effect of
    /// the rounding of `self`.
    pub fn cos_turn(self) -> Self {
        let quarters = (4.0 * self.hi).round();
        let (cos, sin) = small_turn(self - Dd::from(quarters / 4.0));
        match quarters.rem_euclid(4.0) as u8 {
            0 => cos,
            1 => -sin,
            2 => -cos,
            _ => sin,
        }
    }

    /// Divides by a small positive integer.
    fn div_int(self, d: f64) -> Self {
        let q = self.hi / d;
        let r = self - two_product(q, d);
        two_sum(q, r.hi / d)
    }
}

/// `(cos, sin)` of `2 * pi * a / 2^b` for `8 * a <= 2^b`.
fn first_octant(a: u64, b: u32) -> (Dd, Dd) {
    small_turn(Dd::from(a as f64 / (b as f64).exp2()))
}

/// `(cos, sin)` of `2 * pi * turn` for `|turn| <= 1/8`, by Taylor's series.
fn small_turn(turn: Dd) -> (Dd, Dd) {
    let angle = TAU * turn;
    let square = -(angle * angle);
    let (mut cos, mut sin) = (Dd::from(1.0), angle);
    let (mut c, mut s) = (cos, sin);
    for i in 1..16 {
        let d = f64::from(2 * i);
        c = (c * square).div_int(d * (d - 1.0));
        s = (s * square).div_int(d * (d + 1.0));
        cos = cos + c;
        sin = sin + s;
    }
    (cos, sin)
}

/// A table of `exp(2 * pi * i * a / 2^b)` for all a with `8 * a <= 2^b`, `b >= 3`, as `(cos, sin)`.
pub(crate) struct Octant {
    b: u32,
    low_bits: u32,
    coarse: Vec<(Dd, Dd)>,
    fine: Vec<(Dd, Dd)>,
}

impl Octant {
    pub fn new(b: u32) -> Self {
        let low_bits = (b - 3) / 2;
        let coarse = (0..=1u64 << (b - 3 - low_bits)).map(|h| first_octant(h << low_bits, b)).collect();
        let fine = (0..1u64 << low_bits).map(|l| first_octant(l, b)).collect();
        Self { b, low_bits, coarse, fine }
    }

    /// `(cos, sin)` of `2 * pi * a / 2^b` for any `a`, each within 2^-98.
    pub fn root(&self, a: u64) -> (Dd, Dd) {
        let eighth = 1u64 << (self.b - 3);
        let (octant, rest) = ((a / eighth) % 8, a % eighth);
        let (c, s) = self.first(if octant % 2 == 0 { rest } else { eighth - rest });
        let (c, s) = if matches!(octant, 1 | 2 | 5 | 6) { (s, c) } else { (c, s) };
        let c = if matches!(octant, 2..=5) { -c } else { c };
        (c, if octant >= 4 { -s } else { s })
    }

    /// `(cos, sin)` of `2 * pi * a / 2^b` for `8 * a <= 2^b`: the product of a coarse and a fine
    /// rotation.
    fn first(&self, a: u64) -> (Dd, Dd) {
        let (cc, cs) = self.coarse[(a >> self.low_bits) as usize];
        let (fc, fs) = self.fine[(a & ((1 << self.low_bits) - 1)) as usize];
        (cc * fc - cs * fs, cs * fc + cc * fs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_lie_on_the_circle_and_multiply() {
        for b in [3, 4, 9, 17] {
            let t = Octant::new(b);
            for a in (0..1u64 << b).step_by(1 << (b.max(9) - 9)) {
                let (c, s) = t.root(a);
                let norm = c * c + s * s - Dd::from(1.0);
                assert!(norm.hi.abs() < 2f64.powi(-97), "{a} / 2^{b}: {norm:?}");
                // Compares the root with that of std, within a unit in the last place of 1, and its
                // square with the root of twice the exponent.
                let angle = std::f64::consts::TAU * a as f64 / 2f64.powi(b as i32);
                assert!((c.hi - angle.cos()).abs() < 1e-15 && (s.hi - angle.sin()).abs() < 1e-15);
                let (c2, s2) = t.root(2 * a);
                let (dc, ds) = (c * c - s * s - c2, Dd::from(2.0) * s * c - s2);
                assert!(dc.hi.abs() < 2f64.powi(-97) && ds.hi.abs() < 2f64.powi(-97), "{a} / 2^{b}");
            }
        }
    }
    #[test]
    fn cosines_of_any_turn_are_the_roots() {
        let t = Octant::new(9);
        for a in -1500i64..1500 {
            let d = Dd::from(a as f64 / 512.0).cos_turn() - t.root(a.rem_euclid(512) as u64).0;
            assert!(d.hi.abs() < 2f64.powi(-97), "{a} / 512: {d:?}");
        }
    }

    #[test]
    fn division_undoes_multiplication() {
        let (third, seventh) = (Dd::from(1.0) / Dd::from(3.0), Dd::from(1.0) / Dd::from(7.0));
        assert!((third * Dd::from(3.0) - Dd::from(1.0)).hi.abs() < 2f64.powi(-103));
        let d = third / seventh - Dd::from(7.0) / Dd::from(3.0);
        assert!(d.hi.abs() < 2f64.powi(-102), "{d:?}");
    }
}
