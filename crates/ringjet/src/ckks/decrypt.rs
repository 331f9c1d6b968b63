//! Decryption.

use ringjet_backend::Buf;

use crate::ckks::{Plaintext, Values};
use crate::rlwe::{SecretKey, Sharing};
use crate::rng::{Seed, flooding_gaussian};
use crate::{Ciphertext, Context, Error, Result, ckks};

impl SecretKey {
    /// The plaintext `c_0 + c_1 s + c_2 s^2`, noise included. Its exact value can leak the key to whoever chose the
    /// ciphertext (Li and Micciancio, 2020/1533): for the key's owner only.
    pub fn decrypt(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<Plaintext> {
        let (buf, range) = (self.inner(ctx, ciphertext)?, ciphertext.noise().range());
        Ok(Plaintext::from_buf(ctx, buf, ciphertext.level(), ciphertext.scale(), ciphertext.log_slots(), range))
    }

    /// Decrypts and decodes: for the key's owner.
    ///
    /// # Errors
    /// [`Error::Garbage`] where the ciphertext cannot be an encryption, under this key, of values within their stated
    /// magnitudes; [`Error::ParameterMismatch`].
    pub fn decrypt_values(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<Values> {
        self.decrypt(ctx, ciphertext)?.decode_checked(ctx, Some(ciphertext.noise().size_log2()))
    }

    /// Decrypts for a result that leaves its owner's hands: values carry `bits` correct bits after the point, and noise that
    /// hides the ciphertext's own error ([`Sharing`]). How large that error can be is taken from `plan`, the same computation
    /// on ciphertexts of a backend that counts, and not from the ciphertext, which says what its sender likes.
    ///
    /// # Errors
    /// [`Error::NotSharable`] for another level, scale or number of slots than the plan's, and where scale or modulus have no
    /// room for the noise; [`Error::AnswersExhausted`]; [`Error::Garbage`]; [`Error::ParameterMismatch`].
    pub fn decrypt_for_sharing(
        &self,
        ctx: &Context,
        ciphertext: &Ciphertext,
        plan: &Ciphertext,
        bits: u32,
        sharing: &Sharing,
        seed: &Seed,
    ) -> Result<Values> {
        self.key_id().join("ciphertext", ciphertext.key_id())?;
        let params = ctx.params();
        params.expect_same("plan", plan.params())?;
        let shape = |ct: &Ciphertext| (ct.level(), ct.scale(), ct.log_slots());
        if shape(ciphertext) != shape(plan) {
            let reason =
                format!("the plan is for {plan:?}, and this is {ciphertext:?}; make a plan of what was computed");
            return Err(Error::NotSharable { reason });
        }
        let (scale, modulus) = (plan.scale().log2(), params.level(plan.level()).basis.log2());
        let log_sigma = sharing.flood(plan.noise(), scale, modulus, plan.log_slots(), bits)?;
        let exact = self.decrypt(ctx, ciphertext)?;
        exact.decode_checked(ctx, Some(plan.noise().size_log2()))?;
        self.answers().give(sharing.answers)?;
        let mut flood = vec![0i128; params.n()];
        flooding_gaussian(&self.flooding_seed(ctx, ciphertext, seed, log_sigma)?, log_sigma, &mut flood)?;
        ckks::decode_flooded(ctx, &exact, flood, bits)
    }

    /// The seed of the noise that floods `ct`: bound to the ciphertext and to the width, as the difference of two answers
    /// with the same noise would tell what it hides.
    fn flooding_seed(&self, ctx: &Context, ct: &Ciphertext, seed: &Seed, width: u32) -> Result<Seed> {
        let purpose = self.purpose(b"ringjet flooding");
        purpose.seed_of(seed, &width.to_le_bytes(), |out| crate::wire::hash_to(ct, ctx, out))
    }

    fn inner(&self, ctx: &Context, ct: &Ciphertext) -> Result<Buf> {
        ctx.params().expect_same("secret key", self.params())?;
        ctx.params().expect_same("ciphertext", ct.params())?;
        self.key_id().join("ciphertext", ct.key_id())?;
        let b = ctx.backend();
        let basis = &ctx.params().level(ct.level()).basis;
        // Horner: ((c_k s) + c_(k-1)) s + ... + c_0
        let copied = |i: usize| -> Result<Buf> {
            let mut out = ctx.alloc(basis.len())?.into_secret();
            b.copy(out.view_mut(1), ct.view().poly(i))?;
            Ok(out)
        };
        let last = ct.polys() - 1;
        self.transformed(ctx, basis, |s| {
            let s = s.view(1).prefix(basis.len());
            let mut sum = None;
            for i in (0..last).rev() {
                let mut out = copied(i)?;
                let factor = sum.as_ref().map_or(ct.view().poly(last), |sum: &Buf| sum.view(1));
                b.mul(out.view_mut(1), factor, s, basis, true)?;
                sum = Some(out);
            }
            sum.map_or_else(|| copied(0), Ok)
        })
    }
}
