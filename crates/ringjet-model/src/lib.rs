//! The cost model of ringjet: a backend that computes nothing and counts what the library asks of it, and machines on
//! which what was counted takes a time.
#![forbid(unsafe_code)]

mod cost;
mod device;

pub use cost::{Calls, Cost, Ops};
pub use device::{Device, DeviceError, DeviceKind, DeviceSpec, Energy, MemoryLevel, Rates, Time};
