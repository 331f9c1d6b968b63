//! Plaintexts as factors: their polynomials over the primes of a level, ready for products.

use std::sync::Arc;

use ringjet_backend::Buf;

use super::{Ciphertext, Context, Evaluator, Parameters, Plaintext};
use crate::noise::Added;
use crate::vectors::joined;
use crate::{Error, Result, Unit};

/// A plaintext as a factor of ciphertexts at one level: for each component its polynomial over the
/// primes of that level, in the evaluation domain. A product with it takes no transform. It takes as
/// much memory as half a ciphertext of two polynomials. Immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct PreparedPlaintext {
    params: Parameters,
    level: usize,
    /// For each component the primes of the level, followed by that of the component.
    buf: Arc<Buf>,
    /// Bounds on the polynomial.
    size: Added,
}

impl PreparedPlaintext {
    /// The level of the ciphertexts that it multiplies.
    pub fn level(&self) -> usize {
        self.level
    }
}

impl Plaintext {
    /// Prepares the plaintext as a factor of ciphertexts at `level`, on the backend of `ctx`. Worth
    /// it where several ciphertexts are multiplied by it.
    /// Fails with [`Error::NoSuchLevel`], [`Error::ParameterMismatch`].
    pub fn prepare(&self, ctx: &Context, level: usize) -> Result<PreparedPlaintext> {
        let params = ctx.params();
        params.expect_same("plaintext", self.params())?;
        if level > params.top_level() {
            return Err(Error::NoSuchLevel { level, top: params.top_level() });
        }
        let limbs = params.limbs(level) + 1;
        let buf = joined(ctx, params.t_basis().len(), 1, limbs, |i, dst| self.lift_into(ctx, dst, level, i, 1))?;
        Ok(PreparedPlaintext { params: params.clone(), level, buf: Arc::new(buf), size: self.factor_size(ctx)? })
    }
}

impl Evaluator {
    /// `a * p`, slot by slot, as [`Evaluator::mul_plain`] computes it, without its transforms.
    /// Fails with [`Error::ModulusMismatch`] unless `a` is at the level of `p`; otherwise as
    /// [`Evaluator::mul_plain`] does.
    pub fn mul_prepared(&self, a: &Ciphertext, p: &PreparedPlaintext) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        self.check(a)?;
        let params = self.ctx.params();
        params.expect_same("plaintext", &p.params)?;
        if a.level() != p.level {
            let (lhs, rhs) = (a.level(), p.level);
            return Err(Error::ModulusMismatch { unit: Unit::Levels, op: "mul_prepared", lhs, rhs });
        }
        let noise = a.noise().with_added(a.noise().error().product(p.size));
        a.expect_room("multiplication by a plaintext", noise)?;
        let (basis, components) = (a.basis(), a.components());
        let buf = joined(&self.ctx, components, a.polys(), basis.len(), |i, dst| {
            let factor = p.buf.view(components).poly(i).prefix(basis.len());
            Ok(self.ctx.backend().mul(dst, a.component(i), factor, basis, false)?)
        })?;
        Ok(self.mapped(a, buf, a.polys(), a.position(), noise))
    }
}
