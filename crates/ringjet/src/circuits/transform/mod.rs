//! Linear transforms of the slots, by diagonals, baby steps and giant steps.
//!
//! `out_j = sum over k of M[j][(j + k) mod n] x[(j + k) mod n]`: diagonal k multiplies the input rotated by k. With
//! `k = g b + i` the inner (baby) rotations are rotations of the input, and each outer (giant) sum is rotated once
//! (Algorithm PtMatVecMult of de Castro et al. in its baby-step giant-step form).

mod encoded;
mod linear;

pub use encoded::EncodedTransform;
pub(crate) use encoded::{Scales, TransformShape};
#[cfg(feature = "paper")]
pub(crate) use encoded::{Values, own_scales};
pub use linear::LinearTransform;
#[cfg(feature = "paper")]
pub(crate) use linear::Rows;
pub(crate) use linear::turned_back;
