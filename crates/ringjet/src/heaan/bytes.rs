//! HEAAN's objects as bytes.

use std::ops::RangeInclusive;
use std::sync::Arc;

use ringjet_backend::{Buf, View};
use ringjet_math::big::{WORD_BITS, top_mask, words};

use super::{
    Ciphertext, Context, EvaluationKeys, MAX_LOG_SCALE, ParamSpec, Parameters, Plaintext, PublicKey, SPARE_BITS,
    Secret, SecretKey, SwitchingKey, expect_room,
};
use crate::rng::PublicSeed;
use crate::wire::residues::{limbs_len, read_limbs, write_limbs};
use crate::wire::secret::Stored;
use crate::wire::{
    Body, Encrypted, Field, HEADER_LEN, Head, Input, KeySet, Object, Scheme, Shape, Vector, Width, Writer, as_bytes,
    key_set_as_bytes, malformed, record, scheme_as_bytes, secret_as_bytes, total_of,
};
use crate::{KeyId, KeyRequest, Range, Result, Scale};

/// Bytes of a seed.
const SEED_LEN: usize = 32;

scheme_as_bytes!(Scheme::Heaan, Context, Parameters, ParamSpec, bootstrapping_bytes);
as_bytes!(PublicKey, Context);
as_bytes!(SwitchingKey, Context);
key_set_as_bytes!(EvaluationKeys, Context);
as_bytes!(Plaintext, Context, |_: &Plaintext| KeyId::ANY);
as_bytes!(Ciphertext, Context);

secret_as_bytes!(SecretKey, Parameters, |params: &Parameters, stored: Stored| match params.spec().secret {
    Secret::Weight(weight) if weight != stored.weight => {
        let reason = format!("the secret has not {weight} non-zero coefficients");
        Err(malformed(Object::SecretKey.name(), HEADER_LEN, reason))
    }
    _ => Ok(SecretKey::from_coefficients(params, stored.key, stored.coefficients, stored.answers)),
});

/// With the number of slots spelt out.
impl Field for ParamSpec {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        let weight = match self.secret {
            Secret::Ternary => None,
            Secret::Weight(weight) => Some(weight),
        };
        self.log_n.put(out)?;
        self.log_q.put(out)?;
        self.log_p.put(out)?;
        self.log_slots.unwrap_or(self.log_n - 1).put(out)?;
        weight.put(out)?;
        self.security.put(out)?;
        self.allow_insecure.put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        let log_n = u32::read(r)?;
        Ok(Self {
            log_n,
            log_q: Field::read(r)?,
            log_p: Field::read(r)?,
            log_slots: Some(u32::read(r)?).filter(|&s| s.checked_add(1) != Some(log_n)),
            secret: Option::read(r)?.map_or(Secret::Ternary, Secret::Weight),
            security: Field::read(r)?,
            allow_insecure: Field::read(r)?,
        })
    }
}

/// Bytes of the keys to bootstrap as many slots as there are by default.
fn bootstrapping_bytes(params: &Parameters) -> u64 {
    let log_slots = params.log_slots();
    let request = KeyRequest { bootstrapping: vec![log_slots], ..KeyRequest::default() };
    let count = params.bootstrapping(log_slots).and_then(|_| params.key_count(&request));
    count.map_or(0, |count| keys_len(params, count))
}

impl Body for PublicKey {
    const OBJECT: Object = Object::PublicKey;

    fn body_len(&self) -> usize {
        SEED_LEN + poly_len(self.params(), self.params().log_q())
    }

    fn write_body(&self, ctx: &Context, w: &mut Writer<'_>) -> Result<()> {
        w.field(self.seed())?;
        write_poly(ctx, w, self.view().poly(0), ctx.params().log_q())
    }

    fn read_body(ctx: &Context, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let (seed, mut buf) = read_half(ctx, r, ctx.params().log_q())?;
        ctx.expand_into(&mut buf, words(ctx.params().log_q()), &seed, ctx.params().log_q())?;
        Ok(Self::from_buf(ctx, key, seed, Arc::new(buf)))
    }
}

impl Body for SwitchingKey {
    const OBJECT: Object = Object::SwitchingKey;

    fn body_len(&self) -> usize {
        switching_key_len(self.params())
    }

    fn write_body(&self, ctx: &Context, w: &mut Writer<'_>) -> Result<()> {
        w.field(self.seed())?;
        write_poly(ctx, w, self.half().view(1), 2 * ctx.params().log_q())
    }

    fn read_body(ctx: &Context, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let (seed, half) = read_half(ctx, r, 2 * ctx.params().log_q())?;
        Self::from_half(ctx, key, seed, half)
    }
}

impl KeySet for EvaluationKeys {
    type Key = SwitchingKey;

    fn without_keys(params: &Parameters, key: KeyId) -> Self {
        Self::empty(params).with_key(key)
    }

    fn by_element(&self) -> impl Iterator<Item = (u32, &SwitchingKey)> {
        self.keys()
    }

    fn add(&mut self, element: u32, key: SwitchingKey) {
        self.insert(element, key);
    }
}

/// What vectors of HEAAN say besides the common fields.
pub(crate) struct Scaled {
    /// Of the modulus; of a plaintext, bits of its coefficients.
    bits: u16,
    log_scale: u16,
}

record!(Scaled { bits, log_scale });

impl Scaled {
    fn new(bits: u32, log_scale: u32) -> Self {
        Self { bits: bits as u16, log_scale: log_scale as u16 }
    }
}

impl Shape for Scaled {
    type Home = Context;
    const POLYS: RangeInclusive<u8> = 2..=2;

    fn check(&self, params: &Parameters, object: Object) -> std::result::Result<(), String> {
        let (bits, log_scale) = (u32::from(self.bits), u32::from(self.log_scale));
        if !(1..=params.log_q()).contains(&bits) {
            return Err(format!("{bits} bits are outside 1 to {}", params.log_q()));
        }
        if log_scale > MAX_LOG_SCALE {
            return Err(format!("a scale of 2^{log_scale} is above 2^{MAX_LOG_SCALE}"));
        }
        if object == Object::Ciphertext && log_scale + SPARE_BITS > bits {
            return Err(format!("a modulus of {bits} bits has no room for a scale of 2^{log_scale}"));
        }
        Ok(())
    }

    fn scale(&self) -> Scale {
        Scale::power_of_two(self.log_scale.into())
    }

    fn poly_len(&self, params: &Parameters) -> usize {
        poly_len(params, self.bits.into())
    }

    fn alloc(&self, ctx: &Context, polys: usize) -> Result<Buf> {
        ctx.alloc_big(polys, self.bits.into())
    }

    fn write_polys(&self, ctx: &Context, w: &mut Writer<'_>, view: View<'_>) -> Result<()> {
        write_poly(ctx, w, view, self.bits.into())
    }

    fn read_poly(&self, ctx: &Context, r: &mut impl Input, buf: &mut Buf, poly: usize) -> Result<()> {
        read_poly(ctx, r, buf, poly * words(self.bits.into()), self.bits.into())
    }

    fn expand(&self, ctx: &Context, buf: &mut Buf, seed: &PublicSeed) -> Result<()> {
        ctx.expand_into(buf, words(self.bits.into()), seed, self.bits.into())
    }
}

impl Vector for Plaintext {
    type Shape = Scaled;
    type Content = Range;

    fn parts(&self) -> (Head<Scaled, Range>, View<'_>) {
        let shape = Scaled::new(self.bits(), self.log_scale());
        (Head { log_slots: self.log_slots(), shape, content: self.range() }, self.view())
    }

    fn from_parts(ctx: &Context, _: KeyId, head: Head<Scaled, Range>, buf: Buf) -> Self {
        let Scaled { bits, log_scale } = head.shape;
        Self::from_buf(ctx, Arc::new(buf), bits.into(), log_scale.into(), head.log_slots, head.content)
    }
}

impl Vector for Ciphertext {
    type Shape = Scaled;
    type Content = Encrypted;

    fn parts(&self) -> (Head<Scaled, Encrypted>, View<'_>) {
        let shape = Scaled::new(self.log_q(), self.log_scale());
        let content = Encrypted { noise: self.noise(), polys: 2, seed: self.seed().copied() };
        (Head { log_slots: self.log_slots(), shape, content }, self.view())
    }

    fn from_parts(ctx: &Context, key: KeyId, head: Head<Scaled, Encrypted>, buf: Buf) -> Self {
        let Scaled { bits, log_scale } = head.shape;
        let made = Self::new(ctx, buf, bits.into(), log_scale.into(), head.log_slots, head.content.noise);
        match head.content.seed {
            Some(seed) => made.with_key(key).with_seed(seed),
            None => made.with_key(key),
        }
    }

    fn expect_readable(&self) -> Result<()> {
        expect_room("to_bytes", self.log_q(), self.log_scale())
    }
}

/// Bytes of `count` evaluation keys in the wire format.
pub(super) fn keys_len(params: &Parameters, count: usize) -> u64 {
    total_of(std::iter::repeat_n(switching_key_len(params), count), None)
}

fn switching_key_len(params: &Parameters) -> usize {
    SEED_LEN + poly_len(params, 2 * params.log_q())
}

/// The limbs of integers modulo `2^bits`: 52 bits each, and what remains in the last one.
fn widths(bits: u32) -> Vec<Width> {
    let top = top_mask(bits).count_ones();
    (1..=words(bits)).map(|k| Width::words(if k == words(bits) { top } else { WORD_BITS })).collect()
}

/// Bytes of a polynomial of integers modulo `2^bits`.
fn poly_len(params: &Parameters, bits: u32) -> usize {
    limbs_len(params.n(), &widths(bits))
}

/// Writes every polynomial of `view`.
fn write_poly(ctx: &Context, w: &mut Writer<'_>, view: View<'_>, bits: u32) -> Result<()> {
    write_limbs(ctx.backend(), w, view, &widths(bits), None)
}

/// Reads a polynomial into the limbs of `buf` from `first` on. Every string of bits is one.
fn read_poly(ctx: &Context, r: &mut impl Input, buf: &mut Buf, first: usize, bits: u32) -> Result<()> {
    read_limbs(ctx.backend(), r, buf, first, &widths(bits), None)
}

/// The seed of a key's uniform half, and the other half as the first of two polynomials.
fn read_half(ctx: &Context, r: &mut impl Input, bits: u32) -> Result<(PublicSeed, Buf)> {
    let seed = PublicSeed::read(r)?;
    r.expect_at_least(poly_len(ctx.params(), bits))?;
    let mut buf = ctx.alloc_big(2, bits)?;
    read_poly(ctx, r, &mut buf, 0, bits)?;
    Ok((seed, buf))
}
