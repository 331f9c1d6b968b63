//! The number of bytes in which a backend stores a residue.

use ringjet_math::Basis;

/// The number of bytes in which a backend stores a residue.
///
/// [`Backend::alloc`](crate::Backend::alloc) has no basis, so the width is a property of the opened
/// backend: one of fewer than 8 bytes is opened for parameters whose primes all fit, and refuses
/// operations on other primes with [`BackendError::NarrowWords`](crate::BackendError::NarrowWords).
/// The words of [`Backend::upload`](crate::Backend::upload) and
/// [`Backend::download`](crate::Backend::download) have 8 bytes for every width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// 4 bytes, for primes below 2^31. The sum of two residues fits as well.
    Four,
    /// 6 bytes, for primes below 2^48.
    Six,
    /// 8 bytes, for all primes.
    Eight,
}

impl Width {
    /// All widths, the smallest first.
    pub const ALL: [Self; 3] = [Self::Four, Self::Six, Self::Eight];

    /// The smallest width for residues modulo the primes of `basis`.
    pub fn of(basis: &Basis) -> Self {
        Self::of_bits(basis.primes().iter().map(|p| p.modulus().bits()).max().unwrap_or(0))
    }

    /// The smallest width for residues modulo primes of at most `bits` bits.
    pub fn of_bits(bits: u32) -> Self {
        Self::ALL.into_iter().find(|width| bits <= width.most_bits()).unwrap_or(Self::Eight)
    }

    /// Number of bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Six => 6,
            Self::Eight => 8,
        }
    }

    /// The most bits that a prime may have.
    pub fn most_bits(self) -> u32 {
        match self {
            Self::Four => 31,
            Self::Six => 48,
            Self::Eight => 61,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringjet_math::prime::ntt_primes;

    #[test]
    fn the_widest_prime_decides() {
        let basis = |bits: &[u32]| {
            let mut primes = vec![];
            bits.iter().for_each(|&b| primes.extend(ntt_primes(4, b, 1, &primes).unwrap()));
            Basis::new(4, &primes).unwrap()
        };
        assert_eq!(Width::of(&basis(&[31, 31, 20])), Width::Four);
        assert_eq!(Width::of(&basis(&[31, 32])), Width::Six);
        assert_eq!(Width::of(&basis(&[48, 31])), Width::Six);
        assert_eq!(Width::of(&basis(&[48, 49])), Width::Eight);
        assert_eq!(Width::of(&basis(&[61])), Width::Eight);
        assert!(Width::ALL.is_sorted_by_key(|width| (width.bytes(), width.most_bits())));
    }
}
