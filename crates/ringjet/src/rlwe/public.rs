//! The public encryption key.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};
use zeroize::Zeroizing;

use super::{ChainParameters, Context, KeyId, Purpose, SchemeParameters, SecretKey, encrypt_zero};
use crate::Result;
use crate::rng::{PublicSeed, Seed, gaussian, ternary};

/// `(b, a)` with `b = -a s + e`, over `p_last ++ Q` or as the scheme has it. a has a seed.
#[derive(Clone)]
pub struct PublicKey<P> {
    params: P,
    key: KeyId,
    seed: PublicSeed,
    /// Two polynomials: b, a.
    buf: Arc<Buf>,
}

impl<P: SchemeParameters> PublicKey<P> {
    /// From its two polynomials, of which the second expands from `seed`.
    pub(crate) fn from_buf(ctx: &Context<P>, key: KeyId, seed: PublicSeed, buf: Buf) -> Self {
        Self { params: ctx.params().clone(), key, seed, buf: Arc::new(buf) }
    }

    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(2)
    }

    /// The parameters.
    pub fn params(&self) -> &P {
        &self.params
    }

    /// The identity of its secret.
    pub fn key_id(&self) -> KeyId {
        self.key
    }

    /// The seed of its uniform half.
    pub fn seed(&self) -> &PublicSeed {
        &self.seed
    }

    /// What a seed of encryptions with this key is used for.
    pub(crate) fn purpose(&self) -> Purpose<'_> {
        let fingerprint = self.params.ring().fingerprint();
        Purpose { kind: b"ringjet public encryption", fingerprint, key: self.key }
    }
}

impl<P: ChainParameters> PublicKey<P> {
    /// Makes the public key of `secret`: one for each secret and seed.
    /// Fails with [`crate::Error::ParameterMismatch`], and what the backend refuses.
    pub fn generate(ctx: &Context<P>, secret: &SecretKey<P>, seed: &Seed) -> Result<Self> {
        let params = ctx.params();
        params.expect_same("secret key", secret.params())?;
        let basis = params.encryption_basis();
        let (limbs, k) = (basis.len(), params.p().len());
        let seed = secret.purpose(b"ringjet public key").seed(seed);
        let s = secret.expanded(ctx)?;
        let labels = [&b"ringjet public key a"[..], b"ringjet public key e"];
        let (public, buf) = encrypt_zero(ctx, &basis, s.view(1).range(k - 1, limbs), &seed, labels, None)?;
        Ok(Self::from_buf(ctx, secret.key_id(), public, buf))
    }

    /// An encryption of zero over Q_top, to which `message` is added. Over `p_last ++ Q_top` it is `v (b, a) + (e_0, e_1)`; the
    /// division by `p_last` leaves little more than rounding noise of its errors.
    pub(crate) fn encrypt_zero(&self, ctx: &Context<P>, seed: &Seed, message: Option<View<'_>>) -> Result<Buf> {
        let (params, b) = (ctx.params(), ctx.backend());
        let basis = params.encryption_basis();
        let mut small = Zeroizing::new(vec![0i8; params.n()]);
        ternary(&seed.derive(b"ringjet encryption v", 0), &mut small);
        let v = ctx.small_poly(&small, &basis)?;
        let mut zero = ctx.alloc(2 * basis.len())?.into_secret();
        b.mul(zero.view_mut(2), v.view(1), self.view(), &basis, false)?;
        drop(v);

        // With x = v (b, a) and [.] the centred remainder modulo p_last, the quotient of x + e is
        // (x - ([x + e] - e)) / p_last: the errors join the remainder, and need no transform of their own.
        let division = params.encryption_division()?;
        let (p, wide) = (&basis.select([0]), &division.plan.conv.conv.src);
        let mut last = ctx.alloc(2)?.into_secret();
        b.copy(last.view_mut(2), zero.view(2).prefix(1))?;
        b.intt(last.view_mut(2), p)?;
        let mut remainder = Zeroizing::new(vec![0u64; params.n()]);
        for part in 0..2 {
            gaussian(&seed.derive(b"ringjet encryption e", part as u64), &mut small);
            b.download(&last, part, &mut remainder)?;
            division.remainder(&mut remainder, &small);
            b.upload(&mut last, part, &remainder)?;
        }
        b.ntt(last.view_mut(2), wide)?;
        b.copy(zero.view_mut(2).prefix(1), last.view(2))?;

        let mut buf = ctx.alloc(2 * params.limbs(params.top_level()))?;
        b.divide_round(buf.view_mut(2), zero.view(2), &division.plan, message)?;
        Ok(buf)
    }
}

impl<P: SchemeParameters> fmt::Debug for PublicKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}PublicKey({:?})", P::PREFIX, self.params)
    }
}
