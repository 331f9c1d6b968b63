//! CKKS's plaintexts and ciphertexts: polynomials over the primes of a level, in the evaluation
//! domain.

use std::fmt;

use ringjet_backend::{Buf, Coeff, View};
use ringjet_math::crt::CrtDecoder;
use ringjet_math::embed::Coefficients;
use ringjet_math::fft::Complex64;
use ringjet_math::memory::zeros;
use zeroize::Zeroizing;

use super::{Ciphertext, Context, Plaintext, Scale, SecretKey, SwitchingKey, noise};
use crate::approximate::{self, Approximate, expect_finite, magnitude, rounded};
use crate::ckks::params::Parameters;
use crate::noise::ErrorTerm;
use crate::rlwe::keyswitch::expect_no_values;
use crate::vectors::{ChainVectors, Polynomials, Vectors, expect_slots};
use crate::{Error, Range, Result, Unit, host};

/// The level and the scale of a plaintext or ciphertext.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    pub(crate) level: usize,
    pub(crate) scale: Scale,
}

impl Vectors for Parameters {
    type Key = SwitchingKey;
    type OperandCache = ();
    const UNIT: Unit = Unit::Levels;
    const PLAINTEXTS_HAVE_MODULI: bool = true;

    fn left(position: Position) -> usize {
        position.level
    }

    fn modulus_log2(&self, position: Position) -> f64 {
        self.level(position.level).basis.log2()
    }

    fn describe(&self, position: Position, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {}/{}, scale {:?}", position.level, self.top_level(), position.scale)
    }

    fn encoding_error(&self, _: u32) -> ErrorTerm {
        noise::encoding(self)
    }

    fn is_insecure(&self) -> bool {
        self.spec().allow_insecure
    }

    fn phase(secret: &SecretKey, ctx: &Context, position: Position, ciphertext: View<'_>) -> Result<Buf> {
        secret.phase(ctx, ciphertext, &ctx.params().level(position.level).basis)
    }
}

impl Approximate for Parameters {
    fn coefficients(ctx: &Context, position: Position, plain: &Buf, _: usize) -> Result<approximate::Coefficients> {
        let basis = &ctx.params().level(position.level).basis;
        let (n, limbs) = (ctx.params().n(), basis.len());
        let mut buf = ctx.alloc(limbs)?.into_secret();
        ctx.backend().copy(buf.view_mut(1), plain.view(1))?;
        ctx.backend().intt(buf.view_mut(1), basis)?;
        let mut words = Zeroizing::new(zeros::<u64>(n * limbs)?);
        ctx.backend().download(&buf, 0, &mut words)?;
        let residues: Vec<&[u64]> = words.chunks_exact(n).collect();
        let mut coefficients = Zeroizing::new(zeros::<f64>(n)?);
        CrtDecoder::new(basis).decode(&residues, &mut coefficients);
        Ok((coefficients, position.scale))
    }

    fn add_integers(ctx: &Context, at: Position, plain: View<'_>, integers: &[i128], _: u32) -> Result<Buf> {
        let basis = &ctx.params().level(at.level).basis;
        let integers = ctx.words_poly(integers, basis)?;
        let mut buf = ctx.alloc(basis.len())?.into_secret();
        let terms = [(Coeff::One, plain), (Coeff::One, integers.view(1))];
        ctx.backend().lincomb(buf.view_mut(1), &terms, basis, false)?;
        Ok(buf)
    }
}

impl Polynomials<Parameters> {
    /// Level: how many rescalings are left.
    pub fn level(&self) -> usize {
        self.position().level
    }

    /// The scale: decoding divides the coefficients by it.
    pub fn scale(&self) -> Scale {
        self.position().scale
    }
}

impl Ciphertext {
    /// Makes a ciphertext of `2^log_slots` slots at `level` and the scale of that level, with
    /// unspecified contents. It serves to count operations on a backend that [computes
    /// nothing](ringjet_backend::Meter::counts_only). Its error bound holds for encryption with the
    /// secret and with the public key.
    /// Fails with [`Error::Argument`] where the backend computes; [`Error::NoSuchLevel`],
    /// [`Error::SlotCount`].
    pub fn uncomputed(ctx: &Context, level: usize, log_slots: u32) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let params = ctx.params();
        if level > params.max_level() {
            return Err(Error::NoSuchLevel { level, top: params.max_level() });
        }
        let at = Position { level, scale: params.scale(level) };
        Self::shape(ctx, at, log_slots, params.fresh())
    }

    /// Declares another scale without touching the polynomials: the values are multiplied by the
    /// old scale and divided by the new one.
    pub fn with_scale(&self, scale: Scale) -> Self {
        let noise = self.noise().scaled(1.0, self.scale().value() / scale.value(), scale);
        self.restated(Position { scale, ..self.position() }, noise)
    }

    /// The same values at `scale`, from which the ciphertext's scale differs by rounding only.
    pub(crate) fn renamed(&self, scale: Scale) -> Self {
        let relative = (scale.value() / self.scale().value() - 1.0).abs();
        let noise = self.noise().renamed(scale, relative);
        self.restated(Position { scale, ..self.position() }, noise)
    }
}

impl Plaintext {
    /// Encodes up to `2^log_slots` complex values at `level` and `scale`; missing values are zero.
    /// With n < N/2 slots only every N/(2 * n)-th coefficient is used (sparse packing).
    ///
    /// Refused: too many values, infinite or NaN values, and values whose coefficients do not fit
    /// below half the modulus of the level.
    pub fn encode(ctx: &Context, values: &[Complex64], level: usize, scale: Scale, log_slots: u32) -> Result<Self> {
        let at = Position { level, scale };
        let coefficients = coefficients(ctx, values, at, log_slots, ctx.params().log_n())?;
        let basis = &ctx.params().level(level).basis;
        let buf = coefficients.map_or_else(|| ctx.uncomputed_poly(basis), |c| ctx.integer_poly(&c, basis))?;
        Ok(Self::new(ctx, buf, at, log_slots, Range::of(values, 1 << log_slots)).holding(values.len()))
    }

    /// As [`Plaintext::encode`], for real values, at the level's own scale.
    pub fn encode_real(ctx: &Context, values: &[f64], level: usize, log_slots: u32) -> Result<Self> {
        let values: Vec<Complex64> = values.iter().map(|&re| Complex64 { re, im: 0.0 }).collect();
        let scale = ctx.params().scale(level.min(ctx.params().max_level()));
        Self::encode(ctx, &values, level, scale, log_slots)
    }
}

/// The coefficients of an encoding for `2^log_slots` slots that need not be 0: those at the multiples
/// of [`slots_gap`]. `None` where the backend only counts. Fails as [`Plaintext::encode`] does.
pub(crate) fn slots_coefficients(
    ctx: &Context,
    values: &[Complex64],
    at: Position,
    log_slots: u32,
) -> Result<Option<Coefficients>> {
    let gap = slots_gap(ctx.params().n(), 1 << log_slots);
    coefficients(ctx, values, at, log_slots, ctx.params().log_n() - gap.trailing_zeros())
}

/// The gap between coefficients of vectors of this many slots, so that at least 8 are left, as
/// transforms need.
pub(crate) fn slots_gap(n: usize, slots: usize) -> usize {
    n / (2 * slots).max(8)
}

/// The integer coefficients of an encoding at a level and scale, as a polynomial of degree below
/// `2^log_n`; `None` where the backend only counts.
fn coefficients(
    ctx: &Context,
    values: &[Complex64],
    Position { level, scale }: Position,
    log_slots: u32,
    log_n: u32,
) -> Result<Option<Coefficients>> {
    let params = ctx.params();
    if level > params.max_level() {
        return Err(Error::NoSuchLevel { level, top: params.max_level() });
    }
    expect_slots(values.len(), log_slots, params.log_n())?;
    expect_finite(values)?;
    let make = || {
        let available = params.level(level).basis.log2() - 1.0;
        let refuse = |needed| {
            let (magnitude, scale_log2) = (magnitude(values), scale.log2());
            Error::TooLarge { magnitude, scale_log2, needed, available, level: Some(level) }
        };
        let (coefficients, largest) = rounded(params, values, scale.value(), [log_slots, log_n], refuse)?;
        let bits = (largest as f64).log2();
        if bits < available { Ok(coefficients) } else { Err(refuse(bits)) }
    };
    host::values(ctx.backend(), make).transpose()
}
