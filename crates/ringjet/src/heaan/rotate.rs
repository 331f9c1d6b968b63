//! Automorphisms: rotations and conjugation.

use ringjet_math::big::words;

use super::{Ciphertext, Evaluator, SwitchingKey, noise};
use crate::rlwe::keyswitch::expect_rotations;
use crate::{Error, Result};

impl Evaluator {
    /// Rotates the slots by `steps` to the left (`steps < 0`: to the right): slot j gets the value of slot j + steps. Modulus
    /// and scale stay.
    ///
    /// # Errors
    /// [`Error::MissingRotationKey`], [`Error::ParameterMismatch`].
    pub fn rotate(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext> {
        let _scope = self.context().scope("Rotate");
        self.check(a)?;
        if steps.rem_euclid(a.slots() as i64) == 0 {
            return Ok(a.clone());
        }
        let (galois, key) = self.rotation_key(a, steps)?;
        self.galois(a, galois, key)
    }

    /// A key that rotates `a` by `steps`: with sparse packing, any rotation equal to it modulo the number of slots does.
    fn rotation_key(&self, a: &Ciphertext, steps: i64) -> Result<(u32, &SwitchingKey)> {
        let (params, slots) = (self.context().params(), a.slots() as i64);
        let mut equal = (0..params.max_slots() as i64 / slots).map(|k| steps + k * slots);
        let found = equal.find_map(|s| Some((params.rotation_element(s), self.keys().rotation(s).ok()?)));
        found.ok_or(Error::MissingRotationKey { rotation: steps })
    }

    /// Refuses where keys for some of these rotations of `a` are missing.
    ///
    /// # Errors
    /// [`Error::MissingRotationKey`], [`Error::MissingRotationKeys`] with all of them.
    pub fn expect_rotations(&self, a: &Ciphertext, steps: &[i64]) -> Result<()> {
        expect_rotations(a.slots(), steps, |s| self.rotation_key(a, s).is_ok())
    }

    /// The automorphism of a rotation by `steps` of all N/2 slots, whatever the packing.
    ///
    /// # Errors
    /// As [`Evaluator::rotate`].
    pub fn rotate_full(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext> {
        let _scope = self.context().scope("Rotate");
        self.check(a)?;
        self.galois(a, self.context().params().rotation_element(steps), self.keys().rotation(steps)?)
    }

    /// Complex conjugate of every slot. Modulus and scale stay.
    ///
    /// # Errors
    /// [`Error::MissingConjugationKey`], [`Error::ParameterMismatch`].
    pub fn conjugate(&self, a: &Ciphertext) -> Result<Ciphertext> {
        let _scope = self.context().scope("Conjugate");
        self.check(a)?;
        self.galois(a, self.context().params().conjugation_element(), self.keys().conjugation()?)
    }

    /// `a(X^g)`, which decrypts with s(X^g), brought back to s.
    fn galois(&self, a: &Ciphertext, galois: u32, key: &SwitchingKey) -> Result<Ciphertext> {
        let (ctx, log_q) = (self.context(), a.log_q());
        let plan = ctx.params().automorphism(galois);
        let mut moved = ctx.alloc_big(2, log_q)?;
        ctx.backend().big_automorphism(moved.view_mut(2), a.view(), log_q, &plan)?;
        if let Some(meter) = ctx.backend().meter() {
            meter.uses_key(galois, words(log_q));
        }
        let buf = self.switch(moved.view(2).poly(1), log_q, key, moved.view(2).poly(0))?;
        let noise = a.noise().turned(noise::switching(ctx.params(), log_q, a.log_slots()));
        Ok(self.build(buf, a, a.log_scale(), noise))
    }
}
