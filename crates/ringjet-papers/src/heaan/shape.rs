//! Sizes of a HEAAN multiplication: the numbers of primes and limbs that follow from the
//! moduli.

use super::error::HeaanError;

/// Parameters of a HEAAN multiplication: ring, moduli, and sizes of primes and words.
///
/// Source: HEAAN Demystified, Section III and Table III.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    log_n: u32,
    log_q: u32,
    log_big_q: u32,
    prime_bits: u32,
    word_bits: u32,
}

/// Sizes of one polynomial of N coefficients, as words and as residues. Names in parentheses are
/// those of HEAAN Demystified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Residues {
    /// Binary logarithm of the ring degree N.
    pub log_n: u32,
    /// Words per coefficient (qLimbs).
    pub limbs: u64,
    /// The number of primes (np).
    pub primes: u64,
    /// Words of the product of all primes but one (PLimbs).
    pub product_limbs: u64,
}

/// The two halves of a multiplication (HEAAN Demystified, Figure 2). Each half has its own number
/// of primes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Region 1 of the figure: the products of two ciphertexts.
    Tensor,
    /// Region 2 of the figure: the products with the evaluation key.
    KeySwitch,
}

/// The sizes of one half of a multiplication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Bits of a coefficient of the product, including its sign.
    pub bound_bits: u64,
    /// The sizes of one polynomial.
    pub residues: Residues,
    /// The number of polynomials that pass CRT and NTT.
    pub forward: u64,
    /// The number of polynomials that pass iNTT and iCRT.
    pub inverse: u64,
}

impl Shape {
    /// Checks the sizes: `log_n` in 1..=24, 1 <= `log_q` <= `log_big_q` <= 2^16 (bits of q and Q), words of 32 or 64
    /// bits, and primes between 2^`prime_bits` and 2^(`prime_bits` + 1) that fit a word and are 1 modulo 2N.
    pub fn new(log_n: u32, log_q: u32, log_big_q: u32, prime_bits: u32, word_bits: u32) -> Result<Self, HeaanError> {
        if !(1..=24).contains(&log_n) {
            return Err(HeaanError::LogN(log_n));
        }
        if log_q == 0 || log_q > log_big_q || log_big_q > 1 << 16 {
            return Err(HeaanError::Moduli { log_q, log_big_q });
        }
        if word_bits != 32 && word_bits != 64 {
            return Err(HeaanError::Word(word_bits));
        }
        if prime_bits <= log_n || prime_bits >= word_bits {
            return Err(HeaanError::Primes { prime_bits, least: log_n + 1, most: word_bits - 1 });
        }
        Ok(Self { log_n, log_q, log_big_q, prime_bits, word_bits })
    }

    /// The AVX-512 setting of Accelerating FHE and of HEAAN Demystified (Table VI): N = 2^16, q = Q = 2^1200, primes
    /// above 2^57, words of 64 bits.
    pub const fn avx512() -> Self {
        Self { log_n: 16, log_q: 1200, log_big_q: 1200, prime_bits: 57, word_bits: 64 }
    }

    /// The GPU setting of HEAAN Demystified (Table VI): the same ring and moduli, primes above 2^27, words of 32 bits.
    pub const fn gpu() -> Self {
        Self { prime_bits: 27, word_bits: 32, ..Self::avx512() }
    }

    /// The same parameters with primes above 2^`prime_bits`; errors as in [`Shape::new`].
    pub fn with_prime_bits(self, prime_bits: u32) -> Result<Self, HeaanError> {
        Self::new(self.log_n, self.log_q, self.log_big_q, prime_bits, self.word_bits)
    }

    /// The same parameters after rescaling to a modulus of `log_q` bits; errors as in
    /// [`Shape::new`].
    pub fn at_log_q(self, log_q: u32) -> Result<Self, HeaanError> {
        Self::new(self.log_n, log_q, self.log_big_q, self.prime_bits, self.word_bits)
    }

    /// Words per coefficient modulo q (qLimbs of HEAAN Demystified).
    pub fn limbs(self) -> u64 {
        u64::from(self.log_q).div_ceil(u64::from(self.word_bits))
    }

    /// Bits of a coefficient of the widest product in a half.
    ///
    /// A coefficient is a sum of N products of two factors; one bit is for the sign and one is
    /// spare. In the first half the Karatsuba product is the widest: each factor is a sum of two
    /// coefficients modulo q, one bit longer than q. In the second half, a coefficient modulo q is
    /// multiplied by a key coefficient modulo Q^2 (HEAAN Demystified, Section III-B).
    fn bound_bits(self, half: Half) -> u64 {
        let (q, big_q) = (u64::from(self.log_q), u64::from(self.log_big_q));
        let (left, right) = match half {
            Half::Tensor => (q + 1, q + 1),
            Half::KeySwitch => (q, 2 * big_q),
        };
        let (sign, spare) = (1, 1);
        left + right + u64::from(self.log_n) + sign + spare
    }

    /// The sizes of one half.
    ///
    /// The first half transforms both polynomials of both ciphertexts and transforms three products
    /// back; the mixed product is computed by Karatsuba's method. The second half transforms one
    /// polynomial and transforms two products back; the key is stored transformed.
    pub fn region(self, half: Half) -> Region {
        let bound_bits = self.bound_bits(half);
        let primes = bound_bits.div_ceil(u64::from(self.prime_bits));
        let residues = Residues {
            log_n: self.log_n,
            limbs: self.limbs(),
            primes,
            product_limbs: self.product_limbs(primes, self.prime_bits + 1),
        };
        let (forward, inverse) = match half {
            Half::Tensor => (4, 3),
            Half::KeySwitch => (1, 2),
        };
        Region { bound_bits, residues, forward, inverse }
    }

    /// The sizes of both halves.
    pub fn regions(self) -> [Region; 2] {
        [self.region(Half::Tensor), self.region(Half::KeySwitch)]
    }

    /// The sizes of a half with the fewest words that P/p_j can have. Its primes are taken as
    /// 2^`prime_bits`, since the first primes above that bound hardly exceed it. [`Shape::region`]
    /// takes the primes as 2^(`prime_bits` + 1), which gives the most words.
    pub fn region_with_least_primes(self, half: Half) -> Region {
        let mut region = self.region(half);
        region.residues.product_limbs = self.product_limbs(region.residues.primes, self.prime_bits);
        region
    }

    /// Words of P/p_j (PLimbs of HEAAN Demystified), the product of all primes but one, each of `bits` bits.
    fn product_limbs(self, primes: u64, bits: u32) -> u64 {
        ((primes - 1) * u64::from(bits)).div_ceil(u64::from(self.word_bits)).max(1)
    }

    /// Transforms modulo one prime in a whole multiplication: forward, inverse.
    pub fn transforms(self) -> (u64, u64) {
        let [a, b] = self.regions();
        let sum = |of: fn(&Region) -> u64| of(&a) * a.residues.primes + of(&b) * b.residues.primes;
        (sum(|r| r.forward), sum(|r| r.inverse))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_of_a_product_gives_the_numbers_of_primes() {
        for (bits, tensor, key_switch) in [(57, 43, 64), (58, 42, 63), (59, 42, 62)] {
            let shape = Shape::avx512().with_prime_bits(bits).unwrap();
            assert_eq!(shape.regions().map(|r| r.bound_bits), [2420, 3618]);
            assert_eq!(shape.regions().map(|r| r.residues.primes), [tensor, key_switch]);
        }
        assert_eq!(Shape::gpu().regions().map(|r| r.residues.primes), [90, 134]);
    }

    #[test]
    fn limbs_and_transforms_of_the_reference_parameters() {
        let shape = Shape::avx512();
        assert_eq!(shape.limbs(), 19);
        assert_eq!(Shape::gpu().limbs(), 38);
        assert_eq!(shape.transforms(), (236, 257));
        assert_eq!(shape.regions().map(|r| r.residues.product_limbs), [39, 58]);
        let least = [Half::Tensor, Half::KeySwitch].map(|h| shape.region_with_least_primes(h).residues.product_limbs);
        assert_eq!(least, [38, 57]);
    }

    #[test]
    fn primes_are_enough_and_none_too_many() {
        for log_q in 1..=1200 {
            for region in Shape::avx512().at_log_q(log_q).unwrap().regions() {
                let primes = region.residues.primes;
                assert!(57 * primes >= region.bound_bits && 57 * (primes - 1) < region.bound_bits);
            }
        }
    }

    #[test]
    fn sizes_that_make_no_sense_are_refused() {
        assert!(matches!(Shape::new(0, 1, 1, 57, 64), Err(HeaanError::LogN(0))));
        assert!(matches!(Shape::new(16, 0, 1, 57, 64), Err(HeaanError::Moduli { .. })));
        assert!(matches!(Shape::new(16, 2, 1, 57, 64), Err(HeaanError::Moduli { .. })));
        assert!(matches!(Shape::new(16, 1, 1, 57, 48), Err(HeaanError::Word(48))));
        assert!(matches!(Shape::new(16, 1, 1, 16, 64), Err(HeaanError::Primes { least: 17, most: 63, .. })));
        assert!(matches!(Shape::new(16, 1, 1, 64, 64), Err(HeaanError::Primes { .. })));
    }
}
