//! One odd prime modulus q < 2^61 and exact scalar arithmetic modulo it.

use crate::MathError;

/// An odd prime q with 2 < q < 2^61, and its Barrett constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Modulus {
    q: u64,
    /// `floor(2^128 / q)`, for Barrett reduction of 128-bit values.
    ratio: (u64, u64),
}

impl Modulus {
    /// Wraps a prime `q`; refuses even numbers, composites and q >= 2^61.
    pub fn new(q: u64) -> Result<Self, MathError> {
        if q < 3 || q >> 61 != 0 || !crate::prime::is_prime(q) {
            return Err(MathError::BadModulus { modulus: q });
        }
        // q is odd, so floor((2^128 - 1) / q) = floor(2^128 / q).
        let ratio = u128::MAX / u128::from(q);
        Ok(Self { q, ratio: ((ratio >> 64) as u64, ratio as u64) })
    }

    /// The prime itself.
    #[inline]
    pub const fn value(&self) -> u64 {
        self.q
    }

    /// Number of bits of q.
    #[inline]
    pub const fn bits(&self) -> u32 {
        64 - self.q.leading_zeros()
    }

    /// `a + b mod q` for `a, b < q`.
    #[inline]
    pub const fn add(&self, a: u64, b: u64) -> u64 {
        let s = a + b;
        if s >= self.q { s - self.q } else { s }
    }

    /// `a - b mod q` for `a, b < q`.
    #[inline]
    pub const fn sub(&self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.q - b }
    }

    /// `-a mod q` for `a < q`.
    #[inline]
    pub const fn neg(&self, a: u64) -> u64 {
        if a == 0 { 0 } else { self.q - a }
    }

    /// `x mod q` for any `x`.
    #[inline]
    pub const fn reduce(&self, x: u64) -> u64 {
        x % self.q
    }

    /// `x mod q` for any 128-bit `x`, by Barrett's method. The estimate of the quotient is too
    /// small by at most 2.
    #[inline]
    pub const fn reduce_u128(&self, x: u128) -> u64 {
        // The estimate is floor(x * ratio / 2^128), less at most 1 for each partial sum that is
        // dropped.
        let (hi, lo) = ((x >> 64) as u64, x as u64);
        let (r1, r0) = self.ratio;
        let low = ((lo as u128 * r0 as u128) >> 64) as u64;
        let (a, b) = (lo as u128 * r1 as u128, hi as u128 * r0 as u128);
        let carry = (low as u128 + (a as u64) as u128 + (b as u64) as u128) >> 64;
        let quotient = hi
            .wrapping_mul(r1)
            .wrapping_add((a >> 64) as u64)
            .wrapping_add((b >> 64) as u64)
            .wrapping_add(carry as u64);
        let mut r = lo.wrapping_sub(quotient.wrapping_mul(self.q));
        while r >= self.q {
            r = r.wrapping_sub(self.q);
        }
        r
    }

    /// `a * b mod q` for any `a, b`.
    #[inline]
    pub const fn mul(&self, a: u64, b: u64) -> u64 {
        self.reduce_u128(a as u128 * b as u128)
    }

    /// `base^exponent mod q`.
    pub const fn pow(&self, base: u64, mut exponent: u64) -> u64 {
        let mut base = self.reduce(base);
        let mut result = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            exponent >>= 1;
        }
        result
    }

    /// The inverse of `a` modulo q, or `None` if `a = 0 mod q`.
    pub const fn inv(&self, a: u64) -> Option<u64> {
        if self.reduce(a) == 0 { None } else { Some(self.pow(a, self.q - 2)) }
    }

    /// The centred representative of `a < q`, in `[-(q-1)/2, (q-1)/2]`.
    #[inline]
    pub const fn center(&self, a: u64) -> i64 {
        if a > self.q / 2 { a as i64 - self.q as i64 } else { a as i64 }
    }

    /// Shoup's companion `floor(w * 2^64 / q)` of a constant `w < q`.
    #[inline]
    pub const fn shoup(&self, w: u64) -> u64 {
        (((w as u128) << 64) / self.q as u128) as u64
    }

    /// A number in `[0, 2q)` congruent to `x * w` modulo q, for any `x`, given `w < q` and its
    /// Shoup companion `w_shoup`.
    #[inline]
    pub const fn mul_shoup_lazy(&self, x: u64, w: u64, w_shoup: u64) -> u64 {
        let quotient = ((x as u128 * w_shoup as u128) >> 64) as u64;
        x.wrapping_mul(w).wrapping_sub(quotient.wrapping_mul(self.q))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRIMES: [u64; 5] = [3, 65537, 1125899904679937, 2305843009213554689, 1152921504606830593];

    #[test]
    fn refuses_bad_moduli() {
        for q in [0, 1, 2, 4, 15, 1 << 61, u64::MAX] {
            assert_eq!(Modulus::new(q), Err(MathError::BadModulus { modulus: q }));
        }
    }

    proptest! {
        #[test]
        fn agrees_with_wide_division(x: u128, a: u64, b: u64, i in 0usize..5) {
            let Ok(m) = Modulus::new(PRIMES[i]) else { return Ok(()) };
            let q = u128::from(m.value());
            prop_assert_eq!(u128::from(m.reduce_u128(x)), x % q);
            prop_assert_eq!(u128::from(m.mul(a, b)), u128::from(a) * u128::from(b) % q);
            let (a, b) = (m.reduce(a), m.reduce(b));
            prop_assert_eq!(u128::from(m.add(a, b)), (u128::from(a) + u128::from(b)) % q);
            prop_assert_eq!(m.add(m.sub(a, b), b), a);
            prop_assert_eq!(m.add(m.neg(a), a), 0);
            prop_assert_eq!(i128::from(m.center(a)).rem_euclid(i128::from(m.value())), i128::from(a));
            if a != 0 {
                prop_assert_eq!(m.mul(a, m.inv(a).unwrap()), 1);
            }
            let t = m.mul_shoup_lazy(b, a, m.shoup(a));
            prop_assert!(t < 2 * m.value());
            prop_assert_eq!(m.reduce(t), m.mul(a, b));
        }
    }
}
