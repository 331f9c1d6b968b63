//! What circuits need of a scheme's evaluator.

/// Methods of [`Arithmetic`] that an evaluator has under these names.
macro_rules! forward {
    ($(fn $name:ident = $own:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $type),*) -> $out {
            self.$own($($arg),*)
        })*
    };
}

mod ckks;
mod heaan;

use ringjet_math::fft::Complex64;

use crate::Result;
use crate::approximate::{Ciphertext, Evaluator, Operations};

/// An evaluator as circuits see it: polynomials, sums of slots and linear transforms are written against this, once for all
/// schemes.
///
/// A *level* is what one multiplication takes. Every level has a scale of its own, and results are at it unless they are
/// *products*: those are finished by [`Arithmetic::finish`] or [`Arithmetic::finish_plain`], and may be added up before.
pub trait Arithmetic {
    /// The parameters of the scheme.
    type Params: Operations;
    /// What values are multiplied by at a level.
    type Scale: Copy;

    /// The scheme's evaluator: its sums and rotations are those of every order of computation. They
    /// take products, too.
    fn evaluator(&self) -> &Evaluator<Self::Params>;

    /// Multiplications that are left, one after the other.
    fn level(&self, a: &Ciphertext<Self::Params>) -> usize;

    /// The scale of a level.
    fn scale(&self, level: usize) -> Self::Scale;

    /// `a`, refreshed first where it could not be refreshed any more once so many levels are spent.
    /// Fails where bootstrapping does.
    fn with_levels(&self, a: &Ciphertext<Self::Params>, levels: usize) -> Result<Ciphertext<Self::Params>>;

    /// Refuses a ciphertext with fewer levels.
    /// Fails with [`Error::ModulusExhausted`](crate::Error::ModulusExhausted).
    fn expect_levels(&self, op: &'static str, a: &Ciphertext<Self::Params>, levels: usize) -> Result<()>;

    /// `a` at a level and its scale. Fails as the evaluator's own method does, here and below.
    fn align(&self, a: &Ciphertext<Self::Params>, level: usize) -> Result<Ciphertext<Self::Params>>;

    /// Whether operands at level `from` come down to `to` by the division that all operands share.
    fn shares_division(&self, from: usize, to: usize) -> bool {
        let _ = (from, to);
        true
    }

    /// `sum of integer * ciphertext + constant`, of operands at one level, which stays.
    fn combine(&self, terms: &[(&Ciphertext<Self::Params>, i32)], constant: f64) -> Result<Ciphertext<Self::Params>>;

    /// `sum of weight * ciphertext` at `level` and `scale`, of operands at higher levels.
    fn weighted_sum(
        &self,
        terms: &[(&Ciphertext<Self::Params>, f64)],
        level: usize,
        scale: Self::Scale,
    ) -> Result<Ciphertext<Self::Params>>;

    /// `a b` of operands at one level, to be finished.
    fn product(&self, a: &Ciphertext<Self::Params>, b: &Ciphertext<Self::Params>) -> Result<Ciphertext<Self::Params>>;

    /// A product, or a sum of products, one level lower.
    fn finish(&self, product: &Ciphertext<Self::Params>) -> Result<Ciphertext<Self::Params>>;

    /// `a b` of operands at one level, one level lower.
    fn mul(&self, a: &Ciphertext<Self::Params>, b: &Ciphertext<Self::Params>) -> Result<Ciphertext<Self::Params>> {
        self.finish(&self.product(a, b)?)
    }

    /// `a v` for a vector in the clear, to be finished by [`Arithmetic::finish_plain`].
    fn product_values(&self, a: &Ciphertext<Self::Params>, values: &[Complex64]) -> Result<Ciphertext<Self::Params>>;

    /// A product with a vector in the clear, or a sum of such, one level lower.
    fn finish_plain(&self, product: &Ciphertext<Self::Params>) -> Result<Ciphertext<Self::Params>>;
}
