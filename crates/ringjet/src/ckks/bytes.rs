//! CKKS's parameters, plaintexts and ciphertexts as bytes.

use std::ops::RangeInclusive;

use ringjet_backend::{Buf, View};
use ringjet_math::Basis;

use super::ciphertext::Position;
use super::params::{BootstrapSpec, LevelSpec, ModulusSpec, ParamSpec};
use crate::rng::PublicSeed;
use crate::wire::residues::{self, poly_len};
use crate::wire::{Field, Input, Object, Scheme, Shape, Writer, parameters_as_bytes, record};
use crate::{Context, Error, Parameters, Result, Scale};

parameters_as_bytes!(Scheme::Ckks, Parameters, ParamSpec, bootstrapping_bytes);

record!(LevelSpec { primes, scale });
record!(BootstrapSpec {
    slots_to_coeffs,
    coeffs_to_slots,
    slots_to_coeffs_first,
    k,
    degree,
    double_angles,
    arcsine,
    passes,
    secret_weight
});

impl Field for ModulusSpec {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Primes(primes) => primes.put(out),
            Self::Bits(_) => Err(Error::Parameters("primes must be spelt out".into())),
        }
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        Vec::read(r).map(Self::Primes)
    }
}

/// With every prime and the number of limbs of a digit spelt out.
impl Field for ParamSpec {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.log_n.put(out)?;
        self.q.put(out)?;
        self.p.put(out)?;
        self.scale_bits.put(out)?;
        self.alpha.unwrap_or(0).put(out)?;
        self.security.put(out)?;
        self.allow_insecure.put(out)?;
        self.levels.put(out)?;
        self.bootstrap.put(out)?;
        self.digits.put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        Ok(Self {
            log_n: Field::read(r)?,
            q: Field::read(r)?,
            p: Field::read(r)?,
            scale_bits: Field::read(r)?,
            alpha: Some(Field::read(r)?),
            security: Field::read(r)?,
            allow_insecure: Field::read(r)?,
            levels: Field::read(r)?,
            bootstrap: Field::read(r)?,
            digits: Field::read(r)?,
        })
    }
}

fn bootstrapping_bytes(params: &Parameters) -> u64 {
    let plan = params.bootstrap_keys(params.log_n() - 1);
    plan.and_then(|plan| plan.sizes(params)).map_or(0, |sizes| sizes.bytes_at_rest)
}

impl Field for Position {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        (self.level as u16).put(out)?;
        self.scale.put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        Ok(Self { level: u16::read(r)?.into(), scale: Field::read(r)? })
    }
}

impl Shape for Parameters {
    type Position = Position;
    const POLYS: RangeInclusive<u8> = 2..=3;

    fn expect_position(&self, Position { level, .. }: Position, _: Object) -> std::result::Result<(), String> {
        let highest = self.max_level();
        if level > highest { Err(format!("level {level} is above the highest level {highest}")) } else { Ok(()) }
    }

    fn scale_of(position: Position) -> Scale {
        position.scale
    }

    fn poly_len(&self, position: Position) -> usize {
        poly_len(basis(self, position))
    }

    fn alloc(ctx: &Context, position: Position, polys: usize) -> Result<Buf> {
        ctx.alloc(polys * basis(ctx.params(), position).len())
    }

    fn write_polys(ctx: &Context, position: Position, w: &mut Writer<'_>, view: View<'_>) -> Result<()> {
        residues::write(ctx, w, view, basis(ctx.params(), position))
    }

    fn read_poly(ctx: &Context, position: Position, r: &mut impl Input, buf: &mut Buf, poly: usize) -> Result<()> {
        let basis = basis(ctx.params(), position);
        residues::read(ctx, r, buf, poly * basis.len(), basis)
    }

    fn expand(ctx: &Context, position: Position, buf: &mut Buf, seed: &PublicSeed) -> Result<()> {
        let basis = basis(ctx.params(), position);
        ctx.expand_into(buf, basis.len(), seed, 0, basis)
    }
}

fn basis(params: &Parameters, position: Position) -> &Basis {
    &params.level(position.level).basis
}
