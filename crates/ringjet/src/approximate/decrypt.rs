//! Decryption.

use zeroize::Zeroizing;

use super::{Approximate, Ciphertext, Plaintext, Values};
use crate::rlwe::{Context, SecretKey, Sharing};
use crate::rng::{Seed, flooding_gaussian};
use crate::{Error, Result};

impl<P: Approximate> SecretKey<P> {
    /// The plaintext, noise included. Its exact value can leak the key to whoever chose the ciphertext (Li and Micciancio,
    /// 2020/1533): for the key's owner only.
    /// Fails with [`Error::ParameterMismatch`], [`Error::KeyMismatch`].
    pub fn decrypt(&self, ctx: &Context<P>, ciphertext: &Ciphertext<P>) -> Result<Plaintext<P>> {
        let ring = ctx.params().ring();
        ring.expect_same("secret key", self.params().ring())?;
        ring.expect_same("ciphertext", ciphertext.params().ring())?;
        self.key_id().join("ciphertext", ciphertext.key_id())?;
        let buf = P::phase(self, ctx, ciphertext.position(), ciphertext.view())?;
        let range = ciphertext.noise().range();
        Ok(Plaintext::new(ctx, buf, ciphertext.position(), ciphertext.log_slots(), range))
    }

    /// Decrypts and decodes: for the key's owner.
    ///
    /// # Errors
    /// As [`SecretKey::decrypt`] and [`Plaintext::decode`]; [`Error::Garbage`] where the ciphertext cannot be an encryption,
    /// under this key, of values within their stated magnitudes.
    pub fn decrypt_values(&self, ctx: &Context<P>, ciphertext: &Ciphertext<P>) -> Result<Values> {
        self.decrypt(ctx, ciphertext)?.decode_checked(ctx, Some(ciphertext.noise().size_log2()))
    }

    /// Decrypts for a result that leaves its owner's hands: values carry `bits` correct bits after the point, and noise that
    /// hides the ciphertext's own error ([`Sharing`]). How large that error can be is taken from `plan`, the same computation
    /// on ciphertexts of a backend that counts, and not from the ciphertext, which says what its sender likes.
    ///
    /// # Errors
    /// [`Error::NotSharable`] for another modulus, scale or number of slots than the plan's, and where scale or modulus have
    /// no room for the noise; [`Error::AnswersExhausted`]; [`Error::Garbage`]; [`Error::ParameterMismatch`].
    pub fn decrypt_for_sharing(
        &self,
        ctx: &Context<P>,
        ciphertext: &Ciphertext<P>,
        plan: &Ciphertext<P>,
        bits: u32,
        sharing: &Sharing,
        seed: &Seed,
    ) -> Result<Values> {
        self.key_id().join("ciphertext", ciphertext.key_id())?;
        let params = ctx.params();
        params.ring().expect_same("plan", plan.params().ring())?;
        let (position, log_slots) = (plan.position(), plan.log_slots());
        if (ciphertext.position(), ciphertext.log_slots()) != (position, log_slots) {
            let reason =
                format!("the plan is for {plan:?}, and this is {ciphertext:?}; make a plan of what was computed");
            return Err(Error::NotSharable { reason });
        }
        let scale = P::scale_of(position).log2();
        let log_sigma = sharing.flood(plan.noise(), scale, params.modulus_log2(position), log_slots, bits)?;
        let exact = self.decrypt(ctx, ciphertext)?;
        exact.decode_checked(ctx, Some(plan.noise().size_log2()))?;
        self.answers().give(sharing.answers)?;
        let mut flood = Zeroizing::new(vec![0i128; params.ring().n()]);
        flooding_gaussian(&self.flooding_seed(ctx, ciphertext, seed, log_sigma)?, log_sigma, &mut flood)?;
        // no sample has six bits more than the deviation
        let noisy = P::add_integers(ctx, position, exact.view(), &flood, log_sigma + 7)?;
        Ok(Plaintext::new(ctx, noisy, position, log_slots, exact.range()).decode(ctx)?.rounded(bits))
    }

    /// The seed of the noise that floods `ct`: bound to the ciphertext and to the width, as the difference of two answers
    /// with the same noise would tell what it hides.
    fn flooding_seed(&self, ctx: &Context<P>, ct: &Ciphertext<P>, seed: &Seed, width: u32) -> Result<Seed> {
        let purpose = self.purpose(b"ringjet flooding");
        purpose.seed_of(seed, &width.to_le_bytes(), |out| ct.write_to(ctx, out))
    }
}
