//! The modular arithmetics of the kernels, and the choice between them.

use std::fmt;
use std::str::FromStr;

use ringjet_backend::Width;
use ringjet_math::{Basis, Modulus};

use crate::modarith::{F64Modulus, U32Modulus, U64Modulus};

/// A modular arithmetic of the kernels. All arithmetics compute the same residues. They differ in
/// the primes that they take, and in the bytes that a residue takes in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// Primes below 2^50, in double precision; 8 bytes.
    F64,
    /// Primes below 2^50, in 64-bit integers; 8 bytes.
    U64Below50,
    /// Primes below 2^61, in 64-bit integers; 8 bytes.
    U64Below61,
    /// Primes below 2^48, in double precision; 6 bytes.
    F64Below48,
    /// Primes below 2^48, in 64-bit integers; 6 bytes.
    U64Below48,
    /// Primes below 2^31, in signed 32-bit integers; 4 bytes.
    U32,
    /// Primes below 2^31, in unsigned 32-bit integers; 4 bytes.
    U32Unsigned,
}

/// The error for a name that is not the name of an arithmetic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no arithmetic is called {name:?}: there are f64, u64 (or u64below50), u64below61, f64below48, u64below48, u32 and \
     u32unsigned"
)]
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
    pub const ALL: [Self; 7] = [
        Self::F64,
        Self::U64Below50,
        Self::U64Below61,
        Self::F64Below48,
        Self::U64Below48,
        Self::U32,
        Self::U32Unsigned,
    ];

    /// The most bits that a prime may have.
    pub fn bits(self) -> u32 {
        match self {
            Self::U32 | Self::U32Unsigned => 31,
            Self::F64Below48 | Self::U64Below48 => 48,
            Self::F64 | Self::U64Below50 => 50,
            Self::U64Below61 => 61,
        }
    }

    /// How residues are stored.
    pub fn width(self) -> Width {
        match self {
            Self::U32 | Self::U32Unsigned => Width::Four,
            Self::F64Below48 | Self::U64Below48 => Width::Six,
            Self::F64 | Self::U64Below50 | Self::U64Below61 => Width::Eight,
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
            Self::F64 | Self::F64Below48 => F64Modulus::new(m).map(|own| own.words().to_vec()),
            Self::U64Below50 | Self::U64Below48 => U64Modulus::below_50(m).map(|own| own.words().to_vec()),
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
            Self::F64 | Self::F64Below48 => (F64Modulus::constant(m, w).words(), 2),
            Self::U64Below50 | Self::U64Below48 => (U64Modulus::constant_below_50(m, w).words(), 2),
            Self::U64Below61 => (U64Modulus::constant_below_61(m, w).words(), 2),
        };
        words.into_iter().take(count)
    }

    /// The word of the residue w as a right factor of a sum (`Right` in `kernels/modarith_*.cuh`).
    pub fn right(self, m: &Modulus, w: u64) -> u64 {
        match self {
            Self::U32 | Self::U32Unsigned => U32Modulus::form(m, w),
            Self::F64 | Self::F64Below48 => (m.center(w) as f64).to_bits(),
            Self::U64Below50 | Self::U64Below48 => (w >> 25) << 32 | w & 0x1ff_ffff,
            Self::U64Below61 => w,
        }
    }

    /// The most bits that a left factor of a sum may have (`LEFT_BITS`).
    pub(crate) fn left_bits(self) -> u32 {
        match self {
            Self::U32 | Self::U32Unsigned => 31,
            Self::F64 => 49,
            Self::F64Below48 => 47,
            Self::U64Below50 | Self::U64Below48 => 50,
            Self::U64Below61 => 61,
        }
    }
}

/// How a backend chooses the arithmetic of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// How residues are stored.
    pub width: Width,
    /// The arithmetic to use wherever the primes fit it and it has this width.
    pub preferred: Option<Arithmetic>,
    /// Whether to use double precision, rather than 64-bit integers, for primes of up to 50 bits.
    pub doubles: bool,
}

impl Choice {
    /// The arithmetic for an operation on these bases: the preferred one if it fits all primes,
    /// else the fastest that does. `None` if a prime is too large for the width.
    pub fn of(&self, bases: &[&Basis]) -> Option<Arithmetic> {
        let pick = |doubles, integers| if self.doubles { doubles } else { integers };
        let of_width = match self.width {
            Width::Four => [Arithmetic::U32; 2],
            Width::Six => [pick(Arithmetic::F64Below48, Arithmetic::U64Below48); 2],
            Width::Eight => [pick(Arithmetic::F64, Arithmetic::U64Below50), Arithmetic::U64Below61],
        };
        let fitting = |a: &Arithmetic| a.width() == self.width && bases.iter().all(|b| a.fits(b));
        self.preferred.into_iter().chain(of_width).find(fitting)
    }

    /// Whether sums that are exact in double precision are computed so, in an operation that uses `a`.
    pub fn sums_in_doubles(&self, a: Arithmetic) -> bool {
        match a {
            Arithmetic::F64 | Arithmetic::F64Below48 => true,
            Arithmetic::U32 | Arithmetic::U32Unsigned => self.doubles,
            Arithmetic::U64Below50 | Arithmetic::U64Below61 | Arithmetic::U64Below48 => false,
        }
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
            "no arithmetic is called \"F64\": there are f64, u64 (or u64below50), u64below61, f64below48, u64below48, u32 and u32unsigned"
        );
    }

    #[test]
    fn an_arithmetic_takes_the_primes_of_its_width() {
        assert!(Arithmetic::ALL.iter().all(|a| a.bits() <= a.width().most_bits()));
        assert!(Arithmetic::ALL.is_sorted_by_key(|a| std::cmp::Reverse(a.width())), "as build.rs has them");
        for width in Width::ALL {
            let most = Arithmetic::ALL.iter().filter(|a| a.width() == width).map(|a| a.bits()).max();
            assert_eq!(most, Some(width.most_bits()));
        }
    }

    #[test]
    fn the_preferred_arithmetic_is_chosen_where_it_fits() {
        use Arithmetic::*;
        let basis = |bits: &[u32]| {
            let primes: Vec<u64> =
                bits.iter().map(|&b| ringjet_math::prime::ntt_primes(4, b, 1, &[]).unwrap()[0]).collect();
            Basis::new(4, &primes).unwrap()
        };
        let bases = [basis(&[31, 20]), basis(&[31, 48]), basis(&[31, 50]), basis(&[50, 51])];
        let chosen =
            |width, preferred, doubles| bases.each_ref().map(|b| Choice { width, preferred, doubles }.of(&[b]));
        let (four, six, eight) = (Width::Four, Width::Six, Width::Eight);
        assert_eq!(chosen(eight, None, true), [Some(F64), Some(F64), Some(F64), Some(U64Below61)]);
        assert_eq!(chosen(eight, None, false)[2..], [Some(U64Below50), Some(U64Below61)]);
        assert_eq!(chosen(eight, Some(U64Below50), true)[2..], [Some(U64Below50), Some(U64Below61)]);
        assert_eq!(chosen(eight, Some(U64Below61), true), [Some(U64Below61); 4]);
        assert_eq!(chosen(six, None, true), [Some(F64Below48), Some(F64Below48), None, None]);
        assert_eq!(chosen(six, None, false), [Some(U64Below48), Some(U64Below48), None, None]);
        assert_eq!(chosen(six, Some(F64), false), chosen(six, None, false));
        assert_eq!(chosen(six, Some(U64Below48), true), [Some(U64Below48), Some(U64Below48), None, None]);
        assert_eq!(chosen(four, None, true), [Some(U32), None, None, None]);
        assert_eq!(chosen(four, Some(U32Unsigned), true), [Some(U32Unsigned), None, None, None]);
        let both = Choice { width: six, preferred: None, doubles: true };
        assert_eq!((both.of(&[&bases[0], &bases[1]]), both.of(&[&bases[0], &bases[2]])), (Some(F64Below48), None));
    }
}
