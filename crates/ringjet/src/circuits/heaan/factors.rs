//! The matrices of the two transforms.
//!
//! With n slots below N/2, the 2n real coefficients go through one exponential as 2n slots. Rows of the last matrix of
//! CoeffsToSlots are then there twice, the second time with -i; the columns of the first one of SlotsToCoeffs likewise, with i.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use ringjet_math::dft::{self, Diagonals};
use ringjet_math::fft::Complex64;

use crate::diagonals::{Split, folded};
use crate::heaan::{Budget, FLAT_GIANT_COST, groups};

const I: Complex64 = Complex64 { re: 0.0, im: 1.0 };

pub(super) struct Factor {
    pub(super) diagonals: Diagonals,
    /// For n slots, also where diagonals have twice as many entries.
    pub(super) split: Split,
}

impl Factor {
    fn new(diagonals: Diagonals) -> Self {
        let slots = diagonals.values().next().map_or(1, Vec::len);
        let keys: Vec<i64> = diagonals.keys().map(|&k| k as i64).collect();
        Self { split: Split::cheapest(FLAT_GIANT_COST, &folded(&keys, slots), slots), diagonals }
    }

    fn map(self, f: impl Fn(usize, &[Complex64]) -> Vec<Complex64>) -> Self {
        Self { diagonals: self.diagonals.iter().map(|(&k, d)| (k, f(k, d))).collect(), ..self }
    }

    fn scaled(self, by: Complex64) -> Self {
        self.map(|_, d| d.iter().map(|&z| z * by).collect())
    }
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
