//! Decryption, the true noise budget, and decryption for others.

use ringjet_backend::{Buf, Coeff};
use ringjet_math::crt::CrtDecoder;
use ringjet_math::memory::zeros;
use zeroize::Zeroizing;

use super::modulus::inverse;
use super::noise::size_of;
use super::params::LEAST_BUDGET;
use super::{Ciphertext, Context, Plaintext, SecretKey};
use crate::noise::ErrorTerm;
use crate::rlwe::{Sharing, WIDEST};
use crate::rng::flooding::MAX_FLOODING_BITS;
use crate::rng::{Seed, flooding_gaussian};
use crate::vectors::{Vectors, joined_into};
use crate::{Error, Result};

impl SecretKey {
    /// Decrypts to a plaintext.
    ///
    /// # Errors
    /// [`Error::NoiseBudgetSpent`] if the message may be wrong: too much was computed, or the
    /// ciphertext is damaged. [`Error::ParameterMismatch`], [`Error::KeyMismatch`].
    pub fn decrypt(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<Plaintext> {
        let w = self.scaled_phase(ctx, ciphertext)?;
        expect_budget(ctx, ciphertext.level(), &w)?;
        reduced(ctx, ciphertext, &w)
    }

    /// [`SecretKey::decrypt`] without a check of the budget: the result may be wrong.
    pub fn decrypt_unchecked(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<Plaintext> {
        reduced(ctx, ciphertext, &self.scaled_phase(ctx, ciphertext)?)
    }

    /// Decrypts and decodes: the values of all slots between `-(T-1)/2` and `(T-1)/2`, row 0 first.
    /// Fails as [`SecretKey::decrypt`] and [`Plaintext::decode`] do.
    pub fn decrypt_integers(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<Vec<i64>> {
        self.decrypt(ctx, ciphertext)?.decode(ctx)
    }

    /// The true noise budget in bits: log2 of the quotient of Q/2 and the largest coefficient of
    /// `w = f * m + t * e` in any component. Near 0 the message is lost.
    /// Fails with [`Error::ParameterMismatch`], [`Error::KeyMismatch`].
    pub fn noise_budget(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<f64> {
        budget(ctx, ciphertext.level(), &self.scaled_phase(ctx, ciphertext)?)
    }

    /// Decrypts a result that others than the key's owner will see: [`SecretKey::decrypt_integers`]
    /// of the ciphertext with added noise ([`Sharing`]). The result is the same, as it is exact.
    /// But whether decryption fails could depend on the key through the ciphertext's own noise;
    /// with the added noise it does not. `plan` is the result of the same computation on a backend
    /// that only counts; the bound on the noise is taken from it, as a sender can state any.
    ///
    /// # Errors
    /// [`Error::NotSharable`] if the level is not that of `plan`, or if the modulus has no room for
    /// the noise; [`Error::Argument`] for an invalid `sharing`; [`Error::AnswersExhausted`],
    /// [`Error::NoiseBudgetSpent`], [`Error::ParameterMismatch`], [`Error::KeyMismatch`].
    pub fn decrypt_for_sharing(
        &self,
        ctx: &Context,
        ciphertext: &Ciphertext,
        plan: &Ciphertext,
        sharing: &Sharing,
        seed: &Seed,
    ) -> Result<Vec<i64>> {
        let params = ctx.params();
        params.expect_same("plan", plan.params())?;
        let log_sigma = sharing_width(ciphertext, plan, sharing, 1, 0.0)?;
        let w = self.scaled_phase(ctx, ciphertext)?;
        self.answers.give(sharing.answers)?;
        let mut words = Zeroizing::new(zeros::<i128>(params.n())?);
        let purpose = self.purpose(b"ringjet flooding");
        let seed = purpose.seed_of(seed, &log_sigma.to_le_bytes(), |out| ciphertext.write_to(ctx, out))?;
        let (basis, components) = (ciphertext.basis(), ciphertext.components());
        let noisy = ctx.alloc(components * basis.len())?.into_secret();
        let noisy = joined_into(noisy, components, 1, |i, dst| {
            let seed = if i == 0 { seed.clone() } else { seed.derive(b"ringjet component", i as u64) };
            flooding_gaussian(&seed, log_sigma, &mut words)?;
            let mut flood = ctx.words_poly(&words, basis)?.into_secret();
            ctx.backend().intt(flood.view_mut(1), basis)?; // w is in the coefficient domain
            let times = &params.plaintext_plans(ciphertext.level(), i).times[0];
            let terms = [(Coeff::One, w.view(components).poly(i)), (Coeff::PerLimb(times), flood.view(1))];
            Ok(ctx.backend().lincomb(dst, &terms, basis, false)?)
        })?;
        expect_budget(ctx, ciphertext.level(), &noisy)?;
        reduced(ctx, ciphertext, &noisy)?.decode(ctx)
    }

    /// What is bounded by [`Noise`](crate::Noise): the largest slot of w, its Euclidean length, and
    /// its largest coefficient, each in the component where it is largest.
    /// Fails as [`SecretKey::noise_budget`] does.
    pub fn noise_size(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<[f64; 3]> {
        let all = coefficients(ctx, ciphertext.level(), &self.scaled_phase(ctx, ciphertext)?)?;
        let fft = ctx.params().fft(ctx.params().log_n() - 1)?;
        let mut sizes = all.chunks_exact(ctx.params().n()).map(|w| size_of(fft, w));
        let most = sizes.try_fold(ErrorTerm::NONE, |most, size| Ok::<_, Error>(most.or_bounds_of(size?)))?;
        let ErrorTerm { bound, length, largest, .. } = most;
        Ok([bound, length, largest])
    }

    /// The coefficients of w of each component over the primes of the ciphertext's level.
    pub(super) fn scaled_phase(&self, ctx: &Context, ciphertext: &Ciphertext) -> Result<Buf> {
        let (params, level) = (ctx.params(), ciphertext.level());
        params.expect_same("secret key", self.params())?;
        params.expect_same("ciphertext", ciphertext.params())?;
        self.key_id().join("ciphertext", ciphertext.key_id())?;
        let (basis, components) = (&params.level(level).basis, ciphertext.components());
        let w = ctx.alloc(components * basis.len())?.into_secret();
        joined_into(w, components, 1, |i, mut dst| {
            let phase = Vectors::phase(self, ctx, ciphertext.position(), ciphertext.component(i))?;
            let times = &params.plaintext_plans(level, i).times[ciphertext.polys() - 2];
            let terms = [(Coeff::PerLimb(times), phase.view(1))];
            ctx.backend().lincomb(dst.reborrow(), &terms, basis, false)?;
            Ok(ctx.backend().intt(dst, basis)?)
        })
    }
}

/// log2 of the standard deviation of the noise, in units of t, that hides the noise of `ciphertext` in an answer:
/// for each of `shares` noises. `plan` is the result of the same computation on a backend that only counts, and
/// `more` what else is added to the coefficients of w, over t, and is not to be known.
/// Fails with [`Error::NotSharable`] and [`Error::Argument`].
pub(crate) fn sharing_width(
    ciphertext: &Ciphertext,
    plan: &Ciphertext,
    sharing: &Sharing,
    shares: u32,
    more: f64,
) -> Result<u32> {
    let params = plan.params();
    let refuse = |reason: String| Err(Error::NotSharable { reason });
    if (ciphertext.position(), ciphertext.polys()) != (plan.position(), plan.polys()) {
        return refuse(format!(
            "the plan is for {plan:?}, and this is {ciphertext:?}; make a plan of what was computed"
        ));
    }
    plan.expect_shared(ciphertext)?;
    let (t, planned) = (params.largest_t() as f64, plan.noise());
    // of w = f * m + t * e, f * m is not hidden: it is what is shared. Each component is hidden by
    // noise of its own, and what answers reveal of their errors adds up
    let length = planned.length() + params.sizes().message().length;
    let rest = more * (params.n() as f64).sqrt();
    let error = (length / t + rest) * (ciphertext.components() as f64).sqrt();
    let log_sigma = if length.is_finite() { sharing.log_sigma(error)? } else { u32::MAX };
    let available = params.level(plan.level()).basis.log2() - 1.0 - LEAST_BUDGET;
    let added = f64::from(shares) * WIDEST * f64::from(log_sigma).exp2() + more;
    let needed = (planned.largest() + t * added).log2();
    if needed > available {
        return refuse(format!(
            "its error has a length below 2^{:.1}, and hiding it takes noise of 2^{log_sigma} times t in each coefficient; the \
             modulus has {:.1} bits: share at a higher level, after fewer products",
            error.log2(),
            available + 1.0 + LEAST_BUDGET,
        ));
    }
    if log_sigma > MAX_FLOODING_BITS {
        return refuse(format!(
            "hiding its noise takes noise of 2^{log_sigma} times t, and at most 2^{MAX_FLOODING_BITS} times t can be added: \
             switch to a lower level first, which divides both"
        ));
    }
    Ok(log_sigma)
}

/// The message of a ciphertext of two polynomials whose components have these phases, in the evaluation domain.
/// Fails with [`Error::NoiseBudgetSpent`] where it may be wrong.
pub(crate) fn message_of(ctx: &Context, ciphertext: &Ciphertext, phases: &Buf) -> Result<Plaintext> {
    let (params, level, components) = (ctx.params(), ciphertext.level(), ciphertext.components());
    let basis = ciphertext.basis();
    let w = ctx.alloc(components * basis.len())?.into_secret();
    let w = joined_into(w, components, 1, |i, mut dst| {
        let times = &params.plaintext_plans(level, i).times[0];
        let terms = [(Coeff::PerLimb(times), phases.view(components).poly(i))];
        ctx.backend().lincomb(dst.reborrow(), &terms, basis, false)?;
        Ok(ctx.backend().intt(dst, basis)?)
    })?;
    expect_budget(ctx, level, &w)?;
    reduced(ctx, ciphertext, &w)
}

/// The coefficients of w as doubles, of each component.
pub(super) fn coefficients(ctx: &Context, level: usize, w: &Buf) -> Result<Zeroizing<Vec<f64>>> {
    let basis = &ctx.params().level(level).basis;
    let n = ctx.params().n();
    let mut words = Zeroizing::new(zeros::<u64>(n * w.limbs())?);
    ctx.backend().download(w, 0, &mut words)?;
    let residues: Vec<&[u64]> = words.chunks_exact(n).collect();
    let mut out = Zeroizing::new(zeros::<f64>(n * w.limbs() / basis.len())?);
    let decoder = CrtDecoder::new(basis);
    for (residues, out) in residues.chunks_exact(basis.len()).zip(out.chunks_exact_mut(n)) {
        decoder.decode(residues, out);
    }
    Ok(out)
}

fn budget(ctx: &Context, level: usize, w: &Buf) -> Result<f64> {
    let largest = coefficients(ctx, level, w)?.iter().fold(1.0f64, |most, c| most.max(c.abs()));
    Ok(ctx.params().level(level).basis.log2() - 1.0 - largest.log2())
}

fn expect_budget(ctx: &Context, level: usize, w: &Buf) -> Result<()> {
    let (budget, least) = (budget(ctx, level, w)?, LEAST_BUDGET);
    if budget < least { Err(Error::NoiseBudgetSpent { budget, least }) } else { Ok(()) }
}

/// The message of w: reduced modulo t, divided by the correction factor, for each component.
fn reduced(ctx: &Context, ciphertext: &Ciphertext, w: &Buf) -> Result<Plaintext> {
    let (params, b, components) = (ctx.params(), ctx.backend(), ciphertext.components());
    let message = joined_into(ctx.alloc(components)?.into_secret(), components, 1, |i, dst| {
        let reduce = &params.plaintext_plans(ciphertext.level(), i).reduce;
        let (t, basis) = (params.modulo_t(i), params.t_basis().select([i]));
        let mut scaled = ctx.alloc(1)?.into_secret();
        b.base_convert(scaled.view_mut(1), w.view(components).poly(i), reduce)?;
        b.ntt(scaled.view_mut(1), &basis)?;
        let factor = [inverse(t, ciphertext.position().factors.of(i))];
        Ok(b.lincomb(dst, &[(Coeff::PerLimb(&factor), scaled.view(1))], &basis, false)?)
    })?;
    Ok(Plaintext::of_residues(ctx, message, ciphertext.level())?.with_held(ciphertext.held()))
}
