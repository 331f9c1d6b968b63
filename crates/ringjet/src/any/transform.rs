//! Matrices that act on the slots.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::circuits::{EncodedTransform, LinearTransform};
use crate::{Context, Result};

/// A linear transform that keeps what it encodes, so that the same matrix is encoded once for each
/// parameter set, machine and level.
pub struct Transform {
    transform: LinearTransform,
    encoded: Mutex<HashMap<Key, Arc<EncodedTransform>>>,
}

/// Fingerprint of the parameters, backend and level.
type Key = ([u8; 16], String, usize);

impl From<LinearTransform> for Transform {
    fn from(transform: LinearTransform) -> Self {
        Self { transform, encoded: Mutex::default() }
    }
}

impl Transform {
    /// The transform.
    pub fn linear(&self) -> &LinearTransform {
        &self.transform
    }

    /// Encoded for ciphertexts at `level`.
    pub(super) fn encoded(&self, ctx: &Context, level: usize) -> Result<Arc<EncodedTransform>> {
        let key = (*ctx.params().fingerprint(), format!("{:?}", ctx.backend().id()), level);
        let lock = || self.encoded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(encoded) = lock().get(&key) {
            return Ok(Arc::clone(encoded));
        }
        let encoded = Arc::new(self.transform.encode(ctx, level)?);
        lock().insert(key, Arc::clone(&encoded));
        Ok(encoded)
    }
}
