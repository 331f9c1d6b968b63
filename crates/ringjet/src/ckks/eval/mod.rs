//! The explicit evaluator: exact scales and levels, one operation a call (Tables II and III of de Castro et al.).
//!
//! Nothing is aligned behind the caller's back; the methods of [`super::auto`] do that on top of these.

mod constants;
mod plain;
mod products;
mod rotations;

use std::sync::Arc;

use ringjet_backend::{Buf, Coeff};

use super::{Ciphertext, Scale};
use crate::noise::Noise;
use crate::refresh::Refresh;
use crate::{Context, Error, EvaluationKeys, KeyId, Result};

/// Computes on ciphertexts; holds public keys only.
#[derive(Clone, Debug)]
pub struct Evaluator {
    ctx: Context,
    keys: Arc<EvaluationKeys>,
    refresh: Option<Arc<dyn Refresh<Evaluator, Ciphertext>>>,
}

impl Evaluator {
    /// An evaluator with these keys. One that also bootstraps is made by
    /// [`Bootstrapper::evaluator`](crate::Bootstrapper::evaluator).
    ///
    /// # Errors
    /// [`Error::ParameterMismatch`].
    pub fn new(ctx: &Context, keys: Arc<EvaluationKeys>) -> Result<Self> {
        ctx.params().expect_same("evaluation keys", keys.params())?;
        Ok(Self { ctx: ctx.clone(), keys, refresh: None })
    }

    /// The same, with something that refreshes ciphertexts that have no level to spend.
    pub fn with_refresh(self, refresh: Arc<dyn Refresh<Self, Ciphertext>>) -> Self {
        Self { refresh: Some(refresh), ..self }
    }

    /// What refreshes ciphertexts.
    pub fn refresh(&self) -> Option<&dyn Refresh<Self, Ciphertext>> {
        self.refresh.as_deref()
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.ctx
    }

    /// The keys.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// Refuses a ciphertext of other parameters or of another secret than the keys.
    pub(crate) fn check(&self, ct: &Ciphertext) -> Result<()> {
        self.ctx.params().expect_same("ciphertext", ct.params())?;
        self.keys.key_id().join("ciphertext", ct.key_id()).map(|_| ())
    }

    /// The secret of what is made of `ct` with these keys.
    pub(crate) fn owner(&self, ct: &Ciphertext) -> KeyId {
        ct.key_id().or(self.keys.key_id())
    }

    fn check_pair(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext) -> Result<()> {
        self.check(a)?;
        a.expect_packing(b)?;
        if a.level() != b.level() {
            return Err(Error::ModulusMismatch { unit: crate::Unit::Levels, op, lhs: a.level(), rhs: b.level() });
        }
        Ok(())
    }

    fn check_degree(&self, op: &'static str, ct: &Ciphertext) -> Result<()> {
        self.check(ct)?;
        if ct.polys() != 2 {
            return Err(Error::Degree { op, expected: 2, found: ct.polys() });
        }
        Ok(())
    }

    fn build(&self, buf: Buf, polys: usize, like: &Ciphertext, level: usize, scale: Scale, noise: Noise) -> Ciphertext {
        let made = Ciphertext::from_parts(self.ctx.params(), buf, polys, level, scale, like.log_slots(), noise);
        made.with_key(self.owner(like))
    }

    /// Refuses values that would wrap around the modulus of `level`.
    fn expect_room(&self, op: &'static str, noise: Noise, level: usize) -> Result<()> {
        noise.expect_room(op, self.ctx.params().level(level).basis.log2())
    }

    fn linear(&self, op: &'static str, a: &Ciphertext, b: &Ciphertext, sign: Coeff<'_>) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("Add");
        self.check_pair(op, a, b)?;
        expect_scales(op, a.scale(), b.scale())?;
        let noise = match sign {
            Coeff::MinusOne => a.noise().difference(b.noise()),
            _ => a.noise().sum(b.noise()),
        };
        self.expect_room(op, noise, a.level())?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let polys = a.polys().max(b.polys());
        let mut buf = self.ctx.alloc(polys * basis.len())?;
        let common = a.polys().min(b.polys());
        let terms = [(Coeff::One, a.view().slice(0, common)), (sign, b.view().slice(0, common))];
        self.ctx.backend().lincomb(buf.view_mut(polys).slice(0, common), &terms, basis, false)?;
        if polys > common {
            let (sign, longer) = if a.polys() > common { (Coeff::One, a) } else { (sign, b) };
            let rest = longer.view().slice(common, polys - common);
            let dst = buf.view_mut(polys).slice(common, polys - common);
            self.ctx.backend().lincomb(dst, &[(sign, rest)], basis, false)?;
        }
        let made = self.build(buf, polys, a, a.level(), a.scale(), noise);
        Ok(made.with_key(self.owner(a).or(b.key_id())))
    }

    /// `a + b`; levels and scales must agree.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.linear("add", a, b, Coeff::One)
    }

    /// `a - b`; levels and scales must agree.
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.linear("sub", a, b, Coeff::MinusOne)
    }

    /// `-a`.
    pub fn neg(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.check(a)?;
        let basis = &self.ctx.params().level(a.level()).basis;
        let mut buf = self.ctx.alloc(a.polys() * basis.len())?;
        self.ctx.backend().lincomb(buf.view_mut(a.polys()), &[(Coeff::MinusOne, a.view())], basis, false)?;
        Ok(self.build(buf, a.polys(), a, a.level(), a.scale(), a.noise().scaled(1.0, -1.0, a.scale())))
    }

    /// Forgets primes down to `level`: exact, the scale stays. Refused where `level` has primes that the ciphertext
    /// lacks.
    pub fn drop_level(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        self.check(a)?;
        let params = self.ctx.params();
        if level > a.level() {
            return Err(Error::NoSuchLevel { level, top: a.level() });
        }
        if !params.is_nested(a.level(), level) {
            return Err(Error::NotNested { upper: a.level(), lower: level });
        }
        self.expect_room("drop_level", a.noise(), level)?;
        let limbs = params.limbs(level);
        let chosen = params.chosen_limbs(params.primes_of(a.level()), level);
        let view = chosen.as_ref().map_or(a.view().prefix(limbs), |c| a.view().choose(c));
        let mut buf = self.ctx.alloc(a.polys() * limbs)?;
        self.ctx.backend().copy(buf.view_mut(a.polys()), view)?;
        Ok(self.build(buf, a.polys(), a, level, a.scale(), a.noise()))
    }
}

fn expect_scales(op: &'static str, a: Scale, b: Scale) -> Result<()> {
    if a == b {
        return Ok(());
    }
    Err(Error::ScaleMismatch { op, lhs_log2: a.log2(), rhs_log2: b.log2() })
}
