//! Plaintexts: integers modulo T in slots.
//!
//! A plaintext is a polynomial modulo each prime t of T, in the evaluation domain. Its values there are those of the
//! slots, in another order, so encoding is a permutation. It becomes a polynomial over the primes
//! of a level by an inverse transform modulo t, a centred base conversion, and transforms.

use std::sync::Arc;

use ringjet_backend::{Buf, Coeff, ViewMut};
use ringjet_math::fft::Complex64;
use ringjet_math::memory::{collected, zeros};
use zeroize::Zeroizing;

use super::ciphertext::{Factors, Position};
use super::{Ciphertext, Context, Parameters, Plaintext, Residues};
use crate::noise::ErrorTerm;
use crate::vectors::{ChainVectors, joined};
use crate::{Error, Result};

impl Parameters {
    /// The integers that can be encrypted.
    pub fn residues(&self) -> Residues {
        Residues::new(self.t())
    }

    /// The bounds of a polynomial modulo T, for all components. `values` writes its values modulo the
    /// prime of a component, in the evaluation domain.
    fn size_of(&self, values: impl Fn(usize, &mut [u64])) -> Result<ErrorTerm> {
        let (fft, mut limb) = (self.fft(self.log_n() - 1)?, zeros(self.n())?);
        let mut sizes = self.t_basis().primes().iter().enumerate().map(|(i, t)| {
            values(i, &mut limb);
            t.table().inverse(&mut limb);
            let centred = limb.iter().map(|&x| super::modulus::centred(t.modulus(), x) as f64);
            super::noise::size_of(fft, &collected(centred)?)
        });
        sizes.try_fold(ErrorTerm::NONE, |most, size| Ok(most.or_bounds_of(size?)))
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
    /// Encodes up to N integers, row 0 first; missing values are zero. Values are from `-(T-1)/2`
    /// to `T - 1`. `level` is the level at which the plaintext is encrypted; as an operand it fits
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
        let residues = params.residues();
        values.iter().enumerate().try_for_each(|(index, &value)| residues.expect(index, value))?;
        let mut buf = ctx.alloc(params.t_basis().len())?;
        let fill = |i: usize, limb: &mut [u64]| {
            let t = params.modulo_t(i).value() as i64;
            limb.fill(0);
            for (&value, &place) in values.iter().zip(params.places()) {
                limb[place as usize] = value.rem_euclid(t) as u64;
            }
        };
        ctx.upload_each(&mut buf, 0, params.t_basis().len(), |_, i, limb| fill(i, limb))?;
        let made = Self::of_residues(ctx, buf, level)?.holding(values.len());
        if !ctx.backend().computes() {
            // a plan is of the values, which are not kept on this backend
            let size = params.size_of(fill)?;
            made.factor().get_or_init(|| size);
        }
        Ok(made)
    }

    /// The bounds of the plaintext as a factor: for each component the polynomial with coefficients
    /// centred modulo its prime. They are computed once.
    pub(super) fn factor_size(&self, ctx: &Context) -> Result<ErrorTerm> {
        if let Some(&known) = self.factor().get() {
            return Ok(known);
        }
        let params = ctx.params();
        if !ctx.backend().computes() {
            return Ok(params.sizes().message()); // read from bytes, without values
        }
        let mut words = zeros(params.n() * params.t_basis().len())?;
        ctx.backend().download(self.buf(), 0, &mut words)?;
        let limbs: Vec<&[u64]> = words.chunks_exact(params.n()).collect();
        let size = params.size_of(|i, limb| limb.copy_from_slice(limbs[i]))?;
        Ok(*self.factor().get_or_init(|| size))
    }

    /// The plaintext whose residues in the evaluation domain are in `buf`.
    pub(crate) fn of_residues(ctx: &Context, buf: Buf, level: usize) -> Result<Self> {
        let (range, at) = (ctx.params().range(), Position::plain(level));
        Self::new(ctx, buf, at, ctx.params().log_n() - 1, range).stating(range.magnitude().into())
    }

    /// The level at which the plaintext is encrypted.
    pub fn level(&self) -> usize {
        self.position().level
    }

    /// The values of all slots between `-(T-1)/2` and `(T-1)/2`, row 0 first.
    /// Fails with [`Error::IntegerOverflow`] where a value does not fit 64 bits;
    /// [`Error::ParameterMismatch`]; [`Error::Backend`] if the backend only counts.
    pub fn decode(&self, ctx: &Context) -> Result<Vec<i64>> {
        let params = ctx.params();
        params.expect_same("plaintext", self.params())?;
        let mut words = Zeroizing::new(zeros::<u64>(params.n() * params.t_basis().len())?);
        ctx.backend().download(self.buf(), 0, &mut words)?;
        let decoded = |(index, &place): (usize, &u32)| {
            let residues = words.chunks_exact(params.n()).map(|limb| limb[place as usize]);
            let value = params.plaintext_modulus().compose(residues);
            i64::try_from(value).map_err(|_| Error::IntegerOverflow { index, value, modulus: params.t() })
        };
        params.places().iter().enumerate().map(decoded).collect()
    }

    /// The addends of fresh ciphertexts at `level`, see [`Plaintext::addend`].
    pub(crate) fn addend_at(&self, ctx: &Context, level: usize) -> Result<Buf> {
        self.addend(ctx, level, Factors::ONE, 2)
    }

    /// The message of which `self` is the product with the correction factors of `ct`.
    pub(crate) fn uncorrected(&self, ctx: &Context, ct: &Ciphertext) -> Result<Self> {
        let params = ctx.params();
        let count = params.t_basis().len();
        let mut out = ctx.alloc(count)?.into_secret();
        for i in 0..count {
            let factor = [super::modulus::inverse(params.modulo_t(i), ct.position().factors.of(i))];
            let terms = [(Coeff::PerLimb(&factor), self.view().range(i, 1))];
            ctx.backend().lincomb(out.view_mut(count).poly(i), &terms, &params.t_basis().select([i]), false)?;
        }
        Self::of_residues(ctx, out, self.level())
    }

    /// The position of a fresh ciphertext at `level`.
    pub(crate) fn fresh_position(level: usize) -> Position {
        Parameters::encrypted_at(Position::plain(level))
    }

    /// Writes `factor * m` for component `i`, reduced modulo its prime to centred coefficients, over
    /// the primes of `level` and that prime.
    pub(super) fn lift_into(&self, ctx: &Context, dst: ViewMut<'_>, level: usize, i: usize, factor: u64) -> Result<()> {
        let (params, b) = (ctx.params(), ctx.backend());
        let (lift, message) = (&params.plaintext_plans(level, i).lift, self.view().range(i, 1));
        if factor == 1 {
            return Ok(b.mod_up(dst, message, lift)?);
        }
        let mut scaled = ctx.alloc(1)?;
        b.lincomb(scaled.view_mut(1), &[(Coeff::PerLimb(&[factor]), message)], &lift.src, false)?;
        Ok(b.mod_up(dst, scaled.view(1), lift)?)
    }

    /// The addends that stand for the plaintext in the components of a ciphertext of `polys`
    /// polynomials with the correction factors `factors`: `factor * m / t`, or `factor * m / t^2`
    /// before relinearisation.
    pub(super) fn addend(&self, ctx: &Context, level: usize, factors: Factors, polys: usize) -> Result<Buf> {
        let (params, basis) = (ctx.params(), &ctx.params().level(level).basis);
        joined(ctx, params.t_basis().len(), 1, basis.len(), |i, dst| {
            let mut lifted = ctx.alloc(basis.len() + 1)?;
            self.lift_into(ctx, lifted.view_mut(1), level, i, factors.of(i))?;
            let inverse = &params.plaintext_plans(level, i).inverse[polys - 2];
            let terms = [(Coeff::PerLimb(inverse), lifted.view(1).prefix(basis.len()))];
            Ok(ctx.backend().lincomb(dst, &terms, basis, false)?)
        })
    }
}

impl ChainVectors for Parameters {
    fn message(ctx: &Context, plaintext: &Plaintext) -> Result<Arc<Buf>> {
        Ok(Arc::new(plaintext.addend(ctx, plaintext.level(), Factors::ONE, 2)?))
    }

    fn encrypted_at(position: Position) -> Position {
        Position { plain: false, ..position }
    }

    /// That of a public-key encryption, see [`Sizes::fresh`](super::noise::Sizes::fresh).
    fn fresh_secret(&self) -> ErrorTerm {
        self.sizes().fresh()
    }

    fn fresh_public(&self) -> ErrorTerm {
        self.sizes().fresh()
    }
}
