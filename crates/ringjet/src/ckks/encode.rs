//! Encoding of vectors into plaintexts.

use ringjet_backend::Buf;
use ringjet_math::embed::Coefficients;
use ringjet_math::fft::Complex64;

use super::ciphertext::Position;
use crate::approximate::{expect_finite, expect_slots, magnitude, rounded};
use crate::{Context, Error, Plaintext, Range, Result, Scale, host};

impl Plaintext {
    /// Encodes up to `2^log_slots` complex values at `level` and `scale`; missing ones are zero. Real vectors have
    /// imaginary parts 0. With fewer than N/2 slots only every N/2n-th coefficient is used (sparse packing).
    ///
    /// Refused: too many values, infinite or NaN values, and values whose coefficients would not fit below half the
    /// modulus of the level.
    pub fn encode(ctx: &Context, values: &[Complex64], level: usize, scale: Scale, log_slots: u32) -> Result<Self> {
        let at = Position { level, scale };
        let coefficients = coefficients(ctx, values, at, log_slots)?;
        let basis = &ctx.params().level(level).basis;
        let buf = coefficients.map_or_else(|| ctx.uncomputed_poly(basis), |c| ctx.integer_poly(&c, basis))?;
        Ok(Self::new(ctx, buf, at, log_slots, Range::of(values, 1 << log_slots)))
    }

    /// As [`Plaintext::encode`], for real values, at the level's own scale.
    pub fn encode_real(ctx: &Context, values: &[f64], level: usize, log_slots: u32) -> Result<Self> {
        let values: Vec<Complex64> = values.iter().map(|&re| Complex64 { re, im: 0.0 }).collect();
        let scale = ctx.params().scale(level.min(ctx.params().max_level()));
        Self::encode(ctx, &values, level, scale, log_slots)
    }
}

/// Values encoded over `P ++ Q_level`: factors of what has not been divided by P yet. The number with it is
/// the largest power of two g for which the result is a polynomial in `X^g`: at least N / 2p where the values
/// have the period p.
pub(crate) fn encode_extended(
    ctx: &Context,
    values: &[Complex64],
    at: Position,
    log_slots: u32,
) -> Result<(Buf, usize)> {
    let coefficients = coefficients(ctx, values, at, log_slots)?;
    let (n, basis) = (ctx.params().n(), &ctx.params().level(at.level).extended);
    match coefficients {
        Some(c) => Ok((ctx.integer_poly(&c, basis)?, spacing(&c, n))),
        None => Ok((ctx.uncomputed_poly(basis)?, n / (2 * period(values)))),
    }
}

/// The largest power of two up to n that divides the exponents of all terms.
fn spacing(coefficients: &Coefficients, n: usize) -> usize {
    let bits = |nonzero: &dyn Fn(usize) -> bool| (0..n).filter(|&i| nonzero(i)).fold(n, |bits, i| bits | i);
    let bits = match coefficients {
        Coefficients::I64(c) => bits(&|i| c[i] != 0),
        Coefficients::I128(c) => bits(&|i| c[i] != 0),
    };
    1 << bits.trailing_zeros()
}

fn period(values: &[Complex64]) -> usize {
    let has = |p: &usize| values[*p..].iter().zip(values).all(|(a, b)| a == b);
    (0..values.len().trailing_zeros()).map(|log| 1 << log).find(has).unwrap_or(values.len())
}

/// The integer coefficients of an encoding at a level and scale; `None` where the backend only counts.
fn coefficients(
    ctx: &Context,
    values: &[Complex64],
    Position { level, scale }: Position,
    log_slots: u32,
) -> Result<Option<Coefficients>> {
    let params = ctx.params();
    if level > params.max_level() {
        return Err(Error::NoSuchLevel { level, top: params.max_level() });
    }
    expect_slots(values.len(), log_slots, params.log_n())?;
    expect_finite(values)?;
    let make = || {
        let available = params.level(level).basis.log2() - 1.0;
        let scale_log2 = scale.log2();
        let refuse = |needed| Error::TooLarge {
            magnitude: magnitude(values),
            scale_log2,
            needed,
            available,
            level: Some(level),
        };
        let (coefficients, largest) = rounded(params, values, scale.value(), log_slots, refuse)?;
        let bits = (largest as f64).log2();
        if bits < available { Ok(coefficients) } else { Err(refuse(bits)) }
    };
    host::values(ctx.backend(), make).transpose()
}
