//! The cost model of ringjet: a backend that computes nothing and counts its calls.
//!
//! [`CountingBackend`] runs the same code of schemes and circuits as any backend. It records each
//! call as an [`Operation`], in a [`Trace`] of the scheme's steps. The costs of the calls are
//! computed afterwards.
#![forbid(unsafe_code)]

mod cost;
mod counting;
pub mod device;
mod estimate;
mod operation;
pub mod pim;
mod ringjet_costs;
mod trace;
mod used_keys;

pub use cost::{Cost, KernelCalls, Ops, Part};
pub use counting::CountingBackend;
pub use device::{Device, DeviceError, DeviceKind, DeviceSpec, Energy, MemoryLevel, Rates, Time, WorkingSets};
pub use estimate::{Estimate, Point};
pub use operation::{BigMulShape, Decomposition, Division, Operation, RotateSumShape};
pub use ringjet_costs::{Caching, CallSizes, Policy, between, conversion_products, parts as ringjet_parts};
pub use trace::{Called, Node, Step, Trace};
pub use used_keys::UsedKeys;
