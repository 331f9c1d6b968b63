//! The same functions in AVX-512 instructions on lanes of 64 bits.

use super::count::Function;
use super::shape::{Residues, Shape};

/// Lanes of a vector.
pub const LANES: u64 = 8;

/// A comparison and a masked subtraction.
const CONDITIONAL_SUBTRACTION: u64 = 2;

/// Instructions for what 64-bit words need, per lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instructions {
    /// The product of two words, both of its words.
    pub product: u64,
    /// Addition with carry.
    pub carry: u64,
    /// Shoup's modular multiplication, not corrected: its result is below 4p.
    pub modular: u64,
}

impl Instructions {
    /// What AVX-512 has (HEAAN Demystified, Section V-B): products of halves of words, no carries.
    ///
    /// A product is 4 multiplications, 5 additions and 5 shifts. A carry is found by a comparison and added. The
    /// modular multiplication has the modified upper word, of 3 multiplications, 2 additions and 4 shifts (one, two
    /// and one fewer than its 4, 4 and 5), two lower words, which are single instructions, and a subtraction.
    pub const fn emulated() -> Self {
        let upper_word = (4 - 1) + (4 - 2) + (5 - 1);
        Self { product: 4 + 5 + 5, carry: 1 + 1 + 1, modular: upper_word + 2 + 1 }
    }

    /// A single instruction each (HEAAN Demystified, Section VIII), a product being a lower and an upper word.
    pub const fn native() -> Self {
        Self { product: 2, carry: 1, modular: 1 }
    }

    /// A product added to a sum of two words.
    pub const fn pair(self) -> u64 {
        self.product + 2 * self.carry
    }

    /// A butterfly with lazy ranges, forward or inverse.
    ///
    /// Forward, on values below 8p: one of the pair is brought below 4p, the other multiplied; then their sum, and
    /// their difference plus 4p. Inverse: the sum, brought below 4p, and the difference plus 4p, multiplied.
    pub const fn butterfly(self) -> u64 {
        self.modular + CONDITIONAL_SUBTRACTION + 1 + 2
    }

    /// What the last stage of an inverse transform does beyond butterflies, per coefficient, where 1/N is part of
    /// its factors: half of it gets a multiplication in place of a conditional subtraction, and all of it is brought
    /// from below 4p to below p.
    ///
    /// No text says so. It is the division by N that fits the inverse transform's total in Table II of Accelerating
    /// FHE.
    pub const fn last_stage(self) -> u64 {
        (self.modular + 3 * CONDITIONAL_SUBTRACTION) / 2
    }
}

impl Residues {
    /// Lane operations of a function on this polynomial, emulated, idle lanes included.
    ///
    /// Lanes hold primes in CRT and words of P/p_j in iCRT, so these are rounded up to whole
    /// vectors; they hold coefficients in transforms and in the modular multiplications of iCRT
    /// (Accelerating FHE, Section III). Reductions are those of [`Residues::operations`].
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

    /// Instructions on vectors of full lanes, of what [Table X](super::table) of HEAAN Demystified
    /// counts: butterflies and the division by N in transforms, products with their additions in
    /// CRT and iCRT, and no more.
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
    /// Lane operations of a function in a whole multiplication, emulated.
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
