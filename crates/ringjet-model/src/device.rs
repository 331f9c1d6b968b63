//! Machine profiles, and the time that a [`Cost`](crate::Cost) takes on a machine by a roofline
//! model.

mod builtin;
mod check;
mod error;
mod read;
mod roofline;
mod spec;
#[cfg(test)]
mod tests;

pub use error::DeviceError;
pub use roofline::{Device, Time, WorkingSets};
pub use spec::{DeviceKind, DeviceSpec, Energy, MemoryLevel, Rates};
