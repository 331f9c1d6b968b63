//! Vectors of approximate numbers in the clear, their encoding and decoding, and the sharing of
//! results.

use ringjet_math::embed::{self, Coefficients, EmbedError};
use ringjet_math::fft::Complex64;
use ringjet_math::memory::zeros;
use zeroize::Zeroizing;

use super::Approximate;
use crate::rlwe::{Context, Ring, SecretKey, Sharing};
use crate::rng::{Seed, flooding_gaussian};
use crate::vectors::{Ciphertext, Plaintext, expect_slots};
use crate::{Error, Result, Stated};

/// A vector of slots.
#[derive(Debug, Clone, PartialEq)]
pub struct Values(pub Vec<Complex64>);

impl Values {
    /// The real parts.
    pub fn real(&self) -> Vec<f64> {
        self.0.iter().map(|z| z.re).collect()
    }

    pub(crate) fn rounded(self, bits: u32) -> Self {
        let unit = 2f64.powi(bits as i32);
        let round = |x: f64| (x * unit).round() / unit;
        Self(self.0.into_iter().map(|z| Complex64 { re: round(z.re), im: round(z.im) }).collect())
    }
}

/// Refuses coefficients that cannot be a message below `2^size_log2` modulo q = `2^modulus_log2`.
/// The sender states `size_log2`. A second check does not depend on the sender: if all slots are
/// below q/2, the squares of the coefficients add up to less than `(q/2)^2`. The coefficients of
/// garbage are uniform modulo q, and their squares add up to about `N * q^2 / 12`.
pub(crate) fn expect_message(coefficients: &[f64], size_log2: f64, modulus_log2: f64) -> Result<()> {
    let half = modulus_log2 - 1.0;
    let unit = (-half).exp2();
    let (mut most, mut squares) = (0.0f64, 0.0);
    for c in coefficients {
        let c = c.abs() * unit;
        most = most.max(c);
        squares += c * c;
    }
    let (most, length) = (most.log2() + half, 0.5 * squares.log2() + half);
    // `1e-9` allows for rounding of the coefficients of the largest values
    let (limit_log2, half) = (size_log2.min(half) + 1e-9, half + 1e-9);
    // NaN is refused, too
    if most <= limit_log2 && length <= half || squares == 0.0 {
        return Ok(());
    }
    Err(Error::Garbage { found_log2: if most <= limit_log2 { length } else { most }, limit_log2 })
}

/// Refuses NaN and infinities, naming the first one.
pub(crate) fn expect_finite(values: &[Complex64]) -> Result<()> {
    for (index, z) in values.iter().enumerate() {
        for value in [z.re, z.im] {
            if !value.is_finite() {
                return Err(Error::NotFinite { index, value });
            }
        }
    }
    Ok(())
}

pub(crate) fn magnitude(values: &[Complex64]) -> f64 {
    values.iter().fold(0.0f64, |m, z| m.max(z.re.abs()).max(z.im.abs()))
}

/// The integer coefficients of an encoding at `scale` for `2^log_slots` slots in the ring of degree
/// `2^log_n`, and the largest absolute value of a coefficient. If a coefficient exceeds 128 bits, `refuse` makes the error from its binary
/// logarithm.
pub(crate) fn rounded(
    ring: &Ring,
    values: &[Complex64],
    scale: f64,
    [log_slots, log_n]: [u32; 2],
    refuse: impl Fn(f64) -> Error,
) -> Result<(Coefficients, u128)> {
    let all = embed::encode_coefficients(ring.fft(log_slots)?, values, log_n, scale).map_err(|e| match e {
        EmbedError::TooLarge { magnitude, .. } => refuse(magnitude.log2()),
        EmbedError::NotFinite { .. } => refuse(scale.log2() + magnitude(values).log2()),
        EmbedError::OutOfMemory(refused) => refused.into(),
        e => Error::Parameters(e.to_string()),
    })?;
    let largest = match &all {
        Coefficients::I64(c) => c.iter().fold(0, |m, x| m.max(x.unsigned_abs())).into(),
        Coefficients::I128(c) => c.iter().fold(0, |m, x| m.max(x.unsigned_abs())),
    };
    Ok((all, largest))
}

impl<P: Approximate> Plaintext<P> {
    /// States the bounds that a ciphertext of this plaintext will carry: a magnitude for real and
    /// imaginary parts, or an interval for real values, which must also hold the padding. The bound
    /// is the magnitude 1 unless stated; the values' own bounds would reveal something about them.
    /// Fails with [`Error::Magnitude`] or [`Error::OutsideStated`] if a value is outside; with
    /// [`Error::Argument`] for bounds that are not finite or not in order, and for complex values in
    /// an interval.
    pub fn with_magnitude(self, stated: impl Into<Stated>) -> Result<Self> {
        self.stating(stated.into())
    }

    /// The values of all slots.
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`]; [`Error::Backend`] if the backend only counts;
    /// [`Error::NotFinite`] if a value exceeds the range of a double. That happens after decryption
    /// with the wrong key, or if the values exceeded the modulus.
    pub fn decode(&self, ctx: &Context<P>) -> Result<Values> {
        self.decode_checked(ctx, None)
    }

    /// The values of all slots. With `size_log2`, refuses a coefficient above `2^size_log2`.
    pub(crate) fn decode_checked(&self, ctx: &Context<P>, size_log2: Option<f64>) -> Result<Values> {
        let ring = ctx.params().ring();
        ring.expect_same("plaintext", self.params().ring())?;
        // the check needs all coefficients; the slots depend on some of them only
        let step = if size_log2.is_some() { 1 } else { ring.n() >> (self.log_slots() + 1) };
        let (coefficients, scale) = P::coefficients(ctx, self.position(), self.buf(), step)?;
        if let Some(size_log2) = size_log2 {
            let smaller = P::scale_of(self.position()).log2() - scale.log2();
            expect_message(&coefficients, size_log2 - smaller, self.params().modulus_log2(self.position()) - smaller)?;
        }
        let mut out = zeros(self.slots())?;
        embed::decode_coefficients(ring.fft(self.log_slots())?, &coefficients, scale.value(), &mut out).map_err(
            |e| match e {
                EmbedError::OutOfMemory(refused) => refused.into(),
                e => Error::Parameters(e.to_string()),
            },
        )?;
        expect_finite(&out)?;
        Ok(Values(out))
    }
}

impl<P: Approximate> Ciphertext<P> {
    /// The same polynomials, read as a vector of `2^log_slots` values. With fewer slots than before
    /// the values are assumed to repeat; the caller must know that they do. With more slots than
    /// before the values repeat. Fails with [`Error::SlotCount`] for more slots than the ring has.
    pub fn with_log_slots(&self, log_slots: u32) -> Result<Self> {
        let log_n = self.params().ring().log_n();
        expect_slots(1 << log_slots.min(log_n), log_slots, log_n)?;
        let noise = P::repacked(self.noise(), self.log_slots(), log_slots);
        Ok(self.repacked(log_slots, noise))
    }
}

impl<P: Approximate> SecretKey<P> {
    /// Decrypts to a plaintext, error included. The exact value can leak the key to whoever chose
    /// the ciphertext (Li and Micciancio, ePrint 2020/1533): only the key's owner may see it. Fails
    /// with [`Error::ParameterMismatch`], [`Error::KeyMismatch`].
    pub fn decrypt(&self, ctx: &Context<P>, ciphertext: &Ciphertext<P>) -> Result<Plaintext<P>> {
        let ring = ctx.params().ring();
        ring.expect_same("secret key", self.params().ring())?;
        ring.expect_same("ciphertext", ciphertext.params().ring())?;
        self.key_id().join("ciphertext", ciphertext.key_id())?;
        let buf = P::phase(self, ctx, ciphertext.position(), ciphertext.view())?;
        let range = ciphertext.noise().range();
        let made = Plaintext::new(ctx, buf, ciphertext.position(), ciphertext.log_slots(), range);
        Ok(made.with_held(ciphertext.held()))
    }

    /// Decrypts and decodes. Only the key's owner may see the values: see [`SecretKey::decrypt`].
    ///
    /// # Errors
    /// Those of [`SecretKey::decrypt`] and [`Plaintext::decode`]; [`Error::Garbage`] if the
    /// ciphertext cannot be an encryption, under this key, of values within their stated
    /// magnitudes.
    pub fn decrypt_values(&self, ctx: &Context<P>, ciphertext: &Ciphertext<P>) -> Result<Values> {
        self.decrypt(ctx, ciphertext)?.decode_checked(ctx, Some(ciphertext.noise().size_log2()))
    }

    /// Decrypts a result that others than the key's owner will see. Noise that hides the
    /// ciphertext's own error is added ([`Sharing`]), and the values are rounded to `bits` bits
    /// after the point. `plan` is the result of the same computation on a backend that only counts;
    /// the bound on the error is taken from it. The ciphertext's own bound is not used, as its
    /// sender can state any.
    ///
    /// # Errors
    /// [`Error::NotSharable`] if modulus, scale or number of slots are not those of `plan`, or if
    /// scale or modulus have no room for the noise; [`Error::Argument`] for an invalid `sharing`;
    /// [`Error::AnswersExhausted`], [`Error::Garbage`], [`Error::ParameterMismatch`],
    /// [`Error::KeyMismatch`].
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
        plan.expect_shared(ciphertext)?;
        let scale = P::scale_of(position).log2();
        let log_sigma = sharing.flood(plan.noise(), scale, params.modulus_log2(position), log_slots, (bits, 1))?;
        let exact = self.decrypt(ctx, ciphertext)?;
        exact.decode_checked(ctx, Some(plan.noise().size_log2()))?;
        self.answers.give(sharing.answers)?;
        let mut flood = Zeroizing::new(zeros::<i128>(params.ring().n())?);
        // The seed is bound to the ciphertext and to the width: two answers with the same noise
        // would reveal the difference of what the noise hides.
        let purpose = self.purpose(b"ringjet flooding");
        let seed = purpose.seed_of(seed, &log_sigma.to_le_bytes(), |out| ciphertext.write_to(ctx, out))?;
        flooding_gaussian(&seed, log_sigma, &mut flood)?;
        // no sample exceeds the standard deviation by six bits
        let noisy = P::add_integers(ctx, position, exact.view(), &flood, log_sigma + 7)?;
        Ok(Plaintext::new(ctx, noisy, position, log_slots, exact.range()).decode(ctx)?.rounded(bits))
    }
}
