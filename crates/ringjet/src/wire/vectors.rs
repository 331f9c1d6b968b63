//! Plaintexts and ciphertexts as bytes: the fields that those of every scheme have, once.

use std::ops::RangeInclusive;

use ringjet_backend::{Buf, View};

use super::fields::{put_noise, read_noise};
use super::{Body, Field, Home, Input, Object, Owned, ParameterSet, ParametersOf, Writer};
use crate::rng::PublicSeed;
use crate::{KeyId, Noise, Range, Result, Scale};

/// What a vector of one scheme says besides the fields that all have: its modulus and its scale. So
/// it knows what a polynomial of the vector looks like.
pub(crate) trait Shape: Field {
    /// Where vectors live.
    type Home: Home;

    /// Numbers of polynomials that ciphertexts have.
    const POLYS: RangeInclusive<u8>;

    /// Refuses what no plaintext or no ciphertext has, and says why.
    fn check(&self, params: &ParametersOf<Self::Home>, object: Object) -> std::result::Result<(), String>;

    /// The scale.
    fn scale(&self) -> Scale;

    /// Bytes of a polynomial.
    fn poly_len(&self, params: &ParametersOf<Self::Home>) -> usize;

    /// Memory for so many polynomials.
    fn alloc(&self, home: &Self::Home, polys: usize) -> Result<Buf>;

    /// Writes every polynomial of `view`.
    fn write_polys(&self, home: &Self::Home, w: &mut Writer<'_>, view: View<'_>) -> Result<()>;

    /// Reads polynomial number `poly` of `buf`.
    fn read_poly(&self, home: &Self::Home, r: &mut impl Input, buf: &mut Buf, poly: usize) -> Result<()>;

    /// Expands the second polynomial of `buf` from its seed.
    fn expand(&self, home: &Self::Home, buf: &mut Buf, seed: &PublicSeed) -> Result<()>;
}

/// The fields of a vector that come before its polynomials.
pub(crate) struct Head<S, C> {
    pub log_slots: u32,
    pub shape: S,
    pub content: C,
}

/// The fields in which plaintexts and ciphertexts differ: bounds on values, or [`Encrypted`].
pub(crate) trait Content: Sized {
    /// What has these fields.
    const OBJECT: Object;

    /// Appends the fields.
    fn put(&self, out: &mut Vec<u8>) -> Result<()>;

    /// Reads them.
    fn read<S: Shape>(r: &mut impl Input, shape: &S) -> Result<Self>;

    /// Number of polynomials.
    fn polys(&self) -> usize {
        1
    }

    /// Of the second polynomial, which is not written then.
    fn seed(&self) -> Option<&PublicSeed> {
        None
    }

    /// Number of polynomials that are written.
    fn written(&self) -> usize {
        self.polys() - usize::from(self.seed().is_some())
    }
}

impl Content for Range {
    const OBJECT: Object = Object::Plaintext;

    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        Field::put(self, out)
    }

    fn read<S: Shape>(r: &mut impl Input, _: &S) -> Result<Self> {
        Field::read(r)
    }
}

/// What ciphertexts say.
pub(crate) struct Encrypted {
    /// What is known of the error and of the values.
    pub noise: Noise,
    /// Number of polynomials.
    pub polys: u8,
    /// Of the second polynomial, if it is uniform.
    pub seed: Option<PublicSeed>,
}

impl Content for Encrypted {
    const OBJECT: Object = Object::Ciphertext;

    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        put_noise(self.noise, out)?;
        self.polys.put(out)?;
        self.seed.put(out)
    }

    fn read<S: Shape>(r: &mut impl Input, shape: &S) -> Result<Self> {
        let noise = read_noise(r, shape.scale())?;
        let here = r.offset();
        let (polys, seed) = (u8::read(r)?, Option::read(r)?);
        let allowed = if seed.is_some() { 2..=2 } else { S::POLYS };
        if !allowed.contains(&polys) {
            return Err(r.malformed_at(here, format!("{polys} polynomials where {allowed:?} belong")));
        }
        Ok(Self { noise, polys, seed })
    }

    fn polys(&self) -> usize {
        self.polys.into()
    }

    fn seed(&self) -> Option<&PublicSeed> {
        self.seed.as_ref()
    }
}

impl<S: Shape, C: Content> Head<S, C> {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        (self.log_slots as u8).put(out)?;
        self.shape.put(out)?;
        self.content.put(out)
    }

    fn read(params: &ParametersOf<S::Home>, r: &mut impl Input) -> Result<Self> {
        let here = r.offset();
        let (log_slots, log_n) = (u32::from(u8::read(r)?), params.ring_log_n());
        if log_slots >= log_n {
            return Err(r.malformed_at(here, format!("2^{log_slots} slots do not fit into ring degree 2^{log_n}")));
        }
        let here = r.offset();
        let shape = S::read(r)?;
        shape.check(params, C::OBJECT).map_err(|reason| r.malformed_at(here, reason))?;
        let content = C::read(r, &shape)?;
        Ok(Self { log_slots, shape, content })
    }
}

/// A plaintext or a ciphertext.
pub(crate) trait Vector: Owned<Home = <Self::Shape as Shape>::Home> {
    /// What its scheme adds to the common fields.
    type Shape: Shape;

    /// Which of both it is.
    type Content: Content;

    /// Its fields and its polynomials.
    fn parts(&self) -> (Head<Self::Shape, Self::Content>, View<'_>);

    /// From what [`Vector::parts`] gives.
    fn from_parts(home: &Self::Home, key: KeyId, head: Head<Self::Shape, Self::Content>, polys: Buf) -> Self;

    /// Refuses what no reader would take, besides fields that cannot be written.
    fn expect_readable(&self) -> Result<()> {
        Ok(())
    }
}

impl<V: Vector> Body for V {
    const OBJECT: Object = V::Content::OBJECT;

    fn body_len(&self) -> usize {
        let ((head, _), mut fields) = (self.parts(), Vec::new());
        // what cannot be written is refused by `expect_readable`
        let _ = head.put(&mut fields);
        fields.len() + head.content.written() * head.shape.poly_len(self.owner())
    }

    fn expect_readable(&self) -> Result<()> {
        Vector::expect_readable(self)?;
        self.parts().0.put(&mut Vec::new())
    }

    fn write_body(&self, home: &Self::Home, w: &mut Writer<'_>) -> Result<()> {
        let ((head, polys), mut fields) = (self.parts(), Vec::new());
        head.put(&mut fields)?;
        w.put(&fields)?;
        head.shape.write_polys(home, w, polys.slice(0, head.content.written()))
    }

    fn read_body(home: &Self::Home, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let params = home.parameters();
        let head = Head::<V::Shape, V::Content>::read(params, r)?;
        r.expect_remaining(head.content.written() * head.shape.poly_len(params))?;
        let mut buf = head.shape.alloc(home, head.content.polys())?;
        for poly in 0..head.content.written() {
            head.shape.read_poly(home, r, &mut buf, poly)?;
        }
        if let Some(seed) = head.content.seed() {
            head.shape.expand(home, &mut buf, seed)?;
        }
        Ok(V::from_parts(home, key, head, buf))
    }
}
