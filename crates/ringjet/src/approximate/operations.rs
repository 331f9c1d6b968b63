//! Operations that all approximate schemes have, above what each scheme does in its own way.

use ringjet_backend::Buf;

use super::evaluator::expect_scales;
use super::{Approximate, Ciphertext, Evaluator, Plaintext};
#[cfg(doc)]
use crate::Error;
use crate::Result;
use crate::noise::Added;
use crate::rlwe::Context;

/// Two ciphertexts.
pub type Pair<P> = (Ciphertext<P>, Ciphertext<P>);

/// How a scheme computes on the polynomials of its vectors.
pub trait Operations: Approximate {
    /// Both at the same modulus and scale. Fails where they cannot be brought there, and with
    /// [`Error::SlotMismatch`], [`Error::ParameterMismatch`].
    fn align(eval: &Evaluator<Self>, a: &Ciphertext<Self>, b: &Ciphertext<Self>) -> Result<Pair<Self>>;

    /// The polynomials of `a + b`, or of `a - b`, as many as the longer one has.
    fn sum(ctx: &Context<Self>, a: &Ciphertext<Self>, b: &Ciphertext<Self>, minus: bool) -> Result<Buf>;

    /// The polynomials of `a + p`, or of `a - p`.
    fn sum_plain(ctx: &Context<Self>, a: &Ciphertext<Self>, p: &Plaintext<Self>, minus: bool) -> Result<Buf>;

    /// The two polynomials of `a(X^galois)`, brought back to the secret of `a` by `key`.
    fn galois(ctx: &Context<Self>, a: &Ciphertext<Self>, galois: u32, key: &Self::Key) -> Result<Buf>;

    /// The error that this adds.
    fn switching_error(a: &Ciphertext<Self>) -> Added;
}

impl<P: Operations> Evaluator<P> {
    fn sum(&self, op: &'static str, a: &Ciphertext<P>, b: &Ciphertext<P>, minus: bool) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Add");
        self.check_pair(op, a, b)?;
        expect_scales(op, P::scale_of(a.position()), P::scale_of(b.position()))?;
        let noise = if minus { a.noise().difference(b.noise()) } else { a.noise().sum(b.noise()) };
        a.expect_room(op, noise)?;
        let buf = P::sum(&self.ctx, a, b, minus)?;
        let made = self.made(a, buf, a.polys().max(b.polys()), a.position(), noise);
        Ok(made.with_key(self.owner(a).or(b.key_id())))
    }

    /// `a + b`; moduli and scales must agree.
    ///
    /// # Errors
    /// [`Error::ModulusMismatch`], [`Error::ScaleMismatch`], [`Error::SlotMismatch`], [`Error::ParameterMismatch`],
    /// [`Error::KeyMismatch`]; [`Error::Overflow`] where the values could wrap around the modulus.
    pub fn add(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        self.sum("add", a, b, false)
    }

    /// `a - b`, as [`Evaluator::add`].
    pub fn sub(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        self.sum("sub", a, b, true)
    }

    /// `a + b`, brought to a common modulus and scale.
    /// Fails as [`Evaluator::add`] and [`Operations::align`] do.
    pub fn add_auto(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        let (a, b) = P::align(self, a, b)?;
        self.add(&a, &b)
    }

    /// `a - b`, as [`Evaluator::add_auto`].
    pub fn sub_auto(&self, a: &Ciphertext<P>, b: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        let (a, b) = P::align(self, a, b)?;
        self.sub(&a, &b)
    }

    /// `a + p`, or `a - p`, of a plaintext with any number of slots.
    pub(crate) fn sum_plain(
        &self,
        op: &'static str,
        a: &Ciphertext<P>,
        p: &Plaintext<P>,
        minus: bool,
    ) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("PtAdd");
        expect_scales(op, P::scale_of(a.position()), P::scale_of(p.position()))?;
        let range = if minus { p.range().negated() } else { p.range() };
        let noise = a.noise().plus_fixed(a.params().encoding_error(p.log_slots()));
        let noise = noise.with_range(noise.range().sum(range));
        a.expect_room(op, noise)?;
        Ok(self.made(a, P::sum_plain(&self.ctx, a, p, minus)?, a.polys(), a.position(), noise))
    }

    /// `a + p`; moduli, scales and packings must agree.
    ///
    /// # Errors
    /// [`Error::ModulusMismatch`] where plaintexts have levels; [`Error::ScaleMismatch`], [`Error::SlotMismatch`],
    /// [`Error::ParameterMismatch`], [`Error::Overflow`].
    pub fn add_plain(&self, a: &Ciphertext<P>, p: &Plaintext<P>) -> Result<Ciphertext<P>> {
        self.check_plain("add_plain", a, p)?;
        self.sum_plain("add_plain", a, p, false)
    }

    /// `a - p`, as [`Evaluator::add_plain`].
    pub fn sub_plain(&self, a: &Ciphertext<P>, p: &Plaintext<P>) -> Result<Ciphertext<P>> {
        self.check_plain("sub_plain", a, p)?;
        self.sum_plain("sub_plain", a, p, true)
    }

    /// `a` under the automorphism `galois`, whose key is `key`.
    fn moved(&self, a: &Ciphertext<P>, galois: u32, key: &P::Key) -> Result<Ciphertext<P>> {
        let buf = P::galois(&self.ctx, a, galois, key)?;
        Ok(self.made(a, buf, 2, a.position(), a.noise().turned(P::switching_error(a))))
    }

    /// Rotates the slots by `steps` to the left (`steps < 0`: to the right): slot j gets the value of slot j + steps. Modulus
    /// and scale stay.
    /// Fails with [`Error::MissingRotationKey`], [`Error::ParameterMismatch`]; [`Error::Degree`]
    /// for a product that is not relinearised.
    pub fn rotate(&self, a: &Ciphertext<P>, steps: i64) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Rotate");
        self.check_degree("rotate", a)?;
        if steps.rem_euclid(a.slots() as i64) == 0 {
            return Ok(a.clone());
        }
        let (galois, key) = self.rotation_key(a, steps)?;
        self.moved(a, galois, key)
    }

    /// The automorphism of a rotation by `steps` of all N/2 slots, whatever the packing.
    /// Fails as [`Evaluator::rotate`] does.
    pub fn rotate_full(&self, a: &Ciphertext<P>, steps: i64) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Rotate");
        self.check_degree("rotate", a)?;
        self.moved(a, self.ctx.params().ring().rotation_element(steps), self.keys.rotation(steps)?)
    }

    /// Complex conjugate of every slot. Modulus and scale stay.
    /// Fails with [`Error::MissingConjugationKey`]; otherwise as [`Evaluator::rotate`].
    pub fn conjugate(&self, a: &Ciphertext<P>) -> Result<Ciphertext<P>> {
        let _scope = self.ctx.scope("Conjugate");
        self.check_degree("conjugate", a)?;
        self.moved(a, self.ctx.params().ring().conjugation_element(), self.keys.conjugation()?)
    }
}
