//! Encryption with the secret and with the public key.

use std::sync::Arc;

use ringjet_backend::Coeff;
use zeroize::Zeroizing;

use super::{PublicKey, SecretKey};
use crate::ckks::{Noise, Plaintext};
use crate::rng::{Seed, gaussian, ternary};
use crate::{Ciphertext, Context, Result};

impl SecretKey {
    /// Encrypts at the plaintext's level: `(m + e - a s, a)`. The second half comes from a public seed that the
    /// ciphertext remembers, so that its bytes take half the room.
    pub fn encrypt(&self, ctx: &Context, plaintext: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        ctx.params().expect_same("secret key", self.params())?;
        ctx.params().expect_same("plaintext", plaintext.params())?;
        let (params, b) = (ctx.params(), ctx.backend());
        let basis = &params.level(plaintext.level()).basis;
        let limbs = basis.len();
        let public = seed.derive_public(b"ringjet ciphertext a", 0);
        let mut buf = ctx.alloc(2 * limbs)?;
        ctx.expand_into(&mut buf, limbs, &public, 0, basis)?;
        let mut noise = Zeroizing::new(vec![0i8; params.n()]);
        gaussian(&seed.derive(b"ringjet ciphertext e", 0), &mut noise);
        let e = ctx.small_poly(&noise, basis)?;
        let s = ctx.small_poly(self.coefficients(), basis)?;
        let mut product = ctx.alloc(limbs)?.into_secret();
        b.mul(product.view_mut(1), buf.view(2).poly(1), s.view(1), basis, false)?;
        let terms = [(Coeff::One, e.view(1)), (Coeff::One, plaintext.view()), (Coeff::MinusOne, product.view(1))];
        b.lincomb(buf.view_mut(2).poly(0), &terms, basis, false)?;
        let noise = Noise::fresh_secret(params, plaintext.scale());
        Ok(Ciphertext::new(ctx, buf, 2, plaintext, noise).with_seed(public))
    }
}

impl PublicKey {
    /// Encrypts at the plaintext's level: an encryption of zero over `p_last ++ Q_l` is divided by `p_last`, which
    /// leaves little more than rounding noise, and the message is added.
    pub fn encrypt(&self, ctx: &Context, plaintext: &Plaintext, seed: &Seed) -> Result<Ciphertext> {
        ctx.params().expect_same("public key", &self.params)?;
        ctx.params().expect_same("plaintext", plaintext.params())?;
        let (params, b) = (ctx.params(), ctx.backend());
        let top = params.top_level();
        let basis = params.encryption_basis();
        let mut small = Zeroizing::new(vec![0i8; params.n()]);
        ternary(&seed.derive(b"ringjet encryption v", 0), &mut small);
        let v = ctx.small_poly(&small, &basis)?;
        let mut zero = ctx.alloc(2 * basis.len())?.into_secret();
        for part in 0..2 {
            gaussian(&seed.derive(b"ringjet encryption e", part as u64), &mut small);
            let e = ctx.small_poly(&small, &basis)?;
            b.copy(zero.view_mut(2).poly(part), e.view(1))?;
        }
        b.mul(zero.view_mut(2), v.view(1), self.buf.view(2), &basis, true)?;
        let limbs = params.limbs(top);
        let mut buf = ctx.alloc(2 * limbs)?;
        let add = (plaintext.level() == top).then(|| plaintext.view());
        b.divide_round(buf.view_mut(2), zero.view(2), params.encryption_division(), add)?;
        let noise = Noise::fresh_public(params, plaintext.scale());
        if plaintext.level() == top {
            return Ok(Ciphertext::new(ctx, buf, 2, plaintext, noise));
        }
        let level = params.level(plaintext.level());
        let mut low = ctx.alloc(2 * level.basis.len())?;
        b.copy(low.view_mut(2), buf.view(2).prefix(level.basis.len()))?;
        b.lincomb(low.view_mut(2).poly(0), &[(Coeff::One, plaintext.view())], &level.basis, true)?;
        Ok(Ciphertext::new(ctx, low, 2, plaintext, noise))
    }
}

impl Ciphertext {
    /// A transparent "encryption" of a plaintext, `(m, 0)`: for circuits that want a ciphertext operand. It hides
    /// nothing.
    pub fn transparent(ctx: &Context, plaintext: &Plaintext) -> Result<Self> {
        let basis = &ctx.params().level(plaintext.level()).basis;
        let mut buf = ctx.alloc(2 * basis.len())?;
        ctx.backend().copy(buf.view_mut(2).poly(0), plaintext.view())?;
        let zero = vec![0u64; basis.len()];
        let b = ctx.backend();
        b.lincomb(buf.view_mut(2).poly(1), &[(Coeff::PerLimb(&zero), plaintext.view())], basis, false)?;
        let noise = Noise::encoded(ctx.params(), plaintext.scale());
        let ct = Self::new(ctx, buf, 2, plaintext, noise);
        debug_assert!(Arc::strong_count(&ct.buf) == 1);
        Ok(ct)
    }
}
