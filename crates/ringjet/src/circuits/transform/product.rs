//! Products of prepared transforms with ciphertexts by double hoisting (Bossuat et al., ePrint
//! 2020/1203), which delays the divisions by P.

use std::ops::Range;

use ringjet_backend::{Buf, Coeff, Integers, RotateFactor, RotateSum, RotateTerm, Rotation, repeat};
use ringjet_math::Basis;

use super::diagonals::{Diagonal, DiagonalForm, Kept, Parts, factors};
use super::encoded::EncodedTransform;
use crate::ckks::{Position, Switch};
use crate::rlwe::keyswitch::{EXPANDED_AT_ONCE, hoist};
use crate::{Ciphertext, Context, Error, Evaluator, Result};

impl EncodedTransform {
    /// Double hoisting: the computation stays over `P ++ Q_l` until the end. Of a giant step's sum,
    /// only the second polynomial is divided by P, because key switching decomposes it.
    pub(crate) fn double(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let (ctx, params, level) = (eval.context(), eval.context().params(), self.level);
        let (b, plans, groups) = (ctx.backend(), params.level(level), self.groups.len());
        let (basis, limbs) = (&plans.extended, plans.extended.len());
        let division = plans.mod_down_rescale.as_ref();
        let division = division.ok_or(Error::levels_exhausted("linear transform", 1, 0))?;
        let sums = self.inner_sums(eval, x)?;
        let mut total = ctx.alloc(2 * limbs)?;
        let mut started = false;
        let mut low = ctx.alloc(plans.basis.len())?;
        for (g, &outer) in self.groups.keys().enumerate() {
            let pair = sums.view(2 * groups).slice(2 * g, 2);
            if outer == 0 {
                b.lincomb(total.view_mut(2), &[(Coeff::One, pair)], basis, started)?;
            } else {
                let (key, automorphism) = eval.switch(x, outer)?;
                b.divide_round(low.view_mut(1), pair.poly(1), &plans.mod_down, None)?;
                let rotation =
                    Rotation { mod_up: &plans.mod_up, key: key.view(), automorphism: &automorphism, add: pair.poly(0) };
                b.rotate_into(total.view_mut(2), low.view(1), &rotation, started)?;
            }
            started = true;
        }
        let mut buf = ctx.alloc(2 * division.dst.len())?;
        b.divide_round(buf.view_mut(2), total.view(2), division, None)?;
        let noise = self.rescaled_noise(params, x.noise());
        Ok(eval.result_like(x, buf, 2, Position { level: level - 1, scale: self.to }, noise))
    }

    /// The sum of each giant step over `P ++ Q_l`, a pair of polynomials. All rotations are one call,
    /// unless diagonals are kept as coefficients: see [`Parts`]. Where keys have to be expanded, a call
    /// has at most [`EXPANDED_AT_ONCE`] of them.
    pub(crate) fn inner_sums(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Buf> {
        let (ctx, params) = (eval.context(), eval.context().params());
        let (b, plans, k) = (ctx.backend(), params.level(self.level), params.p().len());
        let (limbs, beta, groups) = (plans.extended.len(), plans.mod_up.beta(), self.groups.len());

        // P * x: terms that are not rotated need the factor P, which keys multiply by
        let mut lifted = ctx.alloc(2 * limbs)?;
        b.lincomb(lifted.view_mut(2).prefix(k), &[], params.p(), false)?;
        let terms = [(Coeff::PerLimb(&plans.mod_up.p_residues), x.view())];
        b.lincomb(lifted.view_mut(2).range(k, limbs - k), &terms, &plans.basis, false)?;

        let babies = self.babies();
        let needs_digits = babies.iter().any(|&i| i != 0);
        let digits = if needs_digits { hoist(ctx, x.view().poly(1), self.level)? } else { ctx.alloc(beta * limbs)? };
        let mut sums = ctx.alloc(2 * groups * limbs)?;
        let (parts, mut done) = (self.parts(ctx, &babies, limbs), 0);
        while done < babies.len() {
            let switches = switches(eval, x, &babies[done..parts.end(done)])?;
            let some = &babies[done..done + switches.len()];
            if let Some(meter) = b.meter() {
                // parts of a key are used at a time, and its level is that of all parts
                let used = switches.iter().flatten();
                used.for_each(|(_, automorphism)| meter.uses_key(automorphism.galois, limbs));
            }
            for part in &parts.limbs {
                let (from, len) = (part.start, part.len());
                let basis = plans.extended.select(part.clone());
                let made = self.made(ctx, some, &basis)?;
                let factors = self.factors(some, part, made.as_ref());
                let terms = switches.iter().zip(&factors);
                let terms: Vec<_> = terms.map(|(s, factors)| rotate_term(s.as_ref(), factors, part)).collect();
                let (digits, add) = (digits.view(beta).range(from, len), lifted.view(2).range(from, len));
                let sum = RotateSum { digits, add, terms: &terms };
                b.hoisted_rotate_sum(sums.view_mut(2 * groups).range(from, len), &sum, &basis, done > 0)?;
            }
            done += switches.len();
        }
        Ok(sums)
    }

    /// The parts of a product in which factors are made.
    fn parts(&self, ctx: &Context, babies: &[i64], limbs: usize) -> Parts {
        if self.form == DiagonalForm::Encoded {
            return Parts::whole(babies.len(), limbs);
        }
        let n = ctx.params().n();
        let counts: Vec<usize> = babies.iter().map(|&baby| self.of_baby(baby).count()).collect();
        let len = self.coefficients(babies).first().map_or(n, Integers::len);
        Parts::new(&counts, self.made_at_once, [limbs, 8 * repeat::words(n, n / len), ctx.backend().host_threads()])
    }

    /// The diagonals of a baby step, in the order of giant steps.
    fn of_baby(&self, baby: i64) -> impl Iterator<Item = &Diagonal> {
        self.groups.values().flatten().filter(move |d| d.baby == baby)
    }

    /// The coefficients of the diagonals of these baby steps, if they are kept.
    fn coefficients(&self, babies: &[i64]) -> Vec<Integers<'_>> {
        let all = babies.iter().flat_map(|&baby| self.of_baby(baby));
        all.filter_map(|d| d.kept.coefficients()).collect()
    }

    /// Factors made of [`EncodedTransform::coefficients`]; `None` where diagonals are kept encoded.
    fn made(&self, ctx: &Context, babies: &[i64], basis: &Basis) -> Result<Option<Buf>> {
        let all = self.coefficients(babies);
        if all.is_empty() { Ok(None) } else { factors(ctx, &all, basis).map(Some) }
    }

    /// The diagonals by which the rotations by `babies` are multiplied, for each rotation one for each
    /// giant step's sum, in some limbs. `made` has the polynomials of [`EncodedTransform::made`].
    fn factors<'a>(
        &'a self,
        babies: &[i64],
        limbs: &Range<usize>,
        made: Option<&'a Buf>,
    ) -> Vec<Vec<RotateFactor<'a>>> {
        let mut made = made.into_iter().flat_map(|buf| {
            let polys = buf.limbs() / limbs.len();
            (0..polys).map(move |p| buf.view(polys).poly(p))
        });
        let mut factor = |d: &'a Diagonal| match &d.kept {
            Kept::Encoded(buf) => RotateFactor::Poly(buf.view(1).range(limbs.start, limbs.len())),
            Kept::Coefficients(..) => made.next().map_or(RotateFactor::None, RotateFactor::Poly),
        };
        let mut rows = Vec::with_capacity(babies.len());
        for &baby in babies {
            let of = |group: &'a Vec<Diagonal>| group.iter().find(|d| d.baby == baby);
            rows.push(self.groups.values().map(|g| of(g).map_or(RotateFactor::None, &mut factor)).collect());
        }
        rows
    }
}

/// The keys of rotations by the first of `steps`, as many as are expanded at once.
fn switches<'a>(eval: &'a Evaluator, x: &Ciphertext, steps: &[i64]) -> Result<Vec<Option<Switch<'a>>>> {
    let (mut switches, mut expanded) = (Vec::new(), 0);
    for &i in steps {
        if expanded == EXPANDED_AT_ONCE {
            break;
        }
        let switch = (i != 0).then(|| eval.switch(x, i)).transpose()?;
        expanded += usize::from(switch.as_ref().is_some_and(|(key, _)| key.is_expanded()));
        switches.push(switch);
    }
    Ok(switches)
}

/// A term of a sum of rotations in some limbs. Without a switch the term is not rotated.
fn rotate_term<'a>(
    switch: Option<&'a Switch<'_>>,
    factors: &'a [RotateFactor<'a>],
    limbs: &Range<usize>,
) -> RotateTerm<'a> {
    let key = switch.map(|s| s.0.view().range(limbs.start, limbs.len()));
    RotateTerm { key, automorphism: switch.map(|s| &*s.1), factors }
}
