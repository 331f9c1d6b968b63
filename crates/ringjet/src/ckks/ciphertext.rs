//! CKKS's plaintexts and ciphertexts: polynomials over the primes of a level, in the evaluation domain.

use std::fmt;

use ringjet_backend::{Buf, Coeff, View};
use ringjet_math::Basis;
use ringjet_math::crt::CrtDecoder;
use zeroize::Zeroizing;

use super::{Ciphertext, Context, Scale, SecretKey, SwitchingKey, noise};
use crate::approximate::{Approximate, Coefficients, Polynomials};
use crate::ckks::params::Parameters;
use crate::noise::Added;
use crate::rlwe::keyswitch::expect_no_values;
use crate::{Error, Result, Unit};

/// Where polynomials stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    pub(crate) level: usize,
    pub(crate) scale: Scale,
}

impl Approximate for Parameters {
    type Key = SwitchingKey;
    const UNIT: Unit = Unit::Levels;

    fn left(position: Position) -> usize {
        position.level
    }

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

    fn phase(secret: &SecretKey, ctx: &Context, position: Position, ciphertext: View<'_>) -> Result<Buf> {
        secret.phase(ctx, ciphertext, &ctx.params().level(position.level).basis)
    }

    fn coefficients(ctx: &Context, position: Position, plain: &Buf, _: usize) -> Result<Coefficients> {
        let basis = &ctx.params().level(position.level).basis;
        let (n, limbs) = (ctx.params().n(), basis.len());
        let mut buf = ctx.alloc(limbs)?.into_secret();
        ctx.backend().copy(buf.view_mut(1), plain.view(1))?;
        ctx.backend().intt(buf.view_mut(1), basis)?;
        let mut words = Zeroizing::new(vec![0u64; n * limbs]);
        ctx.backend().download(&buf, 0, &mut words)?;
        let residues: Vec<&[u64]> = words.chunks_exact(n).collect();
        let mut coefficients = Zeroizing::new(vec![0.0; n]);
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

    /// Scale.
    pub fn scale(&self) -> Scale {
        self.position().scale
    }

    pub(crate) fn basis(&self) -> &Basis {
        &self.params().level(self.level()).basis
    }
}

impl Ciphertext {
    /// A fresh ciphertext of `2^log_slots` slots at `level` and that level's scale, of which only the shape is right: to
    /// count what a program does on a backend that [computes nothing](ringjet_backend::Meter::counts_only). It stands for one of
    /// either key: the bound on its error holds for both.
    /// Fails with [`Error::Argument`] where the backend computes; [`Error::NoSuchLevel`],
    /// [`Error::SlotCount`].
    pub fn uncomputed(ctx: &Context, level: usize, log_slots: u32) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let params = ctx.params();
        if level > params.max_level() {
            return Err(Error::NoSuchLevel { level, top: params.max_level() });
        }
        let at = Position { level, scale: params.scale(level) };
        Self::shape(ctx, at, log_slots, noise::fresh(params))
    }

    /// Declares another scale; the values change accordingly. For circuits that know what they do.
    pub fn with_scale(&self, scale: Scale) -> Self {
        let noise = self.noise().scaled(1.0, self.scale().value() / scale.value(), scale);
        self.restated(Position { scale, ..self.position() }, noise)
    }

    /// The same values at another scale, from which the own one differs by rounding.
    pub(crate) fn renamed(&self, scale: Scale) -> Self {
        let relative = (scale.value() / self.scale().value() - 1.0).abs();
        let noise = self.noise().renamed(scale, relative);
        self.restated(Position { scale, ..self.position() }, noise)
    }
}
