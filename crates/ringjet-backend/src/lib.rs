//! The interface between ringjet's schemes and the machines that run them.
//!
//! One object-safe trait, [`Backend`]. Each method is one *fusion unit*: a piece of work whose
//! intermediate values need not go to memory. A small set of methods is enough for correct results:
//! [`Composed`] builds the other methods from these, and a backend writes its own version where
//! fusing is faster. [`conformance`] is the one test suite that every backend passes:
//! `B == Unfused<B> == Reference`, bit for bit.
#![forbid(unsafe_code)]

mod backend;
pub mod big;
mod buffer;
pub mod check;
mod class_products;
mod composed;
pub mod conformance;
mod delegate;
mod error;
mod fallback;
pub mod host;
mod meter;
mod operands;
pub mod plan;
mod reference;
pub mod repeat;
mod unfused;
pub mod uniform;
mod width;

pub use backend::Backend;
pub use big::{BigFactor, BigMul, BigTerm};
pub use buffer::{BackendId, Buf, Storage, View, ViewMut};
pub use composed::Composed;
pub use error::BackendError;
pub use fallback::{HostFallback, Moved};
pub use meter::Meter;
pub use operands::{
    Coeff, Gemm, HoistedRotations, Integers, KeySwitch, KeySwitchInput, MAX_WEIGHT, Products, RotateFactor, RotateSum,
    RotateTerm, Rotation, Term,
};
pub use reference::Reference;
pub use ringjet_math::Basis;
pub use unfused::Unfused;
pub use uniform::{UniformRange, UniformStream};
pub use width::Width;

/// Result of a backend call.
pub type Result<T> = std::result::Result<T, BackendError>;
