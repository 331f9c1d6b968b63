//! Vectors of approximate numbers: what CKKS and HEAAN have in common above keys.

mod values;

use ringjet_backend::{Buf, View};
use zeroize::Zeroizing;

pub use values::Values;
pub(crate) use values::{expect_finite, magnitude, rounded};

use crate::rlwe::Context;
use crate::vectors::Vectors;
use crate::{Noise, Result, Scale};

/// Centred integer coefficients, and their scale.
pub type Coefficients = (Zeroizing<Vec<f64>>, Scale);

/// The parameters of a scheme whose vectors hold approximate numbers at a scale.
pub trait Approximate: Vectors {
    /// The noise of a vector of `2^from` slots that is read as a vector of `2^to` slots.
    fn repacked(noise: Noise, _from: u32, _to: u32) -> Noise {
        noise
    }

    /// The centred coefficients of a plaintext's polynomial, and their scale. Only the coefficients
    /// at multiples of `step` must be right.
    fn coefficients(ctx: &Context<Self>, at: Self::Position, plain: &Buf, step: usize) -> Result<Coefficients>;

    /// A plaintext's polynomial plus `integers`, whose absolute values are below `2^bits`.
    fn add_integers(ctx: &Context<Self>, at: Self::Position, p: View<'_>, integers: &[i128], bits: u32) -> Result<Buf>;
}
