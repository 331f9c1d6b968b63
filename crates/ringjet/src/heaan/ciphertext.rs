//! HEAAN's plaintexts and ciphertexts: polynomials of integers modulo powers of two, at scales that
//! are powers of two.

use std::fmt;

use ringjet_backend::{BigTerm, Buf, View};
use ringjet_math::big;
use ringjet_math::embed::MAX_COEFFICIENT_BITS;
use ringjet_math::fft::Complex64;
use ringjet_math::memory::zeros;
use zeroize::Zeroizing;

use super::context::plus;
use super::params::{Parameters, SPARE_BITS};
use super::{Ciphertext, Context, Plaintext, SecretKey, SwitchingKey, noise};
use crate::approximate::{Approximate, Coefficients, expect_finite, magnitude, rounded};
use crate::noise::ErrorTerm;
use crate::rlwe::keyswitch::expect_no_values;
use crate::vectors::{Polynomials, Vectors, expect_slots};
use crate::{Error, Noise, Range, Result, Unit};

/// Binary logarithm of the largest scale: variances stay within the range of doubles.
pub(crate) const MAX_LOG_SCALE: u32 = 400;

/// Modulus and scale of polynomials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// Bits of the modulus of a ciphertext, or of the integers of a plaintext.
    pub(super) bits: u32,
    pub(super) log_scale: u32,
    /// Bits of the modulus under which to encrypt a plaintext; `None` for the largest modulus.
    pub(super) log_q: Option<u32>,
}

impl Position {
    pub(crate) fn new(bits: u32, log_scale: u32) -> Self {
        Self { bits, log_scale, log_q: None }
    }
}

impl Vectors for Parameters {
    type Key = SwitchingKey;
    type OperandCache = ();
    const UNIT: Unit = Unit::Bits;
    const PLAINTEXTS_HAVE_MODULI: bool = false;

    fn left(position: Position) -> usize {
        position.bits as usize
    }

    fn modulus_log2(&self, position: Position) -> f64 {
        position.bits.into()
    }

    fn describe(&self, position: Position, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bits, scale 2^{}", position.bits, self.log_q(), position.log_scale)
    }

    fn encoding_error(&self, log_slots: u32) -> ErrorTerm {
        noise::encoding(log_slots)
    }

    fn is_insecure(&self) -> bool {
        self.spec().allow_insecure
    }

    fn phase(secret: &SecretKey, ctx: &Context, Position { bits, .. }: Position, ciphertext: View<'_>) -> Result<Buf> {
        let _scope = ctx.scope("Decrypt");
        let s = secret.residues(ctx, bits)?;
        let masked = ctx.masked(ciphertext.poly(1), bits, &s, None)?;
        let terms = [plus(ciphertext.poly(0), bits), BigTerm { factor: -1, ..plus(masked.view(1), bits) }];
        let mut out = ctx.alloc_big(1, bits)?.into_secret();
        ctx.backend().big_lincomb(out.view_mut(1), &terms, bits, false)?;
        Ok(out)
    }

    fn expect_writable(position: Position) -> Result<()> {
        expect_room("to_bytes", position.bits, position.log_scale)
    }
}

impl Approximate for Parameters {
    /// Errors are in all coefficients; with more slots, more of these coefficients are decoded.
    fn repacked(noise: Noise, from: u32, to: u32) -> Noise {
        noise.repacked(noise::decoded(to) / noise::decoded(from))
    }

    fn coefficients(ctx: &Context, at: Position, plain: &Buf, step: usize) -> Result<Coefficients> {
        let (n, limbs) = (ctx.params().n(), plain.limbs());
        let mut words = Zeroizing::new(zeros::<u64>(n * limbs)?);
        ctx.backend().download(plain, 0, &mut words)?;
        let mut coefficients = Zeroizing::new(zeros::<f64>(n)?);
        let mut one = Zeroizing::new(vec![0u64; limbs]);
        for i in (0..n).step_by(step) {
            one.iter_mut().enumerate().for_each(|(k, w)| *w = words[k * n + i]);
            coefficients[i] = big::to_f64(&one, at.bits, at.log_scale);
        }
        // divided by the scale already: the integers may exceed the range of doubles
        Ok((coefficients, noise::scale(0)))
    }

    fn add_integers(ctx: &Context, at: Position, plain: View<'_>, integers: &[i128], bits: u32) -> Result<Buf> {
        let (integers, modulus) = (ctx.words_poly(integers, bits)?, at.bits);
        let mut buf = ctx.alloc_big(1, modulus)?.into_secret();
        let terms = [plus(plain, modulus), plus(integers.view(1), bits)];
        ctx.backend().big_lincomb(buf.view_mut(1), &terms, modulus, false)?;
        Ok(buf)
    }
}

impl Polynomials<Parameters> {
    /// Bits of the modulus of a ciphertext, or of the signed coefficients of a plaintext.
    pub fn bits(&self) -> u32 {
        self.position().bits
    }

    /// Binary logarithm of the scale.
    pub fn log_scale(&self) -> u32 {
        self.position().log_scale
    }

    /// The polynomials, as a term with factor 1 of a linear combination.
    pub(crate) fn term(&self) -> BigTerm<'_> {
        plus(self.view(), self.bits())
    }
}

impl Ciphertext {
    /// Makes a ciphertext of `2^log_slots` slots modulo `2^log_q`, with unspecified contents. It
    /// serves to count operations on a backend that [computes
    /// nothing](ringjet_backend::Meter::counts_only).
    /// Fails with [`Error::Argument`] where the backend computes, and for a modulus above that of
    /// the parameters; [`Error::SlotCount`]; [`Error::ModulusExhausted`].
    pub fn uncomputed(ctx: &Context, log_q: u32, log_scale: u32, log_slots: u32) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let params = ctx.params();
        if log_q > params.log_q() {
            return Err(Error::argument("log_q", log_q, format!("at most {}", params.log_q())));
        }
        expect_room("uncomputed", log_q, log_scale)?;
        Self::shape(ctx, Position::new(log_q, log_scale), log_slots, noise::fresh(params, log_slots))
    }

    /// The same ciphertext with the error of a public-key encryption, as its noise is where it stands
    /// for one.
    pub(crate) fn publicly_encrypted(self) -> Self {
        let error = noise::fresh_public(self.params(), self.log_slots());
        self.encrypted_with(error)
    }

    /// Bits of the modulus.
    pub fn log_q(&self) -> u32 {
        self.bits()
    }

    /// Declares another scale without touching the polynomials: the values are multiplied by the
    /// old scale and divided by the new one.
    /// Fails with [`Error::Argument`] for a scale above `2^400`.
    pub fn with_log_scale(&self, log_scale: u32) -> Result<Self> {
        expect_scale(log_scale)?;
        let value = (f64::from(self.log_scale()) - f64::from(log_scale)).exp2();
        let noise = self.noise().scaled(1.0, value, noise::scale(log_scale));
        Ok(self.restated(Position { log_scale, ..self.position() }, noise))
    }
}

/// Refuses a scale above `2^400`, at which variances leave the range of doubles.
pub(super) fn expect_scale(log_scale: u32) -> Result<()> {
    if log_scale <= MAX_LOG_SCALE {
        return Ok(());
    }
    Err(Error::argument("log_scale", log_scale, format!("at most {MAX_LOG_SCALE}: rescale before")))
}

/// Refuses a modulus without room for values of magnitude 1 at a scale.
pub(crate) fn expect_room(op: &'static str, log_q: u32, log_scale: u32) -> Result<()> {
    expect_scale(log_scale)?;
    let needed = log_scale + SPARE_BITS;
    if needed <= log_q { Ok(()) } else { Err(Error::bits_exhausted(op, needed, log_q)) }
}

impl Plaintext {
    /// Sets the modulus `2^log_q` for encryption of the plaintext; the default is the largest.
    #[must_use]
    pub fn at(self, log_q: u32) -> Self {
        let position = Position { log_q: Some(log_q), ..self.position() };
        self.restated(position)
    }

    /// Bits of the modulus under which the plaintext will be encrypted.
    pub fn log_q(&self) -> u32 {
        self.position().log_q.unwrap_or(self.params().log_q())
    }

    /// Encodes up to `2^log_slots` complex values at scale `2^log_scale`; missing values are zero.
    /// With n < N/2 slots only every N/(2 * n)-th coefficient is used (sparse packing).
    ///
    /// # Errors
    /// [`Error::SlotCount`], [`Error::NotFinite`]; [`Error::TooLarge`] for coefficients above the
    /// largest modulus or 120 bits; [`Error::Argument`] for a scale above `2^400`.
    pub fn encode(ctx: &Context, values: &[Complex64], log_scale: u32, log_slots: u32) -> Result<Self> {
        let params = ctx.params();
        expect_slots(values.len(), log_slots, params.log_n())?;
        expect_finite(values)?;
        expect_scale(log_scale)?;
        let available = params.log_q().min(MAX_COEFFICIENT_BITS + 1);
        let refuse = |bits| Error::too_large_for_bits(magnitude(values), log_scale, bits, available);
        let scale = f64::from(log_scale).exp2();
        let too_large = |log2: f64| refuse(log2 as u32 + 2);
        let (coefficients, largest) = rounded(params, values, scale, [log_slots, params.log_n()], too_large)?;
        let bits = 129 - largest.leading_zeros(); // with a sign
        if bits > available {
            return Err(refuse(bits));
        }
        let buf = ctx.integer_poly(&coefficients, bits)?;
        let range = Range::of(values, 1 << log_slots);
        Ok(Self::new(ctx, buf, Position::new(bits, log_scale), log_slots, range).holding(values.len()))
    }

    /// As [`Plaintext::encode`], for real values. Fails as that does.
    pub fn encode_real(ctx: &Context, values: &[f64], log_scale: u32, log_slots: u32) -> Result<Self> {
        let values: Vec<Complex64> = values.iter().map(|&re| re.into()).collect();
        Self::encode(ctx, &values, log_scale, log_slots)
    }

    /// Refuses a modulus that is above the largest, or too small for the scale or the integers.
    pub(super) fn expect_fit(&self, ctx: &Context) -> Result<()> {
        let log_q = self.log_q();
        ctx.params().expect_same("plaintext", self.params())?;
        if log_q > self.params().log_q() {
            let expected = format!("at most {}, the largest modulus of the parameters", self.params().log_q());
            return Err(Error::argument("log_q", log_q, expected));
        }
        expect_room("encrypt", log_q, self.log_scale())?;
        if self.bits() > log_q {
            let magnitude = (f64::from(self.bits()) - f64::from(self.log_scale()) - 1.0).exp2();
            let (log_scale, needed) = (self.log_scale(), self.bits());
            return Err(Error::too_large_for_bits(magnitude, log_scale, needed, log_q));
        }
        Ok(())
    }
}
