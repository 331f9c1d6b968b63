//! The modular arithmetics of the kernels, and the choice between them.

use std::fmt;
use std::str::FromStr;

use ringjet_math::{Basis, Modulus};

use crate::modarith::{F64Modulus, U32Modulus, U64Modulus};

/// A modular arithmetic of the kernels. All arithmetics compute the same residues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// Primes below 2^31, in signed 32-bit integers.
    U32,
    /// Primes below 2^31, in unsigned 32-bit integers.
    U32Unsigned,
    /// Primes below 2^50, in double precision.
    F64,
    /// Primes below 2^50, in 64-bit integers.
    U64Below50,
    /// Primes below 2^61, in 64-bit integers.
    U64Below61,
}

/// The error for a name that is not the name of an arithmetic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no arithmetic is called {name:?}: there are u32, u32unsigned, f64, u64 (or u64below50) and u64below61")]
pub struct UnknownArithmetic {
    /// The name that was given.
    pub name: String,
}

impl FromStr for Arithmetic {
    type Err = UnknownArithmetic;

    fn from_str(name: &str) -> Result<Self, UnknownArithmetic> {
        match name {
            "u64" => Ok(Self::U64Below50),
            _ => Self::ALL
                .into_iter()
                .find(|a| a.to_string() == name)
                .ok_or_else(|| UnknownArithmetic { name: name.into() }),
        }
    }
}

/// The name in lower case, as in the names of entry points: `u64below50`.
impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

impl Arithmetic {
    /// All arithmetics, in the order of the kernels' numbers.
    pub const ALL: [Self; 5] = [Self::U32, Self::U32Unsigned, Self::F64, Self::U64Below50, Self::U64Below61];

    /// The most bits that a prime may have.
    pub fn bits(self) -> u32 {
        match self {
            Self::U32 | Self::U32Unsigned => 31,
            Self::F64 | Self::U64Below50 => 50,
            Self::U64Below61 => 61,
        }
    }

    /// Whether this arithmetic can compute modulo every prime of `basis`. The smallest prime of an
    /// arithmetic need not be checked: primes that have transforms are larger.
    pub fn fits(self, basis: &Basis) -> bool {
        basis.primes().iter().all(|p| p.modulus().bits() <= self.bits())
    }

    /// The words of a modulus, in the layout that kernels read. The modulus must fit the
    /// arithmetic.
    pub(crate) fn modulus(self, m: &Modulus) -> Vec<u64> {
        let words = match self {
            Self::U32 | Self::U32Unsigned => U32Modulus::new(m).map(|own| own.words().to_vec()),
            Self::F64 => F64Modulus::new(m).map(|own| own.words().to_vec()),
            Self::U64Below50 => U64Modulus::below_50(m).map(|own| own.words().to_vec()),
            Self::U64Below61 => U64Modulus::below_61(m).map(|own| own.words().to_vec()),
        };
        words.expect("the basis fits the arithmetic")
    }

    /// The words of the residue w as a `Constant` of the kernels: one word for 32-bit arithmetics,
    /// two for others.
    pub(crate) fn constant(self, m: &Modulus, w: u64) -> impl Iterator<Item = u64> {
        let own = || U32Modulus::new(m).expect("the basis fits the arithmetic");
        let (words, count) = match self {
            Self::U32 => ([own().constant(U32Modulus::form(m, w)).word(), 0], 1),
            Self::U32Unsigned => ([own().shoup_constant(w).word(), 0], 1),
            Self::F64 => (F64Modulus::constant(m, w).words(), 2),
            Self::U64Below50 => (U64Modulus::constant_below_50(m, w).words(), 2),
            Self::U64Below61 => (U64Modulus::constant_below_61(m, w).words(), 2),
        };
        words.into_iter().take(count)
    }

    /// The word of the residue w as a right factor of a sum (`Right` in `kernels/modarith_*.cuh`).
    pub fn right(self, m: &Modulus, w: u64) -> u64 {
        match self {
            Self::U32 | Self::U32Unsigned => U32Modulus::form(m, w),
            Self::F64 => (m.center(w) as f64).to_bits(),
            Self::U64Below50 => (w >> 25) << 32 | w & 0x1ff_ffff,
            Self::U64Below61 => w,
        }
    }

    /// The most bits that a left factor of a sum may have (`LEFT_BITS`).
    pub(crate) fn left_bits(self) -> u32 {
        match self {
            Self::U32 | Self::U32Unsigned => 31,
            Self::F64 => 49,
            Self::U64Below50 => 50,
            Self::U64Below61 => 61,
        }
    }
}

/// How a backend chooses the arithmetic of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The arithmetic to use wherever the primes fit it.
    pub preferred: Option<Arithmetic>,
    /// Whether to use double precision, rather than 64-bit integers, for primes of up to 50 bits.
    pub doubles: bool,
}

impl Choice {
    /// The arithmetic for an operation on these bases: the preferred one if it fits all primes,
    /// else the narrowest that does.
    pub fn of(&self, bases: &[&Basis]) -> Arithmetic {
        let middle = if self.doubles { Arithmetic::F64 } else { Arithmetic::U64Below50 };
        let fitting = |a: &Arithmetic| bases.iter().all(|b| a.fits(b));
        self.preferred.into_iter().chain([Arithmetic::U32, middle]).find(fitting).unwrap_or(Arithmetic::U64Below61)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_and_unknown_names_refused() {
        for a in Arithmetic::ALL {
            assert_eq!(a.to_string().parse(), Ok(a));
        }
        assert_eq!("u64".parse(), Ok(Arithmetic::U64Below50));
        assert_eq!(Arithmetic::U32Unsigned.to_string(), "u32unsigned");
        let refused = "F64".parse::<Arithmetic>().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "no arithmetic is called \"F64\": there are u32, u32unsigned, f64, u64 (or u64below50) and u64below61"
        );
    }

    #[test]
    fn the_preferred_arithmetic_is_chosen_where_it_fits() {
        use Arithmetic::*;
        let basis = |bits: &[u32]| {
            let primes: Vec<u64> =
                bits.iter().map(|&b| ringjet_math::prime::ntt_primes(4, b, 1, &[]).unwrap()[0]).collect();
            Basis::new(4, &primes).unwrap()
        };
        let bases = [basis(&[31, 20]), basis(&[31, 50]), basis(&[50, 51]), basis(&[61])];
        let chosen = |preferred, doubles| bases.each_ref().map(|b| Choice { preferred, doubles }.of(&[b]));
        assert_eq!(chosen(None, true), [U32, F64, U64Below61, U64Below61]);
        assert_eq!(chosen(None, false), [U32, U64Below50, U64Below61, U64Below61]);
        assert_eq!(chosen(Some(U64Below50), true), [U64Below50, U64Below50, U64Below61, U64Below61]);
        assert_eq!(chosen(Some(U32Unsigned), true), [U32Unsigned, F64, U64Below61, U64Below61]);
        assert_eq!(chosen(Some(U64Below61), true), [U64Below61; 4]);
        let both = Choice { preferred: None, doubles: true }.of(&[&bases[0], &bases[1]]);
        assert_eq!(both, F64);
    }
}
