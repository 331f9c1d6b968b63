//! The matrices of the two transforms, and the rotations they need.
//!
//! With n slots below N/2, the 2n real coefficients go through one exponential as 2n slots. Rows of the last matrix of
//! CoeffsToSlots are then there twice, the second time with -i; the columns of the first one of SlotsToCoeffs likewise, with i.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use ringjet_math::dft::{self, Diagonals};
use ringjet_math::fft::Complex64;

use super::super::Parameters;
use super::Budget;
use crate::circuits::{BabySteps, Split, folded, rotations_for, transform_diagonals};
use crate::{Error, Result};

/// Stages that one matrix merges at most.
const STAGES: u32 = 6;

/// How transforms divide their rotations: without hoisting a giant step costs no more than a baby step.
pub(super) const RULE: BabySteps = BabySteps::Fewest;

const I: Complex64 = Complex64 { re: 0.0, im: 1.0 };

/// A matrix with its diagonals, and the split of its rotations.
pub(super) struct Factor {
    pub(super) diagonals: Diagonals,
    /// For n slots, also where diagonals have twice as many entries.
    pub(super) split: Split,
}

impl Factor {
    fn new(diagonals: Diagonals) -> Self {
        let slots = diagonals.values().next().map_or(1, Vec::len);
        let keys: Vec<i64> = diagonals.keys().map(|&k| k as i64).collect();
        Self { split: Split::new(RULE, &folded(&keys, slots, RULE), slots), diagonals }
    }

    fn map(self, f: impl Fn(usize, &[Complex64]) -> Vec<Complex64>) -> Self {
        Self { diagonals: self.diagonals.iter().map(|(&k, d)| (k, f(k, d))).collect(), ..self }
    }

    fn scaled(self, by: Complex64) -> Self {
        self.map(|_, d| d.iter().map(|&z| z * by).collect())
    }
}

/// Stages of each matrix of SlotsToCoeffs, in order; those of CoeffsToSlots are the reverse.
pub(super) fn groups(log_slots: u32) -> Vec<u32> {
    let count = log_slots.div_ceil(STAGES).max(1);
    (0..count).map(|i| log_slots / count + u32::from(i < log_slots % count)).collect()
}

/// Rotations of the trace: by all multiples of the number of slots, one bit at a time.
pub(super) fn trace_rotations(params: &Parameters, log_slots: u32) -> impl Iterator<Item = i64> + use<> {
    (log_slots..params.log_n() - 1).map(|i| 1i64 << i)
}

/// All rotations of bootstrapping.
pub(in super::super) fn rotations(params: &Parameters, log_slots: u32) -> Result<Vec<i64>> {
    expect_slots(params, log_slots)?;
    let matrices = transform_diagonals(&groups(log_slots));
    let mut all: Vec<i64> = matrices.iter().flat_map(|d| rotations_for(d, 1 << log_slots, RULE)).collect();
    all.extend(trace_rotations(params, log_slots));
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

pub(super) fn expect_slots(params: &Parameters, log_slots: u32) -> Result<()> {
    if log_slots < params.log_n() {
        return Ok(());
    }
    let found = 1usize.checked_shl(log_slots).unwrap_or(usize::MAX);
    Err(Error::SlotCount { found, slots: params.max_slots(), max: params.max_slots() })
}

/// From the slots of t to `i pi t / 2^r`, whose imaginary part is half the angle.
pub(super) fn coeffs_to_slots(budget: &Budget) -> Vec<Factor> {
    let mut groups = groups(budget.log_slots);
    groups.reverse();
    let mut all = matrices(budget.log_slots, &groups, dft::coeffs_to_slots);
    let angle = TAU / f64::from(budget.squarings + 1).exp2();
    let beside = |_: usize, d: &[Complex64]| d.iter().copied().chain(d.iter().map(|&z| z * (I * -1.0))).collect();
    if let Some(last) = all.pop() {
        let last = last.scaled(I * angle);
        all.push(if budget.beside { last.map(beside) } else { last });
    }
    all
}

/// From `2 i` times the sine, or six times that, to the slots of the message.
pub(super) fn slots_to_coeffs(budget: &Budget, corrected: bool) -> Vec<Factor> {
    let mut all = matrices(budget.log_slots, &groups(budget.log_slots), dft::slots_to_coeffs);
    let unit = 1.0 / (2.0 * TAU * if corrected { 6.0 } else { 1.0 });
    // of the columns j + k mod 2n those from n on hold imaginary parts. Each sum is taken over n columns only: slot j + n has
    // the others
    let beside = |k: usize, d: &[Complex64]| -> Vec<Complex64> {
        let n = d.len();
        (0..2 * n).map(|j| if (j + k) % (2 * n) < n { d[j % n] } else { d[j % n] * I }).collect()
    };
    if let Some(first) = all.first_mut() {
        let taken = std::mem::replace(first, Factor::new(Diagonals::new())).scaled(I * -unit);
        *first = if budget.beside { taken.map(beside) } else { taken };
    }
    all
}

fn matrices(log_slots: u32, groups: &[u32], of: fn(u32, &[u32]) -> Vec<Diagonals>) -> Vec<Factor> {
    let all = match log_slots {
        0 => vec![BTreeMap::from([(0, vec![Complex64::from(1.0)])])],
        _ => of(log_slots, groups),
    };
    all.into_iter().map(Factor::new).collect()
}
