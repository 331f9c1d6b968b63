//! Linear transforms of the slots, by diagonals, baby steps and giant steps.
//!
//! `out_j = sum over k of M[j][(j + k) mod n] x[(j + k) mod n]`: diagonal k multiplies the input rotated by k. With
//! `k = g b + i` the g inner rotations are hoisted, and each outer sum is rotated once (Algorithm PtMatVecMult of de
//! Castro et al. in its baby-step giant-step form).

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_backend::plan::AutomorphismPlan;
use ringjet_backend::{
    Buf, Coeff, REPEATED_WORDS, RotateFactor, RotateSum, RotateTerm, Rotation, most_repeats, repeats,
};
use ringjet_math::fft::Complex64;

use super::steps::{BabySteps, Split, folded, rotations};
use crate::ckks::{encode_extended, noise};
use crate::noise::Added;
use crate::rlwe::keyswitch::{KeyAt, hoist};
use crate::{Ciphertext, Context, Error, Evaluator, Noise, Range, Result, Scale};

/// A square matrix acting on the slots, as its non-zero diagonals.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearTransform {
    slots: usize,
    diagonals: BTreeMap<usize, Vec<Complex64>>,
    split: Split,
    /// Whether diagonals k and k - slots are two.
    signed: bool,
    compressed: bool,
    /// Whether values within a bound stay within it, whatever the rows say.
    keeps: bool,
}

impl LinearTransform {
    /// From diagonals: `diagonals[k][j] = M[j][(j + k) mod slots]`. `slots` is a power of two.
    pub fn from_diagonals(slots: usize, diagonals: BTreeMap<usize, Vec<Complex64>>) -> Result<Self> {
        if !slots.is_power_of_two() {
            let expected = "a power of two".to_string();
            return Err(Error::Argument { name: "slots", value: slots.to_string(), expected });
        }
        for (&k, d) in &diagonals {
            if d.len() != slots || k >= slots {
                return Err(Error::SlotCount { found: d.len().max(k), slots, max: slots });
            }
            if let Some(index) = d.iter().position(|z| !(z.re.is_finite() && z.im.is_finite())) {
                return Err(Error::NotFinite { index, value: d[index].re });
            }
        }
        let t = Self { slots, diagonals, split: Split::Modulo(1), signed: false, compressed: true, keeps: false };
        Ok(t.with_rule(BabySteps::Cheapest))
    }

    /// From a dense matrix in row-major order, `slots x slots`; zero diagonals are left out.
    pub fn from_matrix(slots: usize, matrix: &[Complex64]) -> Result<Self> {
        if matrix.len() != slots * slots {
            return Err(Error::SlotCount { found: matrix.len(), slots: slots * slots, max: slots * slots });
        }
        let diagonal = |k: usize| (0..slots).map(|j| matrix[j * slots + (j + k) % slots]).collect::<Vec<_>>();
        let zero = |d: &Vec<Complex64>| d.iter().all(|z| z.re == 0.0 && z.im == 0.0);
        let diagonals = (0..slots).map(|k| (k, diagonal(k))).filter(|(_, d)| !zero(d)).collect();
        Self::from_diagonals(slots, diagonals)
    }

    /// Diagonals that are not zero, as [`Self::from_diagonals`] takes them.
    pub fn diagonals(&self) -> &BTreeMap<usize, Vec<Complex64>> {
        &self.diagonals
    }

    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// With `baby` inner rotations, a power of two, instead of the number that costs least: as many as there are slots
    /// make a single step of it, without outer rotations (Algorithm 8 of de Castro et al.).
    pub fn with_baby_steps(mut self, baby: usize) -> Result<Self> {
        if !baby.is_power_of_two() || baby > self.slots {
            let expected = format!("a power of two up to {}", self.slots);
            return Err(Error::Argument { name: "baby", value: baby.to_string(), expected });
        }
        (self.split, self.signed) = (Split::Modulo(baby), false);
        Ok(self)
    }

    /// With the inner rotations that a rule gives.
    pub fn with_rule(mut self, rule: BabySteps) -> Self {
        self.signed = rule.signed();
        self.split = Split::new(rule, &self.places(), self.slots);
        self
    }

    /// The parts of diagonal `k` that are diagonals of their own: itself, or what lies to both sides of the main diagonal.
    fn sides(&self, k: usize) -> impl Iterator<Item = (i64, std::ops::Range<usize>)> {
        let (n, zero) = (self.slots, |z: &Complex64| z.re == 0.0 && z.im == 0.0);
        let values = &self.diagonals[&k];
        let all = if self.signed {
            vec![(k as i64, 0..n - k), (k as i64 - n as i64, n - k..n)]
        } else {
            vec![(k as i64, 0..n)]
        };
        let signed = self.signed;
        all.into_iter().filter(move |(_, range)| !signed || !values[range.clone()].iter().all(zero))
    }

    /// All diagonals.
    fn places(&self) -> Vec<i64> {
        let mut all: Vec<i64> = self.diagonals.keys().flat_map(|&k| self.sides(k).map(|s| s.0)).collect();
        all.sort_unstable();
        all
    }

    /// Whether diagonals whose words repeat are kept without the repetitions. For measurement.
    pub fn compressed(mut self, compressed: bool) -> Self {
        self.compressed = compressed;
        self
    }

    /// For values whose bound the caller knows to hold after the transform, too: coefficients of a message that become slots, or
    /// the other way round.
    pub(crate) fn keeping_magnitudes(mut self) -> Self {
        self.keeps = true;
        self
    }

    /// What rows do to values and errors.
    fn rows(&self) -> Rows {
        let (mut norms, mut squares) = (vec![0.0; self.slots], vec![0.0; self.slots]);
        for d in self.diagonals.values() {
            for ((z, norm), square) in d.iter().zip(&mut norms).zip(&mut squares) {
                *norm += z.abs();
                *square += z.re * z.re + z.im * z.im;
            }
        }
        let most = |all: Vec<f64>| all.into_iter().fold(0.0, f64::max);
        let real = self.diagonals.values().flatten().all(|z| z.im == 0.0);
        Rows { norm: most(norms), squares: most(squares), real, keeps: self.keeps }
    }

    /// The rotations whose keys [`EncodedTransform::apply`] needs.
    pub fn rotations(&self) -> Vec<i64> {
        rotations(&self.places(), self.split)
    }

    /// The transform of a vector in the clear.
    pub fn eval(&self, x: &[Complex64]) -> Vec<Complex64> {
        let mut out = vec![Complex64 { re: 0.0, im: 0.0 }; self.slots];
        for (k, d) in &self.diagonals {
            for (j, o) in out.iter_mut().enumerate() {
                let z = x[(j + k) % self.slots];
                o.re += d[j].re * z.re - d[j].im * z.im;
                o.im += d[j].re * z.im + d[j].im * z.re;
            }
        }
        out
    }

    /// Encodes the diagonals for ciphertexts at `level` (at least 1) and their scale.
    pub fn encode(&self, ctx: &Context, level: usize) -> Result<EncodedTransform> {
        let params = ctx.params();
        let scale = |level: usize| params.scale(level.min(params.max_level()));
        self.encode_between(ctx, level, scale(level), scale(level.saturating_sub(1)))
    }

    /// Encodes the diagonals for ciphertexts at `level` and the scale `from`, so that the result has the scale `to`.
    pub(crate) fn encode_between(
        &self,
        ctx: &Context,
        level: usize,
        from: Scale,
        to: Scale,
    ) -> Result<EncodedTransform> {
        let params = ctx.params();
        if level == 0 {
            return Err(Error::levels_exhausted("linear transform", 1, 0));
        }
        if level > params.max_level() {
            return Err(Error::NoSuchLevel { level, top: params.max_level() });
        }
        if self.slots > params.max_slots() {
            return Err(Error::SlotCount { found: self.slots, slots: self.slots, max: params.max_slots() });
        }
        let scale = to * params.ratio(level) / from;
        let log_slots = self.slots.trailing_zeros();
        let mut groups: BTreeMap<i64, Vec<Diagonal>> = BTreeMap::new();
        let sides = self.diagonals.iter().flat_map(|(&k, d)| self.sides(k).map(move |(k, range)| (k, range, d)));
        for (k, range, d) in sides {
            let (baby, outer) = self.split.of(k);
            // rotated back, because the giant step rotates the sum forward
            let value = |j: usize| if range.contains(&j) { d[j] } else { Complex64 { re: 0.0, im: 0.0 } };
            let back = |j: usize| (j as i64 - outer).rem_euclid(self.slots as i64) as usize;
            let turned: Vec<Complex64> = (0..self.slots).map(|j| value(back(j))).collect();
            let poly = match ctx.backend().computes() {
                false if self.compressed => uncomputed(ctx, level, period(&turned))?,
                false => uncomputed(ctx, level, self.slots)?,
                true => {
                    let poly = encode_extended(ctx, &turned, level, scale, log_slots)?;
                    if self.compressed { compress(ctx, poly)? } else { poly }
                }
            };
            groups.entry(outer).or_default().push(Diagonal { baby, poly });
        }
        Ok(EncodedTransform { groups, level, scale, from, to, slots: self.slots, rows: self.rows() })
    }
}

/// The shortest period of `values`, a power of two.
fn period(values: &[Complex64]) -> usize {
    let has = |p: &usize| values[*p..].iter().zip(values).all(|(a, b)| a == b);
    (0..values.len().trailing_zeros()).map(|log| 1 << log).find(has).unwrap_or(values.len())
}

/// An encoded diagonal that is never there: one of period `period` has the values of a polynomial in a power of X, of which
/// there are twice as many.
fn uncomputed(ctx: &Context, level: usize, period: usize) -> Result<Buf> {
    let (b, n, basis) = (ctx.backend(), ctx.params().n(), &ctx.params().level(level).extended);
    let repeated = (n / (2 * period)).clamp(1, most_repeats(n));
    let mut full = b.alloc(basis.len(), n)?;
    b.ntt(full.view_mut(1), basis)?;
    Ok(if repeated == 1 { full } else { b.alloc(basis.len(), n / repeated)? })
}

/// The same factor with each word that repeats only once: diagonals of a period shorter than the slots are polynomials in
/// a power of X, and those of a Fourier transform's first stages have very short ones.
fn compress(ctx: &Context, poly: Buf) -> Result<Buf> {
    let (b, n) = (ctx.backend(), poly.n());
    let mut limb = vec![0; n];
    b.download(&poly, 0, &mut limb)?;
    let repeated = repeats(&limb);
    if repeated == 1 {
        return Ok(poly);
    }
    let mut few = b.alloc(poly.limbs(), n / repeated)?;
    for i in 0..poly.limbs() {
        b.download(&poly, i, &mut limb)?;
        if repeats(&limb) < repeated {
            return Ok(poly); // two residues that happened to be the same
        }
        let words: Vec<u64> =
            limb.chunks(repeated * REPEATED_WORDS).flat_map(|run| run[..REPEATED_WORDS].iter().copied()).collect();
        b.upload(&mut few, i, &words)?;
    }
    Ok(few)
}

/// An encoded diagonal, over `P ++ Q_l`, its words without their repetitions.
#[derive(Debug)]
pub(super) struct Diagonal {
    baby: i64,
    poly: Buf,
}

/// What the rows of a matrix do to values and errors.
#[derive(Debug, Clone, Copy)]
struct Rows {
    /// The largest sum of absolute values of a row.
    norm: f64,
    /// The largest sum of squares of a row.
    squares: f64,
    /// Whether all entries are real.
    real: bool,
    /// As [`LinearTransform::keeping_magnitudes`].
    keeps: bool,
}

/// A transform encoded for one level.
#[derive(Debug)]
pub struct EncodedTransform {
    /// By giant step.
    pub(super) groups: BTreeMap<i64, Vec<Diagonal>>,
    pub(super) level: usize,
    /// Of the diagonals.
    scale: Scale,
    from: Scale,
    pub(super) to: Scale,
    slots: usize,
    rows: Rows,
}

/// Where the divisions by P of a linear transform are: for measurement, the results differ in rounding only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hoisting {
    /// A rotation is a rotation: a decomposition and a division by P for each baby and each giant step.
    None,
    /// One decomposition for all baby steps, and one division by P for each baby and each giant step.
    Single,
    /// Also the divisions are put off: one for each giant step and one at the end, together with the rescaling.
    #[default]
    Double,
    /// As [`Hoisting::Double`], but each giant step's sum is divided by P and rescaled as a whole, rotated or not, and giant
    /// steps are one level lower: the double-hoisted form that the cost model of de Castro et al. takes from Bossuat et al.
    DoubleRescaled,
}

/// What is known of a transform whose values nobody needs.
pub(crate) struct TransformShape {
    pub(crate) slots: usize,
    /// Of both signs.
    pub(crate) diagonals: Vec<i64>,
    /// Of the values of each diagonal.
    pub(crate) period: usize,
}

impl EncodedTransform {
    /// A transform on a backend that computes nothing.
    pub(crate) fn uncomputed(
        ctx: &Context,
        shape: &TransformShape,
        (rule, compressed): (BabySteps, bool),
        level: usize,
        from: Scale,
        to: Scale,
    ) -> Result<Self> {
        let (slots, diagonals) = (shape.slots, folded(&shape.diagonals, shape.slots, rule));
        let split = Split::new(rule, &diagonals, slots);
        let period = if compressed { shape.period } else { slots };
        let mut groups: BTreeMap<i64, Vec<Diagonal>> = BTreeMap::new();
        for &k in &diagonals {
            let (baby, outer) = split.of(k);
            let diagonal = Diagonal { baby, poly: uncomputed(ctx, level, period)? };
            groups.entry(outer).or_default().push(diagonal);
        }
        let scale = to * ctx.params().ratio(level) / from;
        let rows = Rows { norm: 1.0, squares: 1.0, real: false, keeps: true };
        Ok(Self { groups, level, scale, from, to, slots, rows })
    }

    /// The level it takes.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Bytes of the encoded diagonals.
    pub fn memory_bytes(&self) -> usize {
        self.groups.values().flatten().map(|d| d.poly.limbs() * d.poly.n() * 8).sum()
    }

    /// The transform of `x`, one level down. `x` is aligned to the transform's level first.
    pub fn apply(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        self.apply_with(eval, x, Hoisting::Double)
    }

    /// As [`EncodedTransform::apply`], with a choice for measurement.
    pub fn apply_with(&self, eval: &Evaluator, x: &Ciphertext, hoisting: Hoisting) -> Result<Ciphertext> {
        eval.check(x)?;
        if x.slots() != self.slots {
            return Err(Error::SlotMismatch { lhs: x.slots(), rhs: self.slots });
        }
        if x.level() < self.level {
            return Err(Error::levels_exhausted("linear transform", self.level, x.level()));
        }
        let _scope = eval.context().scope("PtMatVecMult");
        let ready = x.level() == self.level && x.scale() == self.from;
        let x = if ready { x.clone() } else { eval.align(x, self.level)? };
        if x.scale() != self.from {
            let (lhs_log2, rhs_log2) = (x.scale().log2(), self.from.log2());
            return Err(Error::ScaleMismatch { op: "linear transform", lhs_log2, rhs_log2 });
        }
        if self.groups.is_empty() {
            return Ok(eval.rescale(&eval.mul_integer(&x, 0)?)?.with_scale(self.to));
        }
        match hoisting {
            Hoisting::None | Hoisting::Single => self.single(eval, &x, hoisting),
            Hoisting::Double => self.double(eval, &x),
            Hoisting::DoubleRescaled if self.groups.keys().any(|&outer| outer != 0) => self.double_rescaled(eval, &x),
            Hoisting::DoubleRescaled => self.double(eval, &x),
        }
    }

    fn babies(&self) -> Vec<i64> {
        let mut babies: Vec<i64> = self.groups.values().flatten().map(|d| d.baby).collect();
        babies.sort_unstable();
        babies.dedup();
        babies
    }

    fn single(&self, eval: &Evaluator, x: &Ciphertext, hoisting: Hoisting) -> Result<Ciphertext> {
        let (ctx, params) = (eval.context(), eval.context().params());
        let (basis, k, groups) = (&params.level(self.level).basis, params.p().len(), self.groups.len());
        let babies = self.babies();
        let mut sums = ctx.alloc(2 * groups * basis.len())?;
        let rotated = match hoisting {
            Hoisting::None => babies.iter().map(|&s| eval.rotate(x, s)).collect::<Result<Vec<_>>>()?,
            _ => eval.rotate_hoisted(x, &babies)?,
        };
        for (turned, (&baby, rotated)) in babies.iter().zip(&rotated).enumerate() {
            let factors: Vec<RotateFactor<'_>> = (self.groups.values())
                .map(|group| match group.iter().find(|d| d.baby == baby) {
                    Some(d) => RotateFactor::Poly(d.poly.view(1).range(k, basis.len())),
                    None => RotateFactor::None,
                })
                .collect();
            let term = RotateTerm { key: None, automorphism: None, factors: &factors };
            let sum = RotateSum { digits: rotated.view().poly(0), add: rotated.view(), terms: &[term] };
            ctx.backend().hoisted_rotate_sum(sums.view_mut(2 * groups), &sum, basis, turned > 0)?;
        }
        let mut sum: Option<Ciphertext> = None;
        for (g, &outer) in self.groups.keys().enumerate() {
            let mut buf = ctx.alloc(2 * basis.len())?;
            ctx.backend().copy(buf.view_mut(2), sums.view(2 * groups).slice(2 * g, 2))?;
            let (scale, noise) = (self.from * self.scale, self.noise(params, x.noise()));
            let inner = Ciphertext::from_parts(params, buf, 2, self.level, scale, x.log_slots(), noise);
            let inner = inner.with_key(eval.owner(x));
            let part = eval.rotate(&inner, outer)?;
            sum = Some(match sum {
                None => part,
                Some(s) => eval.add(&s, &part)?,
            });
        }
        match sum {
            Some(s) => eval.settle_at(&s, self.to),
            None => Ok(x.clone()),
        }
    }

    /// Everything over `P ++ Q_l` until the end. The first polynomial of a giant step's sum need not leave it: only the
    /// second one is divided, to be decomposed.
    fn double(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Ciphertext> {
        let (ctx, params, level) = (eval.context(), eval.context().params(), self.level);
        let (b, plans, groups) = (ctx.backend(), params.level(level), self.groups.len());
        let (basis, limbs) = (&plans.extended, plans.extended.len());
        let Some(division) = &plans.mod_down_rescale else {
            return Err(Error::levels_exhausted("linear transform", 1, 0));
        };
        let sums = self.inner_sums(eval, x)?;
        let mut total = ctx.alloc(2 * limbs)?;
        let mut started = false;
        let mut low = ctx.alloc(plans.basis.len())?;
        for (g, &outer) in self.groups.keys().enumerate() {
            let pair = sums.view(2 * groups).slice(2 * g, 2);
            if outer == 0 {
                b.lincomb(total.view_mut(2), &[(Coeff::One, pair)], basis, started)?;
            } else {
                let (key, automorphism) = self.rotation(eval, x, outer)?;
                b.divide_round(low.view_mut(1), pair.poly(1), &plans.mod_down, None)?;
                let rotation =
                    Rotation { mod_up: &plans.mod_up, key: key.view(), automorphism: &automorphism, add: pair.poly(0) };
                b.rotate_into(total.view_mut(2), low.view(1), &rotation, started)?;
            }
            started = true;
        }
        let mut buf = ctx.alloc(2 * division.dst.len())?;
        b.divide_round(buf.view_mut(2), total.view(2), division, None)?;
        let noise = self.noise(params, x.noise());
        let noise = noise.divided(params.ratio(level).log2(), noise::rounding(params), self.to);
        let made = Ciphertext::from_parts(params, buf, 2, level - 1, self.to, x.log_slots(), noise);
        Ok(made.with_key(eval.owner(x)))
    }

    /// The sum of each giant step over `P ++ Q_l`, a pair of polynomials: all rotations in one call, or as many at a time
    /// as [`EXPANDED_AT_ONCE`] allows where their keys have to be expanded.
    pub(super) fn inner_sums(&self, eval: &Evaluator, x: &Ciphertext) -> Result<Buf> {
        let (ctx, params) = (eval.context(), eval.context().params());
        let (b, plans, k) = (ctx.backend(), params.level(self.level), params.p().len());
        let (basis, limbs, beta) = (&plans.extended, plans.extended.len(), plans.mod_up.beta());

        // P x: what is not switched has to have the factor that a key brings
        let mut lifted = ctx.alloc(2 * limbs)?;
        b.lincomb(lifted.view_mut(2).prefix(k), &[], params.p(), false)?;
        let terms = [(Coeff::PerLimb(&plans.mod_up.p_residues), x.view())];
        b.lincomb(lifted.view_mut(2).range(k, limbs - k), &terms, &plans.basis, false)?;

        let babies = self.babies();
        let needs_digits = babies.iter().any(|&i| i != 0);
        let digits = if needs_digits { hoist(ctx, x.view().poly(1), self.level)? } else { ctx.alloc(beta * limbs)? };
        let mut sums = ctx.alloc(2 * self.groups.len() * limbs)?;
        let mut done = 0;
        while done < babies.len() {
            let (mut switches, mut expanded) = (Vec::new(), 0);
            for &i in &babies[done..] {
                if expanded == EXPANDED_AT_ONCE {
                    break;
                }
                let switch = (i != 0).then(|| self.rotation(eval, x, i)).transpose()?;
                expanded += usize::from(switch.as_ref().is_some_and(|(key, _)| key.is_expanded()));
                switches.push(switch);
            }
            let factors: Vec<_> = babies[done..][..switches.len()].iter().map(|&i| self.factors(i)).collect();
            let terms: Vec<RotateTerm<'_>> = (switches.iter().zip(&factors))
                .map(|(switch, factors)| RotateTerm {
                    key: switch.as_ref().map(|s| s.0.view()),
                    automorphism: switch.as_ref().map(|s| &*s.1),
                    factors,
                })
                .collect();
            let sum = RotateSum { digits: digits.view(beta), add: lifted.view(2), terms: &terms };
            b.hoisted_rotate_sum(sums.view_mut(2 * self.groups.len()), &sum, basis, done > 0)?;
            done += switches.len();
        }
        Ok(sums)
    }

    /// What the rotation by `baby` is multiplied by in each giant step's sum.
    fn factors(&self, baby: i64) -> Vec<RotateFactor<'_>> {
        (self.groups.values())
            .map(|group| match group.iter().find(|d| d.baby == baby) {
                Some(d) => RotateFactor::Poly(d.poly.view(1)),
                None => RotateFactor::None,
            })
            .collect()
    }

    /// What rotates by `steps`.
    fn rotation<'a>(
        &self,
        eval: &'a Evaluator,
        x: &Ciphertext,
        steps: i64,
    ) -> Result<(KeyAt<'a>, Arc<AutomorphismPlan>)> {
        let (galois, key) = eval.rotation_key(x, steps)?;
        Ok((key.at(self.level)?, eval.context().params().automorphism(galois)))
    }

    /// Of the product, before it is rescaled: the input's error and those of key switching and of the diagonals' rounding.
    pub(super) fn noise(&self, params: &crate::Parameters, input: Noise) -> Noise {
        let (rows, scale) = (self.rows, self.scale.value());
        let range = match rows.keeps {
            true => Range::complex(input.magnitude()),
            false => input.range().mapped(rows.norm, rows.real),
        };
        let switched = noise::switched(params, self.level);
        let diagonals = self.groups.values().map(Vec::len).sum::<usize>() as f64;
        let giants = self.groups.keys().filter(|&&outer| outer != 0).count() as f64;
        // every diagonal is rounded, and meets the values with their errors
        let values = Added::fixed(input.magnitude() * self.from.value()) + input.error();
        let (rounding, giants) = (noise::encoding(params).product(values), switched.times(giants));
        let (norm, squares) = (rows.norm * scale, rows.squares * scale * scale);
        input
            .mapped(switched, norm, squares, range, self.from * self.scale)
            .plus(rounding.times(diagonals))
            .plus(giants)
    }
}

/// Keys that are expanded for their use at a time: all keys of a matrix of bootstrapping would be gigabytes, and each part of
/// a sum goes through all sums once more, which takes less time than the expansion of so many.
const EXPANDED_AT_ONCE: usize = 4;
