//! Values in the clear: numbers in approximate schemes, integers in exact ones.

use ringjet_math::fft::Complex64;
use zeroize::Zeroize;

use crate::wire::Scheme;
use crate::{Error, Result};

/// One value a slot. A scheme takes and gives one of the kinds, and refuses the other one.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Real or complex numbers, for approximate schemes.
    Numbers(Vec<Complex64>),
    /// Integers, for exact schemes.
    Integers(Vec<i64>),
}

/// The same value in every slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// A real number, for approximate schemes.
    Number(f64),
    /// An integer, for exact schemes.
    Integer(i64),
}

impl From<crate::Values> for Values {
    fn from(values: crate::Values) -> Self {
        Self::Numbers(values.0)
    }
}

impl From<Vec<i64>> for Values {
    fn from(integers: Vec<i64>) -> Self {
        Self::Integers(integers)
    }
}

impl Zeroize for Values {
    fn zeroize(&mut self) {
        match self {
            Self::Numbers(all) => all.iter_mut().flat_map(|z| [&mut z.re, &mut z.im]).for_each(Zeroize::zeroize),
            Self::Integers(all) => all.zeroize(),
        }
    }
}

/// The error of a scheme that got values of the other kind.
fn other_kind<T>(scheme: Scheme, op: &'static str) -> Result<T> {
    Err(Error::Unsupported { scheme: scheme.name(), op })
}

impl Scalar {
    /// A number. Fails with [`Error::Argument`] for numbers of exact schemes that are not whole, or of
    /// `2^53` and more in size.
    pub(crate) fn of(c: f64, exact: bool) -> Result<Self> {
        match exact {
            false => Ok(Self::Number(c)),
            true if c.fract() == 0.0 && c.abs() < 2f64.powi(53) => Ok(Self::Integer(c as i64)),
            true => Err(Error::argument("bias", c, "a whole number below 2^53 in size")),
        }
    }
}

impl Values {
    /// Real numbers. Fails with [`Error::Argument`] for others; `name` is the argument's name.
    pub fn reals(&self, name: &'static str) -> Result<Vec<f64>> {
        match self {
            Self::Numbers(all) if all.iter().all(|z| z.im == 0.0) => Ok(all.iter().map(|z| z.re).collect()),
            _ => Err(Error::argument(name, "other values", "real numbers")),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(all) => all.len(),
            Self::Integers(all) => all.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first `count` values. The others are wiped.
    pub fn first(mut self, count: usize) -> Self {
        match &mut self {
            Self::Numbers(all) => {
                all.iter_mut().skip(count).flat_map(|z| [&mut z.re, &mut z.im]).for_each(Zeroize::zeroize);
                all.truncate(count);
            }
            Self::Integers(all) => {
                all.iter_mut().skip(count).for_each(Zeroize::zeroize);
                all.truncate(count);
            }
        }
        self
    }

    pub(super) fn numbers(&self, scheme: Scheme) -> Result<&[Complex64]> {
        match self {
            Self::Numbers(all) => Ok(all),
            Self::Integers(_) => other_kind(scheme, "exact integers"),
        }
    }

    /// The numbers with their signs changed.
    pub(super) fn negated(&self, scheme: Scheme) -> Result<Vec<Complex64>> {
        Ok(self.numbers(scheme)?.iter().map(|&z| -z).collect())
    }

    pub(super) fn integers(&self, scheme: Scheme) -> Result<&[i64]> {
        match self {
            Self::Integers(all) => Ok(all),
            Self::Numbers(_) => other_kind(scheme, "real or complex numbers"),
        }
    }
}

impl Scalar {
    pub(super) fn number(self, scheme: Scheme) -> Result<f64> {
        match self {
            Self::Number(x) => Ok(x),
            Self::Integer(_) => other_kind(scheme, "exact integers"),
        }
    }

    pub(super) fn integer(self, scheme: Scheme) -> Result<i64> {
        match self {
            Self::Integer(x) => Ok(x),
            Self::Number(_) => other_kind(scheme, "real or complex numbers"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scheme_refuses_the_other_kind() {
        let (numbers, integers) = (Values::Numbers(vec![0.5.into()]), Values::from(vec![i64::MAX]));
        assert_eq!(numbers.numbers(Scheme::Ckks), Ok(&[0.5.into()][..]));
        assert_eq!(integers.integers(Scheme::Bgv), Ok(&[i64::MAX][..]));
        let unsupported = |scheme, op| Error::Unsupported { scheme, op };
        assert_eq!(integers.numbers(Scheme::Ckks), Err(unsupported("CKKS", "exact integers")));
        assert_eq!(numbers.integers(Scheme::Bgv), Err(unsupported("BGV", "real or complex numbers")));
        assert!(Scalar::Number(1.0).integer(Scheme::Bgv).is_err() && Scalar::Integer(1).number(Scheme::Ckks).is_err());
    }

    #[test]
    fn the_first_values_are_kept() {
        assert_eq!(Values::from(vec![3, 4, 5]).first(2), Values::from(vec![3, 4]));
        assert_eq!(Values::Numbers(vec![3.0.into()]).first(2), Values::Numbers(vec![3.0.into()]));
    }

    #[test]
    fn values_are_wiped() {
        let mut numbers = Values::Numbers(vec![Complex64::new(0.5, 2.0); 4]);
        numbers.zeroize();
        assert_eq!(numbers, Values::Numbers(vec![Complex64::default(); 4]));
        let mut integers = Values::Integers(vec![7; 4]);
        integers.zeroize();
        assert!(integers.is_empty());
    }
}
