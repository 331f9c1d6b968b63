//! Encoding of vectors into plaintexts and back.

use ringjet_backend::Buf;
use ringjet_math::Basis;
use ringjet_math::crt::CrtDecoder;
use ringjet_math::embed::{self, Coefficients, EmbedError};
use ringjet_math::fft::Complex64;
use zeroize::Zeroize;

use super::{Plaintext, Scale, Values};
use crate::{Context, Error, Range, Result};

impl Plaintext {
    /// Encodes up to `2^log_slots` complex values at `level` and `scale`; missing ones are zero. Real vectors have
    /// imaginary parts 0. With fewer than N/2 slots only every N/2n-th coefficient is used (sparse packing).
    ///
    /// Refused: too many values, infinite or NaN values, and values whose coefficients would not fit below half the
    /// modulus of the level.
    pub fn encode(ctx: &Context, values: &[Complex64], level: usize, scale: Scale, log_slots: u32) -> Result<Self> {
        check(ctx, values, level, log_slots)?;
        let buf = encode_over(ctx, values, level, scale, log_slots, &ctx.params().level(level).basis)?;
        Ok(Self::from_buf(ctx, buf, level, scale, log_slots, Range::of(values, 1 << log_slots)))
    }

    /// As [`Plaintext::encode`], for real values, at the level's own scale.
    pub fn encode_real(ctx: &Context, values: &[f64], level: usize, log_slots: u32) -> Result<Self> {
        let values: Vec<Complex64> = values.iter().map(|&re| Complex64 { re, im: 0.0 }).collect();
        let scale = ctx.params().scale(level.min(ctx.params().max_level()));
        Self::encode(ctx, &values, level, scale, log_slots)
    }

    /// The values of all slots.
    pub fn decode(&self, ctx: &Context) -> Result<Values> {
        self.decode_checked(ctx, None)
    }

    /// The values of all slots, of coefficients that are below `2^size_log2` in all.
    pub(crate) fn decode_checked(&self, ctx: &Context, size_log2: Option<f64>) -> Result<Values> {
        ctx.params().expect_same("plaintext", self.params())?;
        let params = ctx.params();
        let basis = &params.level(self.level()).basis;
        let (n, limbs) = (params.n(), basis.len());
        let mut buf = ctx.alloc(limbs)?.into_secret();
        ctx.backend().copy(buf.view_mut(1), self.view())?;
        ctx.backend().intt(buf.view_mut(1), basis)?;
        let mut words = zeroize::Zeroizing::new(vec![0u64; n * limbs]);
        ctx.backend().download(&buf, 0, &mut words)?;
        let residues: Vec<&[u64]> = words.chunks_exact(n).collect();
        let mut coefficients = zeroize::Zeroizing::new(vec![0.0; n]);
        CrtDecoder::new(basis).decode(&residues, &mut coefficients);
        if let Some(size_log2) = size_log2 {
            expect_message(&coefficients, size_log2, basis.log2())?;
        }
        let mut out = vec![Complex64 { re: 0.0, im: 0.0 }; 1 << self.log_slots()];
        embed::decode_coefficients(params.fft(self.log_slots()), &coefficients, self.scale().value(), &mut out)
            .map_err(|e| Error::Parameters(e.to_string()))?;
        Ok(Values(out))
    }
}

/// Values encoded over `P ++ Q_level`: factors of what has not been divided by P yet.
pub(crate) fn encode_extended(
    ctx: &Context,
    values: &[Complex64],
    level: usize,
    scale: Scale,
    log_slots: u32,
) -> Result<Buf> {
    check(ctx, values, level, log_slots)?;
    encode_over(ctx, values, level, scale, log_slots, &ctx.params().level(level).extended)
}

fn encode_over(
    ctx: &Context,
    values: &[Complex64],
    level: usize,
    scale: Scale,
    log_slots: u32,
    basis: &Basis,
) -> Result<Buf> {
    if !ctx.backend().computes() {
        return ctx.uncomputed_poly(basis);
    }
    ctx.integer_poly(&coefficients(ctx, values, level, scale, log_slots)?, basis)
}

/// The integer coefficients of an encoding at `level` and `scale`.
fn coefficients(
    ctx: &Context,
    values: &[Complex64],
    level: usize,
    scale: Scale,
    log_slots: u32,
) -> Result<Coefficients> {
    let params = ctx.params();
    let basis = &params.level(level).basis;
    let magnitude = || values.iter().fold(0.0f64, |m, z| m.max(z.re.abs()).max(z.im.abs()));
    let available = basis.log2() - 1.0;
    let refuse = |needed: f64| Error::TooLarge {
        magnitude: magnitude(),
        scale_log2: scale.log2(),
        needed,
        available,
        level: Some(level),
    };
    let coefficients = match embed::encode_coefficients(params.fft(log_slots), values, params.log_n(), scale.value()) {
        Ok(c) => c,
        Err(EmbedError::TooLarge { magnitude, .. }) => return Err(refuse(magnitude.log2())),
        Err(EmbedError::NotFinite { .. }) => return Err(refuse(scale.log2() + magnitude().log2())),
        Err(e) => return Err(Error::Parameters(e.to_string())),
    };
    let largest = match &coefficients {
        Coefficients::I64(c) => c.iter().fold(0, |m, x| m.max(x.unsigned_abs())) as f64,
        Coefficients::I128(c) => c.iter().fold(0, |m, x| m.max(x.unsigned_abs())) as f64,
    };
    if largest.log2() >= available {
        return Err(refuse(largest.log2()));
    }
    Ok(coefficients)
}

/// Refuses coefficients that are no message of less than `2^size_log2` modulo `2^modulus_log2`. Besides that bound, which the
/// sender states, there is one that nobody can state: slots below q/2 have coefficients whose squares add up to less than
/// `(q/2)^2`, where those of garbage, uniform modulo q, add up to about `N q^2/12`.
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
    // coefficients of the largest values are rounded
    let (limit_log2, half) = (size_log2.min(half) + 1e-9, half + 1e-9);
    // NaN is refused, too
    if most <= limit_log2 && length <= half || squares == 0.0 {
        return Ok(());
    }
    Err(Error::Garbage { found_log2: if most <= limit_log2 { length } else { most }, limit_log2 })
}

/// Adds flooding noise to the integers of a decrypted plaintext, decodes, and rounds to `bits` after the point.
pub(crate) fn decode_flooded(ctx: &Context, exact: &Plaintext, flood: Vec<i128>, bits: u32) -> Result<Values> {
    let basis = &ctx.params().level(exact.level()).basis;
    let mut integers = Coefficients::I128(flood);
    let flood = ctx.integer_poly(&integers, basis)?;
    if let Coefficients::I128(words) = &mut integers {
        words.zeroize();
    }
    let mut buf = ctx.alloc(basis.len())?.into_secret();
    let terms = [(ringjet_backend::Coeff::One, exact.view()), (ringjet_backend::Coeff::One, flood.view(1))];
    ctx.backend().lincomb(buf.view_mut(1), &terms, basis, false)?;
    let noisy = Plaintext::from_buf(ctx, buf, exact.level(), exact.scale(), exact.log_slots(), exact.range());
    Ok(noisy.decode(ctx)?.rounded(bits))
}

fn check(ctx: &Context, values: &[Complex64], level: usize, log_slots: u32) -> Result<()> {
    let (params, len) = (ctx.params(), values.len());
    if level > params.max_level() {
        return Err(Error::NoSuchLevel { level, top: params.max_level() });
    }
    expect_slots(len, log_slots, params.log_n())?;
    expect_finite(values)
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

/// Refuses more values than slots, and more slots than half the ring degree `2^log_n`.
pub(crate) fn expect_slots(len: usize, log_slots: u32, log_n: u32) -> Result<()> {
    if log_slots >= log_n || len > 1 << log_slots {
        let slots = 1usize.checked_shl(log_slots).unwrap_or(usize::MAX);
        return Err(Error::SlotCount { found: len, slots, max: 1 << (log_n - 1) });
    }
    Ok(())
}
