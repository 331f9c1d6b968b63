//! Circuits on top of the evaluator: polynomials and linear transforms.

mod bootstrap;
mod keys;
mod levelled;
mod lintrans;
mod polyeval;
mod rescaled;
mod shape;
pub(crate) use shape::expect_magnitude;
mod steps;

pub use bootstrap::{Bootstrapper, EVAL_MOD_GROWTH, Phase, Tuning};
pub use lintrans::{EncodedTransform, Hoisting, LinearTransform};
pub use polyeval::{Basis, Polynomial, Schedule};
pub(crate) use shape::{
    automorphisms as bootstrap_automorphisms, automorphisms_with, diagonals as transform_diagonals,
};
pub use steps::BabySteps;
pub(crate) use steps::{Split, folded, rotations_for};
