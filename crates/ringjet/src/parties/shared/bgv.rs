//! Answers of BGV and BFV: exact decryptions, and refreshes after which the noise is that of an encryption.

use ringjet_backend::{Buf, Coeff};

use super::{Masks, Shared, components};
use crate::bgv::decrypt::{message_of, sharing_width};
use crate::bgv::{self, Ciphertext, Context, Parameters, Plaintext};
use crate::dynamic::{self, Values};
use crate::rlwe::Sharing;
use crate::rng::{Seed, flooding_gaussian, secret_residues};
use crate::{Noise, Result};

impl Shared for Parameters {
    fn wrapped(public: bgv::PublicKey, keys: bgv::EvaluationKeys) -> (dynamic::PublicKey, dynamic::EvaluationKeys) {
        (public.into(), keys.into())
    }

    fn of_scheme(ct: &dynamic::Ciphertext) -> Option<&Ciphertext> {
        if let dynamic::Ciphertext::Bgv(own) = ct { Some(own) } else { None }
    }

    fn into_dynamic(ct: Ciphertext) -> dynamic::Ciphertext {
        ct.into()
    }

    fn decryption_width(ct: &Ciphertext, plan: &Ciphertext, sharing: &Sharing, shares: u32, _: u32) -> Result<u32> {
        plan.params().expect_same("ciphertext", ct.params())?;
        sharing_width(ct, plan, sharing, shares, 0.0)
    }

    /// The message is hidden by a mask that is uniform modulo t, and the noise as in a decryption; so is by how many
    /// multiples of t the message and the masks exceed their residues.
    fn refresh_width(ct: &Ciphertext, plan: &Ciphertext, sharing: &Sharing, shares: u32) -> Result<u32> {
        plan.params().expect_same("ciphertext", ct.params())?;
        sharing_width(ct, plan, sharing, shares, 0.5 * f64::from(shares) + 1.0)
    }

    fn values(ctx: &Context, ct: &Ciphertext, phases: Buf, _: (u32, u32), _: Option<u32>) -> Result<Values> {
        Ok(message_of(ctx, ct, &phases)?.decode(ctx)?.into())
    }

    fn masks(ctx: &Context, ct: &Ciphertext, width: u32, seed: &Seed) -> Result<Masks> {
        let (params, count) = (ctx.params(), ct.components());
        let (top, basis) = (params.top_level(), ct.basis());
        let mut residues = ctx.alloc(count)?.into_secret();
        let mut words = zeroize::Zeroizing::new(ringjet_math::memory::zeros::<u64>(params.n())?);
        for i in 0..count {
            secret_residues(&seed.derive(b"ringjet mask", i as u64), params.plaintext_prime(i), &mut words);
            ctx.backend().upload(&mut residues, i, &words)?;
        }
        let plain = Plaintext::of_residues(ctx, residues, top)?;
        let mask = plain.addend_at(ctx, ct.level())?;
        let flood = components(ctx, count, basis.len(), seed, |_, seed| {
            let mut words = zeroize::Zeroizing::new(ringjet_math::memory::zeros::<i128>(params.n())?);
            flooding_gaussian(seed, width, &mut words)?;
            Ok(ctx.words_poly(&words, basis)?.into_secret())
        })?;
        let low = components(ctx, count, basis.len(), seed, |i, _| {
            let mut sum = ctx.alloc(basis.len())?.into_secret();
            let terms = [(Coeff::One, mask.view(count).poly(i)), (Coeff::One, flood.view(count).poly(i))];
            ctx.backend().lincomb(sum.view_mut(1), &terms, basis, false)?;
            Ok(sum)
        })?;
        let top = plain.uncorrected(ctx, ct)?.addend_at(ctx, top)?;
        Ok(Masks { low, top })
    }

    fn unmasked(ctx: &Context, ct: &Ciphertext, phases: Buf, _: (u32, u32)) -> Result<Buf> {
        message_of(ctx, ct, &phases)?.addend_at(ctx, ctx.params().top_level())
    }

    fn refreshed(ctx: &Context, ct: &Ciphertext, buf: Buf, shares: u32) -> Result<Ciphertext> {
        let params = ctx.params();
        let at = Plaintext::fresh_position(params.top_level());
        let noise =
            Noise::new(params.refreshed(shares), ct.noise().range(), crate::Scale::ONE, crate::noise::Sources::NONE);
        Ok(Ciphertext::new(params, buf, 2, at, ct.log_slots(), noise).with_held(ct.held()))
    }
}
