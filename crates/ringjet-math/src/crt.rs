//! Converts integers to residues, and residues to centred integers.

use num_bigint::{BigInt, BigUint};

use crate::{Basis, Modulus};

/// Signed Barrett reduction of 64-bit integers modulo one prime.
#[derive(Clone, Copy)]
struct Barrett {
    q: i64,
    /// `floor(2^64 / q)`, below 2^63 as q >= 3.
    ratio: i64,
}

impl Barrett {
    fn new(m: &Modulus) -> Self {
        // q is odd, so floor((2^64 - 1) / q) = floor(2^64 / q).
        Self { q: m.value() as i64, ratio: (u64::MAX / m.value()) as i64 }
    }

    /// `x mod q` in `[0, q)` for any `x`.
    ///
    /// `ratio / 2^64 = 1/q - d` with `0 < d < 2^-64`. So the estimate `floor(x * ratio / 2^64)`
    /// differs from `floor(x/q)` by -1 or 0 for x >= 0 and by 0 or 1 for x < 0, and the remainder
    /// lies in `[-q, 2q)`.
    #[inline(always)]
    fn reduce(self, x: i64) -> u64 {
        let quotient = ((i128::from(x) * i128::from(self.ratio)) >> 64) as i64;
        let r = x.wrapping_sub(quotient.wrapping_mul(self.q));
        let r = r + (self.q & (r >> 63)); // [0, 2q): q < 2^61
        let r = r - self.q;
        (r + (self.q & (r >> 63))) as u64
    }
}

/// Residues in `[0, q)` of signed integers: `out[i] = coeffs[i] mod q`. Every `i64` is allowed.
///
/// # Panics
/// When the lengths differ.
pub fn reduce_i64(coeffs: &[i64], q: &Modulus, out: &mut [u64]) {
    assert_eq!(coeffs.len(), out.len());
    let barrett = Barrett::new(q);
    for (o, &c) in out.iter_mut().zip(coeffs) {
        *o = barrett.reduce(c);
    }
}

/// Residues in `[0, q)` of 32-bit signed integers.
///
/// # Panics
/// When the lengths differ.
pub fn reduce_i32(coeffs: &[i32], q: &Modulus, out: &mut [u64]) {
    assert_eq!(coeffs.len(), out.len());
    if q.value() >= 1 << 31 {
        // no magnitude is above q
        for (o, &c) in out.iter_mut().zip(coeffs) {
            *o = (i64::from(c) + if c < 0 { q.value() as i64 } else { 0 }) as u64;
        }
        return;
    }
    let barrett = Barrett::new(q);
    for (o, &c) in out.iter_mut().zip(coeffs) {
        *o = barrett.reduce(c.into());
    }
}

/// Residues in `[0, q)` of 128-bit signed integers. Every `i128` is allowed.
///
/// # Panics
/// When the lengths differ.
pub fn reduce_i128(coeffs: &[i128], q: &Modulus, out: &mut [u64]) {
    assert_eq!(coeffs.len(), out.len());
    for (o, &c) in out.iter_mut().zip(coeffs) {
        *o = residue_i128(c, q);
    }
}

#[inline]
fn residue_i128(c: i128, q: &Modulus) -> u64 {
    let r = q.reduce_u128(c.unsigned_abs());
    if c < 0 { q.neg(r) } else { r }
}

/// Number of coefficients that are decoded at a time.
const BLOCK: usize = 256;

/// The fast path reads the first primes until their product has this many bits: two 50-bit primes,
/// or more primes if they are smaller.
const FAST_BITS: f64 = 64.0;

/// Converts coefficients from residues modulo L primes q_0, ..., q_(L-1) to centred integers in
/// `[-(Q-1)/2, (Q-1)/2]`, where Q is the product of the primes (odd).
///
/// The integer is computed by balanced mixed-radix digits (Garner):
/// `x = c_0 + c_1 * q_0 + c_2 * q_0 * q_1 + ...` with c_i in `[-(q_i-1)/2, (q_i-1)/2]`. Sums of
/// such digits cover exactly the integers from -(Q-1)/2 to (Q-1)/2, so the result is centred
/// without a comparison with Q/2.
///
/// Coefficients of a decrypted polynomial are small compared with Q. So the fast path computes only
/// the first digits, for enough primes that their product is at least 2^64. If the integer that
/// these digits form also has the residues modulo all further primes, it is x. Otherwise the slow
/// path computes all digits.
#[derive(Debug, Clone)]
pub struct CrtDecoder {
    moduli: Vec<Modulus>,
    /// `inverses[j][i] = q_i^-1 mod q_j` for i < j, with Shoup companions.
    inverses: Vec<Vec<(u64, u64)>>,
    /// Number of primes that the fast path reads.
    fast: usize,
}

impl CrtDecoder {
    /// The decoder for `basis`.
    pub fn new(basis: &Basis) -> Self {
        assert!(!basis.is_empty(), "a basis without primes");
        let moduli: Vec<Modulus> = basis.primes().iter().map(|p| *p.modulus()).collect();
        let inverse = |qj: &Modulus, qi: &Modulus| {
            let w = qj.inv(qi.value()).expect("the primes of a basis are distinct");
            (w, qj.shoup(w))
        };
        let inverses =
            moduli.iter().enumerate().map(|(j, qj)| moduli[..j].iter().map(|qi| inverse(qj, qi)).collect()).collect();
        let mut bits = 0.0;
        let enough = |m: &Modulus| {
            bits += (m.value() as f64).log2();
            bits >= FAST_BITS
        };
        let fast = moduli.iter().position(enough).map_or(moduli.len(), |i| i + 1);
        Self { moduli, inverses, fast }
    }

    /// Decodes centred values as `f64`. `limbs[i][k] < q_i` is coefficient k modulo q_i, in the
    /// coefficient domain. Returns how many coefficients took the slow path.
    ///
    /// Values with |x| below half the product of the primes that the fast path reads (at least
    /// 2^63) are correctly rounded. Other values are within one unit in the last place. Values
    /// beyond the range of `f64` become infinite.
    ///
    /// The run time depends on the values. Only the owner of the key decodes.
    ///
    /// # Panics
    /// If there is not one limb for each prime, or if the lengths of the limbs and of `out` differ.
    pub fn decode(&self, limbs: &[&[u64]], out: &mut [f64]) -> usize {
        self.check(limbs, out.len());
        let mut slow = 0;
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            let range = block * BLOCK..block * BLOCK + out.len();
            let mut values = [0i128; BLOCK];
            let values = &mut values[..out.len()];
            self.leading(limbs, range.start, values);
            let mut wrong = [0u64; BLOCK];
            let narrow = self.compare(limbs, range.start, values, &mut wrong[..out.len()]);
            for (i, (o, &v)) in out.iter_mut().zip(&*values).enumerate() {
                *o = if wrong[i] != 0 {
                    slow += 1;
                    self.horner_f64(&self.digits(limbs, range.start + i))
                } else if narrow {
                    v as i64 as f64
                } else {
                    v as f64
                };
            }
        }
        slow
    }

    /// Decodes centred values exactly. This is slow; faster functions are tested against it.
    ///
    /// # Panics
    /// If there is not one limb for each prime, or if the lengths of the limbs differ.
    pub fn decode_exact(&self, limbs: &[&[u64]]) -> Vec<BigInt> {
        let n = limbs.first().map_or(0, |l| l.len());
        self.check(limbs, n);
        let product: BigUint = self.moduli.iter().map(|m| BigUint::from(m.value())).product();
        let product = BigInt::from(product);
        // Uses another formula than the fast path: the sum of x_i * (Q/q_i) * ((Q/q_i)^-1 mod q_i),
        // modulo Q.
        let terms: Vec<BigInt> = (self.moduli.iter())
            .map(|m| {
                let hat = &product / m.value();
                let inverse = m.pow(crate::rns::residue(hat.magnitude(), m), m.value() - 2);
                hat * inverse
            })
            .collect();
        (0..n)
            .map(|k| {
                let sum: BigInt = limbs.iter().zip(&terms).map(|(l, t)| t * l[k]).sum();
                let x = sum % &product;
                if &x + &x > product { x - &product } else { x }
            })
            .collect()
    }

    fn check(&self, limbs: &[&[u64]], n: usize) {
        assert_eq!(limbs.len(), self.moduli.len(), "one limb per prime");
        assert!(limbs.iter().all(|l| l.len() == n), "limbs of different lengths");
    }

    /// Digit j of one coefficient, computed from its residue modulo q_j and the earlier digits.
    #[inline(always)]
    fn digit(&self, j: usize, residue: u64, earlier: impl Iterator<Item = i64>, barrett: Barrett) -> i64 {
        let m = &self.moduli[j];
        let mut u = residue;
        for (c, &(w, shoup)) in earlier.zip(&self.inverses[j]) {
            let t = m.mul_shoup_lazy(m.sub(u, barrett.reduce(c)), w, shoup);
            u = if t >= m.value() { t - m.value() } else { t };
        }
        m.center(u)
    }

    /// The integers that the digits of the first primes form. They are below 2^124 in size: half of
    /// a product below 2^64 times a prime below 2^61.
    fn leading(&self, limbs: &[&[u64]], start: usize, values: &mut [i128]) {
        let mut digits = [[0i64; BLOCK]; 8];
        if self.fast > digits.len() {
            // This branch needs more than eight primes below 2^8. No ring has such primes, but the
            // code is correct.
            for (i, v) in values.iter_mut().enumerate() {
                *v = self.horner_i128(&self.digits(limbs, start + i)[..self.fast]);
            }
            return;
        }
        for (j, limb) in limbs.iter().enumerate().take(self.fast) {
            let (earlier, rest) = digits.split_at_mut(j);
            let barrett = Barrett::new(&self.moduli[j]);
            let limb = &limb[start..start + values.len()];
            for (i, (d, &x)) in rest[0].iter_mut().zip(limb).enumerate() {
                *d = self.digit(j, x, earlier.iter().map(|e| e[i]), barrett);
            }
        }
        for (i, v) in values.iter_mut().enumerate() {
            let mut acc = 0i128;
            for j in (0..self.fast).rev() {
                acc = acc * i128::from(self.moduli[j].value()) + i128::from(digits[j][i]);
            }
            *v = acc;
        }
    }

    /// Compares the residues of the values modulo the further primes with the given ones.
    /// `wrong[k]` becomes non-zero where a residue of coefficient k differs. Returns whether all
    /// values fit 64 bits.
    fn compare(&self, limbs: &[&[u64]], start: usize, values: &[i128], wrong: &mut [u64]) -> bool {
        let mut narrow = [0i64; BLOCK];
        let mut fits = true;
        for (s, &v) in narrow.iter_mut().zip(values) {
            *s = v as i64;
            fits &= i128::from(*s) == v;
        }
        for (m, limb) in self.moduli.iter().zip(limbs).skip(self.fast) {
            let limb = &limb[start..start + values.len()];
            if fits {
                let barrett = Barrett::new(m);
                for ((w, &x), &v) in wrong.iter_mut().zip(limb).zip(&narrow) {
                    *w |= x ^ barrett.reduce(v);
                }
            } else {
                for ((w, &x), &v) in wrong.iter_mut().zip(limb).zip(values) {
                    *w |= x ^ residue_i128(v, m);
                }
            }
        }
        fits
    }

    /// All digits of coefficient k.
    fn digits(&self, limbs: &[&[u64]], k: usize) -> Vec<i64> {
        let mut digits = Vec::with_capacity(limbs.len());
        for (j, limb) in limbs.iter().enumerate() {
            let d = self.digit(j, limb[k], digits.iter().copied(), Barrett::new(&self.moduli[j]));
            digits.push(d);
        }
        digits
    }

    fn horner_i128(&self, digits: &[i64]) -> i128 {
        let pairs = digits.iter().zip(&self.moduli).rev();
        pairs.fold(0, |acc, (&d, m)| acc * i128::from(m.value()) + i128::from(d))
    }

    /// Horner's rule on numbers `top * 2^exponent` with `|top| < 2^64`. A step loses less than
    /// 2^-62 of the value, and nothing while the value fits 64 bits.
    fn horner_f64(&self, digits: &[i64]) -> f64 {
        let (mut top, mut exponent) = (0i128, 0u32);
        for (&d, m) in digits.iter().zip(&self.moduli).rev() {
            top = top * i128::from(m.value()) + i128::from(d >> exponent.min(63)); // below 2^125 + 2^60
            let excess = (128 - top.unsigned_abs().leading_zeros()).saturating_sub(64);
            top >>= excess;
            exponent += excess;
        }
        top as f64 * f64::from(exponent).exp2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prime::ntt_primes;
    use num_traits::{Signed, ToPrimitive};
    use proptest::prelude::*;

    fn basis(bits: &[u32]) -> Basis {
        let mut primes = vec![];
        for &b in bits {
            primes.push(ntt_primes(10, b, 1, &primes).unwrap()[0]);
        }
        Basis::new(10, &primes).unwrap()
    }

    fn residues(basis: &Basis, values: &[BigInt]) -> Vec<Vec<u64>> {
        let modulo = |x: &BigInt, q: u64| ((x % q + q) % q).to_u64().unwrap();
        basis.values().map(|q| values.iter().map(|x| modulo(x, q)).collect()).collect()
    }

    fn check(basis: &Basis, values: &[BigInt]) -> usize {
        let limbs = residues(basis, values);
        let limbs: Vec<&[u64]> = limbs.iter().map(|l| &l[..]).collect();
        let decoder = CrtDecoder::new(basis);
        assert_eq!(decoder.decode_exact(&limbs), values);
        let mut out = vec![0.0; values.len()];
        let slow = decoder.decode(&limbs, &mut out);
        for (o, v) in out.iter().zip(values) {
            let exact = v.to_f64().unwrap();
            assert!((o - exact).abs() <= exact.abs() * 2f64.powi(-52), "{v}: {o}");
            if v.abs() < BigInt::from(1u64 << 62) {
                assert_eq!(*o, exact, "{v}");
            }
        }
        slow
    }

    #[test]
    fn all_sizes_and_both_ends() {
        for bits in
            [&[50, 50, 50, 50][..], &[60, 40, 30, 20, 50], &[61, 61, 61], &[20, 20, 30, 20, 20], &[50], &[61, 61]]
        {
            let basis = basis(bits);
            let half = BigInt::from((basis.product() - 1u8) / 2u8);
            let mut values = vec![half.clone(), -&half, &half - 1, 1 - &half, BigInt::ZERO];
            for shift in 0..basis.log2() as u64 - 1 {
                let p = BigInt::from(1) << shift;
                values.extend([p.clone(), -&p, &p - 1, 1 - &p, &p + 1, -1 - &p, &half - &p, &p - &half]);
            }
            values.retain(|v| v.abs() <= half);
            check(&basis, &values);
        }
    }

    #[test]
    fn small_values_take_the_fast_path() {
        let basis = basis(&[50; 9]);
        let mut state = BigInt::from(12345);
        let mut values: Vec<BigInt> = (0..1000)
            .map(|i| {
                state = (&state * 6364136223846793005u64 + 1442695040888963407u64) % (BigInt::from(1) << 98u32);
                (&state - (BigInt::from(1) << 97u32)) >> (i % 90)
            })
            .collect();
        assert_eq!(check(&basis, &values), 0);
        for i in [3, 500, 999] {
            values[i] = BigInt::from(basis.product()) / (i + 3);
        }
        assert_eq!(check(&basis, &values), 3);
    }

    #[test]
    fn values_beyond_f64_become_infinite() {
        let basis = basis(&[50; 25]);
        let half = BigInt::from((basis.product() - 1u8) / 2u8);
        let values = [half.clone(), -half, BigInt::from(1) << 1023u32, -(BigInt::from(1) << 1024u32)];
        let limbs = residues(&basis, &values);
        let mut out = [0.0; 4];
        CrtDecoder::new(&basis).decode(&limbs.iter().map(|l| &l[..]).collect::<Vec<_>>(), &mut out);
        assert_eq!(out, [f64::INFINITY, f64::NEG_INFINITY, 2f64.powi(1023), f64::NEG_INFINITY]);
    }

    proptest! {
        #[test]
        fn reductions_agree_with_division(x: i128, y: i64, i in 0usize..5) {
            let q = [3u64, 65537, 786433, 1125899904679937, 2305843009213554689][i];
            let (m, w) = (Modulus::new(q).unwrap(), i128::from(q));
            let mut out = [0; 1];
            reduce_i128(&[x], &m, &mut out);
            prop_assert_eq!(i128::from(out[0]), x.rem_euclid(w));
            reduce_i64(&[y], &m, &mut out);
            prop_assert_eq!(i128::from(out[0]), i128::from(y).rem_euclid(w));
        }
    }

    #[test]
    fn reductions_at_the_ends() {
        for q in [3u64, 65537, (1 << 31) - 1, (1 << 31) + 11, 1125899904679937, 2305843009213554689] {
            let m = Modulus::new(q).unwrap();
            let near = [0, 1, q as i64, 2 * q as i64, i64::MAX];
            let values: Vec<i64> = near.iter().flat_map(|&v| [v, v - 1, -v, 1 - v, !v]).collect();
            let mut out = vec![0; values.len()];
            reduce_i64(&values, &m, &mut out);
            for (o, v) in out.iter().zip(&values) {
                assert_eq!(*o as i64, v.rem_euclid(q as i64), "{v} mod {q}");
            }
            let narrow = [i32::MIN, i32::MIN + 1, -3, -2, -1, 0, 1, 2, 3, i32::MAX - 1, i32::MAX];
            let mut out = [0; 11];
            reduce_i32(&narrow, &m, &mut out);
            assert_eq!(out.map(i128::from), narrow.map(|v| i128::from(v).rem_euclid(i128::from(q))));
            let wide = [i128::MIN, i128::MAX, -i128::from(q), 1 - i128::from(q)];
            let mut out = [0; 4];
            reduce_i128(&wide, &m, &mut out);
            assert_eq!(out.map(i128::from), wide.map(|v| v.rem_euclid(i128::from(q))));
        }
    }
}
