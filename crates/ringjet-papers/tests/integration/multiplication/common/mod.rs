//! Inputs and exact arithmetic for the tests.

use num_bigint::{BigInt, BigUint};
use ringjet_papers::multiplication::avx::{Avx512, Counted, Exact, Instructions, Modified, Narrow};
use ringjet_papers::multiplication::integers::Integers;
use ringjet_papers::multiplication::lines::{Matrix, words_mut};
use ringjet_papers::multiplication::setup::{Prime, Setup};
use ringjet_papers::multiplication::variants::{Avx, Reference, Variant};

/// The random generator SplitMix64.
pub struct Random(u64);

impl Random {
    /// A generator with a seed from the environment variable `SEED`, or from the clock. It prints
    /// the seed, so that a failure can be reproduced.
    pub fn from_seed() -> Self {
        let clock =
            || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |d| d.as_nanos() as u64);
        let seed = std::env::var("SEED").ok().and_then(|s| s.parse().ok()).unwrap_or_else(clock);
        println!("SEED={seed}");
        Self(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Integers over the whole range, among them 0, 1, the largest one and powers of two.
    pub fn integers(&mut self, n: usize, bits: u32) -> Integers {
        let kinds: Vec<u64> = (0..n).map(|_| self.word() % 8).collect();
        let place = self.word() as usize;
        Integers::from_words(n, bits, |i, k| match kinds[i] {
            0 => 0,
            1 => u64::from(k == 0),
            2 => u64::MAX,
            3 => 1u64.wrapping_shl(place as u32) * u64::from(k == (place + i) % bits.div_ceil(64) as usize),
            _ => self.word(),
        })
    }

    /// Coefficients that are all as large as possible.
    pub fn greatest(n: usize, bits: u32) -> Integers {
        Integers::from_words(n, bits, |_, _| u64::MAX)
    }

    /// Residues over the whole range, with columns of zeros, of ones and of the largest residues
    /// among them.
    pub fn residues(&mut self, primes: &[Prime], n: usize) -> Matrix {
        let kinds: Vec<u64> = (0..n).map(|_| self.word() % 8).collect();
        let mut rows = Matrix::new(primes.len(), n);
        for (row, prime) in rows.iter_mut().zip(primes) {
            let p = prime.modulus.value();
            for (x, kind) in words_mut(row).iter_mut().zip(&kinds) {
                *x = match kind {
                    0 => 0,
                    1 => 1,
                    2 => p - 1,
                    _ => self.word() % p,
                };
            }
        }
        rows
    }
}

/// Rings and moduli to test: log2 N, and the bits of q, of Q and of the primes.
const SMALL: [(u32, u32, u32, u32); 10] = [
    (4, 1, 1, 57),
    (4, 1200, 1200, 57),
    (5, 64, 128, 59),
    (6, 190, 300, 57),
    (7, 300, 300, 58),
    (10, 120, 120, 57),
    (4, 20, 20, 27),
    (4, 1200, 1200, 27),
    (6, 190, 300, 27),
    (10, 120, 120, 27),
];

/// Tables for the rings and moduli to test; those with primes of 27 bits have words of 32 bits.
pub fn setups() -> impl Iterator<Item = Setup> {
    SMALL.into_iter().map(|(log_n, log_q, log_big_q, bits)| match bits {
        27 => Setup::narrow(log_n, log_q, log_big_q).unwrap(),
        _ => Setup::new(log_n, log_q, log_big_q, bits).unwrap(),
    })
}

/// All variants for the words of the tables: `Ref`, and the AVX-512 variants, on this processor if
/// it has AVX-512, and in scalar code.
pub fn variants<'a>(setup: &Setup, count: &'a Instructions) -> Vec<Box<dyn Variant + 'a>> {
    if setup.word_bits == u32::BITS {
        assert!(setup.fits_narrow());
        let mut made: Vec<Box<dyn Variant + 'a>> = vec![Box::new(Avx::<_, Narrow, true>::new(Counted(count)))];
        let here = ringjet_papers::multiplication::variants::all().into_iter().filter(|v| v.word_bits() == u32::BITS);
        made.extend(here.map(|v| v as Box<dyn Variant>));
        assert_eq!(made.len() > 1, Avx512::detect().is_some());
        return made;
    }
    let mut made: Vec<Box<dyn Variant + 'a>> = vec![Box::new(Reference)];
    if setup.fits_two_words() {
        made.push(Box::new(Avx::<_, Exact, false>::new(Counted(count))));
        made.push(Box::new(Avx::<_, Modified, false>::new(Counted(count))));
        made.push(Box::new(Avx::<_, Modified, true>::new(Counted(count))));
        let here =
            ringjet_papers::multiplication::variants::all().into_iter().skip(1).filter(|v| v.word_bits() == u64::BITS);
        made.extend(here.map(|v| v as Box<dyn Variant>));
    }
    assert_eq!(made.len() > 4, setup.fits_two_words() && Avx512::detect().is_some());
    made
}

pub fn big(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |all, &w| (all << 64u32) + w)
}

pub fn coefficients(x: &Integers) -> Vec<BigInt> {
    (0..x.count()).map(|i| big(x.get(i)).into()).collect()
}

/// The least non-negative representative modulo 2^bits.
pub fn modulo(x: &BigInt, bits: u32) -> BigInt {
    let modulus = BigInt::from(1) << bits;
    ((x % &modulus) + &modulus) % &modulus
}

/// The product modulo X^N + 1, computed term by term.
pub fn schoolbook(a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
    let n = a.len();
    let mut out = vec![BigInt::ZERO; n];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            if i + j < n { out[i + j] += a * b } else { out[i + j - n] -= a * b }
        }
    }
    out
}

/// The product modulo X^N + 1 of coefficients from 0 to 2^`bits`, computed by one product of very
/// big integers (Kronecker's substitution).
pub fn kronecker(a: &[BigInt], b: &[BigInt], bits: u32) -> Vec<BigInt> {
    let n = a.len();
    let slot = (2 * bits + n.ilog2() + 2).next_multiple_of(64) as usize / 64;
    let pack = |x: &[BigInt]| {
        let words = x.iter().flat_map(|c| {
            let mut words = c.magnitude().to_u64_digits();
            words.resize(slot, 0);
            words
        });
        BigUint::from_slice(&words.flat_map(|w| [w as u32, (w >> 32) as u32]).collect::<Vec<_>>())
    };
    let mut words = (pack(a) * pack(b)).to_u64_digits();
    words.resize(2 * n * slot, 0);
    let term = |i: usize| BigInt::from(big(&words[i * slot..][..slot]));
    (0..n).map(|i| term(i) - term(i + n)).collect()
}
