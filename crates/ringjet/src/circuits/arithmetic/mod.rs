//! The operations of a scheme's evaluator that circuits use.

/// Methods of [`Arithmetic`] that call the evaluator's method of the same name.
macro_rules! forward {
    ($(fn $name:ident = $own:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $type),*) -> $out {
            self.$own($($arg),*)
        })*
    };
}

mod bgv;
mod ckks;
mod heaan;

use ringjet_math::fft::Complex64;

use super::polynomial::Polynomial;
use crate::Result;
use crate::vectors::{Ciphertext, Evaluator, Operations};

/// The operations of an evaluator that circuits use. Polynomials, sums of slots and linear
/// transforms are written with this trait, once for all schemes.
///
/// A *level* is the modulus that one multiplication spends. Every level has a scale of its own, and
/// results have that scale unless they are *products*. Products can be added up before they are
/// finished by [`Arithmetic::finish`] or [`Arithmetic::finish_plain`].
pub trait Arithmetic {
    /// The parameters of the scheme.
    type Params: Operations;
    /// The scale of values, by which encoding multiplies.
    type Scale: Copy;

    /// The scheme's evaluator, for sums and rotations, which do not depend on the order of
    /// computation. They also take products.
    fn evaluator(&self) -> &Evaluator<Self::Params>;

    /// The number of successive multiplications that `a` has left.
    fn level(&self, a: &Ciphertext<Self::Params>) -> usize;

    /// `p(x)` in every slot; see [`polynomial`](super::polynomial).
    fn polynomial(&self, x: &Ciphertext<Self::Params>, p: &Polynomial) -> Result<Ciphertext<Self::Params>>;

    /// The scale of a level.
    fn scale(&self, level: usize) -> Self::Scale;

    /// `a`, bootstrapped first where spending `levels` levels would leave too few to bootstrap.
    /// Fails where bootstrapping does.
    fn with_levels(&self, a: &Ciphertext<Self::Params>, levels: usize) -> Result<Ciphertext<Self::Params>>;

    /// Refuses a ciphertext with fewer than `levels` levels.
    /// Fails with [`Error::ModulusExhausted`](crate::Error::ModulusExhausted).
    fn expect_levels(&self, op: &'static str, a: &Ciphertext<Self::Params>, levels: usize) -> Result<()>;

    /// Refuses a ciphertext with too few levels for a polynomial.
    /// Fails as [`Arithmetic::expect_levels`] does, or with
    /// [`Error::PolynomialTooDeep`](crate::Error::PolynomialTooDeep).
    fn expect_depth(&self, a: &Ciphertext<Self::Params>, p: &Polynomial) -> Result<()> {
        self.expect_levels("polynomial", a, p.depth())
    }

    /// `a` at a level and its scale. Fails as the evaluator's method does, here and below.
    fn align(&self, a: &Ciphertext<Self::Params>, level: usize) -> Result<Ciphertext<Self::Params>>;

    /// Whether operands at level `from` are lowered to `to` by a division that they share.
    fn shares_division(&self, from: usize, to: usize) -> bool {
        let _ = (from, to);
        true
    }

    /// `sum of integer * ciphertext + constant`. All operands are at one level, which stays.
    fn combine(&self, terms: &[(&Ciphertext<Self::Params>, i32)], constant: f64) -> Result<Ciphertext<Self::Params>>;

    /// `sum of weight * ciphertext` at `level` and `scale`. All operands are at higher levels.
    fn weighted_sum(
        &self,
        terms: &[(&Ciphertext<Self::Params>, f64)],
        level: usize,
        scale: Self::Scale,
    ) -> Result<Ciphertext<Self::Params>>;

    /// The error that a finished product adds at `level`, relative to a value of 1: the root of the mean of
    /// `|e|^2`. `None` where no estimate relies on it.
    fn product_error(&self, _level: usize) -> Option<f64> {
        None
    }

    /// `a * b` of operands at one level, not finished.
    fn product(&self, a: &Ciphertext<Self::Params>, b: &Ciphertext<Self::Params>) -> Result<Ciphertext<Self::Params>>;

    /// Finishes a product or a sum of products: one level lower, at that level's scale or twice
    /// that (see [`Arithmetic::doubles`]).
    fn finish(&self, product: &Ciphertext<Self::Params>) -> Result<Ciphertext<Self::Params>>;

    /// `a * b` of operands at one level, finished: one level lower.
    fn mul(&self, a: &Ciphertext<Self::Params>, b: &Ciphertext<Self::Params>) -> Result<Ciphertext<Self::Params>> {
        self.finish(&self.product(a, b)?)
    }

    /// Whether `2 * a * b` for operands one level above `level` has the scale of `level`, not
    /// `a * b`.
    fn doubles(&self, _level: usize) -> bool {
        false
    }

    /// `2 * product + term + constant` of a finished product, and of an integer times a ciphertext
    /// at its level.
    fn doubled(
        &self,
        product: &Ciphertext<Self::Params>,
        term: Option<(&Ciphertext<Self::Params>, i32)>,
        constant: f64,
    ) -> Result<Ciphertext<Self::Params>> {
        let terms: Vec<_> = [(product, 2)].into_iter().chain(term).collect();
        self.combine(&terms, constant)
    }

    /// `a * v` for a vector of plain values, not finished; see [`Arithmetic::finish_plain`].
    fn product_values(&self, a: &Ciphertext<Self::Params>, values: &[Complex64]) -> Result<Ciphertext<Self::Params>>;

    /// Finishes a product with plain values, or a sum of such products: one level lower.
    fn finish_plain(&self, product: &Ciphertext<Self::Params>) -> Result<Ciphertext<Self::Params>>;
}
