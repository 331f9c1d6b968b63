//! Transposition of encrypted matrices.
//!
//! The automorphisms `X -> X^g` with g = 1 modulo 2N/d fix `Z = X^d`; there are d of them, all rotations by
//! multiples of N/(2d) slots. Of the rows m_i take `P_k = sum over i of X^(k i) m_i` for these k, which are the
//! values of a polynomial with the coefficients m_i at the zeros `X^k` of `y^d - X^d`. The automorphism with
//! g = 1/k turns it into `sum over i, j of X^i X^(g j) M_ij(Z)`: the values at `X^g` of the polynomial whose
//! coefficients are the transposed rows. Both transforms are radix-2 trees as those of a negacyclic transform,
//! with powers of X as roots of unity. The inverse of d multiplies the rows first: modulo q that is exact, and
//! the errors of the key switches are not divided by d.

use std::collections::HashMap;

use ringjet_backend::{Buf, Coeff, View};
use ringjet_math::Basis;
use ringjet_math::embed::Coefficients;

use super::sum_into;
use crate::Result;
use crate::ckks::Evaluator;
use crate::rlwe::SchemeParameters;
use crate::rlwe::keyswitch::{SwitchTail, apply};

impl Evaluator {
    /// The transposed rows, of two polynomials each at `level`.
    pub(super) fn transposed(&self, rows: &[View<'_>], level: usize) -> Result<Vec<Buf>> {
        let (ctx, basis) = (self.context(), &self.context().params().level(level).basis);
        let inverse = basis.primes().iter().map(|p| p.modulus()).map(|m| m.inv(m.reduce(rows.len() as u64)));
        let inverse: Vec<u64> = inverse.map(|x| x.unwrap_or(1)).collect();
        let mut values = Vec::with_capacity(rows.len());
        for &row in rows {
            let mut buf = ctx.alloc(2 * basis.len())?;
            ctx.backend().lincomb(buf.view_mut(2), &[(Coeff::PerLimb(&inverse), row)], basis, false)?;
            values.push(buf);
        }
        let mut tree = Tree { eval: self, basis, level, spare: ctx.alloc(2 * basis.len())? };
        tree.evaluate(&mut values)?;
        let mut moved = self.moved_values(values, level)?;
        tree.interpolate(&mut moved)?;
        Ok(moved)
    }

    /// Applies to the value for k the automorphism with g = 1/k and puts it in the place of g.
    fn moved_values(&self, values: Vec<Buf>, level: usize) -> Result<Vec<Buf>> {
        let (ctx, params, count) = (self.context(), self.context().params(), values.len());
        let (plans, ring) = (params.level(level), params.ring());
        let step = ring.max_slots() / count;
        let steps: HashMap<u32, i64> =
            (0..count).map(|k| (k * step) as i64).map(|steps| (ring.rotation_element(steps), steps)).collect();
        let exponents = nodes(count, count, ring.n());
        let places: HashMap<usize, usize> = exponents.iter().enumerate().map(|(place, &k)| (k, place)).collect();
        let mut made: Vec<Option<Buf>> = values.iter().map(|_| None).collect();
        for (value, &k) in values.into_iter().zip(&exponents) {
            let galois = inverse(k, 2 * ring.n());
            let turned = if galois == 1 {
                value
            } else {
                let key = self.keys().rotation(steps[&(galois as u32)])?;
                let automorphism = params.automorphism(galois as u32);
                let add = value.view(2).poly(0);
                let finish = SwitchTail { add, division: &plans.mod_down, automorphism: Some(&automorphism) };
                let mut buf = ctx.alloc(2 * plans.basis.len())?;
                apply(ctx, buf.view_mut(2), &plans.mod_up, value.view(2).poly(1), level, key, finish)?;
                buf
            };
            made[places[&galois]] = Some(turned);
        }
        Ok(made.into_iter().flatten().collect())
    }
}

/// The inverse of an odd number modulo a power of two.
fn inverse(k: usize, modulus: usize) -> usize {
    let double = |x: usize| x.wrapping_mul(2usize.wrapping_sub(k.wrapping_mul(x)));
    // k is its own inverse modulo 8, and each step doubles the number of bits
    (0..5).fold(k, |x, _| double(x)) % modulus
}

/// The exponents e of the `width` nodes of a level of the tree, which stand for the zeros of `y^m - X^e`. The
/// children of a node stand for `X^(e/2)` and `-X^(e/2)`.
fn nodes(count: usize, width: usize, n: usize) -> Vec<usize> {
    let mut level = vec![count];
    while level.len() < width {
        level = level.into_iter().flat_map(|e| [e / 2, e / 2 + n]).collect();
    }
    level
}

/// Transforms of ciphertexts between coefficients and values at powers of X.
struct Tree<'a> {
    eval: &'a Evaluator,
    basis: &'a Basis,
    level: usize,
    spare: Buf,
}

impl Tree<'_> {
    /// Replaces coefficients by values.
    fn evaluate(&mut self, x: &mut [Buf]) -> Result<()> {
        let (n, count) = (self.basis.n(), x.len());
        let mut half = count / 2;
        while half > 0 {
            let nodes = nodes(count, count / half / 2, n);
            for (block, e) in x.chunks_exact_mut(2 * half).zip(nodes) {
                let (lo, hi) = block.split_at_mut(half);
                let root = self.power(e / 2)?;
                for (lo, hi) in lo.iter_mut().zip(hi) {
                    self.times(hi.view(2), &root)?;
                    sum_into(self.eval, hi.view_mut(2), lo.view(2), self.spare.view(2), true, self.level)?;
                    let term = [(Coeff::One, self.spare.view(2))];
                    self.eval.context().backend().lincomb(lo.view_mut(2), &term, self.basis, true)?;
                }
            }
            half /= 2;
        }
        Ok(())
    }

    /// Replaces values by their number times the coefficients.
    fn interpolate(&mut self, x: &mut [Buf]) -> Result<()> {
        let (n, count) = (self.basis.n(), x.len());
        let mut half = 1;
        while half < count {
            let nodes = nodes(count, count / half / 2, n);
            for (block, e) in x.chunks_exact_mut(2 * half).zip(nodes) {
                let (lo, hi) = block.split_at_mut(half);
                let root = self.power(2 * n - e / 2)?;
                for (lo, hi) in lo.iter_mut().zip(hi) {
                    sum_into(self.eval, self.spare.view_mut(2), lo.view(2), hi.view(2), true, self.level)?;
                    let term = [(Coeff::One, hi.view(2))];
                    self.eval.context().backend().lincomb(lo.view_mut(2), &term, self.basis, true)?;
                    let difference = self.spare.view(2);
                    self.eval.context().backend().mul(hi.view_mut(2), difference, root.view(1), self.basis, false)?;
                }
            }
            half *= 2;
        }
        Ok(())
    }

    /// `spare = x * root`.
    fn times(&mut self, x: View<'_>, root: &Buf) -> Result<()> {
        Ok(self.eval.context().backend().mul(self.spare.view_mut(2), x, root.view(1), self.basis, false)?)
    }

    /// `X^e` in the evaluation domain.
    fn power(&self, e: usize) -> Result<Buf> {
        let (ctx, n) = (self.eval.context(), self.basis.n());
        if !ctx.backend().computes() {
            return ctx.uncomputed_poly(self.basis);
        }
        let mut coefficients = vec![0; n];
        coefficients[e % n] = if (e / n).is_multiple_of(2) { 1 } else { -1 };
        ctx.integer_poly(&Coefficients::I64(coefficients), self.basis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_the_automorphisms_that_fix_matrices() {
        for (n, d) in [(16, 2), (64, 8), (64, 32), (8192, 64)] {
            let mut leaves = nodes(d, d, n);
            assert!(leaves.iter().all(|&k| (inverse(k, 2 * n) * k) % (2 * n) == 1));
            leaves.sort_unstable();
            assert_eq!(leaves, (0..d).map(|k| 1 + 2 * n / d * k).collect::<Vec<_>>());
        }
    }
}
