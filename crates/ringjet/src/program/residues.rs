//! Arithmetic modulo the plaintext modulus of exact schemes, in the clear.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// A result: its residue between `-t/2` and `t/2`, and its size before the reduction.
pub(super) type Reduced = (i128, f64);

/// The residue of x between `-t/2` and `t/2`, for an odd t below 2^127.
pub(super) fn centred(x: i128, t: u128) -> i128 {
    let (t, half) = (t as i128, (t / 2) as i128);
    let rest = x.rem_euclid(t);
    if rest > half { rest - t } else { rest }
}

/// The residue and the size of a sum of two residues.
pub(super) fn sum(a: i128, b: i128, t: u128) -> Reduced {
    // each is below 2^126 in size
    (centred(a + b, t), ((a + b) as f64).abs())
}

/// The residue and the size of a product of two residues.
pub(super) fn product(a: i128, b: i128, t: u128) -> Reduced {
    match a.checked_mul(b) {
        Some(exact) => (centred(exact, t), (exact as f64).abs()),
        None => {
            let rest = (BigInt::from(a) * b) % BigInt::from(t);
            (centred(rest.to_i128().unwrap_or_default(), t), (a as f64 * b as f64).abs())
        }
    }
}

/// The residue and the size of a power. The powers t - 1 and (t - 1) / 2 test residues and mean the
/// residue, so they have its size.
pub(super) fn power(base: i128, exponent: u32, t: u128) -> Reduced {
    let (mut made, mut square, mut left) = (1, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            made = product(made, square, t).0;
        }
        square = product(square, square, t).0;
        left >>= 1;
    }
    let tests = u128::from(exponent) == t - 1 || u128::from(exponent) == t / 2;
    (made, if tests { 0.0 } else { (base as f64).abs().powf(f64::from(exponent)) })
}

/// The whole number that a double holds, as a residue, and its size.
pub(super) fn whole(x: f64, t: u128) -> Reduced {
    (centred(x.round() as i128, t), x.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_agree_with_big_integers() {
        for t in [257u128, 65537, (1 << 61) - 1, (1 << 100) + 277, (1 << 126) + 9] {
            let half = (t / 2) as i128;
            for a in [0, 1, -1, half, -half, half / 3, -half / 7] {
                for b in [0, 1, -1, half, -half, half / 5] {
                    let expected = |x: BigInt| ((x + half) % BigInt::from(t) + t) % BigInt::from(t) - half;
                    assert_eq!(BigInt::from(product(a, b, t).0), expected(BigInt::from(a) * b));
                    assert_eq!(BigInt::from(sum(a, b, t).0), expected(BigInt::from(a) + b));
                }
            }
        }
        assert_eq!(power(3, 5, 257), (243 - 257, 243.0));
        assert_eq!(power(3, 256, 257), (1, 0.0));
        assert_eq!(whole(-300.0, 257), (-43, 300.0));
    }
}
