//! [`Unfused`]: a backend without its fused operations.

use crate::{Backend, Composed, delegate};

/// A backend without its fused operations: these are composed of required ones, on the same device.
/// It is the oracle for the fused operations of the backend.
#[derive(Debug)]
pub struct Unfused<'a>(pub &'a dyn Backend);

impl Backend for Unfused<'_> {
    delegate!(self => self.0; required);
    delegate!(self => Composed(self); provided);
}
