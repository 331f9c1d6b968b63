//! Arithmetic of CRT, NTT, iNTT and iCRT, for one polynomial and for a whole multiplication.
//! Algorithms and tables are those of *HEAAN Demystified* (see the module above).

use std::iter::Sum;

use serde::Serialize;

use super::shape::{Half, Region, Residues, Shape};

/// The four functions that take nearly all the time of a multiplication (HEAAN Demystified, Section
/// IV).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// From words of coefficients to residues (Algorithm 1).
    Crt,
    /// Forward transform (Algorithm 3).
    Ntt,
    /// Inverse transform, including the division by N.
    Intt,
    /// From residues to words of coefficients (Algorithms 5 and 6).
    Icrt,
}

impl Function {
    /// All four functions, in the order of the papers' tables.
    pub const ALL: [Self; 4] = [Self::Crt, Self::Ntt, Self::Intt, Self::Icrt];

    /// The function's name in the papers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crt => "CRT",
            Self::Ntt => "NTT",
            Self::Intt => "iNTT",
            Self::Icrt => "iCRT",
        }
    }

    /// The number of polynomials that pass this function in one half of a multiplication.
    pub const fn polynomials(self, region: &Region) -> u64 {
        match self {
            Self::Crt | Self::Ntt => region.forward,
            Self::Intt | Self::Icrt => region.inverse,
        }
    }
}

/// Operations on words, by the classes of Table IV of HEAAN Demystified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Operations {
    /// Products of two words, with a result of two words.
    pub multiplications: u64,
    /// Modular multiplications with a fixed factor (Shoup's).
    pub modular: u64,
    /// Additions with carry of a product to a sum of several words; one for each product.
    pub carries: u64,
    /// Additions and subtractions of residues.
    pub additions: u64,
}

impl Operations {
    /// All operations together; a modular multiplication counts as `modular` operations.
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
    /// The number of coefficients, N.
    pub const fn coefficients(&self) -> u64 {
        1 << self.log_n
    }

    /// Butterflies of the transform modulo one prime: stages * groups per stage * butterflies per
    /// group.
    pub fn butterflies(&self) -> u64 {
        let n = self.coefficients();
        (0..self.log_n)
            .map(|stage| {
                let groups = 1 << stage;
                groups * (n / (2 * groups))
            })
            .sum()
    }

    /// Products of a word with a word of a table. CRT: one for each limb of the input and each
    /// prime. iCRT: one for each residue and each word of P/p_j, where P is the product of all
    /// primes p_j. Transforms have none.
    pub fn pairs(&self, function: Function) -> u64 {
        match function {
            Function::Crt => self.coefficients() * self.primes * self.limbs,
            Function::Icrt => self.coefficients() * self.primes * self.product_limbs,
            Function::Ntt | Function::Intt => 0,
        }
    }

    /// Operations of a function on one polynomial.
    ///
    /// * CRT: a product and an addition with carry for each limb and each prime; then one reduction
    ///   of each sum.
    /// * NTT: a modular multiplication, an addition and a subtraction for each butterfly.
    /// * iNTT: the same, and a modular multiplication by 1/N for each residue.
    /// * iCRT: for each residue a modular multiplication by the inverse of P/p_j, a product and an
    ///   addition with carry for each word of P/p_j, and a second modular multiplication. Table IV
    ///   charges the second one as the reduction modulo P; Algorithm 5 does not show it.
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
    /// Operations of a function in a whole multiplication, both halves together.
    pub fn operations(self, function: Function) -> Operations {
        self.regions().iter().map(|r| r.residues.operations(function).times(function.polynomials(r))).sum()
    }

    /// Products of words of a function in a whole multiplication, with the fewest words that P/p_j
    /// can have (see [`Shape::region_with_least_primes`]).
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
