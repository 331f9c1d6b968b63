//! Encryption of zero with the secret.

use ringjet_backend::{Buf, Coeff, View};
use ringjet_math::Basis;
use zeroize::Zeroizing;

use super::{ChainParameters, Context};
use crate::Result;
use crate::rng::{PublicSeed, Seed, gaussian};

/// `(e - a s, a)` over `basis`, to whose first polynomial `message` is added, and the seed that a expands from. `s` is the secret
/// over `basis`; a and e have seeds of their own, derived from `seed` under the two `labels`.
pub(crate) fn encrypt_zero<P: ChainParameters>(
    ctx: &Context<P>,
    basis: &Basis,
    s: View<'_>,
    seed: &Seed,
    labels: [&'static [u8]; 2],
    message: Option<View<'_>>,
) -> Result<(PublicSeed, Buf)> {
    let (b, limbs) = (ctx.backend(), basis.len());
    let public = seed.derive_public(labels[0], 0);
    let mut buf = ctx.alloc(2 * limbs)?;
    ctx.expand_into(&mut buf, limbs, &public, 0, basis)?;
    let mut errors = Zeroizing::new(vec![0i8; ctx.params().n()]);
    gaussian(&seed.derive(labels[1], 0), &mut errors);
    let e = ctx.small_poly(&errors, basis)?;
    let mut product = ctx.alloc(limbs)?.into_secret();
    b.mul(product.view_mut(1), buf.view(2).poly(1), s, basis, false)?;
    let mut terms = vec![(Coeff::One, e.view(1))];
    terms.extend(message.map(|m| (Coeff::One, m)));
    terms.push((Coeff::MinusOne, product.view(1)));
    b.lincomb(buf.view_mut(2).poly(0), &terms, basis, false)?;
    Ok((public, buf))
}
