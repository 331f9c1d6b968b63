//! Everything that is computed once: primes, and the tables of all functions. Table names in
//! parentheses, algorithms and "paper B" refer to Jung et al., "HEAAN Demystified".

use num_bigint::BigUint;
use ringjet_math::ntt::NttTable;
use ringjet_math::prime::is_prime;
use ringjet_math::{MathError, Modulus};

use crate::heaan::{Half, HeaanError, Shape};
use crate::multiplication::lines::{LANES, Line};
use crate::multiplication::product::Product;

/// An error while the tables are made.
#[derive(Debug)]
pub enum SetupError {
    /// The sizes are inconsistent.
    Shape(HeaanError),
    /// The arithmetic does not support a prime or the ring.
    Math(MathError),
}

impl std::fmt::Display for SetupError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Shape(e) => e.fmt(f),
            Self::Math(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for SetupError {}

/// A fixed factor with its Shoup companion, `floor(value * 2^64 / p)`, or `floor(value * 2^32 / p)`
/// for words of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    /// The factor, below p.
    pub value: u64,
    /// The companion.
    pub shoup: u64,
}

impl Factor {
    fn new(modulus: &Modulus, value: u64, word_bits: u32) -> Self {
        Self { value, shoup: modulus.shoup(value) >> (u64::BITS - word_bits) }
    }
}

/// Powers of a root of unity in the order of Algorithm 3, with their Shoup companions.
#[derive(Debug, Clone)]
pub struct Roots {
    /// The powers.
    pub values: Vec<Line>,
    /// The companions of the powers.
    pub shoup: Vec<Line>,
}

impl Roots {
    fn new(pairs: &[(u64, u64)], word_bits: u32) -> Self {
        let lines =
            |of: &dyn Fn(&(u64, u64)) -> u64| pairs.chunks_exact(LANES).map(|c| Line::from_fn(|i| of(&c[i]))).collect();
        Self { values: lines(&|p| p.0), shoup: lines(&|p| p.1 >> (u64::BITS - word_bits)) }
    }
}

/// A prime with the tables of its transforms.
#[derive(Debug, Clone)]
pub struct Prime {
    /// The prime.
    pub modulus: Modulus,
    /// Powers of a 2N-th root of unity (TB_W).
    pub roots: Roots,
    /// Powers of the inverse of the root (TB_invW).
    pub inverse_roots: Roots,
    /// 1/N.
    pub n_inverse: Factor,
}

impl Prime {
    fn new(p: u64, log_n: u32, word_bits: u32) -> Result<Self, MathError> {
        let modulus = Modulus::new(p)?;
        let table = NttTable::new(modulus, log_n)?;
        Ok(Self {
            modulus,
            roots: Roots::new(table.roots(), word_bits),
            inverse_roots: Roots::new(table.inverse_roots(), word_bits),
            n_inverse: Factor::new(&modulus, table.n_inverse(), word_bits),
        })
    }
}

/// The tables of CRT for one prime.
#[derive(Debug, Clone)]
pub struct CrtPrime {
    /// `beta^k` modulo the prime, for each k (TB_CRT); beta is the size of a word, 2^64 or 2^32.
    pub powers: Vec<u64>,
    /// 1, beta and beta^2 modulo the prime: the weights of the three words of a sum.
    pub places: [Factor; 3],
}

/// The tables of CRT for eight primes, one in each lane. If there are fewer primes, the last one is
/// repeated.
#[derive(Debug, Clone)]
pub struct CrtLanes {
    /// The primes.
    pub primes: Line,
    /// `beta^k` modulo the primes, one line for each k.
    pub powers: Vec<Line>,
    /// 1, beta and beta^2 modulo the primes, with their companions.
    pub places: [(Line, Line); 3],
}

/// The tables of the residues of one half of a multiplication, for the first `count` primes.
#[derive(Debug, Clone)]
pub struct System {
    /// Number of primes (np).
    pub count: usize,
    /// Tables of CRT, one for each prime.
    pub crt: Vec<CrtPrime>,
    /// Tables of CRT, one for each eight primes.
    pub crt_lanes: Vec<CrtLanes>,
    /// The inverse of P/p_j modulo p_j (TB_invP). Here p_j is prime j and P the product of all
    /// primes.
    pub inverse: Vec<Factor>,
    /// Number of words of the longest P/p_j (PLimbs).
    pub product_limbs: usize,
    /// The words of P/p_j, for each prime (TB_Pdivp).
    pub quotients: Vec<Vec<u64>>,
    /// `quotients` in vectors of eight words: for each vector, one line for each prime.
    pub quotient_lanes: Vec<Vec<Line>>,
    /// The product P.
    pub product: Product,
}

impl System {
    fn new(primes: &[Prime], words: usize, word_bits: u32) -> Self {
        let moduli: Vec<Modulus> = primes.iter().map(|p| p.modulus).collect();
        let crt: Vec<CrtPrime> = moduli.iter().map(|p| crt_prime(p, words, word_bits)).collect();
        let product: BigUint = moduli.iter().map(Modulus::value).product();
        let mut quotients: Vec<Vec<u64>> = moduli.iter().map(|p| digits(&(&product / p.value()), word_bits)).collect();
        let inverse = moduli.iter().map(|p| inverse_of_the_others(p, &moduli, word_bits)).collect();
        let product_limbs = quotients.iter().map(Vec::len).max().unwrap_or(0);
        quotients.iter_mut().for_each(|q| q.resize(product_limbs, 0));
        let word = |j: usize, k: usize| quotients[j].get(k).copied().unwrap_or(0);
        let vectors = product_limbs.div_ceil(LANES);
        let column = |g: usize| (0..moduli.len()).map(|j| Line::from_fn(|k| word(j, LANES * g + k))).collect();
        Self {
            count: moduli.len(),
            crt_lanes: (0..moduli.len()).step_by(LANES).map(|j| crt_lanes(&moduli, &crt, j)).collect(),
            crt,
            inverse,
            product_limbs,
            quotient_lanes: (0..vectors).map(column).collect(),
            quotients,
            product: Product::new(&product),
        }
    }
}

/// The words of a number, lowest first.
fn digits(x: &BigUint, word_bits: u32) -> Vec<u64> {
    if word_bits == u64::BITS { x.to_u64_digits() } else { x.iter_u32_digits().map(u64::from).collect() }
}

fn crt_prime(p: &Modulus, words: usize, word_bits: u32) -> CrtPrime {
    let beta = p.reduce_u128(1 << word_bits);
    let powers: Vec<u64> = std::iter::successors(Some(1), |&x| Some(p.mul(x, beta))).take(words.max(3)).collect();
    CrtPrime { places: [0, 1, 2].map(|k| Factor::new(p, powers[k], word_bits)), powers }
}

fn crt_lanes(moduli: &[Modulus], crt: &[CrtPrime], first: usize) -> CrtLanes {
    let at = |lane: usize| (first + lane).min(moduli.len() - 1);
    CrtLanes {
        primes: Line::from_fn(|i| moduli[at(i)].value()),
        powers: (0..crt[0].powers.len()).map(|k| Line::from_fn(|i| crt[at(i)].powers[k])).collect(),
        places: [0, 1, 2]
            .map(|k| (Line::from_fn(|i| crt[at(i)].places[k].value), Line::from_fn(|i| crt[at(i)].places[k].shoup))),
    }
}

/// The inverse of P/p modulo p.
fn inverse_of_the_others(p: &Modulus, all: &[Modulus], word_bits: u32) -> Factor {
    let others = all.iter().filter(|o| *o != p).fold(1, |product, o| p.mul(product, p.reduce(o.value())));
    // The primes differ, so the product of the others is not 0.
    Factor::new(p, p.inv(others).unwrap_or(0), word_bits)
}

/// All tables of a multiplication.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Sizes of the multiplication.
    pub shape: Shape,
    /// Binary logarithm of N.
    pub log_n: u32,
    /// Bits of q, the modulus of the ciphertexts.
    pub log_q: u32,
    /// Bits of Q, the largest modulus.
    pub log_big_q: u32,
    /// All primes are above two to this power.
    pub prime_bits: u32,
    /// Bits of a word, 64 or 32.
    pub word_bits: u32,
    /// The primes of the second half. The first half uses the first ones of them.
    pub primes: Vec<Prime>,
    /// The tables of the residues of both halves.
    pub systems: [System; 2],
}

impl Setup {
    /// Makes the tables for N = 2^`log_n` (4 to 17), q = 2^`log_q`, Q = 2^`log_big_q`, and the
    /// first primes above 2^`prime_bits` that are 1 modulo 2N. `prime_bits` is 57 for AVX-512
    /// (paper B, Table VI) and 59 for the reference.
    ///
    /// # Errors
    /// If the sizes are inconsistent or there are no such primes.
    pub fn new(log_n: u32, log_q: u32, log_big_q: u32, prime_bits: u32) -> Result<Self, SetupError> {
        Self::with_words(log_n, log_q, log_big_q, prime_bits, u64::BITS)
    }

    /// [`Self::new`] for words of 32 bits, with the first primes above 2^27 (paper B, Table VI).
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn narrow(log_n: u32, log_q: u32, log_big_q: u32) -> Result<Self, SetupError> {
        Self::with_words(log_n, log_q, log_big_q, 27, u32::BITS)
    }

    fn with_words(log_n: u32, log_q: u32, log_big_q: u32, prime_bits: u32, word_bits: u32) -> Result<Self, SetupError> {
        let shape = Shape::new(log_n, log_q, log_big_q, prime_bits, word_bits).map_err(SetupError::Shape)?;
        if log_n < 4 {
            return Err(SetupError::Math(MathError::BadDegree { log_n }));
        }
        let [tensor, key_switch] =
            [Half::Tensor, Half::KeySwitch].map(|half| shape.region(half).residues.primes as usize);
        // Candidates for primes: 1 modulo 2N, from the smallest above the bound upwards.
        let found = (1u64 << prime_bits | 1..).step_by(2 << log_n).filter(|&p| is_prime(p));
        let most = tensor.max(key_switch);
        let primes: Vec<Prime> = found
            .take(most)
            .map(|p| Prime::new(p, log_n, word_bits))
            .collect::<Result<_, _>>()
            .map_err(SetupError::Math)?;
        // The coefficients of the key have 2 log Q bits.
        let words = ((2 * log_big_q).div_ceil(u64::BITS) * (u64::BITS / word_bits)) as usize;
        let systems = [tensor, key_switch].map(|count| System::new(&primes[..count], words, word_bits));
        Ok(Self { shape, log_n, log_q, log_big_q, prime_bits, word_bits, primes, systems })
    }

    /// Number of coefficients of a polynomial.
    pub fn n(&self) -> usize {
        1 << self.log_n
    }

    /// Whether the kernels of `AVX-32` are exact: primes are below 2^29.
    pub fn fits_narrow(&self) -> bool {
        self.word_bits == u32::BITS && self.primes.iter().all(|p| p.modulus.value() < 1 << 29)
    }

    /// Whether sums of two words suffice in CRT (input words times table words) and in iCRT
    /// (residues times words of P/p_j) (paper B, Section V-C). The AVX-512 code relies on this, and
    /// on 8 * p fitting a word for each prime p.
    pub fn fits_two_words(&self) -> bool {
        let greatest = self.primes.iter().map(|p| u128::from(p.modulus.value())).max().unwrap_or(0);
        let terms = self.systems.iter().map(|s| s.count.max(s.crt[0].powers.len())).max().unwrap_or(0);
        self.word_bits == u64::BITS && greatest * terms as u128 <= 1 << 64 && greatest < 1 << 61
    }
}
