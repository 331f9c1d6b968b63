//! Base conversion, any primes: the formulas of [`ringjet_math::BaseConversion`] step by step.

use ringjet_math::BaseConversion;
use ringjet_math::rns::FRACTION_BITS;

/// Step 1 for source limb `i`: `y = x hat_inverse mod d_i`, and its part of the fixed-point quotient added to `sum`.
pub fn digits(conv: &BaseConversion, i: usize, x: &[u64], y: &mut [u64], sum: &mut [u64]) {
    let m = conv.src.modulus(i);
    let (w, shoup, q) = (conv.hat_inverse[i], m.shoup(conv.hat_inverse[i]), m.value());
    for ((y, &x), s) in y.iter_mut().zip(x).zip(sum) {
        let t = m.mul_shoup_lazy(x, w, shoup);
        *y = if t >= q { t - q } else { t };
        *s += fraction(conv, i, *y);
    }
}

/// `F_i`: about `y 2^50 / d_i`.
fn fraction(conv: &BaseConversion, i: usize, y: u64) -> u64 {
    let norm = BaseConversion::norm(y, conv.src.modulus(i).bits());
    ((u128::from(norm) * u128::from(conv.fraction[i])) >> 52) as u64
}

/// Step 2: `v` from the sums, in place.
pub fn quotients(sum: &mut [u64]) {
    for s in sum {
        *s = (*s + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS;
    }
}

/// Step 3 for destination limb `j`: `out = sum y_i hat_i - v D mod p_j`; `y` has one row of `out.len()` words for
/// each source limb.
pub fn output(conv: &BaseConversion, j: usize, y: &[u64], v: &[u64], out: &mut [u64]) {
    let p = conv.dst.modulus(j);
    let (len, minus) = (out.len(), p.neg(conv.product[j]));
    for (c, (o, &v)) in out.iter_mut().zip(v).enumerate() {
        // Products are below 2^122: the first with v is below 2^70, and every 16 terms are reduced.
        let mut sum = u128::from(v) * u128::from(minus);
        for (i, &hat) in conv.hat[j].iter().enumerate() {
            sum += u128::from(y[i * len + c]) * u128::from(hat);
            if i % 16 == 15 {
                sum = u128::from(p.reduce_u128(sum));
            }
        }
        *o = p.reduce_u128(sum);
    }
}
