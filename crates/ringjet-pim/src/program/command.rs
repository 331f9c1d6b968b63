//! Commands, in the encoding of `dpu/layout.h`.

use std::ops::Range;

/// A command. The arguments are indices of polynomials. Polynomials are in coefficient or evaluation
/// form, as in `ringjet_math::ntt`; leaves are evaluations in the order in which transforms leave
/// them, see `ringjet_math::ntt::tree_index`.
///
/// `out` may be an operand, except in `Tensor`, `Gather` and `MulPolynomial`. Programs refuse
/// commands that they do not have: [`crate::CoefficientLayout`] names those on wide coefficients, and
/// the program of [`crate::Layout`] has all others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the arguments are described above")]
pub enum Command {
    /// Ends the program.
    Stop,
    /// `out = a + b`.
    Add { out: u16, a: u16, b: u16 },
    /// `out = a - b`.
    Sub { out: u16, a: u16, b: u16 },
    /// `out = a * b`, word by word.
    Mul { out: u16, a: u16, b: u16 },
    /// `out = out + a * b`, word by word.
    MulAcc { out: u16, a: u16, b: u16 },
    /// `out = a * scalar`, with a scalar of the layout.
    MulScalar { out: u16, a: u16, scalar: u16 },
    /// Coefficients become leaves.
    Forward { out: u16 },
    /// Leaves become coefficients.
    Inverse { out: u16 },
    /// `Forward` on a range.
    ForwardBatch(Range<u16>),
    /// `Inverse` on a range.
    InverseBatch(Range<u16>),
    /// Leaves become evaluations in ringjet's order, on a range.
    ToPositions(Range<u16>),
    /// The inverse of `ToPositions`.
    ToLeaves(Range<u16>),
    /// Coefficients become evaluations in ringjet's order.
    ForwardPositions { out: u16 },
    /// The inverse of `ForwardPositions`.
    InversePositions { out: u16 },
    /// The product of two ciphertexts `x = (a, a + 1)` and `y = (b, b + 1)`:
    /// `(out, out + 1, out + 2) = (x0 y0, x0 y1 + x1 y0, x1 y1)`.
    Tensor { out: u16, a: u16, b: u16 },
    /// Does the next command, which is no batch, so many times, each time on the next polynomials.
    Repeat(u16),
    /// `out = a`.
    Copy { out: u16, a: u16 },
    /// Goes on with the header of this number: another prime or ring degree, the same commands.
    UseHeader(u16),
    /// `out` = the sum of `terms` terms. Each is a scalar of the layout whose two words are the index
    /// of a polynomial and a weight from -255 to 255. The sizes of the weights add up to less than the
    /// modulus.
    Sum { out: u16, first: u16, terms: u16 },
    /// `out` = the sum of `terms` polynomials times factors. Each takes two scalars from number
    /// `first`: an index and zero, a factor and its Shoup companion. The words of the polynomials
    /// may be residues modulo another prime.
    Combine { out: u16, first: u16, terms: u16 },
    /// `out` = the integers nearest to the sum of `y / d` over `terms` polynomials y of residues modulo
    /// primes d. Each takes two scalars: an index and the bits of d, and the two words of
    /// `floor(2^(bits + 50) / d)`, the low one first. See [`ringjet_math::BaseConversion`].
    Fraction { out: u16, first: u16, terms: u16 },
    /// `out[i] = a[map[i] mod N]`, negated where bit N of `map[i]` is set; `map` is a polynomial, too.
    /// `out` must be another one.
    Gather { out: u16, a: u16, map: u16 },
    /// `out = a * b` modulo X^n + 1 by the schoolbook method, of polynomials with wide coefficients.
    /// `out` must be no operand.
    MulPolynomial { out: u16, a: u16, b: u16 },
}

impl Command {
    /// The two words of the command.
    pub(crate) fn words(&self) -> [u32; 2] {
        let (kind, out, a, b) = match *self {
            Self::Stop => (0, 0, 0, 0),
            Self::Add { out, a, b } => (1, out, a, b),
            Self::Sub { out, a, b } => (2, out, a, b),
            Self::Mul { out, a, b } => (3, out, a, b),
            Self::MulAcc { out, a, b } => (4, out, a, b),
            Self::MulScalar { out, a, scalar } => (5, out, a, scalar),
            Self::Forward { out } => (6, out, 0, 0),
            Self::Inverse { out } => (7, out, 0, 0),
            Self::ForwardBatch(Range { start, end }) => (8, 0, start, end),
            Self::InverseBatch(Range { start, end }) => (9, 0, start, end),
            Self::ToPositions(Range { start, end }) => (10, 0, start, end),
            Self::ToLeaves(Range { start, end }) => (11, 0, start, end),
            Self::Tensor { out, a, b } => (12, out, a, b),
            Self::Repeat(times) => (13, times, 0, 0),
            Self::Copy { out, a } => (14, out, a, 0),
            Self::UseHeader(index) => (15, index, 0, 0),
            Self::Sum { out, first, terms } => (16, out, first, terms),
            Self::Combine { out, first, terms } => (17, out, first, terms),
            Self::Fraction { out, first, terms } => (18, out, first, terms),
            Self::Gather { out, a, map } => (19, out, a, map),
            Self::ForwardPositions { out } => (21, out, 0, 0),
            Self::InversePositions { out } => (22, out, 0, 0),
            Self::MulPolynomial { out, a, b } => (20, out, a, b),
        };
        [kind | u32::from(out) << 16, u32::from(a) | u32::from(b) << 16]
    }
}
