//! Instructions of modular arithmetic on a DPU.
//!
//! `docs/design/pim-arithmetic.md` has the counts of the processor as built, whose multiplier has
//! 8 bits.

use super::error::PimModelError;

/// Instructions of a Barrett reduction besides its products and the last subtraction: shifts,
/// moves.
const BARRETT: f64 = 8.0;
/// Instructions of a product with a constant factor besides its products of words and the last
/// subtraction, which is hardly ever needed.
const SHOUP: f64 = 7.0;
/// How often the last subtraction of a reduction is needed.
const SUBTRACTED: f64 = 0.1;
/// The compiler's product of 64-bit words, as published.
const COMPILER_WIDE: f64 = 134.0;

/// A build of the DPU program, by the name of the rung in `ringjet-pim`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// The first published step: the compiler's products and division, each word moved by itself.
    Initial,
    /// The first step with the own products alone.
    ProductOnly,
    /// The first step with Barrett reduction alone.
    BarrettOnly,
    /// The second published step: own products and Barrett reduction.
    Product,
    /// The third: in addition words pass through buffers.
    Buffered,
    /// The fourth: in addition coalesced additions and subtractions.
    Coalesced,
    /// The last published step: in addition scrambled factors and better buffers.
    Scrambled,
    /// The last published step with dummy products, which take 83 % less time and compute nothing.
    Dummy,
    /// As `Scrambled`, with Shoup's products in transforms and with constants.
    Shoup,
    /// In addition polynomials of up to 8192 words stay in working memory during a transform.
    Resident,
    /// In addition products of 24-bit residues from nine products of bytes.
    Nine,
}

impl Program {
    /// All builds, with their names.
    pub const ALL: [(&str, Self); 11] = [
        ("initial", Self::Initial),
        ("product-only", Self::ProductOnly),
        ("barrett-only", Self::BarrettOnly),
        ("product", Self::Product),
        ("buffered", Self::Buffered),
        ("coalesced", Self::Coalesced),
        ("scrambled", Self::Scrambled),
        ("dummy", Self::Dummy),
        ("shoup", Self::Shoup),
        ("resident", Self::Resident),
        ("nine", Self::Nine),
    ];

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

    /// Whether the program has products of its own, instead of the compiler's.
    pub(super) fn own_product(self) -> bool {
        !matches!(self, Self::Initial | Self::BarrettOnly)
    }

    fn barrett(self) -> bool {
        !matches!(self, Self::Initial | Self::ProductOnly)
    }

    /// Whether words pass through buffers, instead of one by one.
    pub(super) fn buffered(self) -> bool {
        !matches!(self, Self::Initial | Self::ProductOnly | Self::BarrettOnly | Self::Product)
    }

    /// Whether a comparison is the subtraction that follows.
    fn coalesced(self) -> bool {
        self.buffered() && self != Self::Buffered
    }

    /// Whether factors are in the order of their use, so that a buffer holds several groups.
    pub(super) fn scrambled(self) -> bool {
        self.coalesced() && self != Self::Coalesced
    }

    /// Whether constant factors have Shoup companions.
    pub(super) fn companions(self) -> bool {
        matches!(self, Self::Shoup | Self::Resident | Self::Nine)
    }

    /// Whether polynomials stay in working memory during a transform.
    pub(super) fn resident(self) -> bool {
        matches!(self, Self::Resident | Self::Nine)
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

    /// Its bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Bytes => 8,
            Self::Halfwords => 16,
            Self::Words => 32,
        }
    }

    /// Instructions of the own 32 x 32 bit product, with call and return: 64 bits of the result,
    /// the low 32 bits, and 64 bits of the result for factors of 24 bits.
    fn own_products(self, program: Program) -> [f64; 3] {
        let short = if program == Program::Nine { 23.0 } else { 37.0 };
        match self {
            _ if program == Program::Dummy => [6.0, 4.0, 6.0],
            Self::Bytes => [37.0, 23.0, short],
            Self::Halfwords => [14.0, 7.0, 14.0],
            Self::Words => [2.0, 1.0, 2.0],
        }
    }
}

/// Instructions of operations on residues, means over random residues.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arithmetic {
    /// A sum.
    pub sum: f64,
    /// A product of two residues.
    pub product: f64,
    /// A product with a constant factor.
    pub factor: f64,
    /// A product with a constant factor and its Shoup companion, which some commands of all
    /// programs use.
    pub companion_product: f64,
    /// The own product of words, 64 bits of the result, which some commands of all programs use.
    pub own_wide: f64,
    /// A butterfly, without loads, stores and loop.
    pub butterfly: f64,
    program: Program,
    wide: f64,
    /// The low word of a product with the own routine, and the subtraction that ends a reduction.
    low: f64,
    subtraction: f64,
}

impl Arithmetic {
    /// The arithmetic of a program on DPUs with a multiplier, modulo a prime of `bits` bits.
    pub fn new(program: Program, multiplier: Multiplier, bits: u32) -> Self {
        let [own_wide, low, short] = multiplier.own_products(program);
        let own = program.own_product();
        let (wide, residues) = if own { (own_wide, short) } else { (COMPILER_WIDE, COMPILER_WIDE) };
        // a comparison and the difference, then a move or an addition if it is needed
        let compared = if program.coalesced() { 1.0 } else { 2.0 };
        let (sum, difference) = (1.0 + compared + 0.5, 0.5 + if program.coalesced() { 1.0 } else { 3.0 });
        let subtraction = compared + SUBTRACTED;
        let base = Self {
            sum,
            product: 0.0,
            factor: 0.0,
            companion_product: 0.0,
            own_wide,
            butterfly: 0.0,
            program,
            wide,
            low,
            subtraction,
        };
        let product = residues + base.reduction(f64::from(bits) - PRODUCT_BITS);
        let shoup = wide + 2.0 * base.low_product(f64::from(bits)) + SHOUP + compared;
        // without companions the factor is moved to a register, then it is a product like others
        let factor = if program.companions() { shoup } else { product + 1.0 };
        Self { product, factor, companion_product: shoup, butterfly: factor + sum + difference, ..base }
    }

    /// A reduction whose quotient has so many bits in the mean.
    pub fn reduction(&self, quotient_bits: f64) -> f64 {
        if self.program.barrett() {
            return self.wide + self.low_product(quotient_bits) + BARRETT + self.subtraction;
        }
        // the division: a step for each bit, and more for each that is set
        // (`compiler_remainder_64`)
        14.0 + 15.0 * (quotient_bits + 1.0) + 3.0 * (quotient_bits + 1.0) / 2.0
    }

    /// The low word of a product whose smaller factor has so many bits in the mean. The compiler's
    /// takes a step for each.
    fn low_product(&self, bits: f64) -> f64 {
        if self.program.own_product() { self.low } else { 7.0 + bits.max(1.0) }
    }
}

/// By how much the quotient of a random product of residues is shorter than the prime, in the mean:
/// 2 / ln 2 bits for two random factors, less the half bit by which lengths are rounded up.
const PRODUCT_BITS: f64 = 2.4;

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts of `docs/design/pim-arithmetic.md`.
    #[test]
    fn instructions_are_those_that_were_counted() {
        let of = |program| Arithmetic::new(program, Multiplier::Bytes, 24);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 0.11, "{a} {b}");
        close(of(Program::Scrambled).product, 106.1);
        close(of(Program::Nine).product, 92.1);
        close(of(Program::Shoup).factor, 91.0);
        // with the 7 instructions of the loop; with Barrett's reduction one more, for the factor
        close(of(Program::Scrambled).butterfly + 7.0, 118.1);
        close(of(Program::Shoup).butterfly + 7.0, 102.0);
        close(of(Program::Scrambled).sum, 2.5);
        close(of(Program::Buffered).sum, 3.5);
        // the compiler's routines: products and division, products alone
        assert!((of(Program::Initial).product / 520.6 - 1.0).abs() < 0.005, "{:?}", of(Program::Initial));
        assert!((of(Program::BarrettOnly).product / 306.7 - 1.0).abs() < 0.01, "{:?}", of(Program::BarrettOnly));
    }
}
