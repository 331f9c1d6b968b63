//! Polynomials whose coefficients are big integers.

use crate::multiplication::lines::LANES;

/// Coefficients with the same number of words each, one after the other, least significant word
/// first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integers {
    words: Vec<u64>,
    limbs: usize,
    bits: u32,
}

impl Integers {
    /// `n` zeros, for integers below 2^`bits`.
    pub fn new(n: usize, bits: u32) -> Self {
        let limbs = bits.div_ceil(u64::BITS) as usize;
        Self { words: vec![0; n * limbs], limbs, bits }
    }

    /// Coefficients whose words are `word(coefficient, word index)`, taken modulo 2^`bits`.
    pub fn from_words(n: usize, bits: u32, mut word: impl FnMut(usize, usize) -> u64) -> Self {
        let mut made = Self::new(n, bits);
        let limbs = made.limbs;
        for (i, coefficient) in made.words.chunks_exact_mut(limbs).enumerate() {
            coefficient.iter_mut().enumerate().for_each(|(k, w)| *w = word(i, k));
            cut(coefficient, bits);
        }
        made
    }

    /// Number of words of a coefficient.
    pub fn limbs(&self) -> usize {
        self.limbs
    }

    /// Number of bits of a coefficient: coefficients are below two to this power.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Number of coefficients.
    pub fn count(&self) -> usize {
        self.words.len() / self.limbs
    }

    /// One coefficient.
    pub fn get(&self, i: usize) -> &[u64] {
        &self.words[i * self.limbs..][..self.limbs]
    }

    /// The words of `count` coefficients from the `first` on.
    pub fn range(&self, first: usize, count: usize) -> &[u64] {
        &self.words[first * self.limbs..][..count * self.limbs]
    }

    /// All words.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Splits the coefficients into contiguous runs of whole cache lines of coefficients, one for
    /// each thread. Each run comes with the index of its first coefficient. The runs are those of
    /// [`Matrix::split_columns`](crate::multiplication::lines::Matrix::split_columns).
    pub fn split(&mut self, threads: usize) -> Vec<(usize, &mut [u64])> {
        let run = LANES * (self.count() / LANES).div_ceil(threads).max(1);
        self.words.chunks_mut(run * self.limbs).enumerate().map(|(i, part)| (i * run, part)).collect()
    }
}

/// Reduces modulo 2^`bits`: clears the bits above.
pub fn cut(x: &mut [u64], bits: u32) {
    for (k, word) in x.iter_mut().enumerate() {
        let below = 64 * k as u32;
        *word &= match bits.saturating_sub(below) {
            0 => 0,
            left if left < 64 => (1 << left) - 1,
            _ => u64::MAX,
        };
    }
}

/// `to += x` modulo 2^64 to the power of the number of words of `to`. `x` may be shorter or longer
/// than `to`.
pub fn add(to: &mut [u64], x: &[u64]) {
    let mut carry = false;
    for (k, word) in to.iter_mut().enumerate() {
        let (sum, a) = word.overflowing_add(x.get(k).copied().unwrap_or(0));
        let (sum, b) = sum.overflowing_add(u64::from(carry));
        (*word, carry) = (sum, a | b);
    }
}

/// `to -= x`, with lengths as in [`add`]. Returns true if `x` was greater than `to`.
pub fn subtract(to: &mut [u64], x: &[u64]) -> bool {
    let mut borrow = false;
    for (k, word) in to.iter_mut().enumerate() {
        let (difference, a) = word.overflowing_sub(x.get(k).copied().unwrap_or(0));
        let (difference, b) = difference.overflowing_sub(u64::from(borrow));
        (*word, borrow) = (difference, a | b);
    }
    borrow
}

/// `to = floor(x / 2^shift)`, cut to the words of `to`.
pub fn shift_right(to: &mut [u64], x: &[u64], shift: u32) {
    let (whole, part) = ((shift / 64) as usize, shift % 64);
    let word = |k: usize| x.get(k).copied().unwrap_or(0);
    for (k, out) in to.iter_mut().enumerate() {
        let (low, high) = (word(k + whole), word(k + whole + 1));
        *out = if part == 0 { low } else { low >> part | high << (64 - part) };
    }
}
