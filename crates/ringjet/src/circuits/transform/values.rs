//! The values of a diagonal in the clear.

use ringjet_math::fft::Complex64;
use ringjet_math::memory::{capacity, collected};

use crate::Result;

/// The values of a diagonal; real ones take half the memory.
#[derive(Debug, Clone, PartialEq)]
pub enum DiagonalValues {
    /// Real numbers.
    Real(Vec<f64>),
    /// Complex numbers, not all of them real.
    Complex(Vec<Complex64>),
}

impl TryFrom<Vec<Complex64>> for DiagonalValues {
    type Error = crate::Error;

    /// Fails where there is no memory for the copy of real numbers.
    fn try_from(values: Vec<Complex64>) -> Result<Self> {
        if values.iter().any(|z| z.im != 0.0) {
            return Ok(Self::Complex(values));
        }
        Ok(Self::Real(collected(values.iter().map(|z| z.re))?))
    }
}

impl DiagonalValues {
    /// The number of values: that of the slots.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Complex(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value in row `row`. Panics where there is none.
    pub fn at(&self, row: usize) -> Complex64 {
        match self {
            Self::Real(values) => values[row].into(),
            Self::Complex(values) => values[row],
        }
    }

    /// All values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Complex64> + Clone + '_ {
        (0..self.len()).map(|row| self.at(row))
    }

    /// All values times `by`.
    pub fn scaled(&self, by: f64) -> Self {
        match self {
            Self::Real(values) => Self::Real(values.iter().map(|x| x * by).collect()),
            Self::Complex(values) => Self::Complex(values.iter().map(|&z| z * by).collect()),
        }
    }
}

/// The diagonal rotated back by `outer`: the giant step rotates the sum with this diagonal forward.
pub(crate) fn turned_back(
    diagonal: impl ExactSizeIterator<Item = Complex64> + Clone,
    outer: i64,
) -> Result<Vec<Complex64>> {
    let len = diagonal.len();
    let outer = outer.rem_euclid(len as i64) as usize;
    let mut turned = capacity(len)?;
    turned.extend(diagonal.clone().skip(len - outer));
    turned.extend(diagonal.take(len - outer));
    Ok(turned)
}
