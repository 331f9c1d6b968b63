//! Plaintexts and ciphertexts as bytes: the fields that those of every scheme have, once.

use std::fmt;
use std::ops::RangeInclusive;

use ringjet_backend::{Buf, View};

use super::fields::{finite, unbounded};
use super::residues::{self, PolyModulus};
use super::{Body, Field, Input, Object, Owned, ParameterSet, Writer};
use crate::rlwe::Context;
use crate::rng::PublicSeed;
use crate::{KeyId, Noise, Range, Result, Scale};

/// The parameters of a scheme with plaintexts and ciphertexts: what these say besides the fields that all have, and how their
/// polynomials are written.
pub trait Shape: ParameterSet {
    /// Which modulus a polynomial has, and at which scale its values are.
    type Position: Field + Copy + PartialEq + fmt::Debug;

    /// What polynomials are taken modulo.
    type Modulus: PolyModulus<Self>;

    /// Numbers of polynomials that ciphertexts have.
    const POLYS: RangeInclusive<u8>;

    /// Refuses what no plaintext or no ciphertext has, and says why.
    fn expect_position(&self, position: Self::Position, object: Object) -> std::result::Result<(), String>;

    /// The scale.
    fn scale_of(position: Self::Position) -> Scale;

    /// The modulus.
    fn modulus<'a>(&'a self, position: &'a Self::Position) -> &'a Self::Modulus;

    /// The modulus of public keys.
    fn public_modulus(&self) -> Self::Modulus;
}

/// What the bytes of a plaintext or a ciphertext say before its polynomials.
pub struct Head<P: Shape, A> {
    pub log_slots: u32,
    pub position: P::Position,
    /// Bounds on the values of a plaintext, noise of a ciphertext.
    pub about: A,
    /// Number of polynomials. Only ciphertexts state it and a seed.
    pub polys: u8,
    /// Of the second polynomial, which is not written then.
    pub seed: Option<PublicSeed>,
}

/// What plaintexts and ciphertexts say about their values.
pub trait About: Sized {
    /// Which of both says so.
    const OBJECT: Object;

    /// Appends the encoding.
    fn put(&self, out: &mut Vec<u8>) -> Result<()>;

    /// Reads what [`About::put`] wrote of a vector with this scale.
    fn read(r: &mut impl Input, scale: Scale) -> Result<Self>;
}

impl About for Range {
    const OBJECT: Object = Object::Plaintext;

    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        Field::put(self, out)
    }

    fn read(r: &mut impl Input, _: Scale) -> Result<Self> {
        Field::read(r)
    }
}

/// Variance, bound, bounds on values, sources, rotated or not, correlated or not.
impl About for Noise {
    const OBJECT: Object = Object::Ciphertext;

    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        let (sizes, (sources, turned, mixed)) = self.parts();
        sizes.map(finite).put(out)?;
        sources.put(out)?;
        turned.put(out)?;
        mixed.put(out)
    }

    fn read(r: &mut impl Input, scale: Scale) -> Result<Self> {
        let here = r.offset();
        let sizes = <[f64; 6]>::read(r)?;
        let flags = (u128::read(r)?, bool::read(r)?, bool::read(r)?);
        let noise = Self::from_parts(sizes.map(unbounded), flags, scale);
        let noise = noise.filter(|_| sizes.iter().all(|x| x.is_finite()));
        noise.ok_or_else(|| r.malformed_at(here, format!("{sizes:?} are no noise estimate")))
    }
}

impl<P: Shape, A: About> Head<P, A> {
    /// Number of polynomials that are written.
    fn written(&self) -> usize {
        usize::from(self.polys) - usize::from(self.seed.is_some())
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        (self.log_slots as u8).put(out)?;
        self.position.put(out)?;
        self.about.put(out)?;
        if A::OBJECT == Object::Plaintext {
            return Ok(());
        }
        self.polys.put(out)?;
        self.seed.put(out)
    }

    fn read(params: &P, r: &mut impl Input) -> Result<Self> {
        let here = r.offset();
        let (log_slots, log_n) = (u32::from(u8::read(r)?), params.ring().log_n());
        if log_slots >= log_n {
            return Err(r.malformed_at(here, format!("2^{log_slots} slots do not fit into ring degree 2^{log_n}")));
        }
        let here = r.offset();
        let position = Field::read(r)?;
        params.expect_position(position, A::OBJECT).map_err(|reason| r.malformed_at(here, reason))?;
        let about = A::read(r, P::scale_of(position))?;
        if A::OBJECT == Object::Plaintext {
            return Ok(Self { log_slots, position, about, polys: 1, seed: None });
        }
        let here = r.offset();
        let (polys, seed) = (u8::read(r)?, Option::read(r)?);
        let allowed = if seed.is_some() { 2..=2 } else { P::POLYS };
        if !allowed.contains(&polys) {
            return Err(r.malformed_at(here, format!("{polys} polynomials where {allowed:?} belong")));
        }
        Ok(Self { log_slots, position, about, polys, seed })
    }
}

/// A plaintext or a ciphertext.
pub trait Vector: Owned<Parameters: Shape> {
    /// What it says about its values.
    type About: About;

    /// Its fields and its polynomials.
    fn parts(&self) -> (Head<Self::Parameters, Self::About>, View<'_>);

    /// From what [`Vector::parts`] gives.
    fn from_parts(
        ctx: &Context<Self::Parameters>,
        key: KeyId,
        head: Head<Self::Parameters, Self::About>,
        polys: Buf,
    ) -> Self;

    /// Refuses what no reader would take, besides fields that cannot be written.
    fn expect_readable(&self) -> Result<()> {
        Ok(())
    }
}

impl<V: Vector> Body for V {
    const OBJECT: Object = V::About::OBJECT;

    fn body_len(&self) -> usize {
        let ((head, _), mut fields) = (self.parts(), Vec::new());
        // what cannot be written is refused by `expect_readable`
        let _ = head.put(&mut fields);
        fields.len() + head.written() * self.owner().modulus(&head.position).poly_len(self.owner())
    }

    fn expect_readable(&self) -> Result<()> {
        Vector::expect_readable(self)?;
        self.parts().0.put(&mut Vec::new())
    }

    fn write_body(&self, ctx: &Context<Self::Parameters>, w: &mut Writer<'_>) -> Result<()> {
        let ((head, polys), mut fields) = (self.parts(), Vec::new());
        head.put(&mut fields)?;
        w.put(&fields)?;
        residues::write(ctx, w, polys.slice(0, head.written()), ctx.params().modulus(&head.position))
    }

    fn read_body(ctx: &Context<Self::Parameters>, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let head = Head::<V::Parameters, V::About>::read(ctx.params(), r)?;
        let (modulus, written) = (ctx.params().modulus(&head.position), head.written());
        r.expect_remaining(written * modulus.poly_len(ctx.params()))?;
        let mut buf = modulus.alloc(ctx, head.polys.into())?;
        let limbs = modulus.widths().len();
        (0..written).try_for_each(|poly| residues::read(ctx, r, &mut buf, poly * limbs, modulus))?;
        if let Some(seed) = &head.seed {
            modulus.expand(ctx, &mut buf, limbs, seed, 0)?;
        }
        Ok(V::from_parts(ctx, key, head, buf))
    }
}
