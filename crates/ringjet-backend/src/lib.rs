//! The interface between ringjet's schemes and the machines that run them.
//!
//! One object-safe trait, [`Backend`]; one method is one *fusion unit*: the piece of work that must
//! not go back to memory in the middle. A small set of methods is enough to be correct:
//! [`Composed`] makes the rest of them, and a backend writes its own where fusing pays.
//! [`conformance`] is the one test suite that every backend passes: `B == Unfused<B> == Reference`,
//! bit for bit.
#![forbid(unsafe_code)]

mod backend;
pub mod big;
pub mod blocking;
mod buffer;
pub mod check;
mod composed;
pub mod conformance;
mod delegate;
mod error;
mod fallback;
mod fusion;
pub mod host;
mod meter;
mod operands;
pub mod plan;
mod reference;
pub mod repeat;
mod unfused;
mod width;

pub use backend::Backend;
pub use big::{BigFactor, BigMul, BigTerm};
pub use buffer::{BackendId, Buf, Storage, View, ViewMut};
pub use composed::Composed;
pub use error::BackendError;
pub use fallback::{HostFallback, Moved};
pub use fusion::{Fusion, PartlyFused};
pub use meter::Meter;
pub use operands::{
    Coeff, HoistedRotations, KeySwitch, KeySwitchInput, Products, RotateFactor, RotateSum, RotateTerm, Rotation, Term,
};
pub use reference::Reference;
pub use ringjet_math::Basis;
pub use unfused::Unfused;
pub use width::Width;

/// Result of a backend call.
pub type Result<T> = std::result::Result<T, BackendError>;
