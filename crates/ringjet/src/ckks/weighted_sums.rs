//! Products of ciphertexts with a matrix of numbers: many weighted sums of the same ciphertexts.
//!
//! Integers commute with the transform and with any encoding, so a row of numbers times ciphertexts is a
//! row of integers times their residues: [`ringjet_backend::Backend::gemm`]. A row w of weights becomes
//! `c * W` with integers W of at most `2^bits` in size and one integer c. Where weights are exact, their
//! integers are cut into digits, each a product of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_backend::plan::PlanId;
use ringjet_backend::{Buf, Gemm, MAX_WEIGHT, ViewMut};
use ringjet_math::Basis;

use super::auto::MIN_FACTOR_BITS;
use super::ciphertext::Position;
use super::{Ciphertext, Evaluator, Scale, noise};
use crate::approximate::expect_finite;
use crate::noise::{ErrorTerm, Noise};
use crate::rlwe::LevelSwitch;
use crate::vectors::expect_polys;
use crate::{Error, Result};

/// Bits of a digit of exact integers.
const DIGIT: u32 = MAX_WEIGHT.trailing_zeros();

/// Rows are computed together up to this size of their sums in bytes, but at least [`LEAST_ROWS`].
const SUMS: usize = 256 << 20;

/// At least so many rows are computed together: kernels take 12 at once.
const LEAST_ROWS: usize = 24;

/// A matrix of numbers with a number that is added to each row's sum.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The numbers, row by row.
    pub weights: &'a [f64],
    /// What is added to the sum of each row; empty for nothing.
    pub bias: &'a [f64],
    /// Weights are rounded to integers of at most `2^bits` in size, times one integer of each row; at most 24.
    /// `None`: as [`Evaluator::weighted_sum`] rounds them.
    pub bits: Option<u32>,
}

impl Rows<'_> {
    /// The number of rows. Refuses what are no rows of `columns` numbers.
    pub(crate) fn expect(&self, columns: usize) -> Result<usize> {
        let count = self.weights.len() / columns.max(1);
        if count * columns != self.weights.len() {
            return Err(Error::argument("weights", self.weights.len(), format!("rows of {columns} numbers")));
        }
        if !self.bias.is_empty() && self.bias.len() != count {
            return Err(Error::argument("bias", self.bias.len(), format!("{count} numbers, one a row")));
        }
        if let Some(bits) = self.bits.filter(|bits| !(1..=DIGIT).contains(bits)) {
            return Err(Error::argument("bits", bits, format!("1 to {DIGIT}")));
        }
        for x in self.weights.iter().chain(self.bias) {
            expect_finite(&[(*x).into()])?;
        }
        Ok(count)
    }
}

/// A row of integers: `factor * sum of 2^(24 j) * digits[j]`.
struct Row {
    digits: Vec<Vec<i32>>,
    factor: u128,
}

impl Row {
    fn integer(&self, k: usize) -> f64 {
        let value = |(j, digits): (usize, &Vec<i32>)| f64::from(digits[k]) * f64::from(DIGIT * j as u32).exp2();
        self.factor as f64 * self.digits.iter().enumerate().map(value).sum::<f64>()
    }
}

impl Evaluator {
    /// For each row the sum of `weight * ciphertext` plus its bias, at `level` and the scale of that level,
    /// as [`Evaluator::weighted_sum`] of each row. `step` gets the number of rows that are done, and stops
    /// the work when it returns false.
    ///
    /// # Errors
    /// [`Error::Argument`] for no ciphertexts, for weights that are not whole rows, for another number of
    /// biases than rows, and for more than 24 bits; [`Error::Interrupted`]; those of
    /// [`Evaluator::weighted_sum`].
    pub fn weighted_sums(
        &self,
        terms: &[&Ciphertext],
        rows: &Rows<'_>,
        level: usize,
        mut step: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Ciphertext>> {
        let first = *terms.first().ok_or_else(|| Error::none("terms"))?;
        let count = rows.expect(terms.len())?;
        let params = self.context().params();
        let mut groups: BTreeMap<PlanId, (Arc<LevelSwitch>, Vec<usize>)> = BTreeMap::new();
        for (k, a) in terms.iter().enumerate() {
            first.expect_packing(a)?;
            self.check(a)?;
            if a.level() <= level {
                return Err(Error::levels_exhausted("weighted_sums", level.saturating_add(1), a.level()));
            }
            let switch = params.level_switch(a.level(), level);
            groups.entry(switch.division.id).or_insert((switch, vec![])).1.push(k);
        }
        let limbs = groups.values().map(|(switch, _)| switch.division.src.len()).max().unwrap_or(1);
        let at_once = (SUMS / (2 * limbs * params.n() * 8)).max(LEAST_ROWS);
        let mut made = Vec::with_capacity(count);
        for from in (0..count).step_by(at_once) {
            if !step(from) {
                return Err(Error::Interrupted);
            }
            let block = from..count.min(from + at_once);
            let mut sums: Option<Vec<Ciphertext>> = None;
            for (switch, columns) in groups.values() {
                let bias = if sums.is_none() { rows.bias } else { &[] };
                let part = self.switch_rows(switch, terms, columns, (rows, bias), block.clone(), level)?;
                sums = Some(match sums {
                    None => part,
                    Some(sums) => sums.iter().zip(&part).map(|(a, b)| self.add(a, b)).collect::<Result<_>>()?,
                });
            }
            made.extend(sums.unwrap_or_default());
        }
        Ok(made)
    }

    /// The sums of some rows over the ciphertexts `columns`, which have the same division.
    fn switch_rows(
        &self,
        by: &LevelSwitch,
        terms: &[&Ciphertext],
        columns: &[usize],
        (rows, bias): (&Rows<'_>, &[f64]),
        block: std::ops::Range<usize>,
        level: usize,
    ) -> Result<Vec<Ciphertext>> {
        let _scope = self.context().scope("WeightedSums");
        let (ctx, params) = (self.context(), self.context().params());
        let (first, basis) = (terms[columns[0]], &by.division.src);
        let (ratio, target) =
            (Scale::of_quotient(&by.division.divisor(), &by.division.multiplier()), params.scale(level));
        let before = target * ratio;
        let polys = columns.iter().map(|&k| terms[k].polys()).max().unwrap_or(2);
        let (mut owner, mut held) = (self.owner(first), first.held());
        let mut factors = Vec::with_capacity(columns.len());
        let mut sources = Vec::with_capacity(columns.len());
        let keeps: Vec<_> = columns.iter().map(|&k| params.level_switch(terms[k].level(), level)).collect();
        for (&k, keep) in columns.iter().zip(&keeps) {
            let a = terms[k];
            owner = owner.join("ciphertext", a.key_id())?;
            held = held.sum(a.held())?;
            expect_polys("align", polys, a.polys())?;
            let factor = before / a.scale();
            if factor.log2() < MIN_FACTOR_BITS {
                return Err(Error::ScaleMismatch { op: "align", lhs_log2: a.scale().log2(), rhs_log2: before.log2() });
            }
            factors.push(factor);
            sources.push(a.view().choose(&keep.keep));
        }
        let weight = |m: usize, k: usize| rows.weights[m * terms.len() + columns[k]];
        let integers = block.clone().map(|m| match rows.bits {
            Some(bits) => {
                // refuses integers that are too large
                (0..columns.len()).try_for_each(|k| {
                    self.scaled_integer(weight(m, k), factors[k], terms[columns[k]].level()).map(drop)
                })?;
                Ok(short(bits, columns.len(), |k| weight(m, k) * factors[k].value()))
            }
            None => exact(columns.len(), |k| self.scaled_integer(weight(m, k), factors[k], terms[columns[k]].level())),
        });
        let integers = integers.collect::<Result<Vec<Row>>>()?;
        let constants = block.clone().map(|m| match bias.get(m) {
            Some(&b) => self.scaled_integer(b, before, terms[columns[0]].level()),
            None => Ok(0),
        });
        let constants = constants.collect::<Result<Vec<i128>>>()?;
        let mut bufs = block.clone().map(|_| ctx.alloc(polys * basis.len())).collect::<Result<Vec<Buf>>>()?;
        let residues: Vec<u64> = constants.iter().flat_map(|&c| residues_of(c, basis)).collect();
        let digits = integers.iter().map(|row| row.digits.len()).max().unwrap_or(0).max(1);
        for j in 0..digits {
            let zeros = vec![0; columns.len()];
            let weights: Vec<i32> =
                integers.iter().flat_map(|row| row.digits.get(j).unwrap_or(&zeros)).copied().collect();
            let unit = 1i128 << (DIGIT * j as u32);
            let of = |row: &Row| residues_of(row.factor as i128 * unit, basis);
            let factors: Vec<u64> = integers.iter().flat_map(of).collect();
            let with_bias = j == 0 && !bias.is_empty();
            let constants = if with_bias { &residues[..] } else { &[] };
            let gemm = Gemm { src: &sources, weights: &weights, factors: &factors, constants };
            let mut views: Vec<ViewMut<'_>> = bufs.iter_mut().map(|buf| buf.view_mut(polys)).collect();
            ctx.backend().gemm(&mut views, &gemm, basis, j > 0)?;
        }
        let finished = bufs.into_iter().zip(block).zip(&integers).map(|((sum, m), row)| {
            let mut buf = ctx.alloc(polys * by.division.dst.len())?;
            ctx.backend().divide_round(buf.view_mut(polys), sum.view(polys), &by.division, None)?;
            let noise = self.noise_of_row(terms, columns, &factors, before, row, |k| weight(m, k));
            let b = bias.get(m).copied().unwrap_or(0.0);
            let rounding = ErrorTerm::fixed(if b == 0.0 { 0.0 } else { 0.5 });
            let noise = noise.plus_fixed(rounding).with_range(noise.range().shifted(b));
            noise.expect_room("weighted sums", basis.log2())?;
            let noise = noise.divided(ratio.log2(), noise::rounding_of(params, polys), target);
            let made = self.result_like(first, buf, polys, Position { level, scale: target }, noise);
            let held = if b == 0.0 { held } else { held.unknown() };
            made.with_key(owner).with_held(held).fits("weighted sums")
        });
        finished.collect()
    }

    /// The noise of a row's sum before the division. The rounding of a weight counts as an error of the values.
    fn noise_of_row(
        &self,
        terms: &[&Ciphertext],
        columns: &[usize],
        factors: &[Scale],
        before: Scale,
        row: &Row,
        weight: impl Fn(usize) -> f64,
    ) -> Noise {
        let one = |(k, &column): (usize, &usize)| {
            let (noise, factor, integer) = (terms[column].noise(), factors[k].value(), row.integer(k));
            // known here, since weights are
            let rounded = if row.factor > 1 { (weight(k) * factor - integer).abs() } else { 0.5 };
            let rounding = ErrorTerm::fixed(rounded / factor * noise.magnitude() * before.value());
            noise.scaled(integer, weight(k), before).plus_fixed(rounding)
        };
        columns.iter().enumerate().map(one).reduce(Noise::sum).unwrap_or(terms[0].noise())
    }
}

/// Integers of at most `2^bits` in size, times one integer, for these numbers.
fn short(bits: u32, count: usize, number: impl Fn(usize) -> f64) -> Row {
    let most = (0..count).map(|k| number(k).abs()).fold(0.0, f64::max);
    let factor = (most / f64::from(bits).exp2()).ceil().max(1.0);
    let digits = (0..count).map(|k| (number(k) / factor).round_ties_even() as i32).collect();
    Row { digits: vec![digits], factor: factor as u128 }
}

/// The integers as digits from `-2^23` to `2^23`.
fn exact(count: usize, integer: impl Fn(usize) -> Result<i128>) -> Result<Row> {
    let mut rest = (0..count).map(integer).collect::<Result<Vec<i128>>>()?;
    let mut digits = Vec::new();
    while rest.iter().any(|&x| x != 0) {
        let half = 1i128 << (DIGIT - 1);
        let digit = |x: &mut i128| {
            let low = (*x + half).rem_euclid(1 << DIGIT) - half;
            *x = (*x - low) >> DIGIT;
            low as i32
        };
        digits.push(rest.iter_mut().map(digit).collect());
    }
    Ok(Row { digits, factor: 1 })
}

fn residues_of(x: i128, basis: &Basis) -> impl Iterator<Item = u64> {
    basis.values().map(move |q| x.rem_euclid(i128::from(q)) as u64)
}
