//! Element-wise operations for all primes.

use ringjet_math::Modulus;

use crate::operands::terms::Factor;

/// `dst = sum of factor * source`. If `accumulate`, the old `dst` is added.
pub fn lincomb(m: &Modulus, dst: &mut [u64], terms: &[(Factor, &[u64])], accumulate: bool) {
    if !accumulate {
        dst.fill(0);
    }
    for &(factor, src) in terms {
        match factor {
            Factor::One => dst.iter_mut().zip(src).for_each(|(o, &x)| *o = m.add(*o, x)),
            Factor::MinusOne => dst.iter_mut().zip(src).for_each(|(o, &x)| *o = m.sub(*o, x)),
            Factor::Constant(c) => {
                let shoup = m.shoup(c);
                for (o, &x) in dst.iter_mut().zip(src) {
                    let product = m.mul_shoup_lazy(x, c, shoup);
                    let product = if product >= m.value() { product - m.value() } else { product };
                    *o = m.add(*o, product);
                }
            }
        }
    }
}

/// `dst = sum of a * b`. If `accumulate`, the old `dst` is added.
pub fn mul_acc(m: &Modulus, dst: &mut [u64], pairs: &[(&[u64], &[u64])], accumulate: bool) {
    if !accumulate {
        dst.fill(0);
    }
    // A sum of 16 products below 2^122 and one residue fits 128 bits: 16 * 2^122 = 2^126.
    for group in pairs.chunks(16) {
        for (i, o) in dst.iter_mut().enumerate() {
            let sum = group.iter().fold(u128::from(*o), |acc, (a, b)| acc + u128::from(a[i]) * u128::from(b[i]));
            *o = m.reduce_u128(sum);
        }
    }
}

/// `dst = dst + w * (sum of a * b + c * add)`; `add` has the words and their factor c.
pub fn mul_acc_scaled(m: &Modulus, dst: &mut [u64], pairs: &[(&[u64], &[u64])], w: u64, add: Option<(&[u64], u64)>) {
    for (i, o) in dst.iter_mut().enumerate() {
        let first = add.map_or(0, |(add, c)| m.mul(add[i], c));
        // as in `mul_acc`
        let sum = pairs.chunks(16).fold(first, |sum, group| {
            m.reduce_u128(group.iter().fold(u128::from(sum), |acc, (a, b)| acc + u128::from(a[i]) * u128::from(b[i])))
        });
        *o = m.add(*o, m.mul(sum, w));
    }
}

/// `dst[i] = src[map[i] mod N]`. If `signed`, the word is negated where bit `log_n` of `map[i]` is
/// set.
pub fn permute(m: &Modulus, dst: &mut [u64], src: &[u64], map: &[u32], signed: bool) {
    let mask = src.len() - 1;
    for (o, &k) in dst.iter_mut().zip(map) {
        let x = src[k as usize & mask];
        *o = if signed && k as usize > mask { m.neg(x) } else { x };
    }
}
