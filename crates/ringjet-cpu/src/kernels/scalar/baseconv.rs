//! Base conversion for all primes: the formulas of [`ringjet_math::BaseConversion`] step by step.

use ringjet_math::rns::FRACTION_BITS;
use ringjet_math::{BaseConversion, Modulus};

/// `y = x * w mod m`.
pub fn scale(m: &Modulus, x: &[u64], w: u64, y: &mut [u64]) {
    let (shoup, q) = (m.shoup(w), m.value());
    for (y, &x) in y.iter_mut().zip(x) {
        let t = m.mul_shoup_lazy(x, w, shoup);
        *y = if t >= q { t - q } else { t };
    }
}

/// `sum += floor(norm(y) * ratio / 2^52)`.
pub fn fractions(m: &Modulus, y: &[u64], ratio: u64, sum: &mut [u64]) {
    for (s, &y) in sum.iter_mut().zip(y) {
        *s += ((u128::from(BaseConversion::norm(y, m.bits())) * u128::from(ratio)) >> 52) as u64;
    }
}

/// Replaces the sums of fractions by the quotients: rounds them to the nearest integer, in place.
pub fn round(sum: &mut [u64]) {
    for s in sum {
        *s = (*s + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS;
    }
}

/// `out = sum of y_i * c_i + v * c_L mod m`. `y` has a row for each of the L source limbs, `c` one
/// constant more.
pub fn output(m: &Modulus, y: &[&[u64]], v: &[u64], c: &[u64], out: &mut [u64]) {
    let (&last, c) = c.split_last().expect("at least the quotient's constant");
    for (k, (o, &v)) in out.iter_mut().zip(v).enumerate() {
        // Products are below 2^122, the product with v below 2^70. Sixteen products and a residue
        // stay below 2^127.
        let mut sum = u128::from(v) * u128::from(last);
        for (i, (y, &c)) in y.iter().zip(c).enumerate() {
            sum += u128::from(y[k]) * u128::from(c);
            if i % 16 == 15 {
                sum = u128::from(m.reduce_u128(sum));
            }
        }
        *o = m.reduce_u128(sum);
    }
}
