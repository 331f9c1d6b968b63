//! The steps of a bootstrap that published cost models order in another way than the library.

use crate::circuits::polyeval::polynomial_at;
use crate::circuits::{Arithmetic, EncodedTransform, Polynomial};
use crate::{Ciphertext, Evaluator, Parameters, Result, Scale};

/// What runs the steps of a bootstrap: the evaluator itself, or one that orders computations as published cost models do.
pub trait Steps: Arithmetic<Params = Parameters, Scale = Scale> + Sized {
    /// A matrix times the slots of `x`.
    fn transform(&self, transform: &EncodedTransform, x: &Ciphertext) -> Result<Ciphertext> {
        transform.apply(self.evaluator(), x)
    }

    /// Levels that a polynomial takes.
    fn depth(&self, p: &Polynomial) -> usize {
        p.depth()
    }

    /// `p(x)` at the scale `landing`.
    fn polynomial_at(&self, x: &Ciphertext, p: &Polynomial, landing: Scale) -> Result<Ciphertext> {
        polynomial_at(self, x, p, landing)
    }
}

impl Steps for Evaluator {}
