//! Circuits above the evaluators: polynomials, sums of slots, linear transforms and bootstrapping.

mod arithmetic;
mod bgv;
mod bootstrap;
mod bootstrappers;
mod exact;
pub mod function;
pub mod heaan;
#[cfg(feature = "papers")]
pub mod papers;
mod polyeval;
mod polynomial;
mod sign;
mod sums;
mod transform;

pub use arithmetic::Arithmetic;
pub use bootstrap::{Bootstrapper, Steps};
pub(crate) use bootstrap::{most_at_once, slots_of_several};
pub use bootstrappers::{Bootstrappers, Bootstraps, Phase};
pub use function::Approximation;
pub use polyeval::polynomial;
pub use polynomial::{Basis, Polynomial};
pub use sign::Sign;
pub use sums::{inner_sum, inner_sum_of, inner_sum_rotations};
pub use transform::{DiagonalForm, DiagonalValues, EncodedTransform, LinearTransform};
