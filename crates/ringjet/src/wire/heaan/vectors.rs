//! Plaintexts and ciphertexts as bytes.

use std::io::Write;

use ringjet_math::big::words;

use super::super::header::open;
use super::super::vectors::{NOISE_LEN, RANGE_LEN, read_noise, read_range, write_noise, write_range};
use super::{poly_len, read_poly, write_poly};
use crate::heaan::{Ciphertext, Context, Parameters, Plaintext};
use crate::rng::PublicSeed;
use crate::wire::{CHECKSUM_LEN, HEADER_LEN, Header, Input, Kind, Limits, Reader, Writer};
use crate::{Result, Scale};

/// Bytes of [`Shape`].
const SHAPE_LEN: usize = 5;
const SEED_LEN: usize = 32;

/// What plaintexts and ciphertexts have in common.
struct Shape {
    log_slots: u32,
    bits: u32,
    log_scale: u32,
}

impl Shape {
    fn write(&self, w: &mut Writer<'_>) -> Result<()> {
        w.put(&[self.log_slots as u8])?;
        w.put(&(self.bits as u16).to_le_bytes())?;
        w.put(&(self.log_scale as u16).to_le_bytes())
    }

    /// `spare`: bits that there must be besides the scale.
    fn read(params: &Parameters, spare: Option<u32>, r: &mut Reader<'_>) -> Result<Self> {
        let here = r.clone();
        let [log_slots] = r.array()?;
        let (bits, log_scale) = (u32::from(r.u16()?), u32::from(r.u16()?));
        if u32::from(log_slots) >= params.log_n() {
            return Err(here.malformed(format!("2^{log_slots} slots do not fit into ring degree 2^{}", params.log_n())));
        }
        if !(1..=params.log_q()).contains(&bits) {
            return Err(here.malformed(format!("{bits} bits are outside 1 to {}", params.log_q())));
        }
        if log_scale > crate::heaan::MAX_LOG_SCALE {
            return Err(here.malformed(format!("a scale of 2^{log_scale} is above 2^{}", crate::heaan::MAX_LOG_SCALE)));
        }
        if spare.is_some_and(|spare| log_scale + spare > bits) {
            return Err(here.malformed(format!("a modulus of {bits} bits has no room for a scale of 2^{log_scale}")));
        }
        Ok(Self { log_slots: log_slots.into(), bits, log_scale })
    }
}

impl Plaintext {
    /// The plaintext in the wire format. A decrypted one can tell about the secret key: see
    /// [`SecretKey::decrypt`](crate::heaan::SecretKey::decrypt).
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`], [`crate::Error::Backend`].
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`Plaintext::to_bytes`] gives.
    ///
    /// # Errors
    /// As there; [`crate::Error::Io`].
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let (kind, params) = (Kind::HeaanPlaintext, ctx.params());
        params.expect_same(kind.name(), self.params())?;
        let body = SHAPE_LEN + RANGE_LEN + poly_len(params, self.bits());
        let mut w = Writer::new(out, &Header::new(kind, false, params, body))?;
        Shape { log_slots: self.log_slots(), bits: self.bits(), log_scale: self.log_scale() }.write(&mut w)?;
        write_range(&mut w, self.range())?;
        write_poly(ctx, &mut w, self.view(), self.bits())?;
        w.finish()
    }

    /// Reads a plaintext.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`](crate::heaan::PublicKey::from_bytes).
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let params = ctx.params();
        let (_, mut r) = open(Kind::HeaanPlaintext, Some(params), bytes, limits)?;
        let Shape { log_slots, bits, log_scale } = Shape::read(params, None, &mut r)?;
        let range = read_range(&mut r)?;
        r.expect_remaining(poly_len(params, bits))?;
        let mut buf = ctx.alloc_big(1, bits)?;
        read_poly(ctx, &mut r, &mut buf, 0, bits)?;
        Ok(Self::from_buf(ctx, buf, bits, log_scale, log_slots, range))
    }
}

impl Ciphertext {
    /// The ciphertext in the wire format: as many bits a coefficient as its modulus has. Half the size for one that comes
    /// fresh from a secret key, whose second polynomial expands from a seed.
    ///
    /// # Errors
    /// [`crate::Error::ParameterMismatch`], [`crate::Error::Backend`]; [`crate::Error::ModulusExhausted`] for a declared scale
    /// that the modulus has no room for: no reader would take it.
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = ringjet_backend::host::capacity(HEADER_LEN + self.body_len() + CHECKSUM_LEN)?;
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`Ciphertext::to_bytes`] gives.
    ///
    /// # Errors
    /// As there; [`crate::Error::Io`].
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let (kind, params, log_q) = (Kind::HeaanCiphertext, ctx.params(), self.log_q());
        params.expect_same(kind.name(), self.params())?;
        crate::heaan::expect_room("to_bytes", log_q, self.log_scale())?;
        let header = Header::new(kind, self.seed().is_some(), params, self.body_len()).with_key(self.key_id());
        let mut w = Writer::new(out, &header)?;
        Shape { log_slots: self.log_slots(), bits: log_q, log_scale: self.log_scale() }.write(&mut w)?;
        write_noise(&mut w, self.noise())?;
        if let Some(seed) = self.seed() {
            w.put(seed.as_bytes())?;
        }
        write_poly(ctx, &mut w, self.view().slice(0, self.spelt_out()), log_q)?;
        w.finish()
    }

    /// Polynomials that are no seed.
    fn spelt_out(&self) -> usize {
        if self.seed().is_some() { 1 } else { 2 }
    }

    fn body_len(&self) -> usize {
        let seed = if self.seed().is_some() { SEED_LEN } else { 0 };
        SHAPE_LEN + NOISE_LEN + seed + self.spelt_out() * poly_len(self.params(), self.log_q())
    }

    /// Reads a ciphertext. Its noise estimate is what the sender says: see `SECURITY.md` before sharing what it decrypts to.
    ///
    /// # Errors
    /// As [`PublicKey::from_bytes`](crate::heaan::PublicKey::from_bytes).
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let params = ctx.params();
        let (header, mut r) = open(Kind::HeaanCiphertext, Some(params), bytes, limits)?;
        let spare = Some(crate::heaan::SPARE_BITS);
        let Shape { log_slots, bits, log_scale } = Shape::read(params, spare, &mut r)?;
        let noise = read_noise(&mut r, Scale::power_of_two(log_scale as i32))?;
        let seed = if header.seeded { Some(PublicSeed::from_bytes(r.array()?)) } else { None };
        let spelt_out = 2 - usize::from(header.seeded);
        r.expect_remaining(spelt_out * poly_len(params, bits))?;
        let mut buf = ctx.alloc_big(2, bits)?;
        for p in 0..spelt_out {
            read_poly(ctx, &mut r, &mut buf, p * words(bits), bits)?;
        }
        if let Some(seed) = &seed {
            ctx.expand_into(&mut buf, words(bits), seed, bits)?;
        }
        let ct = Self::new(ctx, buf, bits, log_scale, log_slots, noise).with_key(header.key);
        Ok(match seed {
            Some(seed) => ct.with_seed(seed),
            None => ct,
        })
    }
}
