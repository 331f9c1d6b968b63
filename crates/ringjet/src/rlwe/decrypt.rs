//! Decryption.

use ringjet_backend::Buf;

use super::SecretKey;
use crate::ckks::{Plaintext, Values};
use crate::rng::{Seed, flooding_uniform};
use crate::{Ciphertext, Context, Error, Result, ckks};

impl SecretKey {
    /// The plaintext `c_0 + c_1 s + c_2 s^2`, noise included. Its exact value can leak the key to whoever chose the
    /// ciphertext (Li and Micciancio, 2020/1533): for the key's owner only.
    pub fn decrypt(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<Plaintext> {
        let buf = self.inner(ctx, ciphertext)?;
        Ok(Plaintext::from_buf(ctx, buf, ciphertext.level(), ciphertext.scale(), ciphertext.log_slots()))
    }

    /// Decrypts and decodes: for the key's owner.
    pub fn decrypt_values(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<Values> {
        self.decrypt(ctx, ciphertext)?.decode(ctx)
    }

    /// Decrypts for a result that leaves its owner's hands: values carry `bits` correct bits after the point, and
    /// noise that hides the ciphertext's own error statistically (noise flooding, Li, Micciancio, Schultz and
    /// Sorrell, 2022/816). The flooding is uniform on an interval `2^30 sqrt(N)` times the error's estimated standard
    /// deviation; refused when the scale has no room for it.
    pub fn decrypt_for_sharing(
        &self,
        ctx: &Context,
        ciphertext: &Ciphertext,
        bits: u32,
        seed: &Seed,
    ) -> Result<Values> {
        self.key_id().join("ciphertext", ciphertext.key_id())?;
        let params = ctx.params();
        let error_bits = ciphertext.noise().coefficient_log2(params.n());
        let flood_bits = flooding_bits(params.log_n(), error_bits, ciphertext.scale().log2(), bits)?;
        let buf = self.inner(ctx, ciphertext)?;
        let mut flood = vec![0i128; params.n()];
        flooding_uniform(&self.flooding_seed(ctx, ciphertext, seed, flood_bits)?, flood_bits, &mut flood)?;
        let exact = Plaintext::from_buf(ctx, buf, ciphertext.level(), ciphertext.scale(), ciphertext.log_slots());
        ckks::decode_flooded(ctx, &exact, flood, bits)
    }

    /// The seed of the noise that floods `ct`: bound to the ciphertext and to the width, as the difference of two answers
    /// with the same noise would tell what it hides.
    fn flooding_seed(&self, ctx: &Context, ct: &Ciphertext, seed: &Seed, width: u32) -> Result<Seed> {
        let purpose = self.purpose(b"ringjet flooding");
        purpose.seed_of(seed, &width.to_le_bytes(), |out| ct.hash_to(ctx, out))
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

/// Width in bits of the noise that floods an error of `2^error_bits` in each coefficient, `2^30 sqrt(N)` times as wide,
/// where values at scale `2^scale_log2` are to keep `bits` bits after the point.
///
/// # Errors
/// [`Error::Argument`] where the scale has no room for it.
pub(crate) fn flooding_bits(log_n: u32, error_bits: f64, scale_log2: f64, bits: u32) -> Result<u32> {
    let half = f64::from(log_n) / 2.0;
    let flood_bits = (error_bits + 30.0 + half).ceil().max(1.0);
    // the flooding's effect on a slot: uniform coefficients of 2^flood, N of them
    let slot_bits = flood_bits - 0.5 * 3f64.log2() + half;
    let possible = scale_log2 - slot_bits;
    // an estimate that is no number hides nothing
    if f64::from(bits) <= possible && !error_bits.is_nan() {
        return Ok(flood_bits as u32);
    }
    Err(Error::Argument {
        name: "bits",
        value: bits.to_string(),
        expected: format!(
            "at most {:.0} here: the error is about 2^{error_bits:.0} in each coefficient and flooding adds {:.0} bits; \
             use a larger scale, a shallower circuit or fewer bits",
            possible.floor().max(0.0),
            30.0 + half,
        ),
    })
}
