//! Circuits on top of the evaluator: polynomials and linear transforms.

mod lintrans;
mod polyeval;

pub use lintrans::{EncodedTransform, LinearTransform};
pub use polyeval::{Basis, Polynomial};
