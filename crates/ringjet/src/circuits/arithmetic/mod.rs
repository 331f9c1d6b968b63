//! What circuits need of a scheme's evaluator.

/// Methods of [`Arithmetic`] that an evaluator has under these names.
macro_rules! forward {
    ($(fn $name:ident = $own:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $type),*) -> $out {
            self.$own($($arg),*)
        })*
    };
}

/// Methods that are the same for all [`Evaluator`](crate::approximate::Evaluator)s.
macro_rules! shared {
    () => {
        forward! {
            fn add = add_auto(a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext>;
            fn rotate = rotate(a: &Ciphertext, steps: i64) -> Result<Ciphertext>;
            fn expect_rotations = expect_rotations(a: &Ciphertext, steps: &[i64]) -> Result<()>;
        }

        fn scope(&self, name: &'static str) -> $crate::rlwe::Scope<'_> {
            self.context().scope(name)
        }

        fn expect_products(&self) -> Result<()> {
            self.keys().relinearization().map(|_| ())
        }
    };
}

mod ckks;
mod heaan;

use ringjet_math::fft::Complex64;

use crate::approximate::{Ciphertext, Operations, Polynomials};
use crate::noise::Added;
use crate::rlwe::Scope;
use crate::{Noise, Range, Result};

/// An encrypted vector as circuits see it.
pub trait Encrypted: Clone {
    /// Number of slots.
    fn slots(&self) -> usize;

    /// Error and bounds of the values.
    fn noise(&self) -> Noise;

    /// With an error and bounds that the caller knows better.
    fn with_noise(self, noise: Noise) -> Self;

    /// The same, with other bounds of the values alone.
    fn with_range(self, range: Range) -> Self {
        let noise = self.noise().with_range(range);
        self.with_noise(noise)
    }

    /// The error that a rotation adds.
    fn rotation_error(&self) -> Added;

    /// Refuses values with this error that could wrap around the modulus.
    /// Fails with [`Error::Overflow`](crate::Error::Overflow).
    fn expect_room(&self, op: &'static str, noise: Noise) -> Result<()>;
}

impl<P: Operations> Encrypted for Ciphertext<P> {
    fn slots(&self) -> usize {
        Polynomials::slots(self)
    }

    fn noise(&self) -> Noise {
        self.noise()
    }

    fn with_noise(self, noise: Noise) -> Self {
        self.with_noise(noise)
    }

    fn rotation_error(&self) -> Added {
        P::switching_error(self)
    }

    fn expect_room(&self, op: &'static str, noise: Noise) -> Result<()> {
        self.expect_room(op, noise)
    }
}

/// An evaluator as circuits see it: polynomials, sums of slots and linear transforms are written against this, once for all
/// schemes.
///
/// A *level* is what one multiplication takes. Every level has a scale of its own, and results are at it unless they are
/// *products*: those are finished by [`Arithmetic::finish`] or [`Arithmetic::finish_plain`], and may be added up before.
pub trait Arithmetic {
    /// An encrypted vector.
    type Ciphertext: Encrypted;
    /// What values are multiplied by at a level.
    type Scale: Copy;

    /// What is done while the returned value lives belongs to the step `name`, in profiles and counts.
    fn scope(&self, name: &'static str) -> Scope<'_>;

    /// Multiplications that are left, one after the other.
    fn level(&self, a: &Self::Ciphertext) -> usize;

    /// The scale of a level.
    fn scale(&self, level: usize) -> Self::Scale;

    /// `a`, refreshed first where it could not be refreshed any more once so many levels are spent.
    /// Fails where bootstrapping does.
    fn with_levels(&self, a: &Self::Ciphertext, levels: usize) -> Result<Self::Ciphertext>;

    /// Refuses a ciphertext with fewer levels.
    /// Fails with [`Error::ModulusExhausted`](crate::Error::ModulusExhausted).
    fn expect_levels(&self, op: &'static str, a: &Self::Ciphertext, levels: usize) -> Result<()>;

    /// `a` at a level and its scale. Fails as the evaluator's own method does, here and below.
    fn align(&self, a: &Self::Ciphertext, level: usize) -> Result<Self::Ciphertext>;

    /// Whether operands at level `from` come down to `to` by the division that all operands share.
    fn shares_division(&self, from: usize, to: usize) -> bool {
        let _ = (from, to);
        true
    }

    /// `a + b`, brought to a common level and scale.
    fn add(&self, a: &Self::Ciphertext, b: &Self::Ciphertext) -> Result<Self::Ciphertext>;

    /// `sum of integer * ciphertext + constant`, of operands at one level, which stays.
    fn combine(&self, terms: &[(&Self::Ciphertext, i32)], constant: f64) -> Result<Self::Ciphertext>;

    /// `sum of weight * ciphertext` at `level` and `scale`, of operands at higher levels.
    fn weighted_sum(
        &self,
        terms: &[(&Self::Ciphertext, f64)],
        level: usize,
        scale: Self::Scale,
    ) -> Result<Self::Ciphertext>;

    /// Refuses products where the key for them is missing.
    /// Fails with [`Error::MissingRelinearizationKey`](crate::Error::MissingRelinearizationKey).
    fn expect_products(&self) -> Result<()>;

    /// `a b` of operands at one level, to be finished.
    fn product(&self, a: &Self::Ciphertext, b: &Self::Ciphertext) -> Result<Self::Ciphertext>;

    /// A product, or a sum of products, one level lower.
    fn finish(&self, product: &Self::Ciphertext) -> Result<Self::Ciphertext>;

    /// `a b` of operands at one level, one level lower.
    fn mul(&self, a: &Self::Ciphertext, b: &Self::Ciphertext) -> Result<Self::Ciphertext> {
        self.finish(&self.product(a, b)?)
    }

    /// `a v` for a vector in the clear, to be finished by [`Arithmetic::finish_plain`].
    fn product_values(&self, a: &Self::Ciphertext, values: &[Complex64]) -> Result<Self::Ciphertext>;

    /// A product with a vector in the clear, or a sum of such, one level lower.
    fn finish_plain(&self, product: &Self::Ciphertext) -> Result<Self::Ciphertext>;

    /// Slot j gets the value of slot j + steps. Products may be rotated.
    fn rotate(&self, a: &Self::Ciphertext, steps: i64) -> Result<Self::Ciphertext>;

    /// Refuses rotations of `a` whose keys are missing, and names them all.
    /// Fails with [`Error::MissingRotationKey`](crate::Error::MissingRotationKey),
    /// [`Error::MissingRotationKeys`](crate::Error::MissingRotationKeys).
    fn expect_rotations(&self, a: &Self::Ciphertext, steps: &[i64]) -> Result<()>;
}
