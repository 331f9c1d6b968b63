//! What a session needs from a scheme.

mod bgv;
mod ckks;

use ringjet_backend::Buf;

use crate::dynamic::{self, Values};
use crate::rlwe::keyswitch::{EvaluationKeys, SwitchingKey};
use crate::rlwe::{Context, PublicKey, Sharing};
use crate::rng::Seed;
use crate::vectors::{ChainVectors, Ciphertext, joined};
use crate::{Error, Result};

/// The polynomials that mask a message in a refresh, for each component: at the level of the ciphertext, and at the
/// top level.
pub(super) struct Masks {
    pub(super) low: Buf,
    pub(super) top: Buf,
}

/// A scheme whose secret several parties can share.
pub(super) trait Shared: ChainVectors + Send + Sync {
    /// The keys as objects of any scheme.
    fn wrapped(
        public: PublicKey<Self>,
        keys: EvaluationKeys<SwitchingKey<Self>>,
    ) -> (dynamic::PublicKey, dynamic::EvaluationKeys);

    /// The scheme's own ciphertext; `None` for one of another scheme.
    fn of_scheme(ct: &dynamic::Ciphertext) -> Option<&Ciphertext<Self>>;

    /// The ciphertext as one of any scheme.
    fn into_dynamic(ct: Ciphertext<Self>) -> dynamic::Ciphertext;

    /// log2 of the standard deviation of the noise that each piece adds to a decryption of `ct`, whose plan is `plan`.
    /// `shares`: how many such noises are added. `bits`: how many bits after the point must be left.
    /// Fails with [`Error::NotSharable`].
    fn decryption_width(
        ct: &Ciphertext<Self>,
        plan: &Ciphertext<Self>,
        sharing: &Sharing,
        shares: u32,
        bits: u32,
    ) -> Result<u32>;

    /// log2 of the standard deviation of the mask of each of `shares` shares in a refresh of `ct`.
    /// Fails with [`Error::NotSharable`].
    fn refresh_width(ct: &Ciphertext<Self>, plan: &Ciphertext<Self>, sharing: &Sharing, shares: u32) -> Result<u32>;

    /// The values of `ct`, whose components have these phases. `noise`: log2 of the standard deviation of the noise in
    /// each share, which the phases include, and the number of shares.
    fn values(
        ctx: &Context<Self>,
        ct: &Ciphertext<Self>,
        phases: Buf,
        noise: (u32, u32),
        bits: Option<u32>,
    ) -> Result<Values>;

    /// The masks of a piece.
    fn masks(ctx: &Context<Self>, ct: &Ciphertext<Self>, width: u32, seed: &Seed) -> Result<Masks>;

    /// The message of `ct` less all masks, at the top level, where `phases` are those of `ct` less all masks.
    /// `masks`: log2 of their standard deviation, and the number of shares that have one.
    fn unmasked(ctx: &Context<Self>, ct: &Ciphertext<Self>, phases: Buf, masks: (u32, u32)) -> Result<Buf>;

    /// The ciphertext of these polynomials at the top level, refreshed from `ct` by `shares` shares.
    fn refreshed(ctx: &Context<Self>, ct: &Ciphertext<Self>, buf: Buf, shares: u32) -> Result<Ciphertext<Self>>;
}

/// The position of a ciphertext that is decrypted or refreshed, and that of its plan, must be the same.
pub(super) fn expect_planned<P: ChainVectors>(ct: &Ciphertext<P>, plan: &Ciphertext<P>) -> Result<()> {
    plan.params().ring().expect_same("ciphertext", ct.params().ring())?;
    let shape = |ct: &Ciphertext<P>| (ct.position(), ct.log_slots(), ct.polys());
    if shape(ct) != shape(plan) {
        let reason = format!("the plan is for {plan:?}, and this is {ct:?}; make a plan of what was computed");
        return Err(Error::NotSharable { reason });
    }
    plan.expect_shared(ct)
}

/// One polynomial for each component: `fill` makes it, from the seed of the component.
pub(super) fn components<P: ChainVectors>(
    ctx: &Context<P>,
    count: usize,
    limbs: usize,
    seed: &Seed,
    fill: impl Fn(usize, &Seed) -> Result<Buf>,
) -> Result<Buf> {
    let made = joined(ctx, count, 1, limbs, |i, dst| {
        let seed = if i == 0 { seed.clone() } else { seed.derive(b"ringjet component", i as u64) };
        Ok(ctx.backend().copy(dst, fill(i, &seed)?.view(1))?)
    })?;
    Ok(made.into_secret())
}
