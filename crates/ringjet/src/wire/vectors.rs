//! Plaintexts and ciphertexts as bytes.

use std::io::Write;

use super::header::open;
use super::residues::{self, poly_len};
use super::{CHECKSUM_LEN, HEADER_LEN, Header, Input, Kind, Limits, Reader, Writer};
use crate::rng::PublicSeed;
use crate::{Ciphertext, Context, Error, Noise, Parameters, Plaintext, Range, Result, Scale};

/// Bytes of [`Shape`].
const SHAPE_LEN: usize = 20;
pub(super) const NOISE_LEN: usize = 66;
const SEED_LEN: usize = 32;

/// What plaintexts and ciphertexts have in common.
struct Shape {
    polys: usize,
    log_slots: u32,
    level: usize,
    scale: Scale,
}

impl Shape {
    fn write(&self, w: &mut Writer<'_>) -> Result<()> {
        let (hi, lo) = self.scale.parts();
        w.put(&[self.polys as u8, self.log_slots as u8])?;
        w.put(&(self.level as u16).to_le_bytes())?;
        w.put(&hi.to_le_bytes())?;
        w.put(&lo.to_le_bytes())
    }

    fn read(params: &Parameters, polys: std::ops::RangeInclusive<usize>, r: &mut Reader<'_>) -> Result<Self> {
        let here = r.clone();
        let [count, log_slots] = r.array()?;
        let level = usize::from(r.u16()?);
        let (hi, lo) = (r.f64()?, r.f64()?);
        if !polys.contains(&usize::from(count)) {
            return Err(here.malformed(format!("{count} polynomials where {polys:?} belong")));
        }
        if u32::from(log_slots) >= params.log_n() {
            return Err(here.malformed(format!("2^{log_slots} slots do not fit into ring degree 2^{}", params.log_n())));
        }
        if level > params.max_level() {
            return Err(here.malformed(format!("level {level} is above the highest level {}", params.max_level())));
        }
        let Some(scale) = Scale::from_parts(hi, lo) else {
            return Err(here.malformed(format!("{hi:e} + {lo:e} is no scale")));
        };
        Ok(Self { polys: count.into(), log_slots: log_slots.into(), level, scale })
    }

    /// Bytes of the polynomials that are spelt out.
    fn residues_len(&self, params: &Parameters, seeded: bool) -> usize {
        (self.polys - usize::from(seeded)) * poly_len(&params.level(self.level).basis)
    }
}

/// Refuses to write a scale that no reader would take.
fn writable(scale: Scale) -> Result<Scale> {
    let (hi, lo) = scale.parts();
    Scale::from_parts(hi, lo).ok_or_else(|| Error::Argument {
        name: "scale",
        value: format!("{hi:e} + {lo:e}"),
        expected: "a positive number within 2^-300 and 2^300".into(),
    })
}

/// Bytes of bounds on values.
pub(super) const RANGE_LEN: usize = 32;

/// A bound that overflowed is written as the largest number: worse cannot be claimed.
fn finite(x: f64) -> f64 {
    if x.is_nan() { f64::MAX } else { x.clamp(-f64::MAX, f64::MAX) }
}

fn unbounded(x: f64) -> f64 {
    if x.abs() == f64::MAX { x * 2.0 } else { x }
}

pub(super) fn write_range(w: &mut Writer<'_>, range: Range) -> Result<()> {
    range.parts().iter().try_for_each(|&x| w.put(&finite(x).to_le_bytes()))
}

pub(super) fn read_range(r: &mut Reader<'_>) -> Result<Range> {
    let here = r.clone();
    let parts = [r.f64()?, r.f64()?, r.f64()?, r.f64()?];
    let range = Range::from_parts(parts.map(unbounded)).filter(|_| parts.iter().all(|x| x.is_finite()));
    range.ok_or_else(|| here.malformed(format!("{parts:?} are no bounds on values")))
}

/// Variance, bound, range, sources, whether turned, whether mixed.
pub(super) fn write_noise(w: &mut Writer<'_>, noise: Noise) -> Result<()> {
    let (sizes, (sources, turned, mixed)) = noise.parts();
    sizes.iter().try_for_each(|&x| w.put(&finite(x).to_le_bytes()))?;
    w.put(&sources.to_le_bytes())?;
    w.put(&[u8::from(turned), u8::from(mixed)])
}

pub(super) fn read_noise(r: &mut Reader<'_>, scale: Scale) -> Result<Noise> {
    let here = r.clone();
    let sizes = [r.f64()?, r.f64()?, r.f64()?, r.f64()?, r.f64()?, r.f64()?];
    let sources = u128::from_le_bytes(r.array()?);
    let [turned, mixed]: [u8; 2] = r.array()?;
    let noise = Noise::from_parts(sizes.map(unbounded), (sources, turned == 1, mixed == 1), scale);
    let noise = noise.filter(|_| sizes.iter().all(|x| x.is_finite()) && turned <= 1 && mixed <= 1);
    noise.ok_or_else(|| here.malformed(format!("{sizes:?}, {turned}, {mixed} are no noise estimate")))
}

impl Plaintext {
    /// The plaintext in the wire format. A decrypted one can tell about the secret key: see
    /// [`crate::SecretKey::decrypt`].
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let body = SHAPE_LEN + RANGE_LEN + self.shape().residues_len(self.params(), false);
        let mut out = ringjet_backend::host::capacity(HEADER_LEN + body + CHECKSUM_LEN)?;
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`Plaintext::to_bytes`] gives.
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let params = ctx.params();
        params.expect_same(Kind::Plaintext.name(), self.params())?;
        writable(self.scale())?;
        let shape = self.shape();
        let body = SHAPE_LEN + RANGE_LEN + shape.residues_len(params, false);
        let mut w = Writer::new(out, &Header::new(Kind::Plaintext, false, params, body))?;
        shape.write(&mut w)?;
        write_range(&mut w, self.range())?;
        residues::write(ctx, &mut w, self.view(), &params.level(self.level()).basis)?;
        w.finish()
    }

    fn shape(&self) -> Shape {
        Shape { polys: 1, log_slots: self.log_slots(), level: self.level(), scale: self.scale() }
    }

    /// Reads a plaintext.
    ///
    /// # Errors
    /// As [`crate::PublicKey::from_bytes`].
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let params = ctx.params();
        let (_, mut r) = open(Kind::Plaintext, Some(params), bytes, limits)?;
        let shape = Shape::read(params, 1..=1, &mut r)?;
        let range = read_range(&mut r)?;
        r.expect_remaining(shape.residues_len(params, false))?;
        let basis = &params.level(shape.level).basis;
        let mut buf = ctx.alloc(basis.len())?;
        residues::read(ctx, &mut r, &mut buf, 0, basis)?;
        Ok(Self::from_buf(ctx, buf, shape.level, shape.scale, shape.log_slots, range))
    }
}

impl Ciphertext {
    /// The ciphertext in the wire format; half the size for one that comes fresh from a secret key, whose second
    /// polynomial expands from a seed.
    pub fn to_bytes(&self, ctx: &Context) -> Result<Vec<u8>> {
        let mut out = ringjet_backend::host::capacity(HEADER_LEN + self.body_len(&self.shape()) + CHECKSUM_LEN)?;
        self.write_to(ctx, &mut out)?;
        Ok(out)
    }

    /// Writes what [`Ciphertext::to_bytes`] gives.
    pub fn write_to(&self, ctx: &Context, out: &mut dyn Write) -> Result<()> {
        let params = ctx.params();
        params.expect_same(Kind::Ciphertext.name(), self.params())?;
        writable(self.scale())?;
        let (shape, seeded) = (self.shape(), self.seed().is_some());
        let header = Header::new(Kind::Ciphertext, seeded, params, self.body_len(&shape)).with_key(self.key_id());
        let mut w = Writer::new(out, &header)?;
        shape.write(&mut w)?;
        write_noise(&mut w, self.noise())?;
        if let Some(seed) = self.seed() {
            w.put(seed.as_bytes())?;
        }
        let spelt_out = self.view().slice(0, self.polys() - usize::from(seeded));
        residues::write(ctx, &mut w, spelt_out, &params.level(self.level()).basis)?;
        w.finish()
    }

    fn shape(&self) -> Shape {
        Shape { polys: self.polys(), log_slots: self.log_slots(), level: self.level(), scale: self.scale() }
    }

    fn body_len(&self, shape: &Shape) -> usize {
        let seeded = self.seed().is_some();
        SHAPE_LEN + NOISE_LEN + if seeded { SEED_LEN } else { 0 } + shape.residues_len(self.params(), seeded)
    }

    /// Reads a ciphertext. Its noise estimate is what the sender says: see `SECURITY.md` before sharing what it
    /// decrypts to.
    ///
    /// # Errors
    /// As [`crate::PublicKey::from_bytes`].
    pub fn from_bytes(ctx: &Context, bytes: &[u8], limits: Limits) -> Result<Self> {
        let params = ctx.params();
        let (header, mut r) = open(Kind::Ciphertext, Some(params), bytes, limits)?;
        let shape = Shape::read(params, if header.seeded { 2..=2 } else { 2..=3 }, &mut r)?;
        let noise = read_noise(&mut r, shape.scale)?;
        let seed = if header.seeded { Some(PublicSeed::from_bytes(r.array()?)) } else { None };
        r.expect_remaining(shape.residues_len(params, header.seeded))?;
        let basis = &params.level(shape.level).basis;
        let mut buf = ctx.alloc(shape.polys * basis.len())?;
        for p in 0..shape.polys - usize::from(header.seeded) {
            residues::read(ctx, &mut r, &mut buf, p * basis.len(), basis)?;
        }
        if let Some(seed) = &seed {
            ctx.expand_into(&mut buf, basis.len(), seed, 0, basis)?;
        }
        let ct = Self::from_parts(params, buf, shape.polys, shape.level, shape.scale, shape.log_slots, noise);
        let ct = ct.with_key(header.key);
        Ok(match seed {
            Some(seed) => ct.with_seed(seed),
            None => ct,
        })
    }
}
