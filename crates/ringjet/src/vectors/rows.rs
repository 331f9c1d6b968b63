//! Rows of numbers that are multiplied by the same ciphertexts: their integers, and their products.
//!
//! Integers commute with the transform and with any encoding, so a row of integers times ciphertexts is a
//! row of integers times their residues: [`Backend::gemm`]. It takes integers of 24 bits; larger ones are cut
//! into digits, each a product of its own.

use ringjet_backend::{Backend, Gemm, MAX_WEIGHT, View, ViewMut};
use ringjet_math::Basis;

use crate::{Error, Result};

/// Bits of a digit.
const DIGIT: u32 = MAX_WEIGHT.trailing_zeros();

/// Rows are computed together up to this size of their sums in bytes, but at least [`LEAST_ROWS`].
const SUMS: usize = 64 << 20;

/// Minimum rows of a block: kernels take 12 rows at once.
const LEAST_ROWS: usize = 24;

/// A matrix of numbers with a number that is added to each row's sum.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The numbers, row by row; integers in exact schemes.
    pub weights: &'a [f64],
    /// What is added to the sum of each row; empty for nothing.
    pub bias: &'a [f64],
    /// Weights are rounded to integers of at most `2^bits` in size, times one integer of each row; at most 24.
    /// `None`: as `weighted_sum` rounds them. Exact schemes round nothing.
    pub bits: Option<u32>,
}

impl Rows<'_> {
    /// The number of rows. Refuses numbers that do not fill rows of `columns`.
    pub(crate) fn expect(&self, columns: usize) -> Result<usize> {
        let count = self.weights.len() / columns.max(1);
        if count * columns != self.weights.len() {
            return Err(Error::argument("weights", self.weights.len(), format!("rows of {columns} numbers")));
        }
        if !self.bias.is_empty() && self.bias.len() != count {
            return Err(Error::argument("bias", self.bias.len(), format!("{count} numbers, one a row")));
        }
        if let Some(bits) = self.bits.filter(|bits| !(1..=DIGIT).contains(bits)) {
            return Err(Error::argument("bits", bits, format!("1 to {DIGIT}")));
        }
        for numbers in [self.weights, self.bias] {
            if let Some(index) = numbers.iter().position(|x| !x.is_finite()) {
                return Err(Error::NotFinite { index, value: numbers[index] });
            }
        }
        Ok(count)
    }

    /// The numbers of a row.
    pub(crate) fn row(&self, m: usize, columns: usize) -> &[f64] {
        &self.weights[m * columns..][..columns]
    }

    /// What is added to the sum of a row.
    pub(crate) fn added(&self, m: usize) -> f64 {
        self.bias.get(m).copied().unwrap_or(0.0)
    }
}

/// Blocks of rows that are computed together, for sums of `words` words: those of a block fit [`SUMS`] bytes.
pub(crate) fn blocks(rows: usize, words: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let at_once = (SUMS / (words * 8)).max(LEAST_ROWS);
    (0..rows).step_by(at_once).map(move |from| from..rows.min(from + at_once))
}

/// A row of integers: `factor * sum of 2^(24 j) * digits[j]`.
pub(crate) struct Row {
    digits: Vec<Vec<i32>>,
    factor: u128,
}

impl Row {
    /// Integers of at most `2^bits` in size, times one integer, for these numbers.
    pub(crate) fn short(numbers: &[f64], bits: u32) -> Self {
        let most = numbers.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let factor = (most / f64::from(bits).exp2()).ceil().max(1.0);
        let digits = numbers.iter().map(|x| (x / factor).round_ties_even() as i32).collect();
        Self { digits: vec![digits], factor: factor as u128 }
    }

    /// These integers as digits from `-2^23` to `2^23`.
    pub(crate) fn exact(mut integers: Vec<i128>) -> Self {
        let mut digits = Vec::new();
        while integers.iter().any(|&x| x != 0) {
            let half = 1i128 << (DIGIT - 1);
            let digit = |x: &mut i128| {
                let low = (*x + half).rem_euclid(1 << DIGIT) - half;
                *x = (*x - low) >> DIGIT;
                low as i32
            };
            digits.push(integers.iter_mut().map(digit).collect());
        }
        Self { digits, factor: 1 }
    }

    /// Whether the integers are rounded by more than to the nearest one.
    pub(crate) fn is_short(&self) -> bool {
        self.factor > 1
    }

    /// The integers.
    pub(crate) fn integers(&self, columns: usize) -> Vec<f64> {
        let mut sums = vec![0.0; columns];
        for (j, digits) in self.digits.iter().enumerate() {
            let unit = self.factor as f64 * f64::from(DIGIT * j as u32).exp2();
            sums.iter_mut().zip(digits).for_each(|(sum, &digit)| *sum += unit * f64::from(digit));
        }
        sums
    }
}

/// Writes for each row the sum of its integers times `src`, plus its constants: for each row and each limb a
/// residue that is added to the first polynomial, or none for no row.
pub(crate) fn products(
    backend: &dyn Backend,
    dst: &mut [ViewMut<'_>],
    src: &[View<'_>],
    rows: &[Row],
    constants: &[u64],
    basis: &Basis,
) -> Result<()> {
    let zeros = vec![0; src.len()];
    let digits = rows.iter().map(|row| row.digits.len()).max().unwrap_or(0).max(1);
    for j in 0..digits {
        let weights: Vec<i32> = rows.iter().flat_map(|row| row.digits.get(j).unwrap_or(&zeros)).copied().collect();
        let unit = 1i128 << (DIGIT * j as u32);
        let factors: Vec<u64> = rows.iter().flat_map(|row| residues(row.factor as i128 * unit, basis)).collect();
        let constants = if j == 0 { constants } else { &[] };
        let gemm = Gemm { src, weights: &weights, factors: &factors, constants };
        backend.gemm(dst, &gemm, basis, j > 0)?;
    }
    Ok(())
}

/// The residues of an integer, one for each prime.
pub(crate) fn residues(x: i128, basis: &Basis) -> impl Iterator<Item = u64> {
    basis.values().map(move |q| x.rem_euclid(i128::from(q)) as u64)
}
