//! The number of bytes that a residue needs.

use ringjet_math::Basis;

/// The number of bytes in which a backend stores a residue.
///
/// [`Backend::alloc`](crate::Backend::alloc) has no basis, so the width is a property of the opened
/// backend. A backend with 4 bytes per residue is opened for parameters whose primes all fit. It
/// calls [`Width::of`] with the basis of each operation. The words of
/// [`Backend::upload`](crate::Backend::upload) and [`Backend::download`](crate::Backend::download)
/// have 8 bytes for every width. No backend of this workspace stores fewer than 8 bytes yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// 4 bytes, for primes below 2^31. The sum of two residues fits as well.
    Four,
    /// 8 bytes, for all primes.
    Eight,
}

impl Width {
    /// The smallest width for residues modulo the primes of `basis`.
    pub fn of(basis: &Basis) -> Self {
        if basis.values().all(|q| q >> 31 == 0) { Self::Four } else { Self::Eight }
    }

    /// Number of bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringjet_math::prime::ntt_primes;

    #[test]
    fn one_wide_prime_makes_a_basis_wide() {
        let basis = |bits: &[u32]| {
            let mut primes = vec![];
            bits.iter().for_each(|&b| primes.extend(ntt_primes(4, b, 1, &primes).unwrap()));
            Basis::new(4, &primes).unwrap()
        };
        assert_eq!(Width::of(&basis(&[31, 31, 20])), Width::Four);
        assert_eq!(Width::of(&basis(&[31, 32])), Width::Eight);
        assert!(Width::Four < Width::Eight && Width::Four.bytes() < Width::Eight.bytes());
    }
}
