//! Counts of the same four functions in AVX-512 instructions on lanes of 64 bits.

use super::count::Function;
use super::shape::{Residues, Shape};

/// Lanes in a vector.
pub const LANES: u64 = 8;

/// A comparison and a masked subtraction.
const CONDITIONAL_SUBTRACTION: u64 = 2;

/// Instructions per lane for each operation on 64-bit words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instructions {
    /// The product of two words, with both words of the result.
    pub product: u64,
    /// Addition with carry.
    pub carry: u64,
    /// Shoup's modular multiplication without the final correction; its result is below 4p, p being
    /// the prime.
    pub modular: u64,
}

impl Instructions {
    /// Emulation with AVX-512, which multiplies halves of words and has no carries (HEAAN
    /// Demystified, Section V-B).
    ///
    /// A product takes 4 multiplications, 5 additions and 5 shifts. A carry takes a comparison and
    /// an addition. The modular multiplication computes an approximate upper word with 3
    /// multiplications, 2 additions and 4 shifts instead of 4, 4 and 5; then two lower words, one
    /// instruction each; then a subtraction.
    pub const fn emulated() -> Self {
        let upper_word = (4 - 1) + (4 - 2) + (5 - 1);
        Self { product: 4 + 5 + 5, carry: 1 + 1 + 1, modular: upper_word + 2 + 1 }
    }

    /// A hypothetical instruction set with one instruction for each operation (HEAAN Demystified,
    /// Section VIII). A product takes two: one for the lower and one for the upper word.
    pub const fn native() -> Self {
        Self { product: 2, carry: 1, modular: 1 }
    }

    /// One product added to a sum of two words.
    pub const fn pair(self) -> u64 {
        self.product + 2 * self.carry
    }

    /// A butterfly with lazy ranges, forward or inverse, modulo a prime p.
    ///
    /// Forward, on values x and y below 8p: x is reduced below 4p and y is multiplied by the
    /// twiddle factor. Then their sum and their difference plus 4p are formed. Inverse: the sum is
    /// reduced below 4p, and the difference plus 4p is multiplied.
    pub const fn butterfly(self) -> u64 {
        self.modular + CONDITIONAL_SUBTRACTION + 1 + 2
    }

    /// Instructions per coefficient that the last stage of an inverse transform takes in addition
    /// to its butterflies, if 1/N is merged into its twiddle factors. Half of the coefficients get
    /// a multiplication instead of a conditional subtraction. All coefficients are reduced from
    /// below 4p to below p.
    ///
    /// Neither paper states this. It is the form of the division by N that gives the inverse
    /// transform's total in Table II of Accelerating FHE.
    pub const fn last_stage(self) -> u64 {
        (self.modular + 3 * CONDITIONAL_SUBTRACTION) / 2
    }
}

impl Residues {
    /// Lane operations of a function on this polynomial with emulated instructions; idle lanes are
    /// included.
    ///
    /// Lanes hold primes in CRT and words of P/p_j in iCRT, so their numbers are rounded up to
    /// whole vectors. In transforms and in the modular multiplications of iCRT, lanes hold
    /// coefficients (Accelerating FHE, Section III). Reductions are counted as in
    /// [`Residues::operations`].
    pub fn lane_operations(&self, function: Function) -> u64 {
        let set = Instructions::emulated();
        let n = self.coefficients();
        match function {
            Function::Crt => {
                let primes = self.primes.next_multiple_of(LANES);
                n * primes * (self.limbs * set.pair() + set.modular)
            }
            Function::Ntt => self.primes * self.butterflies() * set.butterfly(),
            Function::Intt => self.primes * (self.butterflies() * set.butterfly() + n * set.last_stage()),
            Function::Icrt => {
                let product_limbs = self.product_limbs.next_multiple_of(LANES);
                n * self.primes * (product_limbs * set.pair() + 2 * set.modular)
            }
        }
    }

    /// Instructions on full vectors, counting only what [Table X](super::table) of HEAAN
    /// Demystified counts: butterflies and the division by N in transforms, and products with their
    /// additions in CRT and iCRT.
    pub fn vector_instructions(&self, function: Function, set: Instructions) -> f64 {
        let butterflies = self.primes * self.butterflies() * set.butterfly();
        let lanes = match function {
            Function::Crt | Function::Icrt => self.pairs(function) * set.pair(),
            Function::Ntt => butterflies,
            Function::Intt => butterflies + self.primes * self.coefficients() * set.modular,
        };
        lanes as f64 / LANES as f64
    }
}

impl Shape {
    /// Lane operations of a function in a whole multiplication with emulated instructions.
    pub fn lane_operations(self, function: Function) -> u64 {
        self.regions().iter().map(|r| r.residues.lane_operations(function) * function.polynomials(r)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_the_parts() {
        let (emulated, native) = (Instructions::emulated(), Instructions::native());
        assert_eq!((emulated.pair(), native.pair()), (20, 4));
        assert_eq!((emulated.butterfly(), native.butterfly()), (17, 6));
        let per_coefficient = |log_n: u64| log_n * emulated.butterfly() / 2 + emulated.last_stage();
        assert_eq!(per_coefficient(16), 145);
    }

    #[test]
    fn words_of_the_product_do_not_change_whole_vectors() {
        let shape = Shape::avx512();
        for half in [super::super::Half::Tensor, super::super::Half::KeySwitch] {
            let (most, least) = (shape.region(half).residues, shape.region_with_least_primes(half).residues);
            assert_ne!(most, least);
            assert_eq!(most.lane_operations(Function::Icrt), least.lane_operations(Function::Icrt));
        }
    }
}
