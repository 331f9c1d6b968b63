//! BGV's parameters, plaintexts and ciphertexts as bytes.

use std::ops::RangeInclusive;

use ringjet_math::Basis;

use super::ciphertext::{Factors, Position};
use super::{ParamSpec, Parameters, Product};
use crate::vectors::ChainVectors;
use crate::wire::{Field, Input, Object, Scheme, Shape, parameters_as_bytes};
use crate::{Result, Scale};

parameters_as_bytes!(Scheme::Bgv, Parameters, ParamSpec, |_: &Self| 0);

/// 0: BGV, 1: BFV.
impl Field for Product {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        (*self == Self::Bfv).put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        Ok(if bool::read(r)? { Self::Bfv } else { Self::Bgv })
    }
}

/// The bytes name every prime, and the number of primes in a digit.
impl Field for ParamSpec {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        self.log_n.put(out)?;
        self.t.put(out)?;
        self.q.put(out)?;
        self.p.put(out)?;
        self.product.put(out)?;
        self.levels.put(out)?;
        self.alpha.unwrap_or(0).put(out)?;
        self.security.put(out)?;
        self.allow_insecure.put(out)?;
        self.pieces.put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        Ok(Self {
            log_n: Field::read(r)?,
            t: Field::read(r)?,
            q: Field::read(r)?,
            p: Field::read(r)?,
            product: Field::read(r)?,
            levels: Field::read(r)?,
            alpha: Some(Field::read(r)?),
            security: Field::read(r)?,
            allow_insecure: Field::read(r)?,
            pieces: Field::read(r)?,
        })
    }
}

/// The level, the correction factors, and whether it is a plaintext.
impl Field for Position {
    fn put(&self, out: &mut Vec<u8>) -> Result<()> {
        (self.level as u16).put(out)?;
        self.factors.0.iter().try_for_each(|factor| factor.put(out))?;
        self.plain.put(out)
    }

    fn read(r: &mut impl Input) -> Result<Self> {
        let level = u16::read(r)?.into();
        let mut factors = Factors::ONE;
        for factor in &mut factors.0 {
            *factor = u32::read(r)?;
        }
        Ok(Self { level, factors, plain: Field::read(r)? })
    }
}

impl Shape for Parameters {
    type Position = Position;
    type Modulus = Basis;
    const EXACT: bool = true;
    const ROWS: usize = 2;
    const POLYS: RangeInclusive<u8> = 2..=3;

    fn expect_position(&self, position: Position, object: Object) -> std::result::Result<(), String> {
        let Position { level, factors, plain } = position;
        if level > self.top_level() {
            return Err(format!("level {level} is above the highest level {}", self.top_level()));
        }
        if plain != (object == Object::Plaintext) {
            return Err("a plaintext where a ciphertext belongs, or the reverse".into());
        }
        for (i, factor) in factors.0.into_iter().enumerate() {
            let most = if plain || i >= self.t_basis().len() { 1 } else { self.modulo_t(i).value() - 1 };
            if !(1..=most).contains(&factor.into()) {
                return Err(format!("a correction factor of {factor}, outside 1 to {most}"));
            }
        }
        Ok(())
    }

    fn components(&self, position: Position) -> usize {
        if position.plain { 1 } else { self.t_basis().len() }
    }

    fn scale_of(_: Position) -> Scale {
        Scale::ONE
    }

    fn modulus<'a>(&'a self, position: &'a Position) -> &'a Basis {
        if position.plain { self.t_basis() } else { self.basis_at(*position) }
    }

    fn public_modulus(&self) -> Basis {
        self.encryption_basis()
    }
}
