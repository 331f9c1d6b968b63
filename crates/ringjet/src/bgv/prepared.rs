//! Plaintexts as factors: their polynomials over the primes of a level, ready for products.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use ringjet_backend::Buf;
use ringjet_math::memory::collected;

use super::{Ciphertext, Context, Evaluator, Parameters, Plaintext};
use crate::noise::ErrorTerm;
use crate::vectors::joined;
use crate::wire::Held;
use crate::{Error, Result, Unit};

/// Maximum bytes of vectors and their prepared plaintexts that an evaluator keeps.
const FACTOR_CACHE_BYTES: usize = 128 << 20;

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
    size: ErrorTerm,
    /// The slots that hold values.
    held: Held,
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
        let (params, buf, size) = (params.clone(), Arc::new(buf), self.factor_size(ctx)?);
        Ok(PreparedPlaintext { params, level, buf, size, held: self.held() })
    }
}

/// The vectors by which an evaluator multiplied last, the latest first, with their prepared
/// plaintexts: a vector that comes again is neither encoded nor prepared again. They are found by
/// their values, which are compared where the fingerprints agree. Clones of an evaluator share them.
/// Beyond [`FACTOR_CACHE_BYTES`] the vectors whose last use is the longest ago are dropped.
#[derive(Clone, Debug, Default)]
pub struct FactorCache(Arc<Mutex<VecDeque<CachedFactor>>>);

#[derive(Debug)]
struct CachedFactor {
    values: Vec<i64>,
    /// [`fingerprint`] of the values.
    fingerprint: i64,
    prepared: PreparedPlaintext,
}

/// A sum that differs for most vectors, so that unequal ones are seldom compared. Masks, for example,
/// may differ only in their last slots.
fn fingerprint(values: &[i64]) -> i64 {
    values.iter().zip(0i64..).fold(0, |sum, (v, i)| sum.wrapping_add(v.wrapping_mul(2 * i + 1)))
}

impl CachedFactor {
    fn bytes(&self) -> usize {
        8 * (self.values.len() + self.prepared.buf.limbs() * self.prepared.params.n())
    }
}

impl FactorCache {
    /// The prepared plaintext of `values` for `level`, if it is kept.
    fn find(&self, level: usize, values: &[i64], fingerprint: i64) -> Option<PreparedPlaintext> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all.iter().position(|kept| {
            (kept.prepared.level, kept.fingerprint) == (level, fingerprint) && kept.values == values
        })?;
        let found = all.remove(place)?;
        let prepared = found.prepared.clone();
        all.push_front(found);
        Some(prepared)
    }

    /// Keeps a factor, and drops the oldest ones beyond `most` bytes.
    fn keep(&self, factor: CachedFactor, most: usize) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_front(factor);
        let mut bytes: usize = all.iter().map(CachedFactor::bytes).sum();
        while bytes > most {
            bytes -= all.pop_back().map_or(bytes, |oldest| oldest.bytes());
        }
    }
}

impl Evaluator {
    /// `a * v`, slot by slot, for integers in the clear, as [`Plaintext::encode`] takes them. The
    /// evaluator keeps prepared plaintexts of the last vectors, up to 128 MiB: a product with the
    /// same integers at the same level takes no transform. Fails as [`Plaintext::encode`] and
    /// [`Evaluator::mul_prepared`] do.
    pub fn mul_integers(&self, a: &Ciphertext, values: &[i64]) -> Result<Ciphertext> {
        let _scope = self.ctx.scope("PtMult");
        self.check(a)?;
        let fingerprint = fingerprint(values);
        if let Some(kept) = self.operand_cache.find(a.level(), values, fingerprint) {
            return self.mul_prepared(a, &kept);
        }
        let prepared = Plaintext::encode(&self.ctx, values, a.level())?.prepare(&self.ctx, a.level())?;
        let made = self.mul_prepared(a, &prepared)?;
        // where there is no memory for a copy, nothing is kept
        if let Ok(values) = collected(values.iter().copied()) {
            self.operand_cache.keep(CachedFactor { values, fingerprint, prepared }, FACTOR_CACHE_BYTES);
        }
        Ok(made)
    }

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
        let made = self.mapped(a, buf, a.polys(), a.position(), noise);
        Ok(made.with_held(a.held().times_plain(p.held, a.slots())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bgv::ParamSpec;

    /// Vectors are found by values and level. The vector that was not used for longest is dropped.
    #[test]
    fn the_vectors_used_last_are_kept() {
        let params = Parameters::new(&ParamSpec::uniform(5, 257, &[50, 50], &[50]).allow_insecure()).unwrap();
        let ctx = Context::new(&params, Arc::new(ringjet_backend::Reference::default()));
        let factor = |values: &[i64], level| {
            let prepared = Plaintext::encode(&ctx, values, level).unwrap().prepare(&ctx, level).unwrap();
            CachedFactor { values: values.to_vec(), fingerprint: fingerprint(values), prepared }
        };
        // 2 primes and t, or one and t, of 32 words; and a word for each value
        let [a, b, c] = [factor(&[1, 2], 1), factor(&[1, 2], 0), factor(&[1, 3], 1)];
        assert_eq!([&a, &b, &c].map(CachedFactor::bytes), [8 * (2 + 96), 8 * (2 + 64), 8 * (2 + 96)]);
        let (most, more) = (a.bytes() + b.bytes(), a.bytes() + c.bytes());
        let cache = FactorCache::default();
        let has = |values: &[i64], level| cache.find(level, values, fingerprint(values)).is_some();
        cache.keep(a, most);
        assert!(has(&[1, 2], 1) && !has(&[1, 2], 0) && !has(&[1], 1) && !has(&[1, 2, 0], 1));
        cache.keep(b, most);
        // the first one is used again, so the second one is dropped
        assert!(has(&[1, 2], 0) && has(&[1, 2], 1));
        cache.keep(c, more);
        assert!(!has(&[1, 2], 0) && has(&[1, 2], 1) && has(&[1, 3], 1));
        // more than fits alone is not kept
        cache.keep(factor(&[4], 1), 100);
        assert!(!has(&[4], 1) && cache.0.lock().unwrap().is_empty());
    }
}
