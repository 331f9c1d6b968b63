//! CKKS's plaintexts and ciphertexts: polynomials over the primes of a level, in the evaluation domain.

use std::fmt;

use ringjet_backend::{Buf, Coeff};
use ringjet_math::crt::CrtDecoder;
use zeroize::Zeroizing;

use super::{Scale, noise};
use crate::approximate::{Approximate, expect_slots};
use crate::noise::{Added, Sources};
use crate::rlwe::keyswitch::expect_no_values;
use crate::{Ciphertext, Context, Error, Noise, Parameters, Plaintext, Range, Result, SecretKey};

/// Where polynomials stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// How many rescalings are left.
    pub(crate) level: usize,
    pub(crate) scale: Scale,
}

impl Approximate for Parameters {
    fn modulus_log2(&self, position: Position) -> f64 {
        self.level(position.level).basis.log2()
    }

    fn describe(&self, position: Position, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {}/{}, scale {:?}", position.level, self.top_level(), position.scale)
    }

    fn encoding_error(&self, _: u32) -> Added {
        noise::encoding(self)
    }

    fn is_insecure(&self) -> bool {
        self.spec().allow_insecure
    }

    fn phase(secret: &SecretKey, ctx: &Context, ciphertext: &Ciphertext) -> Result<Buf> {
        secret.phase(ctx, ciphertext.view(), &ctx.params().level(ciphertext.level()).basis)
    }

    fn coefficients(ctx: &Context, plaintext: &Plaintext, _: bool) -> Result<(Zeroizing<Vec<f64>>, Scale)> {
        let basis = &ctx.params().level(plaintext.level()).basis;
        let (n, limbs) = (ctx.params().n(), basis.len());
        let mut buf = ctx.alloc(limbs)?.into_secret();
        ctx.backend().copy(buf.view_mut(1), plaintext.view())?;
        ctx.backend().intt(buf.view_mut(1), basis)?;
        let mut words = Zeroizing::new(vec![0u64; n * limbs]);
        ctx.backend().download(&buf, 0, &mut words)?;
        let residues: Vec<&[u64]> = words.chunks_exact(n).collect();
        let mut coefficients = Zeroizing::new(vec![0.0; n]);
        CrtDecoder::new(basis).decode(&residues, &mut coefficients);
        Ok((coefficients, plaintext.scale()))
    }

    fn add_integers(ctx: &Context, plaintext: &Plaintext, integers: Zeroizing<Vec<i128>>, _: u32) -> Result<Buf> {
        let basis = &ctx.params().level(plaintext.level()).basis;
        let integers = ctx.words_poly(&integers, basis)?;
        let mut buf = ctx.alloc(basis.len())?.into_secret();
        let terms = [(Coeff::One, plaintext.view()), (Coeff::One, integers.view(1))];
        ctx.backend().lincomb(buf.view_mut(1), &terms, basis, false)?;
        Ok(buf)
    }
}

impl Plaintext {
    pub(crate) fn from_buf(ctx: &Context, buf: Buf, level: usize, scale: Scale, log_slots: u32, range: Range) -> Self {
        Self::from_position(ctx, buf, Position { level, scale }, log_slots, range)
    }

    /// Level.
    pub fn level(&self) -> usize {
        self.position().level
    }

    /// Scale.
    pub fn scale(&self) -> Scale {
        self.position().scale
    }
}

impl Ciphertext {
    pub(crate) fn new(ctx: &Context, buf: Buf, polys: usize, of: &Plaintext, noise: Noise) -> Self {
        Self::from_position(ctx.params(), buf, polys, of.position(), of.log_slots(), noise)
    }

    pub(crate) fn from_parts(
        params: &Parameters,
        buf: Buf,
        polys: usize,
        level: usize,
        scale: Scale,
        log_slots: u32,
        noise: Noise,
    ) -> Self {
        debug_assert_eq!(buf.limbs(), polys * params.limbs(level));
        Self::from_position(params, buf, polys, Position { level, scale }, log_slots, noise)
    }

    /// A fresh ciphertext of `2^log_slots` slots at `level` and that level's scale, of which only the shape is right: to
    /// count what a program does on a backend that [computes nothing](ringjet_backend::Meter::counts_only). It stands for one of
    /// either key: the bound on its error holds for both.
    ///
    /// # Errors
    /// [`Error::Argument`] where the backend computes; [`Error::NoSuchLevel`], [`Error::SlotCount`].
    pub fn uncomputed(ctx: &Context, level: usize, log_slots: u32) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let params = ctx.params();
        if level > params.max_level() {
            return Err(Error::NoSuchLevel { level, top: params.max_level() });
        }
        expect_slots(1 << log_slots.min(params.log_n()), log_slots, params.log_n())?;
        let (buf, scale) = (ctx.alloc(2 * params.limbs(level))?, params.scale(level));
        let noise = Noise::new(noise::fresh(params), Range::within(1.0, true), scale, Sources::next());
        Ok(Self::from_parts(params, buf, 2, level, scale, log_slots, noise))
    }

    /// Level: how many rescalings are left.
    pub fn level(&self) -> usize {
        self.position().level
    }

    /// Scale.
    pub fn scale(&self) -> Scale {
        self.position().scale
    }

    /// The same polynomials as a vector of `2^log_slots` values. With fewer slots than before the values are assumed to repeat;
    /// the caller must know that they do. With more slots they repeat.
    ///
    /// # Errors
    /// [`Error::SlotCount`] for more slots than the ring has.
    pub fn with_log_slots(&self, log_slots: u32) -> Result<Self> {
        expect_slots(1 << log_slots.min(40), log_slots, self.params().log_n())?;
        Ok(self.restated(self.position(), log_slots, self.noise()))
    }

    /// Declares another scale; the values change accordingly. For circuits that know what they do.
    pub fn with_scale(&self, scale: Scale) -> Self {
        let noise = self.noise().scaled(1.0, self.scale().value() / scale.value(), scale);
        self.restated(Position { scale, ..self.position() }, self.log_slots(), noise)
    }

    pub(crate) fn renamed(&self, scale: Scale) -> Self {
        let relative = (scale.value() / self.scale().value() - 1.0).abs();
        let noise = self.noise().renamed(scale, relative);
        self.restated(Position { scale, ..self.position() }, self.log_slots(), noise).without_seed()
    }
}
