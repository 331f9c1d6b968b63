//! Circuits on top of the evaluator: polynomials and linear transforms.

mod bootstrap;
mod lintrans;
mod polyeval;

pub use bootstrap::{Bootstrapper, Phase, Tuning};
pub(crate) use bootstrap::{automorphisms as bootstrap_automorphisms, automorphisms_with};
pub use lintrans::{BabySteps, EncodedTransform, Hoisting, LinearTransform};
pub use polyeval::{Basis, Polynomial};
