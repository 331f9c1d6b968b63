//! Vectors of approximate numbers in slots: what CKKS and HEAAN have in common above keys.

mod bytes;
mod ciphertext;
mod decrypt;
mod plaintext;
mod values;

use std::fmt;

use ringjet_backend::Buf;
use zeroize::Zeroizing;

pub use ciphertext::Ciphertext;
pub use plaintext::Plaintext;
pub use values::Values;
pub(crate) use values::{expect_finite, expect_message, expect_slots};

use crate::noise::Added;
use crate::rlwe::{Context, SecretKey};
use crate::wire::Shape;
use crate::{Result, Scale};

/// The parameters of a scheme whose vectors carry approximate numbers. It says what [`Plaintext`] and [`Ciphertext`] cannot know.
pub trait Approximate: Shape {
    /// log2 of the modulus.
    fn modulus_log2(&self, position: Self::Position) -> f64;

    /// Writes modulus and scale for a reader.
    fn describe(&self, position: Self::Position, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// The error of rounding `2^log_slots` values to integers.
    fn encoding_error(&self, log_slots: u32) -> Added;

    /// Whether the set is accepted without the security it asks for.
    fn is_insecure(&self) -> bool;

    /// The phase of a ciphertext of these parameters and of this secret: its message and error.
    fn phase(secret: &SecretKey<Self>, ctx: &Context<Self>, ciphertext: &Ciphertext<Self>) -> Result<Buf>;

    /// The centred integers, at the scale that is returned with them: all, or at least those that the slots depend on.
    fn coefficients(
        ctx: &Context<Self>,
        plaintext: &Plaintext<Self>,
        all: bool,
    ) -> Result<(Zeroizing<Vec<f64>>, Scale)>;

    /// The polynomial of `plaintext` and these integers, which are below `2^bits`.
    fn add_integers(
        ctx: &Context<Self>,
        plaintext: &Plaintext<Self>,
        integers: Zeroizing<Vec<i128>>,
        bits: u32,
    ) -> Result<Buf>;

    /// Refuses a ciphertext that no reader would take.
    fn expect_writable(_: Self::Position) -> Result<()> {
        Ok(())
    }
}
