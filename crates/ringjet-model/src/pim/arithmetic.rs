//! Instructions of modular arithmetic on a DPU.
//!
//! `docs/design/pim-arithmetic.md` has the counts of the processor as built, whose multiplier has
//! 8 bits.

use super::error::PimModelError;

/// Instructions of a conditional subtraction in a sum or a difference of random residues: the
/// subtraction itself, and a move or an addition in half of all cases.
const SUM: f64 = 2.5;
const DIFFERENCE: f64 = 1.5;
/// Instructions of a Barrett reduction besides its products: shifts and moves, then the conditional
/// subtraction, which is needed for a tenth of all products.
const BARRETT: f64 = 8.0 + 1.1;
/// Instructions of a product with a constant factor besides its products of words.
const SHOUP: f64 = 7.0 + 1.0;

/// A build of the DPU program, by the name of the rung in `ringjet-pim`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The last published step: own products, Barrett reduction, buffers, scrambled factors.
    Scrambled,
    /// The same with Shoup's products in transforms and with constants.
    Shoup,
    /// In addition polynomials of up to 8192 words stay in working memory during a transform.
    Resident,
    /// In addition products of 24-bit residues from nine products of bytes.
    Nine,
}

impl Program {
    /// All builds, with their names.
    pub const ALL: [(&str, Self); 4] =
        [("scrambled", Self::Scrambled), ("shoup", Self::Shoup), ("resident", Self::Resident), ("nine", Self::Nine)];

    /// The build with this name.
    ///
    /// # Errors
    /// [`PimModelError::Value`], which lists the names.
    pub fn named(name: &str) -> Result<Self, PimModelError> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|&(_, program)| program).ok_or_else(|| PimModelError::Value {
            what: "program",
            value: name.into(),
            allowed: Self::ALL.map(|(name, _)| name).join(", "),
        })
    }

    /// The build's name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, program)| *program == self).map_or("", |(name, _)| name)
    }

    /// The most bits that a prime may have.
    pub fn most_bits(self) -> u32 {
        if self == Self::Nine { 24 } else { 30 }
    }

    /// Whether constant factors have Shoup companions.
    pub(super) fn companions(self) -> bool {
        self != Self::Scrambled
    }
}

/// The multiplier of a DPU. Only that of bytes has been built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplier {
    /// 8 x 8 bits, as built.
    Bytes,
    /// 16 x 16 bits in one cycle, hypothetical: 4 products, and 8 instructions that shift and add.
    Halfwords,
    /// 32 x 32 bits in one cycle, hypothetical: one instruction for each half of the product.
    Words,
    /// The published dummy products, which take 83 % less time and compute nothing.
    Dummy,
}

impl Multiplier {
    /// The multiplier of so many bits.
    ///
    /// # Errors
    /// [`PimModelError::Value`] for bits other than 8, 16 and 32.
    pub fn of_bits(bits: u32) -> Result<Self, PimModelError> {
        match bits {
            8 => Ok(Self::Bytes),
            16 => Ok(Self::Halfwords),
            32 => Ok(Self::Words),
            _ => Err(PimModelError::Value {
                what: "multiplier bits",
                value: bits.to_string(),
                allowed: "8, 16, 32".into(),
            }),
        }
    }

    /// Instructions of a 32 x 32 bit product, with call and return: 64 bits of the result, the low
    /// 32 bits, and 64 bits of the result for factors of 24 bits.
    fn instructions(self, short: bool) -> [f64; 3] {
        match self {
            Self::Bytes => [37.0, 23.0, if short { 23.0 } else { 37.0 }],
            Self::Halfwords => [14.0, 7.0, 14.0],
            Self::Words => [2.0, 1.0, 2.0],
            Self::Dummy => [6.0, 4.0, if short { 4.0 } else { 6.0 }],
        }
    }
}

/// Instructions of operations on residues, means over random residues.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arithmetic {
    /// A sum.
    pub sum: f64,
    /// A reduction of a sum of products.
    pub reduction: f64,
    /// A product of two residues.
    pub product: f64,
    /// A product with a constant factor.
    pub factor: f64,
    /// A butterfly, without loads, stores and loop.
    pub butterfly: f64,
}

impl Arithmetic {
    /// The arithmetic of a program on DPUs with a multiplier.
    pub fn new(program: Program, multiplier: Multiplier) -> Self {
        let [wide, low, residues] = multiplier.instructions(program == Program::Nine);
        let reduction = wide + low + BARRETT;
        let product = residues + reduction;
        // without companions the factor is moved to a register, then it is a product like others
        let factor = if program.companions() { wide + 2.0 * low + SHOUP } else { product + 1.0 };
        Self { sum: SUM, reduction, product, factor, butterfly: factor + SUM + DIFFERENCE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts of `docs/design/pim-arithmetic.md`.
    #[test]
    fn instructions_are_those_that_were_counted() {
        let of = |program| Arithmetic::new(program, Multiplier::Bytes);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 0.11, "{a} {b}");
        close(of(Program::Scrambled).product, 106.1);
        close(of(Program::Nine).product, 92.1);
        close(of(Program::Shoup).factor, 91.0);
        // with the 7 instructions of the loop; with Barrett's reduction one more, for the factor
        close(of(Program::Scrambled).butterfly + 7.0, 118.1);
        close(of(Program::Shoup).butterfly + 7.0, 102.0);
        close(of(Program::Scrambled).sum, 2.5);
    }
}
