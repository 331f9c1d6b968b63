//! Polynomials of encoded and encrypted vectors, and the trait that a scheme implements.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};
use zeroize::Zeroizing;

use crate::noise::Added;
use crate::rlwe::keyswitch::Key;
use crate::rlwe::{Context, SecretKey};
use crate::wire::Shape;
use crate::{Noise, Result, Scale, Unit};

/// Polynomials of one modulus and scale that hold a vector of slots. Immutable, cheap to clone.
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

    /// The same polynomials, read with another modulus or scale and another number of slots.
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

    /// Whether `self` and `other` share one buffer, as clones do.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.buf, &other.buf)
    }
}

/// Centred integer coefficients, and their scale.
pub type Coefficients = (Zeroizing<Vec<f64>>, Scale);

/// The parameters of a scheme whose vectors carry approximate numbers, with the operations that
/// [`Plaintext`](super::Plaintext) and [`Ciphertext`](super::Ciphertext) need from the scheme.
pub trait Approximate: Shape + 'static {
    /// The scheme's switching keys.
    type Key: Key<Params = Self>;

    /// What operations consume: levels, or bits of the modulus.
    const UNIT: Unit;

    /// How many units a ciphertext has left.
    fn left(position: Self::Position) -> usize;

    /// log2 of the modulus at `position`.
    fn modulus_log2(&self, position: Self::Position) -> f64;

    /// Writes modulus and scale as text.
    fn describe(&self, position: Self::Position, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The error of rounding `2^log_slots` values to integers.
    fn encoding_error(&self, log_slots: u32) -> Added;

    /// The noise of a vector of `2^from` slots that is read as a vector of `2^to` slots.
    fn repacked(noise: Noise, _from: u32, _to: u32) -> Noise {
        noise
    }

    /// Whether the parameter set is accepted even if it lacks the security that it states.
    fn is_insecure(&self) -> bool;

    /// The phase of the ciphertext `ct` under `secret`: its message plus its error.
    fn phase(secret: &SecretKey<Self>, ctx: &Context<Self>, at: Self::Position, ct: View<'_>) -> Result<Buf>;

    /// The centred coefficients of a plaintext's polynomial, and their scale. Only the coefficients
    /// at multiples of `step` must be right.
    fn coefficients(ctx: &Context<Self>, at: Self::Position, plain: &Buf, step: usize) -> Result<Coefficients>;

    /// A plaintext's polynomial plus `integers`, whose absolute values are below `2^bits`.
    fn add_integers(ctx: &Context<Self>, at: Self::Position, p: View<'_>, integers: &[i128], bits: u32) -> Result<Buf>;

    /// Refuses a ciphertext at a position that readers refuse.
    fn expect_writable(_: Self::Position) -> Result<()> {
        Ok(())
    }
}
