//! Operands of the operations on big coefficients: HEAAN's arithmetic modulo powers of two.
//! [`ringjet_math::big`] defines their words.

pub mod digits;

use crate::View;
use crate::plan::{CrtJoinPlan, CrtSplitPlan};

/// Largest absolute value of a [`BigTerm`]'s factor.
pub const MAX_FACTOR: u64 = (1 << 51) - 1;

/// A factor and the polynomials it multiplies.
#[derive(Debug, Clone, Copy)]
pub struct BigTerm<'a> {
    /// From -[`MAX_FACTOR`] to [`MAX_FACTOR`].
    pub factor: i64,
    /// Big coefficients.
    pub src: View<'a>,
    /// They are integers modulo `2^bits`.
    pub bits: u32,
}

/// The second factors of a [`BigMul`].
#[derive(Debug, Clone, Copy)]
pub enum BigFactor<'a> {
    /// The first factors.
    Same,
    /// Big coefficients, and how they become residues.
    Integers(View<'a>, &'a CrtSplitPlan),
    /// The result of [`crate::Backend::big_prepare`] for big coefficients modulo `2^bits`: a key,
    /// or a constant that is used more than once. The product's basis consists of the first primes,
    /// or all, of the basis that the factor was prepared for.
    Prepared(View<'a>, u32),
}

/// The operands of [`crate::Backend::big_mul`]: polynomial i of the result is, modulo
/// `2^(bits - shift)` with the `bits` of `join`,
///
/// ```text
/// floor((sum over (l, r) in sums_i of left_l right_r + 2^(shift-1)) / 2^shift) + add_i
/// ```
///
/// The factors are taken as centred integers, and the sums are exact where they are below P/2 (1 -
/// 2^-40) in size, P being the product of `join`'s primes.
#[derive(Debug, Clone, Copy)]
pub struct BigMul<'a> {
    /// Big coefficients.
    pub left: View<'a>,
    /// How they become residues.
    pub split: &'a CrtSplitPlan,
    /// The other factors.
    pub right: BigFactor<'a>,
    /// Pairs of a polynomial of `left` and one of `right`, for each polynomial of the result.
    pub sums: &'a [&'a [(usize, usize)]],
    /// How sums of products become integers.
    pub join: &'a CrtJoinPlan,
    /// Bits that are divided out; below the bits of `join`.
    pub shift: u32,
    /// Big coefficients modulo `2^(bits - shift)`, added to the first polynomials of the result: as
    /// many as it has, or fewer.
    pub add: Option<View<'a>>,
}

impl<'a> BigMul<'a> {
    /// All views that are read.
    pub fn sources(&self) -> impl Iterator<Item = View<'a>> {
        let right = match self.right {
            BigFactor::Same => None,
            BigFactor::Integers(right, _) | BigFactor::Prepared(right, _) => Some(right),
        };
        [self.left].into_iter().chain(right).chain(self.add)
    }
}
