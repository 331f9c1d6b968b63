//! Residue number systems: bases, and the constants of base conversion.

use std::sync::{Arc, OnceLock};

use num_bigint::BigUint;
use num_traits::One;

use crate::ntt::NttTable;
use crate::{MathError, Modulus};

/// Number of bits of the fixed-point fractions in [`BaseConversion`].
pub const FRACTION_BITS: u32 = 50;

/// A prime with its textbook NTT tables, which are built at the first use.
#[derive(Debug)]
pub struct Prime {
    modulus: Modulus,
    log_n: u32,
    table: OnceLock<NttTable>,
}

impl Prime {
    /// The prime as a modulus.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The prime as an integer.
    pub fn value(&self) -> u64 {
        self.modulus.value()
    }

    /// The same prime for polynomials in `X^(2^log_gap)`; see [`NttTable::of_power`].
    ///
    /// # Errors
    /// [`MathError::BadDegree`] if fewer than 8 coefficients are left.
    pub fn of_power(&self, log_gap: u32) -> Result<Self, MathError> {
        let table = self.table().of_power(log_gap)?;
        Ok(Self { modulus: self.modulus, log_n: table.log_n(), table: OnceLock::from(table) })
    }

    /// The textbook NTT tables, built at the first call.
    pub fn table(&self) -> &NttTable {
        self.table.get_or_init(|| {
            NttTable::new(self.modulus, self.log_n)
                .expect("NTT-friendliness was checked when the prime entered a basis")
        })
    }
}

/// An ordered set of distinct NTT-friendly primes for one ring degree N. It is cheap to clone, and
/// its sub-bases use the same prime objects.
#[derive(Debug, Clone)]
pub struct Basis {
    log_n: u32,
    primes: Arc<[Arc<Prime>]>,
}

impl PartialEq for Basis {
    fn eq(&self, other: &Self) -> bool {
        self.log_n == other.log_n && self.values().eq(other.values())
    }
}

impl Eq for Basis {}

impl Basis {
    /// A basis of `primes` for ring degree `2^log_n`; every prime must be 1 mod 2N and occur once.
    pub fn new(log_n: u32, primes: &[u64]) -> Result<Self, MathError> {
        if !(3..=17).contains(&log_n) {
            return Err(MathError::BadDegree { log_n });
        }
        let mut out = Vec::with_capacity(primes.len());
        for (i, &q) in primes.iter().enumerate() {
            if primes[..i].contains(&q) {
                return Err(MathError::RepeatedPrime { modulus: q });
            }
            let modulus = Modulus::new(q)?;
            if q & ((2 << log_n) - 1) != 1 {
                return Err(MathError::NotNttFriendly { modulus: q, log_n });
            }
            out.push(Arc::new(Prime { modulus, log_n, table: OnceLock::new() }));
        }
        Ok(Self { log_n, primes: out.into() })
    }

    /// Binary logarithm of the ring degree.
    pub fn log_n(&self) -> u32 {
        self.log_n
    }

    /// Ring degree N.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// Number of primes (limbs).
    pub fn len(&self) -> usize {
        self.primes.len()
    }

    /// Whether the basis has no prime.
    pub fn is_empty(&self) -> bool {
        self.primes.is_empty()
    }

    /// The primes.
    pub fn primes(&self) -> &[Arc<Prime>] {
        &self.primes
    }

    /// The modulus of prime number `i`.
    pub fn modulus(&self, i: usize) -> &Modulus {
        self.primes[i].modulus()
    }

    /// The primes as integers.
    pub fn values(&self) -> impl Iterator<Item = u64> + '_ {
        self.primes.iter().map(|p| p.value())
    }

    /// The sub-basis of the primes at `indices`, in the order of `indices`.
    pub fn select(&self, indices: impl IntoIterator<Item = usize>) -> Self {
        let primes: Vec<_> = indices.into_iter().map(|i| Arc::clone(&self.primes[i])).collect();
        Self { log_n: self.log_n, primes: primes.into() }
    }

    /// The sub-basis of the first `len` primes.
    pub fn prefix(&self, len: usize) -> Self {
        self.select(0..len)
    }

    /// This basis followed by `other`, which must be disjoint and of the same degree.
    pub fn concat(&self, other: &Self) -> Self {
        assert_eq!(self.log_n, other.log_n);
        assert!(self.values().all(|q| other.values().all(|p| p != q)));
        let primes: Vec<_> = self.primes.iter().chain(other.primes.iter()).cloned().collect();
        Self { log_n: self.log_n, primes: primes.into() }
    }

    /// Product of the primes.
    pub fn product(&self) -> BigUint {
        self.values().fold(BigUint::one(), |acc, q| acc * q)
    }

    /// Binary logarithm of the product of the primes.
    pub fn log2(&self) -> f64 {
        self.values().map(|q| (q as f64).log2()).sum()
    }
}

/// The residue `x mod q` of a big integer.
pub fn residue(x: &BigUint, q: &Modulus) -> u64 {
    let mut digits = (x % q.value()).to_u64_digits();
    digits.pop().unwrap_or(0)
}

/// Constants of the centred base conversion from a basis of k primes d_0, ..., d_(k-1), whose
/// product is D, to other primes p_j.
///
/// For the residues x_i of an integer x in `[-D/2, D/2)`:
///
/// ```text
/// y_i = x_i * (D/d_i)^-1 mod d_i
/// F_i = floor(norm(y_i) * r_i / 2^52)    (about y_i * 2^50 / d_i; norm shifts y_i to 52 bits)
/// v   = (sum F_i + 2^49) >> 50           (nearest integer to the sum of the y_i / d_i)
/// out_j = sum y_i * (D/d_i) - v * D   mod p_j
/// ```
///
/// Every step is integer arithmetic, so all machines agree bit for bit. `v` is exact unless x lies
/// within `2^-44 * D` of `D/2` or `-D/2`. There the result may be that for x + D or x - D, which is
/// about as close to 0 as x.
#[derive(Debug)]
pub struct BaseConversion {
    /// Basis of the residues x_i.
    pub src: Basis,
    /// Basis of the computed residues out_j.
    pub dst: Basis,
    /// `hat_inverse[i] = (D/d_i)^-1 mod d_i`.
    pub hat_inverse: Vec<u64>,
    /// `hat[j][i] = D/d_i mod p_j`.
    pub hat: Vec<Vec<u64>>,
    /// `product[j] = D mod p_j`.
    pub product: Vec<u64>,
    /// `fraction[i] = r_i = floor(2^(bits(d_i) + 50) / d_i)`, in `(2^50, 2^51]`, where bits(d_i) is
    /// the number of bits of d_i.
    pub fraction: Vec<u64>,
}

impl BaseConversion {
    /// Constants of the conversion from `src` to `dst`.
    pub fn new(src: &Basis, dst: &Basis) -> Self {
        let product = src.product();
        let hats: Vec<BigUint> = src.values().map(|d| &product / d).collect();
        let invert = |(hat, p): (&BigUint, &Arc<Prime>)| {
            let m = p.modulus();
            m.pow(residue(hat, m), m.value() - 2)
        };
        Self {
            hat_inverse: hats.iter().zip(src.primes()).map(invert).collect(),
            hat: (dst.primes().iter()).map(|p| hats.iter().map(|hat| residue(hat, p.modulus())).collect()).collect(),
            product: dst.primes().iter().map(|p| residue(&product, p.modulus())).collect(),
            fraction: (src.primes().iter())
                .map(|p| ((1u128 << (p.modulus().bits() + FRACTION_BITS)) / u128::from(p.value())) as u64)
                .collect(),
            src: src.clone(),
            dst: dst.clone(),
        }
    }

    /// Shifts `y_i` so that bit `bits - 1` moves to bit 51: `norm` in the formula above.
    #[inline]
    pub const fn norm(y: u64, bits: u32) -> u64 {
        if bits <= 52 { y << (52 - bits) } else { y >> (bits - 52) }
    }

    /// Converts one coefficient from `x[i] < d_i` to `out[j] < p_j`. Faster implementations are
    /// tested against this function.
    pub fn convert(&self, x: &[u64], out: &mut [u64]) {
        let mut sum = 0u64;
        let y: Vec<u64> = (0..x.len())
            .map(|i| {
                let m = self.src.modulus(i);
                let y = m.mul(x[i], self.hat_inverse[i]);
                sum += ((u128::from(Self::norm(y, m.bits())) * u128::from(self.fraction[i])) >> 52) as u64;
                y
            })
            .collect();
        let v = (sum + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS;
        for (j, o) in out.iter_mut().enumerate() {
            let p = self.dst.modulus(j);
            let acc = y.iter().zip(&self.hat[j]).fold(0, |acc, (&y, &hat)| p.add(acc, p.mul(y, hat)));
            *o = p.sub(acc, p.mul(v, self.product[j]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prime::ntt_primes;
    use num_bigint::BigInt;

    #[test]
    fn conversion_is_exact_on_centred_values() {
        for bits in [30, 50, 60] {
            let primes = ntt_primes(10, bits, 9, &[]).unwrap();
            let src = Basis::new(10, &primes[..4]).unwrap();
            let dst = Basis::new(10, &primes[4..]).unwrap();
            let conv = BaseConversion::new(&src, &dst);
            let product = BigInt::from(src.product());
            let mut state = &product / 7; // far from D/2 and -D/2, where two representatives are possible
            for round in 0..2000u64 {
                state = (&state * 6364136223846793005u64 + 1442695040888963407u64 + round) % &product;
                let x: BigInt = &state - &product / 2;
                let modulo = |q: u64| -> u64 {
                    let r = ((&x % q) + q) % q;
                    r.to_u64_digits().1.pop().unwrap_or(0)
                };
                let input: Vec<u64> = src.values().map(modulo).collect();
                let mut out = vec![0; dst.len()];
                conv.convert(&input, &mut out);
                assert_eq!(out, dst.values().map(modulo).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn bases_are_checked() {
        assert_eq!(Basis::new(10, &[12289, 12289]).err(), Some(MathError::RepeatedPrime { modulus: 12289 }));
        assert!(matches!(Basis::new(16, &[12289]), Err(MathError::NotNttFriendly { .. })));
        let b = Basis::new(10, &[12289, 40961]).unwrap();
        assert_eq!(b.product(), BigUint::from(12289u64 * 40961));
        assert_eq!(b.prefix(1).values().collect::<Vec<_>>(), [12289]);
    }
}
