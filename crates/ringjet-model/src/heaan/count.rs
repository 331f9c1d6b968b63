//! Arithmetic of CRT, NTT, iNTT and iCRT on one polynomial and in a whole multiplication.

use std::iter::Sum;

use serde::Serialize;

use super::shape::{Half, Region, Residues, Shape};

/// The four functions that a multiplication spends nearly all its time in (HEAAN Demystified, Section IV).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// From limbs to residues (Algorithm 1).
    Crt,
    /// Forward transform (Algorithm 3).
    Ntt,
    /// Inverse transform, division by N included.
    Intt,
    /// From residues to limbs (Algorithms 5 and 6).
    Icrt,
}

impl Function {
    /// All four, in the order of the papers' tables.
    pub const ALL: [Self; 4] = [Self::Crt, Self::Ntt, Self::Intt, Self::Icrt];

    /// As the papers write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crt => "CRT",
            Self::Ntt => "NTT",
            Self::Intt => "iNTT",
            Self::Icrt => "iCRT",
        }
    }

    /// Polynomials that pass it in a half.
    pub const fn polynomials(self, region: &Region) -> u64 {
        match self {
            Self::Crt | Self::Ntt => region.forward,
            Self::Intt | Self::Icrt => region.inverse,
        }
    }
}

/// Operations on words, as Table IV of HEAAN Demystified tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Operations {
    /// Products of two words, two words long.
    pub multiplications: u64,
    /// Modular multiplications with a fixed factor (Shoup's).
    pub modular: u64,
    /// Additions of a product to a sum of several words, with carry; one for each product.
    pub carries: u64,
    /// Additions and subtractions of residues.
    pub additions: u64,
}

impl Operations {
    /// All of them, a modular multiplication counted as `modular` operations.
    pub fn weighted(self, modular: u64) -> u64 {
        self.multiplications + modular * self.modular + self.carries + self.additions
    }

    fn times(self, n: u64) -> Self {
        Self {
            multiplications: n * self.multiplications,
            modular: n * self.modular,
            carries: n * self.carries,
            additions: n * self.additions,
        }
    }
}

impl Sum for Operations {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| Self {
            multiplications: a.multiplications + b.multiplications,
            modular: a.modular + b.modular,
            carries: a.carries + b.carries,
            additions: a.additions + b.additions,
        })
    }
}

impl Residues {
    /// Coefficients.
    pub const fn coefficients(&self) -> u64 {
        1 << self.log_n
    }

    /// Butterflies of a transform of one prime: in each stage, groups times butterflies of a group.
    pub fn butterflies(&self) -> u64 {
        let n = self.coefficients();
        (0..self.log_n)
            .map(|stage| {
                let groups = 1 << stage;
                groups * (n / (2 * groups))
            })
            .sum()
    }

    /// Products of a word with a word of a table: a limb of the input in each prime in CRT, a residue with each word
    /// of P/p_j in iCRT; none in transforms.
    pub fn pairs(&self, function: Function) -> u64 {
        match function {
            Function::Crt => self.coefficients() * self.primes * self.limbs,
            Function::Icrt => self.coefficients() * self.primes * self.product_limbs,
            Function::Ntt | Function::Intt => 0,
        }
    }

    /// Operations of a function on this polynomial.
    ///
    /// * CRT: a product and an addition with carry for each limb in each prime; then the sum is reduced once.
    /// * NTT: a modular multiplication, an addition and a subtraction a butterfly.
    /// * iNTT: the same, and a modular multiplication by 1/N a residue.
    /// * iCRT: a modular multiplication by the inverse of P/p_j a residue, a product and an addition with carry for
    ///   each of its products with the words of P/p_j, and a second modular multiplication a residue, which Table IV
    ///   charges and Algorithm 5 does not show: it stands for the reduction modulo P.
    pub fn operations(&self, function: Function) -> Operations {
        let residues = self.coefficients() * self.primes;
        let pairs = self.pairs(function);
        let butterflies = self.primes * self.butterflies();
        let modular = match function {
            Function::Crt => residues,
            Function::Ntt => butterflies,
            Function::Intt => butterflies + residues,
            Function::Icrt => residues + residues,
        };
        let additions = match function {
            Function::Ntt | Function::Intt => 2 * butterflies,
            Function::Crt | Function::Icrt => 0,
        };
        Operations { multiplications: pairs, modular, carries: pairs, additions }
    }
}

impl Shape {
    /// Operations of a function in a whole multiplication.
    pub fn operations(self, function: Function) -> Operations {
        self.regions().iter().map(|r| r.residues.operations(function).times(function.polynomials(r))).sum()
    }

    /// Products of words of a function in a whole multiplication, with the fewest words of P/p_j
    /// (see [`Shape::region_with_least_primes`]).
    pub fn least_pairs(self, function: Function) -> u64 {
        let pairs = |half| {
            let region = self.region_with_least_primes(half);
            region.residues.pairs(function) * function.polynomials(&region)
        };
        pairs(Half::Tensor) + pairs(Half::KeySwitch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_sum_to_half_n_log_n_butterflies() {
        for log_n in 1..=17 {
            let residues = Residues { log_n, limbs: 1, primes: 1, product_limbs: 1 };
            assert_eq!(2 * residues.butterflies(), u64::from(log_n) << log_n);
        }
    }

    #[test]
    fn a_multiplication_is_five_forward_and_five_inverse_polynomials() {
        let shape = Shape::avx512();
        let [a, b] = shape.regions().map(|r| r.residues);
        for function in Function::ALL {
            let (m, n) = if matches!(function, Function::Crt | Function::Ntt) { (4, 1) } else { (3, 2) };
            let sum = m * a.operations(function).weighted(1) + n * b.operations(function).weighted(1);
            assert_eq!(shape.operations(function).weighted(1), sum);
        }
    }
}
