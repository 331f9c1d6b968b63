//! A backend without its fused operations.

use crate::{Backend, Composed, delegate};

/// A backend without its fused operations: the oracle for them, on the same device.
#[derive(Debug)]
pub struct Unfused<'a>(pub &'a dyn Backend);

impl Backend for Unfused<'_> {
    delegate!(self => self.0; required);
    delegate!(self => Composed(self); provided);
}
