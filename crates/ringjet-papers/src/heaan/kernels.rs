//! Instructions of kernels that exist: those of the benchmark `bench/heaan`, which follows the
//! papers. A test there counts them while the kernels run and compares the counts with these
//! formulas.

use super::count::Function;
use super::lanes::LANES;
use super::shape::{Half, Residues, Shape};
use crate::row::Row;

/// Instructions of one product of words that is added to a sum of two words: 4 multiplications, 4
/// additions and 6 shifts for the product, two additions, a comparison and an addition of the carry
/// for the sum. No carry leaves the upper word.
const PRODUCT: u64 = 18;

/// A comparison and a masked subtraction.
const SUBTRACTION: u64 = 2;

/// Products of 32-bit words that are added in one word of 64 bits before the sum is split.
const NARROW_TERMS: u64 = 8;

/// Shoup's modular multiplication in the kernels of a variant, with the words that it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modular {
    /// With the exact upper word: 6 multiplications, 5 additions and 5 shifts; the result is below
    /// 2p. Variant `AVX`.
    Exact,
    /// Without the product of the lower halves: 5 multiplications, 3 additions and 4 shifts; the
    /// result is below 4p. Variants `AVX-M` and `AVX-MT`.
    Modified,
    /// On words of 32 bits in lanes of 64 bits: 3 multiplications, a shift and a subtraction; the
    /// result is below 2p. Variant `AVX-32`, which is in neither paper.
    Narrow,
}

impl Modular {
    /// Those of the papers, in their order.
    pub const PAPERS: [Self; 2] = [Self::Exact, Self::Modified];

    /// The name of the variant that uses it.
    pub const fn variant(self) -> &'static str {
        match self {
            Self::Exact => "AVX",
            Self::Modified => "AVX-M",
            Self::Narrow => "AVX-32",
        }
    }

    /// Instructions of one multiplication, and conditional subtractions that bring its result below
    /// p.
    const fn instructions(self) -> (u64, u64) {
        match self {
            Self::Exact => (16, 1),
            Self::Modified => (12, 2),
            Self::Narrow => (5, 1),
        }
    }

    /// Instructions of a sum of `terms` products of words. Eight products of 32-bit words are added
    /// without a carry; then one shift and two additions split and add their sum.
    const fn sum(self, terms: u64) -> u64 {
        match self {
            Self::Exact | Self::Modified => terms * PRODUCT,
            Self::Narrow => 2 * terms + 3 * terms.div_ceil(NARROW_TERMS),
        }
    }

    /// Instructions of the reduction of eight such sums modulo eight primes, in CRT: two modular
    /// multiplications for the two words of a sum, their sum, and two or three multiples of p that
    /// are doubled and subtracted where they fit. Sums of 32-bit words have three words.
    const fn reduction(self) -> u64 {
        let (multiplication, corrections) = self.instructions();
        match self {
            Self::Exact | Self::Modified => {
                let steps = corrections + 1;
                2 * multiplication + 1 + steps + steps * SUBTRACTION
            }
            Self::Narrow => 3 + 3 * multiplication + 2 + 2 + 3 * SUBTRACTION,
        }
    }
}

impl Residues {
    /// Additions, subtractions, multiplications, shifts and comparisons of AVX-512 that a variant's
    /// kernel executes on this polynomial. Idle lanes, reductions and last corrections count;
    /// scalar code does not (in iCRT: adding up the words of the sum, and reducing it modulo P).
    ///
    /// * CRT: a product for each word of the input and eight primes, and the reductions.
    /// * NTT: a modular multiplication and five instructions for each eight butterflies; at the end
    ///   one conditional subtraction more than a modular multiplication needs.
    /// * iNTT: the same butterflies; then a modular multiplication by 1/N for each eight residues.
    /// * iCRT: a modular multiplication for each eight residues, and a product for each residue and
    ///   eight words of P/p_j.
    pub fn kernel_instructions(&self, function: Function, modular: Modular) -> u64 {
        let (multiplication, corrections) = modular.instructions();
        let n = self.coefficients();
        let butterflies = self.primes * self.butterflies() / LANES;
        let lines = self.primes * n / LANES;
        match function {
            Function::Crt => n * self.primes.div_ceil(LANES) * (modular.sum(self.limbs) + modular.reduction()),
            Function::Ntt => butterflies * (multiplication + 5) + lines * (corrections + 1) * SUBTRACTION,
            Function::Intt => butterflies * (multiplication + 5) + lines * (multiplication + corrections * SUBTRACTION),
            Function::Icrt => {
                let vectors = self.product_limbs.div_ceil(LANES);
                lines * (multiplication + corrections * SUBTRACTION) + n * vectors * modular.sum(self.primes)
            }
        }
    }
}

impl Shape {
    /// [`Residues::kernel_instructions`] of a whole multiplication. Words of P/p_j are the fewest
    /// that primes above the bound give.
    pub fn kernel_instructions(self, function: Function, modular: Modular) -> u64 {
        let of = |half| {
            let region = self.region_with_least_primes(half);
            region.residues.kernel_instructions(function, modular) * function.polynomials(&region)
        };
        of(Half::Tensor) + of(Half::KeySwitch)
    }
}

/// Words of 32 bits on a CPU (HEAAN Demystified, Section V-B): instructions of a whole
/// multiplication, beside those with words of 64 bits.
pub(super) fn words() -> Vec<Row> {
    let (wide, narrow) = (Shape::avx512(), Shape::gpu());
    let mut rows = vec![
        Row::new(
            "product added to a sum",
            "AVX-512 instructions, words of 32 bits",
            Some(Modular::Narrow.sum(NARROW_TERMS) as f64 / NARROW_TERMS as f64),
            Some(2.0),
        )
        .note(
            "the paper: one multiplication and one addition with carry. Ours has no carries, but splits the sum after \
             eight products; with words of 64 bits 18",
        ),
        Row::new(
            "modular multiplication",
            "AVX-512 instructions, 32 bits over 64 bits",
            Some(Modular::Narrow.instructions().0 as f64 / Modular::Modified.instructions().0 as f64),
            None,
        )
        .note("the paper: below a half"),
    ];
    let mut total = [0, 0];
    for function in Function::ALL {
        let counts = [
            wide.kernel_instructions(function, Modular::Modified),
            narrow.kernel_instructions(function, Modular::Narrow),
        ];
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        rows.extend(compared(function.name(), counts));
    }
    rows.extend(compared("all four", total));
    rows
}

fn compared(entry: &str, [wide, narrow]: [u64; 2]) -> Vec<Row> {
    let row = |quantity, model| Row::new(entry, quantity, Some(model), None);
    vec![
        row("AVX-512 instructions of a multiplication, words of 64 bits", wide as f64),
        row("AVX-512 instructions of a multiplication, words of 32 bits", narrow as f64),
        row("words of 32 bits over words of 64 bits", narrow as f64 / wide as f64).note(
            "the paper found no gain, nor does bench/heaan (0.8 times as fast): each product also takes a load and a \
             broadcast, and residues take twice the memory",
        ),
    ]
}
