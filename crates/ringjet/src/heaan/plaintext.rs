//! Encoded vectors: encoding and decoding.

use ringjet_math::embed::MAX_COEFFICIENT_BITS;
use ringjet_math::fft::Complex64;

use super::ciphertext::{Position, expect_room, expect_scale};
use super::context::bits_for;
use super::{Context, Plaintext};
use crate::approximate::{expect_finite, expect_slots, magnitude, rounded};
use crate::{Error, Range, Result};

impl Plaintext {
    /// To be encrypted modulo `2^log_q`, instead of the largest modulus.
    #[must_use]
    pub fn at(self, log_q: u32) -> Self {
        let position = Position { log_q: Some(log_q), ..self.position() };
        self.restated(position)
    }

    /// Bits of the modulus under which it is to be encrypted.
    pub fn log_q(&self) -> u32 {
        self.position().log_q.unwrap_or(self.params().log_q())
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
        expect_scale(log_scale)?;
        let available = params.log_q().min(MAX_COEFFICIENT_BITS + 1);
        let refuse = |bits| Error::too_large_for_bits(magnitude(values), log_scale, bits, available);
        let scale = f64::from(log_scale).exp2();
        let too_large = |log2: f64| refuse(log2 as u32 + 2);
        let (coefficients, largest) = rounded(params, values, scale, log_slots, too_large)?;
        let bits = bits_for(largest);
        if bits > available {
            return Err(refuse(bits));
        }
        let buf = ctx.integer_poly(&coefficients, bits)?;
        Ok(Self::new(ctx, buf, Position::new(bits, log_scale), log_slots, Range::of(values, 1 << log_slots)))
    }

    /// As [`Plaintext::encode`], for real values. Fails as that does.
    pub fn encode_real(ctx: &Context, values: &[f64], log_scale: u32, log_slots: u32) -> Result<Self> {
        let values: Vec<Complex64> = values.iter().map(|&re| re.into()).collect();
        Self::encode(ctx, &values, log_scale, log_slots)
    }

    /// Refuses a modulus above the largest, one that leaves no room for the scale, and one too small for the integers.
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
