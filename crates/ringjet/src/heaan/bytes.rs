//! HEAAN's objects as bytes.

use std::ops::RangeInclusive;

use ringjet_backend::{Backend, Buf};
use ringjet_math::big::{WORD_BITS, top_mask, words};

use super::ciphertext::{MAX_LOG_SCALE, Position};
use super::params::SPARE_BITS;
use super::{Context, ParamSpec, Parameters, Secret, SwitchingKey, noise};
use crate::rng::PublicSeed;
use crate::wire::{
    Body, Field, Input, KeyBytes, Object, PolyModulus, SEED_LEN, Scheme, Shape, Width, Writer, as_bytes,
    parameters_as_bytes, read_halves, total_of, write_polys,
};
use crate::{KeyId, KeyMemory, KeyPlan, KeySizes, Result, Scale};

parameters_as_bytes!(Scheme::Heaan, Parameters, ParamSpec, bootstrapping_bytes);
as_bytes!({} SwitchingKey, Parameters);

/// The bytes always name the number of slots.
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

/// Bytes of the keys that bootstrap the default number of slots.
fn bootstrapping_bytes(params: &Parameters) -> u64 {
    let log_slots = params.log_slots();
    let plan = params.bootstrapping(log_slots).and_then(|_| params.bootstrap_keys(log_slots));
    plan.map_or(0, |plan| keys_len(params, &plan))
}

impl Body for SwitchingKey {
    const OBJECT: Object = Object::SwitchingKey;

    fn body_len(&self) -> usize {
        switching_key_len(self.params())
    }

    fn write_body(&self, ctx: &Context, w: &mut Writer<'_>) -> Result<()> {
        self.seed().write(w)?;
        write_polys(ctx, w, self.half.view(1), &(2 * ctx.params().log_q()))
    }

    fn read_body(ctx: &Context, key: KeyId, r: &mut impl Input) -> Result<Self> {
        let seed = PublicSeed::read(r)?;
        let halves = read_halves(ctx, r, &seed, &(2 * ctx.params().log_q()), 1, KeyMemory::Expanded)?;
        Self::prepared(ctx, key, seed, &halves)
    }
}

impl KeyBytes for SwitchingKey {}

/// The bits of a ciphertext's modulus or of a plaintext's integers, and the scale.
impl Field for Position {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        (self.bits as u16).put(out)?;
        (self.log_scale as u16).put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        let (bits, log_scale) = (u16::read(r)?.into(), u16::read(r)?.into());
        Ok(Self { bits, log_scale, log_q: None })
    }
}

impl Shape for Parameters {
    type Position = Position;
    type Modulus = u32;
    const POLYS: RangeInclusive<u8> = 2..=2;

    fn expect_position(&self, position: Position, object: Object) -> std::result::Result<(), String> {
        let Position { bits, log_scale, .. } = position;
        if !(1..=self.log_q()).contains(&bits) {
            return Err(format!("{bits} bits are outside 1 to {}", self.log_q()));
        }
        if log_scale > MAX_LOG_SCALE {
            return Err(format!("a scale of 2^{log_scale} is above 2^{MAX_LOG_SCALE}"));
        }
        if object == Object::Ciphertext && log_scale + SPARE_BITS > bits {
            return Err(format!("a modulus of {bits} bits has no room for a scale of 2^{log_scale}"));
        }
        Ok(())
    }

    fn scale_of(position: Position) -> Scale {
        noise::scale(position.log_scale)
    }

    fn modulus<'a>(&'a self, position: &'a Position) -> &'a u32 {
        &position.bits
    }

    fn public_modulus(&self) -> u32 {
        self.log_q()
    }
}

/// The modulus `2^bits`. Limbs have 52 bits each, the last one has the remaining bits. Any such
/// words are a valid polynomial.
impl PolyModulus<Parameters> for u32 {
    fn widths(&self) -> Vec<Width> {
        let (limbs, top) = (words(*self), top_mask(*self).count_ones());
        (1..=limbs).map(|k| Width::words(if k == limbs { top } else { WORD_BITS })).collect()
    }

    fn expand(&self, ctx: &Context, buf: &mut Buf, first: usize, seed: &PublicSeed, _: u32) -> Result<()> {
        ctx.expand_into(buf, first, seed, *self)
    }
}

impl Parameters {
    /// The sizes of the keys that [`SecretKey::evaluation_keys`](super::SecretKey::evaluation_keys)
    /// makes by this plan. In memory all keys have the prepared form of `backend`.
    pub fn key_sizes(&self, backend: &dyn Backend, plan: &KeyPlan) -> KeySizes {
        let (count, bits) = (plan.elements(self).len(), 2 * self.log_q());
        let limbs = words(bits) + backend.big_prepared_limbs(2, self.basis(), bits);
        let memory_bytes = (count * limbs * self.n() * 8) as u64;
        let bytes_at_rest = keys_len(self, plan);
        KeySizes { count, bytes_at_rest, memory_bytes, compressed_memory_bytes: memory_bytes }
    }
}

fn keys_len(params: &Parameters, plan: &KeyPlan) -> u64 {
    total_of(plan.elements(params).values().map(|_| 4 + switching_key_len(params)))
}

fn switching_key_len(params: &Parameters) -> usize {
    SEED_LEN + (2 * params.log_q()).poly_len(params)
}
