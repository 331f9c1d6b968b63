//! Generation of switching keys.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_backend::plan::ModUpPlan;
use ringjet_backend::{Buf, Coeff, View};
use zeroize::Zeroizing;

use super::keyset::Encapsulation;
use super::{EvaluationKeys, KeyRequest, SwitchingKey};
use crate::circuits::bootstrap_automorphisms;
use crate::rng::{PublicSeed, Seed, gaussian, sparse_ternary};
use crate::{Context, Error, Result, SecretKey};

impl SecretKey {
    /// Makes the keys of `request`, each for the levels at which it is used. `progress(done, total)` is called after each
    /// key and stops the work when it returns false.
    pub fn evaluation_keys(
        &self,
        ctx: &Context,
        request: &KeyRequest,
        seed: &Seed,
        mut progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<EvaluationKeys> {
        ctx.params().expect_same("secret key", self.params())?;
        let (params, b) = (ctx.params(), ctx.backend());
        let basis = params.extended();
        let s = self.expanded(ctx)?;
        let levels = request.levels(params)?;
        let boot = params.bootstrap().filter(|_| !request.bootstrapping.is_empty());
        let relinearization_level = boot.map_or(params.top_level(), |b| params.max_level() - b.coeffs_to_slots.len());
        let total = levels.len() + usize::from(request.relinearization) + 2 * usize::from(boot.is_some());
        let mut done = 0;
        let mut step = || {
            done += 1;
            if progress(done, total) { Ok(()) } else { Err(Error::Interrupted) }
        };
        let relinearization = if request.relinearization {
            let mut square = ctx.alloc(basis.len())?.into_secret();
            b.mul(square.view_mut(1), s.view(1), s.view(1), basis, false)?;
            let seed = seed.derive(b"ringjet relinearization key", 0);
            let key = switching_key(ctx, square.view(1), s.view(1), &seed, relinearization_level)?;
            step()?;
            Some(key)
        } else {
            None
        };
        let mut galois = BTreeMap::new();
        for (g, level) in levels {
            // The automorphism is applied after the inner product, so the key leads to s(X^(1/g)).
            let inverse = inverse_element(g, 2 * params.n() as u32);
            let mut turned = ctx.alloc(basis.len())?.into_secret();
            b.automorphism(turned.view_mut(1), s.view(1), basis, &params.automorphism(inverse))?;
            let key_seed = seed.derive(b"ringjet galois key", u64::from(g));
            galois.insert(g, switching_key(ctx, s.view(1), turned.view(1), &key_seed, level)?);
            step()?;
        }
        let encapsulation = match boot {
            None => None,
            Some(boot) => {
                let mut coefficients = Zeroizing::new(vec![0i8; params.n()]);
                let weight = boot.secret_weight as usize;
                sparse_ternary(&seed.derive(b"ringjet ephemeral secret", 0), weight, &mut coefficients)
                    .map_err(|e| Error::Parameters(e.to_string()))?;
                let sparse = ctx.small_poly(&coefficients, basis)?;
                let to_sparse = to_sparse(ctx, s.view(1), sparse.view(1), &seed.derive(b"ringjet to sparse key", 0))?;
                step()?;
                let key_seed = seed.derive(b"ringjet to dense key", 0);
                let to_dense = switching_key(ctx, sparse.view(1), s.view(1), &key_seed, params.max_level())?;
                step()?;
                Some(Encapsulation { to_sparse: to_sparse.1, seed: to_sparse.0, to_dense })
            }
        };
        Ok(EvaluationKeys { params: params.clone(), relinearization, galois, encapsulation })
    }
}

impl KeyRequest {
    /// The Galois elements, each with the highest level at which it is used.
    fn levels(&self, params: &crate::Parameters) -> Result<BTreeMap<u32, usize>> {
        let mut levels = BTreeMap::new();
        let mut add = |g: u32, level: usize| {
            if g != 1 {
                let l = levels.entry(g).or_insert(level);
                *l = level.max(*l);
            }
        };
        self.rotations.iter().for_each(|&r| add(params.rotation_element(r), params.top_level()));
        if self.conjugation {
            add(params.conjugation_element(), params.top_level());
        }
        for &log_slots in &self.bootstrapping {
            bootstrap_automorphisms(params, log_slots)?.into_iter().for_each(|(g, level)| add(g, level));
        }
        Ok(levels)
    }
}

/// `g^-1` modulo the power of two `m`, for odd g.
pub(crate) fn inverse_element(g: u32, m: u32) -> u32 {
    // Newton: each step doubles the number of correct bits
    let mut x = g;
    for _ in 0..5 {
        x = x.wrapping_mul(2u32.wrapping_sub(g.wrapping_mul(x)));
    }
    x & (m - 1)
}

/// A key for levels up to `level`; `from` and `to` are over `P ++ Q`.
fn switching_key(ctx: &Context, from: View<'_>, to: View<'_>, seed: &Seed, level: usize) -> Result<SwitchingKey> {
    let params = ctx.params();
    let k = params.p().len();
    let limbs: Vec<usize> = (0..k).chain(params.key_primes(level).iter().map(|i| k + i)).collect();
    let public = seed.derive_public(b"a", 0);
    let plan = params.key_plan(level);
    let buf = hybrid_key(ctx, plan, from.choose(&limbs), to.choose(&limbs), (seed, &public))?;
    Ok(SwitchingKey { params: params.clone(), seed: public, buf: Arc::new(buf), level })
}

/// The key that leads to the ephemeral secret, over one special prime and Q_0.
fn to_sparse(ctx: &Context, from: View<'_>, to: View<'_>, seed: &Seed) -> Result<(PublicSeed, Arc<Buf>)> {
    let params = ctx.params();
    let k = params.p().len();
    let limbs: Vec<usize> = std::iter::once(0).chain(params.primes_of(0).iter().map(|i| k + i)).collect();
    let public = seed.derive_public(b"a", 0);
    let plan = &params.raising()?.mod_up;
    let buf = hybrid_key(ctx, plan, from.choose(&limbs), to.choose(&limbs), (seed, &public))?;
    Ok((public, Arc::new(buf)))
}

/// `(b_d, a_d)` for each digit d of `plan`, over its extended basis: `b_d = -a_d to + e_d + g_d from`.
fn hybrid_key(
    ctx: &Context,
    plan: &ModUpPlan,
    from: View<'_>,
    to: View<'_>,
    (seed, public): (&Seed, &PublicSeed),
) -> Result<Buf> {
    let (b, basis, k) = (ctx.backend(), &plan.extended, plan.special);
    let (limbs, digits) = (basis.len(), plan.beta());
    let mut buf: Buf = ctx.alloc(2 * digits * limbs)?;
    let mut noise = Zeroizing::new(vec![0i8; ctx.params().n()]);
    let mut product = ctx.alloc(limbs)?.into_secret();
    for (d, digit) in plan.digits.iter().enumerate() {
        ctx.expand_into(&mut buf, (2 * d + 1) * limbs, public, d as u32, basis)?;
        gaussian(&seed.derive(b"e", d as u64), &mut noise);
        let e = ctx.small_poly(&noise, basis)?;
        b.mul(product.view_mut(1), buf.view(2 * digits).poly(2 * d + 1), to, basis, false)?;
        b.lincomb(
            buf.view_mut(2 * digits).poly(2 * d),
            &[(Coeff::One, e.view(1)), (Coeff::MinusOne, product.view(1))],
            basis,
            false,
        )?;
        let (start, len) = (digit.start, digit.len);
        b.lincomb(
            buf.view_mut(2 * digits).poly(2 * d).range(k + start, len),
            &[(Coeff::PerLimb(&plan.p_residues[start..start + len]), from.range(k + start, len))],
            &basis.select(k + start..k + start + len),
            true,
        )?;
    }
    Ok(buf)
}

#[cfg(test)]
mod tests {
    #[test]
    fn inverse_elements() {
        for g in (1..2048u32).step_by(2) {
            assert_eq!(super::inverse_element(g, 2048).wrapping_mul(g) & 2047, 1);
        }
    }
}
