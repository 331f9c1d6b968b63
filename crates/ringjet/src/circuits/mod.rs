//! Circuits on top of the evaluator: polynomials and linear transforms.

mod bootstrap;
mod lintrans;
mod polyeval;

pub(crate) use bootstrap::automorphisms as bootstrap_automorphisms;
pub use bootstrap::{Bootstrapper, Phase, Tuning};
pub use lintrans::{EncodedTransform, Hoisting, LinearTransform};
pub use polyeval::{Basis, Polynomial};
