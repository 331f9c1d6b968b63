//! What encoded and encrypted vectors have in common.

use std::sync::Arc;

use ringjet_backend::{Buf, View};

use crate::wire::Shape;

/// Polynomials of one modulus and scale, which hold a vector of slots. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Polynomials<P: Shape> {
    params: P,
    buf: Arc<Buf>,
    polys: usize,
    position: P::Position,
    log_slots: u32,
}

impl<P: Shape> Polynomials<P> {
    pub(crate) fn new(params: &P, buf: Buf, polys: usize, position: P::Position, log_slots: u32) -> Self {
        Self { params: params.clone(), buf: Arc::new(buf), polys, position, log_slots }
    }

    /// The same polynomials with another modulus or scale, and number of slots.
    pub(super) fn restated(&self, position: P::Position, log_slots: u32) -> Self {
        Self { position, log_slots, ..self.clone() }
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// Modulus and scale.
    pub(crate) fn position(&self) -> P::Position {
        self.position
    }

    /// Number of polynomials: 1 in a plaintext, 2 in a ciphertext, or 3 before relinearisation.
    pub fn polys(&self) -> usize {
        self.polys
    }

    /// Number of complex slots.
    pub fn slots(&self) -> usize {
        1 << self.log_slots
    }

    /// Binary logarithm of the number of slots.
    pub fn log_slots(&self) -> u32 {
        self.log_slots
    }

    pub(crate) fn buf(&self) -> &Buf {
        &self.buf
    }

    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(self.polys)
    }

    /// Whether both are the same object (clones share it).
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.buf, &other.buf)
    }
}
