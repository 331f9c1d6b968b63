//! Plaintexts and ciphertexts of all schemes as bytes.

use std::fmt;
use std::ops::RangeInclusive;

use ringjet_backend::{Buf, View};

use super::fields::{finite, unbounded};
use super::residues::{self, PolyModulus};
use super::{Body, Field, Held, Input, Object, Owned, ParameterSet, Writer};
use crate::rlwe::Context;
use crate::rng::PublicSeed;
use crate::{KeyId, Noise, Range, Result, Scale};

/// The parameters of a scheme with plaintexts and ciphertexts: the fields that differ between
/// schemes, and the encoding of polynomials.
pub trait Shape: ParameterSet {
    /// The modulus of a polynomial, and the scale of its values.
    type Position: Field + Copy + PartialEq + fmt::Debug;

    /// The type of a polynomial's modulus.
    type Modulus: PolyModulus<Self>;

    /// Whether values are exact, so that the noise is bounds alone.
    const EXACT: bool = false;

    /// The number of rows that slots are arranged in. Rotations move values within rows.
    const ROWS: usize = 1;

    /// The allowed numbers of polynomials of a component of a ciphertext.
    const POLYS: RangeInclusive<u8>;

    /// Refuses a position that no object of this type has; the error is the reason.
    fn expect_position(&self, position: Self::Position, object: Object) -> std::result::Result<(), String>;

    /// The number of components at `position`: vectors of polynomials, one after the other, with the
    /// same position and noise. More than one only in exact schemes.
    fn components(&self, _: Self::Position) -> usize {
        1
    }

    /// The scale at `position`.
    fn scale_of(position: Self::Position) -> Scale;

    /// The modulus at `position`.
    fn modulus<'a>(&'a self, position: &'a Self::Position) -> &'a Self::Modulus;

    /// The modulus of public keys.
    fn public_modulus(&self) -> Self::Modulus;
}

/// The fields of a plaintext or a ciphertext, which come before its polynomials.
pub struct Head<P: Shape, A> {
    pub log_slots: u32,
    /// How many of the slots hold values.
    pub held: Held,
    pub position: P::Position,
    /// The range of a plaintext, or the noise of a ciphertext.
    pub about: A,
    /// The number of polynomials of a component. Only the bytes of ciphertexts have this field and
    /// the seed.
    pub polys: u8,
    /// The seed of the second polynomial of each component; if there is one, these polynomials are
    /// not written.
    pub seed: Option<PublicSeed>,
}

/// The statement about the values: the range of a plaintext, or the noise of a ciphertext.
pub trait About: Sized {
    /// The type of objects that have this statement.
    const OBJECT: Object;

    /// Appends the encoding; `exact` is that of the scheme.
    fn put(&self, exact: bool, out: &mut Vec<u8>) -> Result<()>;

    /// Reads the bytes of [`About::put`]; `scale` is the scale of the vector.
    fn read(r: &mut impl Input, exact: bool, scale: Scale) -> Result<Self>;
}

impl About for Range {
    const OBJECT: Object = Object::Plaintext;

    fn put(&self, _: bool, out: &mut Vec<u8>) -> Result<()> {
        Field::put(self, out)
    }

    fn read(r: &mut impl Input, _: bool, _: Scale) -> Result<Self> {
        Field::read(r)
    }
}

/// Fields: variance, bound, range, sources, whether rotated, whether slots are correlated. In exact
/// schemes: bounds on slots, length and coefficients, and the range.
impl About for Noise {
    const OBJECT: Object = Object::Ciphertext;

    fn put(&self, exact: bool, out: &mut Vec<u8>) -> Result<()> {
        if exact {
            return self.exact_parts().map(finite).put(out);
        }
        let (sizes, (sources, turned, mixed)) = self.parts();
        sizes.map(finite).put(out)?;
        sources.put(out)?;
        turned.put(out)?;
        mixed.put(out)
    }

    fn read(r: &mut impl Input, exact: bool, scale: Scale) -> Result<Self> {
        let here = r.offset();
        if exact {
            let sizes = <[f64; 7]>::read(r)?;
            let noise = Self::from_exact_parts(sizes.map(unbounded), scale);
            let noise = noise.filter(|_| sizes.iter().all(|x| x.is_finite()));
            return noise.ok_or_else(|| r.malformed_at(here, format!("{sizes:?} are no bounds on noise")));
        }
        let sizes = <[f64; 6]>::read(r)?;
        let flags = (u128::read(r)?, bool::read(r)?, bool::read(r)?);
        let noise = Self::from_parts(sizes.map(unbounded), flags, scale);
        let noise = noise.filter(|_| sizes.iter().all(|x| x.is_finite()));
        noise.ok_or_else(|| r.malformed_at(here, format!("{sizes:?} are no noise estimate")))
    }
}

impl<P: Shape, A: About> Head<P, A> {
    /// The number of polynomials of a component that are written.
    fn written(&self) -> usize {
        usize::from(self.polys) - usize::from(self.seed.is_some())
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        (self.log_slots as u8).put(out)?;
        self.held.put(P::ROWS << self.log_slots, out)?;
        self.position.put(out)?;
        self.about.put(P::EXACT, out)?;
        if A::OBJECT == Object::Plaintext {
            return Ok(());
        }
        self.polys.put(out)?;
        self.seed.put(out)
    }

    fn read(params: &P, r: &mut impl Input) -> Result<Self> {
        let here = r.offset();
        let (log_slots, log_n) = (u32::from(u8::read(r)?), params.ring().log_n());
        if log_slots >= log_n || P::EXACT && log_slots + 1 != log_n {
            return Err(r.malformed_at(here, format!("2^{log_slots} slots do not fit into ring degree 2^{log_n}")));
        }
        let held = Held::read(r, P::ROWS << log_slots)?;
        let here = r.offset();
        let position = Field::read(r)?;
        params.expect_position(position, A::OBJECT).map_err(|reason| r.malformed_at(here, reason))?;
        let about = A::read(r, P::EXACT, P::scale_of(position))?;
        if A::OBJECT == Object::Plaintext {
            return Ok(Self { log_slots, held, position, about, polys: 1, seed: None });
        }
        let here = r.offset();
        let (polys, seed) = (u8::read(r)?, Option::read(r)?);
        let allowed = if seed.is_some() { 2..=2 } else { P::POLYS };
        if !allowed.contains(&polys) {
            return Err(r.malformed_at(here, format!("{polys} polynomials where {allowed:?} belong")));
        }
        Ok(Self { log_slots, held, position, about, polys, seed })
    }
}

/// A plaintext or a ciphertext.
pub trait Vector: Owned<Parameters: Shape> {
    /// The statement about its values.
    type About: About;

    /// The fields and the polynomials.
    fn parts(&self) -> (Head<Self::Parameters, Self::About>, View<'_>);

    /// Makes a vector from the results of [`Vector::parts`].
    fn from_parts(
        ctx: &Context<Self::Parameters>,
        key: KeyId,
        head: Head<Self::Parameters, Self::About>,
        polys: Buf,
    ) -> Self;

    /// Refuses a vector that readers would refuse although its fields can be written.
    fn expect_readable(&self) -> Result<()> {
        Ok(())
    }
}

impl<V: Vector> Body for V {
    const OBJECT: Object = V::About::OBJECT;

    fn body_len(&self) -> usize {
        let ((head, _), mut fields) = (self.parts(), Vec::new());
        // fields that cannot be written are refused by `expect_readable`
        let _ = head.put(&mut fields);
        let (params, count) = (self.owner(), head.written() * self.owner().components(head.position));
        fields.len() + count * params.modulus(&head.position).poly_len(params)
    }

    fn expect_readable(&self) -> Result<()> {
        Vector::expect_readable(self)?;
        self.parts().0.put(&mut Vec::new())
    }

    fn write_body(&self, ctx: &Context<Self::Parameters>, w: &mut Writer<'_>) -> Result<()> {
        let ((head, polys), mut fields) = (self.parts(), Vec::new());
        head.put(&mut fields)?;
        w.put(&fields)?;
        let (all, modulus) = (usize::from(head.polys), ctx.params().modulus(&head.position));
        let component = |i: usize| polys.slice(i * all, head.written());
        let components = ctx.params().components(head.position);
        (0..components).try_for_each(|i| residues::write(ctx, w, component(i), modulus))
    }

    fn read_body(ctx: &Context<Self::Parameters>, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let head = Head::<V::Parameters, V::About>::read(ctx.params(), r)?;
        let (modulus, written) = (ctx.params().modulus(&head.position), head.written());
        let (components, polys) = (ctx.params().components(head.position), usize::from(head.polys));
        r.expect_remaining(components * written * modulus.poly_len(ctx.params()))?;
        let mut buf = modulus.alloc(ctx, components * polys)?;
        let limbs = modulus.widths().len();
        for component in 0..components {
            let first = component * polys * limbs;
            (0..written).try_for_each(|poly| residues::read(ctx, r, &mut buf, first + poly * limbs, modulus))?;
            if let Some(seed) = &head.seed {
                modulus.expand(ctx, &mut buf, first + limbs, seed, component as u32)?;
            }
        }
        Ok(V::from_parts(ctx, key, head, buf))
    }
}
