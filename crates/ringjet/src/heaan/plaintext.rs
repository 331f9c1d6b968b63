//! Encoded vectors: encoding and decoding.

use std::fmt;
use std::sync::Arc;

use ringjet_backend::{Buf, View};
use ringjet_math::big;
use ringjet_math::embed::{self, Coefficients, EmbedError, MAX_COEFFICIENT_BITS};
use ringjet_math::fft::Complex64;
use zeroize::Zeroizing;

use super::ciphertext::{MAX_LOG_SCALE, SPARE_BITS};
use super::context::bits_for;
use super::{Context, Parameters, noise};
use crate::ckks::{Values, expect_finite, expect_message, expect_slots};
use crate::noise::{Added, Sources};
use crate::{Error, Noise, Range, Result};

/// An encoded vector: one polynomial of integers, of as many bits as they need, so that it goes with every modulus that has
/// room for it. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Plaintext {
    params: Parameters,
    buf: Arc<Buf>,
    bits: u32,
    log_scale: u32,
    log_slots: u32,
    range: Range,
    stated: f64,
    /// Bits of the modulus under which it is to be encrypted.
    log_q: u32,
    /// Whether its coefficients were integers before they were rounded.
    exact: bool,
}

impl Plaintext {
    pub(crate) fn from_buf(
        ctx: &Context,
        buf: Arc<Buf>,
        bits: u32,
        log_scale: u32,
        log_slots: u32,
        range: Range,
    ) -> Self {
        debug_assert_eq!(buf.limbs(), big::words(bits));
        let (params, log_q) = (ctx.params().clone(), ctx.params().log_q());
        Self { params, buf, bits, log_scale, log_slots, range, stated: 1.0, log_q, exact: false }
    }

    /// States the bound on absolute values that a ciphertext of it will carry, as
    /// [`ckks::Plaintext::with_magnitude`](crate::Plaintext::with_magnitude).
    ///
    /// # Errors
    /// As there.
    pub fn with_magnitude(self, stated: f64) -> Result<Self> {
        Ok(Self { stated: self.range.stated(stated)?, ..self })
    }

    /// To be encrypted modulo `2^log_q`, instead of the largest modulus.
    #[must_use]
    pub fn at(self, log_q: u32) -> Self {
        Self { log_q, ..self }
    }

    /// Bits of the modulus under which it is to be encrypted.
    pub fn log_q(&self) -> u32 {
        self.log_q
    }

    /// One whose coefficients are the values' own, without rounding.
    pub(crate) fn exact(self) -> Self {
        Self { exact: true, ..self }
    }

    /// Bounds on the values, exactly.
    pub fn range(&self) -> Range {
        self.range
    }

    /// As a factor.
    pub(super) fn noise(&self) -> Noise {
        let error = if self.exact { Added::NONE } else { noise::encoding(self.log_slots) };
        Noise::new(error, self.range, noise::scale(self.log_scale), Sources::NONE)
    }

    /// What a ciphertext states of the values.
    pub(super) fn stated_range(&self) -> Result<Range> {
        Ok(Range::within(self.range.stated(self.stated)?, self.range.is_real()))
    }

    /// Encodes up to `2^log_slots` complex values at scale `2^log_scale`; missing ones are zero. With fewer than N/2 slots
    /// only every N/2n-th coefficient is used (sparse packing).
    ///
    /// # Errors
    /// [`Error::SlotCount`], [`Error::NotFinite`]; [`Error::TooLarge`] for coefficients that do not fit into the
    /// largest modulus or 120 bits; [`Error::Argument`] for a scale above `2^400`.
    pub fn encode(ctx: &Context, values: &[Complex64], log_scale: u32, log_slots: u32) -> Result<Self> {
        let params = ctx.params();
        expect_slots(values.len(), log_slots, params.log_n())?;
        expect_finite(values)?;
        if log_scale > MAX_LOG_SCALE {
            let (value, expected) = (log_scale.to_string(), format!("at most {MAX_LOG_SCALE}"));
            return Err(Error::Argument { name: "log_scale", value, expected });
        }
        let available = params.log_q().min(MAX_COEFFICIENT_BITS + 1);
        let magnitude = values.iter().fold(0.0f64, |m, z| m.max(z.re.abs()).max(z.im.abs()));
        let refuse = |needed| Error::too_large_for_bits(magnitude, log_scale, needed, available);
        let scale = f64::from(log_scale).exp2();
        let coefficients = match embed::encode_coefficients(params.fft(log_slots), values, params.log_n(), scale) {
            Ok(c) => c,
            Err(EmbedError::TooLarge { magnitude, .. }) => return Err(refuse(magnitude.log2() as u32 + 2)),
            Err(EmbedError::NotFinite { .. }) => return Err(refuse((magnitude.log2() + scale.log2()) as u32 + 2)),
            Err(e) => return Err(Error::Parameters(e.to_string())),
        };
        let bits = bits_for(match &coefficients {
            Coefficients::I64(c) => c.iter().fold(0, |m, x| m.max(x.unsigned_abs())).into(),
            Coefficients::I128(c) => c.iter().fold(0, |m, x| m.max(x.unsigned_abs())),
        });
        if bits > available {
            return Err(refuse(bits));
        }
        let buf = Arc::new(ctx.integer_poly(&coefficients, bits)?);
        Ok(Self::from_buf(ctx, buf, bits, log_scale, log_slots, Range::of(values, 1 << log_slots)))
    }

    /// As [`Plaintext::encode`], for real values.
    ///
    /// # Errors
    /// As there.
    pub fn encode_real(ctx: &Context, values: &[f64], log_scale: u32, log_slots: u32) -> Result<Self> {
        let values: Vec<Complex64> = values.iter().map(|&re| re.into()).collect();
        Self::encode(ctx, &values, log_scale, log_slots)
    }

    /// The values of all slots.
    ///
    /// # Errors
    /// [`Error::NotFinite`] where a value is beyond a double's range: what was decrypted with the wrong key, or has outgrown
    /// its modulus. [`Error::ParameterMismatch`], and [`Error::Backend`] where nothing was computed.
    pub fn decode(&self, ctx: &Context) -> Result<Values> {
        self.decode_checked(ctx, None)
    }

    /// The values of all slots, of coefficients that are below `2^size_log2` in all.
    pub(super) fn decode_checked(&self, ctx: &Context, size_log2: Option<f64>) -> Result<Values> {
        let params = ctx.params();
        params.expect_same("plaintext", &self.params)?;
        let (n, limbs) = (params.n(), self.buf.limbs());
        let mut words = Zeroizing::new(vec![0u64; n * limbs]);
        ctx.backend().download(&self.buf, 0, &mut words)?;
        let mut coefficients = Zeroizing::new(vec![0.0; n]);
        let mut one = Zeroizing::new(vec![0u64; limbs]);
        // all of them where they are to be checked, else those of the slots
        let step = if size_log2.is_some() { 1 } else { n >> (self.log_slots + 1) };
        for i in (0..n).step_by(step) {
            one.iter_mut().enumerate().for_each(|(k, w)| *w = words[k * n + i]);
            coefficients[i] = big::to_f64(&one, self.bits, self.log_scale);
        }
        if let Some(size_log2) = size_log2 {
            let log_scale = f64::from(self.log_scale);
            expect_message(&coefficients, size_log2 - log_scale, f64::from(self.bits) - log_scale)?;
        }
        let mut out = vec![Complex64::default(); 1 << self.log_slots];
        embed::decode_coefficients(params.fft(self.log_slots), &coefficients, 1.0, &mut out)
            .map_err(|e| Error::Parameters(e.to_string()))?;
        expect_finite(&out)?;
        Ok(Values(out))
    }

    /// Refuses a modulus above the largest, one that leaves no room for the scale, and one too small for the integers.
    pub(super) fn expect_fit(&self, ctx: &Context) -> Result<()> {
        let log_q = self.log_q;
        ctx.params().expect_same("plaintext", &self.params)?;
        if log_q > self.params.log_q() {
            let expected = format!("at most {}, the largest modulus of the parameters", self.params.log_q());
            return Err(Error::Argument { name: "log_q", value: log_q.to_string(), expected });
        }
        let needed = self.log_scale + SPARE_BITS;
        if needed > log_q {
            return Err(Error::bits_exhausted("encrypt", needed, log_q));
        }
        if self.bits > log_q {
            let magnitude = (f64::from(self.bits) - f64::from(self.log_scale) - 1.0).exp2();
            let (log_scale, needed) = (self.log_scale, self.bits);
            return Err(Error::too_large_for_bits(magnitude, log_scale, needed, log_q));
        }
        Ok(())
    }

    /// The parameters.
    pub fn params(&self) -> &Parameters {
        &self.params
    }

    /// Bits of its coefficients, sign included.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Binary logarithm of the scale.
    pub fn log_scale(&self) -> u32 {
        self.log_scale
    }

    /// Number of complex slots.
    pub fn slots(&self) -> usize {
        1 << self.log_slots
    }

    /// Binary logarithm of the number of slots.
    pub fn log_slots(&self) -> u32 {
        self.log_slots
    }

    /// The integers modulo `2^bits`: one polynomial.
    pub(crate) fn view(&self) -> View<'_> {
        self.buf.view(1)
    }
}

impl fmt::Debug for Plaintext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "heaan::Plaintext({} bits, scale 2^{}, {} slots)", self.bits, self.log_scale, self.slots())
    }
}
