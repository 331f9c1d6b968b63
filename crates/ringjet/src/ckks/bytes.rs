//! CKKS's parameters, plaintexts and ciphertexts as bytes.

use std::ops::RangeInclusive;

use ringjet_math::Basis;

use super::ciphertext::Position;
use super::params::{BootstrapSpec, LevelSpec, ParamSpec};
use crate::wire::{Field, Input, Object, Scheme, Shape, parameters_as_bytes, record};
use crate::{Parameters, Result, Scale};

parameters_as_bytes!(Scheme::Ckks, Parameters, ParamSpec, bootstrapping_bytes);

record!(LevelSpec { primes, scale });
record! {
    BootstrapSpec {
        slots_to_coeffs, coeffs_to_slots, slots_to_coeffs_first, k, degree, double_angles, arcsine, passes,
        secret_weight, matrix_keys, baby_steps, sine
    }
}

/// The bytes name every prime, and the number of primes in a digit.
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
        self.digits.put(out)?;
        self.pieces.put(out)
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
            pieces: Field::read(r)?,
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
    type Modulus = Basis;
    const POLYS: RangeInclusive<u8> = 2..=3;

    fn expect_position(&self, Position { level, .. }: Position, _: Object) -> std::result::Result<(), String> {
        let highest = self.max_level();
        if level > highest { Err(format!("level {level} is above the highest level {highest}")) } else { Ok(()) }
    }

    fn scale_of(position: Position) -> Scale {
        position.scale
    }

    fn modulus<'a>(&'a self, position: &'a Position) -> &'a Basis {
        &self.level(position.level).basis
    }

    fn public_modulus(&self) -> Basis {
        self.encryption_basis()
    }
}
