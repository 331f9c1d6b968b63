//! Plaintexts: integers modulo t in slots.
//!
//! A plaintext is a polynomial modulo t in the evaluation domain. Its values there are those of the
//! slots, in another order, so encoding is a permutation. It becomes a polynomial over the primes
//! of a level by an inverse transform modulo t, a centred base conversion, and transforms.

use std::sync::Arc;

use ringjet_backend::{Buf, Coeff};
use ringjet_math::fft::Complex64;
use zeroize::Zeroizing;

use super::ciphertext::Position;
use super::{Context, Parameters, Plaintext, Residues};
use crate::noise::Added;
use crate::vectors::ChainVectors;
use crate::{Error, Result, host};

impl Parameters {
    /// The residue of a value from `-(t-1)/2` to `t - 1`. Fails with [`Error::NotResidue`].
    pub(crate) fn residue(&self, index: usize, value: i64) -> Result<u64> {
        self.residues().expect(index, value)?;
        Ok(value.rem_euclid(self.t() as i64) as u64)
    }

    /// The integers that can be encrypted.
    pub fn residues(&self) -> Residues {
        Residues::new(self.t().into())
    }

    /// The representative of a residue between `-t/2` and `t/2`.
    pub(super) fn centred(&self, residue: u64) -> i64 {
        if residue > self.t() / 2 { residue as i64 - self.t() as i64 } else { residue as i64 }
    }

    /// The number of slots, N, in two rows.
    pub fn slots(&self) -> usize {
        self.n()
    }
}

/// The integers of values that carry integers. Fails with [`Error::NotResidue`] for other numbers.
pub(crate) fn integers(params: &Parameters, values: &[Complex64]) -> Result<Vec<i64>> {
    let one = |(index, z): (usize, &Complex64)| {
        if z.im == 0.0 && z.re.fract() == 0.0 && z.re.abs() < 2f64.powi(53) {
            return Ok(z.re as i64);
        }
        Err(params.residues().refusal(index, if z.im == 0.0 { z.re } else { f64::NAN }))
    };
    values.iter().enumerate().map(one).collect()
}

impl Plaintext {
    /// Encodes up to N integers, row 0 first; missing values are zero. Values are from `-(t-1)/2`
    /// to `t - 1`. `level` is the level at which the plaintext is encrypted; as an operand it fits
    /// ciphertexts of every level. Fails with [`Error::SlotCount`], [`Error::NotResidue`],
    /// [`Error::NoSuchLevel`].
    pub fn encode(ctx: &Context, values: &[i64], level: usize) -> Result<Self> {
        let params = ctx.params();
        if level > params.top_level() {
            return Err(Error::NoSuchLevel { level, top: params.top_level() });
        }
        if values.len() > params.slots() {
            return Err(Error::SlotCount { found: values.len(), slots: params.slots(), max: params.slots() });
        }
        let mut buf = ctx.alloc(1)?;
        let fill = || -> Result<Zeroizing<Vec<u64>>> {
            let mut words = Zeroizing::new(vec![0; params.n()]);
            for (index, (&value, &place)) in values.iter().zip(params.places()).enumerate() {
                words[place as usize] = params.residue(index, value)?;
            }
            Ok(words)
        };
        if let Some(words) = host::values(ctx.backend(), fill).transpose()? {
            ctx.backend().upload(&mut buf, 0, &words)?;
        }
        Self::of_residues(ctx, buf, level)
    }

    /// The plaintext whose residues in the evaluation domain are in `buf`.
    pub(super) fn of_residues(ctx: &Context, buf: Buf, level: usize) -> Result<Self> {
        let (range, at) = (ctx.params().range(), Position::plain(level));
        Self::new(ctx, buf, at, ctx.params().log_n() - 1, range).stating(range.magnitude())
    }

    /// The level at which the plaintext is encrypted.
    pub fn level(&self) -> usize {
        self.position().level
    }

    /// The values of all slots between `-(t-1)/2` and `(t-1)/2`, row 0 first.
    /// Fails with [`Error::ParameterMismatch`]; [`Error::Backend`] if the backend only counts.
    pub fn decode(&self, ctx: &Context) -> Result<Vec<i64>> {
        let params = ctx.params();
        params.expect_same("plaintext", self.params())?;
        let mut words = Zeroizing::new(vec![0u64; params.n()]);
        ctx.backend().download(self.buf(), 0, &mut words)?;
        Ok(params.places().iter().map(|&place| params.centred(words[place as usize])).collect())
    }

    /// `factor * m`, reduced modulo t to centred coefficients, over the primes of `level`. Limbs
    /// after those of the level are not part of the result.
    pub(super) fn lifted(&self, ctx: &Context, level: usize, factor: u64) -> Result<Buf> {
        let (params, b) = (ctx.params(), ctx.backend());
        let lift = &params.plaintext_plans(level).lift;
        let mut out = ctx.alloc(lift.extended.len())?;
        if factor == 1 {
            b.mod_up(out.view_mut(1), self.view(), lift)?;
            return Ok(out);
        }
        let mut scaled = ctx.alloc(1)?;
        b.lincomb(scaled.view_mut(1), &[(Coeff::PerLimb(&[factor]), self.view())], params.t_basis(), false)?;
        b.mod_up(out.view_mut(1), scaled.view(1), lift)?;
        Ok(out)
    }

    /// The addend that stands for the plaintext in a ciphertext of `polys` polynomials with the
    /// correction factor `factor`: `factor * m / t`, or `factor * m / t^2` before relinearisation.
    pub(super) fn addend(&self, ctx: &Context, level: usize, factor: u64, polys: usize) -> Result<Buf> {
        let lifted = self.lifted(ctx, level, factor)?;
        let (plans, basis) = (ctx.params().plaintext_plans(level), &ctx.params().level(level).basis);
        let mut out = ctx.alloc(basis.len())?;
        let terms = [(Coeff::PerLimb(&plans.inverse[polys - 2]), lifted.view(1).prefix(basis.len()))];
        ctx.backend().lincomb(out.view_mut(1), &terms, basis, false)?;
        Ok(out)
    }
}

impl ChainVectors for Parameters {
    fn message(ctx: &Context, plaintext: &Plaintext) -> Result<Arc<Buf>> {
        Ok(Arc::new(plaintext.addend(ctx, plaintext.level(), 1, 2)?))
    }

    fn encrypted_at(position: Position) -> Position {
        Position { plain: false, ..position }
    }

    fn fresh_secret(&self) -> Added {
        self.sizes().fresh_secret()
    }

    fn fresh_public(&self) -> Added {
        self.sizes().fresh_public()
    }
}
