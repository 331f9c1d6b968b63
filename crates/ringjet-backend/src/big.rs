//! Operands of the operations on big coefficients: HEAAN's arithmetic modulo powers of two.
//! [`ringjet_math::big`] defines their words.

pub mod digits;

use crate::View;
use crate::plan::{CrtJoinPlan, CrtSplitPlan};

/// Largest absolute value of a [`BigTerm`]'s factor.
pub const MAX_FACTOR: u64 = (1 << 51) - 1;

/// A factor and the polynomials that it multiplies.
#[derive(Debug, Clone, Copy)]
pub struct BigTerm<'a> {
    /// The factor, from -[`MAX_FACTOR`] to [`MAX_FACTOR`].
    pub factor: i64,
    /// The polynomials, with big coefficients.
    pub src: View<'a>,
    /// The coefficients of `src` are integers modulo `2^bits`.
    pub bits: u32,
}

/// The second factors of the products of a [`BigMul`].
#[derive(Debug, Clone, Copy)]
pub enum BigFactor<'a> {
    /// The second factors are the first factors, [`BigMul::left`].
    Same,
    /// Polynomials with big coefficients, and the plan that converts them to residues.
    Integers(View<'a>, &'a CrtSplitPlan),
    /// A result of [`crate::Backend::big_prepare`] for big coefficients modulo `2^bits`, and
    /// `bits`: a key, or a constant that is used more than once. The basis of the product consists
    /// of the first primes, or all primes, of the basis that the factor was prepared for.
    Prepared(View<'a>, u32),
}

/// The operands of [`crate::Backend::big_mul`]. Polynomial i of the result is
///
/// ```text
/// floor((sum over (l, r) in sums_i of left_l * right_r + 2^(shift-1)) / 2^shift) + add_i
/// ```
///
/// modulo `2^(bits - shift)`, where `bits` is `join.crt.bits`. With `shift = 0` nothing is divided
/// or rounded. The factors are read as centred integers. A sum is exact if its absolute value is
/// below `(P/2) * (1 - 2^-40)`, where P is the product of `join`'s primes. A larger sum may be
/// wrong by a multiple of P.
#[derive(Debug, Clone, Copy)]
pub struct BigMul<'a> {
    /// The first factors: polynomials with big coefficients.
    pub left: View<'a>,
    /// The plan that converts `left` to residues.
    pub split: &'a CrtSplitPlan,
    /// The second factors.
    pub right: BigFactor<'a>,
    /// For each polynomial of the result, the numbers `(l, r)` of the polynomials of `left` and
    /// `right` whose products are summed.
    pub sums: &'a [&'a [(usize, usize)]],
    /// The plan that converts the residues of the sums to integers modulo `2^bits`.
    pub join: &'a CrtJoinPlan,
    /// The number of bits that are divided out; it is below the `bits` of `join`.
    pub shift: u32,
    /// Polynomials with big coefficients modulo `2^(bits - shift)`. They are added to the first
    /// polynomials of the result, and are at most as many as these.
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
