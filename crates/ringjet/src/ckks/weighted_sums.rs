//! Products of ciphertexts with a matrix of numbers: many weighted sums of the same ciphertexts.

use std::collections::BTreeMap;
use std::sync::Arc;

use ringjet_backend::plan::PlanId;
use ringjet_backend::{Buf, ViewMut};

use super::auto::Summands;
use super::{Ciphertext, Evaluator};
use crate::noise::{ErrorTerm, Groups, Noise};
use crate::rlwe::LevelSwitch;
use crate::vectors::Rows;
use crate::vectors::rows::{self, Row};
use crate::{Error, Result};

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
        let polys = terms.iter().map(|a| a.polys()).max().unwrap_or(2);
        let mut made = Vec::with_capacity(count);
        for block in rows::blocks(count, polys * limbs * params.n()) {
            if !step(block.start) {
                return Err(Error::Interrupted);
            }
            let mut sums: Option<Vec<Ciphertext>> = None;
            for (switch, columns) in groups.values() {
                let rows = Rows { bias: if sums.is_none() { rows.bias } else { &[] }, ..*rows };
                let part = self.switch_rows(switch, terms, columns, &rows, block.clone(), level)?;
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
        all: &[&Ciphertext],
        columns: &[usize],
        rows: &Rows<'_>,
        block: std::ops::Range<usize>,
        level: usize,
    ) -> Result<Vec<Ciphertext>> {
        let _scope = self.context().scope("WeightedSums");
        let (ctx, basis) = (self.context(), &by.division.src);
        let terms: Vec<&Ciphertext> = columns.iter().map(|&k| all[k]).collect();
        let common = self.summands(by, terms.iter().copied(), level, ctx.params().scale(level))?;
        let weights: Vec<Vec<f64>> =
            block.clone().map(|m| columns.iter().map(|&k| rows.row(m, all.len())[k]).collect()).collect();
        let integers = weights.iter().map(|row| self.integers_of(row, &terms, &common, rows.bits));
        let integers = integers.collect::<Result<Vec<Row>>>()?;
        let mut constants = Vec::new();
        for m in block.clone().filter(|_| !rows.bias.is_empty()) {
            constants
                .extend(rows::residues(self.scaled_integer(rows.added(m), common.before, terms[0].level())?, basis));
        }
        let groups = Groups::new(&terms.iter().map(|a| a.noise()).collect::<Vec<_>>());
        let noises = integers.iter().zip(&weights).zip(block.clone()).map(|((row, weights), m)| {
            let (noise, added) = (noise_of_row((&terms, &groups), &common, row, weights), rows.added(m));
            let rounding = ErrorTerm::fixed(if added == 0.0 { 0.0 } else { 0.5 });
            let noise = noise.plus_fixed(rounding).with_range(noise.range().shifted(added));
            noise.expect_room("weighted sums", basis.log2()).map(|()| noise)
        });
        let noises = noises.collect::<Result<Vec<Noise>>>()?;
        let sources: Vec<_> = terms.iter().zip(&common.keeps).map(|(a, by)| a.view().choose(&by.keep)).collect();
        let mut sums = block.clone().map(|_| ctx.alloc(common.polys * basis.len())).collect::<Result<Vec<Buf>>>()?;
        let mut views: Vec<ViewMut<'_>> = sums.iter_mut().map(|sum| sum.view_mut(common.polys)).collect();
        rows::products(ctx.backend(), &mut views, &sources, &integers, &constants, basis)?;
        let finished = sums.into_iter().zip(noises).zip(block).map(|((sum, noise), m)| {
            let made = self.switched(by, &sum, &common, noise)?;
            let held = if rows.added(m) == 0.0 { made.held() } else { made.held().unknown() };
            made.with_held(held).fits("weighted sums")
        });
        finished.collect()
    }

    /// The integers of a row of weights. Refuses integers that are too large.
    fn integers_of(
        &self,
        weights: &[f64],
        terms: &[&Ciphertext],
        common: &Summands<'_>,
        bits: Option<u32>,
    ) -> Result<Row> {
        let exact = |k: usize| self.scaled_integer(weights[k], common.factors[k], terms[k].level());
        let Some(bits) = bits else {
            return Ok(Row::exact((0..terms.len()).map(exact).collect::<Result<_>>()?));
        };
        let scaled: Vec<f64> = weights.iter().zip(&common.factors).map(|(w, factor)| w * factor.value()).collect();
        (0..terms.len()).try_for_each(|k| exact(k).map(drop))?;
        Ok(Row::short(&scaled, bits))
    }
}

/// The noise of a row's sum before the division. The rounding of a weight counts as an error of the values.
fn noise_of_row(
    (terms, groups): (&[&Ciphertext], &Groups),
    common: &Summands<'_>,
    row: &Row,
    weights: &[f64],
) -> Noise {
    let integers = row.integers(terms.len());
    let one = |k: usize| {
        let (noise, factor) = (terms[k].noise(), common.factors[k].value());
        // known here, since weights are
        let rounded = if row.is_short() { (weights[k] * factor - integers[k]).abs() } else { 0.5 };
        let rounding = ErrorTerm::fixed(rounded / factor * noise.magnitude() * common.before.value());
        noise.scaled(integers[k], weights[k], common.before).plus_fixed(rounding)
    };
    groups.sum((0..terms.len()).map(one)).unwrap_or(terms[0].noise())
}
