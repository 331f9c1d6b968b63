//! Generation of switching keys.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_backend::{Buf, Coeff, View};
use zeroize::Zeroizing;

use super::{EvaluationKeys, KeyRequest, SwitchingKey};
use crate::rng::{Seed, gaussian};
use crate::{Context, Error, Result, SecretKey};

impl SecretKey {
    /// Makes the keys of `request`. `progress(done, total)` is called after each key and stops the work when it
    /// returns false.
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
        let mut elements: Vec<u32> = request.rotations.iter().map(|&r| params.rotation_element(r)).collect();
        if request.conjugation {
            elements.push(params.conjugation_element());
        }
        elements.retain(|&g| g != 1);
        elements.sort_unstable();
        elements.dedup();
        let total = elements.len() + usize::from(request.relinearization);
        let mut done = 0;
        let mut step = || {
            done += 1;
            if progress(done, total) { Ok(()) } else { Err(Error::Interrupted) }
        };
        let relinearization = if request.relinearization {
            let mut square = ctx.alloc(basis.len())?.into_secret();
            b.mul(square.view_mut(1), s.view(1), s.view(1), basis, false)?;
            let key = switching_key(ctx, square.view(1), s.view(1), &seed.derive(b"ringjet relinearization key", 0))?;
            step()?;
            Some(key)
        } else {
            None
        };
        let mut galois = BTreeMap::new();
        for g in elements {
            // The automorphism is applied after the inner product, so the key leads to s(X^(1/g)).
            let inverse = inverse_element(g, 2 * params.n() as u32);
            let mut turned = ctx.alloc(basis.len())?.into_secret();
            b.automorphism(turned.view_mut(1), s.view(1), basis, &params.automorphism(inverse))?;
            let key_seed = seed.derive(b"ringjet galois key", u64::from(g));
            galois.insert(g, switching_key(ctx, s.view(1), turned.view(1), &key_seed)?);
            step()?;
        }
        Ok(EvaluationKeys { params: params.clone(), relinearization, galois })
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

fn switching_key(ctx: &Context, from: View<'_>, to: View<'_>, seed: &Seed) -> Result<SwitchingKey> {
    let (params, b) = (ctx.params(), ctx.backend());
    let basis = params.extended();
    let (limbs, digits, k) = (basis.len(), params.dnum(), params.p().len());
    let public = seed.derive_public(b"a", 0);
    let mut buf: Buf = ctx.alloc(2 * digits * limbs)?;
    let factors = &params.level(params.top_level()).mod_up.p_residues;
    let mut noise = Zeroizing::new(vec![0i8; params.n()]);
    let mut product = ctx.alloc(limbs)?.into_secret();
    for d in 0..digits {
        ctx.expand_into(&mut buf, (2 * d + 1) * limbs, &public, d as u32, basis)?;
        gaussian(&seed.derive(b"e", d as u64), &mut noise);
        let e = ctx.small_poly(&noise, basis)?;
        b.mul(product.view_mut(1), buf.view(2 * digits).poly(2 * d + 1), to, basis, false)?;
        b.lincomb(
            buf.view_mut(2 * digits).poly(2 * d),
            &[(Coeff::One, e.view(1)), (Coeff::MinusOne, product.view(1))],
            basis,
            false,
        )?;
        let start = d * params.alpha();
        let len = params.alpha().min(params.q().len() - start);
        b.lincomb(
            buf.view_mut(2 * digits).poly(2 * d).range(k + start, len),
            &[(Coeff::PerLimb(&factors[start..start + len]), from.range(k + start, len))],
            &basis.select(k + start..k + start + len),
            true,
        )?;
    }
    Ok(SwitchingKey { params: params.clone(), seed: public, buf: Arc::new(buf), digits })
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
