//! Linear transforms for ciphertexts of any scheme.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Result;
use crate::circuits::{EncodedTransform, LinearTransform};

/// A linear transform that caches its encodings: one for each parameter set, backend and level.
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
    /// The linear transform.
    pub fn linear(&self) -> &LinearTransform {
        &self.transform
    }

    /// The transform, encoded for ciphertexts at `level`.
    pub(super) fn encoded(&self, ctx: &crate::Context, level: usize) -> Result<Arc<EncodedTransform>> {
        let key = (*ctx.params().fingerprint(), format!("{:?}", ctx.backend().id()), level);
        let lock = || self.encoded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(encoded) = lock().get(&key) {
            return Ok(Arc::clone(encoded));
        }
        let _scope = ctx.scope("Encode");
        let encoded = Arc::new(self.transform.encode(ctx, level)?);
        lock().insert(key, Arc::clone(&encoded));
        Ok(encoded)
    }
}
