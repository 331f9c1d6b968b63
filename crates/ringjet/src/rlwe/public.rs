//! The public encryption key.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, Coeff};
use zeroize::Zeroizing;

use super::{KeyId, SecretKey};
use crate::rng::{PublicSeed, Seed, gaussian};
use crate::{Context, Parameters, Result};

/// `(b, a)` with `b = -a s + e` over `p_last ++ Q` (evaluation domain). `a` is regenerated from a seed.
#[derive(Clone)]
pub struct PublicKey {
    pub(crate) params: Parameters,
    pub(crate) key: KeyId,
    pub(crate) seed: PublicSeed,
    /// Two polynomials: b, a.
    pub(crate) buf: Arc<Buf>,
}

impl PublicKey {
    /// Makes the public key of `secret`: one for each secret and seed.
    pub fn generate(ctx: &Context, secret: &SecretKey, seed: &Seed) -> Result<Self> {
        ctx.params().expect_same("secret key", secret.params())?;
        let (params, b) = (ctx.params(), ctx.backend());
        let basis = params.encryption_basis();
        let (limbs, k) = (basis.len(), params.p().len());
        let seed = &secret.purpose(b"ringjet public key").seed(seed);
        let public = seed.derive_public(b"ringjet public key a", 0);
        let mut buf = ctx.alloc(2 * limbs)?;
        ctx.expand_into(&mut buf, limbs, &public, 0, &basis)?;
        let mut noise = Zeroizing::new(vec![0i8; params.n()]);
        gaussian(&seed.derive(b"ringjet public key e", 0), &mut noise);
        let e = ctx.small_poly(&noise, &basis)?;
        let s = secret.expanded(ctx)?;
        let mut product = ctx.alloc(limbs)?.into_secret();
        b.mul(product.view_mut(1), buf.view(2).poly(1), s.view(1).range(k - 1, limbs), &basis, false)?;
        b.lincomb(
            buf.view_mut(2).poly(0),
            &[(Coeff::One, e.view(1)), (Coeff::MinusOne, product.view(1))],
            &basis,
            false,
        )?;
        Ok(Self { params: params.clone(), key: secret.key_id(), seed: public, buf: Arc::new(buf) })
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// The identity of its secret.
    pub fn key_id(&self) -> KeyId {
        self.key
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({:?})", self.params)
    }
}
