//! Positions of plaintexts and ciphertexts: levels and correction factors.

use std::fmt;

use ringjet_backend::{Buf, View};
use ringjet_math::Modulus;

use super::modulus::MAX_PRIMES;
use super::params::LEAST_BUDGET;
use super::prepared::FactorCache;
use super::{Ciphertext, Context, Parameters, Product, SecretKey, SwitchingKey};
use crate::noise::ErrorTerm;
use crate::rlwe::keyswitch::expect_no_values;
use crate::vectors::{ChainVectors, Polynomials, Vectors};
use crate::{Error, Noise, Result, Unit};

/// The level and the correction factors of a ciphertext. A plaintext is modulo T; its level is that
/// at which it is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub(super) level: usize,
    pub(super) factors: Factors,
    pub(super) plain: bool,
}

/// The correction factor of each component: f, from 1 to `t - 1`. Numbers after those of the
/// components are 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factors(pub(super) [u32; MAX_PRIMES]);

impl Factors {
    /// The factors of fresh ciphertexts.
    pub(super) const ONE: Self = Self([1; MAX_PRIMES]);

    /// The factor of component `i`.
    pub(super) fn of(self, i: usize) -> u64 {
        self.0[i].into()
    }

    /// The numbers `f(i, t)` for each component i and its prime t.
    pub(super) fn new(params: &Parameters, f: impl Fn(usize, &Modulus) -> u64) -> Self {
        let mut all = Self::ONE;
        for i in 0..params.t_basis().len() {
            all.0[i] = f(i, params.modulo_t(i)) as u32;
        }
        all
    }
}

impl Position {
    /// The position of a plaintext.
    pub(super) fn plain(level: usize) -> Self {
        Self { level, factors: Factors::ONE, plain: true }
    }
}

impl Vectors for Parameters {
    type Key = SwitchingKey;
    type OperandCache = FactorCache;
    const UNIT: Unit = Unit::Levels;
    const PLAINTEXTS_HAVE_MODULI: bool = false;

    fn left(position: Position) -> usize {
        position.level
    }

    fn modulus_log2(&self, position: Position) -> f64 {
        if position.plain { (self.t() as f64).log2() } else { self.level(position.level).basis.log2() }
    }

    fn describe(&self, position: Position, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "modulo {}", self.t())?;
        match self.product() {
            Product::Bgv if !position.plain => write!(f, ", level {}/{}", position.level, self.top_level()),
            _ => Ok(()),
        }
    }

    fn quality(&self, position: Position, noise: Noise) -> String {
        format!("noise budget {:.1} bits", self.budget_of(position.level, noise.error()))
    }

    fn encoding_error(&self, _: u32) -> ErrorTerm {
        self.sizes().message()
    }

    fn is_insecure(&self) -> bool {
        self.spec().allow_insecure
    }

    /// The phase of one component.
    fn phase(secret: &SecretKey, ctx: &Context, position: Position, component: View<'_>) -> Result<Buf> {
        secret.phase(ctx, component, &ctx.params().level(position.level).basis)
    }

    fn expect_room(&self, op: &'static str, position: Position, noise: Noise) -> Result<()> {
        let available = self.level_noise(position.level).log2_q;
        let needed = 1.0 + LEAST_BUDGET + noise.largest().log2();
        // this form refuses NaN as well
        if needed <= available { Ok(()) } else { Err(Error::NoiseBudget { op, needed, available }) }
    }

    fn expect_addable(op: &'static str, lhs: Position, rhs: Position) -> Result<()> {
        match lhs.factors.0.into_iter().zip(rhs.factors.0).find(|(lhs, rhs)| lhs != rhs) {
            None => Ok(()),
            Some((lhs, rhs)) => Err(Error::FactorMismatch { op, lhs: lhs.into(), rhs: rhs.into() }),
        }
    }
}

impl Polynomials<Parameters> {
    /// The correction factor f of each component: it holds `f * m` for its message m.
    pub fn factors(&self) -> Vec<u64> {
        (0..self.params().t_basis().len()).map(|i| self.position().factors.of(i)).collect()
    }
}

impl Ciphertext {
    /// Level: the number of primes, or sets of primes, that switching can still divide by.
    pub fn level(&self) -> usize {
        self.position().level
    }

    /// A lower bound on the noise budget in bits: how often the noise may double. The owner of the
    /// secret key can measure it: [`SecretKey::noise_budget`].
    pub fn noise_budget(&self) -> f64 {
        self.params().budget_of(self.level(), self.noise().error())
    }

    /// Makes a ciphertext at `level` with unspecified contents. It serves to count operations on a
    /// backend that [computes nothing](ringjet_backend::Meter::counts_only).
    /// Fails with [`Error::Argument`] where the backend computes; [`Error::NoSuchLevel`].
    pub fn uncomputed(ctx: &Context, level: usize) -> Result<Self> {
        expect_no_values(ctx.backend())?;
        let params = ctx.params();
        if level > params.top_level() {
            return Err(Error::NoSuchLevel { level, top: params.top_level() });
        }
        let at = Position { level, factors: Factors::ONE, plain: false };
        Self::shape(ctx, at, params.log_n() - 1, params.fresh())
    }
}
