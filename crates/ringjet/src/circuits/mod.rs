//! Circuits on top of the evaluator: polynomials and linear transforms.

mod bootstrap;
mod lintrans;
mod polyeval;
mod shape;

pub use bootstrap::{Bootstrapper, Phase, Tuning};
pub use lintrans::{BabySteps, EncodedTransform, Hoisting, LinearTransform};
pub use polyeval::{Basis, Polynomial};
pub(crate) use shape::{automorphisms as bootstrap_automorphisms, automorphisms_with};
