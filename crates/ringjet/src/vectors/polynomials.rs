//! Polynomials of encoded and encrypted vectors, and the trait that a scheme implements.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};

use crate::noise::ErrorTerm;
use crate::rlwe::keyswitch::Key;
use crate::rlwe::{Context, SecretKey};
use crate::wire::{Held, Shape};
use crate::{Error, Noise, Result, Scale, Unit};

/// Polynomials of one modulus and scale that hold a vector of slots. Immutable, cheap to clone.
#[derive(Clone)]
pub struct Polynomials<P: Shape> {
    params: P,
    buf: Arc<Buf>,
    polys: usize,
    position: P::Position,
    log_slots: u32,
    held: Held,
}

impl<P: Shape> Polynomials<P> {
    pub(crate) fn new(params: &P, buf: Buf, polys: usize, position: P::Position, log_slots: u32) -> Self {
        Self { params: params.clone(), buf: Arc::new(buf), polys, position, log_slots, held: Held::ALL }
    }

    /// The same polynomials, read with another modulus or scale and another number of slots. Values
    /// repeat in more slots than before, and are stated to repeat in fewer.
    pub(super) fn restated(&self, position: P::Position, log_slots: u32) -> Self {
        let held = self.held.repeated(self.log_slots, log_slots);
        Self { position, log_slots, held, ..self.clone() }
    }

    pub(super) fn with_held(self, held: Held) -> Self {
        Self { held, ..self }
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// Modulus and scale.
    pub(crate) fn position(&self) -> P::Position {
        self.position
    }

    /// Number of polynomials of each component: 1 in a plaintext, 2 in a ciphertext, or 3 before
    /// relinearisation.
    pub fn polys(&self) -> usize {
        self.polys
    }

    /// Number of slots, in all rows.
    pub fn slots(&self) -> usize {
        P::ROWS << self.log_slots
    }

    /// How many of the first slots hold values. The other slots hold padding: 0, what filled a
    /// vector up at encryption, or what operations made of it.
    pub fn count(&self) -> usize {
        self.held.count(self.slots())
    }

    /// Refuses to share `result` where this is its plan and holds fewer values: who sent the result
    /// states how many it holds, and must not decide how many are published.
    /// Fails with [`Error::NotSharable`].
    pub(crate) fn expect_shared(&self, result: &Self) -> Result<()> {
        let [planned, found] = [self, result].map(Self::count);
        if found <= planned {
            return Ok(());
        }
        let reason = format!("it states {found} values, and the result of its plan holds {planned}");
        Err(Error::NotSharable { reason })
    }

    /// Whether the slots after the first [`Polynomials::count`] are known to hold 0. False where
    /// there are no such slots.
    pub(crate) fn is_zero_padded(&self) -> bool {
        self.held.zeros()
    }

    pub(crate) fn held(&self) -> Held {
        self.held
    }

    /// Number of slots in a row, within which rotations move values. Approximate schemes have one
    /// row.
    pub(crate) fn row_slots(&self) -> usize {
        1 << self.log_slots
    }

    /// Binary logarithm of the number of slots in a row.
    pub fn log_slots(&self) -> u32 {
        self.log_slots
    }

    /// Number of residues, or of words of HEAAN's integers, of all polynomials.
    pub fn words(&self) -> usize {
        self.buf.limbs() * self.buf.n()
    }

    pub(crate) fn buf(&self) -> &Buf {
        &self.buf
    }

    pub(crate) fn shared(&self) -> Arc<Buf> {
        Arc::clone(&self.buf)
    }

    /// The polynomials of all components.
    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(self.polys * self.components())
    }

    /// Number of components: more than one in ciphertexts of exact schemes whose plaintext modulus
    /// is a product of primes.
    pub(crate) fn components(&self) -> usize {
        self.params.components(self.position)
    }

    /// The polynomials of component `i`.
    pub(crate) fn component(&self, i: usize) -> View<'_> {
        self.view().slice(i * self.polys, self.polys)
    }

    /// Whether `self` and `other` share one buffer, as clones do.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.buf, &other.buf)
    }
}

/// The parameters of a scheme whose ciphertexts hold vectors of slots, with the operations that
/// [`Plaintext`](super::Plaintext) and [`Ciphertext`](super::Ciphertext) need from the scheme.
pub trait Vectors: Shape + 'static {
    /// The scheme's switching keys.
    type Key: Key<Params = Self>;

    /// What an evaluator keeps for further operations with the same operands. Clones share it.
    type OperandCache: Clone + fmt::Debug + Default + Send + Sync;

    /// What operations consume: levels, or bits of the modulus.
    const UNIT: Unit;

    /// Whether a plaintext can be combined only with ciphertexts of its own modulus.
    const PLAINTEXTS_HAVE_MODULI: bool;

    /// How many units a ciphertext has left.
    fn left(position: Self::Position) -> usize;

    /// log2 of the modulus at `position`.
    fn modulus_log2(&self, position: Self::Position) -> f64;

    /// Writes the position as text.
    fn describe(&self, position: Self::Position, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// How good a ciphertext with this noise is, as text: its precision, or what noise may be
    /// added.
    fn quality(&self, _: Self::Position, noise: Noise) -> String {
        noise.precision_text()
    }

    /// The error of a plaintext of `2^log_slots` values in a row, as an addend or a factor.
    fn encoding_error(&self, log_slots: u32) -> ErrorTerm;

    /// Whether the parameter set is accepted even if it lacks the security that it states.
    fn is_insecure(&self) -> bool;

    /// The phase of the ciphertext `ct` under `secret`: its message plus its error.
    fn phase(secret: &SecretKey<Self>, ctx: &Context<Self>, at: Self::Position, ct: View<'_>) -> Result<Buf>;

    /// Refuses the result of `op` if a ciphertext with this noise could wrap around its modulus.
    /// Fails with [`Error::Overflow`] in approximate schemes and with [`Error::NoiseBudget`] in
    /// exact ones.
    fn expect_room(&self, op: &'static str, at: Self::Position, noise: Noise) -> Result<()> {
        noise.expect_room(op, self.modulus_log2(at))
    }

    /// Refuses operands of a sum whose values are scaled differently.
    /// Fails with [`Error::ScaleMismatch`] in approximate schemes and with
    /// [`Error::FactorMismatch`] in exact ones.
    fn expect_addable(op: &'static str, lhs: Self::Position, rhs: Self::Position) -> Result<()> {
        expect_scales(op, Self::scale_of(lhs), Self::scale_of(rhs))
    }

    /// Refuses a ciphertext at a position that readers refuse.
    fn expect_writable(_: Self::Position) -> Result<()> {
        Ok(())
    }
}

pub(crate) fn expect_polys(op: &'static str, expected: usize, found: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Degree { op, expected, found }) }
}

pub(crate) fn expect_scales(op: &'static str, lhs: Scale, rhs: Scale) -> Result<()> {
    if lhs == rhs { Ok(()) } else { Err(Error::ScaleMismatch { op, lhs_log2: lhs.log2(), rhs_log2: rhs.log2() }) }
}
