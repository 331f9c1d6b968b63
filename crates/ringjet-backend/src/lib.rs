//! The seam between ringjet's schemes and the machines that run them.
//!
//! One object-safe trait, [`Backend`]; one method is one *fusion unit*: the piece of work that must not go back to
//! memory in the middle. A small set of methods is required and enough to be correct; the rest has defaults in
//! [`unfused`], written in terms of the required ones, which a backend overrides where fusing pays.
//! [`conformance`] is the one test suite that every backend passes: `B == Unfused<B> == scalar`, bit for bit.
#![forbid(unsafe_code)]

mod backend;
pub mod big;
mod buffer;
pub mod check;
pub mod conformance;
mod error;
mod fusion;
pub mod host;
pub mod plan;
mod reference;
pub mod unfused;

pub use backend::{
    Backend, Coeff, HoistedRotations, KeySwitch, KeySwitchInput, REPEATED_WORDS, RotateFactor, RotateSum, RotateTerm,
    Rotation, Term, most_repeats, repeats,
};
pub use big::{BigFactor, BigMul, BigTerm};
pub use buffer::{BackendId, Buf, Storage, View, ViewMut};
pub use error::BackendError;
pub use fusion::{Fusion, PartlyFused};
pub use reference::Reference;
pub use unfused::Unfused;

/// Result of a backend call.
pub type Result<T> = std::result::Result<T, BackendError>;
