//! Products of prepared transforms with ciphertexts, by single hoisting (Halevi and Shoup, ePrint
//! 2018/244) or by double hoisting (Bossuat et al., ePrint 2020/1203), which delays the divisions by P.

use std::ops::Range;

use ringjet_backend::{Buf, Coeff, Integers, RotateFactor, RotateSum, RotateTerm, Rotation, repeat};
use ringjet_math::Basis;

use super::diagonals::{Diagonal, Kept, Parts, factors};
use super::encoded::EncodedTransform;
use super::hoisting::Hoisting;
use crate::ckks::{Position, Switch};
use crate::rlwe::keyswitch::{EXPANDED_AT_ONCE, KeyMemory, hoist};
use crate::{Ciphertext, Context, Error, Evaluator, Result};

/// Some baby steps and some limbs of a product.
struct Part<'a> {
    /// The places of the baby steps among all.
    babies: Range<usize>,
    limbs: Range<usize>,
    /// The primes of the limbs.
    basis: Basis,
    /// The factors of each baby step, one for each giant step.
    factors: Vec<Vec<RotateFactor<'a>>>,
}

impl EncodedTransform {
    /// The product with a ciphertext at the transform's level.
    pub(super) fn product(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        match self.hoisting {
            Hoisting::Single => self.single(eval, x),
            Hoisting::Double => self.double(eval, x),
        }
    }

    /// Single hoisting: rotations by baby steps are divided by P, and products are over Q_l. Of giant
    /// steps all but the last division stays over `P ++ Q_l`.
    fn single(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let (ctx, params, level) = (eval.context(), eval.context().params(), self.level);
        let (b, plans, groups, k) = (ctx.backend(), params.level(level), self.groups.len(), params.p().len());
        let (limbs, own) = (plans.extended.len(), plans.basis.len());
        let division = plans.mod_down_rescale.as_ref();
        let division = division.ok_or(Error::levels_exhausted("linear transform", 1, 0))?;
        let babies = self.babies();
        let mut pairs = ctx.alloc(2 * babies.len() * own)?;
        for (i, rotated) in eval.rotate_hoisted(x, &babies)?.into_iter().enumerate() {
            b.copy(pairs.view_mut(2 * babies.len()).slice(2 * i, 2), rotated.view())?;
        }
        let pairs = pairs.view(2 * babies.len());
        let mut sums = ctx.alloc(2 * groups * own)?;
        self.each_part(ctx, (&babies, babies.len()), &plans.basis, |part| {
            let terms = part.factors.iter().map(|factors| RotateTerm { key: None, automorphism: None, factors });
            let (from, len) = (part.limbs.start, part.limbs.len());
            let add = pairs.slice(2 * part.babies.start, 2 * part.babies.len()).range(from, len);
            let sum = RotateSum { digits: add.slice(0, 1), add, terms: &terms.collect::<Vec<_>>() };
            let sums = sums.view_mut(2 * groups).range(from, len);
            Ok(b.hoisted_rotate_sum(sums, &sum, &part.basis, part.babies.start > 0)?)
        })?;
        let (mut total, mut lifted) = (ctx.alloc(2 * limbs)?, ctx.alloc(limbs)?);
        b.lincomb(total.view_mut(2).prefix(k), &[], params.p(), false)?;
        b.lincomb(lifted.view_mut(1).prefix(k), &[], params.p(), false)?;
        let times_p = Coeff::PerLimb(&plans.mod_up.p_residues);
        for (g, &outer) in self.groups.keys().enumerate() {
            let pair = sums.view(2 * groups).slice(2 * g, 2);
            if outer == 0 {
                // the smallest outer rotation, so that nothing is there yet
                b.lincomb(total.view_mut(2).range(k, own), &[(times_p, pair)], &plans.basis, false)?;
            } else {
                let (key, automorphism) = eval.switch(x, outer)?;
                b.lincomb(lifted.view_mut(1).range(k, own), &[(times_p, pair.poly(0))], &plans.basis, false)?;
                let (mod_up, add) = (&plans.mod_up, lifted.view(1));
                let rotation = Rotation { mod_up, key: key.view(), automorphism: &automorphism, add };
                b.rotate_into(total.view_mut(2), pair.poly(1), &rotation, g > 0)?;
            }
        }
        let mut buf = ctx.alloc(2 * division.dst.len())?;
        b.divide_round(buf.view_mut(2), total.view(2), division, None)?;
        let noise = self.rescaled_noise(params, x.noise());
        Ok(eval.result_like(x, buf, 2, Position { level: level - 1, scale: self.to }, noise))
    }

    /// Double hoisting: the computation stays over `P ++ Q_l` until the end. Of a giant step's sum,
    /// only the second polynomial is divided by P, because key switching decomposes it.
    fn double(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let (ctx, params, level) = (eval.context(), eval.context().params(), self.level);
        let division = params.level(level).mod_down_rescale.as_ref();
        let division = division.ok_or(Error::levels_exhausted("linear transform", 1, 0))?;
        let sums = self.inner_sums(eval, x)?;
        let total = match self.chain {
            None => self.giant_steps(eval, x, &sums)?,
            Some(step) => self.chained_giant_steps(eval, x, &sums, step)?,
        };
        let mut buf = ctx.alloc(2 * division.dst.len())?;
        ctx.backend().divide_round(buf.view_mut(2), total.view(2), division, None)?;
        let noise = self.rescaled_noise(params, x.noise());
        Ok(eval.result_like(x, buf, 2, Position { level: level - 1, scale: self.to }, noise))
    }

    /// The sum of all giant steps, each rotated by its own key.
    fn giant_steps(&self, eval: &Evaluator, x: &Ciphertext, sums: &Buf) -> Result<Buf> {
        let (ctx, plans, groups) = (eval.context(), eval.context().params().level(self.level), self.groups.len());
        let (b, basis) = (ctx.backend(), &plans.extended);
        let mut total = ctx.alloc(2 * basis.len())?;
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
        Ok(total)
    }

    /// The sum of all giant steps, which are multiples of `step` from 0 on, by Horner's rule: the sum of the
    /// outermost one is rotated by `step`, added to that of the next one, and so on.
    fn chained_giant_steps(&self, eval: &Evaluator, x: &Ciphertext, sums: &Buf, step: i64) -> Result<Buf> {
        let (ctx, plans, groups) = (eval.context(), eval.context().params().level(self.level), self.groups.len());
        let (b, basis) = (ctx.backend(), &plans.extended);
        let (mut total, mut next) = (ctx.alloc(2 * basis.len())?, ctx.alloc(2 * basis.len())?);
        let mut low = ctx.alloc(plans.basis.len())?;
        let mut known = self.groups.keys().enumerate().rev().peekable();
        let outermost = known.peek().map_or(0, |(_, outer)| **outer);
        let switch = if outermost > 0 { Some(eval.switch(x, step)?) } else { None };
        for outer in (0..=outermost / step).rev().map(|i| i * step) {
            let own = known.next_if(|(_, known)| **known == outer);
            if let Some((g, _)) = own {
                b.lincomb(next.view_mut(2), &[(Coeff::One, sums.view(2 * groups).slice(2 * g, 2))], basis, false)?;
            }
            if let Some((key, automorphism)) = switch.as_ref().filter(|_| outer < outermost) {
                b.divide_round(low.view_mut(1), total.view(2).poly(1), &plans.mod_down, None)?;
                let (mod_up, add) = (&plans.mod_up, total.view(2).poly(0));
                let rotation = Rotation { mod_up, key: key.view(), automorphism, add };
                b.rotate_into(next.view_mut(2), low.view(1), &rotation, own.is_some())?;
            }
            std::mem::swap(&mut total, &mut next);
        }
        Ok(total)
    }

    /// The sum of each giant step over `P ++ Q_l`, a pair of polynomials. All rotations are one call,
    /// unless diagonals are kept as coefficients: see [`Parts`]. Where keys have to be expanded, a call
    /// has at most [`EXPANDED_AT_ONCE`] rotations.
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
        let kept = eval.keys().keys().all(|(_, key)| key.memory() == KeyMemory::Expanded);
        let at_once = if kept { babies.len() } else { EXPANDED_AT_ONCE };
        let mut switches = Vec::new();
        self.each_part(ctx, (&babies, at_once), &plans.extended, |part| {
            if part.limbs.start == 0 {
                let switch = |&i: &i64| (i != 0).then(|| eval.switch(x, i)).transpose();
                switches.clear(); // before others are expanded
                switches = babies[part.babies.clone()].iter().map(switch).collect::<Result<_>>()?;
                if let Some(meter) = b.meter() {
                    // parts of a key are used at a time, and its level is that of all parts
                    let used = switches.iter().flatten();
                    used.for_each(|(_, automorphism)| meter.uses_key(automorphism.galois, limbs));
                }
            }
            let (from, len) = (part.limbs.start, part.limbs.len());
            let terms = switches.iter().zip(&part.factors);
            let terms = terms.map(|(switch, factors): (&Option<Switch<'_>>, _)| RotateTerm {
                key: switch.as_ref().map(|s| s.0.view().range(from, len)),
                automorphism: switch.as_ref().map(|s| &*s.1),
                factors,
            });
            let (digits, add) = (digits.view(beta).range(from, len), lifted.view(2).range(from, len));
            let sum = RotateSum { digits, add, terms: &terms.collect::<Vec<_>>() };
            let sums = sums.view_mut(2 * groups).range(from, len);
            Ok(b.hoisted_rotate_sum(sums, &sum, &part.basis, part.babies.start > 0)?)
        })?;
        Ok(sums)
    }

    /// Calls `work` for all parts of a product over `basis` with these baby steps, at most `at_once` at a
    /// time: for the limbs of some baby steps, then for those of the next ones.
    fn each_part(
        &self,
        ctx: &Context,
        (babies, at_once): (&[i64], usize),
        basis: &Basis,
        mut work: impl FnMut(&Part<'_>) -> Result<()>,
    ) -> Result<()> {
        let (n, threads) = (ctx.params().n(), ctx.backend().host_threads());
        let counts: Vec<usize> = babies.iter().map(|&baby| self.of_baby(baby).count()).collect();
        let bytes = self.coefficients(babies).first().map_or(0, |c| 8 * repeat::words(n, n / c.len()));
        let parts = Parts::new(&counts, at_once, self.made_at_once, [basis.len(), bytes, threads]);
        for range in parts.babies {
            for limbs in &parts.limbs {
                let basis = basis.select(limbs.clone());
                let made = self.made(ctx, &babies[range.clone()], &basis)?;
                let factors = self.factors(&babies[range.clone()], limbs, made.as_ref());
                work(&Part { babies: range.clone(), limbs: limbs.clone(), basis, factors })?;
            }
        }
        Ok(())
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
