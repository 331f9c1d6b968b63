//! Buffers of a backend that counts.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringjet_backend::{Buf, Storage};

use crate::Trace;

/// A buffer without words. It counts its bytes as memory in use until it is dropped.
pub struct Shape {
    pub bytes: u64,
    pub secret: bool,
    pub trace: Arc<Mutex<Trace>>,
}

impl Storage for Shape {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn mark_secret(&mut self) {
        self.secret = true;
    }
    fn is_secret(&self) -> bool {
        self.secret
    }
}

impl Drop for Shape {
    fn drop(&mut self) {
        lock(&self.trace).freed(self.bytes);
    }
}

/// The same, with the buffer of an inner backend, which alone looks into it.
pub struct Passed {
    pub shape: Shape,
    pub buf: Buf,
}

impl Storage for Passed {
    fn as_any(&self) -> &dyn Any {
        self.buf.storage().as_any()
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self.buf.storage_mut().as_any_mut()
    }
    fn mark_secret(&mut self) {
        self.buf.storage_mut().mark_secret();
        self.shape.mark_secret();
    }
    fn is_secret(&self) -> bool {
        self.shape.secret
    }
}

pub fn lock(trace: &Mutex<Trace>) -> MutexGuard<'_, Trace> {
    trace.lock().unwrap_or_else(PoisonError::into_inner)
}
